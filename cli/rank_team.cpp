#include "cli/rank_team.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "cli/failure.hpp"
#include "runtime/gpu/load_device_library.hpp"

namespace monofold::cli {
namespace {

// A number in the environment; -1: none.
int number_said(std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (const char* const text = std::getenv(name)) return std::atoi(text);
  }
  return -1;
}

// What mpirun of Open MPI and of MPICH set, and srun for either.
int size_said() { return number_said({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}); }

bool is_open_mpi() { return number_said({"OMPI_COMM_WORLD_SIZE", "PMIX_RANK"}) >= 0; }

std::string names_of_libraries(bool open_mpi) {
  return fmt::format("libmonofold_ranks_{}", open_mpi ? "openmpi" : "mpich");
}

// That of the MPI at work first; where nobody started ranks, any.
const mpi::transport* load_transport() {
  const bool open_mpi = is_open_mpi() || size_said() < 0;
  std::string why;
  for (const std::string& name :
       {names_of_libraries(open_mpi), std::string("libmonofold_ranks_default"),
        names_of_libraries(!open_mpi)}) {
    void* const handle = runtime::open_library(name + ".so", why);
    if (handle == nullptr) continue;
    using function = const mpi::transport* (*)();
    const auto table = reinterpret_cast<function>(dlsym(handle, mpi::transport_symbol));
    if (table == nullptr || std::string_view(table()->version) != version) {
      throw device_error(fmt::format("--mpi: {} is of another version", name));
    }
    return table();
  }
  if (why.empty()) why = names_of_libraries(open_mpi) + " is not installed";
  throw device_error("--mpi: " + why);
}

}  // namespace

int rank_said() {
  const int rank = number_said({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"});
  return rank > 0 ? rank : 0;
}

rank_team::rank_team() : library_(load_transport()) {
  library_->begin();
  if (size_said() > 1 && size() == 1) {
    library_->end();
    throw device_error("--mpi: mpirun is of another MPI than the library for ranks");
  }
}

rank_team::~rank_team() { library_->end(); }

}  // namespace monofold::cli
