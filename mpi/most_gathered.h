#ifndef MONOFOLD_MPI_MOST_GATHERED_H
#define MONOFOLD_MPI_MOST_GATHERED_H
/// mpi/most_gathered: how many ranks gather states; those of more are joined by a tree of neighbours. For tests.

#ifdef __cplusplus
extern "C" {
#endif

/// From then on, on all ranks alike. 256 at first.
void monofold_mpi_gather_up_to(int ranks);

#ifdef __cplusplus
}
#endif

#endif  // MONOFOLD_MPI_MOST_GATHERED_H
