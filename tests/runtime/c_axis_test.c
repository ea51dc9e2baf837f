// monofold_reduce_axis from plain C.

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "monofold/monofold.h"
#include "tests/runtime/c_check.h"

static const float items[6] = {1, 5, 3, 4, 2, 6};
static const int64_t extents[2] = {2, 3};
static monofold_result results[8];
static int64_t num_results;

static monofold_status reduce(const int64_t* strides, int64_t axis, monofold_operation operation,
                              int64_t capacity) {
  return monofold_reduce_axis(items, MONOFOLD_FLOAT32, 2, extents, strides, &axis, 1, operation,
                              NULL, capacity, results, &num_results);
}

static void check_answers(void) {
  CHECK(reduce(NULL, 1, MONOFOLD_SUM, 8) == MONOFOLD_OK && num_results == 2);
  CHECK(results[0].value.type == MONOFOLD_NUMBER_FLOAT64 && results[0].value.as.float64 == 9);
  CHECK(results[1].value.as.float64 == 12 && results[1].index == -1);
  CHECK(reduce(NULL, -2, MONOFOLD_ARGMAX, 8) == MONOFOLD_OK && num_results == 3);
  CHECK(results[0].index == 1 && results[1].index == 0 && results[2].index == 1);
  CHECK(results[2].value.type == MONOFOLD_NUMBER_FLOAT32 && results[2].value.as.float32 == 6);
  const int64_t fortran[2] = {1, 2};
  CHECK(reduce(fortran, 0, MONOFOLD_MINMAX, 3) == MONOFOLD_OK && num_results == 3);
  CHECK(results[1].value.as.float32 == 3 && results[1].second.as.float32 == 4);
  // All axes, and none.
  const int64_t both[2] = {1, 0};
  CHECK(monofold_reduce_axis(items, MONOFOLD_FLOAT32, 2, extents, NULL, both, 2, MONOFOLD_MEAN,
                             NULL, 1, results, &num_results) == MONOFOLD_OK);
  CHECK(num_results == 1 && results[0].value.as.float64 == 3.5);
  CHECK(monofold_reduce_axis(items, MONOFOLD_FLOAT32, 2, extents, NULL, NULL, 0, MONOFOLD_MAX, NULL,
                             6, results, &num_results) == MONOFOLD_OK);
  CHECK(num_results == 6 && results[5].value.as.float32 == 6);
}

static void check_errors(void) {
  memset(results, 7, sizeof results);
  monofold_result poison = results[0];
  CHECK(reduce(NULL, 2, MONOFOLD_SUM, 8) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(reduce(NULL, 1, MONOFOLD_SUM, 1) == MONOFOLD_INVALID_ARGUMENT && num_results == 2);
  CHECK(reduce(NULL, 1, MONOFOLD_TOP, 8) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(reduce(NULL, 1, MONOFOLD_DOT, 8) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(reduce(NULL, 1, MONOFOLD_BIT_OR, 8) == MONOFOLD_UNSUPPORTED);
  const int64_t twice[2] = {1, -1};
  CHECK(monofold_reduce_axis(items, MONOFOLD_FLOAT32, 2, extents, NULL, twice, 2, MONOFOLD_SUM,
                             NULL, 8, results, &num_results) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_reduce_axis(items, MONOFOLD_FLOAT32, 9, extents, NULL, NULL, 0, MONOFOLD_SUM, NULL,
                             8, results, &num_results) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_reduce_axis(NULL, MONOFOLD_FLOAT32, 2, extents, NULL, NULL, 0, MONOFOLD_SUM, NULL,
                             8, results, &num_results) == MONOFOLD_INVALID_ARGUMENT);
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.nan = MONOFOLD_NAN_RAISE;
  const float with_nan[4] = {1, 2, 3, NAN};
  const int64_t square[2] = {2, 2};
  const int64_t last = 1;
  CHECK(monofold_reduce_axis(with_nan, MONOFOLD_FLOAT32, 2, square, NULL, &last, 1, MONOFOLD_SUM,
                             &options, 8, results, &num_results) == MONOFOLD_NAN_FOUND);
  CHECK(num_results == 1);
  CHECK(memcmp(&poison, &results[0], sizeof poison) == 0);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const int least_shift =
    60; /* a sanitizer ends the program where so much memory is asked for */
#else
static const int least_shift = 50;
#endif

/* Rows whose answers no address space holds, or of which 64 bits do not count the bytes. */
static void check_memory(void) {
  memset(results, 7, sizeof results);
  const monofold_result poison = results[0];
  const int64_t nowhere[2] = {0, 0};
  const int64_t last = 1;
  for (int shift = least_shift; shift <= 60; shift += 5) {
    const int64_t many[2] = {(int64_t)1 << shift, 1};
    CHECK(monofold_reduce_axis(items, MONOFOLD_FLOAT32, 2, many, nowhere, &last, 1, MONOFOLD_SUM,
                               NULL, INT64_MAX, results, &num_results) == MONOFOLD_OUT_OF_MEMORY);
    CHECK(memcmp(&poison, &results[0], sizeof poison) == 0);
  }
}

int main(void) {
  check_answers();
  check_errors();
  check_memory();
  return exit_code();
}
