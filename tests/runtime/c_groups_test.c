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

static void check_items_of_groups(void) {
  int64_t group_keys[6] = {0};
  int64_t offsets[7] = {-9, -9, -9, -9, -9, -9, -9};
  float grouped[6] = {0};
  int64_t count = -9;
  CHECK(monofold_group_items(keys, items, MONOFOLD_FLOAT32, 6, MONOFOLD_BY_KEY, NULL, group_keys,
                             offsets, grouped, &count) == MONOFOLD_OK);
  CHECK(count == 3 && group_keys[0] == -2 && group_keys[1] == 0 && group_keys[2] == 7);
  CHECK(offsets[0] == 0 && offsets[1] == 2 && offsets[2] == 3 && offsets[3] == 6 &&
        offsets[4] == -9);
  const float by_key[6] = {5, 6, 2, 1, 3, 4};
  CHECK(memcmp(grouped, by_key, sizeof by_key) == 0);
  /* The two largest of the groups with two, as segments. */
  monofold_options best = MONOFOLD_OPTIONS_INIT;
  best.k = 2;
  float values[2];
  int64_t indices[2];
  int64_t failed = -9;
  CHECK(monofold_reduce_segments(grouped, MONOFOLD_FLOAT32, 6, offsets + 2, offsets + 3, 1,
                                 MONOFOLD_TOP, &best, MONOFOLD_FLOAT32, values, NULL, indices,
                                 &failed) == MONOFOLD_OK);
  CHECK(values[0] == 4 && values[1] == 3 && indices[0] == 2 && indices[1] == 1);
  CHECK(monofold_group_items(keys, items, MONOFOLD_FLOAT32, 6, MONOFOLD_BY_FIRST, NULL, group_keys,
                             offsets, grouped, &count) == MONOFOLD_OK);
  const float by_first[6] = {1, 3, 4, 5, 6, 2};
  CHECK(count == 3 && group_keys[0] == 7 && group_keys[2] == 0 && offsets[1] == 3 &&
        offsets[2] == 5);
  CHECK(memcmp(grouped, by_first, sizeof by_first) == 0);
  CHECK(monofold_group_items(NULL, NULL, MONOFOLD_FLOAT32, 0, MONOFOLD_BY_KEY, NULL, NULL, offsets,
                             NULL, &count) == MONOFOLD_OK);
  CHECK(count == 0 && offsets[0] == 0);

  count = -9;
#define REFUSED(from, of, num, order, to_keys, to_offsets, to, out)                             \
  CHECK(monofold_group_items(from, of, MONOFOLD_FLOAT32, num, order, NULL, to_keys, to_offsets, \
                             to, out) == MONOFOLD_INVALID_ARGUMENT &&                           \
        count == -9)
  REFUSED(NULL, items, 6, 0, group_keys, offsets, grouped, &count);
  REFUSED(keys, NULL, 6, 0, group_keys, offsets, grouped, &count);
  REFUSED(keys, items, -1, 0, group_keys, offsets, grouped, &count);
  REFUSED(keys, items, 6, 2, group_keys, offsets, grouped, &count);
  REFUSED(keys, items, 6, 0, NULL, offsets, grouped, &count);
  REFUSED(keys, items, 6, 0, group_keys, NULL, grouped, &count);
  REFUSED(keys, items, 6, 0, group_keys, offsets, NULL, &count);
  REFUSED(keys, items, 2, 0, group_keys, offsets, (char*)grouped + 1, &count);
  REFUSED(keys, items, 6, 0, group_keys, offsets, grouped, NULL);
#undef REFUSED
}

static void check_runs(void) {
  const int64_t own[6] = {4, 4, INT64_MIN, 4, 4, 4};
  int64_t offsets[7] = {-9, -9, -9, -9, -9, -9, -9};
  int64_t count = -9;
  CHECK(monofold_find_runs(own, 6, offsets, &count) == MONOFOLD_OK && count == 3);
  CHECK(offsets[0] == 0 && offsets[1] == 2 && offsets[2] == 3 && offsets[3] == 6 &&
        offsets[4] == -9);
  float values[3];
  CHECK(monofold_reduce_segments(items, MONOFOLD_FLOAT32, 6, offsets, offsets + 1, count,
                                 MONOFOLD_SUM, NULL, MONOFOLD_FLOAT32, values, NULL, NULL,
                                 NULL) == MONOFOLD_OK);
  CHECK(values[0] == 6 && values[1] == 3 && values[2] == 12);
  CHECK(monofold_find_runs(NULL, 0, offsets, &count) == MONOFOLD_OK && count == 0 &&
        offsets[0] == 0);
  count = -9;
  CHECK(monofold_find_runs(NULL, 6, offsets, &count) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_find_runs(own, -1, offsets, &count) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_find_runs(own, 6, NULL, &count) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_find_runs(own, 6, offsets, NULL) == MONOFOLD_INVALID_ARGUMENT && count == -9);
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
  REFUSED(bad, keys, items, 6, 0, MONOFOLD_SOFTMAX_DENOMINATOR + 1, f32, &groups);
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
  check_items_of_groups();
  check_runs();
  check_wrong_use();
  return exit_code();
}
