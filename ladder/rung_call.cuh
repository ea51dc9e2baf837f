#pragma once
/// ladder/rung_call: what a rung is given, and how it launches its kernels.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "ladder/operators.hpp"
#include "ladder/registry.hpp"
#include "monofold/monofold.cuh"

namespace monofold::ladder {

template <class F>
struct rung_call {
  using item = typename F::item;
  using state = typename F::state;

  F f{};
  const item* items = nullptr;
  std::int64_t n = 0;
  state* lifted = nullptr;          // the items as states, for a rung that destroys its input
  state* partials = nullptr;        // room for n / 256 + 2, and for 8 a multiprocessor
  state* results = nullptr;         // where the rung leaves what it has found
  std::uint32_t* ticket = nullptr;  // 0 before the first call
  const gpu_workspace* workspace = nullptr;
  int multiprocessors = 0;
  cudaStream_t stream = nullptr;
  int launches = 0;
  std::string failed;

  void check(cudaError_t code, const char* what) {
    if (code == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());
    if (failed.empty()) failed = std::string(what) + ": " + cudaGetErrorString(code);
  }

  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), std::int64_t blocks, int threads,
              std::size_t shared_bytes, const Arguments&... arguments) {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), "a launch");
    ++launches;
  }

  /// One block for each `items_each`.
  std::int64_t blocks_for(std::int64_t items_each) const {
    return n <= items_each ? 1 : (n + items_each - 1) / items_each;
  }
  /// As many blocks as stay resident, fewer where there is no item for each thread.
  std::int64_t resident_blocks(int threads) const {
    const std::int64_t most = std::int64_t{resident_threads / threads} * multiprocessors;
    const std::int64_t wanted = blocks_for(threads);
    return wanted < most ? wanted : most;
  }
};

/// Which operator a fold is, and on which type: how the registry names them.
template <class F>
struct fold_names;
template <class T>
inline constexpr element_type element_of_v =
    std::is_integral_v<T> ? (sizeof(T) == 4 ? element_type::int32 : element_type::int64)
                          : (sizeof(T) == 4 ? element_type::float32 : element_type::float64);
template <template <class> class Fold, class T>
struct fold_names<Fold<T>> {
  static constexpr element_type type = element_of_v<T>;
  static constexpr operation op = std::is_same_v<Fold<T>, sum_of<T>>       ? operation::sum
                                  : std::is_same_v<Fold<T>, max_of<T>>     ? operation::max
                                  : std::is_same_v<Fold<T>, min_of<T>>     ? operation::min
                                  : std::is_same_v<Fold<T>, mean_of<T>>    ? operation::mean
                                  : std::is_same_v<Fold<T>, product_of<T>> ? operation::matmul
                                                                           : operation::top2;
};
template <class F>
inline constexpr operation operation_v = fold_names<F>::op;
template <class F>
inline constexpr element_type element_v = fold_names<F>::type;

/// Item i as a state; behind the last one the identity.
template <class F>
MONOFOLD_GPU typename F::state lifted_or_identity(const F& f, const typename F::item* items,
                                                  std::int64_t i, std::int64_t n) {
  return i < n ? f.lift(items[i]) : f.identity();
}

}  // namespace monofold::ladder
