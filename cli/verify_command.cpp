#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cli/array_source.hpp"
#include "cli/execute.hpp"
#include "cli/failure.hpp"
#include "cli/fold_source.hpp"
#include "cli/output.hpp"
#include "cli/same_answers.hpp"
#include "cli/table.hpp"
#include "cli/verify_cases.hpp"
#include "runtime/gpu/devices.hpp"

namespace monofold::cli {
namespace {

using runtime::answer;
using runtime::operation;
using runtime::reducer;

constexpr std::array<int, 6> thread_counts{1, 2, 3, 4, 8, 16};

// An engine as `verify` lists it.
struct verified_engine {
  std::string name;
  std::string instruction_set;  // of the processor, which does what a GPU leaves to it
  bool on_gpu;
};

std::vector<verified_engine> engines_here() {
  std::vector<verified_engine> engines;
  for (const std::string& set : runtime::instruction_sets()) {
    engines.push_back({"cpu " + set, set, false});
  }
  if (!runtime::find_gpus().devices.empty()) {
    engines.push_back({"gpu", runtime::instruction_set(), true});
  }
  return engines;
}

// Which cells of a row found another answer.
using verdicts = std::array<bool, thread_counts.size()>;

// Says once for each cell which answer it was.
bool agrees(const std::vector<answer>& expected, const std::vector<answer>& found,
            const std::string& where, const verdicts& different, std::size_t cell) {
  if (same_answers(expected, found)) return true;
  if (different[cell]) return false;
  for (std::size_t i = 0; i < expected.size() && i < found.size(); ++i) {
    if (same_answer(expected[i], found[i])) continue;
    complain(fmt::format("verify: {}: {}: a different answer", where,
                         runtime::info(expected[i].op).name));
    break;
  }
  return false;
}

// Up to two threads meet every cut. More of them are slow where there are no cores for them: they
// meet one piece and, from case to case, one other cut (single items never come to many threads).
std::vector<cut> cuts_for(std::size_t data, std::size_t cell) {
  if (thread_counts[cell] <= 2) return {every_cut.begin(), every_cut.end()};
  constexpr std::array<cut, 3> others{cut::odd, cut::shards, cut::shifted};
  return {cut::whole, others[(data + cell) % others.size()]};
}

verdicts check_generated(const verified_engine& engine) {
  verdicts different{};
  const std::vector<verify_case> cases = verify_cases();
  std::vector<std::vector<answer>> expected;
  expected.reserve(cases.size());
  runtime::use_instruction_set(runtime::instruction_sets().front());
  for (const verify_case& data : cases) expected.push_back(one_by_one(data));
  runtime::use_instruction_set(engine.instruction_set);
  for (std::size_t cell = 0; cell < thread_counts.size(); ++cell) {
    const int threads = thread_counts[cell];
    for (std::size_t i = 0; i < cases.size(); ++i) {
      for (const cut how : cuts_for(i, cell)) {
        const std::string where = fmt::format("{}, {}, {} threads, {}", cases[i].name, engine.name,
                                              threads, name_of(how));
        const std::vector<answer> found = in_pieces(cases[i], how, threads, engine.on_gpu);
        if (!agrees(expected[i], found, where, different, cell)) different[cell] = true;
      }
    }
  }
  return different;
}

std::vector<answer> answers_of_file(const std::string& file, const read_options& reading,
                                    int num_threads, bool on_gpu) {
  const std::unique_ptr<source> in = open_source(file, reading);
  const runtime::request what =
      everything(in->type(), runtime::nan_policy::propagate, num_threads, on_gpu);
  reducer out(what);
  fold_source(*in, out, [](std::int64_t) {});
  return out.finish();
}

// The same items in chunks of other sizes, at other addresses.
std::vector<answer> answers_of_odd_chunks(const std::string& file, const read_options& reading,
                                          int num_threads, bool on_gpu) {
  const std::unique_ptr<source> in = open_source(file, reading);
  reducer out(everything(in->type(), runtime::nan_policy::propagate, num_threads, on_gpu));
  const std::int64_t item_bytes = info(in->type()).size_bytes;
  constexpr std::int64_t odd_items = 10007;
  const aligned_buffer buffer = make_buffer((odd_items + 1) * item_bytes);
  auto* const shifted = static_cast<std::byte*>(buffer.get()) + item_bytes;
  for (chunk part = in->next(); part.count != 0; part = in->next()) {
    const auto* const items = static_cast<const std::byte*>(part.items);
    for (std::int64_t at = 0; at < part.count; at += odd_items) {
      const std::int64_t count = std::min(odd_items, part.count - at);
      std::memcpy(shifted, items + at * item_bytes, static_cast<std::size_t>(count * item_bytes));
      out.push(shifted, count);
    }
  }
  return out.finish();
}

verdicts check_file(const std::string& file, const read_options& reading,
                    const verified_engine& engine) {
  runtime::use_instruction_set(runtime::instruction_sets().front());
  const std::vector<answer> expected = answers_of_file(file, reading, 1, false);
  runtime::use_instruction_set(engine.instruction_set);
  verdicts different{};
  for (std::size_t cell = 0; cell < thread_counts.size(); ++cell) {
    const int threads = thread_counts[cell];
    const std::string where =
        fmt::format("{}, {}, {} threads", shown_name(file), engine.name, threads);
    const bool same = agrees(expected, answers_of_file(file, reading, threads, engine.on_gpu),
                             where, different, cell) &&
                      agrees(expected, answers_of_odd_chunks(file, reading, threads, engine.on_gpu),
                             where, different, cell);
    different[cell] = !same;
  }
  return different;
}

}  // namespace

int execute(const verify_command& what) {
  std::vector<std::vector<std::string>> table{{"data", "engine"}};
  for (const int threads : thread_counts) {
    table[0].push_back(fmt::format("{} thread{}", threads, threads == 1 ? "" : "s"));
  }
  bool all_same = true;
  const auto add_row = [&](const std::string& name, const verified_engine& engine,
                           const verdicts& found) {
    std::vector<std::string> row{name, engine.name};
    for (const bool different : found) {
      row.emplace_back(different ? "DIFFERENT" : "same");
      all_same = all_same && !different;
    }
    table.push_back(row);
  };
  const std::string used = runtime::instruction_set();
  int code = exit_code::ok;
  const std::vector<verified_engine> engines = engines_here();
  for (const verified_engine& engine : engines) {
    add_row("generated", engine, check_generated(engine));
  }
  for (const std::string& file : what.files) {
    try {
      for (const verified_engine& engine : engines) {
        add_row(shown_name(file), engine, check_file(file, what.reading, engine));
      }
    } catch (const input_error& error) {
      complain_about(file, error.what());
      if (code == exit_code::ok) code = exit_code::input;
    }
  }
  runtime::use_instruction_set(used);
  write_out(aligned_table(table, {align::left}));
  return all_same ? code : exit_code::internal;
}

}  // namespace monofold::cli
