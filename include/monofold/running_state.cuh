#pragma once
/// running_state: a reduction that takes its data in pieces, some of them in memory of a GPU.
///
/// `state.push(mf::gpu, items)` appends items that a device reads to any running_state, and
/// `running_state<Item, F, mf::gpu_engine>(f, 0, mf::gpu)` has the device as its own engine. Whole tiles are
/// folded there, whole subtrees of the plan's tree a launch; the items that fill no tile come to the host,
/// where states are joined. So bits, answers and saved states are those of the processor.
///
/// shape      as `reduce` on a GPU: memory that the device reads, and what a view computes from it
/// sync       waits for the engine's stream
/// errors     as `reduce` on a GPU; the state stays as it was
/// cost       one pass; a launch and a wait for each power of two in the number of tiles, and one for the
///            items at either end that fill no tile
/// tested by  tests/gpu/running_state_test.cu

#include "monofold/engine/gpu/pieces.cuh"
#include "monofold/reduce.cuh"
#include "monofold/running_state.hpp"
