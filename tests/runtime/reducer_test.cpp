/// runtime/reducer: errors, nothing at all, NaN policies, ddof and k, indices, counts.

#include "runtime/reducer.hpp"
#include "monofold/platform/instruction_set.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/runtime/parity.hpp"

namespace {
using namespace parity;  // NOLINT: a test is made of it
using numbers = std::vector<number>;
using indices = std::vector<std::int64_t>;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Item>
std::vector<answer> answers_of(const request& what, const std::vector<Item>& items,
                               std::int64_t first_index = 0) {
  reducer running(what, first_index);
  running.push(items.data(), std::ssize(items));
  return running.finish();
}

/// The status of what `call` throws.
template <class Call>
mf::status refusal(const Call& call) {
  try {
    call();
  } catch (const mf::error& e) {
    return e.code();
  }
  return mf::status::ok;
}

mf::status refusal_of(const request& what, std::int64_t first_index = 0) {
  return refusal([&] { reducer(what, first_index); });
}

::testing::AssertionResult is(const answer& got, const numbers& values, const indices& at = {}) {
  answer wanted{got.op};
  wanted.values = values;
  wanted.indices = at;
  wanted.first_nan = got.first_nan;
  if (same_answer(got, wanted)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << parity::text_of(got) << " for " << parity::text_of(wanted);
}

/// Variances are within 2000 u: NaN are left out item by item.
::testing::AssertionResult is_near(const answer& got, double wanted) {
  const double error =
      got.values.empty() ? not_a_number : std::fabs(std::get<double>(got.values[0]) - wanted);
  if (error <= 2000 * 0x1p-53 * wanted) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << parity::text_of(got) << " for " << wanted;
}

::testing::AssertionResult fails(const answer& got, mf::status code, std::int64_t first_nan = -1) {
  if (got.code == code && got.values.empty() && got.indices.empty() && got.first_nan == first_nan) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << parity::text_of(got);
}

TEST(reducer, refuses_wrong_requests) {
  const request sound{mf::dtype::float32, {operation::sum, operation::top}};
  EXPECT_EQ(refusal_of(sound), mf::status::ok);
  EXPECT_EQ(refusal_of(sound, -1), mf::status::invalid_argument);
  const auto changed = [&](const auto& change) {
    request what = sound;
    change(what);
    return refusal_of(what);
  };
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(changed([](request& r) { r.ops.clear(); }), mf::status::invalid_argument);
  EXPECT_EQ(changed([](request& r) { r.ddof = -1; }), mf::status::invalid_argument);
  EXPECT_EQ(changed([](request& r) { r.num_threads = -1; }), mf::status::invalid_argument);
  for (const std::int64_t k : {std::int64_t{0}, std::int64_t{-1}, lowest}) {
    EXPECT_EQ(changed([k](request& r) { r.k = k; }), mf::status::invalid_argument);
    EXPECT_EQ(changed([k](request& r) { r.ops[1] = operation::bottom, r.k = k; }),
              mf::status::invalid_argument);
    EXPECT_EQ(changed([k](request& r) { r.ops[1] = operation::max, r.k = k; }), mf::status::ok);
  }
  for (const mf::dtype_info& entry : mf::dtypes) {
    for (const auto& one : mf::runtime::operations) {
      using enum mf::runtime::domain;
      const bool is_refused = one.on == (entry.is_floating ? integers : floats);
      EXPECT_EQ(refusal_of({entry.type, {one.op}}) == mf::status::unsupported, is_refused);
      EXPECT_EQ(refusal_of({entry.type, {operation::dot, one.op}}), mf::status::unsupported);
      EXPECT_EQ(refusal_of({entry.type, {one.op, operation::dot}}), mf::status::unsupported);
    }
  }
}

TEST(reducer, refuses_wrong_items_and_stays_as_it_was) {
  const std::array<float, 3> items{1, 2, 4};
  const float* const p = items.data();
  reducer running(request{mf::dtype::float32, {operation::sum}});
  running.push(p, 3);
  EXPECT_EQ(refusal([&] { running.push(nullptr, 1); }), mf::status::invalid_argument);
  EXPECT_EQ(refusal([&] { running.push(p, -1); }), mf::status::invalid_argument);
  EXPECT_EQ(refusal([&] { running.push_pairs(p, p, 1); }), mf::status::invalid_argument);
  running.push(nullptr, 0);
  EXPECT_EQ(running.count(), 3);
  EXPECT_TRUE(is(running.finish()[0], {7.0}));

  reducer pairs(request{mf::dtype::float32, {operation::dot}});
  pairs.push_pairs(p, p, 3);
  EXPECT_EQ(refusal([&] { pairs.push_pairs(p, nullptr, 1); }), mf::status::invalid_argument);
  EXPECT_EQ(refusal([&] { pairs.push_pairs(nullptr, p, 1); }), mf::status::invalid_argument);
  EXPECT_EQ(refusal([&] { pairs.push_pairs(p, p, -1); }), mf::status::invalid_argument);
  EXPECT_EQ(refusal([&] { pairs.push(p, 1); }), mf::status::invalid_argument);
  pairs.push_pairs(nullptr, nullptr, 0);
  EXPECT_EQ(pairs.count(), 3);
  EXPECT_TRUE(is(pairs.finish()[0], {21.0}));
}

TEST(reducer, refuses_to_merge_what_does_not_fit) {
  const request sound{mf::dtype::float32, {operation::top, operation::var}};
  std::vector<request> others(6, sound);
  others[0].type = mf::dtype::int32;
  others[1].ops = {operation::var, operation::top};
  others[2].nan = nan_policy::omit;  // which has members of its own
  others[3].k = 3;
  others[4].ddof = 1;
  others[5].plain = true;
  const std::array<float, 3> items{1, 2, 4};
  reducer running(sound);
  running.push(items.data(), 3);
  for (const request& other : others) {
    for (const std::int64_t count : {0, 3}) {
      reducer next(other, 3);
      next.push(items.data(), count);
      EXPECT_EQ(refusal([&] { running.merge(next); }), mf::status::invalid_argument);
    }
  }
  for (const std::int64_t first : {0, 2, 4}) {
    EXPECT_EQ(refusal([&] { running.merge(reducer(sound, first)); }), mf::status::invalid_argument);
  }
  EXPECT_EQ(refusal([&] { running.merge(running); }), mf::status::invalid_argument);
  EXPECT_EQ(running.count(), 3);
  request more_threads = sound;
  more_threads.num_threads = 5;
  reducer next(more_threads, 3);
  next.push(items.data(), 3);
  running.merge(next);
  EXPECT_EQ(running.count(), 6);
  EXPECT_EQ(next.count(), 3);
}

/// What the table "What results mean" says of no items.
template <class Item>
std::optional<number> answer_for_nothing(operation op) {
  constexpr bool floating = mf::is_floating_v<Item>;
  const auto whole = [](std::int64_t x) -> number {
    if constexpr (floating) return static_cast<double>(x);
    if constexpr (std::is_signed_v<Item>) return x;
    return static_cast<std::uint64_t>(x);
  };
  switch (op) {
    case operation::count:
    case operation::nan:
    case operation::nonzero: return std::int64_t{0};
    case operation::sum:
    case operation::dot: return whole(0);
    case operation::prod: return whole(1);
    case operation::any: return false;
    case operation::all: return true;
    case operation::norm2: return 0.0;
    case operation::logsumexp: return -infinity;
    case operation::norm1:
    case operation::norminf: return floating ? number(0.0) : number(std::uint64_t{0});
    case operation::bit_and:
      if constexpr (!floating) {
        return number_of(static_cast<Item>(-1));
      }
      return std::nullopt;
    case operation::bit_or:
    case operation::bit_xor: return number_of(Item{});
    default: return std::nullopt;  // min, max, arg*, means, var, std, top, bottom
  }
}

TEST(reducer, answers_for_nothing) {
  for (const mf::dtype_info& entry : mf::dtypes) {
    mf::visit_dtype(entry.type, [&]<class Item>() {
      // Nothing, and where they are left out nothing but NaN.
      const sequence<Item> only_nan(mf::is_floating_v<Item> ? pattern::only_nan : pattern::zero,
                                    mf::is_floating_v<Item> ? 5000 : 0);
      for (const auto& one : mf::runtime::operations) {
        const bool is_pair = one.op == operation::softmax_denominator;  // reducer_logsumexp_test
        if (is_pair || !mf::runtime::is_defined(one.op, entry.type)) continue;
        for (int way = 0; way < 6; ++way) {
          const bool left_out = way == 5 && one.op != operation::dot;
          request what{entry.type, {one.op}, static_cast<nan_policy>(left_out ? 1 : way % 3)};
          what.plain = way > 2;
          reducer running(what, 77);
          if (way % 2 != 0 && one.op != operation::dot) running.push(nullptr, 0);
          if (left_out) running.push(only_nan.items().data(), std::ssize(only_nan.items()));
          const answer got = running.finish().front();
          const auto wanted = answer_for_nothing<Item>(one.op);
          const bool narrow = what.plain && one.op == operation::sum && entry.size_bytes < 8;
          if (left_out && one.op == operation::nan) {
            EXPECT_TRUE(is(got, {number(running.count())}));
          } else if (wanted && narrow && entry.is_floating) {
            EXPECT_TRUE(is(got, {0.0F})) << entry.name;
          } else if (wanted) {
            EXPECT_TRUE(is(got, {*wanted})) << entry.name << " " << one.name;
            EXPECT_EQ(got.first_nan, -1);
          } else {
            EXPECT_TRUE(fails(got, mf::status::empty_input)) << entry.name << " " << one.name;
          }
        }
      }
    });
  }
}

TEST(reducer, policies_for_nan) {
  const std::vector<double> items{3, not_a_number, -9, 1, not_a_number, 1};
  request what{mf::dtype::float64,
               {operation::count, operation::nan, operation::sum, operation::mean, operation::var,
                operation::min, operation::argmax, operation::top, operation::bottom,
                operation::any, operation::all, operation::nonzero, operation::norminf}};
  what.k = 4;
  std::vector<answer> got = answers_of(what, items, 100);
  const std::int64_t six = 6;
  const std::int64_t two = 2;
  EXPECT_TRUE(is(got[0], {six}));
  EXPECT_TRUE(is(got[1], {two}));
  EXPECT_EQ(got[1].first_nan, 101);
  for (const std::size_t i : {2U, 3U, 4U, 5U, 12U}) EXPECT_TRUE(is(got[i], {not_a_number})) << i;
  EXPECT_TRUE(is(got[6], {not_a_number}, {101}));
  EXPECT_TRUE(is(got[7], {3.0, 1.0, 1.0, -9.0}, {100, 103, 105, 102}));  // NaN come last
  EXPECT_TRUE(is(got[8], {-9.0, 1.0, 1.0, 3.0}, {102, 103, 105, 100}));
  EXPECT_TRUE(is(got[9], {true}));
  EXPECT_TRUE(is(got[11], {six}));  // NaN is not zero

  what.nan = nan_policy::omit;
  got = answers_of(what, items, 100);
  EXPECT_TRUE(is(got[0], {std::int64_t{4}}));
  EXPECT_TRUE(is(got[1], {two}));
  EXPECT_TRUE(is(got[2], {-4.0}));
  EXPECT_TRUE(is(got[3], {-1.0}));
  EXPECT_TRUE(is_near(got[4], 22));
  EXPECT_TRUE(is(got[5], {-9.0}));
  EXPECT_TRUE(is(got[6], {3.0}, {100}));
  EXPECT_TRUE(is(got[7], {3.0, 1.0, 1.0, -9.0}, {100, 103, 105, 102}));
  EXPECT_TRUE(is(got[10], {true}));
  EXPECT_TRUE(is(got[11], {std::int64_t{4}}));
  EXPECT_TRUE(is(got[12], {9.0}));

  what.nan = nan_policy::raise;
  got = answers_of(what, items, 100);
  EXPECT_TRUE(is(got[0], {six}));
  EXPECT_TRUE(is(got[1], {two}));
  for (std::size_t i = 2; i < got.size(); ++i) {
    EXPECT_TRUE(fails(got[i], mf::status::nan_found, 101)) << i;
  }
}

TEST(reducer, raise_names_the_first_nan_wherever_it_is) {
  const std::int64_t n = 66 * 1024 + 5;  // two nodes of the tree and a part of a tile
  for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1023}, std::int64_t{1024},
                                std::int64_t{65535}, std::int64_t{65536}, n - 1}) {
    std::vector<float> items(static_cast<std::size_t>(n), 2.5F);
    for (std::size_t i = static_cast<std::size_t>(at); i < items.size(); i += 777) {
      items[i] = std::numeric_limits<float>::signaling_NaN();
    }
    for (const operation op : {operation::sum, operation::var, operation::max, operation::dot}) {
      for (const std::int64_t first : {0, 1024, 1000}) {
        request what{mf::dtype::float32, {op}, nan_policy::raise};
        what.num_threads = 3;
        reducer running(what, first);
        const std::vector<float> twos(items.size(), 2.0F);
        if (op == operation::dot) {  // in either operand
          const bool left = at % 2 == 0;
          running.push_pairs((left ? items : twos).data(), (left ? twos : items).data(), n);
        } else {
          running.push(items.data(), n / 2);
          running.push(items.data() + n / 2, n - n / 2);
        }
        EXPECT_TRUE(fails(running.finish()[0], mf::status::nan_found, first + at)) << at;
      }
    }
  }
}

TEST(reducer, ddof_and_k_against_the_number_of_items) {
  const std::vector<std::int32_t> items{4, 1, 3, 2, 5};
  const std::vector<float> floats{4, 1, std::numeric_limits<float>::quiet_NaN(), 3, 2, 5};
  for (std::int64_t asked = 0; asked <= 7; ++asked) {
    request what{mf::dtype::int32, {operation::var, operation::std, operation::sum}};
    what.ddof = asked;
    request other{mf::dtype::float32, what.ops, nan_policy::omit};  // of six, five count
    other.ddof = asked;
    for (const auto& got : {answers_of(what, items), answers_of(other, floats)}) {
      if (asked < 5) {
        const double variance = 10.0 / static_cast<double>(5 - asked);
        EXPECT_TRUE(is_near(got[0], variance));
        EXPECT_TRUE(is_near(got[1], std::sqrt(variance)));
      } else {
        EXPECT_TRUE(fails(got[0], mf::status::empty_input));
        EXPECT_TRUE(fails(got[1], mf::status::empty_input));
      }
      EXPECT_EQ(got[2].code, mf::status::ok);
    }
    what.ops = other.ops = {operation::top, operation::count, operation::bottom};
    what.k = other.k = std::max<std::int64_t>(asked, 1);
    const std::vector<answer> exact = answers_of(what, items);
    const std::vector<answer> some = answers_of(other, floats);
    for (const std::size_t i : {0U, 2U}) {
      EXPECT_EQ(exact[i].code, asked <= 5 ? mf::status::ok : mf::status::empty_input);
      EXPECT_EQ(some[i].code, exact[i].code);
      const auto wanted = static_cast<std::size_t>(asked <= 5 ? what.k : 0);
      EXPECT_EQ(exact[i].values.size(), wanted);
      EXPECT_EQ(some[i].indices.size(), wanted);
    }
    EXPECT_TRUE(is(some[1], {std::int64_t{5}}));
  }
}

TEST(reducer, one_operation_without_a_result_leaves_the_others_theirs) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const request what{mf::dtype::int64,
                     {operation::sum, operation::mean, operation::top, operation::max,
                      operation::norm1, operation::var}};
  const std::vector<answer> got = answers_of(what, std::vector<std::int64_t>{most, most});
  EXPECT_TRUE(fails(got[0], mf::status::integer_overflow));
  EXPECT_TRUE(is(got[1], {0x1p63}));
  EXPECT_TRUE(fails(got[2], mf::status::empty_input));
  EXPECT_TRUE(is(got[3], {most}));
  EXPECT_TRUE(is(got[4], {2 * static_cast<std::uint64_t>(most)}));
  EXPECT_TRUE(is(got[5], {0.0}));
}

TEST(reducer, indices_begin_at_the_first_one) {
  const std::vector<double> items{3, -infinity, 9, 1, 9, -infinity};
  request what{mf::dtype::float64, {operation::argmin, operation::argmax, operation::top}};
  what.k = 3;
  for (const std::int64_t first : {std::int64_t{0}, std::int64_t{1}, std::int64_t{512},
                                   std::int64_t{1} << 40, (std::int64_t{1} << 62) + 3}) {
    const std::vector<answer> got = answers_of(what, items, first);
    EXPECT_TRUE(is(got[0], {-infinity}, {first + 1}));
    EXPECT_TRUE(is(got[1], {9.0}, {first + 2}));
    EXPECT_TRUE(is(got[2], {9.0, 9.0, 3.0}, {first + 2, first + 4, first}));
  }
}

TEST(reducer, may_be_moved_between_pushes) {
  const std::array<std::uint8_t, 4> items{7, 9, 1, 3};
  const request what{mf::dtype::uint8, {operation::sum, operation::argmin}};
  reducer first(what, 10);
  first.push(items.data(), 2);
  reducer second(std::move(first));
  second.push(items.data() + 2, 1);
  reducer third(request{mf::dtype::float64, {operation::dot}});
  third = std::move(second);
  third.push(items.data() + 3, 1);
  EXPECT_EQ(third.count(), 4);
  EXPECT_TRUE(is(third.finish()[0], {std::uint64_t{20}}));
  EXPECT_TRUE(is(third.finish()[1], {std::uint64_t{1}}, {12}));
}

TEST(reducer, exact_sums_use_the_instruction_set_that_was_chosen) {
  const scene around;
  using mf::instruction_set;
  for (const std::string& name : mf::runtime::instruction_sets()) {
    ASSERT_TRUE(mf::runtime::use_instruction_set(name));
    EXPECT_EQ(mf::instruction_set_in_use(), name == "baseline" ? instruction_set::baseline
                                            : name == "AVX2"   ? instruction_set::avx2
                                                               : instruction_set::avx512);
  }
}

TEST(reducer, instruction_sets_are_those_that_can_be_used) {
  const scene around;
  const auto names = mf::runtime::instruction_sets();
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names) {
    EXPECT_TRUE(mf::runtime::use_instruction_set(name));
    EXPECT_EQ(mf::runtime::instruction_set(), name);
    EXPECT_EQ(mf::runtime::instruction_sets(), names);
  }
  EXPECT_FALSE(mf::runtime::use_instruction_set("abacus"));
  EXPECT_EQ(mf::runtime::instruction_set(), names.back());
}

}  // namespace
