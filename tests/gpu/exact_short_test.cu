// Exact sums of few tiles, which warps and blocks hand on as short integers, and the edge of what levels are
// sure to hold: the CPU's state bytes all the same.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/exact/items.hpp"
#include "tests/gpu/exact_states.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::expect_cpu_dot;
using gpu_tests::expect_cpu_state;
using gpu_tests::repetitions;

template <class Item>
class gpu_exact_short : public gpu_tests::gpu_test {
 protected:
  using f = inputs::fields<Item>;

  /// Any fraction and sign with an exponent field, which is brought into the range of numbers.
  Item draw(int field) {
    return gpu_tests::item_of_field<Item>(random_(), std::clamp(field, 0, f::top_field - 1));
  }
  void expect_all(const std::vector<Item>& items, const std::string& what) {
    expect_cpu_state(mf::sum, items, "sum, " + what);
    expect_cpu_state(mf::norm1, items, "magnitudes, " + what);
    expect_cpu_state(mf::variance(), items, "moments, " + what);
    expect_cpu_state(mf::sum_of_squares, items, "squares, " + what);
    auto others = items;
    std::reverse(others.begin(), others.end());
    expect_cpu_dot(items, others, what);
  }
  /// Answers, which are not made of states.
  void expect_answers(const std::vector<Item>& items, const std::string& what) {
    const gpu_tests::device_array<Item> device(items);
    const std::span<const Item> host(items);
    const std::span<const Item> on_device = device.span(0, items.size());
    const auto variance = mf::try_reduce(mf::cpu, host, mf::variance());
    ASSERT_EQ(answer_of(on_device, mf::variance()).value(), *variance) << "variance, " << what;
    ASSERT_EQ(answer_of(on_device, mf::sum_of_squares),
              mf::reduce(mf::cpu, host, mf::sum_of_squares))
        << "squares, " << what;
    const auto turned = [](auto x) { return mf::zip(x, x.subspan(1)); };
    ASSERT_EQ(answer_of(turned(on_device), mf::dot), mf::reduce(mf::cpu, turned(host), mf::dot))
        << "dot, " << what;
  }
  /// As a kernel finishes it.
  template <class View, class F>
  static auto answer_of(const View& view, const F& f) {
    using answer = mf::finished_t<F, mf::folded_item_t<View, F>>;
    const gpu_tests::device_array<answer> out(1);
    const mf::gpu_workspace workspace(mf::workspace_bytes(view, f));
    mf::reduce_into(mf::gpu, view, f, out.data(), workspace);
    return out.host()[0];
  }
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  inputs::generator random_{17};
};

TYPED_TEST_SUITE(gpu_exact_short, gpu_tests::item_types);

/// Tops of warps and blocks that differ: the joins move what they add, or find that it is too far.
TYPED_TEST(gpu_exact_short, tiles_of_other_magnitudes) {
  using f = inputs::fields<TypeParam>;
  for (const int tiles : {2, 7, 9, 40, 255, 300, 1100}) {
    if (tiles > 40 && gpu_tests::is_slow) continue;
    for (const int spread : {1, 2, 4, 5, 8, 9, 20, 60}) {
      if (tiles > 9 && gpu_tests::is_slow && spread != 1 && spread != 5 && spread != 60) continue;
      std::vector<TypeParam> items;
      int field = 0;
      const int whole = tiles * gpu_tests::tile<TypeParam> - static_cast<int>(this->below(3)) * 5;
      for (int i = 0; i < whole; ++i) {
        if (i % gpu_tests::tile<TypeParam> == 0) {
          field = f::top_field / 2 + static_cast<int>(this->below(static_cast<unsigned>(spread)));
        }
        items.push_back(this->draw(field - static_cast<int>(this->below(3))));
      }
      this->expect_all(items, std::to_string(tiles) + " tiles, spread " + std::to_string(spread));
      if (this->HasFatalFailure()) return;
    }
  }
}

/// A few items so far below the others that bins leave some of them: in one lane, in some, in many; of few tiles and
/// of so many that blocks go on by tickets.
TYPED_TEST(gpu_exact_short, rests) {
  using f = inputs::fields<TypeParam>;
  constexpr int tile = gpu_tests::tile<TypeParam>;
  for (const int tiles : {1, 3, 8, 30, 200, 700, 1500, 9000}) {
    if (tiles > (gpu_tests::is_slow ? 30 : 9000)) continue;
    for (const int few : {1, 2, 7, 12}) {
      std::vector<TypeParam> items;
      for (int i = 0; i < tiles * tile - 3; ++i) {
        items.push_back(this->draw(f::top_field / 2 + i % 3));
      }
      const auto any_place = [&] { return this->below(static_cast<unsigned>(items.size() - 1)); };
      for (int i = 0; i < few; ++i) {
        const auto low = static_cast<int>(this->below(static_cast<unsigned>(f::top_field / 2)));
        items[any_place()] = this->draw(low);
        if (i == 2) items[any_place()] = TypeParam(-0.0f);
      }
      if (few == 2) items[1] = items[0] = this->draw(1);  // of one lane
      if (few == 12) {
        for (int i = 0; i < 9; ++i) items[static_cast<std::size_t>(i) * 8] = this->draw(3);
      }
      this->expect_all(items, std::to_string(few) + " in " + std::to_string(tiles) + " tiles");
      if (this->HasFatalFailure()) return;
    }
  }
}

/// Rests that go by mail: items some 20 to 45 binades below the others. Largest exponents of tiles are alike, near to
/// each other, and far apart.
TYPED_TEST(gpu_exact_short, rests_by_mail) {
  using f = inputs::fields<TypeParam>;
  constexpr int tile = gpu_tests::tile<TypeParam>;
  for (const int tiles : {2, 5, 8, 12, 30, 300, 1500}) {
    if (tiles > (gpu_tests::is_slow ? 30 : 1500)) continue;
    for (const int spread : {1, 2, 7, 40}) {
      std::vector<TypeParam> items;
      int field = 0;
      for (int i = 0; i < tiles * tile - 2; ++i) {
        if (i % tile == 0) {
          field =
              f::top_field * 3 / 4 + static_cast<int>(this->below(static_cast<unsigned>(spread)));
        }
        items.push_back(this->draw(field - i % 3));
      }
      for (int i = 0; i < 3 * tiles; i += 2) {
        const int low = f::top_field * 3 / 4 - 20 - static_cast<int>(this->below(25));
        items[this->below(static_cast<unsigned>(items.size()))] = this->draw(low);
      }
      items[this->below(static_cast<unsigned>(items.size()))] = TypeParam(-0.0f);
      const std::string what = "spread " + std::to_string(spread) + " in " + std::to_string(tiles);
      this->expect_all(items, what);
      this->expect_answers(items, what);
      if (this->HasFatalFailure()) return;
    }
  }
}

/// Most items of a tile are so small that bins leave some of their squares: what one bin more holds of all lanes, or of
/// all but a few items, in some tiles or in all.
TYPED_TEST(gpu_exact_short, many_rests) {
  using f = inputs::fields<TypeParam>;
  constexpr int tile = gpu_tests::tile<TypeParam>;
  constexpr int top = f::top_field * 3 / 4;
  for (const int tiles : {1, 5, 12, 40, 300, 2300, 9000}) {
    if (tiles > (gpu_tests::is_slow ? 12 : 9000)) continue;
    for (const int every : {1, 3, 16}) {    // of so many tiles one has rests
      for (const int deepest : {30, 60}) {  // binades below the largest item
        std::vector<TypeParam> items;
        for (int i = 0; i < tiles * tile - 2; ++i) {
          const bool has_rests = i / tile % every == 0 && i % 61 != 0;
          const int down = has_rests ? 18 + static_cast<int>(this->below(10)) : i % 3;
          items.push_back(this->draw(top - down));
        }
        for (int i = 0; i < tiles / 4; ++i) {
          const int down = static_cast<int>(this->below(static_cast<unsigned>(deepest)));
          items[this->below(static_cast<unsigned>(items.size()))] = this->draw(top - down);
        }
        const std::string what = std::to_string(tiles) + " tiles, of " + std::to_string(every) +
                                 ", " + std::to_string(deepest) + " down";
        this->expect_all(items, what);
        this->expect_answers(items, what);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

/// Sums of squares half-way between two doubles, but for one item: its square is what the bins leave.
TYPED_TEST(gpu_exact_short, rests_decide_ties) {
  if constexpr (sizeof(TypeParam) >= 4) {
    const auto tiny = static_cast<TypeParam>(sizeof(TypeParam) == 4 ? 0x1p-50 : 0x1p-200);
    for (const int ones : {1 << 13, 1 << 17, 1 << 21}) {
      if (ones > (gpu_tests::is_slow ? 1 << 17 : 1 << 21)) continue;
      for (const bool is_odd : {false, true}) {
        std::vector<TypeParam> items(static_cast<std::size_t>(ones), TypeParam{1});
        const double ulp = std::ldexp(ones, -52);
        items.push_back(static_cast<TypeParam>(std::sqrt(ulp / 2)));
        if (is_odd) items.insert(items.end(), 2, items.back());
        const double below = ones + (is_odd ? ulp : 0);
        const double above = below + ulp;
        // Half-way, the even one is right.
        const double tie = is_odd ? above : below;
        for (const double sign : {0.0, 1.0, -1.0}) {
          auto left = items;
          auto right = items;
          const auto place = static_cast<std::ptrdiff_t>(this->below(static_cast<unsigned>(ones)));
          left.insert(left.begin() + place, tiny);
          right.insert(right.begin() + place,
                       static_cast<TypeParam>(sign * static_cast<double>(tiny)));
          const gpu_tests::device_array<TypeParam> on_left(left);
          const gpu_tests::device_array<TypeParam> on_right(right);
          const auto l = on_left.span(0, left.size());
          const auto r = on_right.span(0, right.size());
          EXPECT_EQ(this->answer_of(mf::zip(l, r), mf::dot), sign == 0  ? tie
                                                             : sign > 0 ? above
                                                                        : below)
              << ones << ' ' << sign;
          EXPECT_EQ(this->answer_of(r, mf::sum_of_squares), sign == 0 ? tie : above)
              << ones << ' ' << sign;
        }
      }
    }
  }
}

/// One item far below the others: its last bit is, or is not, above what levels are sure to hold.
TYPED_TEST(gpu_exact_short, one_small_item) {
  using f = inputs::fields<TypeParam>;
  for (const int centre : {0, f::top_field / 3, f::top_field / 2, f::top_field - 2}) {
    for (int down = 0; down < 60; down += repetitions(1, 7)) {
      const int n = gpu_tests::tile<TypeParam> * (1 + static_cast<int>(this->below(3)));
      std::vector<TypeParam> items;
      for (int i = 0; i < n; ++i) items.push_back(this->draw(centre - i % 2));
      items[this->below(static_cast<unsigned>(n))] = this->draw(centre - down);
      items[this->below(static_cast<unsigned>(n))] = TypeParam{};
      this->expect_all(items, std::to_string(down) + " below " + std::to_string(centre));
      if (this->HasFatalFailure()) return;
    }
  }
}

/// The ends of the range of numbers: units below the smallest one, tops above the largest.
TYPED_TEST(gpu_exact_short, ends_of_the_range) {
  using f = inputs::fields<TypeParam>;
  for (const int field : {0, 1, 2, 5, 20, f::top_field - 1, f::top_field - 4}) {
    for (const int tiles : {1, 3, 12}) {
      std::vector<TypeParam> items;
      for (int i = 0; i < tiles * gpu_tests::tile<TypeParam>; ++i) {
        items.push_back(this->draw(field + static_cast<int>(this->below(2))));
      }
      this->expect_all(items, "around field " + std::to_string(field));
      if (this->HasFatalFailure()) return;
    }
  }
}

/// Something special in one tile of many: its warp has digits, the others have short sums.
TYPED_TEST(gpu_exact_short, one_special_tile) {
  using f = inputs::fields<TypeParam>;
  const auto bits_of_field = [](int field) {
    return static_cast<std::uint64_t>(field) << f::fraction;
  };
  for (const int tiles : {3, 30, 270}) {
    if (tiles > 30 && gpu_tests::is_slow) continue;
    for (const std::uint64_t special :
         {bits_of_field(f::top_field), bits_of_field(f::top_field) + 1, std::uint64_t{1},
          std::uint64_t{0}}) {
      std::vector<TypeParam> items;
      for (int i = 0; i < tiles * gpu_tests::tile<TypeParam>; ++i) {
        items.push_back(this->draw(f::top_field / 2 - static_cast<int>(this->below(4))));
      }
      items[this->below(static_cast<unsigned>(items.size()))] =
          inputs::from_bits<TypeParam>(special | std::uint64_t{this->below(2)} << (f::total - 1));
      this->expect_all(items, "special bits " + std::to_string(special));
      if (this->HasFatalFailure()) return;
    }
  }
}

/// Rounded answers come from short sums by another way than from digits.
TYPED_TEST(gpu_exact_short, answers) {
  using f = inputs::fields<TypeParam>;
  for (unsigned round = 0; round < repetitions(200, 20); ++round) {
    const int tiles =
        1 + static_cast<int>(this->below(round % 10 == 0 ? repetitions(300, 20) : 12));
    const int field = static_cast<int>(this->below(f::top_field));
    std::vector<TypeParam> items;
    for (int i = 0; i < tiles * gpu_tests::tile<TypeParam> - 3; ++i) {
      items.push_back(this->draw(field + static_cast<int>(this->below(3))));
    }
    // Many cancel: few bits are left.
    if (round % 2 == 0) {
      for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        items[i + 1] = inputs::from_bits<TypeParam>(mf::float_bits(items[i]) ^
                                                    std::uint64_t{1} << (f::total - 1));
      }
    }
    const gpu_tests::device_array<TypeParam> device(items);
    const auto f_bound = mf::bind_fold<TypeParam>(mf::sum);
    const auto want = f_bound.finish(gpu_tests::cpu_state<TypeParam>(mf::sum, items));
    const double got = mf::reduce(mf::gpu, device.span(0, items.size()), mf::sum);
    ASSERT_EQ(mf::float_bits(got), mf::float_bits(want)) << "round " << round;
  }
}

}  // namespace
