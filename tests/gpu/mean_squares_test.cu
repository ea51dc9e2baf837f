// Mean squares on a GPU: the CPU's bytes, along any axes, and of segments.

// Before what kernels are made of: their names must not meet those of the CPU's ways.
#include "monofold/reduce_axis.hpp"

#include "monofold/reduce_axis.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/logits.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::compare_logits;
using gpu_tests::compare_logits_of_segments;
using gpu_tests::expect_bits;

class gpu_mean_squares : public gpu_tests::gpu_test {};

TEST_F(gpu_mean_squares, of_axes) {
  compare_logits<float>("mean_square", mf::mean_square);
  if (HasFatalFailure()) return;
  compare_logits<double>("mean_square of doubles", mf::mean_square);
  if (HasFatalFailure()) return;
  compare_logits<mf::bfloat16>("mean_square of bfloat16", mf::mean_square);
}

TEST_F(gpu_mean_squares, of_segments) {
  compare_logits_of_segments<float>("mean_square", mf::mean_square);
  compare_logits_of_segments<double>("mean_square of doubles", mf::mean_square);
}

// What one machine gave.
TEST_F(gpu_mean_squares, bits_that_every_machine_gives) {
  expect_bits<float>("mean_square", mf::mean_square, 0xe04484c458c17e79u);
  expect_bits<double>("mean_square of doubles", mf::mean_square, 0xd4a62e30bc45bfc7u);
}

}  // namespace
