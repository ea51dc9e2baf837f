/// rolling_reducer: each window has the bytes that monofold_reduce_segments gives it, which has those of a reducer.

#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.h"
#include "monofold/platform/dtype.hpp"
#include "runtime/operation.hpp"
#include "runtime/reducer.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace runtime = monofold::runtime;

constexpr std::int64_t rolled_items = 1700;

/// Numbers of many sizes; some are 0, -0, infinite or NaN, by themselves and in runs.
template <class T>
std::vector<T> rolled_numbers(bool with_specials) {
  std::vector<T> out;
  for (std::uint64_t i = 0; i < rolled_items; ++i) {
    const std::uint64_t random = inputs::mixed(i);
    if constexpr (!monofold::is_floating_v<T>) {
      out.push_back(static_cast<T>(i % 400 < 200 ? random : random % 3));
    } else {
      double x = inputs::spread_double(i, i % 900 < 450 ? 3 : 14);
      if (i % 900 < 60) x = -0.0;
      if (with_specials && random % 70 == 1) x = std::numeric_limits<double>::infinity();
      if (with_specials && random % 90 == 2) x = -std::numeric_limits<double>::infinity();
      if (with_specials && random % 50 == 3) x = std::numeric_limits<double>::quiet_NaN();
      if (with_specials && i > 1200 && i < 1300) x = std::numeric_limits<double>::quiet_NaN();
      if constexpr (std::is_same_v<T, double>) out.push_back(x);
      if constexpr (!std::is_same_v<T, double>)
        out.push_back(static_cast<T>(static_cast<float>(x)));
    }
  }
  return out;
}

/// What one of the two calls leaves.
struct rolled_answers {
  explicit rolled_answers(std::int64_t rows)
      : values(static_cast<std::size_t>(rows * 8 * 3), 'x'),
        seconds(values),
        indices(static_cast<std::size_t>(rows * 3), -2) {}
  bool operator==(const rolled_answers&) const = default;

  std::string values, seconds;
  std::vector<std::int64_t> indices;
  monofold_status code = MONOFOLD_OK;
  std::int64_t failed = -2;
};

struct rolling_case {
  const void* items;
  monofold_dtype type;
  std::int64_t window;
  monofold_operation op;
  monofold_options options;
  monofold_dtype value_type;

  std::int64_t rows() const { return rolled_items - window + 1; }
  rolled_answers rolled() const {
    rolled_answers out(rows());
    out.code =
        monofold_rolling(items, type, rolled_items, window, op, &options, value_type,
                         out.values.data(), out.seconds.data(), out.indices.data(), &out.failed);
    return out;
  }
  rolled_answers by_segments() const {
    rolled_answers out(rows());
    std::vector<std::int64_t> starts(static_cast<std::size_t>(rows())), stops;
    std::iota(starts.begin(), starts.end(), std::int64_t{0});
    for (const std::int64_t start : starts) stops.push_back(start + window);
    out.code = monofold_reduce_segments(items, type, rolled_items, starts.data(), stops.data(),
                                        rows(), op, &options, value_type, out.values.data(),
                                        out.seconds.data(), out.indices.data(), &out.failed);
    return out;
  }
};

bool is_asked_for(runtime::operation op, monofold::dtype type) {
  return op != runtime::operation::dot && runtime::is_defined(op, type);
}

template <class T>
void check_windows(monofold::dtype type) {
  for (const bool with_specials : {false, true}) {
    if (with_specials && !monofold::is_floating_v<T>) continue;
    const std::vector<T> items = rolled_numbers<T>(with_specials);
    for (const runtime::operation_info& entry : runtime::operations) {
      if (!is_asked_for(entry.op, type)) continue;
      for (const std::int64_t window : {1, 7, 1100}) {
        monofold_options options = MONOFOLD_OPTIONS_INIT;
        options.k = 3;
        options.num_threads = window == 7 ? 3 : 1;
        for (const auto nan : {MONOFOLD_NAN_PROPAGATE, MONOFOLD_NAN_OMIT, MONOFOLD_NAN_RAISE}) {
          if (nan != MONOFOLD_NAN_PROPAGATE && (!with_specials || window == 1100)) continue;
          options.nan = nan;
          const auto op = static_cast<monofold_operation>(entry.op);
          monofold_dtype own{};
          ASSERT_EQ(monofold_answer_dtype(op, static_cast<monofold_dtype>(type), &options, &own),
                    MONOFOLD_OK);
          for (const monofold_dtype value_type : {own, monofold_dtype{MONOFOLD_FLOAT32}}) {
            const rolling_case one{
                items.data(), static_cast<monofold_dtype>(type), window, op, options, value_type};
            ASSERT_EQ(one.rolled(), one.by_segments())
                << entry.name << " of " << monofold::info(type).name << ", windows of " << window
                << ", nan " << nan << ", as " << value_type << (with_specials ? ", specials" : "");
          }
        }
      }
    }
  }
}

TEST(rolling_reducer, windows_are_arrays_of_their_own) {
  using enum monofold::dtype;
  check_windows<double>(float64);
  check_windows<float>(float32);
  check_windows<monofold::float16>(float16);
  check_windows<std::int32_t>(int32);
  check_windows<std::uint64_t>(uint64);
  check_windows<std::int8_t>(int8);
}

TEST(rolling_reducer, long_windows_and_instruction_sets) {
  const std::string before = runtime::instruction_set();
  const std::vector<double> items = rolled_numbers<double>(true);
  const std::vector<float> narrow(items.begin(), items.end());
  for (const std::string& set : runtime::instruction_sets()) {
    ASSERT_TRUE(runtime::use_instruction_set(set));
    for (const auto op :
         {MONOFOLD_SUM, MONOFOLD_MEAN, MONOFOLD_NORM2, MONOFOLD_MEAN_SQUARE, MONOFOLD_MIN,
          MONOFOLD_ARGMAX, MONOFOLD_MINMAX, MONOFOLD_STD, MONOFOLD_NORMINF}) {
      for (const std::int64_t window : {5L, 1400L, rolled_items}) {
        monofold_options options = MONOFOLD_OPTIONS_INIT;
        options.nan = MONOFOLD_NAN_OMIT;
        const rolling_case wide{items.data(), MONOFOLD_FLOAT64, window,
                                op,           options,          MONOFOLD_FLOAT64};
        const rolling_case short_one{narrow.data(), MONOFOLD_FLOAT32, window, op,
                                     options,       MONOFOLD_FLOAT64};
        ASSERT_EQ(wide.rolled(), wide.by_segments()) << set << " " << op << " " << window;
        ASSERT_EQ(short_one.rolled(), short_one.by_segments()) << set << " " << op << " " << window;
      }
    }
  }
  runtime::use_instruction_set(before);
}

// Sums about 2^63, which 64 bits hold or not, and means of those that no double holds.
TEST(rolling_reducer, sums_of_large_integers) {
  std::vector<std::int64_t> items;
  for (std::int64_t i = 0; i < rolled_items; ++i) {
    const auto random = static_cast<std::int64_t>(inputs::mixed(static_cast<std::uint64_t>(i)));
    items.push_back(i < 900 ? random >> 8 : random >> 1);
  }
  for (const auto op : {MONOFOLD_SUM, MONOFOLD_MEAN, MONOFOLD_NORM1, MONOFOLD_NORMINF}) {
    for (const auto type : {MONOFOLD_INT64, MONOFOLD_UINT64}) {
      for (const auto value_type : {type, MONOFOLD_FLOAT64}) {
        if (op == MONOFOLD_MEAN && value_type == type) continue;
        const rolling_case one{items.data(), type, 100, op, MONOFOLD_OPTIONS_INIT, value_type};
        ASSERT_EQ(one.rolled(), one.by_segments()) << op << " " << type << " " << value_type;
      }
    }
  }
}

// A step adds what enters and what leaves: twice the largest item.
TEST(rolling_reducer, sums_of_large_integers_that_change_sign) {
  for (const std::int64_t large :
       {std::int64_t{1} << 62, (std::int64_t{1} << 51) - 2, (std::int64_t{1} << 53) - 1024}) {
    for (const std::int64_t window : {2, 3, 1024, 1600}) {
      std::vector<std::int64_t> items(rolled_items);
      for (std::int64_t i = 0; i < rolled_items; ++i) {
        items[static_cast<std::size_t>(i)] = i / (window / 2) % 3 == 0 ? -large : large;
      }
      for (const auto value_type : {MONOFOLD_INT64, MONOFOLD_FLOAT64}) {
        const rolling_case one{items.data(), MONOFOLD_INT64,        window,
                               MONOFOLD_SUM, MONOFOLD_OPTIONS_INIT, value_type};
        ASSERT_EQ(one.rolled(), one.by_segments()) << large << " " << window << " " << value_type;
      }
      const rolling_case mean{items.data(),  MONOFOLD_INT64,        window,
                              MONOFOLD_MEAN, MONOFOLD_OPTIONS_INIT, MONOFOLD_FLOAT64};
      ASSERT_EQ(mean.rolled(), mean.by_segments()) << large << " " << window;
    }
  }
}

// The double that the exact sum rounds to lies at the middle between two floats, and the sum above it.
TEST(rolling_reducer, sums_are_rounded_to_floats_once) {
  std::vector<float> items;
  for (int i = 0; i < 500; ++i) {
    for (const float x : {1.0F, 0x1p-24F, 0x1p-80F, 0x1p-130F}) items.push_back(x);
  }
  items.resize(rolled_items);
  for (const auto op : {MONOFOLD_SUM, MONOFOLD_MEAN, MONOFOLD_NORM1, MONOFOLD_MEAN_SQUARE}) {
    for (const std::int64_t window : {1, 2, 3, 4}) {
      const rolling_case one{items.data(), MONOFOLD_FLOAT32,      window,
                             op,           MONOFOLD_OPTIONS_INIT, MONOFOLD_FLOAT32};
      ASSERT_EQ(one.rolled(), one.by_segments()) << op << " " << window;
    }
  }
}

// The best that leave one after the other, those that never do, and equal ones.
TEST(rolling_reducer, the_best_of_items_in_order) {
  std::vector<std::int32_t> items;
  for (std::int32_t i = 0; i < rolled_items; ++i) {
    items.push_back(i < 500 ? -i : i < 900 ? i : i < 1200 ? 7 : i % 5);
  }
  for (const auto op : {MONOFOLD_TOP, MONOFOLD_BOTTOM}) {
    for (const std::int64_t window : {3, 40, 300, 1600}) {
      for (const std::int64_t k : {1, 3}) {
        monofold_options options = MONOFOLD_OPTIONS_INIT;
        options.k = k;
        const rolling_case one{items.data(), MONOFOLD_INT32, window, op, options, MONOFOLD_INT32};
        ASSERT_EQ(one.rolled(), one.by_segments()) << op << " " << window << " " << k;
      }
    }
  }
}

// What is no finite number passes through windows that vectors move, and so do zeros of both signs.
TEST(rolling_reducer, specials_pass_through) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> items;
  for (std::uint64_t i = 0; i < rolled_items; ++i) {
    items.push_back(i / 300 % 2 == 0 ? inputs::spread_double(i, 2) : i < 600 ? 0.0 : -0.0);
  }
  for (const std::size_t nan : {100, 101, 760, 820}) {
    items[nan] = std::numeric_limits<double>::quiet_NaN();
  }
  items[400] = items[1400] = -infinity;
  items[810] = items[1440] = infinity;
  const std::vector<float> narrow(items.begin(), items.end());
  for (const auto op :
       {MONOFOLD_SUM, MONOFOLD_MEAN, MONOFOLD_NORM1, MONOFOLD_NORM2, MONOFOLD_MEAN_SQUARE,
        MONOFOLD_VAR, MONOFOLD_STD, MONOFOLD_MIN, MONOFOLD_ARGMAX}) {
    for (const std::int64_t window : {2, 30, 600}) {
      for (const auto nan : {MONOFOLD_NAN_PROPAGATE, MONOFOLD_NAN_OMIT, MONOFOLD_NAN_RAISE}) {
        monofold_options options = MONOFOLD_OPTIONS_INIT;
        options.nan = nan;
        options.ddof = 1;
        for (const auto value_type : {MONOFOLD_FLOAT64, MONOFOLD_FLOAT32}) {
          const rolling_case wide{items.data(), MONOFOLD_FLOAT64, window, op, options, value_type};
          const rolling_case small{narrow.data(), MONOFOLD_FLOAT32, window, op,
                                   options,       value_type};
          ASSERT_EQ(wide.rolled(), wide.by_segments()) << op << " " << window << " " << nan;
          ASSERT_EQ(small.rolled(), small.by_segments()) << op << " " << window << " " << nan;
        }
      }
    }
  }
}

TEST(rolling_reducer, other_windows_are_refused) {
  const std::vector<double> items = {1, 2, 3};
  double out[3] = {7, 7, 7};
  std::int64_t failed = 5;
  for (const std::int64_t window : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{4}}) {
    EXPECT_EQ(monofold_rolling(items.data(), MONOFOLD_FLOAT64, 3, window, MONOFOLD_SUM, nullptr,
                               MONOFOLD_FLOAT64, out, nullptr, nullptr, &failed),
              MONOFOLD_INVALID_ARGUMENT);
  }
  EXPECT_EQ(monofold_rolling(items.data(), MONOFOLD_FLOAT64, 3, 2, MONOFOLD_DOT, nullptr,
                             MONOFOLD_FLOAT64, out, nullptr, nullptr, &failed),
            MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(out[0], 7);
  EXPECT_EQ(failed, 5);
}

}  // namespace
