#pragma once
/// ladder/rung_runner: runs the rungs of one operator on one element type.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ladder/device.hpp"
#include "ladder/read_kernel.cuh"
#include "ladder/rung_call.cuh"
#include "ladder/rung_runners.hpp"
#include "ladder/rungs.cuh"
#include "ladder/stopwatch.cuh"
#if defined(MONOFOLD_EMULATED)
#include "emulation/report.hpp"
#endif

namespace monofold::ladder {

inline void require(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(code));
}

/// Device memory for so many T.
template <class T>
class device_array {
 public:
  explicit device_array(std::int64_t count) {
    const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(count, 1)) * sizeof(T);
    require(cudaMalloc(reinterpret_cast<void**>(&memory_), bytes), "cudaMalloc");
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { static_cast<void>(cudaFree(memory_)); }
  T* data() const { return memory_; }

 private:
  T* memory_ = nullptr;
};

// States as answers: their numbers.
template <class T>
answer numbers_of(const sum_of<T>&, const sum_t<T>& s) {
  return {static_cast<long double>(s)};
}
template <class T>
answer numbers_of(const max_of<T>&, const T& s) {
  return {static_cast<long double>(s)};
}
template <class T>
answer numbers_of(const min_of<T>&, const T& s) {
  return {static_cast<long double>(s)};
}
template <class T>
answer numbers_of(const mean_of<T>&, const typename mean_of<T>::state& s) {
  return {static_cast<long double>(s.sum), static_cast<long double>(s.count)};
}
template <class T>
answer numbers_of(const product_of<T>&, const matrix2<T>& s) {
  return {static_cast<long double>(s.a), static_cast<long double>(s.b),
          static_cast<long double>(s.c), static_cast<long double>(s.d)};
}
template <class T>
answer numbers_of(const two_largest_of<T>&, const typename two_largest_of<T>::state& s) {
  return {static_cast<long double>(s.first), static_cast<long double>(s.second)};
}

template <class F>
__global__ void lift_items_kernel(F f, const typename F::item* items, std::int64_t n,
                                  typename F::state* out) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = f.lift(items[i]);
}

template <class F>
class rung_runner_of final : public rung_runner {
 public:
  using item = typename F::item;
  using state = typename F::state;

  rung_runner_of(const task& what, const void* items)
      : what_(what),
        items_(what.n + what.offset),
        // One for each 32 items at most (warps of `grid_bulk`, few items); or a fixed grid's.
        partials_(what.n / 32 + partials_of_grid()),
        results_(what.n / block_threads + 2),
        ticket_(1) {
    require(cudaMemset(ticket_.data(), 0, sizeof(std::uint32_t)), "cudaMemset");
    require(cudaMemcpy(first_item(), items, static_cast<std::size_t>(what.n) * sizeof(item),
                       cudaMemcpyHostToDevice),
            "cudaMemcpy of the items");
    workspace_ = gpu_workspace(needed_workspace());
  }

  outcome run(rung_id which, timing how) override {
    const auto start = starter(which, what_.op, what_.type);
    const rung& facts = info(which);
    rung_call<F> call = make_call(facts);
    outcome out;
    poison();
    for (int turn = 0; turn < 2; ++turn) run_once(start, facts, call);
    out.launches = call.launches;
    state* const found = call.results;
    if (how == timing::measured && call.failed.empty()) {
      out.seconds = median_seconds(
          facts.needs.destroys_input, [&] { restore(facts, call); },
          [&] {
            call.results = results_.data();
            start(call);
          });
    }
    call.check(cudaDeviceSynchronize(), "the kernels of the rung");
    out.failed = call.failed;
#if defined(MONOFOLD_EMULATED)
    // A rung that went wrong is not the fault of the next.
    if (!out.failed.empty()) static_cast<void>(emulation::take_reports());
#endif
    if (out.failed.empty()) out.results = copy_results(facts, call.n, found);
    return out;
  }

  double read_seconds() override {
    return fastest_read(first_item(), what_.n * static_cast<std::int64_t>(sizeof(item)),
                        multiprocessors());
  }

 private:
  using start_function = void (*)(rung_call<F>&);

  /// The rung's function for this operator, if the registry says that there is one.
  static start_function starter(rung_id which, operation op, element_type type) {
    static_cast<void>(op);
    static_cast<void>(type);
    switch (which) {
#define MONOFOLD_RUNG_START(name, ...)                                                       \
  case rung_id::name:                                                                        \
    if constexpr (takes(info(rung_id::name), operation_v<F>, element_v<F>)) return &name<F>; \
    break;
      MONOFOLD_LADDER(MONOFOLD_RUNG_START)
#undef MONOFOLD_RUNG_START
    }
    throw std::runtime_error("this rung does not take this operator and type");
  }

  static int multiprocessors() {
    int device = 0;
    int count = 0;
    require(cudaGetDevice(&device), "cudaGetDevice");
    require(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
            "cudaDeviceGetAttribute");
    return count;
  }
  static std::int64_t partials_of_grid() {
    return std::int64_t{resident_threads / 32} * multiprocessors() + 2;
  }

  item* first_item() const { return items_.data() + what_.offset; }

  std::int64_t needed_workspace() const {
    const std::span<const item> items(first_item(), static_cast<std::size_t>(what_.n));
    if constexpr (operation_v<F> == operation::top2) {
      return workspace_bytes(items, top(2));
    } else {
      return workspace_bytes(items, F{});
    }
  }

  rung_call<F> make_call(const rung& facts) {
    rung_call<F> call;
    call.items = first_item();
    call.n = items_taken(facts, what_.n);
    if (facts.needs.destroys_input && lifted_ == nullptr) {
      lifted_ = std::make_unique<device_array<state>>(what_.n);
    }
    call.lifted = lifted_ == nullptr ? nullptr : lifted_->data();
    call.partials = partials_.data();
    call.ticket = ticket_.data();
    call.workspace = &workspace_;
    call.multiprocessors = multiprocessors();
    return call;
  }

  /// A rung that destroys its input gets it anew. Not a launch of the rung.
  static void restore(const rung& facts, rung_call<F>& call) {
    if (!facts.needs.destroys_input) return;
    const int launches = call.launches;
    call.launch(lift_items_kernel<F>, call.blocks_for(block_threads), block_threads, 0, call.f,
                call.items, call.n, call.lifted);
    call.launches = launches;
  }

  void run_once(start_function start, const rung& facts, rung_call<F>& call) {
    restore(facts, call);
    call.results = results_.data();
    call.launches = 0;
    start(call);
  }

  /// So that results and partials that nobody wrote are seen.
  void poison() {
    require(cudaMemset(results_.data(), 0xee,
                       static_cast<std::size_t>(what_.n / block_threads + 2) * sizeof(state)),
            "cudaMemset");
    require(cudaMemset(partials_.data(), 0xee,
                       static_cast<std::size_t>(what_.n / 32 + partials_of_grid()) * sizeof(state)),
            "cudaMemset");
  }

  std::vector<answer> copy_results(const rung& facts, std::int64_t n, const state* from) {
    std::vector<state> states(static_cast<std::size_t>(results_of(facts, n)));
    require(cudaMemcpy(states.data(), from, states.size() * sizeof(state), cudaMemcpyDeviceToHost),
            "cudaMemcpy of the results");
    std::vector<answer> out;
    out.reserve(states.size());
    for (const state& s : states) out.push_back(numbers_of(F{}, s));
    return out;
  }

  task what_;
  device_array<item> items_;
  std::unique_ptr<device_array<state>> lifted_;
  device_array<state> partials_;
  device_array<state> results_;
  device_array<std::uint32_t> ticket_;
  gpu_workspace workspace_;
};

/// The runner of the task's operator on one element type.
template <class T, class Entry>
rung_runner* make_rung_runner(const task& what, const void* items) {
  switch (what.op) {
    case operation::sum: return new rung_runner_of<sum_of<T>>(what, items);
    case operation::max: return new rung_runner_of<max_of<T>>(what, items);
    case operation::min: return new rung_runner_of<min_of<T>>(what, items);
    case operation::mean: return new rung_runner_of<mean_of<T>>(what, items);
    case operation::matmul: return new rung_runner_of<product_of<Entry>>(what, items);
    case operation::top2: break;
  }
  return new rung_runner_of<two_largest_of<T>>(what, items);
}

}  // namespace monofold::ladder
