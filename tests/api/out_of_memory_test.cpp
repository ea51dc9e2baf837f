/// Results that no memory holds: the calls say so by a status, and fold nothing.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.hpp"
#include "monofold/reduce_axis.hpp"
#include "monofold/reduce_segments.hpp"
#include "monofold/rolling.hpp"
#include "monofold/scan.hpp"

namespace {

namespace mf = monofold;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_watched = true;  // ends the program where so much memory is asked for
#else
constexpr bool is_watched = false;
#endif

/// More than any address space has, but that a vector could count; and more than that.
std::vector<std::int64_t> counts_of_too_many() {
  std::vector<std::int64_t> out{std::int64_t{1} << 61};
  if (!is_watched) out.push_back(std::int64_t{1} << 50);
  return out;
}

template <class Call>
void expect_no_memory(const char* what, const Call& call) {
  try {
    call();
    ADD_FAILURE() << what << ": not refused";
  } catch (const mf::error& failure) {
    EXPECT_EQ(failure.code(), mf::status::out_of_memory) << what << ": " << failure.what();
  }
}

/// A sum that tells whether it was asked for anything.
struct counted_sum {
  bool* was_asked;
  using state = double;
  double lift(float x, std::int64_t) const {
    *was_asked = true;
    return x;
  }
  double combine(double l, double r) const { return l + r; }
  double identity() const { return 0; }
};

TEST(out_of_memory, rows_of_an_array) {
  const float one = 1;
  bool was_asked = false;
  for (const std::int64_t count : counts_of_too_many()) {
    const mf::array_view<float> items(&one, {count, 2}, {0, 0});
    const counted_sum fold{&was_asked};
    expect_no_memory("values", [&] { mf::reduce_axis(mf::cpu, items, {1}, fold); });
    expect_no_memory("results", [&] { mf::try_reduce_axis(mf::cpu, items, {1}, fold); });
  }
  EXPECT_FALSE(was_asked);
}

/// Threads cannot write the bools of a vector, so they have an array of their own.
TEST(out_of_memory, bools_of_rows) {
  if (is_watched) GTEST_SKIP() << "the sanitizer ends the program";
  const bool yes = true;
  for (const std::int64_t count : counts_of_too_many()) {
    const mf::array_view<bool> items(&yes, {count, 1}, {0, 0});
    expect_no_memory("any", [&] { mf::reduce_axis(mf::cpu, items, {1}, mf::any_of); });
  }
}

TEST(out_of_memory, segments) {
  if (is_watched) GTEST_SKIP() << "the sanitizer ends the program";
  const std::vector<float> items{1, 2};
  bool was_asked = false;
  // Segments are looked through first, by a list that takes memory too.
  const mf::fixed_segments pairs(2, std::int64_t{1} << 61, 0);
  const counted_sum fold{&was_asked};
  expect_no_memory("values", [&] { mf::reduce_segments(mf::cpu, items, pairs, fold); });
  expect_no_memory("results", [&] { mf::try_reduce_segments(mf::cpu, items, pairs, fold); });
  EXPECT_FALSE(was_asked);
}

TEST(out_of_memory, windows_and_beginnings) {
  for (const std::int64_t count : counts_of_too_many()) {
    const auto items = mf::generate(count, [](std::int64_t i) { return static_cast<float>(i); });
    expect_no_memory("windows", [&] { mf::rolling(mf::cpu, items, 2, mf::sum); });
    expect_no_memory("scan", [&] { mf::scan(mf::cpu, items, mf::sum); });
  }
}

}  // namespace
