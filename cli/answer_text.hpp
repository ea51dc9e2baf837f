#pragma once
/// cli/answer_text: answers as pieces of text, for reports of every form.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/number_text.hpp"
#include "monofold/platform/dtype.hpp"
#include "runtime/reducer.hpp"

namespace monofold::cli {

/// A part of an answer under a name: value, min, index, values, ...
struct answer_part {
  std::string name;
  bool is_list = false;
  std::vector<std::string> texts{};
};

/// Whether the answer is an index, and the item only beside it.
constexpr bool is_position(runtime::operation op) {
  return op == runtime::operation::argmin || op == runtime::operation::argmax;
}
constexpr bool is_list(runtime::operation op) {
  return op == runtime::operation::top || op == runtime::operation::bottom;
}

/// What the two numbers of a pair are called.
constexpr std::array<std::string_view, 2> names_of_pair(runtime::operation op) {
  if (op == runtime::operation::minmax) return {"min", "max"};
  return {"max", "sum"};
}

/// Everything an answer says, in the order in which it is printed.
std::vector<answer_part> parts_of(const runtime::answer& from, dtype type, number_form form);

/// What text shows of an answer in one line; of argmin and argmax the index alone.
std::string one_line(const runtime::answer& from, dtype type, number_form form);

/// Members of a JSON object, without its braces.
std::string json_parts(const std::vector<answer_part>& parts);
/// The answer of one among several operations: a number, or an object of the parts.
std::string json_answer(const runtime::answer& from, dtype type, number_form form);

/// A row of CSV, quoted where it must be.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace monofold::cli
