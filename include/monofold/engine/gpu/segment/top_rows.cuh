#pragma once
/// engine/gpu/segment/top_rows: the k best items of each row of an array; rows of axes that lie apart are copied side by
/// side first.

#include <cstdint>
#include <type_traits>
#include <vector>

#include "monofold/engine/gpu/at_each.cuh"
#include "monofold/engine/gpu/device_list.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/segment/row_place.cuh"
#include "monofold/engine/gpu/segment/top_calls.cuh"
#include "monofold/engine/gpu/segment/top_list.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/fold/top.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/array_view.hpp"
#include "monofold/shape/axes.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Copies the rows of an array side by side, an item a call.
template <class Word>
struct copy_rows {
  const Word* from;
  Word* to;
  array_rows rows;

  MONOFOLD_GPU void operator()(std::int64_t i) const {
    const std::int64_t row = i / rows.row_items;
    to[i] = from[place_of_row(rows, row).offset + rows.offset_of_item(i - row * rows.row_items)];
  }
};

/// Where those rows lie: with the same numbers in the result.
inline array_rows rows_side_by_side(array_rows rows) {
  std::int64_t step = rows.row_items;
  for (int k = rows.num_kept; k-- > 0; step *= rows.kept[k].extent) rows.kept[k].stride = step;
  rows.num_reduced = 1;
  rows.reduced[0] = {rows.row_items, 1, 1};
  return rows;
}

/// The k best items of each row of an array.
template <class F, class Item>
class top_rows {
 public:
  /// `copy`: device memory of copy_bytes, which is read and written by the stream alone.
  top_rows(const device_stream& on, const F& f, const array_view<Item>& items,
           const array_rows& rows, int multiprocessors, Item* copy = nullptr)
      : on_(on),
        items_(items),
        rows_(rows),
        copy_(copy),
        view_(are_apart(rows) ? copy : items.data_of_first(),
              are_apart(rows) ? rows.num_rows * rows.row_items : items.size()),
        list_(are_apart(rows) ? rows_side_by_side(rows) : rows),
        path_(f, view_, list_, multiprocessors) {}

  static std::int64_t copy_bytes(const array_rows& rows) {
    if (!are_apart(rows)) return 0;
    return rows.num_rows * rows.row_items * static_cast<std::int64_t>(sizeof(Item));
  }
  /// What a workspace has to have, with room for a copy.
  std::int64_t workspace_bytes() const { return copy_at() + copy_bytes(rows_); }

  /// Leaves the answers at `out`, by a workspace; does not wait.
  static failure start(const device_stream& on, const F& f, const array_view<Item>& items,
                       const array_rows& rows, int multiprocessors, const gpu_workspace& workspace,
                       const top_out<Item>& out) {
    const top_rows own(on, f, items, rows, multiprocessors);
    if (!are_apart(rows)) return own.path_.start(on, workspace, out, false);
    if (auto failed = check_workspace(workspace, on.device)) return failed;
    if (auto failed = check_size(workspace, own.workspace_bytes())) return failed;
    char* const memory = static_cast<char*>(workspace.states()) - gpu_workspace::fixed_bytes;
    const top_rows copied(on, f, items, rows, multiprocessors,
                          reinterpret_cast<Item*>(memory + own.copy_at()));
    if (auto failed = copied.bring()) return failed;
    return copied.path_.start(on, workspace, out, false);
  }
  /// Waits for the answers.
  ///
  /// errors     throws `error`
  static std::vector<result<top_answer<Item>>> wait(const device_stream& on, const F& f,
                                                    const array_view<Item>& items,
                                                    const array_rows& rows, int multiprocessors) {
    device_list<Item> memory;
    if (are_apart(rows)) {
      throw_if(check_waitable(on));
      memory = device_list<Item>(on, rows.num_rows * rows.row_items);
    }
    const top_rows own(on, f, items, rows, multiprocessors, memory.data());
    if (are_apart(rows)) throw_if(own.bring());
    std::int64_t bad = -1;
    return own.path_.wait(on, false, bad);
  }

 private:
  /// Whether memory does not walk the reduced axes as one.
  static bool are_apart(const array_rows& rows) { return rows.num_reduced > 1; }

  /// Where a copy lies in a workspace: behind what the kernels need.
  std::int64_t copy_at() const { return (path_.workspace_bytes() + 255) / 256 * 256; }

  failure bring() const {
    using word = word_of_item<Item>;
    if (rows_.row_items == 0) return {};
    if (auto failed =
            check_pointer(items_.data_of_first(), "the array", alignof(Item), on_.device)) {
      return failed;
    }
    at_each(on_, rows_.num_rows * rows_.row_items,
            copy_rows<word>{reinterpret_cast<const word*>(items_.data_of_first()),
                            reinterpret_cast<word*>(copy_), rows_});
    return {};
  }

  device_stream on_;
  const array_view<Item>& items_;
  const array_rows& rows_;
  Item* copy_;
  contiguous_view<Item> view_;
  top_list list_;
  top_segments<F, contiguous_view<Item>, top_list> path_;
};

}  // namespace monofold::detail
