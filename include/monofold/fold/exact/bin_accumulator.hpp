#pragma once
/// fold/exact/bin_accumulator: adds blocks of a run to kept bins, and finds the bins that fit.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/fold/exact/add_by_digits.hpp"
#include "monofold/fold/exact/anchors.hpp"
#include "monofold/fold/exact/bin_plan.hpp"
#include "monofold/fold/exact/bin_vectors.hpp"
#include "monofold/fold/exact/exponent_table.hpp"
#include "monofold/fold/exact/kept_bins.hpp"
#include "monofold/fold/exact/split_sweep.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/sweep.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/exact/verified_sweep.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)

namespace monofold::detail {

// Objects of compilers that ask flags, and of others, are laid out differently, and may be linked together.
#if defined(MONOFOLD_QUIET_VECTORS)
inline namespace by_flags {
#else
inline namespace by_range {
#endif

/// Adds values, magnitudes or squares to bins, which stand just below the largest exponent and reach some
/// dozens of bits down. A block that they do not hold gets other bins; where no bins hold it, it goes to a
/// table of exponents (doubles) or to integers.
template <int bytes, class Term>
class bin_accumulator {
  using item = typename Term::item;
  using number = typename Term::number;

 public:
  MONOFOLD_INLINE bin_accumulator(exact_state<number>& own, kept_bins& kept,
                                  exponent_table<Term>& table)
      : own_(own), kept_(kept), table_(table) {}

  /// order      exact: any
  /// sync       the arithmetic must be that of IEEE 754 (platform/strict_arithmetic)
  MONOFOLD_INLINE void add(const item* items, std::int64_t count) {
    constexpr int line = line_items<item>;
    if (kept_.bins == 0) {
      set_bins(few,
               full == few ? highest : guessed_exponent<Term>(items, count, highest, tight > 0));
    } else if (kept_.lanes != sweep_lanes<item>(kept_.bins, bytes)) {
      // Another instruction set had them.
      set_bins(kept_.bins, kept_.max_exponent + scale);
    }
    // Lines of the run are those of the cache, where that is worth a block of items from both ends.
    const std::int64_t head =
        count * static_cast<std::int64_t>(sizeof(item)) < least_aligned ? 0 : before_line(items);
    const std::int64_t whole = (count - head) / line * line;
    item tail[2 * line];
    const auto rest = static_cast<int>(count - whole);
    const int padded = (rest + line - 1) / line * line;
    if (rest != 0) {
      std::memset(tail, 0, sizeof(tail));
      std::memcpy(tail, items, static_cast<std::size_t>(head) * sizeof(item));
      std::memcpy(tail + head, items + head + whole,
                  static_cast<std::size_t>(rest - head) * sizeof(item));
    }
    // The tail takes its turn in the same loop, which is large. +0 is not counted.
    const item* at = items + head;
    const item* end = at + whole;
    std::int64_t real = whole;  // of the items left, those that are not padding
    for (bool in_tail = false;;) {
      if (at == end) {
        if (in_tail || rest == 0) break;
        in_tail = true;
        at = tail;
        end = tail + padded;
        real = rest;
      }
      const std::int64_t left = end - at;
      const int taken = add_block(at, left, real);
      at += taken;
      real -= taken;
    }
  }

 private:
  static constexpr sweep_kind kind = swept_term<Term>::kind;
  static constexpr bool squares = kind == sweep_kind::squares;
  static constexpr bool wide = sizeof(item) == 8;
  static constexpr bool rest_tells = wide && !squares;
  static constexpr bool grouped = squares && has_square_groups<item>(bytes);
  static constexpr bool split = has_split_sums<kind, item>(bytes);
  static constexpr int parts = parts_of_term<kind, item>;
  static constexpr int few = swept_term<Term>::bins.few;
  static constexpr int more = swept_term<Term>::bins.more;
  static constexpr int full = swept_term<Term>::bins.full;
  static constexpr int spare = 6;              // bits: those that have so many return to fewer bins
  static constexpr int blocks_by_table = 7;    // between looks at the range of one
  static constexpr int most_by_digits = 1024;  // items of a block that has infinities or NaN
  // Bits that squares may lack where flags verify: bins that stand below the largest of them end in their binades if most
  // are smaller.
  static constexpr int tight = squares && is_verified<item>(few, bytes) ? 4 : 0;
  static constexpr std::int64_t least_aligned = 32 << 10;  // bytes
  static constexpr int least_split = 512;  // items: to look at flags takes as long as some dozens
  static constexpr int scale = squares ? 0 : sweep_scale<item>;
  static constexpr int highest =
      wide ? highest_exponent : float_format<item>::max_exponent * (squares ? 2 : 1);

  /// Items before the next line of the cache; 0 where none begins one.
  MONOFOLD_INLINE static std::int64_t before_line(const item* items) {
    const std::uintptr_t missing = -reinterpret_cast<std::uintptr_t>(items) % 64;
    return missing % sizeof(item) == 0 ? static_cast<std::int64_t>(missing / sizeof(item)) : 0;
  }
  // What is rare stands in functions of its own: inlined everywhere it was most of the code.
  __attribute__((noinline)) void set_bins(int bins, int max_exponent) {
    kept_.add_to(own_.sum);
    kept_.set_bins(bins, sweep_lanes<item>(bins, bytes), max_exponent - scale, scale,
                   sweep_headroom<bytes, item>(bins), parts);
  }

  /// Bins for a block and as much as can be had above and below it. `slack`: bits to spare.
  __attribute__((noinline)) void place_bins(int bins, exponent_range range, int slack) {
    const int lacking = slack > -tight ? slack : -tight;
    const int max_exponent = range.max_exponent + (slack > 0 ? slack / 2 : lacking);
    set_bins(bins, max_exponent < highest ? max_exponent : highest);
  }
  MONOFOLD_INLINE static int slack_of(int bins, exponent_range range) {
    return range.last - sweep_reach<bytes, item>(bins, parts) - range.max_exponent;
  }
  /// Whether more bins than were tried now stand for a block, with so many bits to spare at least.
  __attribute__((noinline)) bool find_bins(exponent_range range, int least_slack) {
    if (range.max_exponent > highest) return false;
    for (int bins : {few, more}) {
      const int slack = slack_of(bins, range);
      if (bins <= tried_ || slack < least_slack - (bins == few ? tight : 0)) continue;
      tried_ = bins;
      place_bins(bins, range, slack);
      return true;
    }
    return false;
  }

  /// Items of a block, and those of them that are not padding.
  struct extent {
    int count;
    int counted;
  };
  MONOFOLD_INLINE static extent block_of(int most, std::int64_t left, std::int64_t real) {
    const int count = left < most ? static_cast<int>(left) : most;
    return {count, real < count ? static_cast<int>(real) : count};
  }

  MONOFOLD_INLINE int add_block(const item* items, std::int64_t left, std::int64_t real) {
    if constexpr (has_table_v<Term>) {
      if (kept_.by_table) return add_to_table(items, left, real);
    }
    if constexpr (full > more) {
      if (kept_.bins == full) return try_bins<full>(items, left, real);
    }
    if constexpr (more > few) {
      if (kept_.bins == more) return try_bins<more>(items, left, real);
    }
    return try_bins<few>(items, left, real);
  }

  /// The items taken: 0 where the bins do not fit, and others stand now.
  template <int bins>
  MONOFOLD_INLINE int try_bins(const item* items, std::int64_t left,
                               std::int64_t real) requires(is_verified<item>(bins, bytes)) {
    const auto [count, counted] = block_of(sweep_block<bytes, item>(bins), left, real);
    bin_vectors<bytes, bins, sweep_lanes<item>(bins, bytes) * 8 / bytes> sums(kept_);
    const bool may_have_minus_zero = verified_sweep<bytes, bins, kind>(items, count, sums.m);
    if (!sums.count_units(flags_, kept_) || flags_.any()) {
      flags_.clear();
      return move_bins(items, count, counted, range_of<bytes>(items, count));
    }
    sums.keep(kept_);
    if (may_have_minus_zero) {
      own_.counts.minus_zeros += minus_zeros_of<bytes>(items, count).count;
    }
    count_block(counted);
    if constexpr (bins > few) {
      if (sums.template any_from<0>(kept_) && !sums.template any_from<2>(kept_))
        set_bins(few, kept_.max_exponent);
    }
    return count;
  }
  template <int bins>
  MONOFOLD_INLINE int try_bins(const item* items, std::int64_t left, std::int64_t real) {
    constexpr int lanes = sweep_lanes<item>(bins, bytes);
    const auto [count, counted] = block_of(sweep_block<bytes, item>(bins), left, real);
    if constexpr (grouped && bins == few) {
      if (add_groups(items, count)) {
        count_block(counted);
        return count;
      }
    }
    double bin[bins][lanes];
    empty<bins>(bin);
    if constexpr (split && bins == few) {
      if (count >= least_split && add_split(items, count, bin)) {
        keep<bins>(bin);
        count_block(counted);
        return count;
      }
    }
    block_range range = sweep<bytes, bins, kind>(items, count, bin);
    std::int64_t zeros = 0;
    if (range.may_have_minus_zero) {
      const minus_zeros found = minus_zeros_of<bytes>(items, count);
      zeros = found.count;
      range.least = found.least;
    }
    if (!fits<bins>(range)) {
      return move_bins(items, count, counted, range);
    }
    const bool lowest_used = keep<bins>(bin);
    own_.counts.minus_zeros += zeros;
    count_block(counted);
    if constexpr (bins > few) return_to_fewer<bins>(range, lowest_used);
    return count;
  }

  template <int bins, int lanes>
  MONOFOLD_INLINE void empty(double (&bin)[bins][lanes]) const {
    for (int k = 0; k < bins; ++k) {
      const auto anchor = bits_as<double>(kept_.anchor(k));
      for (double& m : bin[k]) m = anchor;
    }
  }
  /// What was deposited joins what is kept; whether bins below the second have taken anything.
  template <int bins, int lanes>
  MONOFOLD_INLINE bool keep(const double (&bin)[bins][lanes]) {
    bool lowest_used = false;
    for (int k = 0; k < bins; ++k) {
      const std::uint64_t anchor = kept_.anchor(k);
      for (int l = 0; l < lanes; ++l) {
        const auto units = static_cast<std::int64_t>(bits_as<std::uint64_t>(bin[k][l]) - anchor);
        kept_.units[k][l] += units;
        lowest_used |= k >= 2 && units != 0;
      }
    }
    return lowest_used;
  }

#if defined(MONOFOLD_QUIET_VECTORS)
  /// Whether the bins, which stand at their anchors, took a block by the sums of its halves; if not they stand there anew.
  template <int bins, int lanes>
  MONOFOLD_INLINE bool add_split(const item* items, int count,
                                 double (&bin)[bins][lanes]) requires split {
    if (!kept_.tries.next()) return false;
    split_sums<bytes> sums;
    {
      const rounding_flags flags;
      split_sweep_avx2<kind>(items, count, sums);
      if (flags.any()) return false;
    }
    if (!deposit_split<bytes>(sums, bin)) {
      empty<bins>(bin);
      return false;
    }
    kept_.tries.succeeded();
    if (sums.may_have_minus_zero) {
      own_.counts.minus_zeros += minus_zeros_of<bytes>(items, count).count;
    }
    return true;
  }
#endif

  /// Whether the bins took a block of squares in groups.
  MONOFOLD_INLINE bool add_groups(const item* items, int count) requires grouped {
    if (!kept_.tries.next()) return false;
    flags_.clear();  // other ways of blocks before may have rounded
    constexpr int num = sweep_lanes<item>(few, bytes) * 8 / bytes;
    bin_vectors<bytes, few, num> sums(kept_);
    typename lanes<bytes>::real none[num];
    sweep_square_groups<bytes, false>(items, count, sums.m, none);
    if (sums.count_units(flags_, kept_) && !flags_.any()) {
      sums.keep(kept_);
      kept_.tries.succeeded();
      return true;
    }
    return false;
  }

  /// Counts a block that was taken.
  MONOFOLD_INLINE void count_block(int counted) {
    if (++kept_.blocks == kept_bins::most_blocks) set_bins(kept_.bins, kept_.max_exponent + scale);
    own_.counts.items += counted;
    tried_ = 0;
  }

  template <int bins>
  MONOFOLD_INLINE bool fits(const block_range& range) const {
    if constexpr (rest_tells) {
      const int max_exponent = static_cast<int>(range.most >> 20) - 1022;
      return range.rest == 0 && max_exponent <= kept_.max_exponent;
    } else {
      static_assert(bins != full || highest + sweep_reach<bytes, item>(full, parts) <=
                                        float_format<item>::least_exponent * (squares ? 2 : 1));
      return holds<Term>(kept_, range);
    }
  }

  /// Where fewer bins would have done with bits to spare, they take over.
  template <int bins>
  MONOFOLD_INLINE void return_to_fewer(const block_range& range, bool lowest_used) {
    if (range.most == 0) return;
    if constexpr (rest_tells) {
      if (!lowest_used) set_bins(few, kept_.max_exponent);
    } else {
      const exponent_range e = range_of_terms<Term>(exponents_of<item>(range.most, range.least));
      for (int fewer : {few, more}) {
        const int slack = slack_of(fewer, e);
        if (slack < spare || fewer >= bins) continue;
        place_bins(fewer, e, slack);
        return;
      }
    }
  }

  /// Finds other bins for a block that did not fit, or adds its items by other ways.
  MONOFOLD_INLINE int move_bins(const item* items, int count, int counted,
                                const block_range& range) {
    if constexpr (rest_tells) {
      // Zeros at the end of all significands may make up for 52 bits.
      if (!find_bins(exponents_in(items, count), -53)) kept_.by_table = true;
      return 0;
    } else {
      if (range.most >= infinite_size<item>)
        return add_digits(items, count, counted, most_by_digits);
      const exponent_range e = range_of_terms<Term>(exponents_of<item>(range.most, range.least));
      if (find_bins(e, 0)) return 0;
      if constexpr (full == 0) return add_digits(items, count, counted, count);
      set_bins(full, highest);
      return 0;
    }
  }

  /// Up to `most` items of a block, a multiple of a line: where some are infinite or NaN, those and
  /// what lies between them; where no bins hold them, all.
  __attribute__((noinline)) int add_digits(const item* items, int count, int counted, int most) {
    const int some = count < most ? count : most;
    add_run_by_digits<Term>(own_, items, counted < some ? counted : some);
    tried_ = 0;
    return some;
  }

  MONOFOLD_INLINE int add_to_table(const double* items, std::int64_t left, std::int64_t real) {
    // No fewer items than the bins would be given, or what fits here does not fit there.
    const auto [count, counted] = block_of(sweep_block<bytes, double>(few), left, real);
    if (--kept_.unseen_blocks < 0) {
      if (find_bins(exponents_in(items, count), 0)) {
        kept_.by_table = false;
        return 0;
      }
      kept_.unseen_blocks = blocks_by_table;
    }
    if (table_.room() < count) empty_table();
    table_.template add<bytes, kind == sweep_kind::magnitudes>(own_.counts, items, counted);
    tried_ = 0;
    return count;
  }

  __attribute__((noinline)) void empty_table() {
    table_.add_to(own_.sum);
    table_.clear();
  }

  MONOFOLD_INLINE static exponent_range exponents_in(const item* items, int count) {
    const block_range range = range_of<bytes>(items, count);
    return exponents_of<item>(range.most, range.least);
  }

  exact_state<number>& own_;
  kept_bins& kept_;
  exponent_table<Term>& table_;
  [[no_unique_address]] flags_of<is_verified<item>(few, bytes) || grouped> flags_;
  // The most bins that were placed for the items at hand: only more are tried, so that it ends.
  int tried_ = 0;
};

}  // namespace

}  // namespace monofold::detail

#endif
