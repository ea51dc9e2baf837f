/* runtime/c_arrays: monofold_reduce_segments from plain C. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "monofold/monofold.h"
#include "tests/runtime/c_check.h"

static const double items[6] = {1, 5, 3, 4, 2, 6};
static double values[4];
static double seconds[4];
static int64_t indices[4];
static int64_t failed;

static monofold_status reduce(const int64_t* starts, const int64_t* stops, int64_t num_segments,
                              monofold_operation operation) {
  memset(values, 0x5a, sizeof values);
  memset(seconds, 0x5a, sizeof seconds);
  memset(indices, 0x5a, sizeof indices);
  failed = 77;
  return monofold_reduce_segments(items, MONOFOLD_FLOAT64, 6, starts, stops, num_segments,
                                  operation, NULL, MONOFOLD_FLOAT64, values, seconds, indices,
                                  &failed);
}
static bool is_poisoned(const void* array, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    if (((const unsigned char*)array)[i] != 0x5a) return false;
  }
  return true;
}
static bool is_untouched(void) {
  return is_poisoned(values, sizeof values) && is_poisoned(seconds, sizeof seconds) &&
         is_poisoned(indices, sizeof indices);
}

static void check_answers(void) {
  const int64_t offsets[4] = {0, 2, 2, 6};
  CHECK(reduce(offsets, offsets + 1, 3, MONOFOLD_SUM) == MONOFOLD_OK && failed == -1);
  CHECK(values[0] == 6 && values[1] == 0 && values[2] == 15);
  CHECK(is_poisoned(&values[3], sizeof values[3]));
  CHECK(is_poisoned(seconds, sizeof seconds) && is_poisoned(indices, sizeof indices));
  const int64_t starts[4] = {3, 0, 1, 5};
  const int64_t stops[4] = {6, 6, 3, 6};
  CHECK(reduce(starts, stops, 4, MONOFOLD_ARGMAX) == MONOFOLD_OK);
  CHECK(values[0] == 6 && indices[0] == 2 && indices[1] == 5 && values[2] == 5 && indices[2] == 0);
  CHECK(reduce(starts, stops, 4, MONOFOLD_MINMAX) == MONOFOLD_OK);
  CHECK(values[0] == 2 && seconds[0] == 6 && values[2] == 3 && seconds[2] == 5);
  CHECK(reduce(NULL, NULL, 0, MONOFOLD_SUM) == MONOFOLD_OK && failed == -1 && is_untouched());
  /* The empty one has no largest item; the others do. */
  CHECK(reduce(offsets, offsets + 1, 3, MONOFOLD_MAX) == MONOFOLD_EMPTY_INPUT && failed == 1);
  CHECK(values[0] == 5 && values[2] == 6 && is_poisoned(&values[1], sizeof values[1]));
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.nan = MONOFOLD_NAN_RAISE;
  const float with_nan[3] = {1, NAN, 2};
  const int64_t each[4] = {0, 1, 2, 3};
  CHECK(monofold_reduce_segments(with_nan, MONOFOLD_FLOAT32, 3, each, each + 1, 3, MONOFOLD_SUM,
                                 &options, MONOFOLD_FLOAT64, values, NULL, NULL,
                                 &failed) == MONOFOLD_NAN_FOUND);
  CHECK(failed == 1 && values[0] == 1 && values[2] == 2);
}

static void check_wrong_use(void) {
  const int64_t starts[3] = {0, 4, 2};
  const int64_t stops[3] = {2, 3, 1};
  const int64_t past[3] = {2, 4, 7};
  const int64_t below[3] = {0, -1, 2};
  const int64_t good[3] = {6, 6, 6};
  CHECK(reduce(starts, stops, 3, MONOFOLD_SUM) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(failed == 1 && is_untouched());
  CHECK(reduce(starts, past, 3, MONOFOLD_SUM) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(failed == 2 && is_untouched());
  CHECK(reduce(below, good, 3, MONOFOLD_SUM) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(failed == 1 && is_untouched());
#define REFUSED(call) CHECK((call) == MONOFOLD_INVALID_ARGUMENT && failed == 77 && is_untouched())
  REFUSED(reduce(NULL, stops, 3, MONOFOLD_SUM));
  REFUSED(reduce(starts, NULL, 3, MONOFOLD_SUM));
  REFUSED(reduce(starts, good, -1, MONOFOLD_SUM));
  REFUSED(reduce((const int64_t*)(const void*)((const char*)starts + 4), good, 2, MONOFOLD_SUM));
  REFUSED(reduce(starts, good, 3, MONOFOLD_DOT));
  REFUSED(reduce(starts, good, 3, -1));
  reduce(starts, good, 0, MONOFOLD_SUM);
  failed = 77;
#define CALL(from, count, to)                                                                  \
  monofold_reduce_segments(from, MONOFOLD_FLOAT64, count, starts, good, 3, MONOFOLD_SUM, NULL, \
                           MONOFOLD_FLOAT64, to, NULL, NULL, &failed)
  REFUSED(CALL(NULL, 6, values));
  REFUSED(CALL(items, -1, values));
  REFUSED(CALL((const char*)items + 1, 6, values));
  REFUSED(CALL(items, 6, NULL));
  REFUSED(CALL(items, 6, (char*)values + 1));
#undef CALL
#undef REFUSED
  CHECK(monofold_reduce_segments(items, MONOFOLD_FLOAT64, 6, starts, good, 3, MONOFOLD_SUM, NULL,
                                 MONOFOLD_FLOAT64, values, NULL, NULL, NULL) == MONOFOLD_OK);
}

int main(void) {
  check_answers();
  check_wrong_use();
  return exit_code();
}
