#pragma once
/// bench/waiting/cases: calls that wait for their answer, as calls of a program without CUDA.

#include <vector>

#include "bench/gpu/cases.hpp"

namespace bench {

/// Plain and exact sums, the largest item, sums of integers: each ours, then CUB's with a copy and a wait.
std::vector<gpu_case> waiting_cases();

/// The least that a call can take: a kernel of one thread that writes one word, for which the host waits as ours do.
gpu_waiting_subject one_word_waiting();

}  // namespace bench
