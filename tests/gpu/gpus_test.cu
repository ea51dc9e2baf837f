// Several devices: the bits of one call on the processor, for any number of devices and any split; one status where
// a device fails. On a machine with fewer devices than a test asks for, some of them are the same.

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "monofold/gpus.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/numbers.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::expect_refused;
using gpu_tests::same;

constexpr int most_devices = 4;

class several_gpus : public gpu_tests::gpu_test {
 private:
  gpu_tests::several_devices devices_{most_devices};
};

/// The numbers of so many devices.
std::vector<int> device_numbers(int count) {
  int there = 1;
  static_cast<void>(cudaGetDeviceCount(&there));
  std::vector<int> out;
  for (int i = 0; i < count; ++i) out.push_back(i % there);
  return out;
}

/// Items cut into shards, each in memory of its device.
template <class Item>
class shards {
 public:
  shards(const std::vector<Item>& all, const std::vector<int>& devices,
         const std::vector<std::int64_t>& cuts) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
      EXPECT_EQ(cudaSetDevice(devices[i]), cudaSuccess);
      const std::vector<Item> own(all.begin() + cuts[i], all.begin() + cuts[i + 1]);
      held_.push_back(std::make_unique<gpu_tests::device_array<Item>>(own));
      spans.push_back(held_.back()->span(0, own.size()));
    }
    EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  }
  std::vector<std::span<const Item>> spans;

 private:
  std::vector<std::unique_ptr<gpu_tests::device_array<Item>>> held_;
};

/// Where shards begin, and the end: at tiles, anywhere, all on the last, none on every other, some of few items.
std::vector<std::vector<std::int64_t>> all_cuts(std::int64_t n, int devices, std::int64_t tile) {
  std::vector<std::vector<std::int64_t>> out(5);
  for (int i = 0; i <= devices; ++i) {
    const bool is_end = i == devices;
    out[0].push_back(is_end ? n : mf::tile_split(n, devices, i, tile).first);
    out[1].push_back(n * i / devices);
    out[2].push_back(is_end ? n : 0);
    out[3].push_back(n * ((i + 1) / 2) / ((devices + 1) / 2));
    out[4].push_back(is_end ? n : std::min<std::int64_t>(n, i * (tile / 3)));
  }
  out[3].back() = n;
  return out;
}

template <class Item>
std::vector<Item> items_of(std::int64_t count) {
  std::vector<Item> out(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = gpu_tests::random_item<Item>(i);
  return out;
}

template <class Answer>
bool same_answers(const mf::result<Answer>& got, const mf::result<Answer>& want) {
  if (got.code() != want.code()) return false;
  if (!want) return true;
  if constexpr (requires { want->indices; }) {
    return got->indices == want->indices && got->values == want->values;
  } else {
    return same(*got, *want);
  }
}

/// make(spans) gives the view that is folded of a shard.
template <class Item, class F, class Make>
void compare(const std::string& name, const F& f, const Make& make) {
  constexpr std::int64_t tile = mf::tile_items_v<Item>;
  for (const std::int64_t n : {std::int64_t{0}, tile / 2, 21 * tile + 77}) {
    const std::vector<Item> all = items_of<Item>(n);
    const auto want = mf::try_reduce(mf::cpu(1), make(std::span<const Item>(all)), f);
    for (int devices = 1; devices <= most_devices; ++devices) {
      const std::vector<int> numbers = device_numbers(devices);
      for (const auto& cuts : all_cuts(n, devices, tile)) {
        const shards<Item> own(all, numbers, cuts);
        std::vector<decltype(make(own.spans[0]))> views;
        for (const auto& span : own.spans) views.push_back(make(span));
        EXPECT_TRUE(same_answers(mf::try_reduce(mf::gpus(numbers), views, f), want))
            << name << ", " << n << " items, " << devices << " devices, the second from "
            << cuts[1];
      }
    }
  }
}

template <class Item, class F>
void compare(const std::string& name, const F& f) {
  compare<Item>(name, f, [](std::span<const Item> items) { return items; });
}

/// Neither commutative nor exact, and it asks where an item is.
struct places_in_order {
  using state = double;
  MONOFOLD_HD state lift(float x, std::int64_t index) const {
    return static_cast<double>(x) * static_cast<double>(index % 1009);
  }
  MONOFOLD_HD state combine(state left, state right) const { return left * 0.75 + right; }
};

struct half_of {
  MONOFOLD_HD float operator()(float x) const { return 0.5f * x; }
};

TEST_F(several_gpus, exact_folds) {
  compare<float>("sum", mf::sum);
  compare<float>("statistics", mf::all(mf::sum, mf::variance<>(), mf::argmax, mf::count));
  compare<double>("top", mf::top(5));
}

TEST_F(several_gpus, folds_with_a_tree) {
  compare<float>("plain sum", mf::plain_sum);
  compare<float>("places", places_in_order{});
}

TEST_F(several_gpus, views) {
  compare<float>("transformed", mf::plain_sum,
                 [](std::span<const float> items) { return mf::transform(items, half_of{}); });
  compare<float>("dot", mf::dot, [](std::span<const float> x) { return mf::zip(x, x); });
}

template <class Item, class F>
void compare_host(const std::string& name, const F& f) {
  constexpr std::int64_t tile = mf::tile_items_v<Item>;
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{5}, 100 * tile + 77}) {
    const std::vector<Item> all = items_of<Item>(n);
    const auto want = mf::try_reduce(mf::cpu(1), all, f);
    for (int devices = 1; devices <= most_devices; ++devices) {
      const auto got = mf::try_reduce(mf::gpus(device_numbers(devices)), all, f);
      EXPECT_TRUE(same_answers(got, want))
          << name << ", " << n << " items, " << devices << " devices";
    }
  }
}

TEST_F(several_gpus, host_memory) {
  compare_host<float>("sum", mf::sum);
  compare_host<float>("places", places_in_order{});
  const std::vector<float> items = items_of<float>(60000);
  void* pinned = nullptr;
  ASSERT_EQ(cudaHostAlloc(&pinned, items.size() * 4, cudaHostAllocPortable), cudaSuccess);
  std::memcpy(pinned, items.data(), items.size() * 4);
  const std::span<const float> range(static_cast<const float*>(pinned), items.size());
  EXPECT_TRUE(same(mf::reduce(mf::gpus(), range, mf::plain_sum),
                   mf::reduce(mf::cpu(1), items, mf::plain_sum)));
  ASSERT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

struct triple {
  float x, y, z;
};
struct first_of_triple {
  MONOFOLD_HD float operator()(const triple& all) const { return all.x; }
};

// Pieces of other items have more bytes than those before.
TEST_F(several_gpus, host_items_of_several_sizes) {
  const std::vector<float> floats = items_of<float>(50000);
  EXPECT_TRUE(
      same(mf::reduce(mf::gpus(), floats, mf::sum), mf::reduce(mf::cpu(1), floats, mf::sum)));
  std::vector<triple> triples;
  for (const float x : floats) triples.push_back({x, 0, 1});
  const auto sum = mf::plain_sum | mf::map(first_of_triple{});
  EXPECT_TRUE(same(mf::reduce(mf::gpus(), triples, sum), mf::reduce(mf::cpu(1), triples, sum)));
  EXPECT_TRUE(
      same(mf::reduce(mf::gpus(), floats, mf::sum), mf::reduce(mf::cpu(1), floats, mf::sum)));
}

/// docs/gpu.md.
TEST_F(several_gpus, page) {
  const std::vector<float> host = items_of<float>(70000);
  const shards<float> own(host, device_numbers(2), {0, 30000, 70000});
  const auto first_half = own.spans[0];
  const auto second_half = own.spans[1];
  if (device_numbers(2)[1] == 0) GTEST_SKIP() << "one device";
  // [several_gpus]
  std::vector<std::span<const float>> shards{first_half, second_half};  // on devices 0 and 1
  double total = mf::reduce(mf::gpus({0, 1}), shards, mf::sum);         // both work at once
  auto best = mf::reduce(mf::gpus({0, 1}), shards, mf::argmax);         // counted through both
  double again = mf::reduce(mf::gpus(), host, mf::sum);  // host memory, brought to all GPUs
  // [/several_gpus]
  EXPECT_TRUE(same(total, mf::reduce(host, mf::sum)));
  EXPECT_TRUE(same(again, total));
  EXPECT_EQ(best, mf::reduce(host, mf::argmax));
}

TEST_F(several_gpus, what_is_refused) {
  const std::vector<float> all = items_of<float>(5000);
  const std::vector<int> numbers = device_numbers(2);
  const shards<float> own(all, numbers, {0, 2000, 5000});
  const auto call = [](const std::vector<int>& devices, const auto& ranges) {
    return [=] { mf::reduce(mf::gpus(devices), ranges, mf::plain_sum); };
  };
  const auto unavailable = mf::status::device_unavailable;
  expect_refused(call({0}, own.spans), "2 shards for 1 devices");
  expect_refused(call({}, std::vector<std::span<const float>>()), "no device", unavailable);
  expect_refused(call({0, 99}, own.spans), "shard 1: cudaSetDevice", unavailable);
  expect_refused(call({}, all), "no device", unavailable);
  expect_refused(call({99}, all), "(99)", unavailable);
  std::vector<mf::contiguous_view<float>> views;
  for (const auto& span : own.spans) views.push_back(mf::view_of(span));
  views[1] = {nullptr, 5};
  expect_refused(call(numbers, views), "shard 1: the range is a null pointer");
  expect_refused(call(numbers, own.spans[0]), "give a shard for each device");
  int device = -1;
  if (numbers[1] != 0) {
    ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
    expect_refused(call({1, 0}, own.spans), "shard 0: the range is memory of device 0");
    // And the call leaves the current device as it was.
    EXPECT_TRUE(same(mf::reduce(mf::gpus(numbers), own.spans, mf::sum), mf::reduce(all, mf::sum)));
    ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
    EXPECT_EQ(device, 1);
  }
}

#if defined(MONOFOLD_EMULATED)

TEST_F(several_gpus, a_device_that_fails_gives_one_status) {
  const std::vector<float> all = items_of<float>(60000);
  const std::vector<int> numbers = device_numbers(3);
  const shards<float> own(all, numbers, {0, 20000, 40000, 60000});
  // Memory of device 0, which the kernel of device 1 reads; for a host range any device but the first.
  const auto* const foreign = own.spans[0].data();
  const gpu_tests::sum_that_fails fails{30000, foreign};
  const gpu_tests::sum_that_fails works{30000};
  const double want = mf::reduce(mf::cpu(1), all, works);
  for (int i = 0; i < 2; ++i) {
    testing::internal::CaptureStderr();
    expect_refused([&] { mf::reduce(mf::gpus(numbers), own.spans, fails); },
                   "which is memory of device 0: the kernel runs on device 1",
                   mf::status::internal);
    static_cast<void>(mf::emulation::take_reports());
    expect_refused(
        [&] {
          mf::reduce(mf::gpus({1, 2}), all, fails);
        },
        "which is memory of device 0", mf::status::internal);
    static_cast<void>(mf::emulation::take_reports());
    static_cast<void>(testing::internal::GetCapturedStderr());
    EXPECT_TRUE(same(mf::reduce(mf::gpus(numbers), own.spans, works), want));
    EXPECT_TRUE(same(mf::reduce(mf::gpus(numbers), all, works), want));
  }
}

#endif

}  // namespace
