#pragma once
/// runtime/exact_answers: answers that are rounded once, from exact numbers, whatever the type of item.

#include <cstdint>

#include "monofold/fold/exact/few.hpp"
#include "monofold/fold/exact/leading.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/platform/wide_int.hpp"
#include "runtime/member.hpp"

namespace monofold::runtime {

/// The answer from a sum of terms: the sum itself; for means over the count of its items; for `norm2` the root.
result<double> exact_sum(operation op, const exact_counts& counts,
                         const monofold::detail::leading_number& sum,
                         const answer_context& context);
answer exact_sum_answer(operation op, const exact_counts& counts,
                        const monofold::detail::leading_number& sum, const answer_context& context);

/// The same of a few items, to odd; false where 128 bits do not hold their sum.
bool few_answer_to_odd(answer& out, operation op, const monofold::detail::sum_of_two& sum,
                       std::int64_t count);

/// The variance or its root of floating-point items, from the leading bits of the sums of items and of their
/// squares, as a double; false where these do not decide.
bool exact_variance(result<double>& out, operation op, const exact_counts& counts,
                    const monofold::detail::leading_bits& sum,
                    const monofold::detail::leading_bits& squares, const answer_context& context);

/// An integer, limbs least significant first: magnitude 2^low.
struct wide_magnitude {
  const std::uint64_t* limb;
  int num_limbs;
  int low;
};

/// magnitude / divisor, or the root of that, as a double; 0 < divisor < 2^127.
answer ratio_answer(operation op, bool is_negative, const wide_magnitude& magnitude,
                    uint128 divisor, rounding how);

/// The mean of the squares of integers, of which there are `context.count`, from their sum.
answer mean_square_answer(const uint256& squares, const answer_context& context);

/// An integer as a double, or as a uint64 where that is asked for: integer_overflow where it is none.
answer integer_answer(operation op, int128 value, rounding how);
answer integer_answer(operation op, const uint256& twos_complement, rounding how);

}  // namespace monofold::runtime
