#pragma once
/// engine/gpu/segment/across_cells: exact sums of rows whose items lie apart in doubles, or pairs of doubles.
///
/// A lane has a row, or some short ones: neighbours, or rows that lie a warp's lanes apart, so that lanes have
/// neighbours. Where doubles do not hold a sum, it is left to the bins.

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "monofold/engine/gpu/segment/exact_cells.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/lane_columns.cuh"
#include "monofold/engine/gpu/segment/moment_cells.cuh"
#include "monofold/engine/gpu/segment/slot_cells.cuh"
#include "monofold/engine/gpu/segment/staged_columns.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Cells that add some items of all lanes, so that a pair takes their sum alone: doubles where that is mostly one, or
/// cells that cut squares. void: a pair takes each item.
template <class Term>
struct page_cells {
  using type = std::conditional_t<sums_as_double_v<Term>, double_cells<Term>, void>;
};
template <class Item>
requires(sizeof(Item) <= 4) struct page_cells<square_term<Item>> {
  using type = bin_cells<square_term<Item>>;
};
template <class Item>
struct page_cells<moments_term<Item>> {
  using type = bin_cells<moments_term<Item>>;
};
template <class Term>
using page_cells_t = typename page_cells<Term>::type;

template <int count>
inline constexpr int log2_page_items = std::bit_width(unsigned{count} - 1);

/// Adds items get(0), .., get(count - 1) of each lane to its pair. again(i) is the same as get(i), in a loop that is not
/// unrolled.
///
/// sync       all lanes of the warp
template <class Term, int count, class Get, class Again>
MONOFOLD_GPU void add_page(typename pair_cells<Term>::cell& total, const Get& get,
                           const Again& again) {
  using pairs = pair_cells<Term>;
  using cells = page_cells_t<Term>;
  // An addition waits for the one before.
  constexpr int chains = sizeof(typename cells::cell) <= 16 ? 4 : 2;
  typename cells::watch seen;
  MONOFOLD_UNROLL
  for (int i = 0; i < count; ++i) seen.see(get(i));
  const typename cells::step how = cells::prepared(seen, true);
  typename cells::cell own[chains];
  MONOFOLD_UNROLL
  for (int i = 0; i < count; ++i) {
    own[i % chains] =
        i < chains ? cells::take(how, get(i)) : cells::add(how, own[i % chains], get(i));
  }
  MONOFOLD_UNROLL
  for (int width = chains / 2; width > 0; width /= 2) {
    MONOFOLD_UNROLL
    for (int c = 0; c < width; ++c) own[c] = cells::join(own[c], own[c + width]);
  }
  if (cells::holds(seen, how, log2_page_items<count>)) {
    total = pairs::join(total, cells::pair_of(own[0]));
    return;
  }
  MONOFOLD_ROLL
  for (int i = 0; i < count; ++i) total = pairs::add({}, total, again(i));
}

/// Exact sums of `columns` rows a lane, whose answers have numbers `apart` from each other.
template <class Fold, class Term, int columns>
class across_cells {
 public:
  using item = typename Term::item;
  static constexpr bool may_be_doubles = !std::is_void_v<page_cells_t<Term>>;
  /// Bins are faster than pairs for longer rows: pairs lose bits of squares of float32.
  static constexpr std::int64_t most_of_pairs = sizeof(item) == 2 ||
                                                        std::is_same_v<Term, value_term<item>> ||
                                                        std::is_same_v<Term, magnitude_term<item>>
                                                    ? (std::int64_t{1} << 31) - 1
                                                    : std::int64_t{1} << 16;
  /// Sums of so many items are mostly doubles.
  static constexpr std::int64_t most_of_doubles = sizeof(item) == 4 ? 128 : tile_items_v<item>;
  /// A lane has only one row where rows are longer.
  static constexpr std::int64_t most_of_several = may_be_doubles ? most_of_doubles : most_of_pairs;

  /// What pairs of doubles have of some items, and the sum of two such.
  struct pairs {
    typename pair_cells<Term>::cell own[columns];
  };
  MONOFOLD_GPU static pairs pairs_of(const lane_columns<item>& at) {
    pairs out;
    MONOFOLD_UNROLL
    for (int c = 0; c < columns; ++c) out.own[c] = pair_cells<Term>::absent();
    visit_items(at, [&](const item(&x)[ahead][columns], std::int64_t from) {
      if constexpr (columns == 1 && may_be_doubles) {
        add_page<Term, ahead>(
            out.own[0], [&](int k) { return x[k][0]; },
            [&](int k) {
              return from + k < at.count && at.rows != 0
                         ? load_item(at.first + (from + k) * at.stride)
                         : filler();
            });
      } else {
        MONOFOLD_UNROLL
        for (int k = 0; k < ahead; ++k) {
          MONOFOLD_UNROLL
          for (int c = 0; c < columns; ++c)
            out.own[c] = pair_cells<Term>::add({}, out.own[c], x[k][c]);
        }
      }
    });
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
                                           std::int64_t number, int apart) {
    return finish_cells<pair_cells<Term>>(f, total.own, count, wanted, sinks, number, apart, true,
                                          {0, 0});
  }

  /// The same of doubles: answers for the rows of `at`; the bits of those that doubles do not hold.
  ///
  /// sync       all lanes of the warp
  template <class Sinks>
  MONOFOLD_GPU static std::uint32_t add_doubles(const Fold& f, const lane_columns<item>& at,
                                                const Sinks& sinks, std::int64_t number,
                                                int apart) {
    using cells = page_cells_t<Term>;
    typename cells::cell own[columns];
    MONOFOLD_UNROLL
    for (int c = 0; c < columns; ++c) own[c] = cells::absent();
    typename cells::watch seen;
    typename cells::step how{};
    visit_items(at, [&](const item(&x)[ahead][columns], std::int64_t from) {
      MONOFOLD_UNROLL
      for (int k = 0; k < ahead; ++k) {
        MONOFOLD_UNROLL
        for (int c = 0; c < columns; ++c) seen.see(x[k][c]);
      }
      if (from == 0) how = cells::prepared(seen, at.count <= ahead);
      MONOFOLD_UNROLL
      for (int k = 0; k < ahead; ++k) {
        MONOFOLD_UNROLL
        for (int c = 0; c < columns; ++c) own[c] = cells::add(how, own[c], x[k][c]);
      }
    });
    int log2_count = 0;
    while (at.count >> log2_count > 0) ++log2_count;
    const bool is_exact = cells::holds(seen, how, log2_count);
    if (!is_exact && !may_be_near_v<cells, Fold>) return at.rows;
    const rounding_bound bound = bound_of<cells, Fold>(seen, is_exact, at.count);
    return finish_cells<cells>(f, own, at.count, at.rows, sinks, number, apart, is_exact, bound);
  }

 private:
  // Loads on their way together: 32 registers.
  static constexpr int ahead = (sizeof(item) == 8 ? 16 : 32) / columns;

  MONOFOLD_GPU static item filler() { return exact_step_cells<pair_cells<Term>>::filler(); }

  template <class Cells, class Sinks>
  MONOFOLD_GPU static std::uint32_t finish_cells(const Fold& f,
                                                 const typename Cells::cell (&own)[columns],
                                                 std::int64_t count, std::uint32_t wanted,
                                                 const Sinks& sinks, std::int64_t number, int apart,
                                                 bool is_exact, const rounding_bound& bound) {
    std::uint32_t left = 0;
    MONOFOLD_UNROLL
    for (int c = 0; c < columns; ++c) {
      if ((wanted >> c & 1) == 0) continue;
      const auto sink = sinks.of(number + c * apart);
      const bool is_done =
          finish_cell<Cells>(f, own[c], static_cast<int>(count), is_exact, bound, *sink.out);
      if (!is_done) left |= 1u << c;
    }
    return left;
  }

  /// Calls visit(items, from) for items `from`, .. of the rows, and fillers where there are none.
  template <class Visit>
  MONOFOLD_GPU static void visit_items(const lane_columns<item>& at, const Visit& visit) {
    item coming[ahead][columns];
    load_columns(at, 0, filler(), coming);
    MONOFOLD_ROLL
    for (std::int64_t i = 0; i < at.count; i += ahead) {
      item x[ahead][columns];
      MONOFOLD_UNROLL
      for (int k = 0; k < ahead; ++k) {
        MONOFOLD_UNROLL
        for (int c = 0; c < columns; ++c) x[k][c] = coming[k][c];
      }
      // On their way while those before are added.
      load_columns(at, i + ahead, filler(), coming);
      visit(x, i);
    }
  }
};

/// The exact sum of pages of a column.
template <class Term>
class staged_pairs {
 public:
  using item = typename Term::item;

  /// A page, and some items.
  ///
  /// sync       all lanes of the warp
  template <int count>
  MONOFOLD_GPU void add(const item* first, known_count<count>) {
    const auto get = [first](int i) { return first[i * staged_columns]; };
    add_page<Term, count>(own_, get, get);
  }
  MONOFOLD_GPU void add(const item* first, int count) {
    MONOFOLD_ROLL
    for (int i = 0; i < count; ++i) own_ = cells::add({}, own_, first[i * staged_columns]);
  }
  MONOFOLD_GPU typename pair_cells<Term>::cell total() const { return own_; }

 private:
  using cells = pair_cells<Term>;

  typename cells::cell own_ = cells::absent();
};

/// Whether the rows of a job may be added so: their answers follow from the leading bits of one sum, or from two sums
/// by doubles.
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
