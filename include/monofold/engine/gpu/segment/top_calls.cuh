#pragma once
/// engine/gpu/segment/top_calls: calls for the k best items of each segment: they check arguments, start kernels, and
/// wait.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/gpu/dispatch.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/segment/top_path.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/fold/top.hpp"
#include "monofold/fold/word_order.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// The unsigned integer that has an item's bits.
template <class Item>
using word_of_item = std::conditional_t<
    sizeof(Item) == 1, std::uint8_t,
    std::conditional_t<sizeof(Item) == 2, std::uint16_t,
                       std::conditional_t<sizeof(Item) == 4, std::uint32_t, std::uint64_t>>>;

/// The order of items by which a fold picks.
template <class F>
constexpr auto order_of_top_fold() {
  using facts = top_fold_facts<F>;
  using item = typename F::item_type;
  using word = word_of_item<item>;
  constexpr auto highest = static_cast<word>(word{1} << (8 * sizeof(word) - 1));
  constexpr nan_place place = facts::rule == nan_rule::omit ? nan_place::none : nan_place::last;
  if constexpr (is_floating_v<item>) {
    return word_order_of<word>(highest, static_cast<word>(float_format<item>::infinity),
                               facts::smallest, place);
  } else {
    return word_order_of<word>(std::is_signed_v<item> ? highest : word{0}, word{0}, facts::smallest,
                               place);
  }
}

/// A search for the k best items of each segment of a view; it lives for one call.
template <class F, class View, class Segments>
class top_segments {
 public:
  using item = typename View::item_type;
  using word = word_of_item<item>;
  using answer = top_answer<item>;
  static_assert(contiguous_item_view<View>,
                "on a GPU top and bottom take items that lie next to each other in memory: a "
                "std::span or contiguous_view");
  static_assert(std::is_same_v<item, typename F::item_type>,
                "the fold is for items of another type");

  top_segments(const F& f, const View& view, const Segments& segments, int multiprocessors)
      : k_(f.k),
        view_(view),
        segments_(segments),
        path_(order_of_top_fold<F>(), f.k, static_cast<std::int64_t>(view.size()), segments,
              multiprocessors) {}

  std::int64_t workspace_bytes() const { return path_.workspace_bytes(); }

  /// Checks what a caller gave, and starts the kernels.
  failure start(const device_stream& on, const gpu_workspace& workspace, const top_out<item>& out,
                bool from_view) const {
    if (auto failed = check_view(view_, on.device)) return failed;
    const std::int64_t count = count_of(segments_);
    if (count < 0) return {status::invalid_argument, "a negative count of segments"};
    if (auto failed = path_.failure_of_k()) return failed;
    if (count == 0) return {};
    if (k_ > 0) {
      if (auto failed = check_pointer(out.values, "the values' place", alignof(item), on.device)) {
        return failed;
      }
      if (auto failed =
              check_pointer(out.indices, "the indices' place", alignof(std::int64_t), on.device)) {
        return failed;
      }
    }
    if (auto failed = check_workspace(workspace, on.device)) return failed;
    if (auto failed = check_size(workspace, workspace_bytes())) return failed;
    return path_.start(on, workspace, reinterpret_cast<const word*>(view_.data()),
                       {reinterpret_cast<word*>(out.values), out.indices, nullptr}, from_view);
  }

  /// Starts the kernels and waits: a `result` for each segment. `bad` is the lowest segment that is wrong, or -1; if
  /// it is not -1, the results mean nothing.
  ///
  /// errors     throws `error`: as `start`
  std::vector<result<answer>> wait(const device_stream& on, bool from_view,
                                   std::int64_t& bad) const {
    const std::int64_t count = std::max<std::int64_t>(count_of(segments_), 0);
    throw_if(path_.failure_of_k());
    throw_if(check_waitable(on));
    if (k_ > 0 && count > (std::int64_t{1} << 56) / k_) {
      throw error(status::out_of_memory, std::to_string(count) + " rows of k items");
    }
    awaited_state& place = awaited_state::of_device(on.device);
    // Indices, then values, behind the workspace.
    const std::int64_t indices_at = (workspace_bytes() + 255) / 256 * 256;
    const std::int64_t indices_bytes = count * k_ * 8;
    const std::int64_t values_bytes = count * k_ * static_cast<std::int64_t>(sizeof(item));
    throw_if(place.reserve(0, indices_at + indices_bytes + values_bytes));
    char* const memory =
        static_cast<char*>(place.workspace().states()) - gpu_workspace::fixed_bytes + indices_at;
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count * k_), -1);
    std::vector<word> values(static_cast<std::size_t>(count * k_));
    std::uint64_t report[2] = {};
    // Index -1: no answer was written.
    auto failed = copy(on, memory, indices.data(), indices_bytes, cudaMemcpyHostToDevice);
    if (!failed) {
      failed = start(on, place.workspace(),
                     {reinterpret_cast<item*>(memory + indices_bytes),
                      reinterpret_cast<std::int64_t*>(memory)},
                     from_view);
    }
    if (!failed) failed = bring(on, indices.data(), memory, indices_bytes);
    if (!failed) failed = bring(on, values.data(), memory + indices_bytes, values_bytes);
    if (!failed) failed = bring(on, report, place.workspace().segment_report(), sizeof(report));
    if (!failed) failed = failure_of(cudaStreamSynchronize(on.stream), "cudaStreamSynchronize");
    if (failed) place.discard_workspace();
    throw_if(failed);
    bad =
        count > 0 && path_.reports() && report[0] != 0 ? static_cast<std::int64_t>(~report[0]) : -1;
    return answers_of(indices, values, count);
  }

 private:
  static failure copy(const device_stream& on, void* to, const void* from, std::int64_t bytes,
                      cudaMemcpyKind kind) {
    return failure_of(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kind, on.stream),
                      "cudaMemcpyAsync");
  }
  static failure bring(const device_stream& on, void* to, const void* from, std::int64_t bytes) {
    return copy(on, to, from, bytes, cudaMemcpyDeviceToHost);
  }
  std::vector<result<answer>> answers_of(const std::vector<std::int64_t>& indices,
                                         const std::vector<word>& values,
                                         std::int64_t count) const {
    std::vector<result<answer>> out;
    out.reserve(static_cast<std::size_t>(count));
    for (std::int64_t s = 0; s < count; ++s) {
      answer own;
      for (std::int64_t i = s * k_; i < (s + 1) * k_; ++i) {
        own.indices.push_back(indices[static_cast<std::size_t>(i)]);
        own.values.push_back(bits_as<item>(values[static_cast<std::size_t>(i)]));
      }
      if (k_ > 0 && own.indices.front() < 0) {
        out.push_back(status::empty_input);
      } else {
        out.push_back(std::move(own));
      }
    }
    return out;
  }

  std::int64_t k_;
  const View& view_;
  const Segments& segments_;
  top_rows_path<word, Segments> path_;
};

}  // namespace monofold::detail
