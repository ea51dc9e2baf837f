#include "runtime/request_rules.hpp"

#include <string>

namespace monofold::runtime {

void check_request(const request& what) {
  if (what.ops.empty()) throw error(status::invalid_argument, "no operation");
  if (what.ddof < 0) throw error(status::invalid_argument, "ddof is negative");
  if (what.num_threads < 0) throw error(status::invalid_argument, "num_threads is negative");
  for (const operation op : what.ops) {
    const std::string name(info(op).name);
    if (!is_defined(op, what.type)) {
      throw error(status::unsupported, name + " of " + std::string(monofold::info(what.type).name));
    }
    if (op == operation::dot && what.ops.size() > 1) {
      throw error(status::unsupported, "dot together with other operations");
    }
    if ((op == operation::top || op == operation::bottom) && what.k < 1) {
      throw error(status::invalid_argument, "k is less than 1");
    }
  }
}

request exact_where_integer(request what) {
  what.plain = what.plain && monofold::info(what.type).is_floating;
  return what;
}

bool is_same_reduction(const request& left, const request& right) {
  return left.type == right.type && left.ops == right.ops && left.nan == right.nan &&
         left.ddof == right.ddof && left.k == right.k && left.plain == right.plain;
}

}  // namespace monofold::runtime
