#pragma once
/// cli/fold_source: every item of a file, folded.

#include <functional>
#include <vector>

#include "cli/source.hpp"
#include "runtime/reducer.hpp"

namespace monofold::cli {

/// Called now and then, from any thread, with the bytes that are done.
using on_bytes = std::function<void(std::int64_t)>;

/// Whether the answers are the same for the items in any order.
bool depends_on_order(const runtime::request& what);

/// Appends the items of `in` to `out`.
///
/// order      as one `push` of all items
/// sync       the threads of `out` fetch what they fold, where the source can be read by several
/// errors     `input_error` from the source; `error` for dot, which takes pairs
/// cost       a buffer of `fetch_items` items a thread, where the source has any
/// tested by  tests/cli/fold_source_test.cpp, tests/cli/tool_files_test.py
void fold_source(source& in, runtime::reducer& out, const on_bytes& report);

/// Appends the items of `in` to every one of `outs`, whatever they hold.
void push_source(source& in, const std::vector<runtime::reducer*>& outs, const on_bytes& report);

/// Appends the pairs of items of two sources to `out`.
///
/// errors     `input_error`: one has fewer items than the other
void push_pairs(source& left, source& right, runtime::reducer& out, const on_bytes& report);

}  // namespace monofold::cli
