#pragma once
/// mpi/transport: what the tool finds in libmonofold_ranks, which it loads at run time: the messages of its ranks.
///
/// One such library is built for each MPI that is here: what MPI_Comm is differs between them.

#include <functional>
#include <vector>

#include "monofold/platform/version.hpp"

namespace monofold::mpi {

using bytes = std::vector<unsigned char>;
using joining = std::function<bytes(const bytes& left, const bytes& right)>;

/// sync       every call is collective but `rank` and `size`
/// errors     throws `error` internal where MPI fails and does not end the job
struct transport {
  const char* version = monofold::version;  // a library of another one is not used
  void (*begin)();                          // MPI_Init
  void (*end)();                            // MPI_Finalize
  int (*rank)();
  int (*size)();
  int (*rank_here)();       // among those of this machine
  int (*share)(int value);  // that of rank 0
  /// What all ranks have, joined in their order by join(left, right), neighbours first, on rank 0; none on others.
  bytes (*join)(const bytes& own, const joining& join);
};

/// The name of the function without arguments that returns a `const transport*`.
inline constexpr char transport_symbol[] = "monofold_rank_messages";

}  // namespace monofold::mpi
