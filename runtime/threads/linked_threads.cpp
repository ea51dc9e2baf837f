/// runtime/threads/linked_threads: work on oneTBB's threads, compiled once for all who link it.

#include "monofold/engine/cpu.hpp"  // as one compiles it who takes the headers alone, and oneTBB

namespace monofold::detail {

void on_linked_threads(int num_threads, std::int64_t count, const any_body& body);

void on_linked_threads(int num_threads, std::int64_t count, const any_body& body) {
  on_shared_threads(num_threads, count, body);
}

}  // namespace monofold::detail
