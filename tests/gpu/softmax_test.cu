// Softmax denominators and logsumexp on a GPU: the CPU's bytes, along any axes, and of segments.

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

class gpu_softmax : public gpu_tests::gpu_test {};

TEST_F(gpu_softmax, denominators) {
  compare_logits<float>("softmax_denominator", mf::softmax_denominator);
  if (HasFatalFailure()) return;
  compare_logits<double>("softmax_denominator of doubles", mf::softmax_denominator);
}

TEST_F(gpu_softmax, logarithms_of_sums) {
  compare_logits<float>("logsumexp", mf::logsumexp);
  if (HasFatalFailure()) return;
  compare_logits<double>("logsumexp of doubles", mf::logsumexp);
}

TEST_F(gpu_softmax, of_segments) {
  compare_logits_of_segments<float>("softmax_denominator", mf::softmax_denominator);
  compare_logits_of_segments<double>("softmax_denominator of doubles", mf::softmax_denominator);
  compare_logits_of_segments<float>("logsumexp", mf::logsumexp);
  compare_logits_of_segments<double>("logsumexp of doubles", mf::logsumexp);
}

// What one machine gave.
TEST_F(gpu_softmax, bits_that_every_machine_gives) {
  expect_bits<float>("logsumexp", mf::logsumexp, 0x815211b97ee98a9au);
  expect_bits<double>("logsumexp of doubles", mf::logsumexp, 0x8bcbf4d400134f10u);
  expect_bits<float>("softmax_denominator", mf::softmax_denominator, 0x48acf488488cc805u);
  expect_bits<double>("softmax_denominator of doubles", mf::softmax_denominator,
                      0x036c55f612986be8u);
}

}  // namespace
