/* runtime/c_groups: groups by key from plain C. */

#include <stdint.h>
#include <string.h>

#include "monofold/monofold.h"
#include "tests/runtime/c_check.h"

static const int64_t keys[6] = {7, -2, 7, 7, 0, -2};
static const float items[6] = {1, 5, 3, 4, 2, 6};

static void check_answers(void) {
  monofold_groups* groups = NULL;
  CHECK(monofold_group_by(keys, items, MONOFOLD_FLOAT32, 6, MONOFOLD_BY_KEY, MONOFOLD_SUM, NULL,
                          MONOFOLD_FLOAT32, &groups) == MONOFOLD_OK);
  CHECK(monofold_groups_count(groups) == 3);
  int64_t got[3];
  float values[3];
  double untouched = 5;
  CHECK(monofold_groups_copy(groups, got, values, &untouched, NULL) == MONOFOLD_OK);
  CHECK(got[0] == -2 && got[1] == 0 && got[2] == 7);
  CHECK(values[0] == 11 && values[1] == 2 && values[2] == 8 && untouched == 5);
  monofold_groups_destroy(groups);
  CHECK(monofold_group_by(keys, items, MONOFOLD_FLOAT32, 6, MONOFOLD_BY_FIRST, MONOFOLD_ARGMAX,
                          NULL, MONOFOLD_FLOAT32, &groups) == MONOFOLD_OK);
  int64_t indices[3];
  CHECK(monofold_groups_copy(groups, got, NULL, NULL, indices) == MONOFOLD_OK);
  CHECK(got[0] == 7 && got[1] == -2 && got[2] == 0);
  CHECK(indices[0] == 2 && indices[1] == 1 && indices[2] == 0);
  /* Arrays at odd places. */
  char* const odd = (char*)values + 1;
  values[0] = -1;
  CHECK(monofold_groups_copy(groups, got, odd, NULL, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_groups_copy(groups, NULL, values, NULL, (int64_t*)(void*)((char*)got + 4)) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_groups_copy(groups, (int64_t*)(void*)((char*)got + 4), values, NULL, NULL) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(values[0] == -1);
  CHECK(monofold_groups_copy(groups, NULL, values, odd, NULL) == MONOFOLD_OK && values[0] == 4);
  monofold_groups_destroy(groups);
  CHECK(monofold_group_by(NULL, NULL, MONOFOLD_FLOAT32, 0, MONOFOLD_BY_KEY, MONOFOLD_MAX, NULL,
                          MONOFOLD_FLOAT32, &groups) == MONOFOLD_OK);
  CHECK(monofold_groups_count(groups) == 0);
  CHECK(monofold_groups_copy(groups, NULL, NULL, NULL, NULL) == MONOFOLD_OK);
  monofold_groups_destroy(groups);
}

static void check_wrong_use(void) {
  monofold_groups* const poison = (monofold_groups*)(void*)&failures;
  monofold_groups* groups = poison;
  enum { bad = MONOFOLD_INVALID_ARGUMENT, f32 = MONOFOLD_FLOAT32 };
#define REFUSED(status, from, of, count, order, operation, type, out)                             \
  CHECK(monofold_group_by(from, of, f32, count, order, operation, NULL, type, out) == (status) && \
        groups == poison)
  REFUSED(bad, NULL, items, 6, 0, MONOFOLD_SUM, f32, &groups);
  REFUSED(bad, keys, NULL, 6, 0, MONOFOLD_SUM, f32, &groups);
  REFUSED(bad, keys, items, -1, 0, MONOFOLD_SUM, f32, &groups);
  REFUSED(bad, keys, items, 6, 2, MONOFOLD_SUM, f32, &groups);
  REFUSED(bad, keys, items, 6, -1, MONOFOLD_SUM, f32, &groups);
  REFUSED(bad, keys, items, 6, 0, MONOFOLD_LOGSUMEXP + 1, f32, &groups);
  REFUSED(bad, keys, items, 6, 0, MONOFOLD_TOP, f32, &groups);
  REFUSED(bad, keys, items, 6, 0, MONOFOLD_DOT, f32, &groups);
  REFUSED(bad, keys, items, 6, 0, MONOFOLD_SUM, 13, &groups);
  REFUSED(bad, keys, items, 6, 0, MONOFOLD_SUM, f32, NULL);
  REFUSED(bad, (const int64_t*)(const void*)((const char*)keys + 4), items, 2, 0, MONOFOLD_SUM, f32,
          &groups);
  REFUSED(bad, keys, (const char*)items + 1, 2, 0, MONOFOLD_SUM, f32, &groups);
  REFUSED(MONOFOLD_UNSUPPORTED, keys, items, 6, 0, MONOFOLD_SUM, MONOFOLD_INT8, &groups);
  REFUSED(MONOFOLD_UNSUPPORTED, keys, items, 6, 0, MONOFOLD_BIT_XOR, f32, &groups);
#undef REFUSED
  CHECK(monofold_groups_count(NULL) == 0);
  CHECK(monofold_groups_copy(NULL, NULL, NULL, NULL, NULL) == bad);
  monofold_groups_destroy(NULL);
}

int main(void) {
  check_answers();
  check_wrong_use();
  return exit_code();
}
