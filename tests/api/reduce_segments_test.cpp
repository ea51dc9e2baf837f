/// reduce_segments: the answer of each segment has the bytes of `reduce` of its items, whatever is around it.

#include "monofold/reduce_segments.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.hpp"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"
#include "tests/inputs/row_folds.hpp"

namespace {

namespace mf = monofold;
using inputs::bytes_of;

constexpr std::int64_t segment_tile = mf::tile_items_v<float>;

const std::vector<float>& segment_items() {
  static const std::vector<float> items = [] {
    std::vector<float> out;
    for (std::uint64_t i = 0; i < 300'000; ++i) {
      out.push_back(static_cast<float>(inputs::spread_double(i, 12)));
    }
    return out;
  }();
  return items;
}

mf::contiguous_view<float> slice(std::int64_t begin, std::int64_t end) {
  return {segment_items().data() + begin, end - begin};
}

/// Each segment against an array of its own, on some numbers of threads.
template <class F, class Segments>
[[gnu::noinline]] void check_segments(const std::string& name, const F& fold,
                                      const Segments& segments) {
  std::vector<std::string> expected;
  for (std::int64_t s = 0; s < segments.size(); ++s) {
    expected.push_back(
        bytes_of(mf::try_reduce(mf::cpu(1), slice(segments.begin(s), segments.end(s)), fold)));
  }
  for (const int threads : {1, 2, 5}) {
    const auto got = mf::try_reduce_segments(mf::cpu(threads), segment_items(), segments, fold);
    ASSERT_EQ(std::ssize(got), segments.size());
    for (std::size_t s = 0; s < got.size(); ++s) {
      ASSERT_EQ(bytes_of(got[s]), expected[s]) << name << ", segment " << s << " on " << threads;
    }
  }
}

/// Offsets of segments of many lengths: none, one item, a tile, and one giant among tiny ones.
std::vector<std::int64_t> mixed_offsets() {
  std::vector<std::int64_t> offsets{7};
  const auto add = [&](std::int64_t length) { offsets.push_back(offsets.back() + length); };
  for (const std::int64_t length : {0, 1, 2, 3, 0, 0, 31, 32, 33, 127, 128, 129, 500, 1000})
    add(length);
  for (int i = 0; i < 300; ++i)
    add(static_cast<std::int64_t>(inputs::mixed(static_cast<std::uint64_t>(i)) % 5));
  for (const std::int64_t length : {segment_tile - 1, segment_tile, segment_tile + 1,
                                    64 * segment_tile, 64 * segment_tile + 1, 3 * segment_tile}) {
    add(length);
  }
  add(130 * segment_tile + 17);
  for (int i = 0; i < 100; ++i) add(3);
  return offsets;
}

TEST(reduce_segments, each_is_an_array_of_its_own) {
  const auto offsets = mixed_offsets();
  ASSERT_LE(offsets.back(), std::ssize(segment_items()));
  const auto count = std::ssize(offsets) - 1;
  // As ranges, so that each fold is compiled for one type of segments.
  const mf::range_segments<std::int64_t> ranges(offsets.data(), offsets.data() + 1, count);
  inputs::with_row_folds(
      [&](const char* name, const auto& fold) { check_segments(name, fold, ranges); });
  for (const auto& fold : {mf::variance(1), mf::variance(0)}) {
    check_segments("offsets", fold, mf::offset_segments<std::int64_t>(offsets.data(), count));
  }
  const std::vector<std::uint32_t> narrow(offsets.begin(), offsets.end());
  check_segments("32 bits", mf::plain_sum,
                 mf::offset_segments<std::uint32_t>(narrow.data(), count));
}

TEST(reduce_segments, gaps_overlaps_and_any_order) {
  const std::vector<std::int64_t> starts = {1000, 0, 5, 5, 70'000, 900, 0};
  const std::vector<std::int64_t> stops = {2000, 10, 5, 8, 290'000, 1100, 200'000};
  const mf::range_segments<std::int64_t> segments(starts.data(), stops.data(), std::ssize(starts));
  inputs::with_row_folds(
      [&](const char* name, const auto& fold) { check_segments(name, fold, segments); });
  const std::vector<std::int32_t> narrow_starts(starts.begin(), starts.end());
  const std::vector<std::int32_t> narrow_stops(stops.begin(), stops.end());
  check_segments("32 bits", mf::plain_sum,
                 mf::range_segments<std::int32_t>(narrow_starts.data(), narrow_stops.data(),
                                                  std::ssize(starts)));
}

TEST(reduce_segments, fixed_lengths_with_and_without_gaps) {
  for (const std::int64_t length : {0, 1, 2, 3, 8, 31, 100, 129, 1000, 4096, 65'537}) {
    const std::int64_t most = length == 0 ? 10 : std::ssize(segment_items()) / (length + 3);
    const std::int64_t count = std::min<std::int64_t>(most, 2000);
    check_segments("plain sum", mf::plain_sum, mf::fixed_segments(length, count));
    check_segments("sum", mf::sum, mf::fixed_segments(length, count, length + 3));
  }
}

// The story that batch invariance is about: a row has the bits that it has alone, among any number of others.
TEST(reduce_segments, a_row_alone_and_among_others) {
  for (const std::int64_t length : {1, 7, 64}) {
    inputs::with_row_folds([&](const char* name, const auto& fold) {
      std::vector<float> row(segment_items().begin() + 11, segment_items().begin() + 11 + length);
      const auto alone = bytes_of(mf::try_reduce(row, fold));
      for (const std::int64_t others : {1, 2, 255, 256, 257, 4096}) {
        for (const std::int64_t place : {std::int64_t{0}, others / 2, others}) {
          std::vector<float> batch(segment_items().begin(),
                                   segment_items().begin() + (others + 1) * length);
          std::copy(row.begin(), row.end(), batch.begin() + place * length);
          const auto got =
              mf::try_reduce_segments(mf::cpu, batch, mf::fixed_segments(length, others + 1), fold);
          ASSERT_EQ(bytes_of(got[static_cast<std::size_t>(place)]), alone)
              << name << " of " << length << " among " << others;
        }
      }
    });
  }
}

TEST(reduce_segments, views_and_pairs_that_do_not_lie_in_memory) {
  const auto offsets = mixed_offsets();
  const mf::offset_segments<std::int64_t> segments(offsets.data(), std::ssize(offsets) - 1);
  const auto doubled = mf::transform(segment_items(), [](float x) { return 2.0 * x; });
  const auto pairs = mf::zip(segment_items(), segment_items());
  const auto sums = mf::try_reduce_segments(mf::cpu(3), doubled, segments, mf::plain_sum);
  const auto dots = mf::try_reduce_segments(mf::cpu(3), pairs, segments, mf::dot);
  for (std::int64_t s = 0; s < segments.size(); ++s) {
    const auto own = slice(segments.begin(s), segments.end(s));
    const auto place = static_cast<std::size_t>(s);
    ASSERT_EQ(bytes_of(sums[place]),
              bytes_of(mf::try_reduce(mf::transform(own, [](float x) { return 2.0 * x; }),
                                      mf::plain_sum)));
    ASSERT_EQ(bytes_of(dots[place]), bytes_of(mf::try_reduce(mf::zip(own, own), mf::dot)));
  }
}

TEST(reduce_segments, indices_of_the_range_on_request) {
  const auto offsets = mixed_offsets();
  const mf::offset_segments<std::int64_t> segments(offsets.data(), std::ssize(offsets) - 1);
  const auto own = mf::try_reduce_segments(mf::cpu(2), segment_items(), segments, mf::argmin);
  const auto all =
      mf::try_reduce_segments(mf::cpu(2), segment_items(), segments, mf::argmin, mf::global_index);
  for (std::size_t s = 0; s < own.size(); ++s) {
    ASSERT_EQ(own[s].has_value(), all[s].has_value());
    if (!own[s]) continue;
    EXPECT_EQ(*own[s] + offsets[s], *all[s]);
  }
}

template <class Call>
std::string segment_failure(const Call& call) {
  try {
    call();
  } catch (const mf::segment_error& e) {
    return std::to_string(e.segment()) + " " + e.what();
  }
  return "none";
}

TEST(reduce_segments, empty_segments) {
  const std::vector<std::int64_t> offsets = {0, 2, 2, 5};
  const mf::offset_segments<std::int64_t> segments(offsets.data(), 3);
  EXPECT_EQ(mf::reduce_segments(mf::cpu, segment_items(), segments, mf::sum)[1], 0.0);
  EXPECT_EQ(mf::try_reduce_segments(mf::cpu, segment_items(), segments, mf::max)[1].value_or(7), 7);
  EXPECT_EQ(
      segment_failure([&] { mf::reduce_segments(mf::cpu, segment_items(), segments, mf::max); }),
      "1 no result: too few items for this operation: segment 1");
  // A fold without an identity whose answers are bare has nothing to leave.
  const auto last = mf::ordered([](float, float r) { return r; });
  std::vector<float> out(3, -1);
  EXPECT_EQ(segment_failure([&] {
              mf::reduce_segments_into(mf::cpu, segment_items(), segments, last, out.data());
            }),
            "1 no result: too few items for this operation: segment 1");
  EXPECT_EQ(out, std::vector<float>(3, -1)) << "nothing is written";
  const mf::offset_segments<std::int64_t> no_segments(offsets.data(), 0);
  EXPECT_TRUE(mf::reduce_segments(mf::cpu, segment_items(), no_segments, mf::max).empty());
}

TEST(reduce_segments, answers_are_left_where_out_points) {
  const mf::fixed_segments segments(100, 1000);
  std::vector<double> sums(1000, -1);
  mf::reduce_segments_into(mf::cpu(2), segment_items(), segments, mf::sum, sums.data());
  EXPECT_EQ(bytes_of(sums),
            bytes_of(mf::reduce_segments(mf::cpu, segment_items(), segments, mf::sum)));
  std::vector<mf::result<float>> most(1000);
  mf::reduce_segments_into(mf::cpu(2), segment_items(), segments, mf::max, most.data());
  EXPECT_EQ(*most[999], mf::reduce(slice(99'900, 100'000), mf::max));
  const auto any = mf::reduce_segments(mf::cpu(2), segment_items(), segments, mf::any_of);
  EXPECT_EQ(any, std::vector<bool>(1000, true)) << "bools, side by side";
}

TEST(reduce_segments, bad_segments_are_named_and_nothing_is_written) {
  const auto fails = [&](std::vector<std::int64_t> offsets) {
    std::vector<double> out(offsets.size() - 1, -1);
    const mf::offset_segments<std::int64_t> segments(offsets.data(), std::ssize(out));
    const std::string why = segment_failure([&] {
      mf::reduce_segments_into(mf::cpu(2), segment_items(), segments, mf::sum, out.data());
    });
    EXPECT_EQ(out, std::vector<double>(out.size(), -1));
    return why;
  };
  EXPECT_EQ(fails({0, 5, 4, 3, 9}), "1 invalid argument: segment 1");
  EXPECT_EQ(fails({0, 5, 300'001, 2}), "1 invalid argument: segment 1");
  EXPECT_EQ(fails({-1, 5}), "0 invalid argument: segment 0");
  std::vector<std::int64_t> many(200'001, 3);
  many[150'000] = 2;
  EXPECT_EQ(fails(many), "149999 invalid argument: segment 149999")
      << "the lowest of several scans";
  EXPECT_THROW(mf::reduce_segments(mf::cpu, segment_items(), mf::fixed_segments(2, -1), mf::sum),
               mf::error);
}

TEST(reduce_segments, an_exact_sum_that_does_not_fit_names_its_segment) {
  std::vector<std::int64_t> items(300, 1);
  items[250] = std::numeric_limits<std::int64_t>::max();
  items[120] = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(segment_failure(
                [&] { mf::reduce_segments(mf::cpu, items, mf::fixed_segments(10, 30), mf::sum); }),
            "12 no result: the exact value does not fit a 64-bit integer: segment 12");
}

}  // namespace
