#pragma once
/// cli/npy_descr: which element type a NumPy type string such as '<f8' names.

#include <optional>
#include <string>
#include <string_view>

#include "monofold/platform/dtype.hpp"

namespace monofold::cli {

struct npy_descr {
  dtype type = dtype::float64;
  bool swapped = false;  // the items are not in this machine's byte order
  std::string problem;   // why there is no such element type; empty: there is
};

/// The meaning of an optional byte order (< > = |), a letter and a size in bytes. `V2` is bfloat16
/// if the user said so in `type`, since NumPy knows it as two bytes without a meaning only.
npy_descr parse_npy_descr(std::string_view descr, std::optional<dtype> type);

}  // namespace monofold::cli
