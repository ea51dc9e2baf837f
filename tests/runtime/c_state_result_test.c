/* runtime/c_state: answers of running states as elements of any type, from plain C. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "monofold/monofold.h"
#include "tests/runtime/c_check.h"

static float value;
static float second;
static int64_t narrow_index;

static monofold_status result_of(const monofold_state* state, int32_t position,
                                 monofold_dtype type) {
  value = second = -77;
  narrow_index = -77;
  return monofold_state_result_into(state, position, type, &value, &second, &narrow_index);
}
static bool is_untouched(void) { return value == -77 && second == -77 && narrow_index == -77; }

static void check_answers(void) {
  const monofold_operation operations[] = {MONOFOLD_SUM,  MONOFOLD_MINMAX, MONOFOLD_ARGMAX,
                                           MONOFOLD_MEAN, MONOFOLD_COUNT,  MONOFOLD_TOP};
  monofold_state* state = NULL;
  CHECK(monofold_state_create(MONOFOLD_FLOAT64, operations, 6, 0, NULL, &state) == MONOFOLD_OK);
  CHECK(result_of(state, 3, MONOFOLD_FLOAT32) == MONOFOLD_EMPTY_INPUT && is_untouched());
  CHECK(result_of(state, 0, MONOFOLD_FLOAT32) == MONOFOLD_OK && value == 0);
  /* Just above a tie of float32, by less than a double has. */
  const double items[] = {ldexp(1, -24), 1, ldexp(1, -90)};
  CHECK(monofold_state_push(state, items, 3, MONOFOLD_HOST) == MONOFOLD_OK);
  CHECK(result_of(state, 0, MONOFOLD_FLOAT32) == MONOFOLD_OK);
  CHECK(value == 1 + ldexpf(1, -23) && second == -77 && narrow_index == -77);
  CHECK(result_of(state, 1, MONOFOLD_FLOAT32) == MONOFOLD_OK);
  CHECK(value == ldexpf(1, -90) && second == 1 && narrow_index == -77);
  CHECK(result_of(state, 2, MONOFOLD_FLOAT32) == MONOFOLD_OK);
  CHECK(value == 1 && second == -77 && narrow_index == 1);
  CHECK(result_of(state, 4, MONOFOLD_FLOAT32) == MONOFOLD_OK && value == 3);
  CHECK(monofold_state_result_into(state, 2, MONOFOLD_FLOAT32, NULL, NULL, &narrow_index) ==
        MONOFOLD_OK);
  /* Wrong use. */
  CHECK(result_of(state, 0, MONOFOLD_INT64) == MONOFOLD_UNSUPPORTED && is_untouched());
  CHECK(result_of(state, 5, MONOFOLD_FLOAT32) == MONOFOLD_INVALID_ARGUMENT && is_untouched());
  CHECK(result_of(state, 6, MONOFOLD_FLOAT32) == MONOFOLD_INVALID_ARGUMENT && is_untouched());
  CHECK(result_of(state, -1, MONOFOLD_FLOAT32) == MONOFOLD_INVALID_ARGUMENT && is_untouched());
  CHECK(result_of(state, 0, 13) == MONOFOLD_INVALID_ARGUMENT && is_untouched());
  CHECK(result_of(NULL, 0, MONOFOLD_FLOAT32) == MONOFOLD_INVALID_ARGUMENT && is_untouched());
  CHECK(monofold_state_result_into(state, 0, MONOFOLD_FLOAT32, NULL, &second, &narrow_index) ==
            MONOFOLD_INVALID_ARGUMENT &&
        is_untouched());
  CHECK(monofold_state_result_into(state, 0, MONOFOLD_FLOAT32, (char*)&value + 1, NULL, NULL) ==
            MONOFOLD_INVALID_ARGUMENT &&
        is_untouched());
  monofold_state_destroy(state);
}

static void check_others(void) {
  const monofold_operation dot = MONOFOLD_DOT;
  monofold_state* state = NULL;
  CHECK(monofold_state_create(MONOFOLD_FLOAT32, &dot, 1, 0, NULL, &state) == MONOFOLD_OK);
  const float left[] = {1, ldexpf(1, -12), ldexpf(1, -60)};
  CHECK(monofold_state_push_pairs(state, left, left, 3, MONOFOLD_HOST) == MONOFOLD_OK);
  CHECK(result_of(state, 0, MONOFOLD_FLOAT32) == MONOFOLD_OK && value == 1 + ldexpf(1, -23));
  monofold_state_destroy(state);
  const monofold_operation sum = MONOFOLD_SUM;
  CHECK(monofold_state_create(MONOFOLD_INT64, &sum, 1, 0, NULL, &state) == MONOFOLD_OK);
  const int64_t large[] = {INT64_MAX, 1, 200};
  CHECK(monofold_state_push(state, large, 2, MONOFOLD_HOST) == MONOFOLD_OK);
  int64_t wide = -77;
  CHECK(monofold_state_result_into(state, 0, MONOFOLD_INT64, &wide, NULL, NULL) ==
        MONOFOLD_INTEGER_OVERFLOW);
  CHECK(wide == -77);
  CHECK(result_of(state, 0, MONOFOLD_FLOAT32) == MONOFOLD_OK && value == ldexpf(1, 63));
  monofold_state_destroy(state);
}

int main(void) {
  check_answers();
  check_others();
  return exit_code();
}
