#pragma once
/// engine/gpu/integer_answers: means, variances and deviations of integers by doubles, where these decide.

#include <cstdint>

#include "monofold/engine/gpu/quick_quotients.cuh"
#include "monofold/engine/gpu/two_sum.cuh"
#include "monofold/fold/exact/leading.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// An integer below 2^105 as two doubles, exactly.
MONOFOLD_GPU two_doubles doubles_of(uint128 a) {
  const strict_double upper = double_of(static_cast<std::uint64_t>(a >> 52)) * two_to(52);
  const strict_double lower =
      double_of(static_cast<std::uint64_t>(a) & ((std::uint64_t{1} << 52) - 1));
  const sum_of_two whole = two_sum(upper.value, lower.value);
  return {{whole.high}, {whole.low}};
}

/// The variance of integers with this state, or its root, rounded once; false where doubles do not decide.
template <bool root>
MONOFOLD_GPU bool quick_spread_of(const integer_moments_state& s, std::int64_t ddof, double& out) {
  const std::int64_t freedom = s.count - ddof;
  // A fold of items by the billion takes so long that its answer need not be quick.
  if (s.count <= 0 || freedom <= 0 || (s.count | freedom) >> 31 != 0) return false;
  const auto n = static_cast<std::uint64_t>(s.count);
  const std::uint64_t divisor = n * static_cast<std::uint64_t>(freedom);
  if (divisor >> 53 != 0) return false;
  const uint128 size =
      s.sum < 0 ? uint128{0} - static_cast<uint128>(s.sum) : static_cast<uint128>(s.sum);
  const uint128 squares = uint128{s.squares.limb[1]} << 64 | s.squares.limb[0];
  if ((s.squares.limb[2] | s.squares.limb[3]) == 0 && (squares | size) >> 105 == 0) {
    if (squares == 0) return false;
    return quick_spread<root>(doubles_of(size), doubles_of(squares), strict_double{1}, 0, n,
                              divisor, out);
  }
  return quick_spread<root>(leading_of(size, 0), leading_of(s.squares), n, divisor, out);
}

/// The answer of a fold, where it is one of these; false where doubles do not decide.
template <class Item, bool root>
requires(!is_floating_v<Item>)
    MONOFOLD_GPU bool quick_answer(const variance_fold<Item, root>& f,
                                   const integer_moments_state& s, double& out) {
  return quick_spread_of<root>(s, f.ddof, out);
}
template <class Item>
requires(!is_floating_v<Item>)
    MONOFOLD_GPU bool quick_answer(const mean_fold<Item, nan_rule::propagate>&,
                                   const typename mean_fold<Item>::state& s, double& out) {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  if (s.count <= 0 || s.count > most || s.total > most || s.total < -most) return false;
  out = static_cast<double>(static_cast<std::int64_t>(s.total)) / static_cast<double>(s.count);
  return true;
}
template <class F>
concept has_quick_answer = requires(const F& f, const typename F::state& s, double& out) {
  quick_answer(f, s, out);
};

/// What `finish` gives where doubles do not decide. Rare, so it is not inlined.
template <class F>
MONOFOLD_GPU_CALL auto finish_by_integers(F f, typename F::state total) {
  return f.finish(total);
}

}  // namespace monofold::detail
