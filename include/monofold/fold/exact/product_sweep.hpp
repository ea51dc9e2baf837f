#pragma once
/// fold/exact/product_sweep: adds products to an exact sum in one pass, where a few bins hold them.

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "monofold/fold/exact/bin_plan.hpp"
#include "monofold/fold/exact/bin_vectors.hpp"
#include "monofold/fold/exact/product_parts.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/sweep.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)

namespace monofold::detail {

/// Bins for products, and whether they do for the data.
struct product_bins {
  kept_bins kept;
  int misfits = 0;        // blocks, one after the other, that no bins held
  int unseen_blocks = 0;  // that are not tried in one pass, since there were many
};

/// A second look at a block of products, of which some may be -0: how many, and as in `block_range` the smallest.
struct zero_products {
  std::int64_t minus_zeros;
  std::uint64_t least;
  bool any_small;  // of factors that are not 0, so that its rest may be none
};

/// Pairs of float16, by their bits: their sums need no range.
template <int bytes>
MONOFOLD_INLINE zero_products find_zero_products(const item_pair<float16, float16>* pairs,
                                                 int count) {
  using words = typename lanes<bytes>::half_bits;
  using halves = typename lanes<bytes>::quarter_bits;
  words found = {};
  for (int done = 0; done < count; done += bytes / 4) {
    words both;
    std::memcpy(&both, pairs + done, sizeof(both));
    // NOLINTBEGIN: the bits, and all of a half where it is 0
    const auto zeros = (words)((halves)(both & 0x7fff7fff) == 0);
    found += ((zeros | zeros << 16) & (both ^ both << 16)) >> 31;
    // NOLINTEND
  }
  zero_products out{0, 0, false};
  for (int l = 0; l < bytes / 4; ++l) out.minus_zeros += found[l];
  return out;
}
template <int bytes, class Pair>
MONOFOLD_INLINE zero_products find_zero_products(const Pair* pairs, int count) {
  using loader = pair_loader<bytes, Pair>;
  using real = typename lanes<bytes>::real;
  using whole = typename lanes<bytes>::whole;
  using range_type = range_lanes<bytes, double, true, false>;
  constexpr std::int64_t minus_zero = std::numeric_limits<std::int64_t>::min();
  factor_range<bytes> factors;
  range_type range;
  whole found = {}, small = {};
  for (int done = 0; done < count; done += loader::group) {
    loader::load(
        pairs + done, factors, [&](const real& x, const real& y) __attribute__((always_inline)) {
          MONOFOLD_AS_WRITTEN
          real p = x * y;
          keep_rounded(p);
          // NOLINTBEGIN: the bits, and -1 where it is so
          range.note((typename range_type::words)p);
          found -= (whole)((whole)p == minus_zero);
          if constexpr (pair_products<Pair>::parts == 2) {
            const real size = (real)((whole)p & ~minus_zero);
            small |= (whole)(size < 0x1p-960) & (whole)(x != 0) & (whole)(y != 0);
          }
          // NOLINTEND
        });
  }
  zero_products out{0, range.range().least, false};
  for (int l = 0; l < bytes / 8; ++l) {
    out.minus_zeros += found[l];
    out.any_small |= small[l] != 0;
  }
  return out;
}

// In a function of its own: beside a loop of vectors it would take its registers.
#if defined(__x86_64__) && !defined(__CUDACC__)
template <class Pair>
__attribute__((target("avx2,fma,bmi2"), noinline)) zero_products zero_products_of(const Pair* pairs,
                                                                                  int count) {
  return find_zero_products<32>(pairs, count);
}
#else
template <class Pair>
__attribute__((noinline)) zero_products zero_products_of(const Pair* pairs, int count) {
  return find_zero_products<16>(pairs, count);
}
#endif

/// Adds blocks in one pass as long as a few bins hold them, and says how many pairs they were.
///
/// The range of a block's products is known when it was deposited: where it does not fit, nothing of it is
/// kept, and the bins move if they then hold it. A product of magnitude 2^e or more of numbers with l and
/// r significant bits is a multiple of 2^(e - l - r + 1).
template <int bytes, class Pair>
class product_sweep {
  using products = pair_products<Pair>;
  using loader = pair_loader<bytes, Pair>;
  using real = typename lanes<bytes>::real;
  using longs = typename lanes<bytes>::bits;
  static constexpr int parts = products::parts;
  static constexpr int bins = 2 * parts;

 public:
  // Vectors a bin: where additions a pair are few, their latency counts.
  static constexpr int num = parts == 2 ? 1 : 2;

 private:
  static constexpr int block = most_deposits * num * bytes / 8;
  static constexpr int turn = 2 * num * bytes / 8;
  static constexpr int highest = parts == 2 ? highest_exponent : products::max_exponent;
  // All products of two float16.
  static constexpr bool holds_all =
      highest + reach_of(least_headroom, 2) <= products::least_exponent;
  static_assert(block % turn == 0 && turn % loader::group == 0);

 public:
  /// Bins for a run, where none of these stand.
  template <class Number>
  MONOFOLD_INLINE static void begin(exact_state<Number>& own, kept_bins& kept) {
    if (kept.bins == 0) {
      set_bins(own, kept, holds_all ? highest : 3);
    } else if (kept.lanes != num * bytes / 8) {
      set_bins(own, kept, kept.max_exponent);  // another instruction set had them
    }
  }
  template <class Number>
  MONOFOLD_INLINE static std::int64_t add(exact_state<Number>& own, product_bins& to,
                                          const Pair* pairs, std::int64_t count) {
    if (to.unseen_blocks > 0) {
      --to.unseen_blocks;
      return 0;
    }
    begin(own, to.kept);
    std::int64_t done = 0;
    while (count - done >= turn) {
      const std::int64_t left = count - done;
      const int n = left < block ? static_cast<int>(left / turn * turn) : block;
      if (!add_block(own, to.kept, pairs + done, n)) {
        if (++to.misfits > 2) to.unseen_blocks = 7;
        break;
      }
      to.misfits = 0;
      done += n;
    }
    return done;
  }

 private:
  /// Bins for products below 2^max_exponent.
  template <class Number>
  __attribute__((noinline)) static void set_bins(exact_state<Number>& own, kept_bins& kept,
                                                 int max_exponent) {
    kept.add_to(own.sum);
    kept.set_bins(bins, num * bytes / 8, max_exponent, 0, least_headroom, parts);
  }

  struct found {
    block_range range;
    bool any_special = false;
  };

  template <class Number>
  MONOFOLD_INLINE static bool add_block(exact_state<Number>& own, kept_bins& kept,
                                        const Pair* pairs, int count) {
    for (bool moved = false;; moved = true) {
      bin_vectors<bytes, bins, num> sums(kept);
      found seen = sweep_products(pairs, count, sums.m);
      if (seen.any_special || seen.range.most >= infinite_size<double>) return false;
      std::int64_t minus_zeros = 0;
      if (seen.range.may_have_minus_zero) {
        const zero_products zeros = zero_products_of(pairs, count);
        if (parts == 2 && zeros.any_small) return false;
        minus_zeros = zeros.minus_zeros;
        seen.range.least = zeros.least;
      }
      if (!holds_all) {
        exponent_range e = exponents_of<double>(seen.range.most, seen.range.least);
        e.last += products::zero_bits;
        if (parts == 2 && e.last < float_format<double>::least_exponent + 53) return false;
        if (e.max_exponent > kept.max_exponent || e.last < unit_of_bin(kept.exponent(1))) {
          const int slack = e.last - reach_of(least_headroom, 2) - e.max_exponent;
          if (moved || slack < 0 || e.max_exponent > highest) return false;
          set_bins(own, kept,
                   e.max_exponent + room_above(slack) < highest ? e.max_exponent + room_above(slack)
                                                                : highest);
          continue;
        }
      }
      own.counts.minus_zeros += minus_zeros;
      own.counts.items += count;
      sums.keep(kept);
      if (++kept.blocks == kept_bins::most_blocks) kept.empty(own.sum);
      return true;
    }
  }

  MONOFOLD_INLINE static found sweep_products(const Pair* pairs, int count,
                                              real (&sums)[bins][num]) {
    real m[bins][num];
    std::memcpy(m, sums, sizeof(m));
    lanes_of_range<bytes, double, true, parts == 1> range;
    longs zeros = {};
    factor_range<bytes> factors;
    real one = real{} + 1.0;
    keep_rounded(one);
    for (int done = 0; done < count; done += turn) {
      int next = 0;  // known to the compiler: all is inlined
      const auto take = [&](const real& x, const real& y) __attribute__((always_inline)) {
        MONOFOLD_AS_WRITTEN
        const int a = next++ % num;
        if constexpr (!holds_all) {
          real p = x * y;
          keep_rounded(p);
          range.note((typename decltype(range)::words)p);  // NOLINT: the bits, as in the next
          if constexpr (parts == 2) {
            zeros |= ((longs)p & (~std::uint64_t{0} >> 1)) - 1;  // NOLINT
            real rest = {};
            multiply_subtract<bytes>(x, y, p, rest);
            deposit_in_two<bytes>(m[0][a], m[1][a], p, one);
            deposit_in_two<bytes>(m[2][a], m[3][a], rest, one);
          }
        }
        if constexpr (parts == 1) deposit_product<bytes>(m[0][a], m[1][a], x, y);
      };
      unrolled<turn / loader::group>([&](auto g) __attribute__((always_inline)) {
        const Pair* const at = pairs + done + g * loader::group;
        prefetch(at, page_bytes);
        loader::load(at, factors, take);
      });
    }
    std::memcpy(sums, m, sizeof(m));
    found out{range.range(), factors.any_from(loader::infinity)};
    if constexpr (holds_all) {
      out.range.may_have_minus_zero = factors.any_zero();
    } else if constexpr (parts == 2) {
      std::uint64_t any_zero = 0;
      for (int l = 0; l < bytes / 8; ++l) any_zero |= zeros[l];
      out.range.may_have_minus_zero = any_zero >> 63 != 0;
    }
    return out;
  }
};

/// A run of products: as many as can be in one pass, the others in blocks by their parts.
///
/// order      exact: any
/// sync       the arithmetic must be that of IEEE 754 (platform/strict_arithmetic)
template <int bytes, bool fused, class Pair, class Number>
MONOFOLD_INLINE void sweep_run_of_products(exact_state<Number>& own, product_bins& bins,
                                           part_accumulator<Number>* parts, const Pair* pairs,
                                           std::int64_t count) {
  for (std::int64_t at = 0; at < count;) {
    if constexpr (fused && pair_products<Pair>::fit) {
      at += product_sweep<bytes, Pair>::add(own, bins, pairs + at, count - at);
    }
    const std::int64_t left = count - at;
    const std::int64_t n = fused && left > product_block ? product_block : left;
    if (n > 0) add_products<bytes, fused>(own, parts, pairs + at, n);
    at += n;
  }
}

}  // namespace monofold::detail

#endif
