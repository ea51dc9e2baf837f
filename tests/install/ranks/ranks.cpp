// A user's program for ranks of MPI: by the headers, and by the C interface.

#include <cstdio>
#include <vector>

#include "monofold/monofold.hpp"
#include "monofold/monofold_mpi.h"
#include "monofold/ranks.hpp"
namespace mf = monofold;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int num_ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  const std::vector<double> items = rank == 0 ? std::vector{1e100, 1.0} : std::vector{-1e100, 2.0};
  const double sum = mf::reduce(mf::ranks(MPI_COMM_WORLD), items, mf::sum);
  monofold_result same{};
  const monofold_status code =
      monofold_reduce_ranks(MPI_COMM_WORLD, items.data(), MONOFOLD_FLOAT64, 2, MONOFOLD_HOST,
                            MONOFOLD_SUM, nullptr, &same);
  const bool is_right =
      num_ranks == 2 && sum == 3 && code == MONOFOLD_OK && same.value.as.float64 == 3;
  if (!is_right) std::printf("%d ranks: %g, %d, %g\n", num_ranks, sum, code, same.value.as.float64);
  MPI_Finalize();
  return is_right ? 0 : 1;
}
