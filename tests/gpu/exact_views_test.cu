// Exact sums of items that a view computes: the CPU's state bytes, whatever the view.

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/exact/items.hpp"
#include "tests/gpu/exact_states.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::bound_state;
using gpu_tests::device_array;
using gpu_tests::is_new_path;
using gpu_tests::repetitions;
using gpu_tests::words_of;

template <class Item>
class gpu_exact_views : public gpu_tests::gpu_test {};

TYPED_TEST_SUITE(gpu_exact_views, gpu_tests::item_types);

/// The same with the other sign, NaN too.
struct negated {
  template <class Item>
  MONOFOLD_HD Item operator()(const Item& x) const {
    return mf::bits_as<Item>(static_cast<typename mf::float_format<Item>::bits>(
        mf::float_bits(x) ^ mf::float_format<Item>::sign_bit));
  }
};

template <class Item>
using transformed = decltype(mf::transform(std::span<const Item>(), negated{}));
static_assert(is_new_path<decltype(mf::sum), transformed<float>>);
static_assert(is_new_path<decltype(mf::variance()), mf::strided_view<mf::float16>>);
static_assert(is_new_path<decltype(mf::dot), decltype(mf::zip(std::declval<transformed<double>>(),
                                                              std::span<const double>()))>);
static_assert(!is_new_path<decltype(mf::plain_sum), transformed<float>>);
static_assert(
    mf::detail::mapped_sum<mf::bound_fold_t<decltype(mf::sum | mf::map(negated{})), float>,
                           mf::contiguous_view<float>>::is_one);

/// The state of a view on the device has the bytes of that of `items`, one by one on the CPU.
template <class F, class View>
void expect_cpu_bytes(const F& fold, const std::vector<typename View::item_type>& items,
                      const View& device, const std::string& what) {
  using item = typename View::item_type;
  using state = bound_state<F, item>;
  static_assert(is_new_path<F, View>);
  const auto f = mf::bind_fold<item>(fold);
  auto own = f.identity();
  for (const item& x : items) f.absorb(own, x, 0);
  const device_array<state> out(1);
  const mf::gpu_workspace workspace(mf::workspace_bytes(device, fold));
  mf::fold_into(mf::gpu, device, fold, out.data(), workspace);
  ASSERT_EQ(words_of(out.host()[0]), words_of(own)) << what << ", n = " << items.size();
}

/// A map before the sum is a sum of the transformed view.
template <class Item, class View>
void expect_same_answer(std::span<const Item> items, const View& view) {
  const double mapped = mf::reduce(mf::gpu, items, mf::sum | mf::map(negated{}));
  EXPECT_EQ(mf::bits_as<std::uint64_t>(mapped),
            mf::bits_as<std::uint64_t>(mf::reduce(mf::gpu, view, mf::sum)));
}

TYPED_TEST(gpu_exact_views, transformed_items) {
  for (const auto& kind : inputs::kinds_of_data) {
    for (const int n :
         {0, 1, 31, 33, 700, 2 * gpu_tests::tile<TypeParam>, 5 * gpu_tests::tile<TypeParam> + 3}) {
      const auto host = inputs::items_of<TypeParam>(kind, n, static_cast<std::uint64_t>(n));
      const device_array<TypeParam> device(host);
      std::vector<TypeParam> items;
      for (const TypeParam& x : host) items.push_back(negated{}(x));
      const auto view = mf::transform(device.span(0, host.size()), negated{});
      expect_cpu_bytes(mf::sum, items, view, kind);
      expect_cpu_bytes(mf::variance(), items, view, "moments, " + kind);
      expect_same_answer(device.span(0, host.size()), view);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(gpu_exact_views, random_bits) {
  inputs::generator random(11);
  for (unsigned round = 0; round < repetitions(200, 10); ++round) {
    std::vector<TypeParam> host(1 + random() % (4 * gpu_tests::tile<TypeParam>));
    const std::uint64_t kept = round % 3 == 0 ? random() : ~std::uint64_t{0};
    for (auto& x : host) x = inputs::from_bits<TypeParam>(random() & kept);
    const device_array<TypeParam> device(host);
    std::vector<TypeParam> items;
    for (const TypeParam& x : host) items.push_back(negated{}(x));
    const auto view = mf::transform(device.span(0, host.size()), negated{});
    expect_cpu_bytes(mf::sum, items, view, "bits of round " + std::to_string(round));
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(gpu_exact_views, strided_items) {
  const int most = 9 * gpu_tests::tile<TypeParam>;
  for (const char* kind : {"normal", "any finite", "minus zeros"}) {
    const auto host = inputs::items_of<TypeParam>(kind, most, 5);
    const device_array<TypeParam> device(host);
    for (const int stride : {3, -1, 0}) {
      for (const int n : {1, 100, most / 3}) {
        const int start = stride < 0 ? most - 1 : 0;
        std::vector<TypeParam> items;
        for (int i = 0; i < n; ++i)
          items.push_back(host[static_cast<std::size_t>(start + i * stride)]);
        const mf::strided_view<TypeParam> view(device.data() + start, n, stride);
        expect_cpu_bytes(mf::norm2, items, view, "stride " + std::to_string(stride) + ", " + kind);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(gpu_exact_views, pairs_of_computed_items) {
  using pair = mf::item_pair<TypeParam, TypeParam>;
  for (const auto& kind : inputs::kinds_of_data) {
    for (const int n : {1, 33, 3 * gpu_tests::tile<TypeParam> + 1}) {
      const auto left = inputs::items_of<TypeParam>(kind, n, 17);
      const auto right = inputs::items_of<TypeParam>(kind, n, 18);
      const device_array<TypeParam> on_left(left);
      const device_array<TypeParam> on_right(right);
      std::vector<pair> items;
      for (std::size_t i = 0; i < left.size(); ++i) items.push_back({negated{}(left[i]), right[i]});
      const auto view = mf::zip(mf::transform(on_left.span(0, left.size()), negated{}),
                                on_right.span(0, right.size()));
      expect_cpu_bytes(mf::dot, items, view, kind);
      if (this->HasFatalFailure()) return;
    }
  }
}

/// The sign bit is set: of about half the items of most kinds of data, NaN too.
struct has_sign {
  template <class Item>
  MONOFOLD_HD bool operator()(const Item& x) const {
    return (mf::float_bits(x) & mf::float_format<Item>::sign_bit) != 0;
  }
};
struct never {
  template <class Item>
  MONOFOLD_HD bool operator()(const Item&) const {
    return false;
  }
};

/// What a fold with adapters makes of items on the device and on the CPU.
template <class Item, class F>
void expect_cpu_answer(const F& fold, const std::vector<Item>& host,
                       const device_array<Item>& device, const std::string& what) {
  using bound = mf::bound_fold_t<F, Item>;
  static_assert(mf::detail::sums_exactly_v<bound, mf::contiguous_view<Item>>);
  const auto own = mf::try_reduce(mf::gpu, device.span(0, host.size()), fold);
  const auto expected = mf::try_reduce(host, fold);
  ASSERT_EQ(own.code(), expected.code()) << what;
  if (!own.has_value()) return;
  ASSERT_EQ(mf::bits_as<std::uint64_t>(*own), mf::bits_as<std::uint64_t>(*expected))
      << what << ", n = " << host.size() << ", " << *own << " and " << *expected;
}

/// Adapters do not know what types they adapt: on the emulated device, where each pair takes a second to
/// compile, the first of two such folds is for these types and the second for the others.
template <class Item>
constexpr bool takes_first =
    !gpu_tests::is_emulated || std::is_same_v<Item, double> || std::is_same_v<Item, mf::bfloat16>;
template <class Item>
constexpr bool takes_second = !gpu_tests::is_emulated || !takes_first<Item>;

TYPED_TEST(gpu_exact_views, some_of_the_items) {
  for (const auto& kind : inputs::kinds_of_data) {
    for (const int n : {1, 33, 700, 5 * gpu_tests::tile<TypeParam> + 3}) {
      const auto host = inputs::items_of<TypeParam>(kind, n, static_cast<std::uint64_t>(n));
      const device_array<TypeParam> device(host);
      expect_cpu_answer(mf::sum | mf::where(has_sign{}), host, device, kind);
      if constexpr (takes_first<TypeParam>) {
        expect_cpu_answer(mf::variance() | mf::where(has_sign{}), host, device, "moments, " + kind);
      }
      if constexpr (takes_second<TypeParam>) {
        expect_cpu_answer(mf::mean | mf::where(never{}), host, device, "none, " + kind);
      }
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(gpu_exact_views, adapters_of_adapters) {
  [[maybe_unused]] const auto both = mf::norm2 | mf::map(negated{}) | mf::where(has_sign{});
  [[maybe_unused]] const auto twice = mf::norm1 | mf::where(has_sign{}) | mf::map(negated{});
  for (const char* kind : {"normal", "any finite", "specials", "minus zeros"}) {
    for (const int n : {0, 1, 100, 40 * gpu_tests::tile<TypeParam>}) {
      const auto host = inputs::items_of<TypeParam>(kind, n, static_cast<std::uint64_t>(n));
      const device_array<TypeParam> device(host);
      if constexpr (takes_first<TypeParam>) {
        expect_cpu_answer(both, host, device, std::string("a map, then where, ") + kind);
      }
      if constexpr (takes_second<TypeParam>) {
        expect_cpu_answer(twice, host, device, std::string("where, then a map, ") + kind);
      }
      if (this->HasFatalFailure()) return;
    }
  }
}

class gpu_exact_generated : public gpu_tests::gpu_test {};

/// 1, 2^-40, 1, 2^-40, ...
struct ones_and_grains {
  MONOFOLD_HD float operator()(std::int64_t i) const { return i % 2 == 0 ? 1.0f : 0x1p-40f; }
};

/// More than 2^32 items, without the memory for them.
TEST_F(gpu_exact_generated, many_items) {
  const std::int64_t half = gpu_tests::is_slow ? 100000 : (std::int64_t{1} << 32) + 1;
  const auto view = mf::generate(2 * half, ones_and_grains{});
  const auto count = static_cast<double>(half);
  EXPECT_EQ(mf::reduce(mf::gpu, view, mf::sum), count + count * 0x1p-40);  // one rounding is ours
  EXPECT_EQ(mf::reduce(mf::gpu, view, mf::mean), (1 + 0x1p-40) / 2);
}

TEST_F(gpu_exact_generated, too_many_items_are_refused) {
  const auto view = mf::generate((std::int64_t{1} << 38) + 1, ones_and_grains{});
  EXPECT_EQ(mf::try_reduce(mf::gpu, view, mf::sum).code(), mf::status::unsupported);
}

/// Takes items that have a name alone, as a fold's are.
struct halved_in_place {
  template <class Item>
  MONOFOLD_HD float operator()(Item& x) const {
    return x / 2;
  }
};

/// What it gives is no item yet.
struct view_of_thirds {
  using item_type = float;
  std::int64_t size() const { return 1000; }
  MONOFOLD_HD double operator[](std::int64_t i) const { return static_cast<double>(i) / 3; }
};

TEST_F(gpu_exact_generated, what_else_a_view_may_be) {
  const std::vector<float> x = inputs::items_of<float>("normal", 3001, 3);
  const device_array<float> device(x);
  const auto halves = mf::sum | mf::map(halved_in_place{});
  EXPECT_EQ(mf::reduce(mf::gpu, device.span(0, x.size()), halves), mf::reduce(x, halves));
  EXPECT_EQ(mf::reduce(mf::gpu, view_of_thirds{}, mf::sum), mf::reduce(view_of_thirds{}, mf::sum));
  using pair = mf::item_pair<float, float>;
  std::vector<pair> pairs;
  for (std::size_t i = 0; i < x.size(); ++i) pairs.push_back({x[i], x[(i * 5) % x.size()]});
  const device_array<pair> on_device(pairs);
  EXPECT_EQ(mf::reduce(mf::gpu, on_device.span(0, pairs.size()), mf::dot),
            mf::reduce(pairs, mf::dot));
}

TEST_F(gpu_exact_generated, members_of_an_all) {
  const std::vector<float> host = inputs::items_of<float>("any finite", 10001, 3);
  const device_array<float> device(host);
  const auto folds = mf::all(mf::sum, mf::max, mf::variance(), mf::count);
  const auto own =
      mf::reduce(mf::gpu, mf::transform(device.span(0, host.size()), negated{}), folds);
  EXPECT_EQ(own, mf::reduce(mf::transform(std::span<const float>(host), negated{}), folds));
}

}  // namespace
