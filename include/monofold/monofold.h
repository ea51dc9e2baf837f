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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define MONOFOLD_API
#else
#define MONOFOLD_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
#define MONOFOLD_NOEXCEPT noexcept
extern "C" {
#else
#define MONOFOLD_NOEXCEPT
#endif

// Enumerations cross the boundary as 32-bit integers: the size of a C enum is the compiler's
// choice, and a value that the enumeration does not have must still be one that can be looked at.
// The numbers never change.

/// What a call says about how it went.
typedef int32_t monofold_status;
enum {
  MONOFOLD_OK = 0,
  MONOFOLD_EMPTY_INPUT = 1,         // too few items for this operation to have a result
  MONOFOLD_INTEGER_OVERFLOW = 2,    // the exact result does not fit 64 bits
  MONOFOLD_NAN_FOUND = 3,           // NaN under MONOFOLD_NAN_RAISE
  MONOFOLD_INVALID_ARGUMENT = 4,    // wrong use
  MONOFOLD_UNSUPPORTED = 5,         // the operation is not defined for this type of item
  MONOFOLD_DEVICE_UNAVAILABLE = 6,  // the items lie where this build cannot reduce them
  MONOFOLD_OUT_OF_MEMORY = 7,
  MONOFOLD_INTERNAL = 8,
  MONOFOLD_MALFORMED_STATE = 9  // bytes that are no saved state, or a damaged one
};

/// The type of an item.
typedef int32_t monofold_dtype;
enum {
  MONOFOLD_BOOL = 0,  // one byte, 0 or 1; others are not checked, and give any answer
  MONOFOLD_INT8 = 1,
  MONOFOLD_INT16 = 2,
  MONOFOLD_INT32 = 3,
  MONOFOLD_INT64 = 4,
  MONOFOLD_UINT8 = 5,
  MONOFOLD_UINT16 = 6,
  MONOFOLD_UINT32 = 7,
  MONOFOLD_UINT64 = 8,
  MONOFOLD_FLOAT16 = 9,    // IEEE 754 binary16
  MONOFOLD_BFLOAT16 = 10,  // the upper half of a float
  MONOFOLD_FLOAT32 = 11,
  MONOFOLD_FLOAT64 = 12
};

/// What to compute, the type of the answer, and the answer for no items. "item" stands for the
/// number type of items: bool, int64, uint64, float (for float16, bfloat16 and float32) or double.
typedef int32_t monofold_operation;
enum {
  MONOFOLD_COUNT = 0,      // int64; 0. Under MONOFOLD_NAN_OMIT without the NaN
  MONOFOLD_SUM = 1,        // double; int64, for unsigned items and bool uint64; 0
  MONOFOLD_PROD = 2,       // double; int64 or uint64 modulo 2^64; 1
  MONOFOLD_MEAN = 3,       // double; none
  MONOFOLD_VAR = 4,        // double; none where count <= ddof
  MONOFOLD_STD = 5,        // double; none where count <= ddof
  MONOFOLD_MIN = 6,        // item; none
  MONOFOLD_MAX = 7,        // item; none
  MONOFOLD_MINMAX = 8,     // item and, in `second`, item; none
  MONOFOLD_ARGMIN = 9,     // item, and its first position in `index`; none
  MONOFOLD_ARGMAX = 10,    // item, and its first position in `index`; none
  MONOFOLD_TOP = 11,       // by monofold_top only; none where count < k
  MONOFOLD_BOTTOM = 12,    // by monofold_top only; none where count < k
  MONOFOLD_ANY = 13,       // bool; false
  MONOFOLD_ALL = 14,       // bool; true
  MONOFOLD_NONZERO = 15,   // int64; 0
  MONOFOLD_NORM1 = 16,     // double; uint64, exact; 0
  MONOFOLD_NORM2 = 17,     // double; 0
  MONOFOLD_NORMINF = 18,   // double; uint64; 0
  MONOFOLD_DOT = 19,       // by monofold_dot only: double; int64 or uint64, exact; 0
  MONOFOLD_BIT_AND = 20,   // integers and bool: item; all ones
  MONOFOLD_BIT_OR = 21,    // integers and bool: item; 0
  MONOFOLD_BIT_XOR = 22,   // integers and bool: item; 0
  MONOFOLD_COUNT_NAN = 23  // int64; 0
};

/// What a NaN does.
typedef int32_t monofold_nan_policy;
enum {
  MONOFOLD_NAN_PROPAGATE = 0,  // the result is NaN; argmin and argmax give the first one
  MONOFOLD_NAN_OMIT = 1,       // as if absent
  MONOFOLD_NAN_RAISE = 2       // nan_found, and the position of the first one
};

/// Where items lie. They are reduced there: host memory by the processor, the others by the GPU that
/// is the calling thread's current device, after the work that its default stream has been given (of
/// other streams the caller waits for what writes the items). device_unavailable where there is no GPU,
/// or the library was built without CUDA; unsupported for more than 1024 of MONOFOLD_TOP and
/// MONOFOLD_BOTTOM.
typedef int32_t monofold_place;
enum {
  MONOFOLD_HOST = 0,
  MONOFOLD_DEVICE = 1,  // memory of a GPU
  MONOFOLD_MANAGED = 2  // memory that moves between them
};

/// Which member of a `monofold_number` holds the number.
typedef int32_t monofold_number_type;
enum {
  MONOFOLD_NUMBER_NONE = 0,  // there is no number
  MONOFOLD_NUMBER_BOOL = 1,
  MONOFOLD_NUMBER_INT64 = 2,
  MONOFOLD_NUMBER_UINT64 = 3,
  MONOFOLD_NUMBER_FLOAT32 = 4,
  MONOFOLD_NUMBER_FLOAT64 = 5
};

/// A number and its type.
typedef struct monofold_number {
  monofold_number_type type;
  union {
    bool boolean;
    int64_t int64;
    uint64_t uint64;
    float float32;
    double float64;
  } as;
} monofold_number;

/// The answer to one operation. Positions count from 0 (in a running state: from its
/// `first_index`).
typedef struct monofold_result {
  monofold_status status;  // ok, or what about the data kept it from having an answer
  monofold_number value;
  monofold_number second;  // the largest item, for MONOFOLD_MINMAX; else there is none
  int64_t index;           // for MONOFOLD_ARGMIN and MONOFOLD_ARGMAX; else -1
  int64_t first_nan;       // with nan_found, and for MONOFOLD_COUNT_NAN; else -1, as without NaN
} monofold_result;

/// How to compute. Where a call takes options, null means these defaults.
typedef struct monofold_options {
  monofold_nan_policy nan;  // MONOFOLD_NAN_PROPAGATE
  int32_t plain;            // 0: floats exactly, rounded once; other: in floating point
  int32_t num_threads;      // 0: as many as there are cores. Never changes an answer
  int64_t ddof;             // 0; MONOFOLD_VAR and MONOFOLD_STD divide by count - ddof
  int64_t k;                // 10: how many MONOFOLD_TOP and MONOFOLD_BOTTOM give
} monofold_options;

/// The defaults: `monofold_options options = MONOFOLD_OPTIONS_INIT;`
#define MONOFOLD_OPTIONS_INIT \
  { MONOFOLD_NAN_PROPAGATE, 0, 0, 0, 10 }

/// The same, for languages that see no macros. Null: does nothing.
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

// Calls that end in `_into`, and those on segments and groups, write answers into arrays of one type:
//
// shape      `values`, and for MONOFOLD_MINMAX `seconds` (the largest items), are arrays of `value_dtype`;
//            `indices` are the positions of MONOFOLD_ARGMIN, ARGMAX, TOP and BOTTOM, counted along the row. An
//            array that the operation does not fill is not looked at; null: nobody wants it, which holds for
//            all but one of those that it fills. TOP and BOTTOM write `options->k` elements a row, best first
// errors     invalid_argument also for a misaligned array, no array at all, and for MONOFOLD_DOT; unsupported
//            where floating-point answers are asked for as integers. The status of the first row without an
//            answer is returned, which an integer that does not fit `value_dtype` is too (integer_overflow);
//            nothing of such a row is written, but the others are, and so they may be before out_of_memory
// accuracy   floating-point types: rounded to nearest, ties to even; an answer that is exact by `options->plain` is
//            rounded once, from the exact value, and so is an integer, which may be one beyond 64 bits. Products,
//            and what is plain: rounded to the type that monofold_answer_dtype names, then to `value_dtype`

/// The type of answers where none is asked for: that of the table of operations, where "item" is `dtype` itself.
/// Plain sums of floats of up to 32 bits are float32.
///
/// errors     as monofold_reduce
MONOFOLD_API monofold_status monofold_answer_dtype(monofold_operation operation,
                                                   monofold_dtype dtype,
                                                   const monofold_options* options,
                                                   monofold_dtype* value_dtype) MONOFOLD_NOEXCEPT;

/// As monofold_reduce_axis, into arrays of the caller, which have room for `capacity` rows.
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
///            leave gaps. Of offsets, one more than there are segments: `starts` = offsets, `stops` = offsets + 1
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

/// The inner product of two arrays of one type, and returns `result->status`.
///
/// errors     as above; integer_overflow where the exact value does not fit int64 (uint64 for
///            unsigned items and bool)
MONOFOLD_API monofold_status monofold_dot(const void* left, const void* right, monofold_dtype dtype,
                                          int64_t count, monofold_place place,
                                          const monofold_options* options,
                                          monofold_result* result) MONOFOLD_NOEXCEPT;

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

/// How many items the state has seen, NaN included.
MONOFOLD_API monofold_status monofold_state_count(const monofold_state* state,
                                                  int64_t* count) MONOFOLD_NOEXCEPT;

/// The answer to the operation at `position` in the list, and returns `result->status`. More items
/// may be pushed afterwards.
///
/// errors     as above; invalid_argument also for MONOFOLD_TOP and MONOFOLD_BOTTOM
MONOFOLD_API monofold_status monofold_state_result(const monofold_state* state, int32_t position,
                                                   monofold_result* result) MONOFOLD_NOEXCEPT;

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
