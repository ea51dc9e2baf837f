#pragma once
/// cli/npy_writer: the beginning of a .npy file.

#include <cstdint>
#include <span>
#include <string>

#include "monofold/platform/dtype.hpp"

namespace monofold::cli {

/// How NumPy writes a type. It has no bfloat16: two bytes without a meaning, which --dtype bf16 gives them when
/// read.
std::string npy_descr(dtype type);

/// The header of an array in row-major order; the items follow. `descr`: Python text, as 'npy_descr' in quotes,
/// or a list of fields.
std::string npy_beginning(const std::string& descr, std::span<const std::int64_t> shape);

}  // namespace monofold::cli
