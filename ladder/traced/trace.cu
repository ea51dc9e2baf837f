// The way in: plays rungs and their mistakes for the tool and the tests.

#include <algorithm>

#include "ladder/rungs.cuh"
#include "ladder/traced/block_mistakes.cuh"
#include "ladder/traced/grid_mistakes.cuh"
#include "ladder/traced/mistakes.hpp"
#include "ladder/traced/run_rung.cuh"
#include "ladder/traced/warp_mistakes.cuh"
#include "monofold/platform/version.hpp"

namespace monofold::ladder {

namespace {

/// The fold of an operator; items are int32, or made of 32-bit numbers.
template <trace_operation op>
struct fold_of;
template <>
struct fold_of<trace_operation::sum> {
  using type = sum_of<std::int32_t>;
};
template <>
struct fold_of<trace_operation::max> {
  using type = max_of<std::int32_t>;
};
template <>
struct fold_of<trace_operation::matmul> {
  using type = product_of<std::uint32_t>;
};
template <>
struct fold_of<trace_operation::top2> {
  using type = two_largest_of<std::int32_t>;
};
template <>
struct fold_of<trace_operation::letters> {
  using type = letters_of<std::int32_t>;
};

constexpr bool adds_atomically(rung_id which) {
  return which == rung_id::grid_atomic || which == rung_id::grid_atomic_warp_sync ||
         which == rung_id::grid_atomic_shuffle;
}

/// Letters go where order is not kept too: that it is not is what they show.
constexpr bool plays(rung_id which, trace_operation op) {
  const rung& facts = info(which);
  switch (op) {
    case trace_operation::sum: return takes(facts, operation::sum, element_type::int32);
    case trace_operation::max: return takes(facts, operation::max, element_type::int32);
    case trace_operation::matmul: return takes(facts, operation::matmul, element_type::int32);
    case trace_operation::top2: return takes(facts, operation::top2, element_type::int32);
    case trace_operation::letters: break;
  }
  return facts.who != level::selection && which != rung_id::warp_redux &&
         which != rung_id::engine && !adds_atomically(which);
}

template <trace_operation op>
rung_function<typename fold_of<op>::type> starter(const trace_request& what) {
  using fold = typename fold_of<op>::type;
  if (what.is_mistaken) {
#define MONOFOLD_MISTAKE_START(name, shown_by, ...)                \
  if constexpr (op == trace_operation::shown_by) {                 \
    if (what.which == rung_id::name) return &mistakes::name<fold>; \
  }
    MONOFOLD_MISTAKES(MONOFOLD_MISTAKE_START)
#undef MONOFOLD_MISTAKE_START
    return nullptr;
  }
  switch (what.which) {
#define MONOFOLD_RUNG_START(name, ...)                          \
  case rung_id::name:                                           \
    if constexpr (plays(rung_id::name, op)) return &name<fold>; \
    break;
    MONOFOLD_LADDER(MONOFOLD_RUNG_START)
#undef MONOFOLD_RUNG_START
  }
  return nullptr;
}

std::string operators_of(rung_id which) {
  std::string out;
  for (std::size_t i = 0; i < trace_operation_names.size(); ++i) {
    if (!plays(which, static_cast<trace_operation>(i))) continue;
    out += (out.empty() ? "" : ", ") + std::string(trace_operation_names[i]);
  }
  return out;
}

/// The mistake whose items a run takes; null: none.
const mistake* shown_mistake(const trace_request& what) {
  if (what.is_mistaken) return mistake_of(what.which);
  return what.like_mistake_of ? mistake_of(*what.like_mistake_of) : nullptr;
}

/// Why a request cannot be played; empty: it can, and `row` says with what.
std::string why_not_played(const trace_request& what, trace_row& row) {
  const rung& facts = info(what.which);
  const mistake* const wrong = shown_mistake(what);
  if (what.is_mistaken && wrong == nullptr) {
    return "has a mistake that cannot be played: " + std::string(why_unplayed(what.which));
  }
  const trace_operation first =
      plays(what.which, trace_operation::sum) ? trace_operation::sum : trace_operation::top2;
  row.op = what.op.value_or(wrong != nullptr ? wrong->op : first);
  if (what.is_mistaken && (row.op != wrong->op || what.n.value_or(wrong->n) != wrong->n)) {
    return "shows its mistake with " + std::to_string(wrong->n) + " items and " +
           std::string(name_of(wrong->op)) + " alone";
  }
  if (!plays(what.which, row.op)) {
    return "is played with " + operators_of(what.which) + ", not " + std::string(name_of(row.op));
  }
  const bool is_word = row.op == trace_operation::letters;
  const std::int64_t most = is_word ? most_traced_letters : most_traced_items;
  const std::int64_t usual = facts.who == level::warp ? 32 : facts.who == level::grid ? 256 : 128;
  row.n = what.n.value_or(wrong != nullptr ? wrong->n : std::min(usual, most));
  if (row.n > most) {
    return "n is " + std::to_string(row.n) + "; a page shows up to " + std::to_string(most) +
           (is_word ? " letters" : " items");
  }
  if (row.n < 1) return "n is " + std::to_string(row.n) + "; a page needs an item";
  row.n = items_taken(facts, row.n);
  // Beside a mistake that is one of n: whole blocks.
  if (what.like_mistake_of && !what.n) row.n -= row.n % facts.needs.multiple_of;
  if (!what.is_mistaken && row.n % facts.needs.multiple_of != 0) {
    return "has no bounds test: n must be a multiple of " +
           std::to_string(facts.needs.multiple_of) + ", not " + std::to_string(row.n);
  }
  return {};
}

template <trace_operation op>
std::string play_with(const trace_request& what, trace_row& row) {
  const mistake* const wrong = shown_mistake(what);
  const likeness like = wrong == nullptr ? likeness::usual : wrong->like;
  const int calls = what.is_mistaken ? wrong->calls : 1;
  // Letters say themselves who has met whom, and sums that round cannot tell.
  const bool tells = op != trace_operation::letters && like != likeness::one_large;
  const auto of_sum = tells ? starter<trace_operation::sum>(what) : nullptr;
  return trace_run<typename fold_of<op>::type>(starter<op>(what), of_sum, what, like, calls, row);
}

std::string play(const trace_request& what, trace_row& row) {
  switch (row.op) {
    case trace_operation::sum: return play_with<trace_operation::sum>(what, row);
    case trace_operation::max: return play_with<trace_operation::max>(what, row);
    case trace_operation::matmul: return play_with<trace_operation::matmul>(what, row);
    case trace_operation::top2: return play_with<trace_operation::top2>(what, row);
    case trace_operation::letters: break;
  }
  return play_with<trace_operation::letters>(what, row);
}

}  // namespace

}  // namespace monofold::ladder

extern "C" __attribute__((visibility("default"))) const char* monofold_ladder_trace_version() {
  return monofold::version;
}

extern "C" __attribute__((visibility("default"))) void monofold_ladder_trace(
    const std::vector<monofold::ladder::trace_request>& what, monofold::ladder::trace_answer& out) {
  using namespace monofold::ladder;
  std::vector<std::string> runs;
  std::string title = "monofold";
  bool is_refused = false;
  for (const trace_request& one : what) {
    trace_row row;
    row.name = info(one.which).name;
    row.refused = why_not_played(one, row);
    is_refused = is_refused || !row.refused.empty();
    if (!is_refused) runs.push_back(play(one, row));
    title += (out.rows.empty() ? ": " : ", ") + row.name;
    if (one.is_mistaken) title += " (its mistake)";
    out.rows.push_back(std::move(row));
  }
  if (is_refused) return;
  out.json = monofold::trace::document(runs);
  out.page = monofold::trace::page(out.json, title);
}
