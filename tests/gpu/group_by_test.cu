// Groups by key on a GPU: the keys and the bytes of the CPU's group_by and reduce_by_key.

#include "monofold/group_by.cuh"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "monofold/fold/fold.hpp"
#include "monofold/monofold.cuh"
#include "tests/gpu/device.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::is_slow;
using inputs::mixed;

class gpu_group_by : public gpu_tests::gpu_test {};

/// Not associative: another tree, another order of items or another index is another number.
struct group_hash {
  using state = std::uint32_t;
  template <class Item>
  MONOFOLD_HD state lift(const Item& x, std::int64_t index) const {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(x)) * 31u +
           static_cast<std::uint32_t>(index) * 7u;
  }
  MONOFOLD_HD state combine(state l, state r) const { return l * 1000003u + (r ^ (r >> 7)); }
};

struct later_counts_more {
  MONOFOLD_HD double operator()(double l, double r) const { return 0.75 * l + r; }
};

template <class Item>
std::vector<Item> numbers_of(std::size_t n, int binades = 12) {
  std::vector<Item> out;
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<Item>) {
      out.push_back(static_cast<Item>(mixed(i)));
    } else {
      out.push_back(static_cast<Item>(inputs::spread_double(i, binades)));
    }
  }
  return out;
}

/// As many different keys as may be, in no order, on both sides of 0.
std::vector<std::int64_t> spread_keys(std::size_t n, std::uint64_t groups, std::int64_t step = 1) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < n; ++i) {
    out.push_back((static_cast<std::int64_t>(mixed(i + 77) % groups) -
                   static_cast<std::int64_t>(groups / 2)) *
                  step);
  }
  return out;
}

/// Runs of lengths around `length`.
std::vector<std::int32_t> run_keys(std::size_t n, std::size_t length) {
  std::vector<std::int32_t> out;
  for (std::uint64_t run = 0; out.size() < n; ++run) {
    const std::size_t own = 1 + mixed(run) % (2 * length - 1);
    const auto key = static_cast<std::int32_t>(run % 5) - 2;
    for (std::size_t i = 0; i < own && out.size() < n; ++i) out.push_back(key);
  }
  return out;
}

template <class T>
std::string raw_bytes(const std::vector<T>& values) {
  std::string out;
  for (const T& value : values) out.append(reinterpret_cast<const char*>(&value), sizeof(T));
  return out;
}

template <class Grouped, class Wanted>
[[gnu::noinline]] void expect_same_groups(const std::string& what, const Grouped& got,
                                          const Wanted& want) {
  ASSERT_EQ(got.keys.size(), want.keys.size()) << what;
  ASSERT_EQ(got.answers.size(), want.answers.size()) << what;
  ASSERT_EQ(raw_bytes(got.keys), raw_bytes(want.keys)) << what;
  for (std::size_t g = 0; g < want.answers.size(); ++g) {
    ASSERT_EQ(inputs::bytes_of(got.answers[g]), inputs::bytes_of(want.answers[g]))
        << what << ", group " << g << " of " << want.answers.size();
  }
}

/// Keys on the device; a vector of bools has no bools to copy.
template <class Key>
class device_keys {
 public:
  explicit device_keys(const std::vector<Key>& keys)
      : memory_(std::vector<held>(keys.begin(), keys.end())), count_(keys.size()) {}
  std::span<const Key> all() const {
    return {reinterpret_cast<const Key*>(memory_.data()), count_};
  }

 private:
  using held = std::conditional_t<std::is_same_v<Key, bool>, std::uint8_t, Key>;
  device_array<held> memory_;
  std::size_t count_;
};

template <class Key, class Item, class F>
void compare_groups(const std::string& what, const std::vector<Key>& keys,
                    const std::vector<Item>& values, const F& f,
                    mf::key_order order = mf::key_order::sorted) {
  const device_keys<Key> there(keys);
  const device_array<Item> device(values);
  expect_same_groups(
      what, mf::try_group_by(mf::gpu, there.all(), device.span(0, values.size()), f, order),
      mf::try_group_by(mf::cpu, keys, values, f, order));
}

template <class Key, class Item, class F>
void compare_runs(const std::string& what, const std::vector<Key>& keys,
                  const std::vector<Item>& values, const F& f) {
  const device_keys<Key> there(keys);
  const device_array<Item> device(values);
  expect_same_groups(what,
                     mf::try_reduce_by_key(mf::gpu, there.all(), device.span(0, values.size()), f),
                     mf::try_reduce_by_key(mf::cpu, keys, values, f));
}

constexpr std::size_t many = is_slow ? 6000 : 100000;

/// One group, few, as many as items; around the tile of doubles.
template <class F>
void compare_shapes(const char* what, const F& f) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{511}, std::size_t{512},
                              std::size_t{513}, many}) {
    for (const std::uint64_t groups : {1, 7, 200, 1 << 30}) {
      if (is_slow && n == many && groups > 200) continue;
      SCOPED_TRACE(std::to_string(n) + " items, " + std::to_string(groups) + " keys");
      compare_groups(what, spread_keys(n, groups), numbers_of<double>(n), f);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_F(gpu_group_by, folds_of_doubles) {
  compare_shapes("plain_sum", mf::plain_sum);
  compare_shapes("sum", mf::sum);
  compare_shapes("mean", mf::mean);
  compare_shapes("variance", mf::variance(1));
  compare_shapes("max", mf::max);
  compare_shapes("argmax", mf::argmax);
}

TEST_F(gpu_group_by, folds_of_several_kinds) {
  compare_shapes("count", mf::count);
  compare_shapes("ordered", mf::ordered(later_counts_more{}));
  compare_shapes("group_hash", group_hash{});
  compare_shapes("all", mf::all(mf::sum, mf::extrema, mf::count, mf::plain_variance(1)));
  compare_shapes("top", mf::top(3));
}

TEST_F(gpu_group_by, other_items) {
  for (const std::uint64_t groups : {1, 9, 1 << 20}) {
    const auto keys = spread_keys(3000, groups);
    compare_groups("float", keys, numbers_of<float>(3000), mf::plain_sum);
    compare_groups("float", keys, numbers_of<float>(3000), mf::sum, mf::key_order::first);
    compare_groups("int32", keys, numbers_of<std::int32_t>(3000), mf::sum);
    compare_groups("uint8", keys, numbers_of<std::uint8_t>(3000), group_hash{});
    compare_groups("bfloat16", keys, numbers_of<mf::bfloat16>(3000), mf::mean);
  }
}

TEST_F(gpu_group_by, a_group_has_the_bytes_of_reduce_of_its_items) {
  const auto keys = spread_keys(many, 40, 1000);
  const auto values = numbers_of<double>(many);
  std::map<std::int64_t, std::vector<double>> slow;
  for (std::size_t i = 0; i < keys.size(); ++i) slow[keys[i]].push_back(values[i]);
  const device_array<std::int64_t> there(keys);
  const device_array<double> device(values);
  const auto got = mf::group_by(mf::gpu, there.span(0, many), device.span(0, many), mf::plain_sum);
  ASSERT_EQ(got.keys.size(), slow.size());
  std::size_t g = 0;
  for (const auto& [key, group] : slow) {
    const device_array<double> alone(group);
    ASSERT_EQ(got.keys[g], key);
    EXPECT_EQ(inputs::bytes_of(got.answers[g]),
              inputs::bytes_of(mf::reduce(mf::cpu, group, mf::plain_sum)));
    EXPECT_EQ(inputs::bytes_of(got.answers[g]),
              inputs::bytes_of(mf::reduce(mf::gpu, alone.span(0, group.size()), mf::plain_sum)));
    ++g;
  }
}

/// Every value of the type, or near its ends and at 0; each several times.
template <class Key>
void compare_keys(const char* what) {
  std::vector<Key> keys;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const std::uint64_t own = mixed(i);
    if constexpr (std::is_integral_v<Key>) {
      const Key ends[] = {std::numeric_limits<Key>::min(), std::numeric_limits<Key>::max(), Key(0)};
      keys.push_back(i % 3 == 0 ? static_cast<Key>(own) : ends[own % 3]);
    } else if constexpr (mf::is_floating_v<Key>) {
      constexpr double infinity = std::numeric_limits<double>::infinity();
      const double kinds[] = {0.0, -0.0, std::nan(""), -std::nan(""), infinity, -infinity, 5e-324};
      keys.push_back(static_cast<Key>(i % 2 == 0 ? kinds[own % 7] : inputs::spread_double(i, 9)));
    } else {
      Key key{};
      for (std::size_t b = 0; b < key.size(); ++b) {
        key[b] = static_cast<typename Key::value_type>(own % 50 == 0 ? own >> b : own % 4 * 70);
      }
      keys.push_back(key);
    }
  }
  const auto values = numbers_of<float>(keys.size());
  compare_groups(what, keys, values, group_hash{});
  compare_groups(std::string(what) + ", first", keys, values, group_hash{}, mf::key_order::first);
  compare_runs(std::string(what) + ", runs", keys, values, group_hash{});
}

TEST_F(gpu_group_by, integer_keys) {
  compare_keys<bool>("bool");
  compare_keys<std::int8_t>("int8");
  compare_keys<std::uint16_t>("uint16");
  compare_keys<std::int32_t>("int32");
  compare_keys<std::int64_t>("int64");
  compare_keys<std::uint64_t>("uint64");
}

TEST_F(gpu_group_by, float_keys_have_one_zero_and_one_nan) {
  compare_keys<float>("float");
  compare_keys<double>("double");
  compare_keys<mf::float16>("float16");
  compare_keys<mf::bfloat16>("bfloat16");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> keys{nan, -0.0f, 1, 0.0f, -nan};
  const device_array<float> there(keys);
  const device_array<double> values(std::vector<double>{1, 2, 4, 8, 16});
  const auto got = mf::group_by(mf::gpu, there.span(0, 5), values.span(0, 5), mf::plain_sum);
  EXPECT_EQ(raw_bytes(got.keys), raw_bytes(std::vector<float>{0.0f, 1, nan}));
  EXPECT_EQ(got.answers, (std::vector<double>{10, 4, 17}));
}

TEST_F(gpu_group_by, keys_of_bytes) {
  compare_keys<std::array<char, 5>>("5 bytes");
  compare_keys<std::array<unsigned char, 8>>("8 bytes");
}

TEST_F(gpu_group_by, groups_in_the_order_of_their_first_items) {
  for (const std::uint64_t groups : {1, 3, 300, 1 << 30}) {
    const std::size_t n = groups == 300 ? many : 2000;
    const auto keys = spread_keys(n, groups, 1 << 20);
    const auto values = numbers_of<double>(n);
    compare_groups("plain_sum", keys, values, mf::plain_sum, mf::key_order::first);
    compare_groups("variance", keys, values, mf::variance(1), mf::key_order::first);
    compare_groups("all", keys, values,
                   mf::all(mf::sum, mf::extrema, mf::count, mf::plain_variance(1)),
                   mf::key_order::first);
    compare_groups("top", keys, values, mf::top(3), mf::key_order::first);
  }
}

TEST_F(gpu_group_by, runs_of_neighbours) {
  for (const std::size_t length : {1, 3, 100, 3000}) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{513}, many}) {
      const auto keys = run_keys(n, length);
      const auto values = numbers_of<double>(n);
      compare_runs("plain_sum", keys, values, mf::plain_sum);
      compare_runs("sum", keys, values, mf::sum);
      compare_runs("argmax", keys, values, mf::argmax);
      compare_runs("all", keys, values,
                   mf::all(mf::sum, mf::extrema, mf::count, mf::plain_variance(1)));
      compare_runs("top", keys, values, mf::top(3));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(gpu_group_by, no_items_are_no_groups) {
  const std::span<const std::int64_t> keys;
  const std::span<const double> values;
  EXPECT_TRUE(mf::group_by(mf::gpu, keys, values, mf::plain_sum).keys.empty());
  EXPECT_TRUE(mf::reduce_by_key(mf::gpu, keys, values, mf::argmax).answers.empty());
}

struct halved {
  MONOFOLD_HD double operator()(double x) const { return x / 2; }
};
struct thirds {
  MONOFOLD_HD std::int64_t operator()(std::int64_t key) const { return key / 3; }
};

TEST_F(gpu_group_by, computed_views) {
  const std::size_t n = 5000;
  const auto keys = spread_keys(n, 50);
  const auto values = numbers_of<double>(n);
  const device_array<std::int64_t> there(keys);
  const device_array<double> device(values);
  const auto own_keys = mf::transform(there.span(0, n), thirds{});
  const auto own = mf::transform(device.span(0, n), halved{});
  const auto host_keys = mf::transform(keys, thirds{});
  const auto host = mf::transform(values, halved{});
  expect_same_groups("sorted", mf::group_by(mf::gpu, own_keys, own, mf::sum),
                     mf::group_by(mf::cpu, host_keys, host, mf::sum));
  expect_same_groups("first", mf::group_by(mf::gpu, own_keys, own, mf::sum, mf::key_order::first),
                     mf::group_by(mf::cpu, host_keys, host, mf::sum, mf::key_order::first));
  expect_same_groups("runs", mf::reduce_by_key(mf::gpu, own_keys, own, mf::sum),
                     mf::reduce_by_key(mf::cpu, host_keys, host, mf::sum));
  const mf::strided_view<std::int64_t> one_there(there.data(), static_cast<std::int64_t>(n), 0);
  const mf::strided_view<std::int64_t> one(keys.data(), static_cast<std::int64_t>(n), 0);
  expect_same_groups("one key", mf::group_by(mf::gpu, one_there, own, mf::sum),
                     mf::group_by(mf::cpu, one, host, mf::sum));
  const auto pairs = mf::zip(device.span(0, n), device.span(0, n));
  expect_same_groups("dot", mf::group_by(mf::gpu, own_keys, pairs, mf::dot),
                     mf::group_by(mf::cpu, host_keys, mf::zip(values, values), mf::dot));
}

TEST_F(gpu_group_by, a_stream_of_its_own) {
  const auto keys = spread_keys(many, 30);
  const auto values = numbers_of<double>(many);
  const device_array<std::int64_t> there(keys);
  const device_array<double> device(many);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(device.data(), values.data(), many * sizeof(double),
                            cudaMemcpyHostToDevice, stream),
            cudaSuccess);
  expect_same_groups("stream",
                     mf::group_by(mf::gpu(stream), there.span(0, many), device.span(0, many),
                                  mf::sum, mf::key_order::first),
                     mf::group_by(mf::cpu, keys, values, mf::sum, mf::key_order::first));
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  gpu_tests::expect_refused(
      [&] {
        static_cast<void>(
            mf::group_by(mf::gpu(stream), there.span(0, 9), device.span(0, 9), mf::sum));
      },
      "the stream is being captured");
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  static_cast<void>(cudaGraphDestroy(graph));
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const mf::error& refused) {
    return refused.what();
  }
  return "nothing";
}

TEST_F(gpu_group_by, errors_have_the_words_of_the_cpu) {
  const std::vector<std::int64_t> keys{5, 3, 5, 9, 3, 7};
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  const device_array<std::int64_t> there(keys);
  const device_array<double> device(values);
  const auto first_of = [&](mf::key_order order) {
    const std::string got = refusal_of([&] {
      static_cast<void>(
          mf::group_by(mf::gpu, there.span(0, 6), device.span(0, 6), mf::variance(1), order));
    });
    EXPECT_EQ(got, refusal_of([&] {
                static_cast<void>(mf::group_by(mf::cpu, keys, values, mf::variance(1), order));
              }));
    return got;
  };
  EXPECT_NE(first_of(mf::key_order::sorted).find("group 2"), std::string::npos);
  EXPECT_NE(first_of(mf::key_order::first).find("group 2"), std::string::npos);
  const std::vector<double> fewer{1, 2};
  EXPECT_EQ(
      refusal_of([&] {
        static_cast<void>(mf::reduce_by_key(mf::gpu, there.span(0, 6), device.span(0, 2), mf::sum));
      }),
      refusal_of([&] { static_cast<void>(mf::reduce_by_key(mf::cpu, keys, fewer, mf::sum)); }));
  gpu_tests::expect_refused(
      [&] {
        static_cast<void>(mf::group_by(mf::gpu, mf::contiguous_view<std::int64_t>(nullptr, 6),
                                       device.span(0, 6), mf::sum));
      },
      "null pointer");
}

}  // namespace
