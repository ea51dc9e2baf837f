/// mpi/transport: the messages of the tool's ranks, by the MPI that this is compiled for.

#include "mpi/transport.hpp"

#include <cstdint>
#include <vector>

#include "monofold/engine/mpi/group.hpp"
#include "monofold/engine/mpi/neighbours.hpp"
#include "monofold/platform/encoding.hpp"

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

bytes join_neighbours(const bytes& own, const joining& join) {
  bytes joined = own;
  const rank_group group = world();
  const auto put = [&](byte_writer& out) { out.put(joined); };
  const auto take = [&](byte_reader& in) {
    const auto next = in.take(in.size());
    joined = join(joined, bytes(next.begin(), next.end()));
  };
  const auto trouble =
      monofold::detail::neighbours(group, 0).join({}, put, take, put, [](byte_reader&) {});
  if (trouble) throw error(trouble.code, trouble.why);
  return group.rank() == 0 ? joined : bytes{};
}

int share_first(int value) {
  std::vector<std::int64_t> word{world().rank() == 0 ? value : 0};
  world().add_up(word);
  return static_cast<int>(word[0]);
}

}  // namespace
}  // namespace monofold::mpi

extern "C" __attribute__((visibility("default"))) const monofold::mpi::transport*
monofold_rank_messages() {
  using namespace monofold::mpi;  // NOLINT: the functions of this file
  static const transport own{monofold::version, begin_ranks,          end_ranks,   rank_of_this,
                             num_ranks,         rank_on_this_machine, share_first, join_neighbours};
  return &own;
}
