/// mpi/fortran_ranks: what the Fortran module calls: communicators as Fortran has them, answers as doubles.

#include <cstdint>

#include "monofold/monofold_mpi.h"

namespace {

/// The number of an answer; of floats of 32 bits the same.
double double_of(const monofold_number& number) {
  switch (number.type) {
    case MONOFOLD_NUMBER_BOOL: return number.as.boolean ? 1 : 0;
    case MONOFOLD_NUMBER_INT64: return static_cast<double>(number.as.int64);
    case MONOFOLD_NUMBER_UINT64: return static_cast<double>(number.as.uint64);
    case MONOFOLD_NUMBER_FLOAT32: return static_cast<double>(number.as.float32);
    case MONOFOLD_NUMBER_FLOAT64: return number.as.float64;
    default: return 0;
  }
}

}  // namespace

extern "C" {

monofold_status monofold_fortran_reduce(MPI_Fint comm, const void* items, monofold_dtype dtype,
                                        int64_t count, monofold_operation operation, double* value,
                                        int64_t* index) {
  monofold_result result{};
  const monofold_status code = monofold_reduce_ranks(MPI_Comm_f2c(comm), items, dtype, count,
                                                     MONOFOLD_HOST, operation, nullptr, &result);
  if (code == MONOFOLD_OK) *value = double_of(result.value);
  if (code == MONOFOLD_OK) *index = result.index;
  return code;
}

monofold_status monofold_fortran_dot(MPI_Fint comm, const void* left, const void* right,
                                     monofold_dtype dtype, int64_t count, double* value) {
  monofold_result result{};
  const monofold_status code = monofold_dot_ranks(MPI_Comm_f2c(comm), left, right, dtype, count,
                                                  MONOFOLD_HOST, nullptr, &result);
  if (code == MONOFOLD_OK) *value = double_of(result.value);
  return code;
}

monofold_status monofold_fortran_sum_fields(MPI_Fint comm, const double* items, int64_t count,
                                            int64_t num_fields, const double* weights,
                                            const unsigned char* mask, double* sums) {
  return monofold_sum_fields_ranks(MPI_Comm_f2c(comm), items, count, num_fields, count, weights,
                                   mask, sums);
}
}
