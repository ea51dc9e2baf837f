#include "ladder/registry.hpp"

namespace monofold::ladder {

namespace {

template <class Names>
std::string names_in(const Names& names, unsigned set) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((set >> i & 1u) != 0) out += (out.empty() ? "" : ", ") + std::string(names[i]);
  }
  return out;
}

}  // namespace

std::string why_not(const rung& which, operation op, element_type type, std::int64_t n) {
  const auto multiple = which.needs.multiple_of;
  if (op == operation::matmul && which.keeps == order::any && which.who != level::selection) {
    return "does not keep order, which the product of matrices needs";
  }
  if ((which.operators & set_of(op)) == 0) {
    return "takes " + names_in(operation_names, which.operators) + ", not " +
           std::string(name_of(op));
  }
  if ((which.types & set_of(type)) == 0) {
    return "takes " + names_in(element_names, which.types) + ", not " + std::string(name_of(type));
  }
  if (n < 0) return "n is " + std::to_string(n);
  if (n == 0 && multiple != 1) return "has no bounds test: n must not be 0";
  if (n % multiple != 0) {
    return "has no bounds test: n must be a multiple of " + std::to_string(multiple) + ", not " +
           std::to_string(n);
  }
  return {};
}

}  // namespace monofold::ladder
