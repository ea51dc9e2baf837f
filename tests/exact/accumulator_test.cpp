// fold/exact/accumulator: every way to add a run gives the bytes that adding its items one by one, to digits, gives.
// The digits themselves are compared with the oracle, which shares no code with the library, in sum_test and
// products_test: arrays of fewer than `least_bins` items, of which those two draw the most, go to digits alone.

#include "monofold/fold/exact/accumulator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "monofold/fold/exact/term.hpp"
#include "monofold/platform/float_format.hpp"
#include "tests/exact/items.hpp"
#include "tests/exact/ways.hpp"
#include "tests/inputs/random.hpp"

namespace mf = monofold;

namespace {

#if defined(MONOFOLD_EXACT_X86)
// Without a fused multiply-add squares of doubles are added to the state; with it they wait elsewhere.
TEST(exact_accumulator, takes_the_loop_of_the_instruction_set_in_use) {
  using term = mf::square_term<double>;
  using bytes = std::array<std::uint8_t, sizeof(mf::exact_state<term::number>)>;
  const std::vector<double> items(1000, 1.5);
  for (const auto set :
       {mf::instruction_set::baseline, mf::instruction_set::avx2, mf::instruction_set::avx512}) {
    mf::limit_instruction_set(set);
    mf::detail::exact_accumulator<term> sums;
    sums.state = mf::zero_state<term::number>();
    mf::detail::add_to_accumulator(sums, items.data(), 1000);
    const bool at_once = std::bit_cast<bytes>(sums.state) == std::bit_cast<bytes>(sums.total());
    EXPECT_EQ(at_once, mf::instruction_set_in_use() == mf::instruction_set::baseline);
    EXPECT_LE(mf::instruction_set_in_use(), set);
  }
  mf::limit_instruction_set(mf::instruction_set::avx512);
}
#endif

#if defined(MONOFOLD_EXACT_X86)
/// Sets have bins of different widths: a sum that goes on with another one keeps what it has.
TEST(exact_accumulator, instruction_sets_take_turns) {
  using term = mf::value_term<double>;
  using bytes = std::array<std::uint8_t, sizeof(mf::exact_state<term::number>)>;
  const auto items = inputs::items_of<double>(inputs::kinds_of_data.front(), 900, 5);
  mf::exact_state<term::number> want = mf::zero_state<term::number>();
  mf::exact_running_sum<term> running;
  for (int i = 0; i < 9; ++i) {
    mf::limit_instruction_set(static_cast<mf::instruction_set>(i % 3));
    running.add(items.data(), 900);
    mf::detail::add_run_by_digits<term>(want, items.data(), 900);
  }
  mf::limit_instruction_set(mf::instruction_set::avx512);
  EXPECT_EQ(std::bit_cast<bytes>(running.total()), std::bit_cast<bytes>(want));
}
#endif

/// The largest number below 2^top.
template <class Item>
Item largest_below(int top) {
  using f = inputs::fields<Item>;
  return inputs::from_bits<Item>(
      (static_cast<std::uint64_t>(f::top_field / 2 + top) << f::fraction) - 1);
}

/// Each item beside one from elsewhere.
template <class Item>
std::vector<mf::item_pair<Item, Item>> pairs_of(const std::vector<Item>& items) {
  std::vector<mf::item_pair<Item, Item>> out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    out.push_back({items[i], items[(i * 7 + 3) % items.size()]});
  }
  return out;
}
template <class Item>
using pair_term = mf::product_term<mf::item_pair<Item, Item>>;

template <class Item>
class exact_accumulator_of : public testing::Test {};
using item_types = testing::Types<double, float, mf::float16, mf::bfloat16>;
TYPED_TEST_SUITE(exact_accumulator_of, item_types);

TYPED_TEST(exact_accumulator_of, every_way_gives_the_same_bytes) {
  using pair = mf::item_pair<TypeParam, TypeParam>;
  for (const auto& kind : inputs::kinds_of_data) {
    for (const int n : {1, 8, 31, 33, 1000, 1024, 2047, 2048, 2055, 4500, 17000}) {
      const std::string what = kind + " " + std::to_string(n);
      const auto x = inputs::items_of<TypeParam>(kind, n, 21);
      const auto y = inputs::items_of<TypeParam>(kind, n, 22);
      std::vector<pair> pairs;
      for (std::size_t i = 0; i < x.size(); ++i) pairs.push_back({x[i], y[i]});
      ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::value_term<TypeParam>>(x, what));
      ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::magnitude_term<TypeParam>>(x, what));
      ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::square_term<TypeParam>>(x, what));
      ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::product_term<pair>>(pairs, what));
    }
  }
}

/// Ranges of every width: one, two, four and seven bins, and what spills.
/// Long runs begin their blocks at a line of the cache: what lies before it is added with what is left at the end.
TYPED_TEST(exact_accumulator_of, runs_that_begin_anywhere_in_a_line) {
  const std::size_t in_line = 64 / sizeof(TypeParam);
  for (const auto& kind : inputs::kinds_of_data) {
    const auto items = inputs::items_of<TypeParam>(kind, 40000, 77);
    for (std::size_t first = 0; first <= in_line; first += 1 + first % 3) {
      for (const std::size_t rest : {std::size_t{0}, std::size_t{1}, in_line - 1, in_line / 2}) {
        const std::span run(items.data() + first, 36000 - 36000 % in_line + rest);
        const std::string what =
            kind + " from " + std::to_string(first) + ", " + std::to_string(run.size());
        ways::expect_agree<mf::value_term<TypeParam>>(run, what);
        ways::expect_agree<mf::square_term<TypeParam>>(run, "squares of " + what);
      }
    }
  }
}

TYPED_TEST(exact_accumulator_of, every_width_of_range) {
  using f = inputs::fields<TypeParam>;
  inputs::generator random(23);
  const int step = f::top_field > 1000 ? 11 : 1;
  for (int width = 1; width <= f::top_field; width += step) {
    std::vector<TypeParam> items;
    const auto low = random() % static_cast<std::uint64_t>(f::top_field - width + 1);
    for (int i = 0; i < 600; ++i) {
      const std::uint64_t field = low + random() % static_cast<std::uint64_t>(width);
      const std::uint64_t fraction = random() & ((std::uint64_t{1} << f::fraction) - 1);
      items.push_back(inputs::from_bits<TypeParam>(field << f::fraction | fraction |
                                                   (random() >> 63) << (f::total - 1)));
    }
    ASSERT_NO_FATAL_FAILURE(
        ways::expect_agree<mf::value_term<TypeParam>>(items, std::to_string(width)));
    ASSERT_NO_FATAL_FAILURE(
        ways::expect_agree<mf::square_term<TypeParam>>(items, std::to_string(width)));
    ASSERT_NO_FATAL_FAILURE(
        ways::expect_agree<pair_term<TypeParam>>(pairs_of(items), std::to_string(width)));
  }
}

/// What one block has taught is right for no other: each kind of data follows each other one, in
/// runs of any length, with a look at the total in between.
template <class Term>
void expect_running_sum_of_all() {
  using item = typename Term::item;
  using state = mf::exact_state<typename Term::number>;
  using bytes = std::array<std::uint8_t, sizeof(state)>;
  mf::exact_running_sum<Term> running;
  state want = mf::zero_state<typename Term::number>();
  std::uint64_t seed = 31;
  for (const auto& before : inputs::kinds_of_data) {
    for (const auto& after : inputs::kinds_of_data) {
      for (const auto& kind : {before, after}) {
        const int n = 1 + static_cast<int>(++seed * 2654435761u % 20000);
        const auto x = inputs::items_of<item>(kind, n, seed);
        running.add(x.data(), n);
        mf::detail::add_run_by_digits<Term>(want, x.data(), n);
        ASSERT_EQ(std::bit_cast<bytes>(running.total()), std::bit_cast<bytes>(want))
            << kind << " of " << before << ", " << after << ", " << n;
      }
    }
  }
}

TYPED_TEST(exact_accumulator_of, a_sum_that_keeps_running) {
  expect_running_sum_of_all<mf::value_term<TypeParam>>();
}
TYPED_TEST(exact_accumulator_of, a_sum_of_squares_that_keeps_running) {
  expect_running_sum_of_all<mf::square_term<TypeParam>>();
}

/// What fits a few bins, and what fits none, within a block: the ways take turns and come to an end.
TYPED_TEST(exact_accumulator_of, narrow_and_wide_stretches) {
  inputs::generator random(53);
  for (const int stretch : {16, 700, 1024, 2048, 3000}) {
    std::vector<TypeParam> items;
    for (int part = 0; part < 16; ++part) {
      const char* const kind = part % 2 == 0 ? "normal" : "any finite";
      const int n = part % 4 == 1 ? stretch / 2 + 1 : stretch;
      const auto more = inputs::items_of<TypeParam>(kind, n, random());
      items.insert(items.end(), more.begin(), more.end());
    }
    for (const int first : {0, 1, 5}) {
      const std::vector<TypeParam> some(items.begin() + first * stretch, items.end());
      const std::string what = std::to_string(stretch) + " from " + std::to_string(first);
      ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::value_term<TypeParam>>(some, what));
      ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::magnitude_term<TypeParam>>(some, what));
      ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::square_term<TypeParam>>(some, what));
      ASSERT_NO_FATAL_FAILURE(ways::expect_agree<pair_term<TypeParam>>(pairs_of(some), what));
    }
  }
}

/// The largest item grows, or shrinks, by one binade every so many items.
TYPED_TEST(exact_accumulator_of, range_that_moves) {
  using f = inputs::fields<TypeParam>;
  inputs::generator random(37);
  for (const int items_a_binade : {1, 7, 100, 1500}) {
    for (const bool grows : {true, false}) {
      std::vector<TypeParam> items;
      const int n = items_a_binade * f::top_field < 60000 ? items_a_binade * f::top_field : 60000;
      for (int i = 0; i < n; ++i) {
        const int at = grows ? i : n - 1 - i;
        const auto field = static_cast<std::uint64_t>(at / items_a_binade);
        const std::uint64_t r = random();
        items.push_back(inputs::from_bits<TypeParam>(field << f::fraction |
                                                     (r & ((std::uint64_t{1} << f::fraction) - 1)) |
                                                     (r >> 63) << (f::total - 1)));
      }
      const std::string what = std::to_string(items_a_binade) + (grows ? " up" : " down");
      ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::value_term<TypeParam>>(items, what));
      ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::magnitude_term<TypeParam>>(items, what));
      ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::square_term<TypeParam>>(items, what));
      ASSERT_NO_FATAL_FAILURE(ways::expect_agree<pair_term<TypeParam>>(pairs_of(items), what));
    }
  }
}

/// More blocks of equal numbers than lanes of bins take before they give them away.
TYPED_TEST(exact_accumulator_of, lanes_that_fill_up) {
  using term = mf::value_term<TypeParam>;
  using state = mf::exact_state<typename term::number>;
  using bytes = std::array<std::uint8_t, sizeof(state)>;
  // Bins that begin at ones reach 2^5.
  const std::vector<TypeParam> ones(64, TypeParam{1.0f});
  const std::vector<TypeParam> items(8192, largest_below<TypeParam>(5));
  const int blocks = mf::detail::kept_bins::most_blocks + 3;
  mf::exact_running_sum<term> running;
  state want = mf::zero_state<typename term::number>();
  mf::detail::add_run_by_digits<term>(want, items.data(), 8192);
  state total = mf::zero_state<typename term::number>();
  running.add(ones.data(), 64);
  mf::detail::add_run_by_digits<term>(total, ones.data(), 64);
  for (int b = 0; b < blocks; ++b) {
    running.add(items.data(), 8192);
    mf::merge(total, want);
  }
  EXPECT_EQ(std::bit_cast<bytes>(running.total()), std::bit_cast<bytes>(total));
}

/// A number as large as a bin, or far larger, takes what the bin has counted with it, and another one brings the bin
/// back to where it was: what is lost then must not go unseen.
TYPED_TEST(exact_accumulator_of, bins_that_were_left_are_not_trusted) {
  using f = inputs::fields<TypeParam>;
  for (int field = f::top_field / 2; field<f::top_field; field += f::top_field> 100 ? 3 : 1) {
    const auto bits = static_cast<std::uint64_t>(field) << f::fraction | std::uint64_t{1}
                                                                             << (f::fraction - 1);
    for (const std::size_t apart : {16, 32, 48}) {
      std::vector<TypeParam> items(4096, TypeParam{1.0f});
      for (std::size_t i = 1; i < items.size(); i += 5) items[i] = TypeParam{0.0078125f};
      items[400] = inputs::from_bits<TypeParam>(bits);
      items[400 + apart] = inputs::from_bits<TypeParam>(bits | std::uint64_t{1} << (f::total - 1));
      const std::string what = std::to_string(field) + " " + std::to_string(apart);
      ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::value_term<TypeParam>>(items, what));
      ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::square_term<TypeParam>>(items, what));
    }
  }
}

/// The largest numbers beside the smallest one: bins, and cells of the table, take the most they can.
TYPED_TEST(exact_accumulator_of, widest_range_of_largest_items) {
  using f = inputs::fields<TypeParam>;
  const auto infinity = static_cast<std::uint64_t>(f::top_field) << f::fraction;
  for (const int apart : {2, 64, 1000}) {
    std::vector<TypeParam> items(20000, inputs::from_bits<TypeParam>(infinity - 1));
    for (std::size_t i = 0; i < items.size(); i += static_cast<std::size_t>(apart)) {
      items[i] = inputs::from_bits<TypeParam>(1);
    }
    const std::string what = "one in " + std::to_string(apart);
    ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::value_term<TypeParam>>(items, what));
    for (TypeParam& x : items) {
      x = inputs::from_bits<TypeParam>(mf::float_bits(x) | std::uint64_t{1} << (f::total - 1));
    }
    ASSERT_NO_FATAL_FAILURE(
        ways::expect_agree<mf::value_term<TypeParam>>(items, what + " below 0"));
    ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::magnitude_term<TypeParam>>(items, what));
    ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::square_term<TypeParam>>(items, what));
    ASSERT_NO_FATAL_FAILURE(ways::expect_agree<pair_term<TypeParam>>(pairs_of(items), what));
  }
}

/// One item far below the others, each bit of it once: none is taken for zero.
TYPED_TEST(exact_accumulator_of, one_item_with_one_bit) {
  using f = inputs::fields<TypeParam>;
  const auto items = inputs::items_of<TypeParam>("uniform", 5000, 61);
  for (int bit = 0; bit < f::total - 1; ++bit) {
    auto x = items;
    x[static_cast<std::size_t>(bit) * 37 + 5] =
        inputs::from_bits<TypeParam>(std::uint64_t{1} << bit);
    const std::string what = "bit " + std::to_string(bit);
    ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::value_term<TypeParam>>(x, what));
    ASSERT_NO_FATAL_FAILURE(ways::expect_agree<mf::square_term<TypeParam>>(x, what));
    ASSERT_NO_FATAL_FAILURE(ways::expect_agree<pair_term<TypeParam>>(pairs_of(x), what));
  }
}

/// One factor that is infinite, NaN, zero, the smallest or the largest number, in every place of a vector
/// and of what is left behind the last one.
TYPED_TEST(exact_accumulator_of, one_odd_factor) {
  using f = inputs::fields<TypeParam>;
  const auto infinity = static_cast<std::uint64_t>(f::top_field) << f::fraction;
  const auto x = inputs::items_of<TypeParam>("normal", 157, 63);
  const auto pairs = pairs_of(x);
  for (const std::uint64_t odd :
       {infinity, infinity + 1, infinity - 1, std::uint64_t{0}, std::uint64_t{1},
        std::uint64_t{1} << f::fraction, std::uint64_t{1} << (f::total - 1)}) {
    for (std::size_t at = 0; at < pairs.size(); at += at < 36 ? 1 : 11) {
      for (const bool is_left : {true, false}) {
        auto some = pairs;
        (is_left ? some[at].left : some[at].right) = inputs::from_bits<TypeParam>(odd);
        ASSERT_NO_FATAL_FAILURE(ways::expect_agree<pair_term<TypeParam>>(
            some, std::to_string(odd) + " at " + std::to_string(at)));
      }
    }
  }
}

/// What products have taught is right for no other ones, and more of them than lanes of bins take.
TYPED_TEST(exact_accumulator_of, a_sum_of_products_that_keeps_running) {
  using term = pair_term<TypeParam>;
  using state = mf::exact_state<typename term::number>;
  using bytes = std::array<std::uint8_t, sizeof(state)>;
  mf::exact_running_sum<term> running;
  state want = mf::zero_state<typename term::number>();
  std::uint64_t seed = 71;
  for (const auto& before : inputs::kinds_of_data) {
    for (const auto& after : inputs::kinds_of_data) {
      for (const auto& kind : {before, after}) {
        const int n = 1 + static_cast<int>(++seed * 2654435761u % 5000);
        const auto pairs = pairs_of(inputs::items_of<TypeParam>(kind, n, seed));
        running.add(pairs.data(), n);
        mf::detail::add_run_by_digits<term>(want, pairs.data(), n);
        ASSERT_EQ(std::bit_cast<bytes>(running.total()), std::bit_cast<bytes>(want))
            << kind << " of " << before << ", " << after << ", " << n;
      }
    }
  }
  // As many blocks as bins take, and more, of equal products.
  const auto largest = largest_below<TypeParam>(sizeof(TypeParam) == 8 ? 10 : 3);
  const std::vector<mf::item_pair<TypeParam, TypeParam>> pairs(8192, {largest, largest});
  state once = mf::zero_state<typename term::number>();
  mf::detail::add_run_by_digits<term>(once, pairs.data(), 8192);
  for (int b = 0; b < mf::detail::kept_bins::most_blocks / 8 + 3; ++b) {
    running.add(pairs.data(), 8192);
    mf::merge(want, once);
  }
  EXPECT_EQ(std::bit_cast<bytes>(running.total()), std::bit_cast<bytes>(want));
}

/// Squares whose rest e = x x - p lies partly under 2^-1074: only integers hold it.
TEST(exact_accumulator, products_around_the_smallest_exact_rest) {
  for (int e = -540; e < -470; ++e) {
    std::vector<double> items;
    for (int i = 0; i < 300; ++i) {
      items.push_back(std::ldexp(1.5 + inputs::unit_double(static_cast<std::uint64_t>(i)) / 4, e));
    }
    items[17] = 0.0;
    ASSERT_NO_FATAL_FAILURE(
        ways::expect_agree<mf::square_term<double>>(items, "2^" + std::to_string(e)));
    // Products of the same size whose factors are not, with zeros among them; some become 0.
    std::vector<mf::item_pair<double, double>> pairs;
    for (std::size_t i = 0; i < items.size(); ++i) {
      pairs.push_back({std::ldexp(items[i], 300), std::ldexp(items[i], e / 2 - 60)});
    }
    pairs[9].left = 0;
    pairs[44].right = -0.0;
    ASSERT_NO_FATAL_FAILURE(
        ways::expect_agree<pair_term<double>>(pairs, "pairs, 2^" + std::to_string(e)));
    pairs.push_back({0x1p-1000, 0x1p-500});
    ASSERT_NO_FATAL_FAILURE(
        ways::expect_agree<pair_term<double>>(pairs, "vanishing, 2^" + std::to_string(e)));
  }
}

}  // namespace
