/* runtime/c_interface: every call of monofold.h from plain C, each wrong use included. */

#include <math.h>
#include <string.h>

#include "monofold/monofold.h"
#include "tests/runtime/c_check.h"

enum { num_items = 5000 };
static double doubles[num_items];
static int32_t words[num_items];
static const double two[] = {1.0, 2.0};

static void fill_items(void) {
  for (int i = 0; i < num_items; ++i) {
    words[i] = (i * 7919) % 1009 - 500;
    doubles[i] = (double)words[i] * 0.5;
  }
}

/* Outputs are poisoned before every call that must leave them alone. */
static monofold_result poisoned(void) {
  monofold_result out;
  memset(&out, 0x5a, sizeof out);
  return out;
}
static bool is_poisoned(const monofold_result* result) {
  const monofold_result wanted = poisoned();
  return memcmp(result, &wanted, sizeof wanted) == 0;
}

static monofold_result sum_of(const double* items, int64_t count) {
  monofold_result out = poisoned();
  CHECK(monofold_reduce(items, MONOFOLD_FLOAT64, count, MONOFOLD_HOST, MONOFOLD_SUM, NULL, &out) ==
        MONOFOLD_OK);
  return out;
}

static void check_answers(void) {
  monofold_result out = sum_of(two, 2);
  CHECK(out.status == MONOFOLD_OK);
  CHECK(out.value.type == MONOFOLD_NUMBER_FLOAT64 && out.value.as.float64 == 3.0);
  CHECK(out.second.type == MONOFOLD_NUMBER_NONE);
  CHECK(out.index == -1 && out.first_nan == -1);

  const int8_t bytes[] = {3, -128, 127, -128};
  CHECK(monofold_reduce(bytes, MONOFOLD_INT8, 4, MONOFOLD_HOST, MONOFOLD_MINMAX, NULL, &out) ==
        MONOFOLD_OK);
  CHECK(out.value.type == MONOFOLD_NUMBER_INT64 && out.value.as.int64 == -128);
  CHECK(out.second.type == MONOFOLD_NUMBER_INT64 && out.second.as.int64 == 127);
  CHECK(monofold_reduce(bytes, MONOFOLD_INT8, 4, MONOFOLD_HOST, MONOFOLD_ARGMIN, NULL, &out) ==
        MONOFOLD_OK);
  CHECK(out.value.as.int64 == -128 && out.index == 1 && out.second.type == MONOFOLD_NUMBER_NONE);

  const uint64_t large[] = {UINT64_MAX, 1};
  CHECK(monofold_reduce(large, MONOFOLD_UINT64, 1, MONOFOLD_HOST, MONOFOLD_SUM, NULL, &out) ==
        MONOFOLD_OK);
  CHECK(out.value.type == MONOFOLD_NUMBER_UINT64 && out.value.as.uint64 == UINT64_MAX);

  const float floats[] = {0.1F, -3.5F};
  CHECK(monofold_reduce(floats, MONOFOLD_FLOAT32, 2, MONOFOLD_HOST, MONOFOLD_MAX, NULL, &out) ==
        MONOFOLD_OK);
  CHECK(out.value.type == MONOFOLD_NUMBER_FLOAT32 && out.value.as.float32 == 0.1F);

  const uint16_t halves[] = {0x3c00, 0x4000}; /* 1 and 2 */
  CHECK(monofold_reduce(halves, MONOFOLD_FLOAT16, 2, MONOFOLD_HOST, MONOFOLD_SUM, NULL, &out) ==
        MONOFOLD_OK);
  CHECK(out.value.as.float64 == 3.0);

  const bool flags[] = {true, false, true};
  CHECK(monofold_reduce(flags, MONOFOLD_BOOL, 3, MONOFOLD_HOST, MONOFOLD_ALL, NULL, &out) ==
        MONOFOLD_OK);
  CHECK(out.value.type == MONOFOLD_NUMBER_BOOL && !out.value.as.boolean);
  CHECK(monofold_reduce(flags, MONOFOLD_BOOL, 3, MONOFOLD_HOST, MONOFOLD_SUM, NULL, &out) ==
        MONOFOLD_OK);
  CHECK(out.value.type == MONOFOLD_NUMBER_UINT64 && out.value.as.uint64 == 2);
}

static void check_data_without_an_answer(void) {
  monofold_result out = poisoned();
  CHECK(monofold_reduce(NULL, MONOFOLD_FLOAT64, 0, MONOFOLD_HOST, MONOFOLD_MIN, NULL, &out) ==
        MONOFOLD_EMPTY_INPUT);
  CHECK(out.status == MONOFOLD_EMPTY_INPUT && out.value.type == MONOFOLD_NUMBER_NONE);
  CHECK(out.index == -1 && out.first_nan == -1);
  CHECK(sum_of(NULL, 0).value.as.float64 == 0.0);

  const uint64_t large[] = {UINT64_MAX, 1};
  out = poisoned();
  CHECK(monofold_reduce(large, MONOFOLD_UINT64, 2, MONOFOLD_HOST, MONOFOLD_SUM, NULL, &out) ==
        MONOFOLD_INTEGER_OVERFLOW);
  CHECK(out.status == MONOFOLD_INTEGER_OVERFLOW && out.value.type == MONOFOLD_NUMBER_NONE);

  const double with_nan[] = {1.0, NAN, NAN, 4.0};
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.nan = MONOFOLD_NAN_RAISE;
  out = poisoned();
  CHECK(monofold_reduce(with_nan, MONOFOLD_FLOAT64, 4, MONOFOLD_HOST, MONOFOLD_SUM, &options,
                        &out) == MONOFOLD_NAN_FOUND);
  CHECK(out.first_nan == 1 && out.value.type == MONOFOLD_NUMBER_NONE);
  options.nan = MONOFOLD_NAN_OMIT;
  CHECK(monofold_reduce(with_nan, MONOFOLD_FLOAT64, 4, MONOFOLD_HOST, MONOFOLD_SUM, &options,
                        &out) == MONOFOLD_OK);
  CHECK(out.value.as.float64 == 5.0 && out.first_nan == -1);
  CHECK(monofold_reduce(with_nan, MONOFOLD_FLOAT64, 4, MONOFOLD_HOST, MONOFOLD_COUNT_NAN, NULL,
                        &out) == MONOFOLD_OK);
  CHECK(out.value.as.int64 == 2 && out.first_nan == 1);
}

static void check_options(void) {
  monofold_options options;
  memset(&options, 0x5a, sizeof options);
  monofold_options_init(&options);
  CHECK(options.nan == MONOFOLD_NAN_PROPAGATE && options.plain == 0 && options.num_threads == 0);
  CHECK(options.ddof == 0 && options.k == 10);
  monofold_options_init(NULL);

  monofold_result out = poisoned();
  CHECK(monofold_reduce(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, MONOFOLD_VAR, &options, &out) ==
        MONOFOLD_OK);
  CHECK(out.value.as.float64 == 0.25);
  options.ddof = 1;
  CHECK(monofold_reduce(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, MONOFOLD_VAR, &options, &out) ==
        MONOFOLD_OK);
  CHECK(out.value.as.float64 == 0.5);
  options.ddof = 2;
  CHECK(monofold_reduce(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, MONOFOLD_VAR, &options, &out) ==
        MONOFOLD_EMPTY_INPUT);

  monofold_options_init(&options);
  options.plain = 1;
  const float floats[] = {1.0F, 0x1p-30F};
  CHECK(monofold_reduce(floats, MONOFOLD_FLOAT32, 2, MONOFOLD_HOST, MONOFOLD_SUM, &options, &out) ==
        MONOFOLD_OK);
  CHECK(out.value.type == MONOFOLD_NUMBER_FLOAT32 && out.value.as.float32 == 1.0F);

  monofold_options_init(&options);
  const monofold_result alone = sum_of(doubles, num_items);
  for (int32_t threads = 1; threads <= 8; ++threads) {
    options.num_threads = threads;
    CHECK(monofold_reduce(doubles, MONOFOLD_FLOAT64, num_items, MONOFOLD_HOST, MONOFOLD_SUM,
                          &options, &out) == MONOFOLD_OK);
    CHECK(out.value.as.float64 == alone.value.as.float64);
  }
}

static void check_several(void) {
  const monofold_operation operations[] = {MONOFOLD_SUM, MONOFOLD_VAR, MONOFOLD_ARGMAX,
                                           MONOFOLD_SUM, MONOFOLD_COUNT};
  monofold_result all[5];
  CHECK(monofold_reduce_several(doubles, MONOFOLD_FLOAT64, num_items, MONOFOLD_HOST, operations, 5,
                                NULL, all) == MONOFOLD_OK);
  for (int i = 0; i < 5; ++i) {
    monofold_result alone = poisoned();
    CHECK(monofold_reduce(doubles, MONOFOLD_FLOAT64, num_items, MONOFOLD_HOST, operations[i], NULL,
                          &alone) == MONOFOLD_OK);
    CHECK(alone.value.type == all[i].value.type && alone.index == all[i].index);
    CHECK(alone.value.as.uint64 == all[i].value.as.uint64); /* the same bits */
  }
  /* One without an answer leaves the others theirs. */
  CHECK(monofold_reduce_several(NULL, MONOFOLD_FLOAT64, 0, MONOFOLD_HOST, operations, 5, NULL,
                                all) == MONOFOLD_EMPTY_INPUT);
  CHECK(all[0].status == MONOFOLD_OK && all[0].value.as.float64 == 0.0);
  CHECK(all[1].status == MONOFOLD_EMPTY_INPUT && all[2].status == MONOFOLD_EMPTY_INPUT);
  CHECK(all[4].status == MONOFOLD_OK && all[4].value.as.int64 == 0);
}

static void check_top(void) {
  const int16_t items[] = {5, -2, 9, 9, 0};
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.k = 3;
  monofold_number values[4];
  int64_t indices[4] = {77, 77, 77, 77};
  int64_t first_nan = 77;
  memset(values, 0x5a, sizeof values);
  CHECK(monofold_top(items, MONOFOLD_INT16, 5, MONOFOLD_HOST, MONOFOLD_TOP, &options, 4, values,
                     indices, &first_nan) == MONOFOLD_OK);
  CHECK(values[0].type == MONOFOLD_NUMBER_INT64);
  CHECK(values[0].as.int64 == 9 && values[1].as.int64 == 9 && values[2].as.int64 == 5);
  CHECK(indices[0] == 2 && indices[1] == 3 && indices[2] == 0);
  CHECK(indices[3] == 77 && first_nan == -1);
  CHECK(monofold_top(items, MONOFOLD_INT16, 5, MONOFOLD_HOST, MONOFOLD_BOTTOM, &options, 3, values,
                     indices, NULL) == MONOFOLD_OK);
  CHECK(values[0].as.int64 == -2 && indices[0] == 1 && indices[2] == 0);

  indices[0] = 77;
  CHECK(monofold_top(items, MONOFOLD_INT16, 2, MONOFOLD_HOST, MONOFOLD_TOP, &options, 4, values,
                     indices, NULL) == MONOFOLD_EMPTY_INPUT);
  CHECK(indices[0] == 77);

  const double with_nan[] = {1.0, 2.0, NAN, 4.0};
  options.nan = MONOFOLD_NAN_RAISE;
  CHECK(monofold_top(with_nan, MONOFOLD_FLOAT64, 4, MONOFOLD_HOST, MONOFOLD_TOP, &options, 4,
                     values, indices, &first_nan) == MONOFOLD_NAN_FOUND);
  CHECK(first_nan == 2 && indices[0] == 77);
}

static void check_dot(void) {
  const double left[] = {1.0, 2.0, 3.0};
  const double right[] = {4.0, 5.0, 6.0};
  monofold_result out = poisoned();
  CHECK(monofold_dot(left, right, MONOFOLD_FLOAT64, 3, MONOFOLD_HOST, NULL, &out) == MONOFOLD_OK);
  CHECK(out.value.type == MONOFOLD_NUMBER_FLOAT64 && out.value.as.float64 == 32.0);
  CHECK(monofold_dot(NULL, NULL, MONOFOLD_FLOAT64, 0, MONOFOLD_HOST, NULL, &out) == MONOFOLD_OK);
  CHECK(out.value.as.float64 == 0.0);
  const int64_t large[] = {INT64_MIN, INT64_MAX};
  out = poisoned();
  CHECK(monofold_dot(large, large, MONOFOLD_INT64, 2, MONOFOLD_HOST, NULL, &out) ==
        MONOFOLD_INTEGER_OVERFLOW);
  CHECK(out.status == MONOFOLD_INTEGER_OVERFLOW && out.value.type == MONOFOLD_NUMBER_NONE);
  const bool flags[] = {true, false, true};
  CHECK(monofold_dot(flags, flags, MONOFOLD_BOOL, 3, MONOFOLD_HOST, NULL, &out) == MONOFOLD_OK);
  CHECK(out.value.type == MONOFOLD_NUMBER_UINT64 && out.value.as.uint64 == 2);
}

/* Every wrong argument of the one-shot calls, one at a time. */
static void check_wrong_calls(void) {
  monofold_result out = poisoned();
  const char* const base = (const char*)doubles;
#define REDUCE(items, dtype, count, place, operation, options) \
  monofold_reduce(items, dtype, count, place, operation, options, &out)
  CHECK(REDUCE(NULL, MONOFOLD_FLOAT64, 1, MONOFOLD_HOST, MONOFOLD_SUM, NULL) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(REDUCE(two, MONOFOLD_FLOAT64, -1, MONOFOLD_HOST, MONOFOLD_SUM, NULL) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(REDUCE(two, MONOFOLD_FLOAT64, INT64_MIN, MONOFOLD_HOST, MONOFOLD_SUM, NULL) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(REDUCE(two, MONOFOLD_FLOAT64, INT64_MAX, MONOFOLD_HOST, MONOFOLD_SUM, NULL) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(REDUCE(base + 4, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, MONOFOLD_SUM, NULL) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(REDUCE(base + 1, MONOFOLD_BFLOAT16, 0, MONOFOLD_HOST, MONOFOLD_SUM, NULL) ==
        MONOFOLD_INVALID_ARGUMENT);
  const int32_t unknown[] = {-1, 13, MONOFOLD_SOFTMAX_DENOMINATOR + 1, 99, INT32_MIN, INT32_MAX};
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; ++i) {
    CHECK(REDUCE(two, unknown[i], 2, MONOFOLD_HOST, MONOFOLD_SUM, NULL) ==
          MONOFOLD_INVALID_ARGUMENT);
    CHECK(REDUCE(two, MONOFOLD_FLOAT64, 2, unknown[i], MONOFOLD_SUM, NULL) ==
          MONOFOLD_INVALID_ARGUMENT);
    if (unknown[i] != 13) {
      CHECK(REDUCE(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, unknown[i], NULL) ==
            MONOFOLD_INVALID_ARGUMENT);
    }
    monofold_options options = MONOFOLD_OPTIONS_INIT;
    options.nan = unknown[i];
    CHECK(REDUCE(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, MONOFOLD_SUM, &options) ==
          MONOFOLD_INVALID_ARGUMENT);
  }
  CHECK(REDUCE(two, MONOFOLD_FLOAT64, 2, MONOFOLD_DEVICE, MONOFOLD_SUM, NULL) ==
        MONOFOLD_DEVICE_UNAVAILABLE);
  CHECK(REDUCE(two, MONOFOLD_FLOAT64, 2, MONOFOLD_MANAGED, MONOFOLD_SUM, NULL) ==
        MONOFOLD_DEVICE_UNAVAILABLE);
  CHECK(REDUCE(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, MONOFOLD_BIT_XOR, NULL) ==
        MONOFOLD_UNSUPPORTED);
  CHECK(REDUCE(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, MONOFOLD_TOP, NULL) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(REDUCE(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, MONOFOLD_DOT, NULL) ==
        MONOFOLD_INVALID_ARGUMENT);
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.ddof = -1;
  CHECK(REDUCE(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, MONOFOLD_VAR, &options) ==
        MONOFOLD_INVALID_ARGUMENT);
  monofold_options_init(&options);
  options.num_threads = -1;
  CHECK(REDUCE(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, MONOFOLD_SUM, &options) ==
        MONOFOLD_INVALID_ARGUMENT);
#undef REDUCE
  CHECK(monofold_reduce(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, MONOFOLD_SUM, NULL, NULL) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(is_poisoned(&out));
}

static void check_wrong_several_top_and_dot(void) {
  const monofold_operation sums[] = {MONOFOLD_SUM, MONOFOLD_BIT_OR};
  monofold_result out = poisoned();
  CHECK(monofold_reduce_several(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, NULL, 1, NULL, &out) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_reduce_several(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, sums, 0, NULL, &out) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_reduce_several(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, sums, -1, NULL, &out) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_reduce_several(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, sums, 2, NULL, &out) ==
        MONOFOLD_UNSUPPORTED);
  CHECK(monofold_reduce_several(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, sums, 1, NULL, NULL) ==
        MONOFOLD_INVALID_ARGUMENT);

  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.k = 1;
  monofold_number value = out.value;
  int64_t index = 77;
  int64_t first_nan = 77;
#define TOP(items, dtype, count, place, operation, capacity, values, indices)              \
  monofold_top(items, dtype, count, place, operation, &options, capacity, values, indices, \
               &first_nan)
#define TOP_OF_TWO(operation, capacity, values, indices) \
  TOP(two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, operation, capacity, values, indices)
  CHECK(TOP_OF_TWO(MONOFOLD_MAX, 1, &value, &index) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(TOP_OF_TWO(MONOFOLD_TOP, 0, &value, &index) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(TOP_OF_TWO(MONOFOLD_TOP, -1, &value, &index) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(TOP_OF_TWO(MONOFOLD_TOP, 1, NULL, &index) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(TOP_OF_TWO(MONOFOLD_TOP, 1, &value, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(TOP(NULL, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, MONOFOLD_TOP, 1, &value, &index) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(TOP(two, MONOFOLD_FLOAT64, -2, MONOFOLD_HOST, MONOFOLD_TOP, 1, &value, &index) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(TOP(two, 13, 2, MONOFOLD_HOST, MONOFOLD_TOP, 1, &value, &index) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(TOP(two, MONOFOLD_FLOAT64, 2, MONOFOLD_DEVICE, MONOFOLD_TOP, 1, &value, &index) ==
        MONOFOLD_DEVICE_UNAVAILABLE);
  options.k = 0;
  CHECK(TOP_OF_TWO(MONOFOLD_TOP, 1, &value, &index) == MONOFOLD_INVALID_ARGUMENT);
#undef TOP_OF_TWO
#undef TOP
  CHECK(memcmp(&value, &out.value, sizeof value) == 0 && index == 77 && first_nan == 77);

  const char* const off = (const char*)doubles + 4;
  CHECK(monofold_dot(two, NULL, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, NULL, &out) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_dot(NULL, two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, NULL, &out) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_dot(two, off, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, NULL, &out) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_dot(two, two, MONOFOLD_FLOAT64, -1, MONOFOLD_HOST, NULL, &out) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_dot(two, two, -1, 2, MONOFOLD_HOST, NULL, &out) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_dot(two, two, MONOFOLD_FLOAT64, 2, MONOFOLD_MANAGED, NULL, &out) ==
        MONOFOLD_DEVICE_UNAVAILABLE);
  CHECK(monofold_dot(two, two, MONOFOLD_FLOAT64, 2, MONOFOLD_HOST, NULL, NULL) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(is_poisoned(&out));
}

static void check_texts(void) {
  for (monofold_status status = MONOFOLD_OK; status <= MONOFOLD_MALFORMED_STATE; ++status) {
    CHECK(strlen(monofold_status_text(status)) > 0);
  }
  CHECK(strcmp(monofold_status_text(MONOFOLD_OK), "ok") == 0);
  CHECK(strcmp(monofold_status_text(-1), "unknown status") == 0);
  CHECK(strcmp(monofold_status_text(10), "unknown status") == 0);
  CHECK(strchr(monofold_version(), '.') != NULL);
  CHECK(strlen(monofold_instruction_set()) > 0);
}

int main(void) {
  fill_items();
  check_answers();
  check_data_without_an_answer();
  check_options();
  check_several();
  check_top();
  check_dot();
  check_wrong_calls();
  check_wrong_several_top_and_dot();
  check_texts();
  return exit_code();
}
