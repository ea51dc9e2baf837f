#pragma once
/// fold/exact/accumulator: adds a run of items to exact sums, in whatever way is fastest for them.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/exact/add_by_digits.hpp"
#include "monofold/fold/exact/bin_accumulator.hpp"
#include "monofold/fold/exact/exponent_table.hpp"
#include "monofold/fold/exact/kept_bins.hpp"
#include "monofold/fold/exact/product_sweep.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/exact/verified_products.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/instruction_set.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

namespace monofold {

namespace detail {

/// A state, and what was added but is not in its sum yet.
template <class Term>
struct exact_accumulator {
  exact_state<typename Term::number> state;
  kept_bins kept;
  exponent_table<Term> table;

  exact_state<typename Term::number> total() const {
    exact_state<typename Term::number> out = state;
    kept.add_to(out.sum);
    table.add_to(out.sum);
    return out;
  }
};

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
/// A state of products, and what their parts have added up. In code compiled with -ffast-math too: a
/// program may have both, and one layout.
template <class Pair>
struct exact_accumulator<product_term<Pair>> {
  using number = typename product_term<Pair>::number;
  exact_state<number> state;
  product_bins bins;
  part_accumulator<number> part[pair_products<Pair>::parts];

  exact_state<number> total() const {
    exact_state<number> out = state;
    bins.kept.add_to(out.sum);
    for (const part_accumulator<number>& sums : part) sums.add_to(out.sum);
    out.counts.minus_zeros += part[0].state.counts.minus_zeros;
    return out;
  }
};
#endif

#if defined(__GNUC__) && !defined(__CUDA_ARCH__) && MONOFOLD_STRICT_DOUBLES
#define MONOFOLD_EXACT_LEVELS 1

/// Fewer items than this are added one by one: so much costs a block of bins.
inline constexpr int least_bins = 24;

template <class Term>
inline constexpr bool is_product_v = false;
template <class Pair>
inline constexpr bool is_product_v<product_term<Pair>> = true;

/// Squares of doubles have rests, which take a fused multiply-add.
template <int bytes, bool fused, class Term>
MONOFOLD_INLINE void add_run_by_bins(exact_accumulator<Term>& sums,
                                     const typename Term::item* items, std::int64_t count) {
  if constexpr (is_product_v<Term>) {
    sweep_run_of_products<bytes, fused>(sums.state, sums.bins, sums.part, items, count);
  } else if constexpr (!fused && parts_of_term<swept_term<Term>::kind, typename Term::item> == 2) {
    add_run_by_digits<Term>(sums.state, items, count);
  } else {
    bin_accumulator<bytes, Term>(sums.state, sums.kept, sums.table).add(items, count);
  }
}

/// In a function of its own, once a kind of term: it is large.
template <class Term>
__attribute__((noinline)) void add_run_portable(exact_accumulator<Term>& sums,
                                                const typename Term::item* items,
                                                std::int64_t count) {
  add_run_by_bins<16, false, Term>(sums, items, count);
}

#if defined(__x86_64__) && !defined(__CUDACC__)
#define MONOFOLD_EXACT_X86 1

/// The same with vectors of four doubles and fused multiply-adds: the loops inlined here take the
/// instruction set of this function.
template <class Term>
__attribute__((target("avx2,fma,bmi2"), noinline)) void add_run_avx2(
    exact_accumulator<Term>& sums, const typename Term::item* items, std::int64_t count) {
  add_run_by_bins<32, true, Term>(sums, items, count);
}

/// The same with vectors of eight doubles.
template <class Term>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2"), noinline)) void
add_run_avx512(exact_accumulator<Term>& sums, const typename Term::item* items,
               std::int64_t count) {
  add_run_by_bins<64, true, Term>(sums, items, count);
}
#if defined(MONOFOLD_QUIET_VECTORS)
template <class Item>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2"), noinline)) std::int64_t
add_factors_avx512(exact_accumulator<product_term<item_pair<Item, Item>>>& sums, const Item* left,
                   const Item* right, std::int64_t count) {
  return factor_sweep<Item>::add(sums.state, sums.bins, left, right, count);
}
#endif
#endif

#endif  // bins

/// sums += the terms of `count` items, in the fastest way of the instruction set in use.
template <class Term>
MONOFOLD_INLINE void add_to_accumulator(exact_accumulator<Term>& sums,
                                        const typename Term::item* items, std::int64_t count) {
#if defined(MONOFOLD_EXACT_LEVELS)
  if (count >= detail::least_bins) {
    const strict_arithmetic arithmetic;
    if (arithmetic.holds()) {
#if defined(MONOFOLD_EXACT_X86)
      switch (instruction_set_in_use()) {
        case instruction_set::avx512: return add_run_avx512<Term>(sums, items, count);
        case instruction_set::avx2: return add_run_avx2<Term>(sums, items, count);
        case instruction_set::baseline: break;
      }
#endif
      return add_run_portable<Term>(sums, items, count);
    }
  }
#endif
  add_run_by_digits<Term>(sums.state, items, count);
}

/// sums += products of the first factors of two arrays: how many, where a fast way does not take pairs. The rest is for
/// `add_to_accumulator`.
template <class Item>
MONOFOLD_INLINE std::int64_t add_factors(
    [[maybe_unused]] exact_accumulator<product_term<item_pair<Item, Item>>>& sums,
    [[maybe_unused]] const Item* left, [[maybe_unused]] const Item* right,
    [[maybe_unused]] std::int64_t count) {
#if defined(MONOFOLD_EXACT_X86) && defined(MONOFOLD_QUIET_VECTORS)
  if (instruction_set_in_use() == instruction_set::avx512) {
    const strict_arithmetic arithmetic;
    return add_factors_avx512<Item>(sums, left, right, count);
  }
#endif
  return 0;
}

}  // namespace detail

/// A sum that is still taking runs: what one run has taught, the next one uses.
///
/// shape      some 10 KiB; `total` makes a state of it, at any time
/// order      exact: any
/// tested by  tests/exact/accumulator_test.cpp
template <class Term>
class exact_running_sum {
 public:
  using state = exact_state<typename Term::number>;

  explicit exact_running_sum(const state& start = zero_state<typename Term::number>()) {
    sums_.state = start;
  }
  void add(const typename Term::item* items, std::int64_t count) {
    detail::add_to_accumulator(sums_, items, count);
  }
  /// Adds the first pairs of two arrays; says how many. The others are for `add`.
  template <class Item>
  std::int64_t add_factors(const Item* left, const Item* right, std::int64_t count) {
    return detail::add_factors(sums_, left, right, count);
  }
  state total() const { return sums_.total(); }
  /// How many NaN were added.
  const std::int64_t& nans() const { return sums_.state.counts.nan; }

 private:
  detail::exact_accumulator<Term> sums_;
};

/// own += the terms of `count` items.
///
/// order      exact: any
/// tested by  tests/exact/accumulator_test.cpp, tests/exact/environment_test.cpp
template <class Term>
MONOFOLD_HD void add_run(exact_state<typename Term::number>& own, const typename Term::item* items,
                         std::int64_t count) {
#if defined(MONOFOLD_EXACT_LEVELS)
  if (count >= detail::least_bins) {
    detail::exact_accumulator<Term> sums;
    sums.state = own;
    detail::add_to_accumulator(sums, items, count);
    own = sums.total();
    return;
  }
#endif
  detail::add_run_by_digits<Term>(own, items, count);
}

}  // namespace monofold
