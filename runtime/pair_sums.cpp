#include "runtime/pair_sums.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "monofold/fold/exact/anchored_sums.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/instruction_set.hpp"

namespace monofold::runtime {

namespace {

constexpr std::int64_t least_in_lanes = 16;  // items of a row

constexpr std::int64_t padded(std::int64_t num_rows) { return (num_rows + 7) / 8 * 8; }

}  // namespace

pair_sums::pair_sums(std::int64_t num_rows)
    : high_(static_cast<std::size_t>(padded(num_rows))), low_(high_.size()), size_(high_.size()) {}

#if defined(MONOFOLD_EXACT_X86)

namespace {

using monofold::detail::add_with_rest;
using monofold::detail::lanes;

/// The next numbers as doubles; 0 where there are none.
template <int bytes>
MONOFOLD_INLINE void load_numbers(const double* from, std::int64_t count,
                                  typename lanes<bytes>::real& out) {
  monofold::detail::load_doubles(from, count, 0, out);
}
template <int bytes>
MONOFOLD_INLINE void load_numbers(const float* from, std::int64_t count,
                                  typename lanes<bytes>::real& out) {
  if (count == bytes / 8) return monofold::detail::half_of_floats<bytes>(from, 0, out);
  out = typename lanes<bytes>::real{};
  for (std::int64_t l = 0; l < count; ++l) out[l] = from[l];
}

/// Where the sums of all rows are.
struct sum_arrays {
  double* high;
  double* low;
  double* size;
};

/// Sums of products in lanes.
template <int bytes>
struct product_lanes {
  using real = typename lanes<bytes>::real;
  using whole = typename lanes<bytes>::whole;
  static constexpr int width = bytes / 8;

  real high;
  real low;
  real size;

  MONOFOLD_INLINE void load(const sum_arrays& from, std::int64_t row) {
    std::memcpy(&high, from.high + row, bytes);
    std::memcpy(&low, from.low + row, bytes);
    std::memcpy(&size, from.size + row, bytes);
  }
  MONOFOLD_INLINE void store(const sum_arrays& to, std::int64_t row) const {
    std::memcpy(to.high + row, &high, bytes);
    std::memcpy(to.low + row, &low, bytes);
    std::memcpy(to.size + row, &size, bytes);
  }
  /// Adds the products of `count` neighbours.
  template <class Item>
  MONOFOLD_INLINE void add(const Item* left, const Item* right, std::int64_t count) {
    real x, y;
    load_numbers<bytes>(left, count, x);
    load_numbers<bytes>(right, count, y);
    add_products<Item>(x, y);
  }
  /// The same of numbers that are such items. Products of floats are doubles.
  template <class Item>
  MONOFOLD_INLINE void add_products(const real& x, const real& y) {
    real p = x * y;
    monofold::detail::keep_rounded(p);
    real rest;
    add_with_rest(high, p, high, rest);
    if constexpr (sizeof(Item) == 8) {
      real rest_of_product;
      monofold::detail::multiply_subtract<bytes>(x, y, p, rest_of_product);
      rest += rest_of_product;
    }
    low += rest;
    size += (real)((whole)p & INT64_MAX);  // NOLINT: the bits
  }
  MONOFOLD_INLINE void join(const product_lanes& other) {
    real rest;
    add_with_rest(high, other.high, high, rest);
    low += other.low + rest;
    size += other.size;
  }
  /// The sum of all lanes goes to one row.
  MONOFOLD_INLINE void join_lanes(const sum_arrays& to, std::int64_t row) const {
    if constexpr (bytes == 8) {
      store(to, row);
    } else {
      double highs[width], lows[width], sizes[width];
      const sum_arrays own{highs, lows, sizes};
      store(own, 0);
      product_lanes<bytes / 2> one, other;
      one.load(own, 0);
      other.load(own, width / 2);
      one.join(other);
      one.join_lanes(to, row);
    }
  }
};

template <class Item>
struct column_work {
  const factors<Item>& from;
  std::int64_t count;
  std::int64_t width;
  const sum_arrays& all;

  template <int bytes>
  MONOFOLD_INLINE void run() const {
    // Items of a row, for which sums are loaded and stored once.
    constexpr std::int64_t together = 4;
    constexpr std::int64_t in_vector = bytes / 8;
    for (std::int64_t i = 0; i < count; i += together) {
      const std::int64_t n = std::min(together, count - i);
      const Item* const left = from.left + i * from.left_step;
      const Item* const right = from.right + i * from.right_step;
      for (std::int64_t c = 0; c < width; c += in_vector) {
        product_lanes<bytes> sums;
        sums.load(all, c);
        const auto take = [&](std::int64_t k, std::int64_t here) __attribute__((always_inline)) {
          sums.add(left + k * from.left_step + c, right + k * from.right_step + c, here);
        };
        if (c + in_vector > width) {
          for (std::int64_t k = 0; k < n; ++k) take(k, width - c);
        } else if (n == together) {
          for (std::int64_t k = 0; k < together; ++k) take(k, in_vector);
        } else {
          for (std::int64_t k = 0; k < n; ++k) take(k, in_vector);
        }
        sums.store(all, c);
      }
    }
  }
};

template <class Item>
struct row_work {
  const factors<Item>& from;
  std::int64_t count;
  std::int64_t length;
  const sum_arrays& all;

  template <int bytes>
  MONOFOLD_INLINE void run() const {
    if (length < least_in_lanes) return take_together();
    for (std::int64_t r = 0; r < count; ++r) take_row<bytes>(r);
  }

 private:
  const Item* left(std::int64_t row) const { return from.left + row * from.left_step; }
  const Item* right(std::int64_t row) const { return from.right + row * from.right_step; }

  template <int bytes>
  MONOFOLD_INLINE void take_row(std::int64_t row) const {
    constexpr std::int64_t in_vector = bytes / 8;
    const Item* const x = left(row);
    const Item* const y = right(row);
    product_lanes<bytes> sums{}, others{};
    std::int64_t i = 0;
    for (; i + 2 * in_vector <= length; i += 2 * in_vector) {
      sums.add(x + i, y + i, in_vector);
      others.add(x + i + in_vector, y + i + in_vector, in_vector);
    }
    for (; i < length; i += in_vector) sums.add(x + i, y + i, std::min(in_vector, length - i));
    sums.join(others);
    sums.join_lanes(all, row);
  }
  /// Rows that would leave most lanes of a vector empty: a row a lane.
  MONOFOLD_INLINE void take_together() const {
    // As a vector of 32 bytes takes: bringing eight together takes longer.
    constexpr int together = 4;
    using sums_of_rows = product_lanes<8 * together>;
    for (std::int64_t r = 0; r < count; r += together) {
      const Item* x[together];
      const Item* y[together];
      for (int k = 0; k < together; ++k) {
        x[k] = left(std::min(r + k, count - 1));
        y[k] = right(std::min(r + k, count - 1));
      }
      sums_of_rows sums{};
      for (std::int64_t i = 0; i < length; ++i) {
        const typename sums_of_rows::real next_x = {x[0][i], x[1][i], x[2][i], x[3][i]};
        const typename sums_of_rows::real next_y = {y[0][i], y[1][i], y[2][i], y[3][i]};
        sums.template add_products<Item>(next_x, next_y);
      }
      sums.store(all, r);
    }
  }
};

template <class Real>
struct finish_work {
  std::int64_t count;
  double
      per_size;  // the bound of what roundings of `low` have lost, of the quotient, for the sum of magnitudes
  double at_least;  // what products below the smallest numbers may lack
  double divisor;
  const sum_arrays& all;
  Real* out;

  template <int bytes>
  MONOFOLD_INLINE void run() const {
    using real = typename lanes<bytes>::real;
    using whole = typename lanes<bytes>::whole;
    for (std::int64_t c = 0; c < count; c += bytes / 8) {
      product_lanes<bytes> sums;
      sums.load(all, c);
      real high = sums.high, rest = sums.low;
      if (divisor != 1) {  // the sum is divisor * high + rest of that quotient
        const real one = real{} + divisor;
        high = sums.high / one;
        real back;
        monofold::detail::multiply_subtract<bytes>(high, one, sums.high, back);
        rest = (sums.low - back) / one;
      }
      const real magnitude = (real)((whole)rest & INT64_MAX);  // NOLINT: the bits
      // What roundings from here on lose of the rest is counted too.
      const real doubt = sums.size * per_size + magnitude * 0x1p-50 + at_least;
      const real least = high + (rest - doubt);
      const real most = high + (rest + doubt);
      if constexpr (sizeof(Real) == 8) {
        store_known<whole>(least, most, out + c);
      } else {
        // The sum lies between the neighbours of both.
        const real below = least - (real)((whole)least & INT64_MAX) * 0x1p-52;  // NOLINT: the bits
        const real above = most + (real)((whole)most & INT64_MAX) * 0x1p-52;    // NOLINT
        using floats = typename lanes<bytes>::floats;
        typedef std::int32_t half __attribute__((vector_size(bytes / 2), may_alias));
        store_known<half>(__builtin_convertvector(below, floats),
                          __builtin_convertvector(above, floats), out + c);
      }
    }
  }

 private:
  /// Stores what both are, and NaN where they are not the same: of a sum around 0 they have two signs. The difference of
  /// infinities is NaN, which is not 0.
  template <class Whole, class Vector>
  MONOFOLD_INLINE static void store_known(const Vector& least, const Vector& most, Real* to) {
    // NOLINTNEXTLINE: the bits
    const Whole is_known = (most - least == Real{0}) & ((Whole)least == (Whole)most);
    const Whole found = (Whole)least | ~is_known;  // NOLINT
    std::memcpy(to, &found, sizeof(found));
  }
};

}  // namespace

bool pair_sums::can_run() { return instruction_set_in_use() != instruction_set::baseline; }

template <class Item>
void pair_sums::add(const factors<Item>& from, std::int64_t count, std::int64_t width) {
  const sum_arrays all{high_.data(), low_.data(), size_.data()};
  monofold::detail::run_by_vectors(column_work<Item>{from, count, width, all});
}

template <class Item>
void pair_sums::take(const factors<Item>& from, std::int64_t count, std::int64_t length) {
  const sum_arrays all{high_.data(), low_.data(), size_.data()};
  monofold::detail::run_by_vectors(row_work<Item>{from, count, length, all});
}

template <class Real>
void pair_sums::finish(std::int64_t count, std::int64_t items, std::int64_t divisor, Real* out) {
  const sum_arrays all{high_.data(), low_.data(), size_.data()};
  // Each of the `items` + 16 additions to `low`, of numbers that together are at most `items` + 16 halves of a unit of
  // `size`, rounds by half a unit at most. Twice that, for the roundings of `size` itself.
  const auto additions = static_cast<double>(items + 16);
  const auto over = static_cast<double>(divisor);
  const double least_units = static_cast<double>(items) * 0x1p-1073;
  monofold::detail::run_by_vectors(finish_work<Real>{count, additions * additions * 0x1p-105 / over,
                                                     least_units, over, all, out});
}

#else

bool pair_sums::can_run() { return false; }
template <class Item>
void pair_sums::add(const factors<Item>&, std::int64_t, std::int64_t) {}
template <class Item>
void pair_sums::take(const factors<Item>&, std::int64_t, std::int64_t) {}
template <class Real>
void pair_sums::finish(std::int64_t, std::int64_t, std::int64_t, Real*) {}

#endif

template void pair_sums::add(const factors<float>&, std::int64_t, std::int64_t);
template void pair_sums::add(const factors<double>&, std::int64_t, std::int64_t);
template void pair_sums::take(const factors<float>&, std::int64_t, std::int64_t);
template void pair_sums::take(const factors<double>&, std::int64_t, std::int64_t);
template void pair_sums::finish(std::int64_t, std::int64_t, std::int64_t, float*);
template void pair_sums::finish(std::int64_t, std::int64_t, std::int64_t, double*);

void pair_sums::clear(std::int64_t width) {
  for (double* const part : {high_.data(), low_.data(), size_.data()}) {
    std::fill_n(part, padded(width), 0.0);
  }
}

}  // namespace monofold::runtime
