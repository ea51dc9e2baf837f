#pragma once
/// oracle/one_by_one: folds by lift and combine alone, from the first item to the last.

#include <cstdint>

namespace oracle {

/// The state of a range that is not empty; the first item has index `index`.
template <class F, class Range>
typename F::state one_by_one(const F& f, const Range& items, std::int64_t index = 0) {
  auto it = items.begin();
  typename F::state own = f.lift(*it, index);
  for (++it; it != items.end(); ++it) own = f.combine(own, f.lift(*it, ++index));
  return own;
}

}  // namespace oracle
