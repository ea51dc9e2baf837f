#pragma once
/// cli/rank_team: the ranks that mpirun started this program as, through a library that is loaded for it.

#include <cstddef>
#include <string>

#include "mpi/transport.hpp"
#include "runtime/reducer.hpp"

namespace monofold::cli {

/// The number that whoever started this process gave it among others, as the environment says; 0 without one.
int rank_said();

/// The GPUs of a rank of a machine that has so many: one, where each takes its own. Without any a reducer says why.
constexpr runtime::gpu_span gpus_of_rank(int rank_here, std::size_t num_gpus) {
  if (num_gpus == 0) return {};
  return {rank_here % static_cast<int>(num_gpus), 1};
}

/// This process as one rank of several, from MPI_Init to MPI_Finalize.
///
/// errors     `device_error`: no library for the MPI at work, or one for another MPI than it
/// tested by  tests/mpi/tool_ranks_check.py
class rank_team {
 public:
  rank_team();
  rank_team(const rank_team&) = delete;
  rank_team& operator=(const rank_team&) = delete;
  ~rank_team();

  int rank() const { return library_->rank(); }
  int size() const { return library_->size(); }
  /// The number among the ranks of this machine. Collective.
  int rank_here() const { return library_->rank_here(); }
  /// What all ranks have, joined in their order by join(left, right), on rank 0; none on others.
  mpi::bytes join(const mpi::bytes& own, const mpi::joining& join) const {
    return library_->join(own, join);
  }
  /// What rank 0 has.
  int share(int value) const { return library_->share(value); }

 private:
  const mpi::transport* library_;
};

}  // namespace monofold::cli
