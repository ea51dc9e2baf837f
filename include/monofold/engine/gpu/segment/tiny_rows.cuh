#pragma once
/// engine/gpu/segment/tiny_rows: rows of one length of up to four items: a lane a row, several on their way.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "monofold/engine/gpu/segment/exact_cells.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/slot_cells.cuh"
#include "monofold/engine/gpu/segment/slot_page.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// True, always.
struct always_stored {
  MONOFOLD_GPU operator bool() const { return true; }
};

/// Stores the answer of a row whose sum is the double `sum`, or gives its sink the state of the row. False where that
/// would take a call, around which rows on their way would have to be kept in memory: the usual way does it later.
/// Folds may have their own of these.
template <class F, class Out>
MONOFOLD_GPU always_stored store_at_once(const F& f, double sum, int count, const Out& out) {
  store_double(out, answer_of_double(f, sum, count));
  return {};
}
template <class F, class Sink>
MONOFOLD_GPU always_stored give_at_once(const F& f, const typename F::state& total, int,
                                        const Sink& sink) {
  sink(f, total);
  return {};
}

/// always_stored where that is never left to the usual way.
template <class F, class Sink>
using stored_at_once =
    decltype(store_at_once(std::declval<const F&>(), 0.0, 0, std::declval<const Sink&>().out));
template <class F, class Sink>
using given_at_once =
    decltype(give_at_once(std::declval<const F&>(), std::declval<const typename F::state&>(), 0,
                          std::declval<const Sink&>()));

/// Longer rows are no tiny ones.
inline constexpr int most_tiny_items = 4;

/// Rows [first, end) of `length` items each, by a warp.
template <class Job, int length>
class tiny_rows {
 public:
  using item = typename Job::item;
  using fold = typename Job::fold;
  using term = segment_term_t<fold, typename Job::view_type>;
  using sink = std::remove_cv_t<decltype(std::declval<const Job&>().sinks.of(0))>;
  static constexpr bool is_exact = slot_way_of<Job> == slot_way::exact;

  MONOFOLD_GPU explicit tiny_rows(const Job& job)
      : job_(job), step_(job.segments.begin(1) - job.segments.begin(0)) {}

  /// Calls left(at, row) where not every answer of the rows from `at` on, up to a warp of them, has been found; `row`:
  /// that of this lane where it has not, or none. What calls something for sums comes behind all rows that are on their
  /// way together.
  ///
  /// sync       all lanes of the warp
  template <class Left>
  MONOFOLD_GPU void fold_rows(std::int64_t first, std::int64_t end, const Left& left) const {
    const item* next = job_.view.data() + (first + lane_rank()) * step_;
    MONOFOLD_ROLL
    for (std::int64_t from = first; from < end; from += ahead * warp_lanes) {
      item x[ahead][length];
      MONOFOLD_UNROLL
      for (int k = 0; k < ahead; ++k) {
        const std::int64_t row = from + k * warp_lanes + lane_rank();
        load(row < end ? next + k * warp_lanes * step_ : job_.view.data(), x[k]);
      }
      next += ahead * warp_lanes * step_;
      std::uint32_t rest = 0;
      MONOFOLD_UNROLL
      for (int k = 0; k < ahead; ++k) {
        const std::int64_t row = from + k * warp_lanes + lane_rank();
        if (row < end && !take_at_once(x[k], row)) rest |= std::uint32_t{1} << k;
      }
      if constexpr (is_exact || may_refuse) {
        if (any_lane(rest != 0)) fold_rest(*this, from, rest, left);
      }
    }
  }

 private:
  /// Whether answers that are known may be left to the usual way.
  static constexpr bool may_refuse = [] {
    if constexpr (!is_exact) {
      return !std::is_same_v<given_at_once<fold, sink>, always_stored>;
    } else if constexpr (!answers_sum_v<fold>) {
      return !std::is_same_v<stored_at_once<fold, sink>, always_stored>;
    } else {
      return false;
    }
  }();
  /// Rows on their way: 32 to 64 bytes of a lane.
  static constexpr int ahead = (sizeof(item) == 8 ? 4 : 8) / (length > 2 ? 2 : 1);

  MONOFOLD_GPU static void load(const item* at, item (&x)[length]) {
    MONOFOLD_UNROLL
    for (int i = 0; i < length; ++i) x[i] = load_item(at + i);
  }

  /// The rows from `from` on of which this lane has bits in `rest`. Not inlined, so that nothing else is kept in memory
  /// around the calls in it.
  ///
  /// sync       all lanes of the warp
  template <class Left>
  MONOFOLD_GPU_CALL static void fold_rest(const tiny_rows& own, std::int64_t from,
                                          std::uint32_t rest, const Left& left) {
    own.fold_rest_here(from, rest, left);
  }
  template <class Left>
  MONOFOLD_GPU void fold_rest_here(std::int64_t from, std::uint32_t rest, const Left& left) const {
    MONOFOLD_ROLL
    for (int k = 0; k < ahead; ++k) {
      const std::int64_t at = from + k * warp_lanes;
      const std::int64_t row = at + lane_rank();
      bool is_left = (rest >> k & 1) != 0;
      if constexpr (may_refuse) {
        item x[length] = {};
        if (is_left) load(job_.view.data() + row * step_, x);
        if constexpr (is_exact) {
          is_left = is_left && !add(x, row);
        } else {
          if (is_left) job_.sink_of(row, job_.ends_of(row))(job_.f, state_of(x));
        }
      }
      if constexpr (is_exact) {
        if (any_lane(is_left)) {
          left(at, slot_segment{is_left ? job_.segments.begin(row) : 0, is_left ? length : 0,
                                lane_rank()});
        }
      }
    }
  }

  MONOFOLD_GPU bool take_at_once(const item (&x)[length], std::int64_t row) const {
    if constexpr (!is_exact) {
      return give_at_once(job_.f, state_of(x), length, job_.sink_of(row, job_.ends_of(row)));
    } else if constexpr (answers_sum_v<fold>) {
      return add(x, row);
    } else {
      double sum;
      return sum_of(x, sum) && store_at_once(job_.f, sum, length, job_.sinks.of(row).out);
    }
  }

  /// order      the plan's tree
  MONOFOLD_GPU typename fold::state state_of(const item (&x)[length]) const {
    using cells = slot_cells<fold, item, sink>;
    typename cells::cell own[length];
    MONOFOLD_UNROLL
    for (int i = 0; i < length; ++i) own[i] = cells::take(job_.f, x[i], i);
    MONOFOLD_UNROLL
    for (int width = 1; width < length; width *= 2) {
      MONOFOLD_UNROLL
      for (int i = 0; i + width < length; i += 2 * width) {
        own[i] = cells::join(job_.f, own[i], own[i + width]);
      }
    }
    return cells::state_of(job_.f, own[0], length);
  }

  /// Whether the sum is a double, and which.
  MONOFOLD_GPU static bool sum_of(const item (&x)[length], double& sum) {
    sum = double_of_term<term>::of(x[0]);
    if (length == 1) return is_finite(sum);
    bool is_whole = true;
    MONOFOLD_UNROLL
    for (int i = 1; i < length; ++i) {
      const sum_of_two next = two_sum(sum, double_of_term<term>::of(x[i]));
      sum = next.high;
      is_whole = is_whole && next.low == 0;  // not of what is not finite
    }
    return is_whole;
  }

  /// The answer where a double is the sum, or a pair of doubles where the sum is the answer; else false.
  MONOFOLD_GPU bool add(const item (&x)[length], std::int64_t row) const {
    const auto place = job_.sinks.of(row);
    if constexpr (answers_sum_v<fold>) {
      const double first = double_of_term<term>::of(x[0]);
      if (length == 1 && !is_finite(first)) return false;
      sum_of_two sum{first, 0, 0};
      MONOFOLD_UNROLL
      for (int i = 1; i < length; ++i) {
        const sum_of_two high = two_sum(sum.high, double_of_term<term>::of(x[i]));
        if (i == 1) {
          sum = high;
        } else {
          const sum_of_two low = two_sum(sum.low, high.low);
          sum = {high.high, low.high, rounded_sum(sum.lost, absolute(low.low))};
        }
      }
      // What is not finite leaves no number below.
      return sum.low == sum.low && pair_cells<term>::finish(job_.f, sum, length, *place.out);
    } else {
      double sum;
      return sum_of(x, sum) && double_cells<term>::finish(job_.f, sum, length, *place.out);
    }
  }
  MONOFOLD_GPU static bool is_finite(double x) {
    return (bits_as<std::uint64_t>(x) & float_format<double>::infinity) !=
           float_format<double>::infinity;
  }

  const Job& job_;
  std::int64_t step_;  // from row to row
};

/// Whether a fold has tiny rows: by cells of its own, or where a double that is the sum has an answer.
template <class F, class Term>
inline constexpr bool has_tiny_rows_v = std::is_void_v<Term> || answers_double_v<F>;

/// Whether lanes take rows of so many items as they are.
template <class F, class Item, class Term>
constexpr bool are_tiny_rows(std::int64_t length) {
  if (!has_tiny_rows_v<F, Term> || length < 1 || length > most_tiny_items) return false;
  // Sums of doubles are mostly pairs, which other folds than sums take long to answer.
  return std::is_void_v<Term> || sizeof(Item) <= 4 || length == 1 ||
         (length == 2 && answers_sum_v<F>);
}

/// Calls visit(tiny_rows) for rows of so many items, 1 to most_tiny_items.
template <class Job, class Visit>
MONOFOLD_GPU void visit_tiny_rows(const Job& job, int length, const Visit& visit) {
  switch (length) {
    case 1: return visit(tiny_rows<Job, 1>(job));
    case 2: return visit(tiny_rows<Job, 2>(job));
    case 3: return visit(tiny_rows<Job, 3>(job));
    default: return visit(tiny_rows<Job, 4>(job));
  }
}

}  // namespace monofold::detail
