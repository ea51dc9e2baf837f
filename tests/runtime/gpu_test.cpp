// libmonofold on a GPU: the answers of the processor, from host memory, from device memory and in
// pieces of both.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "monofold/monofold.h"
#include "runtime/gpu/devices.hpp"
#include "runtime/reducer.hpp"
#include "tests/runtime/parity.hpp"

namespace {

using namespace parity;  // NOLINT: a test is made of it

/// A copy in device memory.
template <class Item>
class device_array {
 public:
  explicit device_array(std::span<const Item> items) {
    EXPECT_EQ(cudaMalloc(&memory_, items.size_bytes()), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(memory_, items.data(), items.size_bytes(), cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { static_cast<void>(cudaFree(memory_)); }
  const Item* data() const { return static_cast<const Item*>(memory_); }

 private:
  void* memory_ = nullptr;
};

bool same(double a, double b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

class gpu_runtime : public testing::Test {
 protected:
  void SetUp() override {
    if (mf::runtime::find_gpus().devices.empty()) GTEST_SKIP() << "no CUDA device";
  }
};

/// Those that kernels have.
std::vector<operation> operations_of(mf::dtype type) {
  std::vector<operation> ops;
  for (const auto& entry : mf::runtime::operations) {
    if (entry.op != operation::dot && mf::runtime::is_defined(entry.op, type)) {
      ops.push_back(entry.op);
    }
  }
  return ops;
}

request request_for(mf::dtype type, std::vector<operation> ops, nan_policy nan,
                    bool plain = false) {
  request what;
  what.type = type;
  what.ops = std::move(ops);
  what.nan = nan;
  what.plain = plain;
  what.k = 7;
  return what;
}

void expect_same(const std::vector<answer>& want, const std::vector<answer>& found,
                 const std::string& where) {
  ASSERT_EQ(want.size(), found.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_TRUE(same_answer(want[i], found[i]))
        << where << "\n  want  " << text_of(want[i]) << "\n  found " << text_of(found[i]);
  }
}

template <class Item>
std::vector<std::int64_t> counts() {
  constexpr std::int64_t tile = mf::tile_items_v<Item>;
  constexpr std::int64_t piece = (std::int64_t{8} << 20) / sizeof(Item);
  return {1, tile - 1, tile, tile + 1, 65 * tile + 3, piece, 2 * piece + 5 * tile + 11};
}

std::vector<nan_policy> policies_of(mf::dtype type) {
  if (!mf::info(type).is_floating) return {nan_policy::propagate};
  return {nan_policy::propagate, nan_policy::omit, nan_policy::raise};
}

/// All the ways in which items may come.
template <class Item>
void check_items(const request& what, std::span<const Item> items, const std::string& where) {
  const auto count = static_cast<std::int64_t>(items.size());
  reducer want(what);
  want.push(items.data(), count);

  request on_gpu = what;
  on_gpu.on_gpu = true;
  reducer streamed(on_gpu);
  streamed.push(items.data(), count);
  expect_same(want.finish(), streamed.finish(), where + ", streamed");

  reducer in_pieces(on_gpu);
  std::int64_t size = 3;
  for (std::int64_t at = 0; at < count; at += size, size = size * 5 % 400009 + 1) {
    in_pieces.push(items.data() + at, std::min(size, count - at));
  }
  expect_same(want.finish(), in_pieces.finish(), where + ", streamed in pieces");

  const device_array<Item> device(items);
  reducer whole(what);
  whole.push_whole_device(device.data(), nullptr, count);
  expect_same(want.finish(), whole.finish(), where + ", device memory");

  reducer mixed(what);
  const std::int64_t cut = count / 3;
  const std::int64_t second = cut + (count - cut) / 2;
  mixed.push_device(device.data(), cut);
  mixed.push(items.data() + cut, second - cut);
  mixed.push_device(device.data() + second, count - second);
  expect_same(want.finish(), mixed.finish(), where + ", device and host memory");
}

template <class Item>
void check_type() {
  const mf::dtype type = dtype_of<Item>();
  const int patterns =
      mf::is_floating_v<Item> ? hard_items::num_patterns : hard_items::num_integer_patterns;
  std::uint64_t seed = 0;
  for (const nan_policy nan : policies_of(type)) {
    for (const std::int64_t count : counts<Item>()) {
      // Every pattern at a small size, some at the large ones.
      const int step = count > 100 * mf::tile_items_v<Item> ? 4 : 1;
      for (int kind = static_cast<int>(seed % step); kind < patterns; kind += step) {
        const sequence<Item> made(static_cast<pattern>(kind), count, ++seed);
        const std::span<const Item> items = made.items();
        const std::string where = std::string(mf::info(type).name) + ", " + std::to_string(count) +
                                  " items, pattern " + std::to_string(kind) + ", policy " +
                                  std::to_string(static_cast<int>(nan));
        check_items(request_for(type, operations_of(type), nan), items, where);
        check_items(request_for(type,
                                {operation::sum, operation::mean, operation::var, operation::norm1,
                                 operation::norm2, operation::mean_square},
                                nan, true),
                    items, where + ", plain");
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

/// Dot of two sequences.
template <class Item>
void check_pairs() {
  const mf::dtype type = dtype_of<Item>();
  for (const nan_policy nan : policies_of(type)) {
    for (const std::int64_t count : counts<Item>()) {
      const sequence<Item> made(pattern::wide, count, static_cast<std::uint64_t>(count));
      const sequence<Item> other(pattern::ordinary, count, static_cast<std::uint64_t>(count) + 1);
      const std::span<const Item> left = made.items();
      const std::span<const Item> right = other.items();
      const std::string where = std::string(mf::info(type).name) + " pairs, " +
                                std::to_string(count) + ", policy " +
                                std::to_string(static_cast<int>(nan));
      request what = request_for(type, {operation::dot}, nan);
      reducer want(what);
      want.push_pairs(left.data(), right.data(), count);
      const device_array<Item> l(left);
      const device_array<Item> r(right);
      reducer whole(what);
      whole.push_whole_device(l.data(), r.data(), count);
      expect_same(want.finish(), whole.finish(), where + ", device memory");
      const std::int64_t cut = count / 3;
      reducer mixed(what);
      mixed.push_device_pairs(l.data(), r.data(), cut);
      mixed.push_pairs(left.data() + cut, right.data() + cut, count - cut);
      expect_same(want.finish(), mixed.finish(), where + ", device and host memory");
      what.on_gpu = true;
      reducer streamed(what);
      streamed.push_pairs(left.data(), right.data(), count);
      expect_same(want.finish(), streamed.finish(), where + ", streamed");
      reducer in_pieces(what);
      std::int64_t size = 3;
      for (std::int64_t at = 0; at < count; at += size, size = size * 5 % 400009 + 1) {
        in_pieces.push_pairs(left.data() + at, right.data() + at, std::min(size, count - at));
      }
      expect_same(want.finish(), in_pieces.finish(), where + ", streamed in pieces");
      if (testing::Test::HasFailure()) return;
    }
  }
}

template <class Item>
class gpu_runtime_of : public gpu_runtime {};
TYPED_TEST_SUITE(gpu_runtime_of, all_types, type_names);

TYPED_TEST(gpu_runtime_of, all_operations) { check_type<TypeParam>(); }
TYPED_TEST(gpu_runtime_of, pairs) { check_pairs<TypeParam>(); }

TEST_F(gpu_runtime, calls_of_the_c_interface) {
  std::vector<float> items(1000003);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = 0.5f * static_cast<float>(i % 1001);
  const auto count = static_cast<std::int64_t>(items.size());
  const device_array<float> device{std::span<const float>(items)};
  const monofold_operation ops[] = {MONOFOLD_SUM, MONOFOLD_ARGMAX, MONOFOLD_VAR};
  monofold_result want[3];
  monofold_result found[3];
  ASSERT_EQ(monofold_reduce_several(items.data(), MONOFOLD_FLOAT32, count, MONOFOLD_HOST, ops, 3,
                                    nullptr, want),
            MONOFOLD_OK);
  ASSERT_EQ(monofold_reduce_several(device.data(), MONOFOLD_FLOAT32, count, MONOFOLD_DEVICE, ops, 3,
                                    nullptr, found),
            MONOFOLD_OK);
  EXPECT_TRUE(same(want[0].value.as.float64, found[0].value.as.float64));
  EXPECT_EQ(want[1].value.as.float32, found[1].value.as.float32);
  EXPECT_EQ(want[1].index, found[1].index);
  EXPECT_TRUE(same(want[2].value.as.float64, found[2].value.as.float64));

  monofold_result dot{};
  ASSERT_EQ(monofold_dot(device.data(), device.data(), MONOFOLD_FLOAT32, count, MONOFOLD_DEVICE,
                         nullptr, &dot),
            MONOFOLD_OK);
  ASSERT_EQ(monofold_dot(items.data(), items.data(), MONOFOLD_FLOAT32, count, MONOFOLD_HOST,
                         nullptr, &want[0]),
            MONOFOLD_OK);
  EXPECT_TRUE(same(want[0].value.as.float64, dot.value.as.float64));

  // What does not lie there is refused, and nothing is written.
  monofold_result kept{};
  kept.status = 77;
  EXPECT_EQ(monofold_reduce(items.data(), MONOFOLD_FLOAT32, count, MONOFOLD_DEVICE, MONOFOLD_SUM,
                            nullptr, &kept),
            MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(kept.status, 77);
  EXPECT_EQ(
      monofold_reduce(nullptr, MONOFOLD_FLOAT32, 0, MONOFOLD_DEVICE, MONOFOLD_MIN, nullptr, &kept),
      MONOFOLD_EMPTY_INPUT);
}

TEST_F(gpu_runtime, merging_shards_of_both_engines) {
  const auto count = std::int64_t{1} << 21;
  const sequence<double> made(pattern::ordinary, count, 5);
  const double* const items = made.items().data();
  const request here =
      request_for(mf::dtype::float64, operations_of(mf::dtype::float64), nan_policy::propagate);
  request there = here;
  there.on_gpu = true;
  reducer want(here);
  want.push(items, count);
  reducer first(there);
  first.push(items, count / 2);
  reducer second(here, count / 2);
  second.push(items + count / 2, count / 2);
  first.merge(second);
  expect_same(want.finish(), first.finish(), "merged");
}

TEST_F(gpu_runtime, shards_on_all_devices) {
  const auto count = std::int64_t{1} << 21;
  const sequence<double> made(pattern::ordinary, count, 5);
  const std::span<const double> items = made.items();
  const monofold_operation sum = MONOFOLD_SUM;
  int devices = 0;
  ASSERT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
  for (const int plain : {0, 1}) {
    monofold_options options = MONOFOLD_OPTIONS_INIT;
    options.plain = plain;
    monofold_result want{};
    ASSERT_EQ(
        monofold_reduce(items.data(), MONOFOLD_FLOAT64, count, MONOFOLD_HOST, sum, &options, &want),
        MONOFOLD_OK);
    const auto expect_want = [&](const monofold_result& got, const char* where) {
      EXPECT_TRUE(same(want.value.as.float64, got.value.as.float64)) << where;
    };
    monofold_result got{};
    ASSERT_EQ(monofold_reduce(items.data(), MONOFOLD_FLOAT64, count, MONOFOLD_HOST_TO_GPUS, sum,
                              &options, &got),
              MONOFOLD_OK);
    expect_want(got, "host memory");
    // Three shards in device memory, and one in host memory.
    std::vector<std::unique_ptr<device_array<double>>> held;
    std::vector<monofold_shard> shards;
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(cudaSetDevice(i % devices), cudaSuccess);
      const auto part = items.subspan(static_cast<std::size_t>(i) << 19, 1 << 19);
      held.push_back(std::make_unique<device_array<double>>(part));
      shards.push_back({held.back()->data(), 1 << 19, i % devices});
    }
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    shards.push_back({items.data() + (3 << 19), 1 << 19, devices - 1});
    ASSERT_EQ(monofold_reduce_shards(shards.data(), 4, MONOFOLD_FLOAT64, &sum, 1, &options, &got),
              MONOFOLD_OK);
    expect_want(got, "shards");
  }
}

TEST_F(gpu_runtime, more_than_1024_are_picked_by_the_processor) {
  const sequence<float> made(pattern::wide, 100000, 3);
  request what =
      request_for(mf::dtype::float32, {operation::top, operation::bottom}, nan_policy::propagate);
  what.k = 1500;
  reducer want(what);
  want.push(made.items().data(), 100000);
  const device_array<float> device(made.items());
  reducer there(what);
  try {
    there.push_device(device.data(), 100000);
    ADD_FAILURE() << "taken";
  } catch (const mf::error& failed) {
    EXPECT_EQ(failed.code(), mf::status::unsupported);
  }
  what.on_gpu = true;
  reducer streamed(what);
  streamed.push(made.items().data(), 100000);
  expect_same(want.finish(), streamed.finish(), "streamed");
}

TEST_F(gpu_runtime, finds_the_device) {
  const mf::runtime::gpu_devices& found = mf::runtime::find_gpus();
  ASSERT_FALSE(found.devices.empty()) << found.why_none;
  EXPECT_FALSE(found.devices.front().name.empty());
  EXPECT_GT(found.devices.front().memory_bytes, 0);
  EXPECT_TRUE(found.why_none.empty());
}

/// Rows in a stream that is busy: the call is behind what the stream was given, and does not wait for it. Bits of rows
/// are compared by device_rows_test, which takes this device too.
TEST_F(gpu_runtime, rows_go_in_a_stream) {
  using namespace std::chrono_literals;
  constexpr std::int64_t rows = 300, columns = 1000;
  std::vector<float> items(rows * columns);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<float>(i % 1009) * 0.1F;
  const std::vector<float> zeros(items.size());
  const device_array<float> device{std::span<const float>(zeros)};
  const device_array<float> sums{std::span<const float>(zeros.data(), rows)};
  float* pinned = nullptr;
  ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&pinned), items.size() * sizeof(float), 0),
            cudaSuccess);
  std::copy(items.begin(), items.end(), pinned);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  const std::int64_t extents[] = {rows, columns}, axis = 1;
  std::int64_t failed = -2;
  const auto reduce = [&] {
    return monofold_reduce_axis_on_device(
        device.data(), MONOFOLD_FLOAT32, 2, extents, nullptr, &axis, 1, MONOFOLD_SUM, nullptr,
        MONOFOLD_FLOAT32, const_cast<float*>(sums.data()), nullptr, nullptr, rows, stream, &failed);
  };
  EXPECT_EQ(reduce(), MONOFOLD_OK);  // the first loads a library
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(
                stream, [](void*) { std::this_thread::sleep_for(500ms); }, nullptr),
            cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(const_cast<float*>(device.data()), pinned, items.size() * sizeof(float),
                            cudaMemcpyHostToDevice, stream),
            cudaSuccess);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(reduce(), MONOFOLD_OK);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 250ms);
  EXPECT_EQ(failed, -1);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  std::vector<float> found(rows), want(rows);
  ASSERT_EQ(cudaMemcpy(found.data(), sums.data(), rows * sizeof(float), cudaMemcpyDeviceToHost),
            cudaSuccess);
  ASSERT_EQ(monofold_reduce_axis_into(items.data(), MONOFOLD_FLOAT32, 2, extents, nullptr, &axis, 1,
                                      MONOFOLD_SUM, nullptr, MONOFOLD_FLOAT32, want.data(), nullptr,
                                      nullptr, rows, &failed),
            MONOFOLD_OK);
  EXPECT_EQ(std::memcmp(found.data(), want.data(), rows * sizeof(float)), 0);
  // What is captured goes on without the call, and calls go on after it.
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(reduce(), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(reduce(), MONOFOLD_OK);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

}  // namespace
