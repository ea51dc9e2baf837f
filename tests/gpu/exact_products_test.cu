// Exact sums of squares, moments and dot products on the device: the CPU's state bytes, whatever the data,
// the places of the arrays and the grid.

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tests/exact/items.hpp"
#include "tests/gpu/exact_states.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::expect_cpu_dot;
using gpu_tests::expect_cpu_state;
using gpu_tests::is_new_path;
using gpu_tests::repetitions;
using gpu_tests::same;

template <class Item>
class gpu_exact_products : public gpu_tests::gpu_test {
 protected:
  static void expect_all(const std::vector<Item>& items, const std::vector<Item>& others,
                         const std::string& what, std::int64_t blocks = 0) {
    expect_cpu_state(mf::sum_of_squares, items, "squares, " + what, blocks);
    expect_cpu_state(mf::variance(), items, "moments, " + what, blocks);
    expect_cpu_dot(items, others, what, blocks);
  }
};

TYPED_TEST_SUITE(gpu_exact_products, gpu_tests::item_types);

/// Items that a tile holds: 2 KiB.
template <class Item>
constexpr int pair_tile = 2048 / sizeof(Item);

// The folds that the trait must see: else the fold's tree would be tested.
template <class Item>
using zipped = decltype(mf::zip(std::span<const Item>(), std::span<const Item>()));
static_assert(is_new_path<decltype(mf::norm2), mf::contiguous_view<float>>);
static_assert(is_new_path<decltype(mf::variance()), mf::contiguous_view<double>>);
static_assert(is_new_path<decltype(mf::standard_deviation()), mf::contiguous_view<mf::float16>>);
static_assert(is_new_path<decltype(mf::dot), zipped<mf::bfloat16>>);
static_assert(!is_new_path<decltype(mf::dot),
                           decltype(mf::zip(std::span<const float>(), std::span<const double>()))>);

TYPED_TEST(gpu_exact_products, every_kind_of_data) {
  for (const auto& kind : inputs::kinds_of_data) {
    for (const int n :
         {1, 2, 31, 33, 700, 3 * pair_tile<TypeParam> + 5, 40 * pair_tile<TypeParam>}) {
      const auto items = inputs::items_of<TypeParam>(kind, n, static_cast<std::uint64_t>(n));
      const auto others =
          inputs::items_of<TypeParam>(kind == "specials" ? "some zeros" : kind, n, 77);
      this->expect_all(items, others, kind);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(gpu_exact_products, random_bits) {
  inputs::generator random(7);
  for (unsigned round = 0; round < repetitions(200, 12); ++round) {
    std::vector<TypeParam> items(1 + random() % (5 * pair_tile<TypeParam>));
    std::vector<TypeParam> others(items.size());
    const std::uint64_t kept = round % 3 == 0 ? random() : ~std::uint64_t{0};
    for (auto& x : items) x = inputs::from_bits<TypeParam>(random() & kept);
    for (auto& x : others) x = inputs::from_bits<TypeParam>(random() & kept);
    this->expect_all(items, others, "bits of round " + std::to_string(round));
    if (this->HasFatalFailure()) return;
  }
}

/// Exponents near those where doubles stop to hold products, and products that cancel there.
TYPED_TEST(gpu_exact_products, products_that_under_and_overflow) {
  using f = inputs::fields<TypeParam>;
  inputs::generator random(3);
  constexpr int half = f::top_field / 2;
  for (const int centre :
       {0, half / 2, half / 2 + 30, half, half + half / 2 - 20, f::top_field - 2}) {
    for (const int spread : {1, 5, 40}) {
      std::vector<TypeParam> items;
      std::vector<TypeParam> others;
      for (int i = 0; i < 6 * pair_tile<TypeParam> + 3; ++i) {
        const auto draw = [&](int middle) {
          const std::uint64_t bits = random();
          int field =
              middle - spread / 2 + static_cast<int>((bits >> 20) % static_cast<unsigned>(spread));
          field = field < 0 ? 0 : field >= f::top_field ? f::top_field - 1 : field;
          return inputs::from_bits<TypeParam>((bits >> (64 - f::fraction)) |
                                              static_cast<std::uint64_t>(field) << f::fraction |
                                              (bits & 1) << (f::total - 1));
        };
        items.push_back(draw(centre));
        // Some products over- and underflow, and no factors do.
        others.push_back(draw(i % 3 == 0 ? centre : f::top_field - 1 - centre));
      }
      this->expect_all(items, others, "near field " + std::to_string(centre));
      if (this->HasFatalFailure()) return;
    }
  }
}

/// Levels hold all that is left of these tiles, so that nothing else gives the special item away.
TYPED_TEST(gpu_exact_products, one_special_item_among_ones) {
  using f = inputs::fields<TypeParam>;
  const auto with_field = [](int field) {
    return inputs::from_bits<TypeParam>(static_cast<std::uint64_t>(field) << f::fraction);
  };
  const TypeParam one = with_field(f::top_field / 2);
  // The smallest number, numbers whose squares are just no double, infinity, NaN.
  for (const TypeParam special :
       {inputs::from_bits<TypeParam>(1), with_field(f::top_field / 4 + 10),
        with_field(f::top_field / 4 - 8), with_field(f::top_field),
        inputs::from_bits<TypeParam>((std::uint64_t{f::top_field} << f::fraction) + 1)}) {
    for (const int where : {0, 9, 26}) {
      std::vector<TypeParam> items(30 * pair_tile<TypeParam>, one);
      items[static_cast<std::size_t>(where * pair_tile<TypeParam> + 77)] = special;
      this->expect_all(items, items, "one among ones", 1);
      this->expect_all(items, std::vector<TypeParam>(items.size(), one), "times one", 1);
      if (this->HasFatalFailure()) return;
    }
  }
}

/// A product that is -inf is no -0: the state says so.
TYPED_TEST(gpu_exact_products, products_that_are_all_infinite) {
  using f = inputs::fields<TypeParam>;
  const auto with_field = [](int field) {
    return inputs::from_bits<TypeParam>(static_cast<std::uint64_t>(field) << f::fraction);
  };
  const TypeParam minus_infinity =
      inputs::from_bits<TypeParam>((std::uint64_t{f::top_field} << f::fraction) |
                                   (std::uint64_t{1} << (8 * sizeof(TypeParam) - 1)));
  for (const std::size_t n : {1U, 3U, 100U}) {
    const std::vector<TypeParam> ones(n, with_field(f::top_field / 2));
    this->expect_all(ones, std::vector<TypeParam>(n, minus_infinity), "minus infinity");
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(gpu_exact_products, every_place_and_count) {
  constexpr int places = 16 / static_cast<int>(sizeof(TypeParam));
  constexpr int most = 18 * pair_tile<TypeParam> + 2 * places;
  for (const char* kind : {"normal", "any finite", "minus zeros"}) {
    const auto host = inputs::items_of<TypeParam>(kind, most, 3);
    const auto others = inputs::items_of<TypeParam>("some zeros", most, 4);
    const device_array<TypeParam> device(host);
    const device_array<TypeParam> right(others);
    for (const int n : {1, 2, 33, pair_tile<TypeParam> - 1, pair_tile<TypeParam> + 1,
                        3 * pair_tile<TypeParam>, 17 * pair_tile<TypeParam> + 1}) {
      for (int offset = 0; offset < places; ++offset) {
        if (gpu_tests::is_slow && n > 3 * pair_tile<TypeParam> && offset % 3 != 1) continue;
        const auto count = static_cast<std::size_t>(n);
        const auto from = static_cast<std::size_t>(offset);
        const std::span<const TypeParam> left(host.data() + from, count);
        if (offset < 3) {
          expect_cpu_state<TypeParam>(mf::variance(), left, device.span(from, count), kind);
        }
        for (const std::size_t other : {std::size_t{0}, from, (from + 1) % places}) {
          expect_cpu_dot<TypeParam>(left, std::span<const TypeParam>(others.data() + other, count),
                                    device.span(from, count), right.span(other, count), kind);
        }
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(gpu_exact_products, every_grid) {
  for (const char* kind : {"uniform", "any finite", "specials"}) {
    const auto items = inputs::items_of<TypeParam>(kind, 70 * pair_tile<TypeParam> + 11, 5);
    const auto others = inputs::items_of<TypeParam>("wide", 70 * pair_tile<TypeParam> + 11, 6);
    for (const int blocks : {1, 3, 64}) {
      this->expect_all(items, others, kind, blocks);
      if (this->HasFatalFailure()) return;
    }
  }
}

class gpu_exact_product_answers : public gpu_tests::gpu_test {};

TEST_F(gpu_exact_product_answers, what_doubles_cannot) {
  constexpr double most = std::numeric_limits<double>::max();
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto on_device = [](const std::vector<double>& items, const auto& fold) {
    const device_array<double> device(items);
    return mf::reduce(mf::gpu, device.span(0, items.size()), fold);
  };
  EXPECT_EQ(on_device({most}, mf::norm2), most);
  EXPECT_EQ(on_device({0x1p-1074, 0, -0.0}, mf::norm2), 0x1p-1074);
  EXPECT_EQ(on_device({3e300, 4e300}, mf::norm2), 5e300);
  EXPECT_EQ(on_device({1e200, 1e200 + 1e190}, mf::sum_of_squares), inf);
  EXPECT_EQ(on_device({1e9 + 1, 1e9 + 2, 1e9 + 3}, mf::variance(1)), 1.0);
  EXPECT_EQ(on_device({-0x1p600, 0x1p600}, mf::standard_deviation()), 0x1p600);
  EXPECT_TRUE(std::isnan(on_device({1, inf, 2}, mf::variance())));
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    const device_array<double> left(a);
    const device_array<double> right(b);
    return mf::reduce(mf::gpu, mf::zip(left.span(0, a.size()), right.span(0, b.size())), mf::dot);
  };
  EXPECT_EQ(dot({most, most, 1}, {most, -most, 3}), 3.0);
  EXPECT_EQ(dot({0x1p-1074, 1}, {0x1p-1074, 1}), 1.0);
  EXPECT_EQ(dot({0x1p-1074, 0x1p-600}, {0x1p-1000, 0x1p600}), 1.0);
  EXPECT_TRUE(same(dot({-0.0, 0.0}, {1, -1}), -0.0));
  EXPECT_TRUE(same(dot({-0.0, 0.0}, {1, 1}), 0.0));
  EXPECT_TRUE(std::isnan(dot({0, 1}, {inf, 1})));
  EXPECT_EQ(dot({-1, 1}, {inf, 1}), -inf);
}

TEST_F(gpu_exact_product_answers, one_workspace_again_and_again) {
  const auto items = inputs::items_of<double>("any finite", 70001, 1);
  const auto others = inputs::items_of<double>("wide", 70001, 2);
  const device_array<double> left(items);
  const device_array<double> right(others);
  const auto range = left.span(0, items.size());
  const auto pairs = mf::zip(range, right.span(0, others.size()));
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, mf::sum));
  const device_array<mf::result<double>> deviation(1);
  const device_array<double> out(2);
  for (int round = 0; round < 2; ++round) {
    mf::reduce_into(mf::gpu, range, mf::standard_deviation(), deviation.data(), workspace);
    mf::reduce_into(mf::gpu, pairs, mf::dot, out.data(), workspace);
    mf::reduce_into(mf::gpu, range, mf::norm2, out.data() + 1, workspace);
    EXPECT_TRUE(same(deviation.host()[0].value(), mf::reduce(items, mf::standard_deviation())));
    EXPECT_TRUE(same(out.host()[0], mf::reduce(mf::zip(items, others), mf::dot)));
    EXPECT_TRUE(same(out.host()[1], mf::reduce(items, mf::norm2)));
  }
}

}  // namespace
