#pragma once
/// monofold: everything, for CUDA C++.

#include "monofold/level/block.cuh"
#include "monofold/level/cluster.cuh"
#include "monofold/level/grid.cuh"
#include "monofold/level/warp.cuh"
#include "monofold/monofold.hpp"
#include "monofold/reduce.cuh"
#include "monofold/running_state.cuh"
