#pragma once
/// fold/exact/add_by_digits: adds a run of items in integers, one by one.

#include <cstdint>

#include "monofold/fold/exact/digits.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Items that digits take before their carries run: below 2^31, and a product makes two deposits.
inline constexpr std::int64_t digits_block = std::int64_t{1} << 29;

/// The terms of a run one by one, in integers: right for every item, on every processor, under any
/// rounding mode.
template <class Term>
MONOFOLD_HD_CALL void add_run_by_digits(exact_state<typename Term::number>& own,
                                        const typename Term::item* items, std::int64_t count) {
  using number = typename Term::number;
  for (std::int64_t at = 0; at < count; at += digits_block) {
    const std::int64_t end = count - at < digits_block ? count : at + digits_block;
    exact_digits<number> digits = zero_digits<number>();
    exact_counts counts = zero_counts();
    for (std::int64_t i = at; i < end; ++i) Term::add(digits, counts, items[i]);
    own.counts = add_counts(own.counts, counts);
    add_number(own.sum, number_of(digits));
  }
}

}  // namespace monofold::detail
