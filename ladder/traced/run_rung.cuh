#pragma once
/// traced/run_rung: runs one rung with one fold on the emulated device, and records it.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "emulation/report.hpp"
#include "ladder/rung_runner.cuh"
#include "ladder/traced/cells.hpp"
#include "ladder/traced/items.hpp"
#include "ladder/traced/sources.hpp"
#include "ladder/tracing.hpp"
#include "trace/trace.hpp"

namespace monofold::ladder {

template <class F>
using rung_function = void (*)(rung_call<F>&);

/// What a rung leaves: the texts of its results, and what went wrong.
struct rung_results {
  std::vector<std::string> texts;
  std::string failed;
  std::string before;  // of two calls the first one's
};

/// The buffers of a run: those of `rung_runner_of`, each with a name.
template <class F>
class traced_call {
 public:
  using item = typename F::item;
  using state = typename F::state;

  traced_call(const rung& facts, const std::vector<item>& items)
      : facts_(facts),
        n_(static_cast<std::int64_t>(items.size())),
        items_(n_),
        lifted_(n_),
        partials_(num_partials()),
        results_(num_results()),
        ticket_(1) {
    require(cudaMemset(ticket_.data(), 0, sizeof(std::uint32_t)), "cudaMemset");
    require(cudaMemcpy(items_.data(), items.data(), items.size() * sizeof(item),
                       cudaMemcpyHostToDevice),
            "cudaMemcpy of the items");
    const F f;
    std::vector<state> lifted;
    for (const item& x : items) lifted.push_back(f.lift(x));
    require(cudaMemcpy(lifted_.data(), lifted.data(), lifted.size() * sizeof(state),
                       cudaMemcpyHostToDevice),
            "cudaMemcpy of the states");
    require(cudaMemset(results_.data(), 0xee, bytes_of_results()), "cudaMemset");
    // Where a fold has a path of the library, it may ask for room.
    workspace_ = gpu_workspace(std::int64_t{1} << 16);
  }

  void name_on(trace::tracer& to) const {
    using cells = cells_of<F>;
    to.name_cells(items_.data(), static_cast<std::size_t>(n_) * sizeof(item), "items",
                  cells::item());
    to.name_cells(lifted_.data(), static_cast<std::size_t>(n_) * sizeof(state), "values",
                  cells::state());
    to.name_cells(partials_.data(), static_cast<std::size_t>(num_partials()) * sizeof(state),
                  "partials", cells::state(), trace::contents::unset);
    to.name_cells(results_.data(), bytes_of_results(), "results", cells::state(),
                  trace::contents::unset);
    to.name(ticket_.data(), 1, "ticket");
    // The library's own kernels keep other things there.
    const bool is_of_rung = facts_.name != "engine" && facts_.name != "top_k";
    if (is_of_rung) to.name_shared_cells("", cells::state());
    to.name_shared<bool>("is_last");
    to.set_shuffled(cells::state());
    for (const auto& source : rung_sources()) to.add_source(source.file, source.text);
  }

  rung_results run(rung_function<F> start, int calls) {
    rung_call<F> call;
    call.items = items_.data();
    call.n = n_;
    call.lifted = lifted_.data();
    call.partials = partials_.data();
    call.ticket = ticket_.data();
    call.workspace = &workspace_;
    call.multiprocessors = 4;
    for (int i = 0; i < calls; ++i) {
      call.results = results_.data();  // a rung may have moved it
      start(call);
    }
    const bool is_refused = !call.failed.empty();  // by the library, before any of its kernels
    const cudaError_t ended = cudaDeviceSynchronize();
    call.check(ended, "the kernels of the rung");
    rung_results out{{}, call.failed, {}};
    static_cast<void>(emulation::take_reports());
    if (!call.failed.empty() && !is_refused) return out;
    out.texts = texts(call.results, results_of(facts_, n_));
    // It leaves its result behind the second one's.
    if (calls > 1) out.before = texts(call.results + 1, 1)[0];
    return out;
  }

 private:
  static std::vector<std::string> texts(const state* results, std::int64_t count) {
    std::vector<state> states(static_cast<std::size_t>(count));
    require(
        cudaMemcpy(states.data(), results, states.size() * sizeof(state), cudaMemcpyDeviceToHost),
        "cudaMemcpy of the results");
    std::vector<std::string> out;
    for (const state& own : states) {
      const auto* const bytes = reinterpret_cast<const unsigned char*>(&own);
      const bool is_written =
          std::any_of(bytes, bytes + sizeof(own), [](auto b) { return b != 0xee; });
      out.push_back(is_written ? cells_of<F>::state().text(&own) : "nothing");
    }
    return out;
  }
  std::int64_t num_partials() const { return n_ + resident_threads; }
  std::int64_t num_results() const { return n_ / block_threads + 2; }
  std::size_t bytes_of_results() const {
    return static_cast<std::size_t>(num_results()) * sizeof(state);
  }

  const rung& facts_;
  std::int64_t n_;
  device_array<item> items_;
  device_array<state> lifted_;
  device_array<state> partials_;
  device_array<state> results_;
  device_array<std::uint32_t> ticket_;
  gpu_workspace workspace_;
};

/// The results as they must be: a loop over the items of each.
template <class F>
std::vector<std::string> wanted_results(const rung& facts,
                                        const std::vector<typename F::item>& items) {
  const F f;
  const auto n = static_cast<std::int64_t>(items.size());
  const std::int64_t each = facts.needs.items_per_result == 0 ? n : facts.needs.items_per_result;
  std::vector<std::string> out;
  for (std::int64_t first = 0; first < n || first == 0; first += each) {
    auto state = f.identity();
    for (std::int64_t i = first; i < n && i < first + each; ++i) {
      state = f.combine(state, f.lift(items[static_cast<std::size_t>(i)]));
    }
    out.push_back(cells_of<F>::state().text(&state));
    if (each == 0) break;
  }
  return out;
}

inline std::string listed(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out;
}

/// The rung with a sum, which tells items apart: the other operators take the same steps, unless their
/// states are taken word by word where a sum is one word.
inline item_counts count_items(rung_function<sum_of<std::int32_t>> start, const rung& facts,
                               std::int64_t n, int calls) {
  item_counts counts;
  for (std::int64_t first = 0; first < n && start != nullptr; first += items_a_window) {
    traced_call<sum_of<std::int32_t>> call(facts, window_items(n, first));
    trace::tracer tracer;
    call.name_on(tracer);
    static_cast<void>(call.run(start, calls));
    counts.add(tracer.found(), first, n);
  }
  return counts;
}

/// Runs `start` on `n` items and hands out the run as JSON.
template <class F>
std::string trace_run(rung_function<F> start, rung_function<sum_of<std::int32_t>> start_of_sum,
                      const trace_request& what, likeness like, int calls, trace_row& row) {
  const rung& facts = info(what.which);
  const auto items = make_traced_items(F{}, row.n, like);
  const item_counts counts = count_items(start_of_sum, facts, row.n, calls);
  traced_call<F> call(facts, items);
  trace::tracer tracer;
  call.name_on(tracer);
  const rung_results found = call.run(start, calls);
  tracer.set_items(counts.texts(tracer.found()));
  row.problem = tracer.found().problem ? tracer.found().problem->text : found.failed;
  row.result = listed(found.texts);
  row.wanted = listed(wanted_results<F>(facts, items));
  row.ok = row.problem.empty() && row.result == row.wanted;
  row.steps = static_cast<std::int64_t>(tracer.found().steps.size());
  trace::run_facts said;
  said.name = row.name;
  said.title = what.title;
  said.operation = name_of(row.op);
  said.mistake = what.is_mistaken ? what.mistake : "";
  said.note = facts.keeps == order::any && !F::commutative ? "This rung does not keep order." : "";
  if (!found.before.empty()) said.note = "The call before gave " + found.before + ".";
  if (!found.failed.empty() && !tracer.found().problem)
    said.note = "The call is refused: " + found.failed + ".";
  if (what.is_mistaken && row.ok) said.note = "The result is right: see how many steps it takes.";
  if (found.failed.empty()) said.result = row.result;  // else there is none
  said.wanted = row.wanted;
  said.num_items = static_cast<std::size_t>(row.n);
  return tracer.json(said);
}

}  // namespace monofold::ladder
