#pragma once
/// ladder/tracing: what the tool asks of the library that plays rungs step by step.
///
/// Standard headers only, as ladder/device.hpp. The library is libmonofold_traced: the rungs on the
/// emulated device, with the lines of their sources and with blocks of 64 threads, so that a page can
/// show each of them.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ladder/registry.hpp"

namespace monofold::ladder {

/// letters: the concatenation of letters, which shows in which order operands came.
enum class trace_operation { sum, max, matmul, top2, letters };

inline constexpr std::array<std::string_view, 5> trace_operation_names{"sum", "max", "matmul",
                                                                       "top2", "letters"};
constexpr std::string_view name_of(trace_operation op) {
  return trace_operation_names[static_cast<std::size_t>(op)];
}

inline constexpr std::int64_t most_traced_items = 1024;
inline constexpr std::int64_t most_traced_letters = 64;  // there are so many letters
inline constexpr std::int64_t traced_block_threads = 64;

struct trace_request {
  rung_id which{};
  std::optional<trace_operation> op;       // none: the first that the rung takes, or its mistake's
  std::optional<std::int64_t> n;           // none: 32 of warp rungs, 256 of grid rungs, else 128
  bool is_mistaken = false;                // the mistake of the rung's page
  std::optional<rung_id> like_mistake_of;  // with the items that show the mistake of this rung
  std::string title;                       // the rung's, from its page
  std::string mistake;
};

struct trace_row {
  std::string name;
  trace_operation op{};
  std::int64_t n = 0;
  std::string refused;  // why it cannot be played; empty: it was
  std::string problem;  // what the emulated device found; empty: nothing
  bool ok = false;      // the result is right
  std::string result;
  std::string wanted;
  std::int64_t steps = 0;
};

struct trace_answer {
  std::vector<trace_row> rows;  // of each request
  std::string json;             // a document (docs/traces.md); empty where a request was refused
  std::string page;
};

/// Plays one or two runs.
using trace_maker = void (*)(const std::vector<trace_request>& what, trace_answer& out);

/// The names of the library's file, of the maker in it, and of a function that gives its version.
inline constexpr char tracing_library[] = "libmonofold_traced.so";
inline constexpr char tracing_symbol[] = "monofold_ladder_trace";
inline constexpr char tracing_version_symbol[] = "monofold_ladder_trace_version";

}  // namespace monofold::ladder
