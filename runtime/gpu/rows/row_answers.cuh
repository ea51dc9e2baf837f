#pragma once
/// runtime/gpu/rows/row_answers: answers of rows as numbers of a type chosen at run time, stored by the device.

#include <cstdint>

#include "monofold/fold/exact/leading.hpp"
#include "monofold/fold/exact/rounding.hpp"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/platform/wide_int.hpp"
#include "monofold/reduce_axis.cuh"
#include "runtime/gpu/rows/row_pass.hpp"
#include "runtime/operation.hpp"

namespace monofold::runtime {

/// Bits of a double that a narrower format has no room for.
template <class Real>
inline constexpr int bits_cut =
    float_format<double>::fraction_bits - float_format<Real>::fraction_bits;

/// The bits of a double, to nearest, ties to even, with a carry into the exponent; false where the answer is no normal
/// number.
template <class Real>
MONOFOLD_GPU bool narrowed_normal(double value, std::uint64_t& bits) {
  using format = float_format<Real>;
  using wide = float_format<double>;
  constexpr int cut = bits_cut<Real>;
  constexpr int bias_gap = wide::max_exponent - format::max_exponent;
  const auto own = bits_as<std::uint64_t>(value);
  if constexpr (cut > 33) {
    // By the upper half, whose last bit tells whether the lower one is 0: it is below the middle's bit.
    constexpr int upper_cut = cut - 32;
    constexpr std::uint32_t least = std::uint32_t{1} << format::fraction_bits;
    const auto upper = static_cast<std::uint32_t>(own >> 32);
    const std::uint32_t size =
        (upper & 0x7fffffffu) | (static_cast<std::uint32_t>(own) != 0 ? 1u : 0u);
    const std::uint32_t near =
        ((size + (std::uint32_t{1} << (upper_cut - 1)) - 1 + (size >> upper_cut & 1)) >>
         upper_cut) -
        (std::uint32_t{bias_gap} << format::fraction_bits);
    bits = near | (upper >> 16 & format::sign_bit);
    return near - least < static_cast<std::uint32_t>(format::infinity) - least;
  }
  const std::uint64_t magnitude = own & (wide::sign_bit - 1);
  const std::uint64_t near =
      ((magnitude + (std::uint64_t{1} << (cut - 1)) - 1 + (magnitude >> cut & 1)) >> cut) -
      (std::uint64_t{bias_gap} << format::fraction_bits);
  bits = near | (own != magnitude ? std::uint64_t{format::sign_bit} : 0);
  return near - (std::uint64_t{1} << format::fraction_bits) <
         format::infinity - (std::uint64_t{1} << format::fraction_bits);
}
/// The same of a number that lies within `ulps` units in the last place of the double; false also where the middle
/// between two answers does.
template <class Real>
MONOFOLD_GPU bool narrowed_near(double value, std::uint64_t ulps, std::uint64_t& bits) {
  constexpr std::uint64_t unit = std::uint64_t{1} << bits_cut<Real>;
  const std::uint64_t cut = bits_as<std::uint64_t>(value) & (unit - 1);
  // Below a power of two the middle is half as far away.
  return narrowed_normal<Real>(value, bits) && ulps < unit / 4 &&
         cut - (unit / 2 - ulps) > 2 * ulps;
}

/// The bits of a double that no narrower format is asked to show, or that is rounded to odd.
template <class Real>
MONOFOLD_GPU std::uint64_t narrowed_bits(double value) {
  using format = float_format<Real>;
  std::uint64_t near;
  if (narrowed_normal<Real>(value, near)) return near;
  const float_parts from = parts_of(value);
  if (from.kind == number_kind::finite) {
    return float_bits(round_to<Real>(from.negative, from.significand, from.exponent, false));
  }
  const auto special = from.kind == number_kind::nan ? format::quiet_nan : format::infinity;
  return static_cast<typename format::bits>(special | (from.negative ? format::sign_bit : 0));
}

/// A number's bits in the lowest bytes, and where it was found; or why there is none.
struct row_answer {
  std::uint64_t bits;
  std::int64_t index;
  status code;

  MONOFOLD_GPU static row_answer failed(status code) { return {0, -1, code}; }

  // Calls: a kernel has many places where answers are made.

  /// Rounded to nearest, ties to even.
  MONOFOLD_GPU_CALL static row_answer of_real(double value, dtype to) {
    const auto answered = [](std::uint64_t bits) { return row_answer{bits, -1, status::ok}; };
    switch (to) {
      case dtype::float16: return answered(narrowed_bits<float16>(value));
      case dtype::bfloat16: return answered(narrowed_bits<bfloat16>(value));
      case dtype::float32: return answered(narrowed_bits<float>(value));
      default: return answered(bits_as<std::uint64_t>(value));
    }
  }
  /// The same where rows of few items make it much of the time: a number is a float32 by one instruction.
  MONOFOLD_GPU static row_answer of_real_here(double value, dtype to) {
    if (to != dtype::float32 || value != value) return of_real(value, to);
    return {bits_as<std::uint32_t>(static_cast<float>(value)), -1, status::ok};
  }
  /// A number that lies within `ulps` units in the last place of the double `near`, which is normal, rounded once.
  /// False where the middle between two answers does, too, or the answer is wide or no normal number.
  MONOFOLD_GPU static bool of_near(double near, std::uint64_t ulps, dtype to, row_answer& out) {
    out = {0, -1, status::ok};
    switch (to) {
      case dtype::float16: return narrowed_near<float16>(near, ulps, out.bits);
      case dtype::bfloat16: return narrowed_near<bfloat16>(near, ulps, out.bits);
      case dtype::float32: return narrowed_near<float>(near, ulps, out.bits);
      default: return false;
    }
  }
  /// A number that the double `near` is nearest to, rounded once. False where `near` may be the middle between two
  /// answers, which the number may lie on either side of.
  ///
  /// shape      near: normal
  MONOFOLD_GPU static bool of_nearest(double near, dtype to, row_answer& out) {
    if (of_near(near, 1, to, out)) return true;
    out = of_real(near, to);
    if (to == dtype::float64) return true;
    const auto own = bits_as<std::uint64_t>(near);
    return of_real(bits_as<double>(own - 1), to).bits == of_real(bits_as<double>(own + 1), to).bits;
  }
  /// A number by its leading bits, rounded once.
  MONOFOLD_GPU_CALL static row_answer of_leading(bool is_negative,
                                                 const monofold::detail::upper_bits& own,
                                                 dtype to) {
    using monofold::detail::round_bits;
    if (to == dtype::float64) return of_real(round_bits<double>(is_negative, own), to);
    return of_real(round_bits<odd_double>(is_negative, own).value, to);
  }
  /// magnitude / divisor, or the root of that, by a slow way; 0 < divisor < 2^127.
  MONOFOLD_GPU static row_answer of_ratio(const std::uint64_t* limb, int num_limbs, int low,
                                          uint128 divisor, bool is_root, dtype to) {
    const monofold::detail::leading_bits bits =
        monofold::detail::quotient_by_bits(limb, num_limbs, low, divisor);
    if (bits.significand == 0) return of_real(0, to);
    return of_leading(
        false, is_root ? monofold::detail::root_of(bits) : monofold::detail::upper_of(bits), to);
  }
  /// An integer, over `divisor` where that is not 0.
  MONOFOLD_GPU_CALL static row_answer of_integer(int128 value, std::uint64_t divisor, dtype to) {
    const bool is_negative = value < 0;
    const uint128 size =
        is_negative ? uint128{0} - static_cast<uint128>(value) : static_cast<uint128>(value);
    if (to >= dtype::float16) {
      if (size == 0) return of_real(0, to);
      const auto leading = monofold::detail::leading_of(size, 0);
      return of_leading(is_negative,
                        divisor != 0 ? monofold::detail::quotient_of(leading, divisor)
                                     : monofold::detail::upper_of(leading),
                        to);
    }
    const bool is_signed = to >= dtype::int8 && to <= dtype::int64;
    const int bits = to == dtype::boolean
                         ? 1
                         : 8 << (static_cast<int>(to) -
                                 static_cast<int>(is_signed ? dtype::int8 : dtype::uint8));
    const int128 limit = int128{1} << (is_signed ? bits - 1 : bits);
    if (value >= limit || value < (is_signed ? -limit : 0)) {
      return failed(status::integer_overflow);
    }
    return {static_cast<std::uint64_t>(value), -1, status::ok};
  }
};

/// How many items a row has.
MONOFOLD_GPU std::int64_t length_of_row(const row_store& store, std::int64_t row) {
  return store.starts != nullptr ? store.stops[row] - store.starts[row] : store.length;
}

MONOFOLD_GPU void put_answer(const row_store& store, std::int64_t row, const row_answer& own) {
  if (own.code != status::ok) {
    if (store.failed == nullptr) return;  // where the host knows that no row is without an answer
    atomicMax(store.failed, ~(static_cast<unsigned long long>(row) << 4 |
                              static_cast<unsigned long long>(own.code)));
    return;
  }
  if (store.indices != nullptr) store.indices[row] = own.index;
  if (store.values == nullptr) return;
  const auto put = [&]<class Word>(Word bits) { static_cast<Word*>(store.values)[row] = bits; };
  switch (store.value_bytes) {
    case 1: put(static_cast<std::uint8_t>(own.bits)); break;
    case 2: put(static_cast<std::uint16_t>(own.bits)); break;
    case 4: put(static_cast<std::uint32_t>(own.bits)); break;
    default: put(own.bits);
  }
}

/// The second number of a pair, of a floating-point type.
MONOFOLD_GPU void put_second(const row_store& store, std::int64_t row, const row_answer& own) {
  if (store.seconds == nullptr) return;
  const auto put = [&]<class Word>(Word bits) { static_cast<Word*>(store.seconds)[row] = bits; };
  switch (store.value_bytes) {
    case 2: put(static_cast<std::uint16_t>(own.bits)); break;
    case 4: put(static_cast<std::uint32_t>(own.bits)); break;
    default: put(own.bits);
  }
}

/// The place of one row's answer: what is assigned to it is stored.
class row_place {
 public:
  MONOFOLD_GPU row_place(const row_store& store, std::int64_t row) : store_(store), row_(row) {}
  MONOFOLD_GPU const row_place& operator*() const { return *this; }
  MONOFOLD_GPU const row_place& operator=(const row_answer& own) const {
    put_answer(store_, row_, own);
    return *this;
  }
  /// A number of the type that answers have.
  template <class Real>
  MONOFOLD_GPU void put(Real own) const {
    if (store_.values != nullptr) static_cast<Real*>(store_.values)[row_] = own;
  }
  /// The answers of this row and of those behind it, whose bits these are; all or none have 16-bit answers.
  template <int count>
  MONOFOLD_GPU void put_bits(const std::uint32_t (&bits)[count]) const {
    if (store_.values == nullptr) return;
    if (store_.value_bytes == 4) {
      put_words(static_cast<std::uint32_t*>(store_.values) + row_, bits);
    } else {
      static_assert(count % 2 == 0 || count == 1);
      auto* const to = static_cast<std::uint16_t*>(store_.values) + row_;
      if (count > 1 && reinterpret_cast<std::uintptr_t>(to) % 4 == 0) {
        std::uint32_t pairs[(count + 1) / 2];
        MONOFOLD_UNROLL
        for (int i = 0; i < count / 2; ++i) pairs[i] = bits[2 * i] | bits[2 * i + 1] << 16;
        put_words(reinterpret_cast<std::uint32_t*>(to), pairs);
      } else {
        MONOFOLD_UNROLL
        for (int i = 0; i < count; ++i) to[i] = static_cast<std::uint16_t>(bits[i]);
      }
    }
  }
  MONOFOLD_GPU std::int64_t length() const { return length_of_row(store_, row_); }
  MONOFOLD_GPU void put_second(const row_answer& own) const {
    runtime::put_second(store_, row_, own);
  }

 private:
  /// By fours, where they lie at such boundaries.
  template <int count>
  MONOFOLD_GPU static void put_words(std::uint32_t* to, const std::uint32_t (&words)[count]) {
    using monofold::detail::bytes16;
    if (count % 4 == 0 && reinterpret_cast<std::uintptr_t>(to) % sizeof(bytes16) == 0) {
      MONOFOLD_UNROLL
      for (int i = 0; i < count / 4; ++i) {
        reinterpret_cast<bytes16*>(to)[i] = {
            {words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]}};
      }
      return;
    }
    MONOFOLD_UNROLL
    for (int i = 0; i < count; ++i) to[i] = words[i];
  }

  const row_store& store_;
  std::int64_t row_;
};

/// The answer of a row whose sum is a double.
MONOFOLD_GPU void store_double(const row_place& out, const row_answer& own) { *out = own; }

/// Whether a fold mostly stores its answer by `store_wide`.
template <class F>
inline constexpr bool stores_wide_v = false;

/// The sink of one row, for folds with `answer(state, count of items)`.
struct row_sink {
  row_place out;

  template <class F>
  MONOFOLD_GPU void operator()(const F& f, const typename F::state& total) const {
    if constexpr (stores_wide_v<F>) {
      if (store_wide(f, total, out)) return;
    }
    if constexpr (requires { f.needs_length(); }) {
      *out = f.answer(total, f.needs_length() ? out.length() : 0);
    } else if constexpr (requires { f.second(total); }) {
      const row_answer own = f.finish(total);
      *out = own;
      if (own.code == status::ok) out.put_second(f.second(total));
    } else {
      *out = f.finish(total);
    }
  }
};

/// Those of all rows.
struct row_sinks {
  row_store store;
  MONOFOLD_GPU row_sink of(std::int64_t row) const { return {row_place(store, row)}; }
};

}  // namespace monofold::runtime

namespace monofold::detail {

/// Sums that need no state to be answered are handed on without one.
template <>
inline constexpr bool is_answer_sink_v<runtime::row_sink> = true;

}  // namespace monofold::detail
