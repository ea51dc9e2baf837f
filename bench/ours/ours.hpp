#pragma once
/// bench/ours/ours: this library's two ways to compute an operation.

#include <cstdint>
#include <functional>

#include "bench/harness/dataset.hpp"
#include "bench/harness/operations.hpp"
#include "bench/harness/samples.hpp"
#include "monofold/platform/dtype.hpp"

namespace bench {

// Each gives an empty function where it has nothing for the operation and the items.

/// The compiled library: `runtime::reducer`.
std::function<outcome()> runtime_call(operation op, const dataset& data);
/// Its sum of floats of any type, exact or plain, by so many threads (0: one a core).
std::function<outcome()> runtime_sum_call(monofold::dtype type, const void* items,
                                          std::int64_t count, bool plain, int num_threads);
/// `monofold::reduce` of the headers, compiled for the compiler's baseline.
std::function<outcome()> header_call(operation op, const dataset& data);
/// The same source, compiled for this machine.
std::function<outcome()> header_native_call(operation op, const dataset& data);

/// The instruction set that the compiled library uses here.
std::string runtime_instruction_set();

}  // namespace bench
