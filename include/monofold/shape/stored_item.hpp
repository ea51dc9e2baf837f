#pragma once
/// shape/stored_item: the short floats of CUDA's headers, and the types of the same bits that folds know.

#include <type_traits>

#include "monofold/platform/numbers.hpp"

// <cuda_fp16.h> and <cuda_bf16.h> define these; a user may include them.
struct __half;         // NOLINT
struct __nv_bfloat16;  // NOLINT

namespace monofold::detail {

template <class Item>
struct stored_as {
  using type = Item;
};
template <>
struct stored_as<::__half> {
  using type = float16;
};
template <>
struct stored_as<::__nv_bfloat16> {
  using type = bfloat16;
};
/// float16 for __half, bfloat16 for __nv_bfloat16; any other type is its own.
template <class Item>
using stored_as_t = typename stored_as<Item>::type;

/// Whether items lie in memory as `Item`, but have CUDA's name.
template <class Other, class Item>
concept other_name_of = !std::is_same_v<Other, Item> && std::is_same_v<stored_as_t<Other>, Item>;

}  // namespace monofold::detail
