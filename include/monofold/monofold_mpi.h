#ifndef MONOFOLD_MONOFOLD_MPI_H
#define MONOFOLD_MONOFOLD_MPI_H
/// monofold_mpi: the C interface of libmonofold_mpi: reductions of what the ranks of MPI hold together.
///
/// What holds for every call, besides what monofold.h says:
///
/// shape      each rank gives its own items, of its own count, which may be 0; all else is equal on all ranks
/// order      the answer is that of one call on the items of all ranks, in the order of the ranks, with its bits,
///            whatever their number and however the items are spread. Positions count through all ranks
/// sync       collective on `comm`; MPI_Init is the caller's, MPI_THREAD_FUNNELED is enough
/// errors     the status is the same on all ranks: that of the lowest rank with wrong arguments or a lack of means,
///            else that of the data. On this rank alone: invalid_argument for a communicator that is none
/// cost       exact sums, means, variances, norms, dot products of one operation, NaN propagated: one
///            MPI_Allreduce of int64. Others: MPI_Allgather of counts and sizes, MPI_Allgatherv of states
/// tested by  tests/mpi/c_check.c

#include <mpi.h>

#include "monofold/monofold.h"

#ifdef __cplusplus
extern "C" {
#endif

/// As monofold_reduce.
///
/// order      items in memory of a GPU that plain operations reduce: as above where ranks begin at multiples of
///            4096 items; elsewhere totals are joined
MONOFOLD_API monofold_status monofold_reduce_ranks(MPI_Comm comm, const void* items,
                                                   monofold_dtype dtype, int64_t count,
                                                   monofold_place place,
                                                   monofold_operation operation,
                                                   const monofold_options* options,
                                                   monofold_result* result) MONOFOLD_NOEXCEPT;

/// As monofold_reduce_several.
MONOFOLD_API monofold_status monofold_reduce_several_ranks(
    MPI_Comm comm, const void* items, monofold_dtype dtype, int64_t count, monofold_place place,
    const monofold_operation* operations, int32_t num_operations, const monofold_options* options,
    monofold_result* results) MONOFOLD_NOEXCEPT;

/// As monofold_dot.
MONOFOLD_API monofold_status monofold_dot_ranks(MPI_Comm comm, const void* left, const void* right,
                                                monofold_dtype dtype, int64_t count,
                                                monofold_place place,
                                                const monofold_options* options,
                                                monofold_result* result) MONOFOLD_NOEXCEPT;

/// Joins the states of all ranks into one that has seen all their items, on each rank. For items that come in
/// pieces, and for MONOFOLD_TOP.
///
/// order      as monofold_state_append: positions are counted on, plain operations join totals
/// errors     `all` is left as it was; the caller destroys it
MONOFOLD_API monofold_status monofold_state_join_ranks(MPI_Comm comm, const monofold_state* own,
                                                       monofold_state** all) MONOFOLD_NOEXCEPT;

/// The exact sums of many fields of float64, or of their products with weights, in one message.
///
/// shape      field i has the `count` items from items[i * stride] on. `weights` and `mask` have `count` elements,
///            the same for all fields; null: none. An item whose mask is 0 is as if absent
/// accuracy   each sum is the exact one of all ranks' items (times weights), rounded once
/// cost       one MPI_Allreduce: 73 words of int64 a field, with weights 139
/// tested by  tests/mpi/c_check.c, tests/mpi/fortran_check.f90
MONOFOLD_API monofold_status monofold_sum_fields_ranks(MPI_Comm comm, const double* items,
                                                       int64_t count, int64_t num_fields,
                                                       int64_t stride, const double* weights,
                                                       const unsigned char* mask,
                                                       double* sums) MONOFOLD_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif  // MONOFOLD_MONOFOLD_MPI_H
