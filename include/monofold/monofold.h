#ifndef MONOFOLD_MONOFOLD_H
#define MONOFOLD_MONOFOLD_H
/// monofold: the C interface of libmonofold: reductions of arrays by plain calls, C99 and later.
///
///     double values[] = {1, 2, 3};
///     monofold_result result;
///     monofold_status status = monofold_reduce(values, MONOFOLD_FLOAT64, 3, MONOFOLD_HOST,
///                                              MONOFOLD_SUM, NULL, &result);
///     if (status == MONOFOLD_OK) printf("%g\n", result.value.as.float64);
///
/// What holds for every call:
///
/// shape      `items` points at `count` items next to each other, aligned to the size of an item;
///            it may be null where `count` is 0
/// order      the bits of an answer depend on the items and the operation alone: not on threads,
///            alignment, the processor, or the chunks in which a running state saw them
/// sync       blocks until done. Calls may run at the same time, but for two on one state of which
///            one changes it. No call stops the program or lets a C++ exception out
/// errors     wrong use and lack of means leave every output as it was: invalid_argument (a null or
///            misaligned pointer, a negative or impossible count, a value that an enumeration does
///            not have), unsupported, device_unavailable, out_of_memory, internal. What lies in the
///            data is written to the outputs too: empty_input, integer_overflow, nan_found
/// cost       one pass over the items, whatever the number of operations
/// NaN        as the options say; infinities and -0 as IEEE 754 says, with -0 below +0
/// tested by  tests/runtime/c_interface_test.c

#include <stddef.h>
#include <stdint.h>

#include "monofold/groups.h"
#include "monofold/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The defaults of options, for languages that see no macros. Null: does nothing.
MONOFOLD_API void monofold_options_init(monofold_options* options) MONOFOLD_NOEXCEPT;

/// Reduces an array by one operation, and returns `result->status`.
///
/// errors     as above; invalid_argument also for MONOFOLD_TOP, MONOFOLD_BOTTOM and MONOFOLD_DOT,
///            which have calls of their own; unsupported: a bitwise operation on floats
MONOFOLD_API monofold_status monofold_reduce(const void* items, monofold_dtype dtype, int64_t count,
                                             monofold_place place, monofold_operation operation,
                                             const monofold_options* options,
                                             monofold_result* result) MONOFOLD_NOEXCEPT;

/// Reduces an array by several operations in one pass.
///
/// shape      `operations` and `results` have `num_operations` > 0 elements; an operation may stand
///            there twice
/// order      each answer has the bits that it has alone
/// errors     as monofold_reduce. Returns the first status in `results` that is not ok; an
///            operation without an answer does not keep others from theirs
MONOFOLD_API monofold_status monofold_reduce_several(const void* items, monofold_dtype dtype,
                                                     int64_t count, monofold_place place,
                                                     const monofold_operation* operations,
                                                     int32_t num_operations,
                                                     const monofold_options* options,
                                                     monofold_result* results) MONOFOLD_NOEXCEPT;

/// Reduces an array that lies in shards, one behind the other, on several GPUs at once.
///
/// shape      `num_shards` > 0 shards, of any lengths, also none; several may have one GPU
/// order      the bits of one call on all items; for plain operations if shards begin at multiples of 4096 items,
///            else totals are joined. Positions count through all shards
/// sync       a thread of this call a shard, each after what its GPU's default stream has been given
/// errors     as monofold_reduce_several; device_unavailable: no such GPU. If several shards fail, that of one
/// tested by  tests/runtime/shards_test.cpp, tests/runtime/gpu_test.cpp
MONOFOLD_API monofold_status monofold_reduce_shards(const monofold_shard* shards,
                                                    int32_t num_shards, monofold_dtype dtype,
                                                    const monofold_operation* operations,
                                                    int32_t num_operations,
                                                    const monofold_options* options,
                                                    monofold_result* results) MONOFOLD_NOEXCEPT;

/// The `options->k` largest (MONOFOLD_TOP) or smallest (MONOFOLD_BOTTOM) items, best first.
///
/// shape      `values` and `indices` have room for `capacity` elements; k are written. `first_nan`
///            may be null; else it takes the position of the first NaN with nan_found, or -1
/// order      ties: the lower index first; NaN come last, or not at all under MONOFOLD_NAN_OMIT
/// errors     as above; invalid_argument also where k < 1, `capacity` < k, or for another
///            operation; empty_input where there are fewer than k items. `values` and `indices` are
///            written with ok only
/// cost       one pass, and memory for some k candidates a thread
MONOFOLD_API monofold_status monofold_top(const void* items, monofold_dtype dtype, int64_t count,
                                          monofold_place place, monofold_operation operation,
                                          const monofold_options* options, int64_t capacity,
                                          monofold_number* values, int64_t* indices,
                                          int64_t* first_nan) MONOFOLD_NOEXCEPT;

/// Reduces axes of an array by one operation: one answer for each index of the other axes, in row-major order.
///
/// shape      `rank` (0 to 8) extents, and strides in items, which may be negative; null strides: the last axis
///            moves fastest. `num_axes` axes to reduce, negative ones from the last. `num_results` takes the number
///            of answers, and `results`, which may be null where `capacity` is 0, the answers, where `capacity` is
///            at least that: else invalid_argument
/// order      each answer has the bits of its row alone; positions count along the row
/// errors     as monofold_reduce; invalid_argument also for an axis that is not there, or one twice. Where a row
///            has no answer its status is returned, `num_results` takes the place of the first one, and `results`
///            is not written. `first_nan` of a result is -1
/// cost       one pass over the items in host memory
MONOFOLD_API monofold_status monofold_reduce_axis(const void* items, monofold_dtype dtype,
                                                  int32_t rank, const int64_t* extents,
                                                  const int64_t* strides, const int64_t* axes,
                                                  int32_t num_axes, monofold_operation operation,
                                                  const monofold_options* options, int64_t capacity,
                                                  monofold_result* results,
                                                  int64_t* num_results) MONOFOLD_NOEXCEPT;

// Calls that end in _into, and those on segments and groups, write answers into arrays of one type:
//
// shape      `values`, and for MONOFOLD_MINMAX and MONOFOLD_SOFTMAX_DENOMINATOR `seconds`, are arrays of `value_dtype`;
//            `indices` are the positions of MONOFOLD_ARGMIN, ARGMAX, TOP and BOTTOM, counted along the row. An
//            array that the operation does not fill is ignored. Null ones that it would fill are not
//            written; at least one is not null. TOP and BOTTOM write `options->k` elements a row, best first
// errors     invalid_argument also for a misaligned array, no array at all, and for MONOFOLD_DOT; unsupported
//            where floating-point answers are asked for as integers. A call returns the status of the first row without
//            an answer; a row whose integer does not fit `value_dtype` has none (integer_overflow). Such a row is
//            not written, but the others are; rows may also be written before out_of_memory
// accuracy   floating-point types: rounded to nearest, ties to even; an exact answer (`options->plain` is 0) once, from
//            the exact value, and so is an integer of any size. Sums of signed integers are exact as uint64 too.
//            Products and plain answers: rounded to the type that monofold_answer_dtype names, then to `value_dtype`

/// The type of answers where none is asked for: that of the table of operations, where "item" is `dtype` itself.
/// Plain sums of floats of up to 32 bits are float32.
///
/// errors     as monofold_reduce
MONOFOLD_API monofold_status monofold_answer_dtype(monofold_operation operation,
                                                   monofold_dtype dtype,
                                                   const monofold_options* options,
                                                   monofold_dtype* value_dtype) MONOFOLD_NOEXCEPT;

/// As monofold_reduce_axis, into arrays with room for `capacity` rows.
///
/// shape      all axes: one answer for the whole array. `failed_row`, which may be null, takes the first row
///            without an answer, or -1
/// errors     as above and as monofold_reduce_axis
/// cost       one pass over the items in host memory; answers are written as they are found
/// tested by  tests/runtime/c_arrays_test.c
MONOFOLD_API monofold_status monofold_reduce_axis_into(
    const void* items, monofold_dtype dtype, int32_t rank, const int64_t* extents,
    const int64_t* strides, const int64_t* axes, int32_t num_axes, monofold_operation operation,
    const monofold_options* options, monofold_dtype value_dtype, void* values, void* seconds,
    int64_t* indices, int64_t capacity, int64_t* failed_row) MONOFOLD_NOEXCEPT;

/// Reduces segments of an array by one operation: segment i has the items [starts[i], stops[i]).
///
/// shape      `num_segments` starts and stops, and room for as many answers; segments may be empty, overlap and
///            leave gaps. For offsets, one more than there are segments: `starts` = offsets, `stops` = offsets + 1
/// order      each answer has the bits of monofold_reduce of its segment; positions count along it
/// errors     as above. `failed_segment`, which may be null, takes the first segment without an answer, or -1; or
///            with invalid_argument the first one that ends before it begins or lies outside the array: nothing
///            else is written then. Other wrong use leaves it as it was
/// cost       one pass over the items in host memory and two over the segments; no mixture of lengths is bad
/// tested by  tests/runtime/c_segments_test.c, tests/runtime/segment_reducer_test.cpp
MONOFOLD_API monofold_status monofold_reduce_segments(
    const void* items, monofold_dtype dtype, int64_t count, const int64_t* starts,
    const int64_t* stops, int64_t num_segments, monofold_operation operation,
    const monofold_options* options, monofold_dtype value_dtype, void* values, void* seconds,
    int64_t* indices, int64_t* failed_segment) MONOFOLD_NOEXCEPT;

// Calls that end in _on_device take items in memory of a GPU, and leave answers there:
//
// shape      items, starts, stops and all arrays for answers lie in memory of the calling thread's current device, or
//            in managed memory; else invalid_argument. `stream` is a cudaStream_t of that device; null: the default one
// sync       after what the stream has been given, and without waiting, where every row has an answer whatever its
//            items are. Calls that may find one without wait for the stream: sums of 64-bit integers, and of others
//            asked for in a narrower type, rows too short for an answer, MONOFOLD_NAN_RAISE, MONOFOLD_NAN_OMIT with
//            operations that need an item, and segments, whose ends may be wrong. No call can be captured in a graph:
//            invalid_argument, and the capture goes on without it
// errors     as of calls that end in _into; device_unavailable also without libmonofold_gpu_rows, which has the kernels;
//            unsupported: DOT; TOP and BOTTOM with k above 1024, and of segments of an array of 2^32 items; of floats
//            VAR, STD and NORM2 where they are plain; of float16 and bfloat16 PROD and plain NORM1; plain sums and
//            means, ANY, ALL and NONZERO of floats under a rule for NaN, their PROD and plain NORM1 under
//            MONOFOLD_NAN_RAISE; bits of floats; extrema, TOP and BOTTOM in a type that is not the items', and rows of
//            2^31 shorter integers

/// As monofold_reduce_axis_into, in a stream of a GPU.
///
/// cost       several axes that memory does not walk as one: the array may be copied first, into memory of the device's
///            pool; not for MONOFOLD_COUNT of all items, which reads none, nor most exact sums of long rows (docs/axes.md)
/// tested by  tests/runtime/device_rows_test.cpp, tests/runtime/gpu_test.cpp
MONOFOLD_API monofold_status monofold_reduce_axis_on_device(
    const void* items, monofold_dtype dtype, int32_t rank, const int64_t* extents,
    const int64_t* strides, const int64_t* axes, int32_t num_axes, monofold_operation operation,
    const monofold_options* options, monofold_dtype value_dtype, void* values, void* seconds,
    int64_t* indices, int64_t capacity, void* stream, int64_t* failed_row) MONOFOLD_NOEXCEPT;

/// As monofold_reduce_segments, in a stream of a GPU; no array is read by the host.
///
/// errors     where ends are wrong, answers of other segments may have been written
/// tested by  tests/runtime/device_rows_test.cpp, tests/runtime/gpu_test.cpp
MONOFOLD_API monofold_status monofold_reduce_segments_on_device(
    const void* items, monofold_dtype dtype, int64_t count, const int64_t* starts,
    const int64_t* stops, int64_t num_segments, monofold_operation operation,
    const monofold_options* options, monofold_dtype value_dtype, void* values, void* seconds,
    int64_t* indices, void* stream, int64_t* failed_segment) MONOFOLD_NOEXCEPT;

/// Reduces each window of `window` neighbouring items of an array by one operation: window i begins at item i.
///
/// shape      1 <= window <= `count`, and room for count - window + 1 answers, which lie nowhere over items
/// order      each answer has the bits of monofold_reduce of its window; positions count along it
/// errors     as above. `failed_window`, which may be null, takes the first window without an answer, or -1
/// cost       the same for windows of any size: MONOFOLD_SUM, MEAN, NORM1, NORM2, VAR and STD that are not plain (of
///            64-bit integers but NORM2, VAR, STD), MIN, MAX, MINMAX, ARGMIN, ARGMAX and NORMINF, COUNT, NONZERO, ANY
///            and ALL (of floats where NaN are items); of integers PROD and bits; TOP and BOTTOM of up to 64, as such items,
///            where NaN are propagated. Others, and windows whose variance doubles do not decide: each on its own
/// tested by  tests/runtime/rolling_reducer_test.cpp
MONOFOLD_API monofold_status monofold_rolling(
    const void* items, monofold_dtype dtype, int64_t count, int64_t window,
    monofold_operation operation, const monofold_options* options, monofold_dtype value_dtype,
    void* values, void* seconds, int64_t* indices, int64_t* failed_window) MONOFOLD_NOEXCEPT;

/// Reduces each beginning of each row of an array by one operation: answer i of a row is that of its items 0 to i.
///
/// shape      `num_rows` rows of `count` items, side by side, and so many answers; where `with_empty` is not 0, a row
///            has one more, the first, which is that of no items
/// order      each answer has the bits of monofold_reduce of these items
/// errors     as above. `failed_answer`, which may be null, takes the place of the first that there is none of, or -1
/// cost       few operations an item: MONOFOLD_SUM, MEAN, NORM1, PROD, of floats of up to 32 bits or plain also NORM2
///            and MEAN_SQUARE, NORMINF, MIN, MAX, MINMAX, ARGMIN, ARGMAX, COUNT, NONZERO, ANY and ALL (of floats where
///            NaN are items), bits, plain VAR and STD unless NaN are omitted; some 10 exponentials: LOGSUMEXP and
///            SOFTMAX_DENOMINATOR. Others, and plain VAR and STD where items are close to each other: up to 4 KiB of
///            items are folded again for each answer
/// tested by  tests/runtime/scan_reducer_test.cpp
MONOFOLD_API monofold_status monofold_scan(
    const void* items, monofold_dtype dtype, int64_t num_rows, int64_t count, int32_t with_empty,
    monofold_operation operation, const monofold_options* options, monofold_dtype value_dtype,
    void* values, void* seconds, int64_t* indices, int64_t* failed_answer) MONOFOLD_NOEXCEPT;

/// Computes the inner product of two arrays of one type, and returns `result->status`.
///
/// errors     as above; integer_overflow where the exact value does not fit int64 (uint64 for
///            unsigned items and bool)
MONOFOLD_API monofold_status monofold_dot(const void* left, const void* right, monofold_dtype dtype,
                                          int64_t count, monofold_place place,
                                          const monofold_options* options,
                                          monofold_result* result) MONOFOLD_NOEXCEPT;

/// Computes the inner products of the rows of two arrays of one type and the same extents.
///
/// shape      as monofold_reduce_axis_into: `left_strides` and `right_strides` in items, null: row-major; room for
///            `capacity` answers of `value_dtype` at `values`
/// order      a row's bits are those of monofold_dot of the two rows, whatever the layouts
/// errors     as monofold_reduce_axis_into, and monofold_dot; cost: one pass over both arrays, in host memory
/// tested by  tests/runtime/pair_axes_test.cpp
MONOFOLD_API monofold_status monofold_dot_axis(
    const void* left, const void* right, monofold_dtype dtype, int32_t rank, const int64_t* extents,
    const int64_t* left_strides, const int64_t* right_strides, const int64_t* axes,
    int32_t num_axes, const monofold_options* options, monofold_dtype value_dtype, void* values,
    int64_t capacity, int64_t* failed_row) MONOFOLD_NOEXCEPT;

/// A reduction that takes its items in pieces.
typedef struct monofold_state monofold_state;

/// Makes a state that has seen no items, for any operations; MONOFOLD_DOT only alone.
///
/// shape      `first_index` >= 0 is the position of its first item: not 0 for a shard of an array
///            that is merged later
/// errors     as above; unsupported also for MONOFOLD_DOT with other operations
MONOFOLD_API monofold_status monofold_state_create(monofold_dtype dtype,
                                                   const monofold_operation* operations,
                                                   int32_t num_operations, int64_t first_index,
                                                   const monofold_options* options,
                                                   monofold_state** state) MONOFOLD_NOEXCEPT;

/// Frees a state. Null: does nothing.
MONOFOLD_API void monofold_state_destroy(monofold_state* state) MONOFOLD_NOEXCEPT;

/// Appends items.
///
/// errors     as above; invalid_argument also for a state of MONOFOLD_DOT. After out_of_memory or
///            internal part of the items may have been taken: every later call on the state gives
///            that status
MONOFOLD_API monofold_status monofold_state_push(monofold_state* state, const void* items,
                                                 int64_t count,
                                                 monofold_place place) MONOFOLD_NOEXCEPT;

/// Appends pairs of items to a state of MONOFOLD_DOT.
///
/// errors     as monofold_state_push
MONOFOLD_API monofold_status monofold_state_push_pairs(monofold_state* state, const void* left,
                                                       const void* right, int64_t count,
                                                       monofold_place place) MONOFOLD_NOEXCEPT;

/// Appends everything that `next` has seen; `next` stays as it is.
///
/// order      the bits of one state that saw all items, where shards begin at multiples of 4096
///            items; elsewhere so for counts, integers, extrema, top and bits, while floating sums,
///            products, moments and norms join the totals of the two sides
/// errors     as monofold_state_push; invalid_argument also where type, operations or options (but
///            for the threads) differ, or where `next` does not begin where `state` ends
MONOFOLD_API monofold_status monofold_state_merge(monofold_state* state,
                                                  const monofold_state* next) MONOFOLD_NOEXCEPT;

/// The same, wherever `next` began: its positions are counted on from the end of `state`, and plain
/// floating-point operations join the totals of the two.
///
/// errors     as monofold_state_merge, but for the last
MONOFOLD_API monofold_status monofold_state_append(monofold_state* state,
                                                   const monofold_state* next) MONOFOLD_NOEXCEPT;

/// Subtracts what `part` has seen, all of which `state` has seen too, wherever; the first position stays.
///
/// order      exact: what is left has the bytes of a state that never saw those items. If the first NaN is
///            subtracted and others are left, the position of the first is not known
/// errors     as monofold_state_append; unsupported: an operation whose state is no sum or count (extrema, top,
///            products, plain sums, ..); invalid_argument also for items that `state` cannot have seen, as far as
///            its counts tell, and, where NaN is an error, for a first one that is then not known
/// tested by  tests/runtime/c_subtract_test.c
MONOFOLD_API monofold_status monofold_state_subtract(monofold_state* state,
                                                     const monofold_state* part) MONOFOLD_NOEXCEPT;

/// Writes everything that the state holds, to be read by monofold_state_load: the bytes of a file
/// that `monofold merge` reads too.
///
/// shape      `num_bytes` takes how many bytes there are; they are written where `capacity` is at
///            least that, and only then. `bytes` may be null where `capacity` is 0
/// order      where all operations are exact, the same items give the same bytes, whatever the
///            chunks and threads
/// cost       as much memory as there are bytes: some hundreds for each operation, k items for those
///            that rank, and up to a tile of items for plain operations
MONOFOLD_API monofold_status monofold_state_save(const monofold_state* state, void* bytes,
                                                 size_t capacity,
                                                 size_t* num_bytes) MONOFOLD_NOEXCEPT;

/// Makes a state that goes on where the saved one was.
///
/// errors     as above; malformed_state: `bytes` are no saved state, a damaged or truncated one, or
///            one of a newer version
MONOFOLD_API monofold_status monofold_state_load(const void* bytes, size_t num_bytes,
                                                 monofold_state** state) MONOFOLD_NOEXCEPT;

/// Makes another state that goes on where `state` is.
///
/// errors     as above
MONOFOLD_API monofold_status monofold_state_copy(const monofold_state* state,
                                                 monofold_state** copy) MONOFOLD_NOEXCEPT;

/// Writes a receipt for the items seen, which two parties compare: the SHA-256 of the bytes that
/// monofold_state_save writes.
///
/// shape      32 bytes
/// errors     as above; unsupported: plain operations and products of floats, whose bytes depend on the pieces
MONOFOLD_API monofold_status monofold_state_digest(const monofold_state* state,
                                                   unsigned char* digest) MONOFOLD_NOEXCEPT;

/// Whether two states would be saved as the same bytes, as 1 or 0.
///
/// order      exact operations: states of one request and first position are equal where their items are, whatever
///            the chunks and threads. Where bytes depend on the pieces, so does this
/// errors     as above; states of other types, operations or options (but for the threads) are not equal
MONOFOLD_API monofold_status monofold_state_equal(const monofold_state* left,
                                                  const monofold_state* right,
                                                  int32_t* equal) MONOFOLD_NOEXCEPT;

/// How many items the state has seen, NaN included.
MONOFOLD_API monofold_status monofold_state_count(const monofold_state* state,
                                                  int64_t* count) MONOFOLD_NOEXCEPT;

/// Gives the answer to the operation at `position` in the list, and returns `result->status`. More
/// items may be pushed afterwards.
///
/// errors     as above; invalid_argument also for MONOFOLD_TOP and MONOFOLD_BOTTOM
MONOFOLD_API monofold_status monofold_state_result(const monofold_state* state, int32_t position,
                                                   monofold_result* result) MONOFOLD_NOEXCEPT;

/// The answer at `position`, one element of each array that the operation fills.
///
/// errors     as those of calls that end in _into, MONOFOLD_DOT excepted; invalid_argument also for
///            MONOFOLD_TOP and MONOFOLD_BOTTOM. Nothing is written but with ok
/// tested by  tests/runtime/c_state_result_test.c
MONOFOLD_API monofold_status monofold_state_result_into(const monofold_state* state,
                                                        int32_t position,
                                                        monofold_dtype value_dtype, void* value,
                                                        void* second,
                                                        int64_t* index) MONOFOLD_NOEXCEPT;

/// The answer to MONOFOLD_TOP or MONOFOLD_BOTTOM at `position`; outputs as for monofold_top.
MONOFOLD_API monofold_status monofold_state_top(const monofold_state* state, int32_t position,
                                                int64_t capacity, monofold_number* values,
                                                int64_t* indices,
                                                int64_t* first_nan) MONOFOLD_NOEXCEPT;

/// One line that says what a status means; lives as long as the program, never null.
MONOFOLD_API const char* monofold_status_text(monofold_status status) MONOFOLD_NOEXCEPT;

/// The version of the library that runs, as "0.1.0"; lives as long as the program.
MONOFOLD_API const char* monofold_version(void) MONOFOLD_NOEXCEPT;

/// The instruction set that the loops use, as "AVX2"; valid until this thread's next call.
MONOFOLD_API const char* monofold_instruction_set(void) MONOFOLD_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif  // MONOFOLD_MONOFOLD_H
