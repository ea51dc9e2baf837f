/// runtime/gpu/rows/top_rows: the k best items of rows, and where they are.

#include <cstdint>
#include <memory>

#include "monofold/fold/word_order.hpp"
#include "monofold/plan/top_launch.hpp"
#include "runtime/gpu/rows/row_pass_of.cuh"

namespace monofold::runtime {

namespace {

template <class Word>
class top_row_pass final : public row_pass {
 public:
  top_row_pass(const monofold::detail::word_order<Word>& order, std::int64_t k)
      : order_(order), k_(k) {}

  bool reads_apart(const device_row_items&) const override { return false; }
  void start(const device_row_items& items, const row_store& store, row_room& room) const override {
    using monofold::detail::top_list;
    const bool has_starts = items.starts != nullptr;
    const top_list list =
        has_starts ? top_list(items.starts, items.stops, items.num_segments) : top_list(items.rows);
    const std::int64_t size = has_starts ? items.num_items : items.rows.row_items;
    const monofold::detail::top_rows_path<Word, top_list> path(order_, k_, size, list,
                                                               room.multiprocessors());
    const gpu_workspace& workspace = workspace_of(room, path.workspace_bytes());
    if (has_starts) room.look_for_bad_segments_at(workspace.segment_report());
    monofold::detail::throw_if(
        path.start({room.stream(), room.device()}, workspace, static_cast<const Word*>(items.first),
                   {static_cast<Word*>(store.values), store.indices, store.failed}, false));
  }

 private:
  monofold::detail::word_order<Word> order_;
  std::int64_t k_;
};

}  // namespace

std::unique_ptr<row_pass> make_top_row_pass(const row_question& what, const row_rules& rules) {
  using monofold::detail::nan_place;
  const bool is_smallest = what.op == operation::bottom;
  if ((what.op != operation::top && !is_smallest) || what.to != what.type) return nullptr;
  if (what.k > max_top_items) return nullptr;
  const nan_place place = rules.omit_nan    ? nan_place::none
                          : rules.raise_nan ? nan_place::first
                                            : nan_place::last;
  return visit_words(
      what.type, [&]<class Word>(Word sign, Word infinite) -> std::unique_ptr<row_pass> {
        return std::make_unique<top_row_pass<Word>>(
            monofold::detail::word_order_of<Word>(sign, infinite, is_smallest, place), what.k);
      });
}

}  // namespace monofold::runtime
