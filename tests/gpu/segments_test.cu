// Segments on a GPU: each has the bytes of the CPU's reduction of its items, whatever lies around it.

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "monofold/fold/fold.hpp"
#include "monofold/plan/segment_launch.hpp"
#include "monofold/reduce_segments.cuh"
#include "tests/gpu/device.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::is_slow;

class gpu_segments : public gpu_tests::gpu_test {};

template <class Item>
std::vector<Item> numbers(std::size_t n, int binades = 12) {
  std::vector<Item> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<Item>) {
      out[i] = static_cast<Item>(inputs::mixed(i));
    } else {
      out[i] = static_cast<Item>(inputs::spread_double(i, binades));
    }
  }
  return out;
}

/// The answer of each segment by itself.
template <class Item, class F>
std::string wanted(const std::vector<Item>& host, std::int64_t begin, std::int64_t end,
                   const F& f) {
  const auto part = std::span<const Item>(host).subspan(static_cast<std::size_t>(begin),
                                                        static_cast<std::size_t>(end - begin));
  return inputs::bytes_of(mf::try_reduce(mf::cpu, part, f));
}

template <class Item, class Segments, class F>
void expect_each(const char* what, const std::vector<Item>& host, const device_array<Item>& device,
                 std::size_t offset, const Segments& there, const std::vector<std::int64_t>& begins,
                 const std::vector<std::int64_t>& ends, const F& f) {
  const auto range = device.span(offset, host.size());
  const auto got = mf::try_reduce_segments(mf::gpu, range, there, f);
  ASSERT_EQ(got.size(), begins.size()) << what;
  for (std::size_t s = 0; s < begins.size(); ++s) {
    ASSERT_EQ(inputs::bytes_of(got[s]), wanted(host, begins[s], ends[s], f))
        << what << ", segment " << s << " of " << begins.size() << ", " << begins[s] << " to "
        << ends[s];
  }
}

/// Offsets from lengths.
std::vector<std::int64_t> offsets_of(const std::vector<std::int64_t>& lengths, std::int64_t first) {
  std::vector<std::int64_t> out{first};
  for (const std::int64_t length : lengths) out.push_back(out.back() + length);
  return out;
}

template <class Offset>
std::vector<Offset> as(const std::vector<std::int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// Segments by offsets, and by starts and stops where that is asked for: each is three kernels to compile.
template <class Item, bool by_ranges = false, class F>
void compare_segments(const char* what, const F& f, const std::vector<std::int64_t>& lengths,
                      std::size_t misaligned = 0) {
  const auto offsets = offsets_of(lengths, 3);
  const auto host = numbers<Item>(static_cast<std::size_t>(offsets.back()) + 2);
  std::vector<Item> shifted(misaligned);
  shifted.insert(shifted.end(), host.begin(), host.end());
  const device_array<Item> device(shifted);
  const std::vector<std::int64_t> begins(offsets.begin(), offsets.end() - 1);
  const std::vector<std::int64_t> ends(offsets.begin() + 1, offsets.end());
  const auto count = static_cast<std::int64_t>(lengths.size());
  const device_array<std::int64_t> wide(offsets);
  expect_each(what, host, device, misaligned, mf::offset_segments(wide.data(), count), begins, ends,
              f);
  if (testing::Test::HasFatalFailure()) return;
  if constexpr (by_ranges) {
    const device_array<std::int32_t> starts(as<std::int32_t>(begins));
    const device_array<std::int32_t> stops(as<std::int32_t>(ends));
    expect_each(what, host, device, misaligned,
                mf::range_segments(starts.data(), stops.data(), count), begins, ends, f);
  }
}

/// Lengths around every boundary, then tiny ones around a few that are longer; too many to go without a list.
std::vector<std::int64_t> hard_lengths(std::int64_t tile) {
  std::vector<std::int64_t> out{
      0,        1,   2,   3,   5, 31,           32,       33,   100,      0,
      0,        127, 128, 129, 7, tile / 2 + 1, tile - 1, tile, tile + 1, 3 * tile + 5,
      9 * tile, tile};
  for (int i = 0; i < 300; ++i) out.push_back(i % 7);
  out.push_back(20 * tile + 1);
  for (int i = 0; i < 200; ++i) out.push_back(i % 3 == 0 ? 0 : 2);
  for (int i = 0; std::ssize(out) <= mf::max_few_segments; ++i) out.push_back(i % 5 == 0 ? 2 : 1);
  return out;
}

struct rises {
  struct state {
    float first, last;
    std::int32_t count;
  };
  MONOFOLD_HD state lift(float x, std::int64_t) const { return {x, x, 0}; }
  MONOFOLD_HD state combine(const state& l, const state& r) const {
    return {l.first, r.last, l.count + r.count + (l.last < r.first ? 1 : 0)};
  }
  MONOFOLD_HD std::int32_t finish(const state& s) const { return s.count; }
};

/// Not associative: what another tree gives is another number.
struct tree_hash {
  using state = std::uint32_t;
  MONOFOLD_HD state lift(float x, std::int64_t) const { return mf::bits_as<std::uint32_t>(x); }
  MONOFOLD_HD state combine(state l, state r) const { return l * 1000003u + (r ^ (r >> 7)); }
};

TEST_F(gpu_segments, folds_of_floats) {
  const auto lengths = hard_lengths(1024);
  compare_segments<float, true>("plain_sum", mf::plain_sum, lengths);
  compare_segments<float>("plain_sum, misaligned", mf::plain_sum, lengths, 1);
  compare_segments<float, true>("sum", mf::sum, lengths, 3);
  compare_segments<float>("mean", mf::mean, lengths);
  compare_segments<float>("variance", mf::variance(1), lengths);
  compare_segments<float>("norm2", mf::norm2, lengths);
  compare_segments<float>("plain_variance", mf::plain_variance(1), lengths);
  compare_segments<float>("argmax", mf::argmax, lengths);
  compare_segments<float>("min", mf::min, lengths, 2);
  compare_segments<float>("extrema", mf::extrema, lengths);
  compare_segments<float, true>("rises", rises{}, lengths);
  compare_segments<float>("tree_hash", tree_hash{}, lengths, 1);
  compare_segments<float>("all", mf::all(mf::plain_sum, mf::extrema, mf::count), lengths);
}

TEST_F(gpu_segments, other_items) {
  compare_segments<double>("double plain_sum", mf::plain_sum, hard_lengths(512), 1);
  compare_segments<double>("double sum", mf::sum, hard_lengths(512));
  compare_segments<double>("double variance", mf::variance(0), hard_lengths(512));
  compare_segments<std::int32_t>("int32 sum", mf::sum, hard_lengths(1024), 1);
  compare_segments<std::uint8_t>("uint8 sum", mf::sum, hard_lengths(4096), 5);
  compare_segments<std::int64_t>("int64 sum", mf::sum, hard_lengths(512));
  compare_segments<mf::bfloat16>("bfloat16 plain_sum", mf::plain_sum, hard_lengths(2048), 1);
  compare_segments<mf::bfloat16>("bfloat16 mean", mf::mean, hard_lengths(2048), 3);
  compare_segments<mf::float16>("float16 argmin", mf::argmin, hard_lengths(2048), 1);
}

/// Rows that are alone, and among others: the boundaries at which batches change their bits elsewhere.
TEST_F(gpu_segments, a_row_is_the_same_in_every_batch) {
  for (const std::int64_t length : {1, 3, 8, 33, 100, 1500}) {
    const std::int64_t rows = length > 100 ? 258 : 4097;
    const auto host = numbers<float>(static_cast<std::size_t>(rows * length));
    const device_array<float> device(host);
    const auto range = device.span(0, host.size());
    std::vector<float> sums(static_cast<std::size_t>(rows));
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto at = host.begin() + r * length;
      sums[static_cast<std::size_t>(r)] =
          mf::reduce(mf::cpu, std::vector<float>(at, at + length), mf::plain_sum);
    }
    for (const std::int64_t batch : {1, 2, 3, 256, 257, 258, 4097}) {  // it and so many others
      if (batch > rows) continue;
      const auto got =
          mf::reduce_segments(mf::gpu, range, mf::fixed_segments(length, batch), mf::plain_sum);
      const std::vector<float> want(sums.begin(), sums.begin() + batch);
      EXPECT_EQ(inputs::bytes_of(got), inputs::bytes_of(want)) << batch << " rows of " << length;
    }
  }
}

TEST_F(gpu_segments, few_segments_and_long_ones) {
  compare_segments<float>("one", mf::plain_sum, {300 * 1024 + 17}, 1);
  compare_segments<float>("few", mf::sum, {5, 0, 40 * 1024 + 1, 1024, 3, 100 * 1024});
  compare_segments<float>("few", mf::argmin, {5, 0, 40 * 1024 + 1, 1024, 3, 100 * 1024});
  // Nodes of so many tiles that a warp has several, the last of them not whole.
  compare_segments<float>("nodes", tree_hash{}, {1044 * 1024 + 7});
  // As many as go without a list: none of several nodes, then one.
  std::vector<std::int64_t> some(mf::max_few_segments);
  for (std::size_t i = 0; i < some.size(); ++i) some[i] = i % 9 == 4 ? 0 : i % 50 * 41;
  compare_segments<float>("without a list", tree_hash{}, some);
  compare_segments<float>("without a list", mf::sum, some, 1);
  some[700] = 70 * 1024 + 1;
  compare_segments<float>("without a list", tree_hash{}, some, 1);
  compare_segments<float>("without a list", mf::sum, some);
  std::vector<std::int64_t> lengths(1100, 1);  // enough tiles in all for warps that take several
  for (const std::int64_t n : {1500, 2048, 150 * 1024 + 3, 2000, 130 * 1024}) lengths.push_back(n);
  compare_segments<float>("medium", mf::plain_sum, lengths);
  compare_segments<float>("medium", mf::sum, lengths, 1);
  compare_segments<float>("medium", mf::extrema, lengths, 2);
  compare_segments<float>("medium", rises{}, lengths);
}

/// Segments of 0 to 3 items, a million on a GPU, and one that is longer than all of them together.
TEST_F(gpu_segments, one_giant_among_many) {
  std::vector<std::int64_t> lengths(is_slow ? 4000 : 1'000'000);
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    lengths[s] = static_cast<std::int64_t>(inputs::mixed(s) % 4);
  }
  lengths[lengths.size() / 3] = is_slow ? 50'001 : 20'000'001;
  compare_segments<float, true>("sum", mf::sum, lengths, 1);
  compare_segments<float, true>("plain sum", mf::plain_sum, lengths);
  compare_segments<float>("argmax", mf::argmax, lengths);
  compare_segments<std::int32_t>("int32 sum", mf::sum, lengths);
}

TEST_F(gpu_segments, gaps_overlaps_and_any_order) {
  const std::int64_t size = 20000;
  const auto host = numbers<float>(static_cast<std::size_t>(size));
  const device_array<float> device(host);
  std::vector<std::int64_t> begins, ends;
  const auto add = [&](std::int64_t begin, std::int64_t count) {
    begins.push_back(begin);
    ends.push_back(begin + count < size ? begin + count : size);
  };
  for (std::uint64_t i = 0; i < 200; ++i) {
    add(static_cast<std::int64_t>(inputs::mixed(i) % 20000), static_cast<std::int64_t>(i % 40));
  }
  for (std::int64_t i = 0; i < 100; ++i) add(i, 30);
  for (std::int64_t i = 0; i < 200; ++i) add(30 * i, 10000);  // more nodes than there is room for
  const device_array<std::int64_t> starts(begins);
  const device_array<std::int64_t> stops(ends);
  const mf::range_segments there(starts.data(), stops.data(),
                                 static_cast<std::int64_t>(begins.size()));
  expect_each("plain_sum", host, device, 0, there, begins, ends, mf::plain_sum);
  expect_each("sum", host, device, 0, there, begins, ends, mf::sum);
  expect_each("argmax", host, device, 0, there, begins, ends, mf::argmax);
  // Rows that lie apart.
  const auto rows = mf::try_reduce_segments(mf::gpu, device.span(0, host.size()),
                                            mf::fixed_segments(7, 300, 61), mf::plain_sum);
  for (std::int64_t r = 0; r < 300; ++r) {
    ASSERT_EQ(inputs::bytes_of(rows[static_cast<std::size_t>(r)]),
              wanted(host, 61 * r, 61 * r + 7, mf::plain_sum));
  }
}

TEST_F(gpu_segments, infinities_and_wide_exponents_of_exact_sums) {
  auto host = numbers<float>(6000, 120);
  host[100] = std::numeric_limits<float>::infinity();
  host[205] = std::numeric_limits<float>::quiet_NaN();
  for (int i = 300; i < 340; ++i) host[static_cast<std::size_t>(i)] = -0.0f;
  host[3000] = -std::numeric_limits<float>::infinity();
  const device_array<float> device(host);
  for (const std::int64_t length : {1, 7, 20, 200, 1500}) {
    std::vector<std::int64_t> begins;
    std::vector<std::int64_t> ends;
    for (std::int64_t at = 0; at + length <= 6000; at += length) {
      begins.push_back(at);
      ends.push_back(at + length);
    }
    const mf::fixed_segments rows(length, static_cast<std::int64_t>(begins.size()));
    expect_each("sum", host, device, 0, rows, begins, ends, mf::sum);
    expect_each("norm1", host, device, 0, rows, begins, ends, mf::norm1);
    expect_each("mean", host, device, 0, rows, begins, ends, mf::mean);
    expect_each("variance", host, device, 0, rows, begins, ends, mf::variance(1));
    expect_each("mean_square", host, device, 0, rows, begins, ends, mf::mean_square);
    expect_each("max", host, device, 0, rows, begins, ends, mf::max);
    if (HasFatalFailure()) return;
  }
}

/// Warps of a block meet with sums in far units: what cancels leaves the smallest ones alone.
TEST_F(gpu_segments, tiles_of_far_exponents_that_cancel) {
  constexpr int part = 3 * 1024;  // of a warp
  for (const int down : {3, 40, 60, 100}) {
    auto host = numbers<float>(8 * part, 2);
    for (int i = 0; i < 8 * part; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const int warp = i / part;
      if (warp == 2) {
        host[at] = std::ldexp(host[at], -down);
      } else if (warp == 7) {
        host[at] = -host[at % part];
      } else if (warp > 0) {
        host[at] = 0;
      }
    }
    const device_array<float> device(host);
    const mf::fixed_segments all(8 * part, 1);
    expect_each("sum", host, device, 0, all, {0}, {8 * part}, mf::sum);
    expect_each("mean", host, device, 0, all, {0}, {8 * part}, mf::mean);
    expect_each("variance", host, device, 0, all, {0}, {8 * part}, mf::variance(1));
    if (HasFatalFailure()) return;
  }
}

/// One double holds some sums of a page of segments, two hold others, and some neither.
TEST_F(gpu_segments, sums_that_one_or_two_doubles_hold) {
  auto host = numbers<float>(12000, 4);
  for (std::size_t i = 0; i < host.size(); i += 97) host[i] *= i % 2 == 0 ? 0x1p-60f : 0x1p-110f;
  for (std::size_t i = 4000; i < 8000; i += 2)
    host[i + 1] = -host[i];  // sums that are 0, or near it
  std::vector<double> wide(host.begin(), host.end());
  for (std::size_t i = 0; i < wide.size(); i += 501) wide[i] *= 0x1p-300;
  const device_array<float> device(host);
  const device_array<double> wide_device(wide);
  for (const std::int64_t length : {2, 6, 12, 30, 60, 110, 500}) {
    std::vector<std::int64_t> begins;
    std::vector<std::int64_t> ends;
    for (std::int64_t at = 1; at + length <= 12000; at += length) {
      begins.push_back(at);
      ends.push_back(at + length);
    }
    std::vector<std::int64_t> offsets(begins);
    offsets.push_back(ends.back());
    const device_array<std::int64_t> there(offsets);
    const mf::offset_segments rows(there.data(), static_cast<std::int64_t>(begins.size()));
    expect_each("sum", host, device, 0, rows, begins, ends, mf::sum);
    expect_each("mean", host, device, 0, rows, begins, ends, mf::mean);
    expect_each("double sum", wide, wide_device, 0, rows, begins, ends, mf::sum);
    expect_each("double mean", wide, wide_device, 0, rows, begins, ends, mf::mean);
    if (HasFatalFailure()) return;
  }
}

TEST_F(gpu_segments, what_is_wrong_is_reported_with_the_lowest_segment) {
  const auto host = numbers<float>(5000);
  const device_array<float> device(host);
  const auto range = device.span(0, host.size());
  std::vector<std::int32_t> offsets(200);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int32_t>(20 * i);
  const auto lowest = [&](std::int64_t count) -> std::int64_t {
    const device_array<std::int32_t> there(offsets);
    try {
      static_cast<void>(mf::try_reduce_segments(
          mf::gpu, range, mf::offset_segments(there.data(), count), mf::plain_sum));
    } catch (const mf::segment_error& error) {
      EXPECT_EQ(error.code(), mf::status::invalid_argument);
      return error.segment();
    }
    return -1;
  };
  EXPECT_EQ(lowest(199), -1);
  offsets[150] = 10;
  EXPECT_EQ(lowest(199), 149);
  offsets[140] = 6000;
  EXPECT_EQ(lowest(199), 139);
  EXPECT_EQ(lowest(139), -1);  // and nothing is left of the calls before
  offsets[0] = -1;
  EXPECT_EQ(lowest(199), 0);
  EXPECT_EQ(lowest(3), 0);
  offsets[0] = 0;
  EXPECT_EQ(lowest(3), -1);
  EXPECT_THROW(static_cast<void>(mf::try_reduce_segments(
                   mf::gpu, range, mf::fixed_segments(100, 51), mf::plain_sum)),
               mf::segment_error);

  // A fold that has nothing to say of no items.
  offsets[5] = offsets[4];
  const device_array<std::int32_t> there(offsets);
  const mf::offset_segments<std::int32_t> segments(there.data(), 100);
  const auto got = mf::try_reduce_segments(mf::gpu, range, segments, rises{});
  EXPECT_EQ(got[4].code(), mf::status::empty_input);
  EXPECT_TRUE(got[3].has_value() && got[5].has_value());
  try {
    static_cast<void>(mf::reduce_segments(mf::gpu, range, segments, rises{}));
    FAIL();
  } catch (const mf::segment_error& error) {
    EXPECT_EQ(error.segment(), 4);
  }
}

TEST_F(gpu_segments, indices_of_the_whole_view_on_request) {
  const auto host = numbers<float>(9000);
  const device_array<float> device(host);
  const auto range = device.span(0, host.size());
  const mf::fixed_segments rows(90, 100);
  const auto own = mf::reduce_segments(mf::gpu, range, rows, mf::argmax);
  const auto all = mf::reduce_segments(mf::gpu, range, rows, mf::argmax, mf::global_index);
  for (std::size_t r = 0; r < 100; ++r) {
    EXPECT_EQ(all[r], own[r] + 90 * static_cast<std::int64_t>(r));
  }
}

}  // namespace
