/// runtime/threads/linked_threads: work on oneTBB's threads, compiled once for all who link it.

#include "monofold/engine/cpu.hpp"  // as one compiles it who takes the headers alone, and oneTBB
#include "runtime/stopping.hpp"

namespace monofold::detail {

void on_linked_threads(int num_threads, std::int64_t count, const any_body& body);

void on_linked_threads(int num_threads, std::int64_t count, const any_body& body) {
  const runtime::stop_flag stop = runtime::stop_of_call;
  const auto piece = [&](std::int64_t i) {
    const runtime::stoppable_work here(stop);
    stop.check();
    body(i, i + 1);
  };
  on_shared_threads(num_threads, count, any_body(piece));
}

}  // namespace monofold::detail
