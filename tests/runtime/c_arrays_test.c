/* runtime/c_arrays: answers written into arrays of one type, from plain C. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "monofold/monofold.h"
#include "tests/runtime/c_check.h"

static const float items[6] = {1, 5, 3, 4, 2, 6};
static const int64_t extents[2] = {2, 3};

/* Outputs are poisoned before every call. */
static union {
  double float64[8];
  float float32[8];
  uint16_t bits16[8];
  int64_t int64[8];
  int8_t int8[8];
  bool boolean[8];
} values, seconds;
static int64_t indices[8];
static int64_t failed_row;

static void poison(void) {
  memset(&values, 0x5a, sizeof values);
  memset(&seconds, 0x5a, sizeof seconds);
  memset(indices, 0x5a, sizeof indices);
  failed_row = 77;
}
static bool is_poisoned(const void* array, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    if (((const unsigned char*)array)[i] != 0x5a) return false;
  }
  return true;
}
static bool is_untouched(void) {
  return is_poisoned(&values, sizeof values) && is_poisoned(&seconds, sizeof seconds) &&
         is_poisoned(indices, sizeof indices) && failed_row == 77;
}

static monofold_status reduce_rows(const void* from, monofold_dtype dtype, int64_t rows,
                                   int64_t columns, monofold_operation operation,
                                   const monofold_options* options, monofold_dtype value_dtype) {
  const int64_t sizes[2] = {rows, columns};
  const int64_t last = 1;
  poison();
  return monofold_reduce_axis_into(from, dtype, 2, sizes, NULL, &last, 1, operation, options,
                                   value_dtype, &values, &seconds, indices, 8, &failed_row);
}

static void check_types(void) {
  static const struct {
    monofold_operation operation;
    monofold_dtype of;
    monofold_dtype wanted;
  } cases[] = {
      {MONOFOLD_SUM, MONOFOLD_FLOAT16, MONOFOLD_FLOAT64},
      {MONOFOLD_SUM, MONOFOLD_INT8, MONOFOLD_INT64},
      {MONOFOLD_SUM, MONOFOLD_BOOL, MONOFOLD_UINT64},
      {MONOFOLD_MEAN, MONOFOLD_UINT8, MONOFOLD_FLOAT64},
      {MONOFOLD_COUNT, MONOFOLD_FLOAT32, MONOFOLD_INT64},
      {MONOFOLD_MIN, MONOFOLD_BFLOAT16, MONOFOLD_BFLOAT16},
      {MONOFOLD_TOP, MONOFOLD_UINT16, MONOFOLD_UINT16},
      {MONOFOLD_ARGMAX, MONOFOLD_INT32, MONOFOLD_INT32},
      {MONOFOLD_ANY, MONOFOLD_FLOAT64, MONOFOLD_BOOL},
      {MONOFOLD_NORM1, MONOFOLD_INT16, MONOFOLD_UINT64},
      {MONOFOLD_NORMINF, MONOFOLD_FLOAT32, MONOFOLD_FLOAT64},
      {MONOFOLD_DOT, MONOFOLD_INT16, MONOFOLD_INT64},
      {MONOFOLD_DOT, MONOFOLD_UINT16, MONOFOLD_UINT64},
      {MONOFOLD_DOT, MONOFOLD_FLOAT32, MONOFOLD_FLOAT64},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    monofold_dtype got = -1;
    CHECK(monofold_answer_dtype(cases[i].operation, cases[i].of, NULL, &got) == MONOFOLD_OK);
    CHECK(got == cases[i].wanted);
  }
  monofold_options plain = MONOFOLD_OPTIONS_INIT;
  plain.plain = 1;
  monofold_dtype got = -1;
  CHECK(monofold_answer_dtype(MONOFOLD_SUM, MONOFOLD_FLOAT16, &plain, &got) == MONOFOLD_OK);
  CHECK(got == MONOFOLD_FLOAT32);
  got = -1;
  CHECK(monofold_answer_dtype(MONOFOLD_BIT_OR, MONOFOLD_FLOAT16, NULL, &got) ==
        MONOFOLD_UNSUPPORTED);
  CHECK(monofold_answer_dtype(99, MONOFOLD_INT8, NULL, &got) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_answer_dtype(MONOFOLD_SUM, 13, NULL, &got) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_answer_dtype(MONOFOLD_SUM, MONOFOLD_INT8, NULL, NULL) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(got == -1);
}

static void check_rows(void) {
  CHECK(reduce_rows(items, MONOFOLD_FLOAT32, 2, 3, MONOFOLD_SUM, NULL, MONOFOLD_FLOAT64) ==
        MONOFOLD_OK);
  CHECK(values.float64[0] == 9 && values.float64[1] == 12 && failed_row == -1);
  CHECK(is_poisoned(&values.float64[2], 6 * sizeof(double)));
  CHECK(is_poisoned(&seconds, sizeof seconds) && is_poisoned(indices, sizeof indices));
  CHECK(reduce_rows(items, MONOFOLD_FLOAT32, 2, 3, MONOFOLD_MEAN, NULL, MONOFOLD_FLOAT16) ==
        MONOFOLD_OK);
  CHECK(values.bits16[0] == 0x4200 && values.bits16[1] == 0x4400); /* 3 and 4 */
  CHECK(reduce_rows(items, MONOFOLD_FLOAT32, 2, 3, MONOFOLD_MINMAX, NULL, MONOFOLD_FLOAT32) ==
        MONOFOLD_OK);
  CHECK(values.float32[1] == 2 && seconds.float32[1] == 6 && seconds.float32[0] == 5);
  CHECK(reduce_rows(items, MONOFOLD_FLOAT32, 3, 2, MONOFOLD_ARGMIN, NULL, MONOFOLD_FLOAT64) ==
        MONOFOLD_OK);
  CHECK(values.float64[1] == 3 && indices[0] == 0 && indices[1] == 0 && indices[2] == 0);
  CHECK(reduce_rows(items, MONOFOLD_FLOAT32, 1, 6, MONOFOLD_ANY, NULL, MONOFOLD_INT8) ==
        MONOFOLD_OK);
  CHECK(values.int8[0] == 1);
  const int16_t words[4] = {-3, 1, 200, 100};
  CHECK(reduce_rows(words, MONOFOLD_INT16, 2, 2, MONOFOLD_SUM, NULL, MONOFOLD_BFLOAT16) ==
        MONOFOLD_OK);
  CHECK(values.bits16[0] == 0xc000 && values.bits16[1] == 0x4396); /* -2 and 300 */
  CHECK(reduce_rows(words, MONOFOLD_INT16, 2, 2, MONOFOLD_MIN, NULL, MONOFOLD_INT16) ==
        MONOFOLD_OK);
  CHECK((int16_t)values.bits16[0] == -3 && values.bits16[1] == 100);
}

static void check_top(void) {
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.k = 2;
  CHECK(reduce_rows(items, MONOFOLD_FLOAT32, 2, 3, MONOFOLD_TOP, &options, MONOFOLD_INT8) ==
        MONOFOLD_UNSUPPORTED);
  CHECK(is_untouched());
  CHECK(reduce_rows(items, MONOFOLD_FLOAT32, 2, 3, MONOFOLD_TOP, &options, MONOFOLD_FLOAT32) ==
        MONOFOLD_OK);
  CHECK(values.float32[0] == 5 && values.float32[1] == 3 && values.float32[2] == 6 &&
        values.float32[3] == 4);
  CHECK(indices[0] == 1 && indices[1] == 2 && indices[2] == 2 && indices[3] == 0);
  const int32_t words[6] = {1, 2, 3, 4, 500, 6};
  CHECK(reduce_rows(words, MONOFOLD_INT32, 2, 3, MONOFOLD_BOTTOM, &options, MONOFOLD_INT8) ==
        MONOFOLD_OK);
  CHECK(values.int8[0] == 1 && values.int8[1] == 2 && values.int8[2] == 4 && values.int8[3] == 6);
  /* The second of two does not fit: nothing of the row is written, but the other row is. */
  options.k = 3;
  CHECK(reduce_rows(words, MONOFOLD_INT32, 2, 3, MONOFOLD_BOTTOM, &options, MONOFOLD_INT8) ==
        MONOFOLD_INTEGER_OVERFLOW);
  CHECK(failed_row == 1 && values.int8[2] == 3 && is_poisoned(&values.int8[3], 3));
  CHECK(indices[2] == 2 && is_poisoned(&indices[3], 3 * sizeof(int64_t)));
  options.k = 4;
  CHECK(reduce_rows(words, MONOFOLD_INT32, 2, 3, MONOFOLD_TOP, &options, MONOFOLD_INT32) ==
        MONOFOLD_EMPTY_INPUT);
  CHECK(failed_row == 0 && is_poisoned(&values, sizeof values));
}

static void check_some_arrays(void) {
  const int64_t last = 1;
  poison();
  CHECK(monofold_reduce_axis_into(items, MONOFOLD_FLOAT32, 2, extents, NULL, &last, 1,
                                  MONOFOLD_ARGMAX, NULL, MONOFOLD_FLOAT32, NULL, NULL, indices, 2,
                                  NULL) == MONOFOLD_OK);
  CHECK(indices[0] == 1 && indices[1] == 2 && is_poisoned(&indices[2], 6 * sizeof(int64_t)));
  poison();
  CHECK(monofold_reduce_axis_into(items, MONOFOLD_FLOAT32, 2, extents, NULL, &last, 1,
                                  MONOFOLD_MINMAX, NULL, MONOFOLD_FLOAT32, NULL, &seconds, NULL, 2,
                                  &failed_row) == MONOFOLD_OK);
  CHECK(seconds.float32[0] == 5 && seconds.float32[1] == 6 && failed_row == -1);
  /* Strides that go back, all axes, no axis, no rows, rows of no items. */
  const int64_t back[2] = {-3, -1};
  poison();
  CHECK(monofold_reduce_axis_into(items + 5, MONOFOLD_FLOAT32, 2, extents, back, &last, 1,
                                  MONOFOLD_ARGMAX, NULL, MONOFOLD_FLOAT32, &values, NULL, indices,
                                  2, &failed_row) == MONOFOLD_OK);
  CHECK(values.float32[0] == 6 && indices[0] == 0 && values.float32[1] == 5 && indices[1] == 1);
  const int64_t both[2] = {0, 1};
  CHECK(monofold_reduce_axis_into(items, MONOFOLD_FLOAT32, 2, extents, NULL, both, 2, MONOFOLD_MEAN,
                                  NULL, MONOFOLD_FLOAT32, &values, NULL, NULL, 1,
                                  NULL) == MONOFOLD_OK);
  CHECK(values.float32[0] == 3.5f && values.float32[1] == 5);
  CHECK(monofold_reduce_axis_into(items, MONOFOLD_FLOAT32, 2, extents, NULL, NULL, 0, MONOFOLD_MAX,
                                  NULL, MONOFOLD_FLOAT32, &values, NULL, NULL, 6,
                                  NULL) == MONOFOLD_OK);
  CHECK(memcmp(&values, items, sizeof items) == 0);
  CHECK(reduce_rows(NULL, MONOFOLD_FLOAT32, 0, 3, MONOFOLD_MAX, NULL, MONOFOLD_FLOAT32) ==
            MONOFOLD_OK &&
        failed_row == -1 && is_poisoned(&values, sizeof values));
  CHECK(reduce_rows(NULL, MONOFOLD_FLOAT32, 2, 0, MONOFOLD_PROD, NULL, MONOFOLD_FLOAT32) ==
            MONOFOLD_OK &&
        values.float32[0] == 1 && values.float32[1] == 1);
  CHECK(reduce_rows(NULL, MONOFOLD_FLOAT32, 2, 0, MONOFOLD_MAX, NULL, MONOFOLD_FLOAT32) ==
            MONOFOLD_EMPTY_INPUT &&
        failed_row == 0);
}

static void check_data(void) {
  const int32_t words[6] = {100, 27, 100, 28, -100, -28};
  CHECK(reduce_rows(words, MONOFOLD_INT32, 3, 2, MONOFOLD_SUM, NULL, MONOFOLD_INT8) ==
        MONOFOLD_INTEGER_OVERFLOW);
  CHECK(failed_row == 1 && values.int8[0] == 127 && is_poisoned(&values.int8[1], 1));
  CHECK(values.int8[2] == -128);
  CHECK(reduce_rows(words, MONOFOLD_INT32, 3, 2, MONOFOLD_SUM, NULL, MONOFOLD_BOOL) ==
        MONOFOLD_INTEGER_OVERFLOW);
  CHECK(failed_row == 0);
  CHECK(reduce_rows(words, MONOFOLD_INT32, 3, 2, MONOFOLD_MINMAX, NULL, MONOFOLD_UINT8) ==
        MONOFOLD_INTEGER_OVERFLOW);
  CHECK(failed_row == 2 && values.int8[1] == 28 && seconds.int8[1] == 100);
  CHECK(is_poisoned(&values.int8[2], 1) && is_poisoned(&seconds.int8[2], 1));
  const int64_t large[2] = {INT64_MAX, 1};
  CHECK(reduce_rows(large, MONOFOLD_INT64, 1, 2, MONOFOLD_SUM, NULL, MONOFOLD_INT64) ==
        MONOFOLD_INTEGER_OVERFLOW);
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  const float with_nan[4] = {1, 2, 3, NAN};
  options.nan = MONOFOLD_NAN_RAISE;
  CHECK(reduce_rows(with_nan, MONOFOLD_FLOAT32, 2, 2, MONOFOLD_SUM, &options, MONOFOLD_FLOAT32) ==
        MONOFOLD_NAN_FOUND);
  CHECK(failed_row == 1 && values.float32[0] == 3 && is_poisoned(&values.float32[1], 4));
  options.nan = MONOFOLD_NAN_OMIT;
  CHECK(reduce_rows(with_nan, MONOFOLD_FLOAT32, 2, 2, MONOFOLD_MEAN, &options, MONOFOLD_FLOAT32) ==
        MONOFOLD_OK);
  CHECK(values.float32[0] == 1.5f && values.float32[1] == 3);
  CHECK(reduce_rows(with_nan, MONOFOLD_FLOAT32, 2, 2, MONOFOLD_MEAN, NULL, MONOFOLD_FLOAT16) ==
        MONOFOLD_OK);
  CHECK(values.bits16[0] == 0x3e00 && values.bits16[1] == 0x7e00);
}

static monofold_status call(const void* from, int32_t rank, const int64_t* sizes, int32_t num_axes,
                            monofold_operation operation, monofold_dtype value_dtype,
                            void* to_values, void* to_seconds, int64_t* to_indices,
                            int64_t capacity) {
  const int64_t axes[2] = {1, -1};
  poison();
  return monofold_reduce_axis_into(from, MONOFOLD_FLOAT32, rank, sizes, NULL, axes, num_axes,
                                   operation, NULL, value_dtype, to_values, to_seconds, to_indices,
                                   capacity, &failed_row);
}

static void check_wrong_use(void) {
  enum { bad = MONOFOLD_INVALID_ARGUMENT, f32 = MONOFOLD_FLOAT32, sum = MONOFOLD_SUM };
  char* const odd = (char*)&values + 1;
  const int64_t below[2] = {2, -3};
#define REFUSED(status, ...) CHECK(call(__VA_ARGS__) == (status) && is_untouched())
  REFUSED(bad, items, 2, extents, 1, sum, f32, NULL, NULL, NULL, 8);
  REFUSED(bad, items, 2, extents, 1, sum, f32, NULL, &seconds, indices, 8);
  REFUSED(bad, items, 2, extents, 1, sum, f32, odd, NULL, NULL, 8);
  REFUSED(bad, items, 2, extents, 1, MONOFOLD_MINMAX, f32, &values, odd, NULL, 8);
  REFUSED(bad, items, 2, extents, 1, MONOFOLD_ARGMAX, f32, &values, NULL,
          (int64_t*)(void*)(odd + 3), 8);
  REFUSED(bad, items, 2, extents, 1, sum, f32, &values, NULL, NULL, 1);
  REFUSED(bad, items, 2, extents, 1, sum, f32, &values, NULL, NULL, -1);
  REFUSED(bad, items, 2, extents, 1, sum, 13, &values, NULL, NULL, 8);
  REFUSED(bad, items, 2, extents, 1, sum, -1, &values, NULL, NULL, 8);
  REFUSED(bad, items, 2, extents, 1, MONOFOLD_SOFTMAX_DENOMINATOR + 1, f32, &values, NULL, NULL, 8);
  REFUSED(bad, items, 2, extents, 1, MONOFOLD_DOT, f32, &values, NULL, NULL, 8);
  REFUSED(bad, items, 2, extents, 2, sum, f32, &values, NULL, NULL, 8);
  REFUSED(bad, items, 2, NULL, 1, sum, f32, &values, NULL, NULL, 8);
  REFUSED(bad, items, 2, below, 1, sum, f32, &values, NULL, NULL, 8);
  REFUSED(bad, items, 9, extents, 1, sum, f32, &values, NULL, NULL, 8);
  REFUSED(bad, items, -1, extents, 1, sum, f32, &values, NULL, NULL, 8);
  REFUSED(bad, NULL, 2, extents, 1, sum, f32, &values, NULL, NULL, 8);
  REFUSED(bad, (const char*)items + 1, 2, extents, 1, sum, f32, &values, NULL, NULL, 8);
  REFUSED(MONOFOLD_UNSUPPORTED, items, 2, extents, 1, sum, MONOFOLD_INT64, &values, NULL, NULL, 8);
  REFUSED(MONOFOLD_UNSUPPORTED, items, 2, extents, 1, MONOFOLD_BIT_OR, f32, &values, NULL, NULL, 8);
#undef REFUSED
}

int main(void) {
  check_types();
  check_rows();
  check_top();
  check_some_arrays();
  check_data();
  check_wrong_use();
  return exit_code();
}
