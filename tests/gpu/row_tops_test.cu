// top and bottom of segments and rows on a GPU: each has the bytes of the CPU's reduction of its items.

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "monofold/reduce_axis.cuh"
#include "monofold/reduce_segments.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/top_items.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::is_slow;
using gpu_tests::item_order;
using gpu_tests::items_in;

class gpu_row_tops : public gpu_tests::gpu_test {};

/// Segments of any kind, as their beginnings and ends.
struct bounds {
  std::vector<std::int64_t> begin;
  std::vector<std::int64_t> end;
};

/// Lengths around every switch: teams, chunks, tiles, nodes; one behind the other.
template <class Item>
bounds segments_around(std::int64_t k) {
  constexpr std::int64_t tile = mf::tile_items_v<Item>;
  std::vector<std::int64_t> lengths{0,  1,  2,        k - 1,    k,        k + 1,        7,
                                    31, 32, 33,       100,      tile - 1, tile,         tile + 1,
                                    5,  0,  3 * tile, 9 * tile, 3,        17 * tile + 5};
  if (!is_slow) lengths.push_back(300 * tile + 7);
  bounds out;
  std::int64_t at = 0;
  for (const std::int64_t length : lengths) {
    out.begin.push_back(at);
    out.end.push_back(at += length < 0 ? 0 : length);
  }
  return out;
}

/// What a call gave for each segment is what the CPU gives for its items alone.
template <class Item, class F, class Got>
void expect_each(const std::string& what, const F& f, const char* host, std::size_t offset,
                 const bounds& segments, const Got& got, bool from_view = false) {
  ASSERT_EQ(got.size(), segments.begin.size()) << what;
  for (std::size_t s = 0; s < got.size(); ++s) {
    const std::int64_t begin = segments.begin[s];
    const std::int64_t length = segments.end[s] - begin;
    const auto want = mf::try_reduce(mf::cpu,
                                     items_in<Item>(host, offset + static_cast<std::size_t>(begin),
                                                    static_cast<std::size_t>(length)),
                                     f);
    const std::string where = what + ", k = " + std::to_string(f.k) + ", segment " +
                              std::to_string(s) + " of " + std::to_string(length) + " items";
    ASSERT_EQ(got[s].code(), want.code()) << where;
    if (!want) continue;
    mf::top_answer<Item> answer = *want;
    for (std::int64_t& index : answer.indices) index += from_view ? begin : 0;
    ASSERT_TRUE(gpu_tests::same_answer(*got[s], answer)) << where;
  }
}

template <class Item, bool smallest, mf::nan_rule rule = mf::nan_rule::propagate>
void compare_orders() {
  using fold = mf::top_fold<Item, smallest, rule>;
  // On the emulated device a type takes some of the orders and numbers, the next type others.
  int turn = is_slow ? static_cast<int>(sizeof(Item)) + (smallest ? 1 : 0) : 0;
  for (const std::int64_t k : {0, 1, 2, 10, 31, 32, 33, 100, 128, 129, 1024}) {
    const bounds segments = segments_around<Item>(k);
    const auto all = static_cast<std::size_t>(segments.end.back());
    for (int order = 0; order < gpu_tests::num_item_orders; ++order) {
      if (is_slow && ++turn % 9 != 0) continue;
      const auto host = gpu_tests::ordered_items<Item>(static_cast<item_order>(order), all + 15);
      const device_array<char> device(host);
      const device_array<std::int64_t> begin(segments.begin);
      const device_array<std::int64_t> end(segments.end);
      const std::size_t offset = static_cast<std::size_t>(turn + order) % (16 / sizeof(Item));
      const auto range = items_in<Item>(device.data(), offset, all);
      const mf::range_segments<std::int64_t> list(begin.data(), end.data(),
                                                  static_cast<std::int64_t>(segments.begin.size()));
      expect_each<Item>("order " + std::to_string(order), fold{k}, host.data(), offset, segments,
                        mf::try_reduce_segments(mf::gpu, range, list, fold{k}));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_F(gpu_row_tops, largest_float32) { compare_orders<float, false>(); }
TEST_F(gpu_row_tops, smallest_float32) { compare_orders<float, true>(); }
TEST_F(gpu_row_tops, numbers_float32) { compare_orders<float, false, mf::nan_rule::omit>(); }
TEST_F(gpu_row_tops, largest_float64) { compare_orders<double, false>(); }
TEST_F(gpu_row_tops, smallest_numbers_float64) {
  compare_orders<double, true, mf::nan_rule::omit>();
}
TEST_F(gpu_row_tops, smallest_float16) { compare_orders<mf::float16, true>(); }
TEST_F(gpu_row_tops, largest_bfloat16) { compare_orders<mf::bfloat16, false>(); }
TEST_F(gpu_row_tops, smallest_boolean) { compare_orders<bool, true>(); }
TEST_F(gpu_row_tops, largest_int8) { compare_orders<std::int8_t, false>(); }
TEST_F(gpu_row_tops, smallest_uint8) { compare_orders<std::uint8_t, true>(); }
TEST_F(gpu_row_tops, smallest_int16) { compare_orders<std::int16_t, true>(); }
TEST_F(gpu_row_tops, largest_uint16) { compare_orders<std::uint16_t, false>(); }
TEST_F(gpu_row_tops, smallest_int32) { compare_orders<std::int32_t, true>(); }
TEST_F(gpu_row_tops, largest_uint32) { compare_orders<std::uint32_t, false>(); }
TEST_F(gpu_row_tops, largest_int64) { compare_orders<std::int64_t, false>(); }
TEST_F(gpu_row_tops, smallest_uint64) { compare_orders<std::uint64_t, true>(); }

/// Every length up to three pages of chunks, at every place in a chunk.
TEST_F(gpu_row_tops, short_segments_anywhere) {
  bounds segments;
  std::int64_t at = 0;
  for (std::int64_t length = 0; length < (is_slow ? 140 : 700); ++length) {
    segments.begin.push_back(at);
    segments.end.push_back(at += length);
  }
  const auto host =
      gpu_tests::ordered_items<mf::bfloat16>(item_order::any_bits, static_cast<std::size_t>(at));
  const device_array<char> device(host);
  const auto range = items_in<mf::bfloat16>(device.data(), 0, static_cast<std::size_t>(at));
  std::vector<std::int32_t> offsets(segments.begin.begin(), segments.begin.end());
  offsets.push_back(static_cast<std::int32_t>(at));
  const device_array<std::int32_t> there(offsets);
  const mf::offset_segments<std::int32_t> list(there.data(), std::ssize(segments.begin));
  for (const std::int64_t k : {1, 5, 40}) {
    expect_each<mf::bfloat16>("offsets", mf::top_fold<mf::bfloat16, false>{k}, host.data(), 0,
                              segments, mf::try_reduce_segments(mf::gpu, range, list, mf::top(k)));
  }
  expect_each<mf::bfloat16>(
      "indices of the range", mf::top_fold<mf::bfloat16, true>{3}, host.data(), 0, segments,
      mf::try_reduce_segments(mf::gpu, range, list, mf::bottom(3), mf::global_index), true);
}

/// Segments that overlap, some of them longer than what the list of nodes has room for.
TEST_F(gpu_row_tops, overlapping_segments) {
  constexpr std::int64_t all = 20 * mf::tile_items_v<float>;
  const auto host = gpu_tests::ordered_items<float>(item_order::few_values, all);
  const device_array<char> device(host);
  bounds segments;
  for (std::int64_t s = 0; s < 40; ++s) {
    segments.begin.push_back(s * 7 % 30);
    segments.end.push_back(s % 3 == 0 ? all - s : s * 100 + 40);
  }
  const device_array<std::int64_t> begin(segments.begin);
  const device_array<std::int64_t> end(segments.end);
  const mf::range_segments<std::int64_t> list(begin.data(), end.data(), 40);
  const auto range = items_in<float>(device.data(), 0, all);
  expect_each<float>("overlapping", mf::top_fold<float, false>{9}, host.data(), 0, segments,
                     mf::try_reduce_segments(mf::gpu, range, list, mf::top(9)));
}

TEST_F(gpu_row_tops, rows_of_one_length) {
  for (const std::int64_t length : {1, 3, 8, 32, 100, 1000, 1024, 1025, 5000}) {
    const std::int64_t rows = is_slow ? 9 : 999;
    const auto host = gpu_tests::ordered_items<float>(item_order::any_bits,
                                                      static_cast<std::size_t>(rows * length));
    const device_array<char> device(host);
    bounds segments;
    for (std::int64_t r = 0; r < rows; ++r) {
      segments.begin.push_back(r * length);
      segments.end.push_back((r + 1) * length);
    }
    const mf::array_view<float> array(reinterpret_cast<const float*>(device.data()),
                                      {rows, length});
    for (const std::int64_t k : {0, 1, 8, 200}) {
      const auto got = mf::try_reduce_axis(mf::gpu, array, {1}, mf::top(k));
      EXPECT_EQ(got.extents, std::vector<std::int64_t>{rows});
      expect_each<float>("rows", mf::top_fold<float, false>{k}, host.data(), 0, segments,
                         got.values);
    }
    const auto of_cpu = mf::reduce_axis(
        mf::cpu, mf::array_view<float>(reinterpret_cast<const float*>(host.data()), {rows, length}),
        {-1}, mf::bottom(1), mf::keepdims::yes);
    const auto of_gpu = mf::reduce_axis(mf::gpu, array, {-1}, mf::bottom(1), mf::keepdims::yes);
    EXPECT_EQ(of_gpu.extents, of_cpu.extents);
    for (std::size_t r = 0; r < of_cpu.values.size(); ++r) {
      ASSERT_TRUE(gpu_tests::same_answer(of_gpu.values[r], of_cpu.values[r])) << length;
    }
  }
}

template <class Item>
void compare_arrays(const std::vector<std::int64_t>& extents,
                    const std::vector<std::int64_t>& strides, std::int64_t before) {
  std::int64_t all = 1 + before;
  for (std::size_t a = 0; a < extents.size(); ++a) {
    all += strides[a] > 0 ? (extents[a] - 1) * strides[a] : 0;
  }
  const auto host =
      gpu_tests::ordered_items<Item>(item_order::any_bits, static_cast<std::size_t>(all));
  const device_array<char> device(host);
  const auto array_in = [&](const char* memory) {
    return mf::array_view<Item>(reinterpret_cast<const Item*>(memory) + before,
                                std::span<const std::int64_t>(extents),
                                std::span<const std::int64_t>(strides));
  };
  for (std::int64_t axis = 0; axis < std::ssize(extents); ++axis) {
    for (const std::int64_t k : {1, 7, 150}) {
      const auto want = mf::try_reduce_axis(mf::cpu, array_in(host.data()), {axis}, mf::top(k));
      const auto got = mf::try_reduce_axis(mf::gpu, array_in(device.data()), {axis}, mf::top(k));
      ASSERT_EQ(got.extents, want.extents);
      for (std::size_t r = 0; r < want.values.size(); ++r) {
        ASSERT_EQ(got.values[r].code(), want.values[r].code()) << "axis " << axis << ", k = " << k;
        if (!want.values[r]) continue;
        ASSERT_TRUE(gpu_tests::same_answer(*got.values[r], *want.values[r]))
            << "axis " << axis << ", k = " << k << ", row " << r;
      }
    }
    const auto want = mf::try_reduce_axis(mf::cpu, array_in(host.data()), {axis}, mf::top(2),
                                          mf::keepdims::no, mf::global_index);
    const auto got = mf::try_reduce_axis(mf::gpu, array_in(device.data()), {axis}, mf::top(2),
                                         mf::keepdims::no, mf::global_index);
    for (std::size_t r = 0; r < want.values.size(); ++r) {
      ASSERT_TRUE(gpu_tests::same_answer(*got.values[r], *want.values[r])) << "in the array, " << r;
    }
  }
}

TEST_F(gpu_row_tops, arrays_with_strides) {
  compare_arrays<float>({9, 40}, {40, 1}, 0);
  compare_arrays<float>({1100, 3}, {3, 1}, 0);
  compare_arrays<mf::bfloat16>({40, 9, 3}, {30, 3, 1}, 2);
  compare_arrays<std::int8_t>({5, 300, 2}, {601, 2, 1}, 1);
  compare_arrays<double>({7, 30}, {31, -1}, 29);
  compare_arrays<float>({2, 18000}, {1, 2}, 0);
}

TEST_F(gpu_row_tops, a_graph_of_two_calls_in_one_workspace) {
  constexpr std::int64_t rows = 3;
  constexpr std::int64_t length = 17 * mf::tile_items_v<float> + 3;
  constexpr std::int64_t k = 6;
  const auto host = gpu_tests::ordered_items<float>(item_order::any_bits, rows * length);
  const device_array<char> device(host);
  const auto range = items_in<float>(device.data(), 0, rows * length);
  const mf::fixed_segments list(length, rows);
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, list, mf::top(k)));
  const device_array<float> values(2 * rows * k);
  const device_array<std::int64_t> indices(2 * rows * k);
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  mf::reduce_segments_into(mf::gpu(stream), range, list, mf::top(k),
                           mf::top_out<float>{values.data(), indices.data()}, workspace);
  mf::reduce_segments_into(mf::gpu(stream), range, list, mf::bottom(k),
                           mf::top_out<float>{values.data() + rows * k, indices.data() + rows * k},
                           workspace);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(cudaGraphLaunch(replay, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  const auto got_values = values.host();
  const auto got_indices = indices.host();
  for (std::size_t r = 0; r < 2 * rows; ++r) {
    const auto row = items_in<float>(host.data(), r % rows * length, length);
    const auto want =
        r < rows ? mf::reduce(mf::cpu, row, mf::top(k)) : mf::reduce(mf::cpu, row, mf::bottom(k));
    for (std::size_t i = 0; i < k; ++i) {
      EXPECT_EQ(std::memcmp(&got_values[r * k + i], &want.values[i], sizeof(float)), 0);
      EXPECT_EQ(got_indices[r * k + i], want.indices[i]);
    }
  }
  static_cast<void>(cudaGraphExecDestroy(replay));
  static_cast<void>(cudaGraphDestroy(graph));
  static_cast<void>(cudaStreamDestroy(stream));
}

TEST_F(gpu_row_tops, logits) {
  constexpr std::int64_t k = 10;
  const auto host = gpu_tests::ordered_items<float>(item_order::any_bits, 4 * 1000);
  const device_array<char> device(host);
  const mf::array_view<float> logits(reinterpret_cast<const float*>(device.data()), {4, 1000});
  const mf::gpu_workspace workspace(mf::workspace_bytes(logits, {-1}, mf::top(k)));
  const device_array<float> place_of_values(4 * k);
  const device_array<std::int64_t> place_of_indices(4 * k);
  float* const values = place_of_values.data();
  std::int64_t* const indices = place_of_indices.data();
  cudaStream_t stream = nullptr;
  // [top_of_rows]
  // k values and k indices a row, best first, row after row
  mf::reduce_axis_into(mf::gpu(stream), logits, {-1}, mf::top(k),
                       mf::top_out<float>{values, indices}, workspace);
  // [/top_of_rows]
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const auto found = place_of_indices.host();
  for (std::size_t r = 0; r < 4; ++r) {
    const auto want = mf::reduce(mf::cpu, items_in<float>(host.data(), r * 1000, 1000), mf::top(k));
    for (std::size_t i = 0; i < k; ++i) EXPECT_EQ(found[r * k + i], want.indices[i]);
  }
}

TEST_F(gpu_row_tops, what_is_wrong_is_told) {
  const std::vector<float> host(3000, 1.5F);
  const device_array<float> device(host);
  const auto range = device.span(0, host.size());
  const auto told = [&](const std::vector<std::int64_t>& offsets, const auto& fold, mf::status code,
                        std::int64_t segment) {
    const device_array<std::int64_t> there(offsets);
    const mf::offset_segments<std::int64_t> list(there.data(), std::ssize(offsets) - 1);
    try {
      static_cast<void>(mf::reduce_segments(mf::gpu, range, list, fold));
      ADD_FAILURE() << "segment " << segment << " was not told";
    } catch (const mf::segment_error& found) {
      EXPECT_EQ(found.code(), code);
      EXPECT_EQ(found.segment(), segment);
    }
  };
  told({0, 10, 5, 3000}, mf::top(2), mf::status::invalid_argument, 1);
  told({0, 10, 20, 3001}, mf::top(2), mf::status::invalid_argument, 2);
  told({0, 10, 5, 3000}, mf::top(0), mf::status::invalid_argument, 1);
  told({0, 10, 11, 2000, 2001, 3000}, mf::top(2), mf::status::empty_input, 1);
  const mf::fixed_segments rows(1000, 3);
  gpu_tests::expect_refused(
      [&] { static_cast<void>(mf::reduce_segments(mf::gpu, range, rows, mf::top(-1))); },
      "k is -1");
  gpu_tests::expect_refused(
      [&] { static_cast<void>(mf::reduce_segments(mf::gpu, range, rows, mf::top(1025))); },
      "k is 1025; a GPU picks up to 1024", mf::status::unsupported);
  const mf::gpu_workspace small(0);
  const device_array<float> values(1);
  const device_array<std::int64_t> indices(1);
  gpu_tests::expect_refused(
      [&] {
        mf::reduce_segments_into(mf::gpu, range, mf::fixed_segments(3000, 1), mf::top(1),
                                 mf::top_out<float>{values.data(), indices.data()}, small);
      },
      "workspace");
  // The lowest segment that is too short stays in the workspace.
  const std::vector<std::int64_t> offsets{0, 2000, 2001, 3000};
  const device_array<std::int64_t> there(offsets);
  const mf::offset_segments<std::int64_t> list(there.data(), 3);
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, list, mf::top(2)));
  const device_array<float> six_values(6);
  const device_array<std::int64_t> six_indices(6);
  mf::reduce_segments_into(mf::gpu, range, list, mf::top(2),
                           mf::top_out<float>{six_values.data(), six_indices.data()}, workspace);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::uint64_t report[2] = {};
  gpu_tests::copy_bytes(report, workspace.segment_report(), sizeof(report), cudaMemcpyDeviceToHost);
  EXPECT_EQ(report[0], 0u);
  EXPECT_EQ(~report[1], 1u);
}

}  // namespace
