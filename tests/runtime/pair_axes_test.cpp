/// monofold_dot_axis: each answer has the bytes of monofold_dot of the two rows alone.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "monofold/monofold.h"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/instruction_set.hpp"
#include "monofold/shape/array_view.hpp"
#include "monofold/shape/axes.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;

template <class Item>
std::vector<Item> pair_items_of(std::int64_t count, std::uint64_t seed) {
  std::vector<Item> out;
  for (std::int64_t i = 0; i < count; ++i) {
    const double number = inputs::spread_double(static_cast<std::uint64_t>(i) + seed, 3) * 20;
    if constexpr (std::is_same_v<Item, mf::float16> || std::is_same_v<Item, mf::bfloat16>) {
      out.push_back(Item(static_cast<float>(number)));
    } else {
      out.push_back(static_cast<Item>(std::is_signed_v<Item> ? number : std::abs(number)));
    }
  }
  return out;
}

/// Every row of two matrices of layouts of their own, along `axis`, against monofold_dot of copies.
template <class Item>
void check_dots_of(const std::vector<Item>& left, const std::vector<Item>& right, mf::dtype type,
                   std::int64_t rows, std::int64_t columns, int axis, monofold_options options) {
  const auto dtype = static_cast<monofold_dtype>(type);
  const std::int64_t extents[] = {rows, columns};
  const std::int64_t by_rows[] = {columns, 1};
  const std::int64_t by_columns[] = {1, rows};
  const std::int64_t reduced = axis;
  const std::int64_t count = axis == 0 ? columns : rows;
  const std::int64_t length = axis == 0 ? rows : columns;
  for (int layout = 0; layout < 4; ++layout) {
    const std::int64_t* const ls = layout % 2 == 0 ? by_rows : by_columns;
    const std::int64_t* const rs = layout / 2 == 0 ? by_rows : by_columns;
    std::vector<double> got(static_cast<std::size_t>(count), -1.0);
    std::int64_t failed = 7;
    ASSERT_EQ(monofold_dot_axis(left.data(), right.data(), dtype, 2, extents, ls, rs, &reduced, 1,
                                &options, MONOFOLD_FLOAT64, got.data(), count, &failed),
              MONOFOLD_OK);
    ASSERT_EQ(failed, -1);
    std::vector<Item> l(static_cast<std::size_t>(length)), r(l);
    for (std::int64_t row = 0; row < count; ++row) {
      for (std::int64_t i = 0; i < length; ++i) {
        const std::int64_t at[] = {axis == 0 ? i : row, axis == 0 ? row : i};
        l[static_cast<std::size_t>(i)] =
            left[static_cast<std::size_t>(at[0] * ls[0] + at[1] * ls[1])];
        r[static_cast<std::size_t>(i)] =
            right[static_cast<std::size_t>(at[0] * rs[0] + at[1] * rs[1])];
      }
      monofold_result alone{};
      ASSERT_EQ(monofold_dot(l.data(), r.data(), dtype, length, MONOFOLD_HOST, &options, &alone),
                MONOFOLD_OK);
      const double expected = alone.value.type == MONOFOLD_NUMBER_FLOAT64 ? alone.value.as.float64
                              : alone.value.type == MONOFOLD_NUMBER_INT64
                                  ? static_cast<double>(alone.value.as.int64)
                                  : static_cast<double>(alone.value.as.uint64);
      ASSERT_EQ(std::memcmp(&got[static_cast<std::size_t>(row)], &expected, sizeof expected), 0)
          << "row " << row << " of " << rows << " x " << columns << ", axis " << axis << ", layout "
          << layout;
    }
  }
}

template <class Item>
void check_dots(mf::dtype type, std::int64_t rows, std::int64_t columns, int axis,
                monofold_options options) {
  check_dots_of(pair_items_of<Item>(rows * columns, 1), pair_items_of<Item>(rows * columns, 77),
                type, rows, columns, axis, options);
}

TEST(pair_axes, every_type) {
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  for (const mf::dtype_info& entry : mf::dtypes) {
    SCOPED_TRACE(entry.name);
    mf::visit_dtype(entry.type, [&]<class T>() {
      if constexpr (!std::is_same_v<T, bool>) {  // a vector of those has no array
        for (const int axis : {0, 1}) {
          check_dots<T>(entry.type, 40, 9, axis, options);
          check_dots<T>(entry.type, 1, 70, axis, options);
        }
      }
    });
  }
}

#if defined(__SANITIZE_ADDRESS__)  // a call for each row takes most of the time
constexpr std::int64_t many_rows = 150;
#else
constexpr std::int64_t many_rows = 1500;
#endif

TEST(pair_axes, lengths_threads_and_options) {
  for (const int threads : {1, 3}) {
    for (const int plain : {0, 1}) {
      for (const monofold_nan_policy nan : {MONOFOLD_NAN_PROPAGATE, MONOFOLD_NAN_OMIT}) {
        monofold_options options = MONOFOLD_OPTIONS_INIT;
        options.num_threads = threads;
        options.plain = plain;
        options.nan = nan;
        for (const std::int64_t rows :
             {std::int64_t{1}, std::int64_t{2}, std::int64_t{65}, many_rows}) {
          for (const std::int64_t columns : {1, 2, 33, 40}) {
            for (const int axis : {0, 1}) {
              check_dots<float>(mf::dtype::float32, rows, columns, axis, options);
            }
          }
        }
        for (const int axis : {0, 1}) {
          check_dots<double>(mf::dtype::float64, 20 * many_rows, 2, axis, options);
          check_dots<double>(mf::dtype::float64, 2, 20 * many_rows, axis, options);
          check_dots<double>(mf::dtype::float64, 7, 20'000, axis, options);
        }
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Products of doubles are summed with a bound of the error: it must tell of every row that it does not decide.
TEST(pair_axes, doubles_of_every_kind) {
  const std::vector<double> tiny{0x1p-1074, -0x1p-1074, 0x1p-540, 0x1.8p-537, -0x1.1p-500};
  const std::vector<double> exact{1, -1, 0x1p53, -0x1p53, 0x1.0000000000001p0, 0.5, 3, -0x1p-52};
  const std::vector<double> special{HUGE_VAL, -HUGE_VAL, std::nan(""), 0x1p1023, -0x1p1023, 1};
  const std::vector<double> zeros{0.0, -0.0};
  inputs::generator random(3);
  const auto any_of = [&](const std::vector<double>& values, std::int64_t count) {
    std::vector<double> out;
    for (std::int64_t i = 0; i < count; ++i) out.push_back(values[random() % values.size()]);
    return out;
  };
  for (const auto set :
       {mf::instruction_set::baseline, mf::instruction_set::avx2, mf::instruction_set::avx512}) {
    mf::limit_instruction_set(set);
    for (const std::int64_t columns : {1, 2, 3, 7, 15, 16, 17, 33, 70}) {
      const std::int64_t rows = 40, count = rows * columns;
      for (const auto& left : {tiny, exact, special, zeros}) {
        for (const auto& right : {tiny, exact, special, zeros}) {
          for (const int axis : {0, 1}) {
            check_dots_of(any_of(left, count), any_of(right, count), mf::dtype::float64, rows,
                          columns, axis, MONOFOLD_OPTIONS_INIT);
          }
        }
      }
      const auto num = static_cast<std::size_t>(count);
      std::vector<double> cancelling = inputs::cancelling(num, 5);
      cancelling.resize(num);
      for (const int axis : {0, 1}) {
        check_dots_of(cancelling, std::vector<double>(num, 1.0), mf::dtype::float64, rows, columns,
                      axis, MONOFOLD_OPTIONS_INIT);
        check_dots_of(inputs::spread_doubles(num, 300, 6), inputs::spread_doubles(num, 300, 7),
                      mf::dtype::float64, rows, columns, axis, MONOFOLD_OPTIONS_INIT);
      }
    }
  }
  mf::limit_instruction_set(mf::instruction_set::avx512);
}

/// Rows of which the bound does not tell the sum: ties, sums that are 0, NaN, zeros of either sign; few and many, long too.
TEST(pair_axes, sums_that_the_bound_does_not_tell) {
  for (const std::int64_t length : {2, 40, 300, 5000, 16385, 70'000}) {
    for (const std::int64_t rows : {1, 3, 20}) {
      for (int kind = 0; kind < 5; ++kind) {
        std::vector<double> left, right;
        for (std::int64_t i = 0; i < rows * length; ++i) {
          const std::int64_t r = i / length, at = i % length;
          const double tie = at == 0 ? 1 : at == 1 ? 0x1p-53 : 0;
          const double cancelling = at % 2 == 0 ? 1.5 + static_cast<double>(r) : -left.back();
          left.push_back(kind == 0                  ? tie
                         : kind == 1                ? cancelling
                         : kind == 2 && at % 9 == 4 ? HUGE_VAL
                         : kind == 3                ? -0.0
                         : (r + at) % 2 == 0        ? 0.0
                                                    : -0.0);
          right.push_back(kind == 2 && at % 9 == 5 ? std::nan("")
                          : kind == 4              ? static_cast<double>(r % 2) - 0.5
                                                   : 1);
        }
        if (length % 2 != 0 && kind == 1) right.back() = 0;
        for (const int axis : {0, 1}) {
          monofold_options options = MONOFOLD_OPTIONS_INIT;
          options.num_threads = 2;
          const std::int64_t m = axis == 1 ? rows : length, n = axis == 1 ? length : rows;
          check_dots_of(left, right, mf::dtype::float64, m, n, axis, options);
          const std::vector<float> l(left.begin(), left.end()), r(right.begin(), right.end());
          check_dots_of(l, r, mf::dtype::float32, m, n, axis, options);
        }
      }
    }
  }
}

#if defined(__SSE2__)
/// A caller may have subnormal numbers taken for 0: of an undecided row, 2^-60 + 2^-113, the first factors are such.
TEST(pair_axes, where_the_caller_flushes) {
  std::vector<double> left(80), right(80, 1.0);
  for (const std::size_t row : {0, 40}) {
    left[row] = 0x1p-1060;
    right[row] = 0x1p1000;
    left[row + 1] = 0x1p-1074;
    right[row + 1] = 0x1p961;
  }
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);
  double out[2];
  const std::int64_t extents[] = {2, 40}, axis = 1;
  const int code =
      monofold_dot_axis(left.data(), right.data(), MONOFOLD_FLOAT64, 2, extents, nullptr, nullptr,
                        &axis, 1, nullptr, MONOFOLD_FLOAT64, out, 2, nullptr);
  _mm_setcsr(before);
  ASSERT_EQ(code, MONOFOLD_OK);
  EXPECT_EQ(out[0], 0x1p-60);
  EXPECT_EQ(out[1], 0x1p-60);
}
#endif

template <class Item, class Real>
std::vector<Real> dots_of(const std::vector<Item>& left, const std::vector<Item>& right,
                          monofold_dtype type, monofold_dtype real, std::int64_t rows,
                          std::int64_t columns, std::int64_t axis) {
  const std::int64_t extents[] = {rows, columns};
  std::vector<Real> out(static_cast<std::size_t>(axis == 0 ? columns : rows), Real{1});
  EXPECT_EQ(monofold_dot_axis(left.data(), right.data(), type, 2, extents, nullptr, nullptr, &axis,
                              1, nullptr, real, out.data(), std::ssize(out), nullptr),
            MONOFOLD_OK);
  return out;
}

/// Answers of any type are rounded once: without fused vectors each row goes to integers, whose leading bits decide.
template <class Item>
void check_roundings(const std::vector<Item>& left, const std::vector<Item>& right,
                     monofold_dtype type, std::int64_t rows, std::int64_t columns) {
  for (const std::int64_t axis : {0, 1}) {
    std::vector<float> floats;
    std::vector<double> doubles;
    std::vector<std::uint16_t> halves;
    for (const auto set :
         {mf::instruction_set::baseline, mf::instruction_set::avx2, mf::instruction_set::avx512}) {
      mf::limit_instruction_set(set);
      const auto f = dots_of<Item, float>(left, right, type, MONOFOLD_FLOAT32, rows, columns, axis);
      const auto d =
          dots_of<Item, double>(left, right, type, MONOFOLD_FLOAT64, rows, columns, axis);
      const auto h =
          dots_of<Item, std::uint16_t>(left, right, type, MONOFOLD_FLOAT16, rows, columns, axis);
      if (set == mf::instruction_set::baseline) {
        floats = f;
        doubles = d;
        halves = h;
      }
      const auto same = [](const auto& a, const auto& b) {
        return std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
      };
      ASSERT_TRUE(same(f, floats) && same(d, doubles) && same(h, halves))
          << rows << " x " << columns << ", axis " << axis;
    }
  }
}

TEST(pair_axes, roundings_of_every_kind) {
  // Halves of a unit of a float, of a double, and what decides them.
  const float parts[] = {1,        -1,       0x1p-24F,  -0x1p-24F,  0x1p-25F, 3,
                         0x1p-53F, 0x1p-60F, 0x1p-100F, -0x1p-149F, 0x1p120F};
  const float rare[] = {0, -0.0F, HUGE_VALF, std::nanf(""), 0x1p127F};
  inputs::generator random(9);
  for (const std::int64_t columns : {1, 2, 3, 7, 15, 16, 17, 33, 70}) {
    const std::int64_t rows = 61;
    for (int kind = 0; kind < 4; ++kind) {
      std::vector<float> left, right;
      for (std::int64_t i = 0; i < rows * columns; ++i) {
        const auto any = [&](const auto& of) { return of[random() % std::size(of)]; };
        const bool is_rare = kind == 3 && random() % 50 == 0;
        left.push_back(kind == 0
                           ? static_cast<float>(static_cast<double>(random() >> 20) * 0x1p-40 - 1)
                       : is_rare ? any(rare)
                                 : any(parts));
        right.push_back(kind == 1 ? 1
                        : kind == 0
                            ? static_cast<float>(static_cast<double>(random() >> 20) * 0x1p-44)
                            : any(parts));
      }
      check_roundings(left, right, MONOFOLD_FLOAT32, rows, columns);
      const std::vector<double> wide_left(left.begin(), left.end()),
          wide_right(right.begin(), right.end());
      check_roundings(wide_left, wide_right, MONOFOLD_FLOAT64, rows, columns);
    }
  }
  mf::limit_instruction_set(mf::instruction_set::avx512);
}

TEST(pair_axes, what_is_wrong) {
  const std::vector<float> items(12, 2.0F);
  std::vector<float> out(4, -1.0F);
  const std::int64_t extents[] = {3, 4};
  const auto call = [&](const void* left, const void* right, std::int64_t axis,
                        monofold_dtype answer, std::int64_t capacity) {
    return monofold_dot_axis(left, right, MONOFOLD_FLOAT32, 2, extents, nullptr, nullptr, &axis, 1,
                             nullptr, answer, out.data(), capacity, nullptr);
  };
  const float* const x = items.data();
  EXPECT_EQ(call(x, x, 2, MONOFOLD_FLOAT32, 4), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(call(x, x, -3, MONOFOLD_FLOAT32, 4), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(call(x, nullptr, 0, MONOFOLD_FLOAT32, 4), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(call(nullptr, x, 0, MONOFOLD_FLOAT32, 4), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(call(x, x, 0, MONOFOLD_FLOAT32, 3), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(call(x, x, 0, MONOFOLD_INT64, 4), MONOFOLD_UNSUPPORTED);
  EXPECT_EQ(out, std::vector<float>(4, -1.0F));
  EXPECT_EQ(call(x, x, 0, MONOFOLD_FLOAT32, 4), MONOFOLD_OK);
  EXPECT_EQ(out, std::vector<float>(4, 12.0F));
  const std::int64_t large[] = {1, 1, std::int64_t{1} << 62, std::int64_t{1} << 62};
  const std::int64_t two[] = {2, 2};
  const std::int64_t last = -1;
  std::int64_t sums[] = {-1, -1}, failed = -1;
  EXPECT_EQ(monofold_dot_axis(large, large, MONOFOLD_INT64, 2, two, nullptr, nullptr, &last, 1,
                              nullptr, MONOFOLD_INT64, sums, 2, &failed),
            MONOFOLD_INTEGER_OVERFLOW);
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(sums[0], 2);
  EXPECT_EQ(sums[1], -1);
}

TEST(pair_axes, of_no_items) {
  const std::int64_t extents[] = {0, 4};
  const std::int64_t axis = 0;
  std::vector<double> out(4, -1.0);
  EXPECT_EQ(monofold_dot_axis(nullptr, nullptr, MONOFOLD_FLOAT64, 2, extents, nullptr, nullptr,
                              &axis, 1, nullptr, MONOFOLD_FLOAT64, out.data(), 4, nullptr),
            MONOFOLD_OK);
  EXPECT_EQ(out, std::vector<double>(4, 0.0));
}

}  // namespace
