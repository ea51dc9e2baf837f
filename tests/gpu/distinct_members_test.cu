// Members of an `all` whose states those of others tell, and states of many bytes that go by mail: the CPU engine's bits.

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "monofold/engine/gpu/tree/distinct_path.cuh"
#include "tests/gpu/device.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;

constexpr auto eight = mf::all(mf::count, mf::plain_sum, mf::min, mf::max, mf::plain_mean,
                               mf::plain_variance(0), mf::argmin, mf::argmax);
constexpr auto twice = mf::all(mf::argmax, mf::plain_variance(0), mf::max, mf::plain_variance(1),
                               mf::plain_standard_deviation(1), mf::extrema, mf::extrema);

template <class F>
using members_of = mf::detail::distinct_members<mf::bound_fold_t<F, float>>;
static_assert(members_of<std::remove_const_t<decltype(eight)>>::are_fewer);
static_assert(members_of<std::remove_const_t<decltype(twice)>>::are_fewer);
static_assert(!members_of<decltype(mf::all(mf::min, mf::max, mf::count))>::are_fewer);

// What the variance of integers, or a mean, tells of the others.
constexpr auto told = mf::all(mf::plain_mean, mf::count, mf::plain_sum_in<double>);
template <class Item, class F>
using roots_of =
    typename mf::detail::distinct_members<mf::bound_fold_t<std::remove_const_t<F>, Item>>::type;
static_assert(std::is_same_v<roots_of<std::int32_t, decltype(eight)>,
                             mf::all_fold<mf::extremum_fold<std::int32_t, true>,
                                          mf::extremum_fold<std::int32_t, false>,
                                          mf::integer_moments_fold<std::int32_t>>>);
static_assert(std::is_same_v<roots_of<float, decltype(told)>, mf::all_fold<mf::mean_fold<float>>>);

template <class Item>
class gpu_distinct_members : public gpu_tests::gpu_test {
 protected:
  /// Few values, so that each is there many times; NaN and both zeros where asked.
  static std::vector<Item> numbers(std::size_t count, bool any_nan) {
    std::vector<Item> out(count);
    for (std::size_t i = 0; i < count; ++i) {
      const double x = std::floor(inputs::unit_double(i) * 64.0) - 20.0;
      out[i] = static_cast<Item>(x);
      if constexpr (mf::is_floating_v<Item>) {
        if (x == 0 && i % 3 == 0) out[i] = Item(-0.0f);
        if (any_nan && i % 1000 == 777) out[i] = std::numeric_limits<Item>::quiet_NaN();
      }
    }
    return out;
  }
};
#if defined(MONOFOLD_NVCC_LOOKS)
using item_types = testing::Types<float>;
#else
using item_types = testing::Types<float, double, std::int32_t>;
#endif
TYPED_TEST_SUITE(gpu_distinct_members, item_types);

TYPED_TEST(gpu_distinct_members, have_the_bits_of_each_alone) {
  const std::size_t count = std::is_same_v<TypeParam, float>
                                ? gpu_tests::items_to_compare<TypeParam>()
                                : gpu_tests::few_items_to_compare<TypeParam>();
  const auto host = TestFixture::numbers(count, false);
  const device_array<TypeParam> device(host);
  gpu_tests::compare<TypeParam>("eight", eight, host, device);
  gpu_tests::compare<TypeParam>("twice", twice, host, device);
  gpu_tests::compare<TypeParam>("told", told, host, device);
}

TYPED_TEST(gpu_distinct_members, see_nan_and_constants) {
  constexpr auto tile = static_cast<std::size_t>(mf::tile_items_v<TypeParam>);
  std::vector<std::vector<TypeParam>> arrays{
      TestFixture::numbers(40 * tile + 9, true),
      std::vector<TypeParam>(40 * tile + 9, TypeParam(7)),
      std::vector<TypeParam>(3 * tile, std::numeric_limits<TypeParam>::max()),
      std::vector<TypeParam>(tile + 1, std::numeric_limits<TypeParam>::lowest())};
  if constexpr (mf::is_floating_v<TypeParam>) {
    const auto nan = std::numeric_limits<TypeParam>::quiet_NaN();
    const auto infinity = std::numeric_limits<TypeParam>::infinity();
    arrays.push_back(std::vector<TypeParam>(9 * tile + 1, nan));
    arrays.push_back(std::vector<TypeParam>(9 * tile + 1, infinity));
    arrays.push_back(std::vector<TypeParam>(9 * tile + 1, -infinity));
  }
  for (const auto& host : arrays) {
    const device_array<TypeParam> device(host);
    for (const std::size_t offset : {0, 1, 4}) {
      for (const std::size_t count : {std::size_t{1}, tile / 2 + 1, tile, host.size() - offset}) {
        if (offset + count > host.size()) continue;
        const auto items = std::span<const TypeParam>(host).subspan(offset, count);
        gpu_tests::expect_same<TypeParam>("eight", eight, items, device.span(offset, count));
        gpu_tests::expect_same<TypeParam>("twice", twice, items, device.span(offset, count));
      }
    }
  }
}

/// Ranges that end in every place of a chunk, in every row, of one block and of several.
template <class Item>
class gpu_ragged_members : public gpu_distinct_members<Item> {};
#if defined(MONOFOLD_NVCC_LOOKS)
using ragged_types = testing::Types<float>;
#else
using ragged_types = testing::Types<double, mf::bfloat16, std::int8_t, std::int64_t>;
#endif
TYPED_TEST_SUITE(gpu_ragged_members, ragged_types);

TYPED_TEST(gpu_ragged_members, have_the_bits_of_the_cpu) {
  constexpr auto tile = static_cast<std::size_t>(mf::tile_items_v<TypeParam>);
  std::vector<TypeParam> host(20 * tile + 1);
  for (std::size_t i = 0; i < host.size(); ++i) {
    const double x = std::floor(inputs::unit_double(i) * 200.0) - 90.0;
    if constexpr (std::is_same_v<TypeParam, mf::bfloat16>) {
      host[i] = mf::bfloat16(static_cast<float>(x));
    } else {
      host[i] = static_cast<TypeParam>(x);
    }
  }
  const device_array<TypeParam> device(host);
  const std::size_t step = gpu_tests::is_slow ? tile / 8 + 3 : tile / 64 + 1;
  for (const std::size_t tiles : {0, 1, 3, 8, 19}) {
    for (std::size_t more = 1; more < tile; more += step) {
      const std::size_t count = tiles * tile + more;
      const std::size_t offset = more % 3 == 0 ? 1 : 0;
      gpu_tests::expect_same<TypeParam>("eight", eight,
                                        std::span<const TypeParam>(host).subspan(offset, count),
                                        device.span(offset, count));
    }
  }
}

/// The ends at every place of a tile, and in two tiles at once.
TYPED_TEST(gpu_distinct_members, find_first_places) {
  constexpr auto tile = static_cast<std::size_t>(mf::tile_items_v<TypeParam>);
  constexpr std::size_t count = 12 * tile + tile / 2 + 1;
  const std::size_t step = gpu_tests::is_slow ? 97 : 7;
  for (std::size_t at = 0; at < count; at += step) {
    std::vector<TypeParam> host(count, TypeParam(1));
    host[at] = TypeParam(5);
    host[(at + 3 * tile) % count] = TypeParam(5);
    host[(at + 5) % count] = TypeParam(-5);
    const device_array<TypeParam> device(host);
    const auto items = std::span<const TypeParam>(host);
    gpu_tests::expect_same<TypeParam>("argmin", mf::argmin, items, device.span(0, count));
    gpu_tests::expect_same<TypeParam>("extrema", mf::extrema, items, device.span(0, count));
    gpu_tests::expect_same<TypeParam>("min", mf::min, items, device.span(0, count));
  }
}

/// Takes runs through shared memory, and posts 128 bytes: both need room.
struct wide_order {
  struct state {
    std::uint64_t word[16];
    friend bool operator==(const state&, const state&) = default;
  };
  using accumulator = std::uint64_t;

  MONOFOLD_HD state lift(std::uint32_t item, std::int64_t) const { return flush(item, 1); }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    state out;
    for (int w = 0; w < 16; ++w) out.word[w] = join(left.word[w], right.word[w]);
    return out;
  }
  MONOFOLD_HD accumulator open(std::uint32_t item, std::int64_t) const { return item; }
  MONOFOLD_HD void absorb(accumulator& own, std::uint32_t item, std::int64_t) const {
    own = join(own, item);
  }
  MONOFOLD_HD accumulator join(accumulator left, accumulator right) const {
    return (left ^ (left >> 29)) * 0xbf58476d1ce4e5b9u + right * 5 + 1;
  }
  MONOFOLD_HD state flush(accumulator own, std::int64_t count) const {
    state out;
    for (int w = 0; w < 16; ++w) out.word[w] = own + static_cast<std::uint64_t>(w * count);
    return out;
  }
};

/// Derived from a fold of the library: what fills that one's tiles up is no zero here.
struct mean_of_increments : mf::mean_fold<float> {
  MONOFOLD_HD state lift(float item, std::int64_t) const { return {double{item} + 1, 1}; }
  MONOFOLD_HD double open(float item, std::int64_t) const { return double{item} + 1; }
  MONOFOLD_HD void absorb(double& own, float item, std::int64_t) const { own += double{item} + 1; }
};

class gpu_own_folds : public gpu_tests::gpu_test {};

TEST_F(gpu_own_folds, of_wide_states_in_order) {
  std::vector<std::uint32_t> host(128 * 1024 + 7);
  for (std::size_t i = 0; i < host.size(); ++i) {
    host[i] = static_cast<std::uint32_t>(inputs::mixed(i));
  }
  const device_array<std::uint32_t> device(host);
  for (const std::size_t count : {100 * 1024, 121 * 1024 + 5, 128 * 1024, 128 * 1024 + 7}) {
    gpu_tests::expect_same<std::uint32_t>("wide", wide_order{},
                                          std::span<const std::uint32_t>(host).first(count),
                                          device.span(0, count));
  }
}

TEST_F(gpu_own_folds, that_derive_from_the_librarys) {
  const std::vector<float> host(9 * 1024, 0.5f);
  const device_array<float> device(host);
  for (const std::size_t count : {1, 7, 1000, 1029, 9000}) {
    const auto items = std::span<const float>(host).first(count);
    gpu_tests::expect_same<float>("alone", mean_of_increments{}, items, device.span(0, count));
    gpu_tests::expect_same<float>("among others", mf::all(mf::min, mean_of_increments{}), items,
                                  device.span(0, count));
  }
}

/// More blocks than a thread each: two and four a thread of the block that joins them.
class gpu_many_senders : public gpu_tests::gpu_test {};
TEST_F(gpu_many_senders, have_the_bits_of_the_cpu) {
  if (gpu_tests::is_slow) GTEST_SKIP() << "too many tiles for the emulated device";
  std::vector<float> host(20000 * 1024 + 5);
  for (std::size_t i = 0; i < host.size(); ++i) {
    host[i] = static_cast<float>(inputs::unit_double(i));
  }
  const device_array<float> device(host);
  for (const std::size_t tiles : {9000, 16384, 17000, 20000}) {
    const std::size_t count = tiles * 1024 + 5;
    if (count > host.size()) continue;
    const auto items = std::span<const float>(host).first(count);
    gpu_tests::expect_same<float>("sum", mf::plain_sum, items, device.span(0, count));
    gpu_tests::expect_same<float>("argmax", mf::argmax, items, device.span(0, count));
    gpu_tests::expect_same<float>("eight", eight, items, device.span(0, count));
  }
}

}  // namespace
