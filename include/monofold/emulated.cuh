#pragma once
/// emulated: one call that reduces host memory by the GPU's kernels, which run on the CPU.

#if !defined(MONOFOLD_EMULATED)
#error "monofold/emulated.cuh is for targets that link monofold::emulated (docs/emulated.md)"
#endif

#include <cuda_runtime_api.h>

#include <cstdint>

#include "monofold/fold/fold.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/reduce.cuh"
#include "monofold/shape/view.hpp"

namespace monofold {

/// The emulated device as an engine that takes host memory. (`gpu` means the same device where
/// monofold::emulated is linked, and takes memory of cudaMalloc.)
struct emulated_engine {};

inline constexpr emulated_engine emulated{};

namespace detail {

/// A copy of host items in the emulated device's memory, where reads past their end are seen.
template <class Item>
class emulated_copy {
 public:
  emulated_copy() = default;
  emulated_copy(const emulated_copy&) = delete;
  emulated_copy& operator=(const emulated_copy&) = delete;
  ~emulated_copy() { static_cast<void>(cudaFree(memory_)); }

  failure make_room(std::int64_t size) {
    size_ = size;
    const auto bytes = static_cast<std::size_t>(size) * sizeof(Item);
    return failure_of(cudaMalloc(&memory_, bytes), "cudaMalloc");
  }
  failure make(const contiguous_view<Item>& from) {
    if (auto failed = make_room(from.size())) return failed;
    const auto bytes = static_cast<std::size_t>(size_) * sizeof(Item);
    return failure_of(cudaMemcpy(memory_, from.data(), bytes, cudaMemcpyHostToDevice),
                      "cudaMemcpy");
  }
  Item* data() const { return static_cast<Item*>(memory_); }
  contiguous_view<Item> view() const { return {data(), size_}; }

 private:
  void* memory_ = nullptr;
  std::int64_t size_ = 0;
};

template <class F, class View>
auto reduce_emulated(const View& view, const F& f, failure& failed) -> result<answer_t<F>> {
  if constexpr (contiguous_item_view<View>) {
    using item = typename View::item_type;
    if (view.size() > 0 && view.data() != nullptr) {
      emulated_copy<item> copy;
      failed = copy.make(contiguous_view<item>(view.data(), view.size()));
      if (failed) return failed.code;
      return reduce_and_wait(gpu, copy.view(), f, failed);
    }
  }
  return reduce_and_wait(gpu, view, f, failed);
}

}  // namespace detail

/// Reduces a range in host memory, by the kernels of the GPU engine, on the emulated device.
///
/// shape      as `reduce` on the CPU: a contiguous range, which is copied, or any view, whose reads
///            of host memory are not checked
/// order      the plan's tree: the bits of the CPU engine and of a GPU
/// sync       returns with the answer; calls of several threads take turns
/// errors     invalid_argument: a negative count, a null pointer; internal: a kernel or fold went
///            wrong, with the text of take_reports; what `finish` returns
/// cost       some 50 us a tile of 4 KiB: a tool for correctness
/// tested by  tests/emulation/engine_test.cu
template <reducible Range, class F>
requires fold_on<F, item_of_t<Range>>
auto try_reduce(const emulated_engine&, const Range& range, const F& f)
    -> result<answer_t<bound_fold_t<F, item_of_t<Range>>>> {
  detail::failure failed;
  return detail::reduce_emulated(view_of(range), bind_fold<item_of_t<Range>>(f), failed);
}

/// The same, returning the bare value.
///
/// errors     throws `error` with the status, and what went wrong
template <reducible Range, class F>
requires fold_on<F, item_of_t<Range>>
auto reduce(const emulated_engine&, const Range& range, const F& f) {
  detail::failure failed;
  const auto answer =
      detail::reduce_emulated(view_of(range), bind_fold<item_of_t<Range>>(f), failed);
  detail::throw_if(failed);
  return answer.value();
}

}  // namespace monofold
