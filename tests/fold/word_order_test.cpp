/// fold/word_order: words ranked by masks against the ranks of the items that they are.

#include "monofold/fold/word_order.hpp"

#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

#include "monofold/fold/top_rank.hpp"
#include "monofold/platform/float_format.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using mf::detail::nan_place;

template <class To, class From>
To as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To out;
  std::memcpy(static_cast<void*>(&out), &from, sizeof(To));
  return out;
}

/// All words of up to 16 bits, and some longer ones: their order is that of `top_rank`, and they come back.
template <class Item, class Word, bool smallest>
void expect_order_of(Word sign, Word infinite) {
  using ranks = mf::detail::top_rank<Item, smallest>;
  const auto own = mf::detail::word_order_of<Word>(sign, infinite, smallest, nan_place::last);
  const auto first = mf::detail::word_order_of<Word>(sign, infinite, smallest, nan_place::first);
  Word before = 0;
  for (std::uint64_t i = 0; i < 70000; ++i) {
    const auto word = static_cast<Word>(sizeof(Word) <= 2 ? i : inputs::mixed(i));
    const auto want = ranks::of(as<Item>(word));
    const auto want_before = ranks::of(as<Item>(before));
    const auto got = own.rank_of(word);
    ASSERT_EQ(got < own.rank_of(before), want < want_before) << word << ' ' << before;
    ASSERT_EQ(got == own.rank_of(before), want == want_before) << word << ' ' << before;
    ASSERT_EQ(got == 0, want == 0) << word;
    ASSERT_EQ(own.word_of(got), as<Word>(ranks::item_of(want))) << word;
    ASSERT_GE(got, own.rank_of(own.outside));
    const bool is_nan = infinite != 0 && want == 0;
    ASSERT_EQ(first.is_nan_rank(first.rank_of(word)), is_nan) << word;
    ASSERT_GE(first.rank_of(word), first.rank_of(first.outside));
    if (!is_nan) {
      ASSERT_EQ(first.word_of(first.rank_of(word)), word);
    }
    before = word;
  }
}

template <class Item, class Word>
void expect_order(Word sign, Word infinite) {
  expect_order_of<Item, Word, false>(sign, infinite);
  expect_order_of<Item, Word, true>(sign, infinite);
}

TEST(word_order, is_that_of_items) {
  expect_order<float, std::uint32_t>(1u << 31, mf::float_format<float>::infinity);
  expect_order<double, std::uint64_t>(std::uint64_t{1} << 63, mf::float_format<double>::infinity);
  expect_order<mf::float16, std::uint16_t>(0x8000, mf::float_format<mf::float16>::infinity);
  expect_order<mf::bfloat16, std::uint16_t>(0x8000, mf::float_format<mf::bfloat16>::infinity);
  expect_order<std::int8_t, std::uint8_t>(0x80, 0);
  expect_order<std::uint8_t, std::uint8_t>(0, 0);
  expect_order<std::int32_t, std::uint32_t>(1u << 31, 0);
  expect_order<std::uint64_t, std::uint64_t>(0, 0);
  expect_order<std::int64_t, std::uint64_t>(std::uint64_t{1} << 63, 0);
}

}  // namespace
