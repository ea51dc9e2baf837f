// Several statistics in the pass of an exact sum: each has the state that the CPU gives it alone.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/exact/items.hpp"
#include "tests/gpu/exact_states.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::bound_state;
using gpu_tests::cpu_state;
using gpu_tests::device_array;
using gpu_tests::gpu_state;
using gpu_tests::repetitions;
using gpu_tests::words_of;

template <class Item>
class gpu_exact_members : public gpu_tests::gpu_test {
 protected:
  using f = inputs::fields<Item>;
  static constexpr std::size_t tile = 4096 / sizeof(Item);

  /// Any fraction and sign with this exponent field.
  Item draw(int field) { return gpu_tests::item_of_field<Item>(random_(), field); }
  std::vector<Item> draw_all(std::size_t n, int field, int spread) {
    std::vector<Item> out;
    for (std::size_t i = 0; i < n; ++i) {
      out.push_back(draw(field - static_cast<int>(random_() % static_cast<unsigned>(spread))));
    }
    return out;
  }

  template <class... Folds>
  static void expect_states(std::span<const Item> host, std::span<const Item> device,
                            const std::string& what, std::int64_t blocks, const Folds&... folds) {
    gpu_tests::expect_members(gpu_state(mf::all(folds...), device, blocks), host,
                              what + ", blocks " + std::to_string(blocks), folds...);
  }
  /// The eight statistics, and other choices of members.
  static void expect_all(const std::vector<Item>& items, const std::string& what,
                         std::size_t offset = 0, std::int64_t blocks = 0) {
    const device_array<Item> there(items);
    const std::span<const Item> host = std::span<const Item>(items).subspan(offset);
    const auto device = there.span(offset, host.size());
    expect_states(host, device, what, blocks, mf::count, mf::sum, mf::min, mf::max, mf::mean,
                  mf::variance(1), mf::argmin, mf::argmax);
    expect_states(host, device, what + ", extrema", blocks, mf::extrema, mf::sum);
    if (HasFatalFailure()) return;
    gpu_tests::expect_same<Item>(what.c_str(), mf::all(mf::sum, mf::argmax, mf::count), host,
                                 device);
  }

  inputs::generator random_{23};
};

TYPED_TEST_SUITE(gpu_exact_members, gpu_tests::item_types);

/// Ends of tiles, of blocks' shares and of arrays at every alignment.
TYPED_TEST(gpu_exact_members, counts_and_alignments) {
  using f = inputs::fields<TypeParam>;
  constexpr std::size_t tile = TestFixture::tile;
  const std::size_t each = 16 / sizeof(TypeParam);
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, each, tile - 1, tile, tile + 1,
                              3 * tile + 7, 20 * tile - 1, 300 * tile + 3, 5000 * tile + 11}) {
    if (gpu_tests::is_slow && n > 20 * tile) continue;
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, each - 1}) {
      auto items = this->draw_all(offset + n, f::top_field / 2, 3);
      this->expect_all(items, "offset " + std::to_string(offset), offset);
      if (this->HasFatalFailure()) return;
      // The ends of the array are its extremes; what lies around it is more extreme yet.
      items[offset] = this->draw(f::top_field / 2 + 1);
      items.back() = this->draw(f::top_field / 2 + 1);
      if (offset > 0) items[offset - 1] = this->draw(f::top_field / 2 + 4);
      this->expect_all(items, "extreme ends, offset " + std::to_string(offset), offset);
      if (this->HasFatalFailure()) return;
    }
  }
}

/// Ties, which the lowest index wins, and tiles that each improve the result.
TYPED_TEST(gpu_exact_members, ties_and_slopes) {
  using f = inputs::fields<TypeParam>;
  const std::size_t n = repetitions(700, 9) * TestFixture::tile + 5;
  const auto one = inputs::from_bits<TypeParam>(std::uint64_t{f::top_field / 2} << f::fraction);
  this->expect_all(std::vector<TypeParam>(n, one), "ones");
  std::vector<TypeParam> up(n);
  std::vector<TypeParam> two(n, one);
  for (std::size_t i = 0; i < n; ++i) {
    // As many different values as the type has room for, in ascending order of their bits.
    const std::uint64_t room = (std::uint64_t{1} << (f::total - 2)) - 1;
    up[i] = inputs::from_bits<TypeParam>(room / n * i + room % n * i / n);
    if (this->random_() % 2 == 0) {
      two[i] = inputs::from_bits<TypeParam>((std::uint64_t{f::top_field / 2} << f::fraction) + 1 +
                                            this->random_() % 2);
    }
  }
  this->expect_all(up, "up");
  this->expect_all({up.rbegin(), up.rend()}, "down");
  this->expect_all(two, "neighbours of one");
}

/// Zeros of both signs, infinities and NaN: a few among numbers, and nothing else.
TYPED_TEST(gpu_exact_members, special_items) {
  using f = inputs::fields<TypeParam>;
  constexpr std::size_t tile = TestFixture::tile;
  const std::uint64_t sign = std::uint64_t{1} << (f::total - 1);
  const std::uint64_t infinity = static_cast<std::uint64_t>(f::top_field) << f::fraction;
  const std::vector<std::vector<std::uint64_t>> kinds{{0},
                                                      {sign},
                                                      {0, sign},
                                                      {infinity},
                                                      {infinity | sign},
                                                      {infinity, infinity | sign},
                                                      {infinity + 1},
                                                      {infinity | sign | 1},
                                                      {infinity + 1, infinity | sign | 1, 0, sign},
                                                      {1, sign | 1},
                                                      {infinity - 1, sign}};
  for (const auto& kind : kinds) {
    for (const std::size_t n : {std::size_t{3}, 2 * tile, repetitions(900, 12) * tile + 9}) {
      for (const unsigned rarity : {1u, 1000u, 100000u}) {
        auto items = this->draw_all(n, f::top_field / 2, 3);
        for (auto& item : items) {
          if (this->random_() % rarity != 0) continue;
          item = inputs::from_bits<TypeParam>(kind[this->random_() % kind.size()]);
        }
        this->expect_all(
            items, "special " + std::to_string(kind[0]) + ", one of " + std::to_string(rarity));
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

/// Stretches that the narrow way takes, and others that it does not.
TYPED_TEST(gpu_exact_members, ranges_that_change) {
  using f = inputs::fields<TypeParam>;
  constexpr std::size_t tile = TestFixture::tile;
  for (unsigned round = 0; round < repetitions(40, 4); ++round) {
    std::vector<TypeParam> items;
    const std::size_t n = (1 + this->random_() % repetitions(3000, 16)) * tile;
    while (items.size() < n) {
      const std::size_t stretch = 1 + this->random_() % (round % 2 == 0 ? 3 * tile : 200 * tile);
      const int field = 1 + static_cast<int>(this->random_() % (f::top_field - 2));
      const int spread = 1 + static_cast<int>(this->random_() % static_cast<unsigned>(field));
      for (std::size_t i = 0; i < stretch && items.size() < n; ++i) {
        items.push_back(
            this->draw(field - static_cast<int>(this->random_() % static_cast<unsigned>(spread))));
      }
    }
    this->expect_all(
        items, "round " + std::to_string(round), this->random_() % 3,
        static_cast<std::int64_t>(round % 4 == 3 ? 1 + this->random_() % repetitions(900, 5) : 0));
    if (this->HasFatalFailure()) return;
  }
  std::vector<TypeParam> any(repetitions(600, 7) * tile + 1);
  for (auto& item : any) item = inputs::from_bits<TypeParam>(this->random_());
  this->expect_all(any, "any bits");
}

/// Tiles with one item that is far smaller than the bins of the others hold: none, one or all of a warp's, where
/// blocks take few tiles and where they take many.
TYPED_TEST(gpu_exact_members, tiles_that_come_late) {
  using f = inputs::fields<TypeParam>;
  constexpr std::size_t tile = TestFixture::tile;
  constexpr std::size_t tiles = 35;
  const std::vector<std::vector<std::size_t>> places{{3}, {0, 8, 16, 24, 32}, {1, 2, 5, 6, 33, 34}};
  for (const auto& late : places) {
    auto items = this->draw_all(tiles * tile, f::top_field / 2, 2);
    for (const std::size_t i : late) items[i * tile + 17 * i % tile] = this->draw(1);
    for (const std::int64_t blocks : {1, 2, 0}) {
      this->expect_all(items, "late tile " + std::to_string(late[0]), 0, blocks);
      if (this->HasFatalFailure()) return;
    }
  }
}

/// Members that the pass does not serve run by themselves, before it.
using gpu_exact_members_of_floats = gpu_exact_members<float>;

TEST_F(gpu_exact_members_of_floats, members_of_other_kinds) {
  const auto items = draw_all(repetitions(800, 10) * tile + 77, f::top_field / 2, 9);
  const device_array<float> there(items);
  const auto device = there.span(0, items.size());
  const std::span<const float> host(items);
  gpu_tests::expect_same<float>(
      "mixed", mf::all(mf::plain_sum, mf::sum, mf::norm1, mf::max, mf::mean, mf::plain_mean), host,
      device);
  gpu_tests::expect_same<float>("nested", mf::all(mf::all(mf::sum, mf::min), mf::count), host,
                                device);
  gpu_tests::expect_same<float>("nested last", mf::all(mf::max, mf::all(mf::mean, mf::variance())),
                                host, device);
  gpu_tests::expect_same<float>("sums alone", mf::all(mf::sum, mf::mean, mf::standard_deviation(1)),
                                host, device);
  gpu_tests::expect_same<float>(
      "omitting", mf::all(mf::sum, mf::extrema_fold<float, mf::nan_rule::omit>{}, mf::mean), host,
      device);
  expect_states(host, device, "two sums", 0, mf::sum, mf::mean);
}

/// Calls in one workspace: nothing of one is left for the next.
TEST_F(gpu_exact_members_of_floats, a_workspace_serves_many) {
  const auto items = draw_all(repetitions(4000, 12) * tile, f::top_field / 2, 3);
  const device_array<float> there(items);
  const auto folds = mf::all(mf::sum, mf::variance(), mf::extrema);
  const auto bound = mf::bind_fold<float>(folds);
  const device_array<bound_state<decltype(folds), float>> out(1);
  const mf::gpu_workspace workspace(mf::workspace_bytes(there.span(0, items.size()), folds));
  for (unsigned round = 0; round < repetitions(100, 4); ++round) {
    const std::size_t n = 1 + random_() % items.size();
    mf::fold_into(mf::gpu, there.span(0, n), folds, out.data(), workspace);
    const auto state = out.host()[0];
    const auto got = mf::finish_state(bound, state);
    const auto want = mf::try_reduce(mf::cpu, std::span<const float>(items).first(n), folds);
    ASSERT_EQ(got.code(), want.code());
    ASSERT_TRUE(gpu_tests::same(*got, *want)) << "round " << round << ", n = " << n;
  }
}

/// An end of the user's own, derived from one of the library's: the item nearest to 0.
struct least_magnitude : mf::extremum_fold<double, true> {
  using base = mf::extremum_fold<double, true>;
  MONOFOLD_HD state lift(double x, std::int64_t index) const {
    return base::lift(x < 0 ? -x : x, index);
  }
  MONOFOLD_HD void absorb_run(state& own, const double* items, std::int64_t count,
                              std::int64_t index) const {
    for (std::int64_t i = 0; i < count; ++i) own = combine(own, lift(items[i], index + i));
  }
  MONOFOLD_HD double finish(const state& own) const { return item_of(own.key); }
};

struct unsigned_part {
  MONOFOLD_HD double operator()(double x) const { return x < 0 ? -x : x; }
};

struct point {
  double x;
  double y;
};
struct abscissa {
  MONOFOLD_HD double operator()(const point& p) const { return p.x; }
};

/// Folds and items that the pass is not for, in an `all` that looks the same.
class gpu_exact_members_not : public gpu_tests::gpu_test {};

TEST_F(gpu_exact_members_not, items_that_are_no_floats) {
  std::vector<int> integers(repetitions(300000, 9000));
  for (std::size_t i = 0; i < integers.size(); ++i) {
    integers[i] = static_cast<int>(inputs::mixed(i) >> 40) - (1 << 22);
  }
  const device_array<int> there(integers);
  gpu_tests::expect_same<int>("integers", mf::all(mf::sum, mf::min, mf::count, mf::argmax),
                              integers, there.span(0, integers.size()));
  std::vector<point> points(repetitions(100000, 3000));
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = {static_cast<double>(inputs::mixed(i) >> 30), 0};
  }
  const device_array<point> points_there(points);
  gpu_tests::expect_same<point>("points", mf::all(mf::count, mf::sum | mf::map(abscissa{})), points,
                                points_there.span(0, points.size()));
}

TEST_F(gpu_exact_members_not, ends_of_another_kind) {
  std::vector<double> items(repetitions(300000, 9000), 5.0);
  items[7] = -9;
  items[9] = 1;
  const device_array<double> there(items);
  const auto device = there.span(0, items.size());
  gpu_tests::expect_same<double>("nearest to 0", mf::all(mf::sum, least_magnitude{}, mf::min),
                                 items, device);
  gpu_tests::expect_same<double>(
      "of other items", mf::all(mf::sum, mf::argmin | mf::map(unsigned_part{})), items, device);
}

}  // namespace
