// What calls of segments that do not wait report: the first segment that is wrong, and the first without an answer.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "monofold/reduce_axis.cuh"
#include "monofold/reduce_segments.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/place_hash.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::place_hash;

constexpr std::int64_t faults_size = 40000;

class gpu_segment_faults : public gpu_tests::gpu_test {
 protected:
  static std::vector<float> numbers() {
    std::vector<float> out(faults_size);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<float>(inputs::spread_double(i + 5, 12));
    }
    return out;
  }
};

using named_segment = std::optional<std::int64_t>;

/// A call of one fold that starts kernels and leaves its workspace to be read.
template <class F>
struct faults_of {
  F fold;
  std::span<const float> range;

  template <class Segments>
  mf::segment_faults operator()(const Segments& segments) const {
    const mf::gpu_workspace workspace(mf::workspace_bytes(range, segments, fold));
    const device_array<mf::finished_t<F, float>> out(static_cast<std::size_t>(segments.size()));
    mf::reduce_segments_into(mf::gpu, range, segments, fold, out.data(), workspace);
    return mf::read_segment_faults(mf::gpu, workspace);
  }
  mf::segment_faults of(const std::vector<std::int32_t>& offsets) const {
    const device_array<std::int32_t> there(offsets);
    return (*this)(mf::offset_segments(there.data(), std::ssize(offsets) - 1));
  }
};

/// Offsets of segments of so many items.
std::vector<std::int32_t> even_offsets(std::int32_t count, std::int32_t each) {
  std::vector<std::int32_t> out;
  for (std::int32_t s = 0; s <= count; ++s) out.push_back(s * each);
  return out;
}

template <class F>
void expect_bad_are_named(const char* what, const F& f, std::span<const float> range) {
  const faults_of<F> call{f, range};
  // With a list and without one.
  for (const std::int32_t count : {200, 3000}) {
    SCOPED_TRACE(std::string(what) + " of " + std::to_string(count));
    const auto good = even_offsets(count, 13);
    EXPECT_FALSE(call.of(good));
    for (const std::int32_t at : {1, count - 1}) {
      const auto place = static_cast<std::size_t>(at);
      auto offsets = good;
      offsets[place] = offsets[place - 1] - 1;  // the segment before decreases
      EXPECT_EQ(call.of(offsets).first_bad, named_segment(at - 1)) << "decreases";
      offsets[place] = faults_size + 1;  // ends behind the range; the next one begins there
      EXPECT_EQ(call.of(offsets).first_bad, named_segment(at - 1)) << "past the end";
      offsets[place] = -1;
      EXPECT_EQ(call.of(offsets).first_bad, named_segment(at - 1)) << "negative";
    }
    auto offsets = good;
    offsets[0] = -1;
    EXPECT_EQ(call.of(offsets).first_bad, named_segment(0));
    offsets.back() = faults_size + 1;  // another one, and not the first
    EXPECT_EQ(call.of(offsets).first_bad, named_segment(0));
    offsets[0] = 0;
    EXPECT_EQ(call.of(offsets).first_bad, named_segment(count - 1));
    offsets.back() = faults_size;
    EXPECT_EQ(call.of(offsets).first_bad, named_segment());
  }
}

TEST_F(gpu_segment_faults, bad_offsets_of_every_way_to_fold) {
  const device_array<float> there(numbers());
  const auto range = there.span(0, faults_size);
  expect_bad_are_named("plain sum", mf::plain_sum, range);
  expect_bad_are_named("sum", mf::sum, range);
  expect_bad_are_named("place hash", place_hash{}, range);
}

TEST_F(gpu_segment_faults, bad_starts_and_stops) {
  const device_array<float> items(numbers());
  const faults_of<mf::bound_fold_t<decltype(mf::plain_sum), float>> call{
      mf::bind_fold<float>(mf::plain_sum), items.span(0, faults_size)};
  for (const std::int64_t count : {50, 2000}) {
    std::vector<std::int64_t> starts, stops;
    for (std::int64_t s = 0; s < count; ++s) {
      starts.push_back(s * 7 % 1000);
      stops.push_back(starts.back() + s % 90);
    }
    const auto named = [&](std::int64_t at, std::int64_t start, std::int64_t stop) {
      auto some_starts = starts;
      auto some_stops = stops;
      some_starts[static_cast<std::size_t>(at)] = start;
      some_stops[static_cast<std::size_t>(at)] = stop;
      const device_array<std::int64_t> from(some_starts);
      const device_array<std::int64_t> to(some_stops);
      return call(mf::range_segments(from.data(), to.data(), count)).first_bad;
    };
    EXPECT_EQ(named(3, 0, faults_size), named_segment());
    EXPECT_EQ(named(3, faults_size, faults_size), named_segment());
    for (const std::int64_t at : {std::int64_t{0}, count / 2, count - 1}) {
      EXPECT_EQ(named(at, 8, 7), named_segment(at));
      EXPECT_EQ(named(at, -1, 7), named_segment(at));
      EXPECT_EQ(named(at, -3, -2), named_segment(at));
      EXPECT_EQ(named(at, 0, faults_size + 1), named_segment(at));
      EXPECT_EQ(named(at, faults_size + 1, faults_size + 1), named_segment(at));
      EXPECT_EQ(named(at, INT64_MIN, INT64_MAX), named_segment(at));
    }
  }
}

TEST_F(gpu_segment_faults, empty_segments_of_a_fold_without_identity) {
  const device_array<float> there(numbers());
  const faults_of<place_hash> call{{}, there.span(0, faults_size)};
  for (const std::int32_t count : {200, 3000}) {
    auto offsets = even_offsets(count, 13);
    EXPECT_FALSE(call.of(offsets));
    for (const std::int32_t at : {count - 1, 77, 0}) {  // each is the lowest so far
      offsets[static_cast<std::size_t>(at) + 1] = offsets[static_cast<std::size_t>(at)];
      const auto found = call.of(offsets);
      EXPECT_EQ(found.first_empty, named_segment(at)) << count;
      EXPECT_EQ(found.first_bad, named_segment()) << count;
    }
    offsets.back() = faults_size + 1;
    const auto found = call.of(offsets);
    EXPECT_EQ(found.first_empty, named_segment(0)) << count;
    EXPECT_EQ(found.first_bad, named_segment(count - 1)) << count;
    // A sum of no items is 0.
    EXPECT_EQ((faults_of<mf::bound_fold_t<decltype(mf::plain_sum), float>>{
                  mf::bind_fold<float>(mf::plain_sum), call.range}
                   .of(offsets)
                   .first_empty),
              named_segment())
        << count;
  }
}

TEST_F(gpu_segment_faults, segments_of_fewer_items_than_top_asks_for) {
  const device_array<float> there(numbers());
  const auto range = there.span(0, faults_size);
  const auto call = [&](const std::vector<std::int32_t>& offsets) {
    const device_array<std::int32_t> bounds(offsets);
    const std::int64_t count = std::ssize(offsets) - 1;
    const mf::offset_segments segments(bounds.data(), count);
    const mf::gpu_workspace workspace(mf::workspace_bytes(range, segments, mf::top(3)));
    const device_array<float> values(static_cast<std::size_t>(3 * count));
    const device_array<std::int64_t> indices(static_cast<std::size_t>(3 * count));
    mf::reduce_segments_into(mf::gpu, range, segments, mf::top(3),
                             mf::top_out<float>{values.data(), indices.data()}, workspace);
    return mf::read_segment_faults(mf::gpu, workspace);
  };
  auto offsets = even_offsets(100, 13);
  EXPECT_FALSE(call(offsets));
  offsets[51] = offsets[50] + 2;
  EXPECT_EQ(call(offsets).first_empty, named_segment(50));
  EXPECT_EQ(call(offsets).first_bad, named_segment());
  offsets[20] = -1;
  EXPECT_EQ(call(offsets).first_bad, named_segment(19));
  offsets[20] = 13 * 20;
  offsets[91] = faults_size + 1;
  EXPECT_EQ(call(offsets).first_bad, named_segment(90));
}

// [call]
/// Sums of segments; throws where offsets that only the device has seen are wrong.
void sums_of_segments(cudaStream_t stream, std::span<const float> x,
                      const mf::offset_segments<std::int64_t>& segments, double* sums,
                      const mf::gpu_workspace& workspace) {
  mf::reduce_segments_into(mf::gpu(stream), x, segments, mf::sum, sums, workspace);
  // Where the stream is waited for anyway:
  const mf::segment_faults faults = mf::read_segment_faults(mf::gpu(stream), workspace);
  if (faults.first_bad) throw mf::segment_error(mf::status::invalid_argument, *faults.first_bad);
}
// [/call]

TEST_F(gpu_segment_faults, one_workspace_reports_the_last_call_of_its_stream) {
  const auto host = numbers();
  const device_array<float> there(host);
  const auto range = there.span(0, faults_size);
  const std::vector<std::int64_t> ends{0, 5, 3, 20};
  const std::vector<std::int64_t> good{0, 5, 13, 20};
  const device_array<std::int64_t> bounds(ends);
  const device_array<std::int64_t> good_bounds(good);
  const mf::offset_segments segments(bounds.data(), 3);
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, segments, mf::sum));
  EXPECT_FALSE(mf::read_segment_faults(mf::gpu, workspace)) << "of no call";
  EXPECT_FALSE(mf::read_segment_faults(mf::gpu, mf::gpu_workspace())) << "of no workspace";
  const device_array<double> sums(3);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  gpu_tests::expect_refused(
      [&] { sums_of_segments(stream, range, segments, sums.data(), workspace); }, "segment 1");
  sums_of_segments(stream, range, mf::offset_segments(good_bounds.data(), 3), sums.data(),
                   workspace);
  const auto found = sums.host();
  for (std::size_t s = 0; s < 3; ++s) {
    const auto part = std::span<const float>(host).subspan(
        static_cast<std::size_t>(good[s]), static_cast<std::size_t>(good[s + 1] - good[s]));
    EXPECT_EQ(inputs::bytes_of(found[s]), inputs::bytes_of(mf::reduce(mf::cpu, part, mf::sum)));
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

/// What a host can tell it refuses at once, and the workspace is as good as before.
TEST_F(gpu_segment_faults, rows_of_one_length_are_refused_by_the_host) {
  const auto host = numbers();
  const device_array<float> there(host);
  const auto range = there.span(0, faults_size);
  const mf::gpu_workspace workspace(1 << 20);
  const device_array<std::uint32_t> hashes(10);
  const device_array<float> values(50);
  const device_array<std::int64_t> indices(50);
  gpu_tests::expect_refused(
      [&] {
        mf::reduce_segments_into(mf::gpu, range, mf::fixed_segments(faults_size / 4, 5),
                                 place_hash{}, hashes.data(), workspace);
      },
      "segment 4");
  gpu_tests::expect_refused(
      [&] {
        mf::reduce_segments_into(mf::gpu, range, mf::fixed_segments(0, 10), place_hash{},
                                 hashes.data(), workspace);
      },
      "segment 0", mf::status::empty_input);
  gpu_tests::expect_refused(
      [&] {
        mf::fold_segments_into(mf::gpu, range, mf::fixed_segments(0, 10), place_hash{},
                               hashes.data(), workspace);
      },
      "segment 0", mf::status::empty_input);
  gpu_tests::expect_refused(
      [&] {
        mf::reduce_segments_into(mf::gpu, range, mf::fixed_segments(4, 10), mf::top(5),
                                 mf::top_out<float>{values.data(), indices.data()}, workspace);
      },
      "segment 0", mf::status::empty_input);
  EXPECT_FALSE(mf::read_segment_faults(mf::gpu, workspace));
  // Counters of segments lie where exact sums are added up.
  const device_array<double> sum(1);
  mf::reduce_into(mf::gpu, range, mf::sum, sum.data(), workspace);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(inputs::bytes_of(sum.host()[0]), inputs::bytes_of(mf::reduce(mf::cpu, host, mf::sum)));
}

/// The same of calls that wait, which use one workspace of the thread.
TEST_F(gpu_segment_faults, rows_of_no_items_have_an_answer_or_a_status) {
  const auto host = numbers();
  const device_array<float> there(host);
  const auto range = there.span(0, faults_size);
  const mf::fixed_segments rows(0, 7);
  for (const auto& answer : mf::try_reduce_segments(mf::gpu, range, rows, place_hash{})) {
    EXPECT_EQ(answer.code(), mf::status::empty_input);
  }
  for (const auto& answer : mf::try_reduce_segments(mf::gpu, range, rows, mf::top(2))) {
    EXPECT_EQ(answer.code(), mf::status::empty_input);
  }
  for (const auto& answer : mf::try_reduce_segments(mf::gpu, range, rows, mf::max)) {
    EXPECT_EQ(answer.code(), mf::status::empty_input);
  }
  const auto both = mf::all(place_hash{}, mf::count);
  const auto answers = mf::try_reduce_segments(mf::gpu, range, rows, both);
  ASSERT_EQ(answers.size(), 7u);
  for (const auto& answer : answers) EXPECT_EQ(answer.code(), mf::status::empty_input);
  // The host does not know which of other segments are empty.
  const std::vector<std::int64_t> offsets{0, 5, 5, 9, 9};
  const device_array<std::int64_t> bounds(offsets);
  gpu_tests::expect_refused(
      [&] {
        static_cast<void>(mf::try_reduce_segments(
            mf::gpu, range, mf::offset_segments<std::int64_t>(bounds.data(), 4), both));
      },
      "segment 1", mf::status::empty_input);
  EXPECT_EQ(mf::reduce_segments(mf::gpu, range, rows, mf::sum), std::vector<double>(7, 0.0));
  EXPECT_EQ(mf::reduce_segments(mf::gpu, range, rows, mf::plain_sum), std::vector<float>(7, 0.0f));
  EXPECT_EQ(mf::reduce_segments(mf::gpu, range, rows, mf::count), std::vector<std::int64_t>(7, 0));
  EXPECT_EQ(inputs::bytes_of(mf::reduce(mf::gpu, range, mf::sum)),
            inputs::bytes_of(mf::reduce(mf::cpu, host, mf::sum)));
}

TEST_F(gpu_segment_faults, answers_that_no_memory_holds) {
  const device_array<float> there(numbers());
  const auto range = there.span(0, faults_size);
  const auto expect_no_memory = [](const std::function<void()>& call) {
    gpu_tests::expect_refused(call, "out of memory", mf::status::out_of_memory);
  };
  // More than address spaces have, and more than 64 bits count the bytes of.
  for (const int shift : {50, 61}) {
    const mf::fixed_segments rows(2, std::int64_t{1} << shift, 0);
    expect_no_memory(
        [&] { static_cast<void>(mf::reduce_segments(mf::gpu, range, rows, mf::sum)); });
    expect_no_memory(
        [&] { static_cast<void>(mf::try_reduce_segments(mf::gpu, range, rows, mf::top(2))); });
    const mf::array_view<float> array(there.data(), {rows.size(), 2}, {0, 1});
    expect_no_memory([&] { static_cast<void>(mf::reduce_axis(mf::gpu, array, {1}, mf::sum)); });
  }
  // And the next call finds what it needs.
  EXPECT_EQ(mf::reduce_segments(mf::gpu, range, mf::fixed_segments(0, 2), mf::sum),
            std::vector<double>(2, 0.0));
}

}  // namespace
