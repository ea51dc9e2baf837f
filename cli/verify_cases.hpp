#pragma once
/// cli/verify_cases: generated data, and the ways in which `verify` hands it to a reducer.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/array_source.hpp"
#include "monofold/platform/dtype.hpp"
#include "runtime/reducer.hpp"

namespace monofold::cli {

/// Items, and how NaN among them count.
struct verify_case {
  std::string name;
  dtype type;
  runtime::nan_policy nan;
  std::int64_t num_items;
  aligned_buffer items;
};

/// Every element type with ordinary numbers and with hard ones; floats also with NaN left out.
std::vector<verify_case> verify_cases();

/// How the items are cut into pushes. `single`: one item at a time (the first items only); `shards`:
/// reducers for parts that begin at multiples of 4096 items, merged.
enum class cut { whole, shifted, odd, single, shards };
inline constexpr std::array<cut, 5> every_cut{cut::whole, cut::shifted, cut::odd, cut::single,
                                              cut::shards};
std::string_view name_of(cut how);

/// A request for every operation but dot that is defined for the type.
runtime::request everything(dtype type, runtime::nan_policy nan, int num_threads,
                            bool on_gpu = false);

/// The answers by a reducer for each operation alone, one push and one thread; then dot and the
/// plain sums.
std::vector<runtime::answer> one_by_one(const verify_case& data);

/// The same answers by one reducer for all operations, one for dot and one for the plain sums.
std::vector<runtime::answer> in_pieces(const verify_case& data, cut how, int num_threads,
                                       bool on_gpu);

}  // namespace monofold::cli
