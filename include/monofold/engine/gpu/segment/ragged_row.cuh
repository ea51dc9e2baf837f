#pragma once
/// engine/gpu/segment/ragged_row: loads a row that begins or ends within 16-byte chunks, for sums in any order.
///
/// A lane loads whole chunks, as of rows of these. What belongs to other rows is cleared, so that it adds nothing.

#include <cstdint>

#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/slot_cells.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// A chunk from item `from` on of `length` items, and zeros in place of what is none of these. Not inlined, since it is
/// rare.
template <class Term, class Item>
MONOFOLD_GPU_CALL bytes16 load_few(const Item* items, int from, int length) {
  using format = term_format<Term>;
  bytes16 out = format::outside();
  MONOFOLD_UNROLL
  for (int v = 0; v < format::chunk_items; ++v) {
    const int at = from + v;
    if (at >= 0 && at < length) set_item(out, v, load_item(items + at));
  }
  return out;
}

/// A row of `length` items from `first` on, seen by lane `member` of its team: chunks are counted from the one in which
/// the first item lies.
template <class Term>
class ragged_row {
 public:
  using item = typename Term::item;
  using format = term_format<Term>;
  static constexpr int each = format::chunk_items;

  MONOFOLD_GPU ragged_row(const item* first, int length, int member)
      : first_(first),
        length_(length),
        from_(length == 0 ? 0
                          : member * each - bytes_past_16(first) / static_cast<int>(sizeof(item))) {
  }

  /// Chunks `member`, `member` + 32, .. as they lie in memory; zeros behind the row.
  ///
  /// shape      the array has all bytes of these chunks
  template <int depth>
  MONOFOLD_GPU void load(bytes16 (&raw)[depth]) const {
    MONOFOLD_UNROLL
    for (int k = 0; k < depth; ++k) {
      const int from = from_ + k * warp_lanes * each;
      raw[k] = format::outside();
      if (from < length_) raw[k] = load_16(first_ + from);
    }
  }
  /// Clears what belongs to other rows.
  template <int depth>
  MONOFOLD_GPU void clear(bytes16 (&raw)[depth]) const {
    MONOFOLD_UNROLL
    for (int k = 0; k < depth; ++k) {
      const int from = from_ + k * warp_lanes * each;
      if (from >= 0 && from + each <= length_) continue;
      MONOFOLD_UNROLL
      for (int v = 0; v < each; ++v) {
        if (from + v < 0 || from + v >= length_) format::clear_item(raw[k], v);
      }
    }
  }
  /// The same by items: of any row.
  template <int depth>
  MONOFOLD_GPU void load_items(bytes16 (&raw)[depth]) const {
    MONOFOLD_UNROLL
    for (int k = 0; k < depth; ++k) {
      raw[k] = load_few<Term>(first_, from_ + k * warp_lanes * each, length_);
    }
  }

 private:
  const item* first_;
  int length_;
  int from_;  // the first item of this lane's first chunk
};

}  // namespace monofold::detail
