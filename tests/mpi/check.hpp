#pragma once
/// mpi/check: what the programs that several ranks run say of what they find.

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "monofold/plan/split.hpp"
#include "monofold/platform/status.hpp"

namespace checks {

inline int failures = 0;
inline int passes = 0;

inline int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
inline int num_ranks() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

inline void expect(bool holds, const std::string& what) {
  holds ? ++passes : ++failures;
  if (!holds) std::fprintf(stderr, "rank %d of %d: %s\n", own_rank(), num_ranks(), what.c_str());
}

template <class Call>
void expect_error(const Call& call, monofold::status code, const std::string& why) {
  try {
    call();
    expect(false, "no error: " + why);
  } catch (const monofold::error& failed) {
    expect(failed.code() == code && std::string(failed.what()).find(why) != std::string::npos,
           "'" + std::string(failed.what()) + "', which should say: " + why);
  }
}

/// The exit code of a rank: a failure of one is that of all, and a run that checked nothing is one too.
inline int end() {
  int worst = failures != 0 || passes == 0 ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (own_rank() == 0)
    std::printf("%d ranks: %d checks, %d failed\n", num_ranks(), passes, failures);
  MPI_Finalize();
  return worst;
}

/// How items may be spread over ranks. A check with the argument `few` leaves most of it to other runs: an MPI that
/// keeps a core busy while it waits takes 20 ms a message where there are more ranks than cores.
inline std::vector<std::string> splits = {"giant", "even", "tiles", "every other", "steps"};
inline bool few = false;

inline void begin(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  few = argc > 1 && std::string(argv[1]) == "few";
  if (few) splits.resize(2);
}

inline monofold::item_range part_of(const std::string& split, std::int64_t n, std::int64_t ranks,
                                    std::int64_t rank, std::int64_t tile) {
  const auto between = [](std::int64_t first, std::int64_t end) {
    return monofold::item_range{first, end - first};
  };
  if (split == "even") return between(n * rank / ranks, n * (rank + 1) / ranks);
  if (split == "tiles") return monofold::tile_split(n, ranks, rank, tile);
  if (split == "giant") {  // nearly all on the last rank but one, and a few items before it
    const std::int64_t most = ranks > 1 ? ranks - 2 : 0;
    const auto begin = [&](std::int64_t r) { return r > most ? n : (r < n ? r : n); };
    return between(begin(rank), begin(rank + 1));
  }
  if (split == "every other") {  // odd ranks have none
    const std::int64_t shares = (ranks + 1) / 2;
    const auto begin = [&](std::int64_t r) { return n * ((r + 1) / 2) / shares; };
    return between(begin(rank), begin(rank + 1));
  }
  // steps: 1, 2, 3, ... shares.
  const auto begin = [&](std::int64_t r) { return n * (r * (r + 1)) / (ranks * (ranks + 1)); };
  return between(begin(rank), begin(rank + 1));
}

}  // namespace checks
