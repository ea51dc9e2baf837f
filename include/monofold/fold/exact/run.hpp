#pragma once
/// fold/exact/run: adds a run of items to exact sums, in whatever way is fastest for them.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/exact/cascade.hpp"
#include "monofold/fold/exact/digits_run.hpp"
#include "monofold/fold/exact/exponent_table.hpp"
#include "monofold/fold/exact/kept_levels.hpp"
#include "monofold/fold/exact/level_run.hpp"
#include "monofold/fold/exact/narrow.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
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

#if defined(__GNUC__) && !defined(__CUDA_ARCH__) && MONOFOLD_STRICT_DOUBLES
#define MONOFOLD_EXACT_LEVELS 1

/// Fewer items than this are added one by one: so much costs a block of levels.
inline constexpr int least_levels = 24;

/// How the terms of a block become numbers without error that levels can add.
template <class Term>
struct block_terms;

/// Numbers of at most 53 significant bits that a double holds with room to spare.
template <class Item>
inline constexpr bool fits_double_v = is_floating_v<Item> ||
                                      (std::is_integral_v<Item> && sizeof(Item) <= 4);

/// A product of two of them that is exact in a double: two floats have 48 bits, and no over- or
/// underflow.
template <class Item>
inline constexpr bool is_short_v = is_floating_v<Item> && !std::is_same_v<Item, double>;

/// Not 0 for an infinity or NaN of a type whose conversion by `load_floats` hides it: float16.
template <class Item>
MONOFOLD_INLINE std::uint32_t hidden_special(const Item& x) {
  if constexpr (std::is_same_v<Item, float16>) {
    return ((x.bits & 0x7fffu) + 0x400u) & 0x8000u;  // its exponent field is all ones
  } else {
    return 0;
  }
}

template <class Item>
inline constexpr int scale_v = 0;
template <>
inline constexpr int scale_v<float16> = narrow_item<float16>::scale;

/// Eight neighbours as doubles; scaled: times 2^-scale_v.
template <bool scaled, class Item>
MONOFOLD_INLINE void load_eight(const Item* items, double* out) {
  if constexpr (is_short_v<Item> && (scaled || scale_v<Item> == 0)) {
    four_floats x[2];
    load_floats<Item, false>(items, x);
    store_doubles(x, out);
  } else {
    for (int l = 0; l < 8; ++l) out[l] = static_cast<double>(items[l]);
  }
}

/// Products of eight pairs of factors: p = x y rounded, and what is left, e = x y - p.
///
/// e is exact where p is finite and its last bit, at least 2^-105 |p|, lies above 2^-1074: where
/// |p| >= 2^-960. `inexact` gets a bit where a smaller product has no factor that is zero.
MONOFOLD_INLINE void multiply_eight(const double* x, const double* y, double* p, double* e,
                                    std::int64_t* inexact) {
  MONOFOLD_AS_WRITTEN
  for (int l = 0; l < 8; ++l) p[l] = x[l] * y[l];
  for (int l = 0; l < 8; ++l) e[l] = __builtin_fma(x[l], y[l], -p[l]);
  for (int l = 0; l < 8; ++l) {
    const std::int64_t small = __builtin_fabs(p[l]) < 0x1p-960 ? 1 : 0;
    const std::int64_t left = x[l] != 0 ? small : 0;
    inexact[l] |= y[l] != 0 ? left : 0;
  }
}

/// own += products of `count` pairs; `load(i, x, y)` gives eight pairs of factors, from pair i on, whose
/// products are 2^scale times too small: only where they are exact.
template <int bytes, bool is_exact, class Number, class Load>
MONOFOLD_INLINE block_outcome add_products(Number& own, int count, int scale, const Load& load) {
  MONOFOLD_AS_WRITTEN
  double p[cascade_block];
  double x[8], y[8];
  if constexpr (is_exact) {
    for (int i = 0; i < count; i += 8) {
      load(i, x, y);
      for (int l = 0; l < 8; ++l) p[i + l] = x[l] * y[l];
    }
    return add_doubles<bytes>(own, p, count, scale);
  } else {
    double e[cascade_block];
    std::int64_t inexact[8] = {};
    for (int i = 0; i < count; i += 8) {
      load(i, x, y);
      multiply_eight(x, y, p + i, e + i, inexact);
    }
    for (const std::int64_t any : inexact) {
      if (any != 0) return block_outcome::spills;
    }
    // The rests first: where p has an infinity, e has a NaN.
    Number sum = own;
    if (add_doubles<bytes>(sum, e, count, 0) == block_outcome::spills) {
      return block_outcome::spills;
    }
    const block_outcome outcome = add_doubles<bytes>(sum, p, count, 0);
    if (outcome == block_outcome::added) own = sum;
    return outcome;
  }
}

template <class Pair>
struct block_terms<product_term<Pair>> {
  using left = typename product_term<Pair>::left;
  using right = typename product_term<Pair>::right;

  template <int bytes, bool fused, class Number>
  MONOFOLD_INLINE static block_outcome add(Number& own, const Pair* items, int count) {
    constexpr bool is_exact = is_short_v<left> && is_short_v<right>;
    if constexpr (!is_exact && !(fused && fits_double_v<left> && fits_double_v<right>)) {
      return block_outcome::spills;
    }
    std::uint32_t special = 0;
    for (int i = 0; i < count; ++i) {
      special |= hidden_special(items[i].left) | hidden_special(items[i].right);
    }
    if (special != 0) return block_outcome::spills;
    const auto load = [ items, count ](int i, double* x, double* y) __attribute__((always_inline)) {
      left a[8] = {};
      right b[8] = {};
      if (i + 8 <= count) {
        for (int l = 0; l < 8; ++l) a[l] = items[i + l].left;
        for (int l = 0; l < 8; ++l) b[l] = items[i + l].right;
      } else {
        for (int l = 0; i + l < count; ++l) a[l] = items[i + l].left;
        for (int l = 0; i + l < count; ++l) b[l] = items[i + l].right;
      }
      load_eight<is_exact>(a, x);
      load_eight<is_exact>(b, y);
    };
    constexpr int scale = is_exact ? scale_v<left> + scale_v<right> : 0;
    return add_products<bytes, is_exact>(own, count, scale, load);
  }
  MONOFOLD_INLINE static bool any_other_zero(const Pair* items, int count) {
    bool any = false;
    for (int i = 0; i < count; ++i) any |= !product_term<Pair>::of(items[i]).is_minus_zero();
    return any;
  }
};

/// Blocks of a run of products by levels, and by digits where those cannot.
template <int bytes, bool fused, class Term>
MONOFOLD_INLINE void add_products_by_levels(exact_state<typename Term::number>& own,
                                            const typename Term::item* items, std::int64_t count) {
  using terms = block_terms<Term>;
  constexpr int block = sizeof(typename Term::item) == 4 ? 1024 : cascade_block;
  for (std::int64_t at = 0; at < count; at += block) {
    const int n = count - at < block ? static_cast<int>(count - at) : block;
    const block_outcome outcome = terms::template add<bytes, fused>(own.sum, items + at, n);
    if (outcome == block_outcome::spills) {
      add_run_by_digits<Term>(own, items + at, n);
      continue;
    }
    own.counts.items += n;
    if (outcome == block_outcome::added || terms::any_other_zero(items + at, n)) {
      own.counts.other = 1;
    }
  }
}

/// Squares of doubles have rests, which take a fused multiply-add.
template <int bytes, bool fused, class Term>
MONOFOLD_INLINE void add_run_by_levels(exact_run<Term>& run, const typename Term::item* items,
                                       std::int64_t count) {
  if constexpr (!swept_term<Term>::is_swept) {
    add_products_by_levels<bytes, fused, Term>(run.state, items, count);
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

/// Whether this processor has what `add_run_avx2` is compiled for.
MONOFOLD_INLINE bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
}

/// The same with vectors of four doubles and fused multiply-adds: the loops inlined here take the
/// instruction set of this function.
template <class Term>
__attribute__((target("avx2,fma,bmi2"), noinline)) void add_run_avx2(
    exact_run<Term>& run, const typename Term::item* items, std::int64_t count) {
  add_run_by_levels<32, true, Term>(run, items, count);
}

/// What vectors of eight doubles are good for: squares of halves get slower.
template <class Term>
inline constexpr bool has_widest_v = swept_term<Term>::is_swept;
template <>
inline constexpr bool has_widest_v<square_term<float16>> = false;
template <>
inline constexpr bool has_widest_v<square_term<bfloat16>> = false;

/// Whether it has what `add_run_avx512` is compiled for.
MONOFOLD_INLINE bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

/// The same with vectors of eight doubles.
template <class Term>
requires has_widest_v<Term>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2"), noinline)) void
add_run_avx512(exact_run<Term>& run, const typename Term::item* items, std::int64_t count) {
  add_run_by_levels<64, true, Term>(run, items, count);
}
#endif

#endif  // levels

/// run += the terms of `count` items, in the fastest way that this processor has.
template <class Term>
MONOFOLD_INLINE void add_to_run(exact_run<Term>& run, const typename Term::item* items,
                                std::int64_t count) {
#if defined(MONOFOLD_EXACT_LEVELS)
  if (count >= detail::least_levels) {
    const strict_arithmetic arithmetic;
    if (arithmetic.holds()) {
#if defined(MONOFOLD_EXACT_X86)
      if constexpr (has_widest_v<Term>) {
        if (has_avx512()) {
          add_run_avx512<Term>(run, items, count);
          return;
        }
      }
      if (has_avx2()) {
        add_run_avx2<Term>(run, items, count);
        return;
      }
#endif
      add_run_portable<Term>(run, items, count);
      return;
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
