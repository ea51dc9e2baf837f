/// runtime/gpu/rows/merged_axes: copies an array with its axes in another order.

#include "runtime/gpu/rows/merged_axes.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>

#include "monofold/engine/gpu/at_each.cuh"
#include "monofold/engine/gpu/device_list.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/quotient.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold::runtime {

namespace {

/// Axes of the copy, outermost first, and how far their words lie from each other in the array.
struct copied_axes {
  int count = 0;
  std::int64_t extent[max_axes] = {};
  std::int64_t stride[max_axes] = {};
  monofold::detail::short_divisor divisor[max_axes] = {};

  void append(std::int64_t length, std::int64_t step) {
    if (length == 1) return;
    divisor[count] = monofold::detail::short_divisor::of(length);
    extent[count] = length;
    stride[count++] = step;
  }
  /// Where word `i` of the copy lies in the array.
  MONOFOLD_HD std::int64_t offset_of(std::int64_t i) const {
    std::int64_t offset = 0;
    for (int k = count; k-- > 1;) {
      offset += i % extent[k] * stride[k];
      i /= extent[k];
    }
    return offset + i * stride[0];
  }
  /// The same, of fewer than 2^31 words.
  MONOFOLD_HD std::int64_t short_offset_of(std::uint32_t i) const {
    std::int64_t offset = 0;
    for (int k = count; k-- > 1;) {
      const std::uint32_t quotient = divisor[k].quotient_of(i);
      const std::uint32_t rest = i - quotient * static_cast<std::uint32_t>(extent[k]);
      offset += static_cast<std::int64_t>(rest) * stride[k];
      i = quotient;
    }
    return offset + static_cast<std::int64_t>(i) * stride[0];
  }
};

/// The most bytes, up to 16, of which whole words are copied: an item's where the last axis has gaps.
int word_bytes(const void* first, const axis_step* axes, int count, int item_bytes) {
  if (axes[count - 1].stride != 1) return item_bytes;
  auto all = reinterpret_cast<std::uintptr_t>(first) |
             static_cast<std::uintptr_t>(axes[count - 1].extent * item_bytes) | 16;
  for (int k = 0; k + 1 < count; ++k) {
    all |= static_cast<std::uintptr_t>(axes[k].stride * item_bytes);
  }
  const auto lowest = static_cast<int>(all & (~all + 1));
  return lowest > item_bytes ? lowest : item_bytes;
}

/// A thread copies some words, `step` apart, whose loads are on their way together: one where words have 16 bytes.
///
/// source     one H200: by words of 4 bytes four at once take 0.86 of the time, of 16 bytes 1.02
struct copy_words {
  MONOFOLD_HD static constexpr int words_at_once(int bytes) { return bytes == 16 ? 1 : 4; }

  const void* from;
  copied_axes axes;
  void* to;
  std::int64_t words;
  std::int64_t step;
  std::int32_t bytes;

  MONOFOLD_GPU void operator()(std::int64_t i) const {
    switch (bytes) {
      case 1: return copy<std::uint8_t>(i);
      case 2: return copy<std::uint16_t>(i);
      case 4: return copy<std::uint32_t>(i);
      case 8: return copy<std::uint64_t>(i);
      default: return copy<monofold::detail::bytes16>(i);
    }
  }

 private:
  template <class Word>
  MONOFOLD_GPU void copy(std::int64_t i) const {
    constexpr int at_once = words_at_once(sizeof(Word));
    const bool is_short = words < std::int64_t{1} << 31;
    Word own[at_once];
    MONOFOLD_UNROLL
    for (int k = 0; k < at_once; ++k) {
      const std::int64_t word = i + k * step;
      if (word >= words) break;
      own[k] = static_cast<const Word*>(
          from)[is_short ? axes.short_offset_of(static_cast<std::uint32_t>(word))
                         : axes.offset_of(word)];
    }
    MONOFOLD_UNROLL
    for (int k = 0; k < at_once; ++k) {
      if (i + k * step < words) static_cast<Word*>(to)[i + k * step] = own[k];
    }
  }
};

}  // namespace

merged_items merge_axes(const void* first, dtype type, const array_rows& rows, cudaStream_t stream,
                        int device) {
  using bytes_list = monofold::detail::device_list<char>;
  const auto distance = [](const axis_step& axis) {
    return monofold::detail::distance(axis.stride);
  };
  std::int64_t nearest = distance(rows.reduced[0]);
  for (int k = 1; k < rows.num_reduced; ++k) {
    if (distance(rows.reduced[k]) < nearest) nearest = distance(rows.reduced[k]);
  }
  int outer = 0;  // kept axes around the rows' items
  while (outer < rows.num_kept && distance(rows.kept[outer]) >= nearest) ++outer;

  axis_step steps[max_axes];  // of the copy, in items
  int num_steps = 0;
  for (int k = 0; k < outer; ++k) steps[num_steps++] = rows.kept[k];
  for (int k = 0; k < rows.num_reduced; ++k) steps[num_steps++] = rows.reduced[k];
  for (int k = outer; k < rows.num_kept; ++k) steps[num_steps++] = rows.kept[k];

  array_rows merged = rows;
  merged.num_reduced = 1;
  std::int64_t stride = 1;  // in the copy, from its last axis on
  const auto place = [&](int k) {
    merged.kept[k].stride = stride;
    stride *= merged.kept[k].extent;
  };
  for (int k = rows.num_kept; k-- > outer;) place(k);
  merged.reduced[0] = {rows.row_items, stride, 1};
  stride *= rows.row_items;
  for (int k = outer; k-- > 0;) place(k);
  merged.num_kept = monofold::detail::join_axes(rows.num_kept, merged.kept);

  const auto item_bytes = static_cast<int>(monofold::info(type).size_bytes);
  const int bytes = word_bytes(first, steps, num_steps, item_bytes);
  const int word_items = bytes / item_bytes;
  copied_axes axes;
  for (int k = 0; k + 1 < num_steps; ++k) {
    axes.append(steps[k].extent, steps[k].stride / word_items);
  }
  axes.append(steps[num_steps - 1].extent / word_items, steps[num_steps - 1].stride);

  const monofold::detail::device_stream on{stream, device};
  const std::int64_t words = rows.num_rows * rows.row_items / word_items;
  const auto memory = std::make_shared<bytes_list>(on, words * bytes);
  const int at_once = copy_words::words_at_once(bytes);
  const std::int64_t step = (words + at_once - 1) / at_once;
  monofold::detail::at_each(on, step, copy_words{first, axes, memory->data(), words, step, bytes});
  return {std::shared_ptr<void>(memory, memory->data()), merged};
}

}  // namespace monofold::runtime
