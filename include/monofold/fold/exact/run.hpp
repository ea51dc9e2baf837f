#pragma once
/// fold/exact/run: adds a run of items to exact sums, in whatever way is fastest for them.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/exact/digits_run.hpp"
#include "monofold/fold/exact/exponent_table.hpp"
#include "monofold/fold/exact/kept_levels.hpp"
#include "monofold/fold/exact/level_run.hpp"
#include "monofold/fold/exact/product_sweep.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/term.hpp"
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
struct exact_run {
  exact_state<typename Term::number> state;
  kept_levels kept;
  exponent_table<Term> table;

  exact_state<typename Term::number> total() const {
    exact_state<typename Term::number> out = state;
    kept.give_to(out.sum);
    table.give_to(out.sum);
    return out;
  }
};

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
/// A state of products, and what their parts have added up. In code compiled with -ffast-math too: a
/// program may have both, and one layout.
template <class Pair>
struct exact_run<product_term<Pair>> {
  using number = typename product_term<Pair>::number;
  exact_state<number> state;
  product_levels levels;
  part_run<number> part[pair_products<Pair>::parts];

  exact_state<number> total() const {
    exact_state<number> out = state;
    levels.kept.give_to(out.sum);
    for (const part_run<number>& run : part) run.give_to(out.sum);
    out.counts.other |= part[0].state.counts.other;
    return out;
  }
};
#endif

#if defined(__GNUC__) && !defined(__CUDA_ARCH__) && MONOFOLD_STRICT_DOUBLES
#define MONOFOLD_EXACT_LEVELS 1

/// Fewer items than this are added one by one: so much costs a block of levels.
inline constexpr int least_levels = 24;

template <class Term>
inline constexpr bool is_product_v = false;
template <class Pair>
inline constexpr bool is_product_v<product_term<Pair>> = true;

/// Squares of doubles have rests, which take a fused multiply-add.
template <int bytes, bool fused, class Term>
MONOFOLD_INLINE void add_run_by_levels(exact_run<Term>& run, const typename Term::item* items,
                                       std::int64_t count) {
  if constexpr (is_product_v<Term>) {
    sweep_run_of_products<bytes, fused>(run.state, run.levels, run.part, items, count);
  } else if constexpr (!fused && parts_of_term<swept_term<Term>::kind, typename Term::item> == 2) {
    add_run_by_digits<Term>(run.state, items, count);
  } else {
    level_run<bytes, Term>(run.state, run.kept, run.table).add(items, count);
  }
}

/// In a function of its own, once a kind of term: it is large.
template <class Term>
__attribute__((noinline)) void add_run_portable(exact_run<Term>& run,
                                                const typename Term::item* items,
                                                std::int64_t count) {
  add_run_by_levels<16, false, Term>(run, items, count);
}

#if defined(__x86_64__) && !defined(__CUDACC__)
#define MONOFOLD_EXACT_X86 1

/// The same with vectors of four doubles and fused multiply-adds: the loops inlined here take the
/// instruction set of this function.
template <class Term>
__attribute__((target("avx2,fma,bmi2"), noinline)) void add_run_avx2(
    exact_run<Term>& run, const typename Term::item* items, std::int64_t count) {
  add_run_by_levels<32, true, Term>(run, items, count);
}

/// The same with vectors of eight doubles.
template <class Term>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2"), noinline)) void
add_run_avx512(exact_run<Term>& run, const typename Term::item* items, std::int64_t count) {
  add_run_by_levels<64, true, Term>(run, items, count);
}
#endif

#endif  // levels

/// run += the terms of `count` items, in the fastest way of the instruction set in use.
template <class Term>
MONOFOLD_INLINE void add_to_run(exact_run<Term>& run, const typename Term::item* items,
                                std::int64_t count) {
#if defined(MONOFOLD_EXACT_LEVELS)
  if (count >= detail::least_levels) {
    const strict_arithmetic arithmetic;
    if (arithmetic.holds()) {
#if defined(MONOFOLD_EXACT_X86)
      switch (instruction_set_in_use()) {
        case instruction_set::avx512: return add_run_avx512<Term>(run, items, count);
        case instruction_set::avx2: return add_run_avx2<Term>(run, items, count);
        case instruction_set::baseline: break;
      }
#endif
      return add_run_portable<Term>(run, items, count);
    }
  }
#endif
  add_run_by_digits<Term>(run.state, items, count);
}

}  // namespace detail

/// A sum that is still taking runs: what one run has taught, the next one uses.
///
/// shape      some 10 KiB; `total` makes a state of it, at any time
/// order      exact: any
/// tested by  tests/exact/run_test.cpp
template <class Term>
class exact_running_sum {
 public:
  using state = exact_state<typename Term::number>;

  explicit exact_running_sum(const state& start = zero_state<typename Term::number>()) {
    run_.state = start;
  }
  void add(const typename Term::item* items, std::int64_t count) {
    detail::add_to_run(run_, items, count);
  }
  state total() const { return run_.total(); }
  /// Of what was added.
  const std::int64_t& nans() const { return run_.state.counts.nan; }

 private:
  detail::exact_run<Term> run_;
};

/// own += the terms of `count` items.
///
/// order      exact: any
/// tested by  tests/exact/run_test.cpp, tests/exact/environment_test.cpp
template <class Term>
MONOFOLD_HD void add_run(exact_state<typename Term::number>& own, const typename Term::item* items,
                         std::int64_t count) {
#if defined(MONOFOLD_EXACT_LEVELS)
  if (count >= detail::least_levels) {
    detail::exact_run<Term> run;
    run.state = own;
    detail::add_to_run(run, items, count);
    own = run.total();
    return;
  }
#endif
  detail::add_run_by_digits<Term>(own, items, count);
}

}  // namespace monofold
