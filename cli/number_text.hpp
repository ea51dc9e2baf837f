#pragma once
/// cli/number_text: numbers as text that reads back to the same bits.

#include <string>

#include "monofold/platform/dtype.hpp"
#include "runtime/reducer.hpp"

namespace monofold::cli {

/// decimal    the shortest digits that read back; whole numbers of integer type without a point
/// json       the same, but nan, inf and -inf are strings, and -0 is -0.0, which stays negative
/// hex        floats as in C's %a (0x1.8p+0), which strtod and Python's float.fromhex read; nan, inf
///            and -inf as they are
/// json_hex   the same as JSON strings
enum class number_form { decimal, json, hex, json_hex };

/// One number of an answer. `type` is that of the items and `op` the operation, since an answer that
/// is an item of 16 bits has a shorter text than the float that holds it.
///
/// tested by  tests/cli/report_test.cpp, tests/cli/tool_test.py
std::string number_text(const runtime::number& value, number_form form, dtype type,
                        runtime::operation op);

}  // namespace monofold::cli
