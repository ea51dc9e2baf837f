#pragma once
/// oracle/big_integer: integers of any size, by the methods of the school book.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace oracle {

/// Sign and magnitude; digits of 32 bits, least significant first, no leading zeros.
class big_integer {
 public:
  big_integer() = default;
  big_integer(std::int64_t value) : negative_(value < 0) {  // NOLINT: a number is a number
    const auto bits = static_cast<std::uint64_t>(value);
    take(negative_ ? 0 - bits : bits);
  }
  static big_integer from_unsigned(std::uint64_t value) {
    big_integer out;
    out.take(value);
    return out;
  }

  bool is_zero() const { return digits_.empty(); }
  bool is_negative() const { return negative_; }
  bool is_odd() const { return !digits_.empty() && digits_[0] % 2 != 0; }
  int bit_length() const {
    if (digits_.empty()) return 0;
    int top = 0;
    for (std::uint32_t d = digits_.back(); d != 0; d >>= 1) ++top;
    return 32 * (static_cast<int>(digits_.size()) - 1) + top;
  }
  /// The lowest 64 bits of the magnitude.
  std::uint64_t low_bits() const {
    std::uint64_t out = 0;
    if (!digits_.empty()) out = digits_[0];
    if (digits_.size() > 1) out |= std::uint64_t{digits_[1]} << 32;
    return out;
  }
  std::uint32_t digit(std::size_t i) const { return i < digits_.size() ? digits_[i] : 0; }

  big_integer operator-() const {
    big_integer out = *this;
    if (!out.is_zero()) out.negative_ = !negative_;
    return out;
  }
  big_integer magnitude() const { return negative_ ? -*this : *this; }

  friend big_integer operator+(const big_integer& a, const big_integer& b) {
    big_integer out;
    if (a.negative_ == b.negative_) {
      out.digits_ = add(a.digits_, b.digits_);
      out.negative_ = a.negative_;
    } else if (less(a.digits_, b.digits_)) {
      out.digits_ = subtract(b.digits_, a.digits_);
      out.negative_ = b.negative_;
    } else {
      out.digits_ = subtract(a.digits_, b.digits_);
      out.negative_ = a.negative_;
    }
    if (out.digits_.empty()) out.negative_ = false;
    return out;
  }
  friend big_integer operator-(const big_integer& a, const big_integer& b) { return a + -b; }
  friend big_integer operator*(const big_integer& a, const big_integer& b) {
    big_integer out;
    out.digits_.assign(a.digits_.size() + b.digits_.size(), 0);
    for (std::size_t i = 0; i < a.digits_.size(); ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < b.digits_.size(); ++j) {
        carry += std::uint64_t{a.digits_[i]} * b.digits_[j] + out.digits_[i + j];
        out.digits_[i + j] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
      out.digits_[i + b.digits_.size()] = static_cast<std::uint32_t>(carry);
    }
    trim(out.digits_);
    out.negative_ = !out.digits_.empty() && a.negative_ != b.negative_;
    return out;
  }
  big_integer& operator+=(const big_integer& b) { return *this = *this + b; }

  /// this * 2^bits.
  big_integer shifted_left(int bits) const {
    big_integer out = *this;
    if (is_zero()) return out;
    out.digits_.insert(out.digits_.begin(), static_cast<std::size_t>(bits / 32), 0);
    std::uint64_t carry = 0;
    for (std::uint32_t& d : out.digits_) {
      carry |= std::uint64_t{d} << (bits % 32);
      d = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) out.digits_.push_back(static_cast<std::uint32_t>(carry));
    return out;
  }

  friend bool operator==(const big_integer& a, const big_integer& b) {
    return a.negative_ == b.negative_ && a.digits_ == b.digits_;
  }
  friend bool operator<(const big_integer& a, const big_integer& b) { return (a - b).negative_; }
  friend bool operator<=(const big_integer& a, const big_integer& b) { return !(b < a); }

  /// The nearest long double, give or take one unit in the last place.
  long double approximate() const {
    long double out = 0;
    for (std::size_t i = digits_.size(); i-- > 0;) out = out * 0x1p32L + digits_[i];
    return negative_ ? -out : out;
  }

 private:
  using digits = std::vector<std::uint32_t>;

  void take(std::uint64_t value) {
    for (; value != 0; value >>= 32) digits_.push_back(static_cast<std::uint32_t>(value));
  }
  static void trim(digits& d) {
    while (!d.empty() && d.back() == 0) d.pop_back();
  }
  static bool less(const digits& a, const digits& b) {
    if (a.size() != b.size()) return a.size() < b.size();
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  }
  static digits add(const digits& a, const digits& b) {
    digits out;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      carry += (i < a.size() ? a[i] : 0ULL) + (i < b.size() ? b[i] : 0ULL);
      out.push_back(static_cast<std::uint32_t>(carry));
      carry >>= 32;
    }
    if (carry != 0) out.push_back(static_cast<std::uint32_t>(carry));
    return out;
  }
  static digits subtract(const digits& a, const digits& b) {  // a >= b
    digits out;
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      std::int64_t d = std::int64_t{a[i]} - (i < b.size() ? b[i] : 0) - borrow;
      borrow = d < 0 ? 1 : 0;
      out.push_back(static_cast<std::uint32_t>(d + (borrow << 32)));
    }
    trim(out);
    return out;
  }

  bool negative_ = false;
  digits digits_;
};

/// The greatest q with q * b <= a, for a >= 0 and b > 0, found bit by bit from the top.
inline big_integer floor_quotient(const big_integer& a, const big_integer& b) {
  big_integer q;
  for (int bit = std::max(0, a.bit_length() - b.bit_length() + 1); bit >= 0; --bit) {
    const big_integer trial = q + big_integer(1).shifted_left(bit);
    if (trial * b <= a) q = trial;
  }
  return q;
}

/// The greatest r with r * r <= a, for a >= 0.
inline big_integer floor_root(const big_integer& a) {
  big_integer r;
  for (int bit = a.bit_length() / 2 + 1; bit >= 0; --bit) {
    const big_integer trial = r + big_integer(1).shifted_left(bit);
    if (trial * trial <= a) r = trial;
  }
  return r;
}

/// The double of an integer that has at most 53 bits.
inline double small_to_double(const big_integer& a) {
  return static_cast<double>(a.low_bits());  // exact
}

/// a / b rounded once to the nearest double, ties to even; a >= 0, b > 0, the result is normal.
inline double rounded_quotient(const big_integer& a, const big_integer& b) {
  if (a.is_zero()) return 0.0;
  // Scaled so that the integer quotient has exactly 53 bits; what remains decides the rounding.
  int scale = 53 - (a.bit_length() - b.bit_length());
  for (;; --scale) {
    const big_integer top = scale > 0 ? a.shifted_left(scale) : a;
    const big_integer bottom = scale < 0 ? b.shifted_left(-scale) : b;
    big_integer q = floor_quotient(top, bottom);
    if (q.bit_length() > 53) continue;
    const big_integer twice_rest = (top - q * bottom).shifted_left(1);
    if (bottom < twice_rest || (twice_rest == bottom && q.is_odd())) q += 1;
    return std::ldexp(small_to_double(q), -scale);
  }
}

/// The square root of a >= 0 rounded once to the nearest double, ties to even.
inline double rounded_root(const big_integer& a) {
  if (a.is_zero()) return 0.0;
  // Scaled by an even power of two so that the integer root has exactly 54 bits.
  int scale = 110 - a.bit_length();
  scale += scale % 2 != 0 ? 1 : 0;
  for (;; scale -= 2) {
    // A negative scale drops bits below the point: they only matter as "more than this".
    big_integer scaled = a;
    bool dropped = false;
    if (scale >= 0) {
      scaled = a.shifted_left(scale);
    } else {
      const big_integer unit = big_integer(1).shifted_left(-scale);
      scaled = floor_quotient(a, unit);
      dropped = !(scaled * unit == a);
    }
    const big_integer root = floor_root(scaled);
    if (root.bit_length() > 54) continue;
    const bool more = dropped || !(root * root == scaled);
    big_integer half = floor_quotient(root, 2);
    if (root.is_odd() && (more || half.is_odd())) half += 1;
    return std::ldexp(small_to_double(half), 1 - scale / 2);
  }
}

}  // namespace oracle
