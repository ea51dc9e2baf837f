/* runtime/c_interface: running states from plain C, each wrong use included. */

#include <string.h>

#include "monofold/monofold.h"
#include "tests/runtime/c_check.h"

enum { num_items = 20000, num_operations = 5 };
static float items[num_items];
static const monofold_operation operations[num_operations] = {
    MONOFOLD_SUM, MONOFOLD_VAR, MONOFOLD_ARGMIN, MONOFOLD_TOP, MONOFOLD_COUNT};

static void fill_items(void) {
  for (int i = 0; i < num_items; ++i) items[i] = (float)((i * 7919) % 1009 - 500) / 3.0F;
}

static monofold_state* make_state(int64_t first_index, const monofold_options* options) {
  monofold_state* state = NULL;
  CHECK(monofold_state_create(MONOFOLD_FLOAT32, operations, num_operations, first_index, options,
                              &state) == MONOFOLD_OK);
  CHECK(state != NULL);
  return state;
}

static bool same_result(const monofold_result* a, const monofold_result* b) {
  return a->status == b->status && a->value.type == b->value.type && a->index == b->index &&
         memcmp(&a->value.as, &b->value.as, sizeof a->value.as) == 0;
}

/* The answers of a state are those of one call on the first `count` items. */
static void check_against_one_call(const monofold_state* state, int64_t count) {
  int64_t seen = -1;
  CHECK(monofold_state_count(state, &seen) == MONOFOLD_OK && seen == count);
  for (int32_t i = 0; i < num_operations; ++i) {
    if (operations[i] == MONOFOLD_TOP) continue;
    monofold_result alone;
    monofold_result got;
    memset(&alone, 0, sizeof alone);
    memset(&got, 0x5a, sizeof got);
    const monofold_status wanted =
        monofold_reduce(items, MONOFOLD_FLOAT32, count, MONOFOLD_HOST, operations[i], NULL, &alone);
    CHECK(monofold_state_result(state, i, &got) == wanted);
    CHECK(same_result(&alone, &got));
  }
  monofold_number alone_values[10];
  monofold_number values[10];
  int64_t alone_indices[10];
  int64_t indices[10];
  int64_t first_nan = 77;
  const monofold_status wanted =
      monofold_top(items, MONOFOLD_FLOAT32, count, MONOFOLD_HOST, MONOFOLD_TOP, NULL, 10,
                   alone_values, alone_indices, NULL);
  CHECK(monofold_state_top(state, 3, 10, values, indices, &first_nan) == wanted);
  CHECK(first_nan == -1);
  for (int i = 0; wanted == MONOFOLD_OK && i < 10; ++i) {
    CHECK(values[i].as.float32 == alone_values[i].as.float32);
    CHECK(indices[i] == alone_indices[i]);
  }
}

static void check_pushes(void) {
  monofold_state* state = make_state(0, NULL);
  check_against_one_call(state, 0);
  int64_t at = 0;
  for (int64_t chunk = 1; at + chunk <= num_items; at += chunk, chunk = chunk * 3 + 1) {
    CHECK(monofold_state_push(state, items + at, chunk, MONOFOLD_HOST) == MONOFOLD_OK);
    check_against_one_call(state, at + chunk);
  }
  CHECK(monofold_state_push(state, NULL, 0, MONOFOLD_HOST) == MONOFOLD_OK);
  check_against_one_call(state, at);
  monofold_state_destroy(state);
}

static void check_merges(void) {
  monofold_state* left = make_state(0, NULL);
  monofold_state* right = make_state(8192, NULL);
  CHECK(monofold_state_push(left, items, 8192, MONOFOLD_HOST) == MONOFOLD_OK);
  CHECK(monofold_state_push(right, items + 8192, 5000, MONOFOLD_HOST) == MONOFOLD_OK);
  CHECK(monofold_state_merge(left, right) == MONOFOLD_OK);
  check_against_one_call(left, 13192);
  /* `right` begins at 8192, where `left` no longer ends. */
  CHECK(monofold_state_merge(left, right) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_merge(left, left) == MONOFOLD_INVALID_ARGUMENT);
  check_against_one_call(left, 13192);
  int64_t seen = 0;
  CHECK(monofold_state_count(right, &seen) == MONOFOLD_OK && seen == 5000);
  monofold_state_destroy(right);
  monofold_state_destroy(left);
}

static void check_unequal_merges(void) {
  monofold_state* state = make_state(0, NULL);
  monofold_options options[5];
  for (int i = 0; i < 5; ++i) monofold_options_init(&options[i]);
  options[0].nan = MONOFOLD_NAN_OMIT;
  options[1].ddof = 1;
  options[2].k = 9;
  options[3].plain = 1;
  options[4].num_threads = 2; /* never matters */
  for (int i = 0; i < 5; ++i) {
    monofold_state* next = make_state(0, &options[i]);
    CHECK(monofold_state_merge(state, next) == (i < 4 ? MONOFOLD_INVALID_ARGUMENT : MONOFOLD_OK));
    monofold_state_destroy(next);
  }
  monofold_state* next = NULL;
  CHECK(monofold_state_create(MONOFOLD_FLOAT64, operations, num_operations, 0, NULL, &next) ==
        MONOFOLD_OK);
  CHECK(monofold_state_merge(state, next) == MONOFOLD_INVALID_ARGUMENT);
  monofold_state_destroy(next);
  CHECK(monofold_state_create(MONOFOLD_FLOAT32, operations, 2, 0, NULL, &next) == MONOFOLD_OK);
  CHECK(monofold_state_merge(state, next) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_merge(state, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_merge(NULL, next) == MONOFOLD_INVALID_ARGUMENT);
  monofold_state_destroy(next);
  check_against_one_call(state, 0);
  monofold_state_destroy(state);
}

static void check_saving(void) {
  static unsigned char bytes[1 << 16];
  static unsigned char again[1 << 16];
  size_t num_bytes = 0;
  size_t num_again = 0;
  monofold_state* first = make_state(0, NULL);
  CHECK(monofold_state_push(first, items, 12345, MONOFOLD_HOST) == MONOFOLD_OK);
  CHECK(monofold_state_save(first, NULL, 0, &num_bytes) == MONOFOLD_OK);
  CHECK(num_bytes > 24 && num_bytes < sizeof bytes);
  bytes[0] = 77;
  CHECK(monofold_state_save(first, bytes, num_bytes - 1, &num_again) == MONOFOLD_OK);
  CHECK(num_again == num_bytes && bytes[0] == 77);
  CHECK(monofold_state_save(first, bytes, sizeof bytes, &num_bytes) == MONOFOLD_OK);
  monofold_state* read = NULL;
  CHECK(monofold_state_load(bytes, num_bytes, &read) == MONOFOLD_OK);
  check_against_one_call(read, 12345);
  monofold_state* rest = make_state(0, NULL); /* its positions are counted on */
  CHECK(monofold_state_push(rest, items + 12345, num_items - 12345, MONOFOLD_HOST) == MONOFOLD_OK);
  CHECK(monofold_state_append(read, rest) == MONOFOLD_OK);
  check_against_one_call(read, num_items);
  CHECK(monofold_state_append(first, rest) == MONOFOLD_OK);
  CHECK(monofold_state_save(first, again, sizeof again, &num_again) == MONOFOLD_OK);
  CHECK(monofold_state_save(read, bytes, sizeof bytes, &num_bytes) == MONOFOLD_OK);
  CHECK(num_bytes == num_again && memcmp(bytes, again, num_bytes) == 0);

  monofold_state* untouched = rest;
  CHECK(monofold_state_load(bytes, num_bytes - 1, &untouched) == MONOFOLD_MALFORMED_STATE);
  CHECK(monofold_state_load(items, sizeof items, &untouched) == MONOFOLD_MALFORMED_STATE);
  CHECK(monofold_state_load(NULL, 0, &untouched) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_load(bytes, num_bytes, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(untouched == rest);
  CHECK(monofold_state_save(NULL, bytes, sizeof bytes, &num_bytes) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_save(first, NULL, 5, &num_bytes) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_save(first, bytes, 5, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_append(first, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_append(NULL, rest) == MONOFOLD_INVALID_ARGUMENT);
  monofold_state_destroy(first);
  monofold_state_destroy(read);
  monofold_state_destroy(rest);
}

static void check_dot(void) {
  const int32_t left[] = {1, 2, 3, 4};
  const int32_t right[] = {5, 6, 7, 8};
  const monofold_operation dot[] = {MONOFOLD_DOT, MONOFOLD_SUM};
  monofold_state* state = NULL;
  CHECK(monofold_state_create(MONOFOLD_INT32, dot, 2, 0, NULL, &state) == MONOFOLD_UNSUPPORTED);
  CHECK(state == NULL);
  CHECK(monofold_state_create(MONOFOLD_INT32, dot, 1, 0, NULL, &state) == MONOFOLD_OK);
  CHECK(monofold_state_push_pairs(state, left, right, 1, MONOFOLD_HOST) == MONOFOLD_OK);
  CHECK(monofold_state_push_pairs(state, left + 1, right + 1, 3, MONOFOLD_HOST) == MONOFOLD_OK);
  CHECK(monofold_state_push(state, left, 4, MONOFOLD_HOST) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_push_pairs(state, left, NULL, 1, MONOFOLD_HOST) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_push_pairs(state, NULL, right, 1, MONOFOLD_HOST) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_push_pairs(state, left, right, -1, MONOFOLD_HOST) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_push_pairs(state, left, right, 1, MONOFOLD_DEVICE) ==
        MONOFOLD_DEVICE_UNAVAILABLE);
  CHECK(monofold_state_push_pairs(NULL, left, right, 1, MONOFOLD_HOST) ==
        MONOFOLD_INVALID_ARGUMENT);
  monofold_result out;
  memset(&out, 0x5a, sizeof out);
  CHECK(monofold_state_result(state, 0, &out) == MONOFOLD_OK);
  CHECK(out.value.type == MONOFOLD_NUMBER_INT64 && out.value.as.int64 == 70);
  monofold_state_destroy(state);
}

/* The first example of docs/format.md, and what the module hashlib of Python gives for its bytes. */
static void check_digests(void) {
  static const unsigned char wanted[32] = {0xbf, 0x2a, 0x23, 0x3e, 0xac, 0xcb, 0x92, 0x42,
                                           0xc0, 0x5e, 0x2c, 0x2f, 0x95, 0xf8, 0x80, 0xbb,
                                           0x85, 0x63, 0xc8, 0x34, 0x7e, 0xdf, 0xcf, 0x3f,
                                           0x47, 0x4f, 0x05, 0x89, 0x31, 0xcb, 0x52, 0xd6};
  const float three[] = {1.5F, -0.0F, 0.25F};
  const monofold_operation sum = MONOFOLD_SUM;
  monofold_state* state = NULL;
  CHECK(monofold_state_create(MONOFOLD_FLOAT32, &sum, 1, 0, NULL, &state) == MONOFOLD_OK);
  CHECK(monofold_state_push(state, three, 3, MONOFOLD_HOST) == MONOFOLD_OK);
  unsigned char found[32];
  CHECK(monofold_state_digest(state, found) == MONOFOLD_OK);
  CHECK(memcmp(found, wanted, sizeof wanted) == 0);
  CHECK(monofold_state_push(state, three, 1, MONOFOLD_HOST) == MONOFOLD_OK);
  CHECK(monofold_state_digest(state, found) == MONOFOLD_OK);
  CHECK(memcmp(found, wanted, sizeof wanted) != 0);
  memcpy(found, wanted, sizeof wanted);
  CHECK(monofold_state_digest(NULL, found) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_digest(state, NULL) == MONOFOLD_INVALID_ARGUMENT);
  monofold_state_destroy(state);

  const monofold_operation prod = MONOFOLD_PROD;
  monofold_options plain = MONOFOLD_OPTIONS_INIT;
  plain.plain = 1;
  const struct {
    monofold_dtype dtype;
    const monofold_operation* operation;
    const monofold_options* options;
    monofold_status how;
  } cases[] = {{MONOFOLD_FLOAT64, &prod, NULL, MONOFOLD_UNSUPPORTED},
               {MONOFOLD_INT64, &prod, NULL, MONOFOLD_OK},
               {MONOFOLD_FLOAT64, &sum, &plain, MONOFOLD_UNSUPPORTED},
               {MONOFOLD_INT64, &sum, &plain, MONOFOLD_OK}};
  for (int i = 0; i < 4; ++i) {
    CHECK(monofold_state_create(cases[i].dtype, cases[i].operation, 1, 0, cases[i].options,
                                &state) == MONOFOLD_OK);
    CHECK(monofold_state_digest(state, found) == cases[i].how);
    CHECK(cases[i].how == MONOFOLD_OK || memcmp(found, wanted, sizeof wanted) == 0);
    memcpy(found, wanted, sizeof wanted);
    monofold_state_destroy(state);
  }
}

/* A copy goes on where the state is; neither sees what the other one takes. */
static void check_copies(void) {
  monofold_options one_thread = MONOFOLD_OPTIONS_INIT;
  one_thread.num_threads = 1;
  monofold_state* state = make_state(0, &one_thread);
  CHECK(monofold_state_push(state, items, 5000, MONOFOLD_HOST) == MONOFOLD_OK);
  monofold_state* copy = NULL;
  CHECK(monofold_state_copy(state, &copy) == MONOFOLD_OK);
  CHECK(copy != NULL && copy != state);
  CHECK(monofold_state_push(copy, items + 5000, num_items - 5000, MONOFOLD_HOST) == MONOFOLD_OK);
  check_against_one_call(copy, num_items);
  check_against_one_call(state, 5000);
  monofold_state_destroy(state);
  check_against_one_call(copy, num_items);
  monofold_state* const before = copy;
  CHECK(monofold_state_copy(NULL, &copy) == MONOFOLD_INVALID_ARGUMENT && copy == before);
  CHECK(monofold_state_copy(copy, NULL) == MONOFOLD_INVALID_ARGUMENT);
  monofold_state_destroy(copy);
}

static bool are_equal(const monofold_state* left, const monofold_state* right) {
  int32_t equal = 77;
  CHECK(monofold_state_equal(left, right, &equal) == MONOFOLD_OK);
  CHECK(equal == 0 || equal == 1);
  int32_t turned = 77;
  CHECK(monofold_state_equal(right, left, &turned) == MONOFOLD_OK && turned == equal);
  return equal == 1;
}

/* States are equal where their items are, whatever the pieces; threads never matter, other options do. */
static void check_equality(void) {
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.num_threads = 1;
  monofold_state* whole = make_state(0, NULL);
  monofold_state* pieces = make_state(0, &options);
  options.ddof = 1;
  monofold_state* other = make_state(0, &options);
  monofold_state* late = make_state(1, NULL);
  CHECK(are_equal(whole, whole) && are_equal(whole, pieces));
  CHECK(!are_equal(whole, other) && !are_equal(whole, late));
  CHECK(monofold_state_push(whole, items, 5000, MONOFOLD_HOST) == MONOFOLD_OK);
  CHECK(monofold_state_push(pieces, items, 4999, MONOFOLD_HOST) == MONOFOLD_OK);
  CHECK(!are_equal(whole, pieces));
  CHECK(monofold_state_push(pieces, items + 4999, 1, MONOFOLD_HOST) == MONOFOLD_OK);
  CHECK(are_equal(whole, pieces));
  int32_t equal = 77;
  CHECK(monofold_state_equal(NULL, whole, &equal) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_equal(whole, NULL, &equal) == MONOFOLD_INVALID_ARGUMENT && equal == 77);
  CHECK(monofold_state_equal(whole, pieces, NULL) == MONOFOLD_INVALID_ARGUMENT);
  monofold_state_destroy(late);
  monofold_state_destroy(other);
  monofold_state_destroy(pieces);
  monofold_state_destroy(whole);
}

static void check_wrong_creations(void) {
  monofold_state* const untouched = (monofold_state*)(void*)items;
  monofold_state* state = untouched;
  const monofold_operation unknown[] = {-1, MONOFOLD_SOFTMAX_DENOMINATOR + 1};
#define CREATE(dtype, list, count, first, options) \
  monofold_state_create(dtype, list, count, first, options, &state)
  CHECK(CREATE(13, operations, 1, 0, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(CREATE(-1, operations, 1, 0, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(CREATE(MONOFOLD_FLOAT32, NULL, 1, 0, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(CREATE(MONOFOLD_FLOAT32, operations, 0, 0, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(CREATE(MONOFOLD_FLOAT32, operations, -5, 0, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(CREATE(MONOFOLD_FLOAT32, operations, 1, -1, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(CREATE(MONOFOLD_FLOAT32, unknown, 1, 0, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(CREATE(MONOFOLD_FLOAT32, unknown + 1, 1, 0, NULL) == MONOFOLD_INVALID_ARGUMENT);
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.k = 0;
  CHECK(CREATE(MONOFOLD_FLOAT32, operations, num_operations, 0, &options) ==
        MONOFOLD_INVALID_ARGUMENT);
  monofold_options_init(&options);
  options.nan = 3;
  CHECK(CREATE(MONOFOLD_FLOAT32, operations, 1, 0, &options) == MONOFOLD_INVALID_ARGUMENT);
  const monofold_operation bits[] = {MONOFOLD_BIT_AND};
  CHECK(CREATE(MONOFOLD_FLOAT32, bits, 1, 0, NULL) == MONOFOLD_UNSUPPORTED);
#undef CREATE
  CHECK(state == untouched);
  CHECK(monofold_state_create(MONOFOLD_FLOAT32, operations, 1, 0, NULL, NULL) ==
        MONOFOLD_INVALID_ARGUMENT);
}

static void check_wrong_calls(void) {
  monofold_state* state = make_state(0, NULL);
  CHECK(monofold_state_push(state, items, 1000, MONOFOLD_HOST) == MONOFOLD_OK);
  CHECK(monofold_state_push(state, NULL, 1, MONOFOLD_HOST) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_push(state, items, -1, MONOFOLD_HOST) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_push(state, items, INT64_MAX, MONOFOLD_HOST) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_push(state, (const char*)items + 2, 1, MONOFOLD_HOST) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_push(state, items, 1, MONOFOLD_DEVICE) == MONOFOLD_DEVICE_UNAVAILABLE);
  CHECK(monofold_state_push(state, items, 1, 3) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_push(state, items, 1, -1) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_push(NULL, items, 1, MONOFOLD_HOST) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_push_pairs(state, items, items, 1, MONOFOLD_HOST) ==
        MONOFOLD_INVALID_ARGUMENT);
  /* None of these took an item. */
  check_against_one_call(state, 1000);

  monofold_result out;
  memset(&out, 0x5a, sizeof out);
  const monofold_result poison = out;
  CHECK(monofold_state_result(state, -1, &out) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_result(state, num_operations, &out) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_result(state, 3, &out) == MONOFOLD_INVALID_ARGUMENT); /* top */
  CHECK(monofold_state_result(state, 0, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_result(NULL, 0, &out) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(memcmp(&out, &poison, sizeof out) == 0);

  monofold_number values[10];
  int64_t indices[10];
  memset(values, 0x5a, sizeof values);
  indices[0] = 77;
  CHECK(monofold_state_top(state, 0, 10, values, indices, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_top(state, -1, 10, values, indices, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_top(state, 3, 9, values, indices, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_top(state, 3, 10, NULL, indices, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_top(state, 3, 10, values, NULL, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_state_top(NULL, 3, 10, values, indices, NULL) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(memcmp(&values[0], &poison.value, sizeof values[0]) == 0 && indices[0] == 77);

  int64_t count = 77;
  CHECK(monofold_state_count(NULL, &count) == MONOFOLD_INVALID_ARGUMENT && count == 77);
  CHECK(monofold_state_count(state, NULL) == MONOFOLD_INVALID_ARGUMENT);
  monofold_state_destroy(state);
  monofold_state_destroy(NULL);
}

int main(void) {
  fill_items();
  check_pushes();
  check_merges();
  check_unequal_merges();
  check_saving();
  check_copies();
  check_equality();
  check_digests();
  check_dot();
  check_wrong_creations();
  check_wrong_calls();
  return exit_code();
}
