#pragma once
/// fold/exact/level_run: adds blocks of a run to kept levels, and finds the levels that fit.

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/fold/exact/anchors.hpp"
#include "monofold/fold/exact/digits_run.hpp"
#include "monofold/fold/exact/exponent_table.hpp"
#include "monofold/fold/exact/kept_levels.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/sweep.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)

namespace monofold::detail {

/// So many levels hold every finite item of a type, whatever its exponent: 278 bits, 262 and 41.
/// There is no such number of doubles, which have a table.
template <class Item>
inline constexpr int full_levels = 0;
template <>
inline constexpr int full_levels<float> = 7;
template <>
inline constexpr int full_levels<bfloat16> = 6;
template <>
inline constexpr int full_levels<float16> = 1;

/// Items of a block. 16 KiB, half of a first-level cache, make little of what a block costs besides;
/// where many levels are needed, fewer deposits leave them more bits.
template <int bytes, class Item>
constexpr int sweep_block(int levels) {
  if (sizeof(Item) == 8 || levels == 1) {
    return sweep_streams * sweep_part / static_cast<int>(sizeof(Item));
  }
  return levels <= 4 ? 1024 : 16 * bytes;
}

/// fold/exact/anchors: a lane's deposits are fewer than 2^(headroom - 1).
template <int bytes, class Item>
constexpr int sweep_headroom(int levels) {
  const int deposits = sweep_block<bytes, Item>(levels) / sweep_lanes(levels, bytes);
  return static_cast<int>(std::bit_width(static_cast<unsigned>(deposits))) + 1;
}

/// The exponents of what a block has: every |x| < 2^top, and a multiple of 2^last.
struct exponent_range {
  int top;
  int last;
};

/// How far below `top` so many levels reach: the unit of the last one.
template <int bytes, class Item>
constexpr int sweep_reach(int levels) {
  const int room = sweep_headroom<bytes, Item>(levels);
  return room - (levels - 1) * (53 - room) - 52;
}

template <class Item>
MONOFOLD_INLINE exponent_range exponents_of(std::uint64_t most, std::uint64_t least) {
  using format = float_format<Item>;
  const auto field = static_cast<int>(most >> format::fraction_bits);
  const auto low = static_cast<int>(least >> format::fraction_bits);
  return {format::least_exponent + format::precision + (field > 0 ? field - 1 : 0),
          format::least_exponent + (low > 0 ? low - 1 : 0)};
}

/// A run of values or magnitudes: what was added but is not in the sum yet.
template <int bytes, class Term>
class level_run {
  using item = typename Term::item;
  using number = typename Term::number;

 public:
  MONOFOLD_INLINE level_run(exact_state<number>& own, kept_levels& kept,
                            exponent_table<item>& table)
      : own_(own), kept_(kept), table_(table) {}

  /// order      exact: any
  /// sync       the arithmetic must be that of IEEE 754 (platform/strict_arithmetic)
  MONOFOLD_INLINE void add(const item* items, std::int64_t count) {
    constexpr int line = line_items<item>;
    if (kept_.levels == 0) stand(least_levels_of_type, first_top);
    const std::int64_t whole = count / line * line;
    item tail[line];
    const int rest = static_cast<int>(count - whole);
    if (rest != 0) {
      std::memset(tail, 0, sizeof(tail));
      std::memcpy(tail, items + whole, static_cast<std::size_t>(rest) * sizeof(item));
    }
    // The tail takes its turn in the same loop, which is large.
    const item* at = items;
    const item* end = items + whole;
    std::int64_t real = whole;  // of the items left, those that are not padding
    for (bool in_tail = false;;) {
      if (at == end) {
        if (in_tail || rest == 0) break;
        in_tail = true;
        at = tail;
        end = tail + line;
        real = rest;
      }
      const std::int64_t left = end - at;
      const int taken = add_block(at, left, real);
      at += taken;
      real -= taken;
    }
  }

 private:
  static constexpr bool wide = sizeof(item) == 8;
  static constexpr bool clear_sign = std::is_same_v<Term, magnitude_term<item>>;
  static constexpr int spare = 6;  // bits: narrow items that have so many return to fewer levels
  static constexpr int blocks_by_table = 7;  // between looks at the range of one
  static constexpr int full = full_levels<item>;
  static constexpr bool one_level = full == 1;
  static constexpr int least_levels_of_type = wide ? 2 : 1;
  static constexpr int scale = sweep_scale<item>;
  // A guess that costs nothing where it is wrong: numbers around 1.
  static constexpr int first_top = one_level ? 16 : wide ? 10 : 3;
  static constexpr int highest = wide ? highest_top : float_format<item>::top_exponent;

  MONOFOLD_INLINE void stand(int levels, int top) {
    kept_.give_to(own_.sum);
    kept_.stand(levels, sweep_lanes(levels, bytes), top - scale, scale,
                sweep_headroom<bytes, item>(levels));
  }

  /// Levels for a block and as much as can be had above and below it. `slack`: bits to spare.
  MONOFOLD_INLINE void place(int levels, exponent_range range, int slack) {
    const int more = slack <= 0 ? 0 : slack / 2;
    const int top = range.top + more;
    stand(levels, top < highest ? top : highest);
  }
  MONOFOLD_INLINE static int slack_of(int levels, exponent_range range) {
    return range.last - sweep_reach<bytes, item>(levels) - range.top;
  }

  MONOFOLD_INLINE int add_block(const item* items, std::int64_t left, std::int64_t real) {
    if constexpr (wide) {
      if (kept_.by_table) return add_to_table(items, left, real);
      if (kept_.levels == 4) return try_levels<4>(items, left, real);
      return try_levels<2>(items, left, real);
    } else if constexpr (one_level) {
      return try_levels<1>(items, left, real);
    } else {
      if (kept_.levels == full) return try_levels<full>(items, left, real);
      if (kept_.levels == 3) return try_levels<3>(items, left, real);
      return try_levels<1>(items, left, real);
    }
  }

  /// The items taken: 0 where the levels do not fit, and others stand now.
  template <int levels>
  MONOFOLD_INLINE int try_levels(const item* items, std::int64_t left, std::int64_t real) {
    constexpr int lanes = sweep_lanes(levels, bytes);
    constexpr int block = sweep_block<bytes, item>(levels);
    const int count = left < block ? static_cast<int>(left) : block;
    const int counted = real < count ? static_cast<int>(real) : count;
    double level[levels][lanes];
    for (int k = 0; k < levels; ++k) {
      const auto anchor = bits_as<double>(kept_.anchor(k));
      for (double& m : level[k]) m = anchor;
    }
    const block_range range = sweep<bytes, levels, clear_sign>(items, count, level);
    if (!fits<levels>(range)) {
      return move_levels(items, count, counted, range);
    }
    bool lowest_used = false;
    for (int k = 0; k < levels; ++k) {
      const std::uint64_t anchor = kept_.anchor(k);
      for (int l = 0; l < lanes; ++l) {
        const auto units = static_cast<std::int64_t>(bits_as<std::uint64_t>(level[k][l]) - anchor);
        kept_.units[k][l] += units;
        lowest_used |= k >= 2 && units != 0;
      }
    }
    if (++kept_.blocks == kept_levels::most_blocks) stand(kept_.levels, kept_.top + scale);
    own_.counts.items += counted;
    note_other(range, items, counted);
    tried_ = 0;
    if constexpr (levels > 2) return_to_fewer<levels>(range, lowest_used);
    return count;
  }

  template <int levels>
  MONOFOLD_INLINE bool fits(const block_range& range) const {
    if constexpr (wide) {
      const int top = static_cast<int>(range.most >> 20) - 1022;
      return range.rest == 0 && top <= kept_.top;
    } else if constexpr (levels == full) {
      static_assert(highest + sweep_reach<bytes, item>(full) <= float_format<item>::least_exponent);
      return range.most < float_format<item>::infinity;
    } else {
      const exponent_range e = exponents_of<item>(range.most, range.least);
      return range.most < float_format<item>::infinity && e.top <= kept_.top + scale &&
             e.last >= unit_of_level(kept_.exponent(levels - 1)) + scale;
    }
  }

  /// Where fewer levels would have done with bits to spare, they take over.
  template <int levels>
  MONOFOLD_INLINE void return_to_fewer(const block_range& range, bool lowest_used) {
    if (range.most == 0) return;
    if constexpr (wide) {
      if (!lowest_used) stand(2, kept_.top);
    } else {
      const exponent_range e = exponents_of<item>(range.most, range.least);
      for (int fewer : {1, 3}) {
        const int slack = slack_of(fewer, e);
        if (slack < spare || fewer >= levels) continue;
        place(fewer, e, slack);
        return;
      }
    }
  }

  /// Of a block that did not fit: other levels, or its items by other ways.
  MONOFOLD_INLINE int move_levels(const item* items, int count, int counted,
                                  const block_range& range) {
    if constexpr (wide) {
      const exponent_range e = range_of_doubles(items, count);
      for (int levels : {2, 4}) {
        const int slack = slack_of(levels, e);
        // Zeros at the end of all significands may make up for 52 bits.
        if (levels <= tried_ || e.top > highest_top || slack < -53) continue;
        tried_ = levels;
        place(levels, e, slack);
        return 0;
      }
      kept_.by_table = true;
      return 0;
    } else {
      if (range.most >= float_format<item>::infinity) return add_digits(items, count, counted);
      const exponent_range e = exponents_of<item>(range.most, range.least);
      for (int levels : {1, 3}) {
        const int slack = slack_of(levels, e);
        if (slack < 0 || levels <= tried_) continue;
        tried_ = levels;
        place(levels, e, slack);
        return 0;
      }
      stand(full, highest);
      return 0;
    }
  }

  /// The infinities and NaN of a part of a block, and what lies between them.
  MONOFOLD_INLINE int add_digits(const item* items, int count, int counted) {
    const int some = count < 1024 ? count : 1024;
    add_run_by_digits<Term>(own_, items, counted < some ? counted : some);
    tried_ = 0;
    return some;
  }

  MONOFOLD_INLINE int add_to_table(const double* items, std::int64_t left, std::int64_t real) {
    // No fewer items than the levels would be given, or what fits here does not fit there.
    constexpr int block = sweep_block<bytes, double>(2);
    const int count = left < block ? static_cast<int>(left) : block;
    const int counted = real < count ? static_cast<int>(real) : count;
    if (--kept_.unseen_blocks < 0) {
      const exponent_range e = range_of_doubles(items, count);
      for (int levels : {2, 4}) {
        const int slack = slack_of(levels, e);
        if (levels <= tried_ || e.top > highest_top || slack < 0) continue;
        kept_.by_table = false;
        tried_ = levels;
        place(levels, e, slack);
        return 0;
      }
      kept_.unseen_blocks = blocks_by_table;
    }
    if (table_.room() < count) {
      table_.give_to(own_.sum);
      table_.clear();
    }
    table_.template add<bytes, clear_sign>(own_.counts, items, counted);
    tried_ = 0;
    return count;
  }

  MONOFOLD_INLINE void note_other(const block_range& range, const item* items, int counted) {
    if (own_.counts.other == 0 && (range.most != 0 || any_other_zero(items, counted))) {
      own_.counts.other = 1;
    }
  }

  /// All of a multiple of a line. Lower halves are compared beside the upper ones, and left out.
  MONOFOLD_INLINE static exponent_range range_of_doubles(const double* items, int count) {
    using halves = typename lanes<bytes>::half;
    halves most = {}, least = {};
    least += 0x7fffffff;
    for (int i = 0; i < count; i += bytes / 8) {
      halves x;
      std::memcpy(&x, items + i, sizeof(x));
      x &= 0x7fffffff;
      // Zeros and small subnormal numbers wrap around to the largest.
      const halves key = (halves)((typename range_lanes<bytes, double>::words)x + 0x7fffffffu);
      most = most > x ? most : x;
      least = least < key ? least : key;
    }
    std::int32_t up = 0;
    auto down = std::int32_t{0x7fffffff};
    for (int l = 1; l < bytes / 4; l += 2) {
      up = most[l] > up ? most[l] : up;
      down = least[l] < down ? least[l] : down;
    }
    // A key is |x| - 2^31 - 1: down from there to |x|, the largest where all are zeros.
    const auto size = static_cast<std::uint32_t>(down) - 0x7fffffffu;
    const auto low = static_cast<int>((size == 0 ? 0x7fffffffu : size) >> 20);
    return {static_cast<int>(static_cast<std::uint32_t>(up) >> 20) - 1022,
            (low > 0 ? low - 1 : 0) - 1074};
  }

  MONOFOLD_INLINE static bool any_other_zero(const item* items, int count) {
    if constexpr (clear_sign) return count > 0;
    bool any = false;
    for (int i = 0; i < count; ++i) any |= float_bits(items[i]) != float_format<item>::sign_bit;
    return any;
  }

  exact_state<number>& own_;
  kept_levels& kept_;
  exponent_table<item>& table_;
  // The most levels that were placed for the items at hand: only more are tried, so that it ends.
  int tried_ = 0;
};

}  // namespace monofold::detail

#endif
