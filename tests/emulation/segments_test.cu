// Segments of host memory on the emulated engine: the CPU engine's bytes.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "monofold/emulated_segments.cuh"
#include "monofold/fold/exact.hpp"
#include "monofold/monofold.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/place_hash.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;

class emulation_segments : public gpu_tests::gpu_test {};

std::vector<float> segment_numbers() {
  std::vector<float> out;
  for (std::uint64_t i = 0; i < 9000; ++i) {
    out.push_back(static_cast<float>(inputs::spread_double(i, 12)));
  }
  return out;
}

template <class Range, class Segments, class F, class... Indices>
void expect_segments(const Range& range, const Segments& segments, const F& f, Indices... indices) {
  const auto want = mf::try_reduce_segments(mf::cpu, range, segments, f, indices...);
  const auto got = mf::try_reduce_segments(mf::emulated, range, segments, f, indices...);
  EXPECT_FALSE(want.empty());
  EXPECT_EQ(inputs::bytes_of(got), inputs::bytes_of(want));
}

/// Segments of one to some thousand items, with empty ones.
template <class Offset>
std::vector<Offset> some_offsets() {
  return {5, 6, 6, 38, 70, 71, 1095, 1095, 2119, 2500, 8900, 8901};
}

struct every_third {
  std::int32_t size() const { return 100; }
  MONOFOLD_HD std::int64_t begin(std::int64_t s) const { return 3 * s; }
  MONOFOLD_HD std::int64_t end(std::int64_t s) const { return 4 * s + 7; }
};

TEST_F(emulation_segments, offsets_give_the_bytes_of_the_cpu) {
  const auto x = segment_numbers();
  const auto narrow = some_offsets<std::int32_t>();
  const mf::offset_segments<std::int32_t> segments(narrow.data(), std::ssize(narrow) - 1);
  expect_segments(x, segments, gpu_tests::place_hash{});
  expect_segments(x, segments, mf::sum);
  expect_segments(x, segments, mf::min);  // empty ones have none
  expect_segments(x, segments, mf::all(mf::count, mf::plain_sum_in<double>));
  expect_segments(x, segments, mf::argmax);
  expect_segments(x, segments, mf::argmax, mf::global_index);
  const auto wide = some_offsets<std::uint64_t>();
  expect_segments(x, mf::offset_segments<std::uint64_t>(wide.data(), std::ssize(wide) - 1),
                  gpu_tests::place_hash{});
}

TEST_F(emulation_segments, other_lists_give_the_bytes_of_the_cpu) {
  const auto x = segment_numbers();
  const std::vector<std::int64_t> starts{4000, 0, 17, 17, 8999, 300};
  const std::vector<std::int64_t> stops{9000, 33, 5000, 17, 9000, 301};
  expect_segments(x, mf::range_segments<std::int64_t>(starts.data(), stops.data(), 6),
                  gpu_tests::place_hash{});
  expect_segments(x, mf::fixed_segments(40, 200, 44), gpu_tests::place_hash{});
  expect_segments(x, every_third{}, gpu_tests::place_hash{});
}

TEST_F(emulation_segments, computed_items_are_read_where_they_lie) {
  const auto x = segment_numbers();
  const auto offsets = some_offsets<std::int32_t>();
  const mf::offset_segments<std::int32_t> segments(offsets.data(), std::ssize(offsets) - 1);
  const auto squares = mf::transform(x, [](float item) { return item * item; });
  expect_segments(squares, segments, gpu_tests::place_hash{});
}

/// Which segment a call names.
std::int64_t named_by(const std::function<void()>& call, mf::status code) {
  try {
    call();
  } catch (const mf::segment_error& refused) {
    EXPECT_EQ(refused.code(), code);
    return refused.segment();
  }
  return -1;
}

TEST_F(emulation_segments, errors_name_the_segment_that_the_cpu_names) {
  const auto x = segment_numbers();
  const std::vector<std::int32_t> outside{0, 10, 20, 9001, 9002};
  const std::vector<std::int32_t> backwards{0, 10, 5, 20};
  const std::vector<std::int32_t> empty{0, 10, 10, 20};
  const auto expect_named = [&](const std::vector<std::int32_t>& offsets, std::int64_t segment,
                                mf::status code) {
    const mf::offset_segments<std::int32_t> list(offsets.data(), std::ssize(offsets) - 1);
    EXPECT_EQ(named_by([&] { mf::reduce_segments(mf::emulated, x, list, mf::max); }, code),
              segment);
    EXPECT_EQ(named_by([&] { mf::reduce_segments(mf::cpu, x, list, mf::max); }, code), segment);
  };
  expect_named(outside, 2, mf::status::invalid_argument);
  expect_named(backwards, 1, mf::status::invalid_argument);
  expect_named(empty, 1, mf::status::empty_input);
}

TEST_F(emulation_segments, no_segments_and_no_items) {
  const std::vector<float> none;
  const std::vector<std::int32_t> zeros{0, 0, 0};
  EXPECT_TRUE(mf::reduce_segments(mf::emulated, none,
                                  mf::offset_segments<std::int32_t>(zeros.data(), 0), mf::max)
                  .empty());
  EXPECT_EQ(mf::reduce_segments(mf::emulated, none,
                                mf::offset_segments<std::int32_t>(zeros.data(), 2), mf::count),
            std::vector<std::int64_t>(2));
  const mf::contiguous_view<float> nowhere(nullptr, 5);
  gpu_tests::expect_refused(
      [&] { mf::reduce_segments(mf::emulated, nowhere, mf::fixed_segments(5, 1), mf::count); },
      "null");
}

}  // namespace
