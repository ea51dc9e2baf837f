#pragma once
/// engine/gpu/segment/across_cells: exact sums of rows whose items lie apart in doubles, or pairs of doubles.
///
/// A lane has a row, or some short ones that lie a warp's rows apart, so that lanes have neighbours. Where doubles do
/// not hold a sum, it is left to the bins.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "monofold/engine/gpu/segment/exact_cells.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/lane_columns.cuh"
#include "monofold/engine/gpu/segment/slot_cells.cuh"
#include "monofold/engine/gpu/segment/staged_columns.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Exact sums of `columns` rows a lane, whose answers have numbers a warp's lanes apart.
template <class Fold, class Term, int columns>
class across_cells {
 public:
  using item = typename Term::item;
  static constexpr bool may_be_doubles = sums_as_double_v<Term>;
  /// Of longer rows bins are faster than pairs.
  static constexpr std::int64_t most_of_pairs =
      std::is_same_v<Term, square_term<item>> ? tile_items_v<item> : std::int64_t{1} << 31;
  /// Sums of so many items are mostly doubles.
  static constexpr std::int64_t most_of_doubles = sizeof(item) == 4 ? 128 : tile_items_v<item>;

  /// What pairs of doubles have of some items, and the sum of two such.
  struct pairs {
    typename pair_cells<Term>::cell own[columns];
  };
  MONOFOLD_GPU static pairs pairs_of(const lane_columns<item>& at) {
    pairs out;
    no_watch unused;
    add<pair_cells<Term>>(at, out.own, unused);
    return out;
  }
  MONOFOLD_GPU static pairs joined(const pairs& a, const pairs& b) {
    pairs out;
    MONOFOLD_UNROLL
    for (int c = 0; c < columns; ++c) out.own[c] = pair_cells<Term>::join(a.own[c], b.own[c]);
    return out;
  }
  /// Answers for those rows of `wanted`, bits, that pairs hold; the bits of the others.
  template <class Sinks>
  MONOFOLD_GPU static std::uint32_t finish(const Fold& f, const pairs& total, std::int64_t count,
                                           std::uint32_t wanted, const Sinks& sinks,
                                           std::int64_t number) {
    std::uint32_t left = 0;
    MONOFOLD_UNROLL
    for (int c = 0; c < columns; ++c) {
      if ((wanted >> c & 1) == 0) continue;
      const auto sink = sinks.of(number + c * warp_lanes);
      const bool is_done =
          pair_cells<Term>::finish(f, total.own[c], static_cast<int>(count), *sink.out);
      if (!is_done) left |= 1u << c;
    }
    return left;
  }

  /// The same of doubles.
  ///
  /// sync       all lanes of the warp
  template <class Sinks>
  MONOFOLD_GPU static std::uint32_t add_doubles(const Fold& f, const lane_columns<item>& at,
                                                const Sinks& sinks, std::int64_t number) {
    using cells = double_cells<Term>;
    double own[columns];
    typename cells::watch seen;
    add<cells>(at, own, seen);
    const std::uint32_t key = seen.key();
    int log2_count = 0;
    while (at.count >> log2_count > 1) ++log2_count;
    const int last = cells::watch::items::max_exponent_of(key) + log2_count + 1 - 53;
    if (key >= cells::watch::items::infinite || !seen.are_multiples_of(last)) return at.rows;
    MONOFOLD_UNROLL
    for (int c = 0; c < columns; ++c) {
      if ((at.rows >> c & 1) == 0) continue;
      const auto sink = sinks.of(number + c * warp_lanes);
      static_cast<void>(cells::finish(f, own[c], static_cast<int>(at.count), *sink.out));
    }
    return 0;
  }

 private:
  // Loads on their way together: 32 registers.
  static constexpr int ahead = (sizeof(item) == 8 ? 16 : 32) / columns;

  template <class Cells>
  MONOFOLD_GPU static void add(const lane_columns<item>& at, typename Cells::cell (&own)[columns],
                               typename Cells::watch& seen) {
    using cells = exact_step_cells<Cells>;
    const cells of;
    MONOFOLD_UNROLL
    for (int c = 0; c < columns; ++c) own[c] = of.absent();
    item coming[ahead][columns];
    load_columns(at, 0, cells::filler(), coming);
    MONOFOLD_ROLL
    for (std::int64_t i = 0; i < at.count; i += ahead) {
      item x[ahead][columns];
      MONOFOLD_UNROLL
      for (int k = 0; k < ahead; ++k) {
        MONOFOLD_UNROLL
        for (int c = 0; c < columns; ++c) x[k][c] = coming[k][c];
      }
      // On their way while those before are added.
      load_columns(at, i + ahead, cells::filler(), coming);
      MONOFOLD_UNROLL
      for (int k = 0; k < ahead; ++k) {
        MONOFOLD_UNROLL
        for (int c = 0; c < columns; ++c) {
          seen.see(x[k][c]);
          own[c] = of.add({}, own[c], x[k][c], 0);
        }
      }
    }
  }
};

/// The exact sum of pages of a column. An addition waits for the one before, so that four are on their way.
template <class Term>
class staged_pairs {
 public:
  using item = typename Term::item;

  /// A page: by doubles alone where they hold its items of all lanes.
  ///
  /// sync       all lanes of the warp
  template <int count>
  MONOFOLD_GPU void add(const item* first, known_count<count>) {
    if constexpr (sums_as_double_v<Term>) {
      using doubles = double_cells<Term>;
      double own[chains];
      MONOFOLD_UNROLL
      for (int c = 0; c < chains; ++c) own[c] = doubles::absent();
      typename doubles::watch seen;
      MONOFOLD_UNROLL
      for (int i = 0; i < count; ++i) {
        const item x = first[i * staged_columns];
        seen.see(x);
        own[i % chains] = doubles::add({}, own[i % chains], x);
      }
      const std::uint32_t key = seen.key();
      const int last = doubles::watch::items::max_exponent_of(key) + log2_tile_items<item> - 53;
      if (key < doubles::watch::items::infinite && seen.are_multiples_of(last)) {
        const double sum =
            doubles::join(doubles::join(own[0], own[1]), doubles::join(own[2], own[3]));
        own_[0] = cells::join(own_[0], {sum, 0, 0});
        return;
      }
      add(first, count);
    } else {
      MONOFOLD_UNROLL
      for (int i = 0; i < count; ++i) {
        own_[i % chains] = cells::add({}, own_[i % chains], first[i * staged_columns]);
      }
    }
  }
  /// Some items.
  MONOFOLD_GPU void add(const item* first, int count) {
    MONOFOLD_ROLL
    for (int i = 0; i < count; ++i) {
      own_[0] = cells::add({}, own_[0], first[i * staged_columns]);
    }
  }
  MONOFOLD_GPU sum_of_two total() const {
    sum_of_two all = own_[0];
    MONOFOLD_UNROLL
    for (int c = 1; c < chains; ++c) all = cells::join(all, own_[c]);
    return all;
  }

 private:
  using cells = pair_cells<Term>;
  static constexpr int chains = 4;

  sum_of_two own_[chains] = {cells::absent(), cells::absent(), cells::absent(), cells::absent()};
};

/// Whether the rows of a job may be added so: their answers follow from the leading bits of one sum.
template <class Job, class Term>
inline constexpr bool adds_across_by_doubles_v = [] {
  using sink = std::remove_cv_t<decltype(std::declval<const Job&>().sinks.of(0))>;
  if constexpr (!std::is_same_v<typename Job::first_item, const typename Job::item*>) {
    return false;
  } else {
    return Job::has_one_axis && is_answer_sink_v<sink> &&
           adds_by_doubles_v<typename Job::fold, Term>;
  }
}();

}  // namespace monofold::detail
