/// monofold_scan: each answer has the bytes that monofold_reduce_segments gives the items up to it.

#include <cstdint>
#include <cstring>
#include <limits>
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

struct scanned_answers {
  explicit scanned_answers(std::size_t count)
      : values(count * 8 * 3, 'x'), seconds(values), indices(count * 3, -2) {}
  bool operator==(const scanned_answers&) const = default;

  std::string values, seconds;
  std::vector<std::int64_t> indices;
  monofold_status code = MONOFOLD_OK;
  std::int64_t failed = -2;
};

template <class T>
struct scan_case {
  const std::vector<T>& items;
  monofold_dtype type;
  monofold_operation op;
  monofold_options options;
  monofold_dtype value_type;

  std::int64_t count() const { return static_cast<std::int64_t>(items.size()); }
  scanned_answers scanned() const {
    scanned_answers out(items.size());
    out.code =
        monofold_scan(items.data(), type, 1, count(), 0, op, &options, value_type,
                      out.values.data(), out.seconds.data(), out.indices.data(), &out.failed);
    return out;
  }
  scanned_answers by_segments() const {
    scanned_answers out(items.size());
    const std::vector<std::int64_t> starts(items.size());
    std::vector<std::int64_t> stops;
    for (std::int64_t i = 1; i <= count(); ++i) stops.push_back(i);
    out.code = monofold_reduce_segments(items.data(), type, count(), starts.data(), stops.data(),
                                        count(), op, &options, value_type, out.values.data(),
                                        out.seconds.data(), out.indices.data(), &out.failed);
    return out;
  }
};

/// Numbers of many sizes; `specials`: from some place on NaN and infinities too.
template <class T>
std::vector<T> scanned_numbers(std::int64_t count, bool specials) {
  std::vector<T> out;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(count); ++i) {
    const std::uint64_t random = inputs::mixed(i);
    if constexpr (!monofold::is_floating_v<T>) {
      out.push_back(static_cast<T>(sizeof(T) == 8 ? random >> (i < 900 ? 16 : 2) : random));
    } else {
      double x = inputs::spread_double(i, i % 900 < 450 ? 3 : 14);
      if (specials && (i < 40 || (i > 500 && i < 560))) x = -0.0;
      if (specials && (i < 3 || i == 300)) x = std::numeric_limits<double>::quiet_NaN();
      if (specials && i == 700) x = std::numeric_limits<double>::infinity();
      if (specials && i == 800) x = -std::numeric_limits<double>::infinity();
      if constexpr (std::is_same_v<T, double>) out.push_back(x);
      if constexpr (!std::is_same_v<T, double>) out.push_back(T(static_cast<float>(x)));
    }
  }
  return out;
}

bool has_plain(runtime::operation op) {
  using enum runtime::operation;
  return op == sum || op == mean || op == prod || op == var || op == std || op == norm1 ||
         op == norm2 || op == mean_square;
}

template <class T>
void check_scans(monofold::dtype type, bool plain = false, std::int64_t count = 1100) {
  for (const bool specials : {false, true}) {
    if (specials && !monofold::is_floating_v<T>) continue;
    const std::vector<T> items = scanned_numbers<T>(count, specials);
    for (const runtime::operation_info& entry : runtime::operations) {
      if (entry.op == runtime::operation::dot || !runtime::is_defined(entry.op, type)) continue;
      if (plain && !has_plain(entry.op)) continue;
      for (const auto nan : {MONOFOLD_NAN_PROPAGATE, MONOFOLD_NAN_OMIT, MONOFOLD_NAN_RAISE}) {
        if (nan != MONOFOLD_NAN_PROPAGATE && !specials) continue;
        monofold_options options = MONOFOLD_OPTIONS_INIT;
        options.k = 3;
        options.nan = nan;
        options.ddof = 1;
        options.plain = plain ? 1 : 0;
        const auto op = static_cast<monofold_operation>(entry.op);
        monofold_dtype own{};
        ASSERT_EQ(monofold_answer_dtype(op, static_cast<monofold_dtype>(type), &options, &own),
                  MONOFOLD_OK);
        for (const monofold_dtype value_type : {own, monofold_dtype{MONOFOLD_FLOAT32}}) {
          const scan_case<T> one{items, static_cast<monofold_dtype>(type), op, options, value_type};
          ASSERT_EQ(one.scanned(), one.by_segments())
              << entry.name << " of " << monofold::info(type).name << ", nan " << nan << ", as "
              << value_type << (specials ? ", specials" : "") << (plain ? ", plain" : "");
        }
      }
    }
  }
}

TEST(scan_reducer, beginnings_are_arrays_of_their_own) {
  using enum monofold::dtype;
  check_scans<double>(float64);
  check_scans<float>(float32);
  check_scans<monofold::bfloat16>(bfloat16);
  check_scans<std::int32_t>(int32);
  check_scans<std::int64_t>(int64);
  check_scans<std::uint64_t>(uint64);
  check_scans<std::int8_t>(int8);
}

// Those bits are also of small negative numbers.
TEST(scan_reducer, unsigned_sums_close_to_the_largest) {
  std::vector<std::uint64_t> items(600);
  items[0] = std::numeric_limits<std::uint64_t>::max() - 4;
  items[300] = 3;
  std::vector<std::int64_t> signs(600);
  signs[0] = signs[400] = std::numeric_limits<std::int64_t>::min() + 1;
  const monofold_options options = MONOFOLD_OPTIONS_INIT;
  for (const auto op : {MONOFOLD_SUM, MONOFOLD_MEAN, MONOFOLD_NORM1}) {
    for (const monofold_dtype value_type : {MONOFOLD_FLOAT64, MONOFOLD_FLOAT32, MONOFOLD_UINT64}) {
      if (op == MONOFOLD_MEAN && value_type == MONOFOLD_UINT64) continue;
      const scan_case<std::uint64_t> whole{items, MONOFOLD_UINT64, op, options, value_type};
      EXPECT_EQ(whole.scanned(), whole.by_segments()) << op << ", as " << value_type;
      const scan_case<std::int64_t> of_signs{signs, MONOFOLD_INT64, op, options, value_type};
      EXPECT_EQ(of_signs.scanned(), of_signs.by_segments()) << op << ", as " << value_type;
    }
  }
}

// Rows of tiles, and where both end.
TEST(scan_reducer, plain_ones_have_the_tree_of_their_items) {
  using enum monofold::dtype;
  for (const std::int64_t count : {1, 40, 64, 65, 512, 513, 1700}) {
    check_scans<double>(float64, true, count);
    check_scans<float>(float32, true, count);
  }
  for (const std::int64_t count : {256, 257, 2048, 2500}) {
    check_scans<monofold::bfloat16>(bfloat16, true, count);
  }
}

// What threads scan together, and what each instruction set does.
TEST(scan_reducer, threads_and_instruction_sets) {
  const std::string before = runtime::instruction_set();
  const std::vector<double> wide = scanned_numbers<double>(200000, false);
  const std::vector<std::int32_t> whole = scanned_numbers<std::int32_t>(200000, false);
  const std::vector<float> narrow(wide.begin(), wide.end());
  const auto check = [](const auto& items, monofold_dtype type, monofold_operation op,
                        bool plain = false) {
    std::vector<double> found[2] = {std::vector<double>(items.size()),
                                    std::vector<double>(items.size())};
    for (const int threads : {1, 3}) {
      monofold_options options = MONOFOLD_OPTIONS_INIT;
      options.num_threads = threads;
      options.plain = plain ? 1 : 0;
      ASSERT_EQ(monofold_scan(items.data(), type, 1, static_cast<std::int64_t>(items.size()), 0, op,
                              &options, MONOFOLD_FLOAT64, found[threads / 2].data(), nullptr,
                              nullptr, nullptr),
                MONOFOLD_OK);
    }
    EXPECT_EQ(found[0], found[1]) << op;
    monofold_options options = MONOFOLD_OPTIONS_INIT;
    options.plain = plain ? 1 : 0;
    for (std::size_t i = 0; i < items.size(); i += 6007) {
      double one = 0;
      const std::int64_t from = 0, to = static_cast<std::int64_t>(i) + 1;
      ASSERT_EQ(monofold_reduce_segments(items.data(), type, to, &from, &to, 1, op, &options,
                                         MONOFOLD_FLOAT64, &one, nullptr, nullptr, nullptr),
                MONOFOLD_OK);
      EXPECT_EQ(one, found[0][i]) << op << " up to " << i;
    }
  };
  for (const std::string& set : runtime::instruction_sets()) {
    ASSERT_TRUE(runtime::use_instruction_set(set));
    for (const auto op : {MONOFOLD_SUM, MONOFOLD_MEAN, MONOFOLD_NORM1, MONOFOLD_MAX}) {
      check(wide, MONOFOLD_FLOAT64, op);
      check(whole, MONOFOLD_INT32, op);
    }
    for (const auto op : {MONOFOLD_PROD, MONOFOLD_SUM, MONOFOLD_VAR}) {
      check(wide, MONOFOLD_FLOAT64, op, true);
      check(narrow, MONOFOLD_FLOAT32, op, true);
    }
  }
  runtime::use_instruction_set(before);
}

// Rows by themselves, each with the answer of no items before the others.
TEST(scan_reducer, rows_and_what_has_no_items) {
  const std::vector<double> items = scanned_numbers<double>(600 * 7, false);
  for (const std::int64_t length : {0, 1, 7, 2100}) {
    const std::int64_t num_rows = length == 0 ? 3 : 4200 / length;
    std::vector<double> alone(static_cast<std::size_t>(length)), found;
    found.resize(static_cast<std::size_t>(num_rows * (length + 1)), 7);
    for (const auto op : {MONOFOLD_SUM, MONOFOLD_PROD, MONOFOLD_NORM2}) {
      std::int64_t failed = 7;
      ASSERT_EQ(monofold_scan(items.data(), MONOFOLD_FLOAT64, num_rows, length, 1, op, nullptr,
                              MONOFOLD_FLOAT64, found.data(), nullptr, nullptr, &failed),
                MONOFOLD_OK);
      EXPECT_EQ(failed, -1);
      for (std::int64_t r = 0; r < num_rows; ++r) {
        const double* const row = found.data() + r * (length + 1);
        ASSERT_EQ(row[0], op == MONOFOLD_PROD ? 1 : 0);
        ASSERT_EQ(monofold_scan(items.data() + r * length, MONOFOLD_FLOAT64, 1, length, 0, op,
                                nullptr, MONOFOLD_FLOAT64, alone.data(), nullptr, nullptr, nullptr),
                  MONOFOLD_OK);
        ASSERT_EQ(alone, std::vector<double>(row + 1, row + 1 + length)) << op << " row " << r;
      }
    }
    std::int64_t failed = 7;
    EXPECT_EQ(monofold_scan(items.data(), MONOFOLD_FLOAT64, num_rows, length, 1, MONOFOLD_MAX,
                            nullptr, MONOFOLD_FLOAT64, found.data(), nullptr, nullptr, &failed),
              MONOFOLD_EMPTY_INPUT);
    EXPECT_EQ(failed, 0);
  }
}

// Sums and means may lie where the items are, whatever these are.
TEST(scan_reducer, in_place) {
  const double infinite = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::int64_t count : {3, 5, 64, 65, 300, 1000}) {
    for (const double odd : {infinite, -infinite, nan, -0.0, 0x1p70, 0x1p-600}) {
      for (const std::int64_t place : {std::int64_t{0}, std::int64_t{1}, count / 2, count - 1}) {
        std::vector<double> items(static_cast<std::size_t>(count), odd == 0 ? -0.0 : 1.0);
        for (std::int64_t i = 2; i < count; i += 3) items[static_cast<std::size_t>(i)] = 0x1p-60;
        items[static_cast<std::size_t>(place)] = odd;
        for (const auto op : {MONOFOLD_SUM, MONOFOLD_MEAN}) {
          std::vector<double> beside(items), own(items);
          for (double* const to : {beside.data(), own.data()}) {
            const double* const from = to == own.data() ? own.data() : items.data();
            ASSERT_EQ(monofold_scan(from, MONOFOLD_FLOAT64, 1, count, 0, op, nullptr,
                                    MONOFOLD_FLOAT64, to, nullptr, nullptr, nullptr),
                      MONOFOLD_OK);
          }
          ASSERT_EQ(std::memcmp(own.data(), beside.data(), own.size() * sizeof(double)), 0)
              << count << " items, " << odd << " at " << place;
        }
      }
    }
  }
}

TEST(scan_reducer, the_first_that_does_not_fit_and_wrong_use) {
  const std::vector<std::int64_t> large(5, std::int64_t{1} << 61);
  std::int64_t out[5] = {}, failed = 7;
  EXPECT_EQ(monofold_scan(large.data(), MONOFOLD_INT64, 1, 5, 0, MONOFOLD_SUM, nullptr,
                          MONOFOLD_INT64, out, nullptr, nullptr, &failed),
            MONOFOLD_INTEGER_OVERFLOW);
  EXPECT_EQ(failed, 3);
  EXPECT_EQ(out[2], std::int64_t{3} << 61);
  EXPECT_EQ(monofold_scan(nullptr, MONOFOLD_INT64, 1, 0, 0, MONOFOLD_MIN, nullptr, MONOFOLD_INT64,
                          out, nullptr, nullptr, &failed),
            MONOFOLD_OK);
  EXPECT_EQ(failed, -1);
  EXPECT_EQ(monofold_scan(nullptr, MONOFOLD_INT64, 1, 5, 0, MONOFOLD_SUM, nullptr, MONOFOLD_INT64,
                          out, nullptr, nullptr, &failed),
            MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(monofold_scan(large.data(), MONOFOLD_INT64, 1, 5, 0, MONOFOLD_DOT, nullptr,
                          MONOFOLD_INT64, out, nullptr, nullptr, &failed),
            MONOFOLD_INVALID_ARGUMENT);
}

}  // namespace
