#pragma once
/// ladder/registry: the only list of rungs; tests, tool, kernels and pages are made from it.
///
/// Standard headers only: the emulated device's copy of the ladder shares these types with the
/// tool.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ladder/sizes.hpp"

namespace monofold::ladder {

/// Who cooperates; for the last three what is asked for is a selection instead of a fold.
enum class level { warp, block, grid, selection };

enum class order {
  any,   // for commutative operators only
  kept,  // for every associative operator: left operands lie left
};

enum class operation { sum, max, min, mean, matmul, top2 };
enum class element_type { int32, int64, float32, float64 };

inline constexpr std::array<std::string_view, 4> level_names{"warp", "block", "grid", "selection"};
inline constexpr std::array<std::string_view, 6> operation_names{"sum",  "max",    "min",
                                                                 "mean", "matmul", "top2"};
inline constexpr std::array<std::string_view, 4> element_names{"int32", "int64", "float32",
                                                               "float64"};

/// Sets of operators and of element types, a bit each.
constexpr unsigned set_of(operation op) { return 1u << static_cast<unsigned>(op); }
constexpr unsigned set_of(element_type type) { return 1u << static_cast<unsigned>(type); }
inline constexpr unsigned three = 1u | 2u | 4u;  // sum, max, min
inline constexpr unsigned four = three | 8u;     // and mean
inline constexpr unsigned five = four | 16u;     // and the product of matrices
inline constexpr unsigned two_largest = 32u;
inline constexpr unsigned every_type = 15u;
inline constexpr unsigned only_int32 = 1u;

/// What a rung needs of n, and what it leaves.
struct requirements {
  std::int64_t most_items = 0;  // it takes so many of the items at most; 0: any number
  int multiple_of = 1;          // n must be a multiple, and not 0
  int items_per_result = 0;     // one result for so many items; 0: one for all
  bool destroys_input = false;
};

struct rung {
  std::string_view name;
  level who;
  order keeps;
  unsigned operators;
  unsigned types;
  requirements needs;
};

inline constexpr requirements one_warp{.most_items = 32};
inline constexpr requirements in_place{
    .multiple_of = block_threads, .items_per_result = block_threads, .destroys_input = true};
inline constexpr requirements block_each{.items_per_result = block_threads};
inline constexpr requirements anything{};

// clang-format off
#define MONOFOLD_LADDER(RUNG)                                                         \
  RUNG(warp_shared_halving,           warp,      any,  four,        every_type, one_warp)   \
  RUNG(warp_shared_halving_unguarded, warp,      any,  four,        every_type, one_warp)   \
  RUNG(warp_shared_adjacent,          warp,      kept, five,        every_type, one_warp)   \
  RUNG(warp_shared_adjacent_padded,   warp,      kept, five,        every_type, one_warp)   \
  RUNG(warp_shuffle,                  warp,      kept, five,        every_type, one_warp)   \
  RUNG(warp_redux,                    warp,      any,  three,       only_int32, one_warp)   \
  RUNG(block_global_inplace,          block,     any,  four,        every_type, in_place)   \
  RUNG(block_global_constant_bounds,  block,     any,  four,        every_type, in_place)   \
  RUNG(block_shared,                  block,     any,  four,        every_type, block_each) \
  RUNG(block_shared_dynamic,          block,     any,  four,        every_type, block_each) \
  RUNG(block_shared_warp_sync,        block,     any,  four,        every_type, block_each) \
  RUNG(block_shared_shuffle,          block,     any,  four,        every_type, block_each) \
  RUNG(block_accumulate,              block,     any,  four,        every_type, anything)   \
  RUNG(block_warps,                   block,     kept, five,        every_type, block_each) \
  RUNG(block_ordered_stream,          block,     kept, five,        every_type, anything)   \
  RUNG(grid_partials_host,            grid,      any,  four,        every_type, anything)   \
  RUNG(grid_two_launch,               grid,      any,  four,        every_type, anything)   \
  RUNG(grid_atomic,                   grid,      any,  four,        every_type, anything)   \
  RUNG(grid_atomic_warp_sync,         grid,      any,  four,        every_type, anything)   \
  RUNG(grid_atomic_shuffle,           grid,      any,  four,        every_type, anything)   \
  RUNG(grid_stride_two_launch,        grid,      any,  four,        every_type, anything)   \
  RUNG(grid_last_block,               grid,      any,  four,        every_type, anything)   \
  RUNG(grid_ordered_two_launch,       grid,      kept, five,        every_type, anything)   \
  RUNG(grid_ordered_last_block,       grid,      kept, five,        every_type, anything)   \
  RUNG(grid_vector,                   grid,      any,  four,        every_type, anything)   \
  RUNG(grid_bulk,                     grid,      kept, five,        every_type, anything)   \
  RUNG(engine,                        grid,      kept, five,        every_type, anything)   \
  RUNG(top2_two_phase,                selection, any,  two_largest, every_type, anything)   \
  RUNG(top2_shuffle,                  selection, any,  two_largest, every_type, anything)   \
  RUNG(top_k,                         selection, any,  two_largest, every_type, anything)
// clang-format on

enum class rung_id {
#define MONOFOLD_RUNG_ID(name, ...) name,
  MONOFOLD_LADDER(MONOFOLD_RUNG_ID)
#undef MONOFOLD_RUNG_ID
};

/// In the order of the ladder.
inline constexpr auto rungs = std::to_array<rung>({
#define MONOFOLD_RUNG_ROW(name, who, keeps, operators, types, needs) \
  {#name, level::who, order::keeps, operators, types, needs},
    MONOFOLD_LADDER(MONOFOLD_RUNG_ROW)
#undef MONOFOLD_RUNG_ROW
});

constexpr const rung& info(rung_id which) { return rungs[static_cast<std::size_t>(which)]; }

/// Whether the rung of a place is the first one of its level.
constexpr bool begins_level(std::size_t place) {
  return place == 0 || rungs[place].who != rungs[place - 1].who;
}

constexpr std::string_view name_of(level who) { return level_names[static_cast<std::size_t>(who)]; }
constexpr std::string_view name_of(order keeps) { return keeps == order::kept ? "kept" : "any"; }
constexpr std::string_view name_of(operation op) {
  return operation_names[static_cast<std::size_t>(op)];
}
constexpr std::string_view name_of(element_type type) {
  return element_names[static_cast<std::size_t>(type)];
}

constexpr bool takes(const rung& which, operation op, element_type type) {
  return (which.operators & set_of(op)) != 0 && (which.types & set_of(type)) != 0;
}

/// What a rung is run with where nobody says: its first operator.
constexpr operation first_operator(const rung& which) {
  return takes(which, operation::sum, element_type::int32) ? operation::sum : operation::top2;
}

/// How many of n items a rung takes.
constexpr std::int64_t items_taken(const rung& which, std::int64_t n) {
  const std::int64_t most = which.needs.most_items;
  return most != 0 && n > most ? most : n;
}

/// How many results it leaves.
constexpr std::int64_t results_of(const rung& which, std::int64_t n) {
  const int each = which.needs.items_per_result;
  return each == 0 || n <= each ? 1 : (n + each - 1) / each;
}

/// Why a rung cannot do what is asked; empty: it can.
std::string why_not(const rung& which, operation op, element_type type, std::int64_t n);

}  // namespace monofold::ladder
