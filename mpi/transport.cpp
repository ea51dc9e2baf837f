/// mpi/transport: the messages of the tool's ranks, by the MPI that this is compiled for.

#include "mpi/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "monofold/engine/mpi/group.hpp"

namespace monofold::mpi {
namespace {

using monofold::detail::rank_group;

rank_group world() { return rank_group(MPI_COMM_WORLD); }

// Threads fold; the one that came first calls MPI.
void begin_ranks() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
}
void end_ranks() { MPI_Finalize(); }
int rank_of_this() { return world().rank(); }
int num_ranks() { return world().size(); }

int rank_on_this_machine() {
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_of_this(), MPI_INFO_NULL, &here);
  const int rank = rank_group(here).rank();
  MPI_Comm_free(&here);
  return rank;
}

std::vector<bytes> gather_bytes(const bytes& own) {
  const std::vector<std::int64_t> sizes =
      world().gather(std::vector{static_cast<std::int64_t>(own.size())});
  const bytes all = world().gather(own, sizes);
  std::vector<bytes> out;
  auto at = all.begin();
  for (const std::int64_t size : sizes) {
    out.emplace_back(at, at + size);
    at += size;
  }
  return out;
}

int share_first(int value) {
  std::vector<std::int64_t> word{world().rank() == 0 ? value : 0};
  world().add_up(word);
  return static_cast<int>(word[0]);
}

}  // namespace
}  // namespace monofold::mpi

extern "C" __attribute__((visibility("default"))) const monofold::mpi::transport*
monofold_rank_transport() {
  using namespace monofold::mpi;  // NOLINT: the functions of this file
  static const transport own{monofold::version, begin_ranks,          end_ranks,    rank_of_this,
                             num_ranks,         rank_on_this_machine, gather_bytes, share_first};
  return &own;
}
