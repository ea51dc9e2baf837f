#pragma once
/// fold/exact/run: adds a run of items to exact sums, in whatever way is fastest for them.

#include <cstdint>

#include "monofold/fold/exact/digits.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold {

namespace detail {

/// Items that digits take before their carries run: below 2^31, and a product makes two deposits.
inline constexpr std::int64_t digits_block = std::int64_t{1} << 29;

/// The terms of a run one by one, in integers: right for every item, on every processor, under any
/// rounding mode.
template <class Term>
MONOFOLD_HD void add_run_by_digits(exact_state<typename Term::number>& own,
                                   const typename Term::item* items, std::int64_t count) {
  using number = typename Term::number;
  for (std::int64_t at = 0; at < count; at += digits_block) {
    const std::int64_t end = count - at < digits_block ? count : at + digits_block;
    exact_digits<number> digits = zero_digits<number>();
    for (std::int64_t i = at; i < end; ++i) add_term(digits, own.counts, Term::of(items[i]));
    add_number(own.sum, number_of(digits));
  }
}

}  // namespace detail

/// own += the terms of `count` items.
///
/// order      exact: any
/// tested by  tests/exact/sum_test.cpp, tests/exact/run_test.cpp
template <class Term>
MONOFOLD_HD void add_run(exact_state<typename Term::number>& own, const typename Term::item* items,
                         std::int64_t count) {
  detail::add_run_by_digits<Term>(own, items, count);
}

}  // namespace monofold
