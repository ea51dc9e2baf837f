#ifndef MONOFOLD_TYPES_H
#define MONOFOLD_TYPES_H
/// types: the enumerations and structures of the C interface, for monofold.h.

#include <stdbool.h>
#include <stdint.h>

#if defined(_WIN32)
#define MONOFOLD_API
#else
#define MONOFOLD_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
#define MONOFOLD_NOEXCEPT noexcept
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
  MONOFOLD_INTEGER_OVERFLOW = 2,    // the exact result does not fit 64 bits, or the type asked for
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
  MONOFOLD_COUNT = 0,         // int64; 0. Under MONOFOLD_NAN_OMIT without the NaN
  MONOFOLD_SUM = 1,           // double; int64, for unsigned items and bool uint64; 0
  MONOFOLD_PROD = 2,          // double; int64 or uint64 modulo 2^64; 1
  MONOFOLD_MEAN = 3,          // double; none
  MONOFOLD_VAR = 4,           // double; none where count <= ddof
  MONOFOLD_STD = 5,           // double; none where count <= ddof
  MONOFOLD_MIN = 6,           // item; none
  MONOFOLD_MAX = 7,           // item; none
  MONOFOLD_MINMAX = 8,        // item and, in `second`, item; none
  MONOFOLD_ARGMIN = 9,        // item, and its first position in `index`; none
  MONOFOLD_ARGMAX = 10,       // item, and its first position in `index`; none
  MONOFOLD_TOP = 11,          // by monofold_top only; none where count < k
  MONOFOLD_BOTTOM = 12,       // by monofold_top only; none where count < k
  MONOFOLD_ANY = 13,          // bool; false
  MONOFOLD_ALL = 14,          // bool; true
  MONOFOLD_NONZERO = 15,      // int64; 0
  MONOFOLD_NORM1 = 16,        // double; uint64, exact; 0
  MONOFOLD_NORM2 = 17,        // double; 0
  MONOFOLD_NORMINF = 18,      // double; uint64; 0
  MONOFOLD_DOT = 19,          // by monofold_dot only: double; int64 or uint64, exact; 0
  MONOFOLD_BIT_AND = 20,      // integers and bool: item; all ones
  MONOFOLD_BIT_OR = 21,       // integers and bool: item; 0
  MONOFOLD_BIT_XOR = 22,      // integers and bool: item; 0
  MONOFOLD_COUNT_NAN = 23,    // int64; 0
  MONOFOLD_MEAN_SQUARE = 24,  // double; none
  MONOFOLD_LOGSUMEXP = 25,    // floats: double; -infinity
  // Floats: float (of float64 double), the largest item, and in `second` the sum of exp(x - largest); -infinity and 0.
  MONOFOLD_SOFTMAX_DENOMINATOR = 26
};

/// What a NaN does.
typedef int32_t monofold_nan_policy;
enum {
  MONOFOLD_NAN_PROPAGATE = 0,  // the result is NaN; argmin and argmax give the first one
  MONOFOLD_NAN_OMIT = 1,       // as if absent
  MONOFOLD_NAN_RAISE = 2       // nan_found, and the position of the first one
};

/// The order of groups.
typedef int32_t monofold_key_order;
enum {
  MONOFOLD_BY_KEY = 0,   // ascending keys
  MONOFOLD_BY_FIRST = 1  // as the first item of each group appears
};

/// Where items lie. They are reduced there: host memory by the processor, the others by the GPU that is
/// the calling thread's current device, after the work that its default stream has been given (the
/// caller waits for other streams that write the items). Whole arrays in host memory may also be
/// brought to all GPUs, piece by piece. device_unavailable where there is no GPU, or the library was
/// built without CUDA; unsupported for more than 1024 of MONOFOLD_TOP and MONOFOLD_BOTTOM, and for
/// MONOFOLD_LOGSUMEXP of items in the memory of a GPU.
typedef int32_t monofold_place;
enum {
  MONOFOLD_HOST = 0,
  MONOFOLD_DEVICE = 1,       // memory of a GPU
  MONOFOLD_MANAGED = 2,      // memory that moves between them
  MONOFOLD_HOST_TO_GPUS = 3  // not for running states
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

/// Some neighbouring items of an array, and the GPU that reduces them: in its memory, managed memory, or host memory,
/// from where they are brought to it.
typedef struct monofold_shard {
  const void* items;
  int64_t count;
  int32_t device;  // its number, from 0 on
} monofold_shard;

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

#endif  // MONOFOLD_TYPES_H
