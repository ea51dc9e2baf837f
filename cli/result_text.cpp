#include "cli/result_text.hpp"

#include <fmt/core.h>

#include "cli/failure.hpp"

namespace monofold::cli {
namespace {

using runtime::operation;

std::string too_few(const runtime::answer& from, const runtime::request& what, std::int64_t count) {
  // Under `omit` the number of items that are left is not known here, only that they are too few.
  const bool omit = what.nan == runtime::nan_policy::omit && info(what.type).is_floating;
  const std::string items = omit && count > 0
                                ? fmt::format("of {} items too few are not NaN", count)
                                : fmt::format("{} {}", count, count == 1 ? "item" : "items");
  switch (from.op) {
    case operation::top:
    case operation::bottom: return fmt::format("{}, -k asks for {}", items, what.k);
    case operation::var:
    case operation::std:
      if (count > 0) return fmt::format("{}, --ddof is {}", items, what.ddof);
      return "no items";
    default: return count > 0 ? "every item is NaN" : "no items";
  }
}

std::string reason(const runtime::answer& from, const runtime::request& what, std::int64_t count) {
  switch (from.code) {
    case status::empty_input: return "no result: " + too_few(from, what, count);
    case status::integer_overflow: return "no result: the exact value does not fit 64 bits";
    case status::nan_found: return fmt::format("no result: item {} is NaN", from.first_nan);
    default: return describe(from.code);
  }
}

}  // namespace

std::string why_no_result(const std::vector<runtime::answer>& answers, const runtime::request& what,
                          std::int64_t count) {
  std::string names;
  std::string why;
  for (const runtime::answer& from : answers) {
    if (from.code == status::ok) continue;
    const std::string own = reason(from, what, count);
    if (why.empty()) why = own;
    if (own != why) continue;
    names += (names.empty() ? "" : ", ") + std::string(runtime::info(from.op).name);
  }
  return why.empty() ? "" : names + ": " + why;
}

void check_defined(const runtime::request& what) {
  for (const operation op : what.ops) {
    if (runtime::is_defined(op, what.type)) continue;
    throw no_result_error(fmt::format("{}: no result: not defined for {}", runtime::info(op).name,
                                      info(what.type).name));
  }
}

}  // namespace monofold::cli
