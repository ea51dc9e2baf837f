#pragma once
/// runtime/gpu/statistics_pass: what statistics share: one look at the items for all that are asked for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "monofold/fold/all.hpp"
#include "monofold/platform/numbers.hpp"
#include "runtime/gpu/device_pass.hpp"
#include "runtime/gpu/start_fold.cuh"
#include "runtime/member_folds.hpp"
#include "runtime/summary_fold.hpp"

namespace monofold::runtime {

inline bool asks_for(const std::vector<member_request>& all, family kind) {
  return std::any_of(all.begin(), all.end(),
                     [kind](const member_request& one) { return one.kind == kind; });
}

/// From the begin of the states of an `all` to the one with this number.
template <class First, class... Rest>
consteval std::int64_t state_offset(
    int number, std::type_identity<monofold::detail::state_list<First, Rest...>>) {
  if constexpr (sizeof...(Rest) == 0) {
    return 0;
  } else {
    using states = monofold::detail::state_list<First, Rest...>;
    using rest = monofold::detail::state_list<Rest...>;
    if (number == 0) return 0;
    return static_cast<std::int64_t>(offsetof(states, rest)) +
           state_offset(number - 1, std::type_identity<rest>{});
  }
}
template <class Fold, int number>
inline constexpr std::int64_t state_offset_v =
    state_offset(number, std::type_identity<typename Fold::state>{});

/// That of one end, or of both, in the state of both, which lies at `at`.
template <class Item>
std::int64_t end_offset(family kind, std::int64_t at) {
  using extrema_state = typename extrema_fold<Item>::state;
  if (kind == family::minimum) return at + static_cast<std::int64_t>(offsetof(extrema_state, min));
  if (kind == family::maximum) return at + static_cast<std::int64_t>(offsetof(extrema_state, max));
  return kind == family::extrema ? at : device_pass::nowhere;
}

/// Exact sums of floats, of their squares too or not, both ends and NaN, by one kernel.
template <class Item, class Sums>
struct exact_statistics {
  using fold = all_fold<Sums, extrema_fold<Item>, nan_count_fold<Item>>;
  static constexpr bool has_squares = std::is_same_v<Sums, exact_moments_fold<Item>>;
  // A kernel more, where people ask most: for few items.
  static constexpr auto kernels =
      has_squares && sizeof(Item) >= 4 ? kernel_choice::by_count : kernel_choice::one;
  static_assert(offsetof(exact_moments_state<Item>, values) == 0);

  static std::int64_t offset_of(family kind) {
    if (kind == family::sum || (has_squares && kind == family::moments)) return 0;
    if (kind == family::nan_count) return state_offset_v<fold, 2>;
    return end_offset<Item>(kind, state_offset_v<fold, 1>);
  }
};

/// Plain statistics of floats: those of `summary`, and the sum in floats.
template <class Item>
struct plain_statistics {
  static constexpr auto kernels = kernel_choice::one;
  using members = summary_fold_t<Item>;
  using fold = all_fold<float_sum_fold<Item, double>, moments_fold<Item>, extrema_fold<Item>,
                        nan_count_fold<Item>, float_sum_fold<Item, float>>;
  // The summary comes first.
  static_assert(state_offset_v<fold, 3> == state_offset_v<members, 3>);

  static std::int64_t offset_of(family kind) {
    if (kind == family::summary) return 0;
    if (kind == family::plain_sum) return state_offset_v<fold, 4>;
    return kind == family::plain_moments ? state_offset_v<fold, 1> : device_pass::nowhere;
  }
};
template <>
struct plain_statistics<double> {
  static constexpr auto kernels = kernel_choice::one;
  using fold = summary_fold_t<double>;

  static std::int64_t offset_of(family kind) {
    if (kind == family::summary || kind == family::plain_sum) return 0;
    return kind == family::plain_moments ? state_offset_v<fold, 1> : device_pass::nowhere;
  }
};

/// Sums of integers and of their squares, and both ends.
template <class Item>
struct integer_statistics {
  // bool is a uint8 that is 0 or 1.
  using item = std::conditional_t<std::is_same_v<Item, bool>, std::uint8_t, Item>;
  using fold = all_fold<integer_moments_fold<item>, extrema_fold<item>>;
  using state = typename summary_fold_t<Item>::state;  // begins as that of `fold`
  static_assert(state_offset_v<summary_fold_t<Item>, 1> == state_offset_v<fold, 1>);
  static_assert(sizeof(typename extrema_fold<item>::state) ==
                sizeof(typename extrema_fold<Item>::state));

  static std::int64_t offset_of(family kind) {
    if (kind == family::summary || kind == family::moments) return 0;
    if (kind == family::sum) return offsetof(integer_moments_state, sum);
    if (kind == family::norm2) return offsetof(integer_moments_state, squares);
    // What the largest magnitude is, both ends tell (is_norm_by_extrema_v).
    if (kind == family::norm_inf) kind = family::extrema;
    return end_offset<item>(kind, state_offset_v<fold, 1>);
  }
};

/// Up to 32 bits the squares are no slower with the rest of the statistics: half a kernel the less.
template <class Item>
inline constexpr bool squares_by_moments_v = !is_floating_v<Item> && sizeof(Item) <= 4;

template <class Item, class Statistics>
class statistics_pass final : public device_pass {
 public:
  using fold = typename Statistics::fold;

  std::int64_t out_bytes() const override { return bytes; }
  std::int64_t offset_of(family kind) const override { return Statistics::offset_of(kind); }
  void start(staging_stream& staging, const device_items& items, void* out) const override {
    if constexpr (is_floating_v<Item>) {
      start_fold<fold, Item, Statistics::kernels>(staging, items,
                                                  static_cast<typename fold::state*>(out));
    } else {
      // Integers have no NaN.
      auto& own = *static_cast<typename Statistics::state*>(out);
      summary<Item>::nans(own) = nan_count_fold<Item>{}.identity();
      start_fold<fold, typename Statistics::item>(staging, items,
                                                  static_cast<typename fold::state*>(out));
    }
  }

 private:
  static constexpr std::int64_t bytes = is_floating_v<Item>
                                            ? sizeof(typename fold::state)
                                            : sizeof(typename summary_fold_t<Item>::state);
};

/// The pass for some of `all`, which are two or more, or need it; null where there is none, or where passes
/// of their own are faster: squares of any exponents cost more than a look at the items.
template <class Item>
std::unique_ptr<device_pass> make_statistics_pass(const std::vector<member_request>& all) {
  using enum family;
  const auto shared_by = [&]<class Statistics>(std::type_identity<Statistics>,
                                               std::int64_t least) -> std::unique_ptr<device_pass> {
    const auto served = std::count_if(all.begin(), all.end(), [](const member_request& one) {
      return Statistics::offset_of(one.kind) != device_pass::nowhere;
    });
    if (served < least) return nullptr;
    return std::make_unique<statistics_pass<Item, Statistics>>();
  };
  if constexpr (!is_floating_v<Item>) {
    const bool is_needed = asks_for(all, summary) || asks_for(all, moments) ||
                           (squares_by_moments_v<Item> && asks_for(all, norm2));
    return shared_by(std::type_identity<integer_statistics<Item>>{}, is_needed ? 1 : 2);
  } else if (asks_for(all, moments)) {
    return shared_by(std::type_identity<exact_statistics<Item, exact_moments_fold<Item>>>{}, 2);
  } else if (asks_for(all, sum)) {
    using sums = exact_terms_fold<value_term<Item>>;
    return shared_by(std::type_identity<exact_statistics<Item, sums>>{}, 2);
  } else if (asks_for(all, summary)) {
    return shared_by(std::type_identity<plain_statistics<Item>>{}, 1);
  } else {
    return nullptr;
  }
}

}  // namespace monofold::runtime
