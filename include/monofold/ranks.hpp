#pragma once
/// ranks: one call that reduces items which the ranks of an MPI communicator hold together.
///
/// The caller brings MPI: compile with its wrapper (mpicxx), and call MPI_Init. No other header of this library,
/// and no library of it, needs MPI.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "monofold/engine/mpi/pending.hpp"
#include "monofold/engine/mpi/ranks.hpp"
#include "monofold/plan/split.hpp"
#include "monofold/reduce.hpp"

namespace monofold {

namespace detail {

inline void throw_if(const rank_trouble& trouble) {
  if (trouble) throw error(trouble.code, trouble.why);
}

/// Calls put(i, answer) for each field, or says what keeps a rank from its part.
template <class F, class Inner, class View, class Put>
rank_trouble reduce_fields(const ranks_engine<Inner>& engine, const std::vector<View>& fields,
                           const F& f, const Put& put, int root = every_rank) {
  using bound = bound_fold_t<F, typename View::item_type>;
  const bound fold = bind_fold<typename View::item_type>(f);
  return rank_reduction(engine, fold, fields, root).run(put);
}

template <class F, class Fields>
auto views_for(const Fields& fields) {
  std::vector<folded_view_t<std::ranges::range_value_t<Fields>, F>> views;
  views.reserve(static_cast<std::size_t>(std::ranges::distance(fields)));
  for (const auto& field : fields) views.push_back(view_for<F>(field));
  return views;
}

}  // namespace detail

/// The answer for the items of all ranks, in the order of the ranks, on each of them.
///
/// shape      each rank gives a range of its own length, which may be 0; all give the same fold
/// order      that of one call on all items, and its bits: for any number of ranks, however the items are spread
///            and whichever engine a rank has. Where a fold is not exact, items of tiles that ranks share travel
///            (at most two tiles a rank); none do where ranks hold what `tile_split` says. Indices count
///            through all ranks
/// sync       collective: every rank of the communicator calls it, with blocking calls in the same order.
///            MPI_THREAD_FUNNELED is enough. No message of the caller is touched: it sends nothing itself
/// errors     the same on all ranks: that of the lowest rank whose range or fold gives one, else what `finish`
///            returns. A fold's exception is `internal` with its text. On this rank alone: invalid_argument for
///            a communicator that is none
/// cost       folds with `has_wire_v`: one MPI_Allreduce of int64. Extrema, bits: one MPI_Allgather of a state a
///            rank. Others: one of counts, then MPI_Allgatherv of up to 124 states and two tiles a rank. States
///            of more ranks than `ranks_engine::most_gathered` (256) are joined by a tree of neighbours: as many
///            rounds as their number has bits, and MPI_Bcast of the answer's state
/// tested by  tests/mpi/ranks_check.cpp
template <class Inner, reducible Range, class F>
requires folded_range<Range, F>
auto try_reduce(const ranks_engine<Inner>& engine, const Range& range, const F& f)
    -> result<answer_t<bound_fold_t<F, folded_item_t<Range, F>>>> {
  result<answer_t<bound_fold_t<F, folded_item_t<Range, F>>>> answer;
  const detail::rank_trouble trouble =
      detail::reduce_fields<F>(engine, std::vector{detail::view_for<F>(range)}, f,
                               [&](std::int64_t, const auto& one) { answer = one; });
  return trouble ? trouble.code : answer;
}

/// The same, returning the bare value.
///
/// errors     throws `error` with the status, and where it comes from a rank that rank and its reason
template <class Inner, reducible Range, class F>
requires folded_range<Range, F>
auto reduce(const ranks_engine<Inner>& engine, const Range& range, const F& f) {
  result<answer_t<bound_fold_t<F, folded_item_t<Range, F>>>> answer;
  detail::throw_if(detail::reduce_fields<F>(engine, std::vector{detail::view_for<F>(range)}, f,
                                            [&](std::int64_t, const auto& one) { answer = one; }));
  return answer.value();
}

/// The answer on rank `root` alone; the other ranks get none.
///
/// errors     the same on all ranks, as above; on each alone: invalid_argument for a `root` that is no rank. If the
///            data has no answer (the largest of no items), only the root says so
/// cost       folds with `has_wire_v`: MPI_Reduce of int64, and MPI_Bcast of one. Others: the tree of neighbours
/// tested by  tests/mpi/root_check.cpp
template <class Inner, reducible Range, class F>
requires folded_range<Range, F>
auto reduce_to(int root, const ranks_engine<Inner>& engine, const Range& range, const F& f) {
  using answer_type = answer_t<bound_fold_t<F, folded_item_t<Range, F>>>;
  std::optional<result<answer_type>> answer;
  detail::throw_if(detail::reduce_fields<F>(
      engine, std::vector{detail::view_for<F>(range)}, f,
      [&](std::int64_t, const auto& one) { answer.emplace(one); }, root));
  return answer ? std::optional<answer_type>(answer->value()) : std::nullopt;
}

/// Starts a reduction of what all ranks hold, and returns while its message is on its way.
///
/// shape      as `reduce`, of folds whose states add up (`has_wire_v`): exact sums, means, norms, moments, dot
///            products, counts, sums of integers. Others do not compile: they take two messages or more, each of which
///            needs the one before
/// sync       collective: non-blocking calls are made in the same order on all ranks. This rank's items are folded
///            before it returns, and may then change. `test()` says whether the answer is there, `wait()` gives it,
///            once, and must be called by every rank; ranks wait for several in the same order
/// errors     `wait()` throws what `reduce` throws, on all ranks
/// cost       one MPI_Iallreduce of int64
/// tested by  tests/mpi/root_check.cpp
template <class Inner, reducible Range, class F>
requires folded_range<Range, F> && has_wire_v<bound_fold_t<F, folded_item_t<Range, F>>>
auto reduce_async(const ranks_engine<Inner>& engine, const Range& range, const F& f) {
  using item = folded_item_t<Range, F>;
  return pending_answer<bound_fold_t<F, item>>(engine, bind_fold<item>(f),
                                               std::vector{detail::view_for<F>(range)});
}

/// Reduces several fields, each spread over the ranks, by the messages of one field: thousands of exact sums are
/// one MPI_Allreduce.
///
/// shape      a range of ranges: as many on every rank, of any lengths. Masks and products are views and folds:
///            `zip`, `sum | where(p)`, `dot`
/// order      each answer has the bits that its field has alone
/// errors     throws `error` as `reduce`; a field without an answer says so in its own result alone
/// tested by  tests/mpi/ranks_check.cpp
template <class Inner, class Fields, class F>
requires folded_range<std::ranges::range_value_t<Fields>, F>
auto reduce_many(const ranks_engine<Inner>& engine, const Fields& fields, const F& f) {
  using range = std::ranges::range_value_t<Fields>;
  std::vector<result<answer_t<bound_fold_t<F, folded_item_t<range, F>>>>> answers;
  const auto views = detail::views_for<F>(fields);
  answers.reserve(views.size());
  detail::throw_if(detail::reduce_fields<F>(
      engine, views, f, [&](std::int64_t, const auto& one) { answers.push_back(one); }));
  return answers;
}

/// Starts that, and goes on: all of `reduce_async` holds, and what `wait()` gives is what `reduce_many` gives.
///
/// tested by  tests/mpi/root_check.cpp
template <class Inner, class Fields, class F>
requires folded_range<std::ranges::range_value_t<Fields>, F> &&
    has_wire_v<bound_fold_t<F, folded_item_t<std::ranges::range_value_t<Fields>, F>>>
auto reduce_many_async(const ranks_engine<Inner>& engine, const Fields& fields, const F& f) {
  using item = folded_item_t<std::ranges::range_value_t<Fields>, F>;
  return pending_answers<bound_fold_t<F, item>>(engine, bind_fold<item>(f),
                                                detail::views_for<F>(fields));
}

}  // namespace monofold
