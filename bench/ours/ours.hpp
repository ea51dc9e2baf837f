#pragma once
/// bench/ours/ours: this library's two ways to compute an operation.

#include <functional>

#include "bench/harness/dataset.hpp"
#include "bench/harness/operations.hpp"
#include "bench/harness/samples.hpp"

namespace bench {

// Each gives an empty function where it has nothing for the operation and the items.

/// The compiled library: `runtime::reducer`.
std::function<outcome()> runtime_call(operation op, const dataset& data);
/// `monofold::reduce` of the headers, compiled for the compiler's baseline.
std::function<outcome()> header_call(operation op, const dataset& data);
/// The same source, compiled for this machine.
std::function<outcome()> header_native_call(operation op, const dataset& data);

/// The instruction set that the compiled library uses here.
std::string runtime_instruction_set();

}  // namespace bench
