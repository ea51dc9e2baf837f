/// bench/ours/runtime: the compiled library, asked as the tool asks it.

#include <cstdint>
#include <variant>
#include <vector>

#include "bench/ours/ours.hpp"
#include "monofold/platform/dtype.hpp"
#include "runtime/operation.hpp"
#include "runtime/reducer.hpp"

namespace bench {

namespace {

namespace rt = monofold::runtime;
using named = rt::operation;

monofold::dtype dtype_of(item_type type) {
  switch (type) {
    case item_type::float32: return monofold::dtype::float32;
    case item_type::float64: return monofold::dtype::float64;
    case item_type::int32: return monofold::dtype::int32;
    default: return monofold::dtype::int8;
  }
}

std::vector<named> names_of(operation op) {
  switch (op) {
    case operation::sum:
    case operation::plain_sum: return {named::sum};
    case operation::min: return {named::min};
    case operation::max: return {named::max};
    case operation::argmax: return {named::argmax};
    case operation::var: return {named::var};
    case operation::stats:
      return {named::count, named::sum, named::min,    named::max,
              named::mean,  named::var, named::argmin, named::argmax};
    case operation::top10: return {named::top};
    default: return {};
  }
}

}  // namespace

std::function<outcome()> runtime_call(operation op, const dataset& data) {
  rt::request what;
  what.type = dtype_of(data.type);
  what.ops = names_of(op);
  what.plain = op == operation::plain_sum;
  if (what.ops.empty()) return {};
  return timed([what, data] {
    rt::reducer reducer(what);
    reducer.push(data.items, data.count);
    std::vector<double> values;
    for (const rt::answer& answer : reducer.finish()) {
      if (answer.op == named::argmin || answer.op == named::argmax) {
        values.push_back(static_cast<double>(answer.indices.at(0)));
        continue;
      }
      for (const rt::number& value : answer.values) {
        values.push_back(std::visit([](auto v) { return static_cast<double>(v); }, value));
      }
    }
    return values;
  });
}

std::function<outcome()> runtime_sum_call(monofold::dtype type, const void* items,
                                          std::int64_t count, bool plain, int num_threads) {
  rt::request what;
  what.type = type;
  what.ops = {named::sum};
  what.plain = plain;
  what.num_threads = num_threads;
  return timed([what, items, count] {
    rt::reducer reducer(what);
    reducer.push(items, count);
    const rt::number sum = reducer.finish().at(0).values.at(0);
    return std::vector{std::visit([](auto v) { return static_cast<double>(v); }, sum)};
  });
}

std::string runtime_instruction_set() { return rt::instruction_set(); }

}  // namespace bench
