#pragma once
/// exact/ways: every way to add a run that this processor has gives the bytes that digits give.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include "monofold/fold/exact/accumulator.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/platform/instruction_set.hpp"

namespace ways {

/// The ways that this processor has, each compared with digits on the same items.
template <class Term>
void expect_agree(std::span<const typename Term::item> items, const std::string& what) {
  using state = monofold::exact_state<typename Term::number>;
  using bytes = std::array<std::uint8_t, sizeof(state)>;
  const auto count = static_cast<std::int64_t>(items.size());
  // From a state that is not empty: what a block adds must not disturb it.
  state start = monofold::zero_state<typename Term::number>();
  if (count > 0) monofold::add_term(start, Term::of(items[0]));
  state integers = start;
  monofold::detail::add_run_by_digits<Term>(integers, items.data(), count);
  const auto want = std::bit_cast<bytes>(integers);
#if defined(MONOFOLD_EXACT_LEVELS)
  monofold::detail::exact_accumulator<Term> portable;
  portable.state = start;
  monofold::detail::add_run_portable<Term>(portable, items.data(), count);
  ASSERT_EQ(std::bit_cast<bytes>(portable.total()), want) << what << ", portable";
#endif
#if defined(MONOFOLD_EXACT_X86)
  if (monofold::detail::widest_of_processor() >= monofold::instruction_set::avx2) {
    monofold::detail::exact_accumulator<Term> wide;
    wide.state = start;
    monofold::detail::add_run_avx2<Term>(wide, items.data(), count);
    ASSERT_EQ(std::bit_cast<bytes>(wide.total()), want) << what << ", AVX2";
  }
  if (monofold::detail::widest_of_processor() >= monofold::instruction_set::avx512) {
    monofold::detail::exact_accumulator<Term> widest;
    widest.state = start;
    monofold::detail::add_run_avx512<Term>(widest, items.data(), count);
    ASSERT_EQ(std::bit_cast<bytes>(widest.total()), want) << what << ", AVX-512";
  }
#endif
}

}  // namespace ways
