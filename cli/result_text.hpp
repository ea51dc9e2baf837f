#pragma once
/// cli/result_text: why a question has no answer, in words.

#include <string>
#include <vector>

#include "runtime/reducer.hpp"

namespace monofold::cli {

/// The reason that the first operation without an answer gives, after the names of all operations
/// that give the same one: "min, max: no result: no items". Empty: every operation has an answer.
///
/// tested by  tests/cli/report_test.cpp
std::string why_no_result(const std::vector<runtime::answer>& answers, const runtime::request& what,
                          std::int64_t count);

/// Throws `no_result_error` for an operation that the type of items does not have.
void check_defined(const runtime::request& what);

}  // namespace monofold::cli
