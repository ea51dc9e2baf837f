/* monofold_mpi.h from plain C: every operation gives the bits of one call on all items; errors are those of all. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "monofold/monofold_mpi.h"
#include "mpi/most_gathered.h"
#include "tests/runtime/c_check.h"

enum { num_items = 5003 };

static int rank = 0;
static int num_ranks = 1;

static double doubles[num_items];
static float floats[num_items];
static int32_t integers[num_items];

/* Where the items of a rank begin. split 0: even, 1: nearly all on one rank and none on the last, 2: tiles. */
static int64_t begin_of(int split, int of_rank) {
  if (of_rank >= num_ranks) return num_items;
  if (split == 0) return (int64_t)num_items * of_rank / num_ranks;
  if (split == 1) return of_rank == 0 ? 0 : of_rank == 1 ? 7 : num_items;
  const int64_t at = ((int64_t)num_items * of_rank / num_ranks) / 1024 * 1024;
  return at;
}

static int same(const monofold_result* a, const monofold_result* b) {
  return a->status == b->status && a->value.type == b->value.type &&
         memcmp(&a->value.as, &b->value.as, sizeof a->value.as) == 0 &&
         memcmp(&a->second.as, &b->second.as, sizeof a->second.as) == 0 && a->index == b->index &&
         a->first_nan == b->first_nan;
}

static void check_operation(const void* items, size_t item_bytes, monofold_dtype dtype,
                            monofold_operation op, const monofold_options* options, int split) {
  const int64_t first = begin_of(split, rank);
  const int64_t count = begin_of(split, rank + 1) - first;
  const unsigned char* const own = (const unsigned char*)items + (size_t)first * item_bytes;
  monofold_result one;
  monofold_result many;
  memset(&one, 0, sizeof one);
  memset(&many, 0, sizeof many);
  monofold_status want = MONOFOLD_OK;
  monofold_status got = MONOFOLD_OK;
  if (op == MONOFOLD_DOT) {
    want = monofold_dot(items, items, dtype, num_items, MONOFOLD_HOST, options, &one);
    got = monofold_dot_ranks(MPI_COMM_WORLD, own, own, dtype, count, MONOFOLD_HOST, options, &many);
  } else {
    want = monofold_reduce(items, dtype, num_items, MONOFOLD_HOST, op, options, &one);
    got =
        monofold_reduce_ranks(MPI_COMM_WORLD, own, dtype, count, MONOFOLD_HOST, op, options, &many);
  }
  if (got != want || !same(&one, &many)) {
    (void)fprintf(stderr, "operation %d, dtype %d, split %d, rank %d of %d\n", (int)op, (int)dtype,
                  split, rank, num_ranks);
  }
  CHECK(got == want);
  CHECK(same(&one, &many));
}

/* No items on any rank: what one call says of none. */
static void check_no_items(void) {
  for (monofold_operation op = MONOFOLD_COUNT; op <= MONOFOLD_SOFTMAX_DENOMINATOR; ++op) {
    if (op == MONOFOLD_TOP || op == MONOFOLD_BOTTOM || op == MONOFOLD_DOT) continue;
    monofold_result one;
    monofold_result many;
    memset(&one, 0, sizeof one);
    memset(&many, 0, sizeof many);
    CHECK(monofold_reduce(doubles, MONOFOLD_FLOAT64, 0, MONOFOLD_HOST, op, NULL, &one) ==
          monofold_reduce_ranks(MPI_COMM_WORLD, doubles, MONOFOLD_FLOAT64, 0, MONOFOLD_HOST, op,
                                NULL, &many));
    CHECK(same(&one, &many));
  }
}

static void check_operations(int split) {
  monofold_options exact = MONOFOLD_OPTIONS_INIT;
  monofold_options plain = MONOFOLD_OPTIONS_INIT;
  monofold_options omit = MONOFOLD_OPTIONS_INIT;
  monofold_options raise = MONOFOLD_OPTIONS_INIT;
  plain.plain = 1;
  omit.nan = MONOFOLD_NAN_OMIT;
  omit.ddof = 1;
  raise.nan = MONOFOLD_NAN_RAISE;
  for (monofold_operation op = MONOFOLD_COUNT; op <= MONOFOLD_SOFTMAX_DENOMINATOR; ++op) {
    if (op == MONOFOLD_TOP || op == MONOFOLD_BOTTOM) continue;
    check_operation(doubles, sizeof *doubles, MONOFOLD_FLOAT64, op, &exact, split);
    check_operation(doubles, sizeof *doubles, MONOFOLD_FLOAT64, op, &plain, split);
    if (split == 2) continue;
    check_operation(floats, sizeof *floats, MONOFOLD_FLOAT32, op, &exact, split);
    check_operation(floats, sizeof *floats, MONOFOLD_FLOAT32, op, &omit, split);
    check_operation(doubles, sizeof *doubles, MONOFOLD_FLOAT64, op, &raise, split);
    check_operation(integers, sizeof *integers, MONOFOLD_INT32, op, &exact, split);
  }
}

static void check_several(void) {
  const monofold_operation ops[] = {MONOFOLD_MEAN, MONOFOLD_VAR, MONOFOLD_MINMAX, MONOFOLD_ARGMAX};
  const int64_t first = begin_of(0, rank);
  const int64_t count = begin_of(0, rank + 1) - first;
  monofold_result one[4];
  monofold_result many[4];
  memset(one, 0, sizeof one);
  memset(many, 0, sizeof many);
  CHECK(monofold_reduce_several(doubles, MONOFOLD_FLOAT64, num_items, MONOFOLD_HOST, ops, 4, NULL,
                                one) == MONOFOLD_OK);
  CHECK(monofold_reduce_several_ranks(MPI_COMM_WORLD, doubles + first, MONOFOLD_FLOAT64, count,
                                      MONOFOLD_HOST, ops, 4, NULL, many) == MONOFOLD_OK);
  for (int i = 0; i < 4; ++i) CHECK(same(&one[i], &many[i]));
}

static void check_states(void) {
  const monofold_operation ops[] = {MONOFOLD_SUM, MONOFOLD_TOP};
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.k = 3;
  const int64_t first = begin_of(0, rank);
  const int64_t count = begin_of(0, rank + 1) - first;
  monofold_state* own = NULL;
  monofold_state* all = NULL;
  CHECK(monofold_state_create(MONOFOLD_FLOAT64, ops, 2, 0, &options, &own) == MONOFOLD_OK);
  CHECK(monofold_state_push(own, doubles + first, count / 2, MONOFOLD_HOST) == MONOFOLD_OK);
  CHECK(monofold_state_push(own, doubles + first + count / 2, count - count / 2, MONOFOLD_HOST) ==
        MONOFOLD_OK);
  CHECK(monofold_state_join_ranks(MPI_COMM_WORLD, own, &all) == MONOFOLD_OK);
  monofold_number values[3];
  monofold_number want[3];
  int64_t indices[3];
  int64_t places[3];
  CHECK(monofold_state_top(all, 1, 3, values, indices, NULL) == MONOFOLD_OK);
  CHECK(monofold_top(doubles, MONOFOLD_FLOAT64, num_items, MONOFOLD_HOST, MONOFOLD_TOP, &options, 3,
                     want, places, NULL) == MONOFOLD_OK);
  CHECK(memcmp(indices, places, sizeof indices) == 0);
  CHECK(values[0].as.float64 == want[0].as.float64);
  monofold_state_destroy(all);
  all = NULL;
  /* No state on the last rank. */
  CHECK(monofold_state_join_ranks(MPI_COMM_WORLD, rank == num_ranks - 1 ? NULL : own, &all) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(all == NULL);
  monofold_state_destroy(own);
}

enum { num_fields = 3, field_items = num_items / num_fields };

static void check_fields(int weighted, int masked) {
  static double wanted[num_fields];
  double weights[field_items];
  unsigned char mask[field_items];
  double kept[field_items];
  double kept_weights[field_items];
  for (int i = 0; i < field_items; ++i) {
    weights[i] = 1.0 / (i + 1);
    mask[i] = (unsigned char)(i % 3 != 1);
  }
  for (int f = 0; f < num_fields; ++f) {
    int64_t count = 0;
    for (int i = 0; i < field_items; ++i) {
      if (masked && mask[i] == 0) continue;
      kept_weights[count] = weights[i];
      kept[count++] = doubles[f * field_items + i];
    }
    monofold_result one;
    CHECK((weighted ? monofold_dot(kept, kept_weights, MONOFOLD_FLOAT64, count, MONOFOLD_HOST, NULL,
                                   &one)
                    : monofold_reduce(kept, MONOFOLD_FLOAT64, count, MONOFOLD_HOST, MONOFOLD_SUM,
                                      NULL, &one)) == MONOFOLD_OK);
    wanted[f] = one.value.as.float64;
  }
  const int64_t first = (int64_t)field_items * rank / num_ranks;
  const int64_t count = (int64_t)field_items * (rank + 1) / num_ranks - first;
  double sums[num_fields] = {0};
  CHECK(monofold_sum_fields_ranks(MPI_COMM_WORLD, doubles + first, count, num_fields, field_items,
                                  weighted ? weights + first : NULL, masked ? mask + first : NULL,
                                  sums) == MONOFOLD_OK);
  CHECK(memcmp(sums, wanted, sizeof sums) == 0);
}

static void check_errors(void) {
  monofold_result result;
  double sums[2];
  const int is_last = rank == num_ranks - 1;
  const double* const items = is_last ? NULL : doubles;
  for (int plain = 0; plain < 2; ++plain) {
    monofold_options options = MONOFOLD_OPTIONS_INIT;
    options.plain = plain;
    const monofold_operation ops[] = {MONOFOLD_SUM, MONOFOLD_MAX, MONOFOLD_NORM2};
    for (int i = 0; i < 3; ++i) {
      CHECK(monofold_reduce_ranks(MPI_COMM_WORLD, items, MONOFOLD_FLOAT64, 9, MONOFOLD_HOST, ops[i],
                                  &options, &result) == MONOFOLD_INVALID_ARGUMENT);
      CHECK(monofold_reduce_ranks(MPI_COMM_WORLD, doubles, MONOFOLD_FLOAT64, is_last ? -1 : 1,
                                  MONOFOLD_HOST, ops[i], &options,
                                  &result) == MONOFOLD_INVALID_ARGUMENT);
      CHECK(monofold_reduce_ranks(MPI_COMM_WORLD, doubles, MONOFOLD_FLOAT64, 9, MONOFOLD_HOST,
                                  ops[i], &options,
                                  is_last ? NULL : &result) == MONOFOLD_INVALID_ARGUMENT);
    }
  }
  CHECK(monofold_reduce_ranks(MPI_COMM_WORLD, doubles, MONOFOLD_FLOAT64, 0, MONOFOLD_HOST,
                              MONOFOLD_MEAN, NULL, &result) == MONOFOLD_EMPTY_INPUT);
  CHECK(monofold_reduce_ranks(MPI_COMM_WORLD, doubles, MONOFOLD_FLOAT64, 5, MONOFOLD_HOST,
                              MONOFOLD_BIT_AND, NULL, &result) == MONOFOLD_UNSUPPORTED);
  CHECK(monofold_reduce_ranks(MPI_COMM_WORLD, doubles, 99, 5, MONOFOLD_HOST, MONOFOLD_SUM, NULL,
                              &result) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_reduce_ranks(MPI_COMM_NULL, doubles, MONOFOLD_FLOAT64, 5, MONOFOLD_HOST,
                              MONOFOLD_SUM, NULL, &result) == MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_sum_fields_ranks(MPI_COMM_WORLD, items, 5, 2, 5, NULL, NULL, sums) ==
        MONOFOLD_INVALID_ARGUMENT);
  CHECK(monofold_sum_fields_ranks(MPI_COMM_WORLD, doubles, 5, 2, 5, NULL, NULL,
                                  is_last ? NULL : sums) == MONOFOLD_INVALID_ARGUMENT);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  const int is_few = argc > 1;
  for (int i = 0; i < num_items; ++i) {
    const uint32_t mixed = (uint32_t)i * 2654435761u;
    doubles[i] = ldexp((double)mixed - 2e9, (int)(mixed % 90) - 60);
    floats[i] = mixed % 1000 == 7 ? NAN : (float)(doubles[i] * 0x1p-40);
    integers[i] = (int32_t)(mixed >> 8) - (1 << 23);
  }
  check_no_items();
  /* Gathered, as on few ranks, then by the tree of neighbours, as on many. A few checks: the tree alone. */
  for (int most = is_few ? 1 : 256; most > 0; most -= 255) {
    monofold_mpi_gather_up_to(most);
    for (int split = 0; split < (is_few ? 1 : 3); ++split) check_operations(split);
    check_several();
    check_states();
    check_errors();
  }
  for (int kind = 0; kind < 4; ++kind) check_fields(kind & 1, kind >> 1);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return exit_code();
}
