#include "cli/memory_limit.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>

#include "cli/machine.hpp"

namespace monofold::cli {
namespace {

// The ring of a stream is 8 MiB; the program's own data and heap are 4 MiB (of every operation).
constexpr std::int64_t base_bytes = 16 << 20;
constexpr std::int64_t stack_bytes = 1 << 20;  // 8 MiB, the usual, would be all there is
// Beside its buffer and stack a thread has states, and of a direct read the room for a request.
constexpr std::int64_t thread_bytes = stack_bytes + (3 << 20);

}  // namespace

void limit_memory(std::int64_t num_bytes) {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) == 0) {
    ::pthread_attr_setstacksize(&attributes, stack_bytes);
    ::pthread_setattr_default_np(&attributes);
    ::pthread_attr_destroy(&attributes);
  }
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(num_bytes));
  ::setrlimit(RLIMIT_DATA, &limit);
}

int threads_below(std::int64_t memory_bytes, int num_threads, std::int64_t buffer_bytes) {
  const std::int64_t room = (memory_bytes - base_bytes) / (thread_bytes + buffer_bytes);
  const std::int64_t asked = num_threads > 0 ? num_threads : num_cores();
  return static_cast<int>(std::clamp<std::int64_t>(room, 1, asked));
}

}  // namespace monofold::cli
