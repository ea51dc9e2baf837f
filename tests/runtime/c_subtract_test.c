/* runtime/subtract_states: taking items out of states, by the C interface. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "monofold/monofold.h"
#include "tests/runtime/c_check.h"

enum { most_items = 64, item_bytes = 8 };

typedef struct {
  monofold_dtype dtype;
  int bytes;
} item_type;

/* Bits of items: hard numbers, then any. Items of bool are 0 and 1. */
static void fill(unsigned char* items, item_type type, int count, uint64_t seed) {
  static const double hard[] = {-0.0, 0.0, INFINITY, -INFINITY, NAN, -1.5, 0x1p-1074, 0x1p1023};
  for (int i = 0; i < count; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t bits = seed >> 8 ^ seed << 40;
    if (type.dtype == MONOFOLD_BOOL) bits = bits >> 20 & 1;
    if (type.dtype == MONOFOLD_FLOAT64 && (seed >> 33) % 2 == 0) {
      memcpy(&bits, hard + (seed >> 40) % 8, sizeof bits);
    } else if (type.dtype == MONOFOLD_FLOAT32 && (seed >> 33) % 2 == 0) {
      const float one = (float)hard[(seed >> 40) % 8];
      memcpy(&bits, &one, sizeof one);
    } else if (type.bytes == 2 && (seed >> 33) % 4 == 0) {
      bits = (seed >> 40) % 2 * 0x8000; /* zeros of both signs */
    }
    memcpy(items + i * type.bytes, &bits, (size_t)type.bytes);
  }
}

static monofold_state* state_of(item_type type, const monofold_operation* ops, int num_ops,
                                monofold_nan_policy nan, int64_t first, const unsigned char* items,
                                int count) {
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.nan = nan;
  monofold_state* state = NULL;
  CHECK(monofold_state_create(type.dtype, ops, num_ops, first, &options, &state) == MONOFOLD_OK);
  const monofold_status how =
      ops[0] == MONOFOLD_DOT ? monofold_state_push_pairs(state, items, items + count * type.bytes,
                                                         count, MONOFOLD_HOST)
                             : monofold_state_push(state, items, count, MONOFOLD_HOST);
  CHECK(how == MONOFOLD_OK);
  return state;
}

static bool same_bytes(const monofold_state* a, const monofold_state* b) {
  static unsigned char left[4096], right[4096];
  size_t num_left = 0, num_right = 0;
  CHECK(monofold_state_save(a, left, sizeof left, &num_left) == MONOFOLD_OK);
  CHECK(monofold_state_save(b, right, sizeof right, &num_right) == MONOFOLD_OK);
  CHECK(num_left > 0 && num_left <= sizeof left);
  return num_left == num_right && memcmp(left, right, num_left) == 0;
}

/* (a + b) - b has the bytes of a. */
static void check_taken_out(item_type type, const monofold_operation* ops, int num_ops,
                            monofold_nan_policy nan) {
  unsigned char items[3 * most_items * item_bytes];
  for (int round = 0; round < 40; ++round) {
    const int kept = round * 7 % most_items, taken = round * 11 % (most_items - kept + 1);
    fill(items, type, 3 * most_items, (uint64_t)round);
    unsigned char* const rest = items + most_items * type.bytes;
    monofold_state* own = state_of(type, ops, num_ops, nan, 0, items, kept);
    monofold_state* part = state_of(type, ops, num_ops, nan, kept, rest, taken);
    monofold_state* whole = state_of(type, ops, num_ops, nan, 0, items, kept);
    CHECK(monofold_state_merge(whole, part) == MONOFOLD_OK);
    CHECK(monofold_state_subtract(whole, part) == MONOFOLD_OK);
    CHECK(same_bytes(whole, own));
    int64_t count = -1;
    CHECK(monofold_state_count(whole, &count) == MONOFOLD_OK && count == kept);
    monofold_state_destroy(own);
    monofold_state_destroy(part);
    monofold_state_destroy(whole);
  }
}

static void check_groups(void) {
  static const item_type types[] = {
      {MONOFOLD_BOOL, 1},    {MONOFOLD_INT8, 1},     {MONOFOLD_INT64, 8},   {MONOFOLD_UINT64, 8},
      {MONOFOLD_FLOAT16, 2}, {MONOFOLD_BFLOAT16, 2}, {MONOFOLD_FLOAT32, 4}, {MONOFOLD_FLOAT64, 8}};
  static const monofold_operation ops[] = {
      MONOFOLD_SUM,   MONOFOLD_MEAN,    MONOFOLD_VAR,        MONOFOLD_STD,       MONOFOLD_NORM1,
      MONOFOLD_NORM2, MONOFOLD_DOT,     MONOFOLD_COUNT,      MONOFOLD_COUNT_NAN, MONOFOLD_ANY,
      MONOFOLD_ALL,   MONOFOLD_NONZERO, MONOFOLD_MEAN_SQUARE};
  static const monofold_operation several[] = {MONOFOLD_MEAN, MONOFOLD_STD, MONOFOLD_NORM2,
                                               MONOFOLD_COUNT_NAN, MONOFOLD_ANY};
  for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
    for (size_t i = 0; i < sizeof ops / sizeof *ops; ++i) {
      check_taken_out(types[t], ops + i, 1, MONOFOLD_NAN_PROPAGATE);
      check_taken_out(types[t], ops + i, 1, MONOFOLD_NAN_OMIT);
    }
    check_taken_out(types[t], several, 5, MONOFOLD_NAN_OMIT);
  }
  const monofold_operation bits = MONOFOLD_BIT_XOR;
  check_taken_out(types[1], &bits, 1, MONOFOLD_NAN_PROPAGATE);
}

/* Takes `part` out of `own`; refused, `own` stays as it was. */
static monofold_status subtract(monofold_operation op, monofold_nan_policy nan, const double* own,
                                int num_own, const double* part, int num_part) {
  const item_type type = {MONOFOLD_FLOAT64, 8};
  unsigned char left[4 * 8], right[4 * 8];
  memcpy(left, own, (size_t)num_own * 8);
  memcpy(right, part, (size_t)num_part * 8);
  monofold_state* whole = state_of(type, &op, 1, nan, 0, left, num_own);
  monofold_state* before = state_of(type, &op, 1, nan, 0, left, num_own);
  monofold_state* taken = state_of(type, &op, 1, nan, 0, right, num_part);
  const monofold_status how = monofold_state_subtract(whole, taken);
  CHECK(how == MONOFOLD_OK || same_bytes(whole, before));
  monofold_state_destroy(whole);
  monofold_state_destroy(before);
  monofold_state_destroy(taken);
  return how;
}

static void check_refusals(void) {
  static const monofold_operation others[] = {MONOFOLD_MIN,    MONOFOLD_MAX,    MONOFOLD_MINMAX,
                                              MONOFOLD_ARGMIN, MONOFOLD_PROD,   MONOFOLD_TOP,
                                              MONOFOLD_BOTTOM, MONOFOLD_NORMINF};
  const double two[] = {1, 2}, one[] = {1}, third[] = {3}, minus_zero[] = {-0.0}, nan[] = {NAN};
  const double gaps[] = {NAN, 1, NAN};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    CHECK(subtract(others[i], MONOFOLD_NAN_PROPAGATE, two, 2, one, 1) == MONOFOLD_UNSUPPORTED);
  }
  const monofold_nan_policy any = MONOFOLD_NAN_PROPAGATE;
  CHECK(subtract(MONOFOLD_SUM, any, one, 1, two, 2) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(subtract(MONOFOLD_SUM, any, one, 1, third, 1) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(subtract(MONOFOLD_SUM, any, two, 2, minus_zero, 1) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(subtract(MONOFOLD_SUM, any, two, 2, nan, 1) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(subtract(MONOFOLD_NORM2, any, two, 2, third, 1) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(subtract(MONOFOLD_VAR, any, two, 2, third, 1) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(subtract(MONOFOLD_SUM, MONOFOLD_NAN_OMIT, gaps, 3, nan, 1) == MONOFOLD_OK);
  CHECK(subtract(MONOFOLD_SUM, MONOFOLD_NAN_RAISE, gaps, 3, nan, 1) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(subtract(MONOFOLD_SUM, MONOFOLD_NAN_RAISE, gaps, 2, nan, 1) == MONOFOLD_OK);
  CHECK(monofold_state_subtract(NULL, NULL) == MONOFOLD_INVALID_ARGUMENT);
}

int main(void) {
  check_groups();
  check_refusals();
  return exit_code();
}
