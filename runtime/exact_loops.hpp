#pragma once
/// runtime/exact_loops: the loops of exact sums, compiled once for the objects that include this.

#include <cstdint>

#include "monofold/fold/exact/accumulator.hpp"
#include "monofold/fold/exact/anchored_sums.hpp"
#include "monofold/fold/exact/moments_sweep.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/item_pair.hpp"
#include "monofold/platform/numbers.hpp"

#if defined(MONOFOLD_EXACT_X86)

// `prefix`: extern, or nothing where they are to be compiled.
#define MONOFOLD_EXACT_RUN(prefix, name, ...)               \
  prefix template void detail::add_run_##name<__VA_ARGS__>( \
      detail::exact_accumulator<__VA_ARGS__>&, const typename __VA_ARGS__::item*, std::int64_t)
#define MONOFOLD_EXACT_RUNS_OF(prefix, ...)          \
  MONOFOLD_EXACT_RUN(prefix, portable, __VA_ARGS__); \
  MONOFOLD_EXACT_RUN(prefix, avx2, __VA_ARGS__);     \
  MONOFOLD_EXACT_RUN(prefix, avx512, __VA_ARGS__)
#define MONOFOLD_EXACT_MOMENTS(prefix, name, Item)               \
  prefix template std::int64_t detail::add_moments_##name<Item>( \
      detail::moments_accumulator<Item>&, const Item*, std::int64_t)
#if defined(MONOFOLD_QUIET_VECTORS)
#define MONOFOLD_EXACT_FACTORS(prefix, Item)                                                     \
  prefix template std::int64_t detail::add_factors_avx512<Item>(                                 \
      detail::exact_accumulator<product_term<item_pair<Item, Item>>>&, const Item*, const Item*, \
      std::int64_t)
#else
#define MONOFOLD_EXACT_FACTORS(prefix, Item)
#endif
#define MONOFOLD_EXACT_RUNS(prefix, Item)                              \
  MONOFOLD_EXACT_RUNS_OF(prefix, value_term<Item>);                    \
  MONOFOLD_EXACT_RUNS_OF(prefix, magnitude_term<Item>);                \
  MONOFOLD_EXACT_RUNS_OF(prefix, square_term<Item>);                   \
  MONOFOLD_EXACT_RUNS_OF(prefix, product_term<item_pair<Item, Item>>); \
  MONOFOLD_EXACT_FACTORS(prefix, Item);                                \
  MONOFOLD_EXACT_MOMENTS(prefix, avx2, Item);                          \
  MONOFOLD_EXACT_MOMENTS(prefix, avx512, Item)
#define MONOFOLD_FEW_SUMS(prefix)                                                                 \
  prefix template void detail::run_avx2<detail::sum_of_few_work>(const detail::sum_of_few_work&); \
  prefix template void detail::run_avx512<detail::sum_of_few_work>(const detail::sum_of_few_work&)

namespace monofold {

MONOFOLD_EXACT_RUNS(extern, double);
MONOFOLD_EXACT_RUNS(extern, float);
MONOFOLD_EXACT_RUNS(extern, float16);
MONOFOLD_EXACT_RUNS(extern, bfloat16);
MONOFOLD_FEW_SUMS(extern);

}  // namespace monofold

#endif
