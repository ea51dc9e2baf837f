// runtime/segment_reducer: the answers of each segment are those of a call that gets its items alone.

#include "runtime/segment_reducer.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/plan/tiles.hpp"
#include "monofold/platform/float_format.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
namespace rt = monofold::runtime;
using rt::operation;

/// The answers of segments, as they came.
class kept_answers final : public rt::answer_sink {
 public:
  kept_answers(std::int64_t count, std::size_t num_ops)
      : rows(static_cast<std::size_t>(count)), num_ops_(num_ops) {}
  void keep(std::int64_t row, const rt::answer* answers) override {
    rows[static_cast<std::size_t>(row)].insert(rows[static_cast<std::size_t>(row)].end(), answers,
                                               answers + num_ops_);
  }

  std::vector<std::vector<rt::answer>> rows;

 private:
  std::size_t num_ops_;
};

std::string bytes_of_kept(const std::vector<rt::answer>& answers) {
  std::string all;
  for (const rt::answer& one : answers) {
    all += std::to_string(static_cast<int>(one.op)) + ":" +
           std::to_string(static_cast<int>(one.code)) + ":" + std::to_string(one.first_nan) + "|";
    for (const rt::number& value : one.values) {
      std::visit(
          [&](const auto& x) {
            all += std::to_string(value.index()) +
                   std::string(reinterpret_cast<const char*>(&x), sizeof x);
          },
          value);
    }
    for (const std::int64_t index : one.indices) all += "@" + std::to_string(index);
  }
  return all;
}

struct segment_lists {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> stops;

  void add(std::int64_t start, std::int64_t stop) {
    starts.push_back(start);
    stops.push_back(stop);
  }
  std::int64_t count() const { return std::ssize(starts); }
};

template <class Item>
void check_segments(const rt::request& what, const std::vector<Item>& items,
                    const segment_lists& all) {
  for (const auto how : {rt::rounding::native, rt::rounding::to_odd}) {
    const rt::row_reducer rows(what, how);
    const rt::segment_reducer reducer(
        rows, {items.data(), std::ssize(items), all.starts.data(), all.stops.data(), all.count()});
    ASSERT_EQ(reducer.bad_segment(), -1);
    kept_answers got(all.count(), what.ops.size());
    reducer.fold(got);
    for (std::int64_t s = 0; s < all.count(); ++s) {
      const auto at = static_cast<std::size_t>(s);
      rt::reducer alone(what);
      alone.push(items.data() + all.starts[at], all.stops[at] - all.starts[at]);
      ASSERT_EQ(bytes_of_kept(got.rows[at]), bytes_of_kept(alone.finish(how)))
          << "segment " << s << ": " << all.starts[at] << " to " << all.stops[at];
    }
  }
}

/// Neighbours of one length, then gaps, overlaps, going back, none, and some of each way to fold.
segment_lists mixed_segments(std::int64_t num_items, std::int64_t most_short) {
  segment_lists out;
  for (std::int64_t s = 0; s < 150; ++s) out.add(3 * s, 3 * s + 3);
  for (std::int64_t s = 0; s < 70; ++s) out.add(1000 - 5 * s, 1000 - 5 * s + 4);
  for (std::int64_t s = 0; s < 70; ++s) out.add(50, 50 + s % 2);
  for (std::int64_t s = 0; s < 70; ++s) out.add(s * s, s * s + 5);
  inputs::generator random(3);
  for (int s = 0; s < 300; ++s) {
    const auto length = static_cast<std::int64_t>(random() % (s % 10 == 0 ? 3000 : 70));
    const auto start = static_cast<std::int64_t>(random()) & 0x7fff;
    out.add(start, start + length);
  }
  for (const std::int64_t more : {-1, 0, 1, 5000}) {
    out.add(7, 7 + most_short + more);
    out.add(num_items, num_items);
  }
  out.add(0, num_items);
  return out;
}

template <class Item>
std::vector<Item> segmented_items(std::int64_t count) {
  std::vector<Item> out;
  for (std::int64_t i = 0; i < count; ++i) {
    out.push_back(static_cast<Item>(inputs::spread_double(static_cast<std::uint64_t>(i), 6) * 50));
  }
  return out;
}

template <class Item>
void check_segments_of_type(mf::dtype type) {
  const std::int64_t most_short = std::int64_t{mf::tile_items_v<Item>} << mf::span_level;
  const auto items = segmented_items<Item>(3 * most_short + 40'000);
  const segment_lists all = mixed_segments(std::ssize(items), most_short);
  rt::request what;
  what.type = type;
  what.k = 2;
  for (const operation op : {operation::sum, operation::mean, operation::std, operation::argmax,
                             operation::norm2, operation::top}) {
    what.ops = {op};
    for (const int threads : {1, 3}) {
      what.num_threads = threads;
      SCOPED_TRACE(testing::Message() << rt::info(op).name << " of " << mf::info(type).name);
      check_segments(what, items, all);
    }
  }
}

TEST(segment_reducer, types_and_operations) {
  check_segments_of_type<double>(mf::dtype::float64);
  check_segments_of_type<float>(mf::dtype::float32);
  check_segments_of_type<mf::bfloat16>(mf::dtype::bfloat16);
  check_segments_of_type<std::int8_t>(mf::dtype::int8);
}

TEST(segment_reducer, nan_policies_and_plain_sums) {
  auto items = segmented_items<float>(120'000);
  for (std::size_t i = 0; i < items.size(); i += 977) items[i] = std::nanf("");
  const segment_lists all = mixed_segments(std::ssize(items), 50'000);
  rt::request what;
  what.type = mf::dtype::float32;
  what.ops = {operation::sum, operation::mean, operation::count, operation::min, operation::var};
  for (const auto policy :
       {rt::nan_policy::propagate, rt::nan_policy::omit, rt::nan_policy::raise}) {
    for (const bool plain : {false, true}) {
      what.nan = policy;
      what.plain = plain;
      check_segments(what, items, all);
    }
  }
}

/// So many segments of 0 to 3 items, and one of all items among them.
segment_lists one_giant_among(std::int64_t count, std::int64_t num_items) {
  segment_lists out;
  for (std::int64_t s = 0; s < count; ++s) {
    if (s == count / 3) out.add(0, num_items);
    out.add(s, s + s % 4);
  }
  return out;
}

TEST(segment_reducer, one_giant_among_many_and_many_giants) {
  const auto items = segmented_items<float>(600'000);
  rt::request what;
  what.type = mf::dtype::float32;
  for (const int threads : {1, 2}) {
    what.num_threads = threads;
    what.ops = {operation::sum};
    check_segments(what, items, one_giant_among(200'000, std::ssize(items)));
    for (const operation op : {operation::std, operation::argmax, operation::bottom}) {
      what.ops = {op};
      SCOPED_TRACE(rt::info(op).name);
      check_segments(what, items, one_giant_among(20'000, std::ssize(items)));
    }
  }
  what.ops = {operation::sum};
  segment_lists giants;
  for (std::int64_t s = 0; s < 5; ++s) giants.add(s, 100'000 * (s + 2) - s);
  check_segments(what, items, giants);
}

TEST(segment_reducer, the_first_bad_segment_is_found) {
  const auto items = segmented_items<double>(100);
  rt::request what;
  what.ops = {operation::sum};
  const rt::row_reducer rows(what);
  const auto bad = [&](std::int64_t start, std::int64_t stop) {
    segment_lists all;
    for (int s = 0; s < 70'000; ++s) all.add(0, 1);
    all.starts[66'000] = start;
    all.stops[66'000] = stop;
    all.starts[69'000] = 2;
    return rt::segment_reducer(
               rows, {items.data(), 100, all.starts.data(), all.stops.data(), all.count()})
        .bad_segment();
  };
  EXPECT_EQ(bad(3, 2), 66'000);
  EXPECT_EQ(bad(-1, 2), 66'000);
  EXPECT_EQ(bad(0, 101), 66'000);
  EXPECT_EQ(bad(101, 101), 66'000);
  EXPECT_EQ(bad(-5, -4), 66'000);
  EXPECT_EQ(bad(INT64_MIN, INT64_MAX), 66'000);
  EXPECT_EQ(bad(100, 100), 69'000);
  EXPECT_EQ(bad(0, 100), 69'000);
}

}  // namespace
