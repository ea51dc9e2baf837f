#pragma once
/// fold/exact/moments_sweep: adds items and their squares to exact sums in one pass, where bins hold both.

#include <bit>
#include <cstdint>
#include <type_traits>

#include "monofold/fold/exact/accumulator.hpp"
#include "monofold/fold/exact/bin_plan.hpp"
#include "monofold/fold/exact/bin_vectors.hpp"
#include "monofold/fold/exact/sweep.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/exact/verified_sweep.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

namespace monofold::detail {

/// Exact sums of items and of their squares that are still taking runs.
template <class Item>
struct moments_accumulator {
  exact_accumulator<value_term<Item>> values;
  exact_accumulator<square_term<Item>> squares;
  // What takes both in one pass.
  kept_bins value_bins;
  kept_bins square_bins;
  int misfits = 0;      // blocks, one after the other, that no bins held
  int unseen_runs = 0;  // that are not tried in one pass, since there were many

  // Written out: a default one would begin by clearing all of the tables.
  moments_accumulator() {
    values.state = zero_state<exact_sum_number<Item>>();
    squares.state = zero_state<exact_product_number<Item, Item>>();
  }

  exact_state<exact_sum_number<Item>> value_total() const {
    exact_state<exact_sum_number<Item>> out = values.total();
    value_bins.add_to(out.sum);
    return out;
  }
  exact_product_number<Item, Item> square_total() const {
    exact_product_number<Item, Item> out = squares.total().sum;
    square_bins.add_to(out);
    return out;
  }
};

#if defined(MONOFOLD_EXACT_X86)

/// Adds blocks in one pass as long as a few bins hold them, and says how many items they were.
///
/// The range of a block's items is known when it was deposited: where it does not fit, nothing of it is
/// kept, and the bins move if they then hold it.
template <int bytes, class Item>
class moments_sweep {
  using value = value_term<Item>;
  using square_of = square_term<Item>;
  using real = typename lanes<bytes>::real;
  static constexpr int parts = parts_of_term<sweep_kind::squares, Item>;
  static constexpr int depth[2] = {swept_term<value>::bins.few, swept_term<square_of>::bins.few};
  static constexpr bool wide = sizeof(Item) == 8;
  // Vectors a bin, to hide the latency of additions: as many as there are registers for.
  static constexpr int num = bytes < 64 ? (wide ? 1 : 2) : sizeof(Item) == 4 ? 4 : 2;
  static constexpr int in_bin = num * bytes / 8;
  static constexpr int line = line_items<Item>;
  static constexpr int in_line = line * 8 / bytes;  // vectors of doubles
  static constexpr bool verified = is_verified<Item>(depth[1], bytes);
  static constexpr bool grouped = has_square_groups<Item>(bytes);
  static constexpr int scale = grouped ? 0 : sweep_scale<Item>;  // groups are of converted items
  // What a lane takes of a block. Fewer leave the bins more bits: doubles need them, whose squares have 106.
  static constexpr int deposits = most_deposits / (bytes < 64 || sizeof(Item) == 2 ? 1
                                                   : wide                          ? 4
                                                                                   : 2);
  static constexpr int headroom = std::bit_width(static_cast<unsigned>(deposits)) + 1;
  static constexpr int block = deposits * num * bytes / 8;
  static_assert(block % line == 0);

 public:
  MONOFOLD_INLINE static std::int64_t add(moments_accumulator<Item>& own, const Item* items,
                                          std::int64_t count) {
    if (own.value_bins.bins == 0) {
      set_bins(own, holds_all ? highest : guessed_exponent<value>(items, count, highest, verified));
    } else if (own.value_bins.lanes != in_bin || own.value_bins.scale != scale) {
      // Another instruction set had them, or another compiler's code.
      set_bins(own, own.value_bins.max_exponent + own.value_bins.scale);
    }
    [[maybe_unused]] const block_flags flags;
    std::int64_t done = 0;
    while (count - done >= line) {
      const std::int64_t left = count - done;
      const int n = left < block ? static_cast<int>(left / line * line) : block;
      if (!add_block(own, items + done, n, flags)) {
        if (++own.misfits > 2) own.unseen_runs = 7;
        break;
      }
      own.misfits = 0;
      done += n;
    }
    return done;
  }

 private:
  static constexpr bool holds_all = swept_term<value>::bins.full == depth[0];
  static constexpr int highest = wide ? highest_exponent / 2 : float_format<Item>::max_exponent;
  // Where flags verify, bins may stand below the largest item: they end in their binades if most squares are smaller.
  static constexpr int least_slack = verified ? -2 : 0;
  using block_flags = flags_of<verified || grouped>;

  /// Bins for items below 2^max_exponent.
  __attribute__((noinline)) static void set_bins(moments_accumulator<Item>& own, int max_exponent) {
    own.value_bins.add_to(own.values.state.sum);
    own.square_bins.add_to(own.squares.state.sum);
    own.value_bins.set_bins(depth[0], in_bin, max_exponent - scale, scale, headroom, 1);
    own.square_bins.set_bins(depth[1], in_bin, 2 * max_exponent, 0, headroom, parts);
  }
  /// Whether bins are set now that hold such a block.
  static bool move(moments_accumulator<Item>& own, const block_range& range) {
    if (holds_all) return false;
    const exponent_range e = exponents_of<Item>(range.most, range.least);
    constexpr auto reach = [](int bins) { return reach_of(headroom, bins); };
    const int value_slack = e.last - reach(depth[0]) - e.max_exponent;
    const int square_slack =
        range_of_terms<square_of>(e).last - reach(depth[1] / parts) - 2 * e.max_exponent;
    const int spare = square_slack >> 1;
    const int slack = value_slack < spare ? value_slack : spare;
    if (value_slack < 0 || slack < least_slack || e.max_exponent > highest) return false;
    const int above = e.max_exponent + (slack < 0 ? slack : room_above(slack));
    set_bins(own, above < highest ? above : highest);
    return true;
  }
  /// Keeps a block whose items are in bins.
  template <class First, class Second>
  MONOFOLD_INLINE static bool keep(moments_accumulator<Item>& own, const Item* items, int count,
                                   bool may_have_minus_zero, const First& first,
                                   const Second& second) {
    kept_bins& v = own.value_bins;
    kept_bins& s = own.square_bins;
    exact_counts& counts = own.values.state.counts;
    counts.items += count;
    if (may_have_minus_zero) counts.minus_zeros += minus_zeros_of<bytes>(items, count).count;
    first.keep(v);
    second.keep(s);
    if (++v.blocks == kept_bins::most_blocks) v.empty(own.values.state.sum);
    if (++s.blocks == kept_bins::most_blocks) s.empty(own.squares.state.sum);
    return true;
  }
  MONOFOLD_INLINE static bool add_block(moments_accumulator<Item>& own, const Item* items,
                                        int count, const block_flags& flags) {
    kept_bins& v = own.value_bins;
    kept_bins& s = own.square_bins;
    if constexpr (grouped) {
      if (s.tries.next()) {
        flags.clear();  // other ways of blocks before may have rounded
        bin_vectors<bytes, 1, num> first(v);
        bin_vectors<bytes, 2, num> second(s);
        const bool may_have_minus_zero =
            sweep_square_groups<bytes, true>(items, count, second.m, first.m[0]);
        if (first.count_units(flags, v) && second.count_units(flags, s) && !flags.any()) {
          s.tries.succeeded();
          return keep(own, items, count, may_have_minus_zero, first, second);
        }
      }
    }
    for (bool moved = false;; moved = true) {
      bin_vectors<bytes, depth[0], num> first(v);
      bin_vectors<bytes, depth[1], num> second(s);
      block_range range = sweep_both(items, count, first.m, second.m);
      bool fits = false;
      if constexpr (verified) {
        fits = first.count_units(flags, v) && second.count_units(flags, s) && !flags.any();
        if (!fits) {
          range = range_of<bytes>(items, count);
          flags.clear();
        }
      } else {
        fits = holds<value>(v, range) && holds<square_of>(s, range);
      }
      if (fits) return keep(own, items, count, range.may_have_minus_zero, first, second);
      if (moved || range.most >= infinite_size<Item> || !move(own, range)) return false;
    }
  }

  MONOFOLD_INLINE static block_range sweep_both(const Item* items, int count,
                                                real (&first)[depth[0]][num],
                                                real (&second)[depth[1]][num]) {
    real v[depth[0]][num], s[depth[1]][num];
    std::memcpy(v, first, sizeof(v));
    std::memcpy(s, second, sizeof(s));
    range_lanes<bytes, Item, !verified && !std::is_same_v<Item, float16>, true> range;
    real one = real{} + 1.0;
    keep_rounded(one);
    const auto take = [&](const Item* at, auto first_vector) __attribute__((always_inline)) {
      prefetch(at, page_bytes);
      widen<bytes, false>(
          at, range, [&](auto j, const real& x) __attribute__((always_inline)) {
            MONOFOLD_AS_WRITTEN
            constexpr int a = (first_vector + j) % num;
            if constexpr (verified) {
              if constexpr (wide) {
                deposit_verified<2, 0, a, true>(v, x, one);
              } else {
                v[0][a] += x;
              }
              deposit_square_verified<depth[1], a, Item>(s, x, one);
            } else if constexpr (wide) {
              deposit_in_two<bytes>(v[0][a], v[1][a], x, one);
              real p = x, rest = {};
              square<bytes, sweep_kind::squares, Item>(p, rest);
              deposit_in_two<bytes>(s[0][a], s[1][a], p, one);
              deposit_in_two<bytes>(s[2][a], s[3][a], rest, one);
            } else {
              real y = x;
              if constexpr (sweep_scale<Item> != 0) y *= unmoved<Item>;
              v[0][a] += scale == 0 ? y : x;
              deposit_product<bytes>(s[0][a], s[1][a], y, y);
            }
          });
    };
    constexpr int lines = num > in_line ? num / in_line : 1;  // that fill the vectors
    int done = 0;
    for (; done + lines * line <= count; done += lines * line) {
      unrolled<lines>([&](auto l) __attribute__((always_inline)) {
        take(items + done + l * line, std::integral_constant<int, l * in_line>{});
      });
    }
    for (; done < count; done += line) take(items + done, std::integral_constant<int, 0>{});
    std::memcpy(first, v, sizeof(v));
    std::memcpy(second, s, sizeof(s));
    if constexpr (verified) {
      block_range out;
      out.may_have_minus_zero = range.may_have_minus_zero();
      return out;
    }
    return range.range();
  }
};

template <class Item>
__attribute__((target("avx2,fma,bmi2"), noinline)) std::int64_t add_moments_avx2(
    moments_accumulator<Item>& own, const Item* items, std::int64_t count) {
  return moments_sweep<32, Item>::add(own, items, count);
}
template <class Item>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2"), noinline)) std::int64_t
add_moments_avx512(moments_accumulator<Item>& own, const Item* items, std::int64_t count) {
  return moments_sweep<64, Item>::add(own, items, count);
}

#endif

/// The items that were added in one pass.
template <class Item>
MONOFOLD_INLINE std::int64_t add_in_one_pass([[maybe_unused]] moments_accumulator<Item>& own,
                                             [[maybe_unused]] const Item* items,
                                             [[maybe_unused]] std::int64_t count) {
#if defined(MONOFOLD_EXACT_X86)
  if (own.unseen_runs > 0) {
    --own.unseen_runs;
    return 0;
  }
  const strict_arithmetic arithmetic;
  switch (instruction_set_in_use()) {
    case instruction_set::avx512: return add_moments_avx512(own, items, count);
    case instruction_set::avx2: return add_moments_avx2(own, items, count);
    case instruction_set::baseline: break;
  }
#endif
  return 0;
}

}  // namespace monofold::detail
