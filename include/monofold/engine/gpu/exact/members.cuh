#pragma once
/// engine/gpu/exact/members: which members of an `all` one exact sum serves, and their states.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/add_exactly_kernel.cuh"
#include "monofold/engine/gpu/exact/companion.cuh"
#include "monofold/engine/gpu/exact/member_places.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// What the state of a member is made from in the kernel that adds items, and their squares where a member needs them.
/// `other`: that kernel cannot make it.
enum class member_role { other, count, values, moments, smallest, largest, extrema, nans };

/// Whether a fold is one of the library's own for this extremum: what a user derives from one may be anything.
template <class F, class Item, bool smallest>
inline constexpr bool is_extremum_of =
    std::is_same_v<F, extremum_fold<Item, smallest>> ||
    std::is_same_v<F, extremum_answer_fold<Item, smallest, extremum_part::value>> ||
    std::is_same_v<F, extremum_answer_fold<Item, smallest, extremum_part::index>>;

/// The role of a member.
template <class F, class Item>
MONOFOLD_HD_CALL constexpr member_role role_of() {
  if constexpr (std::is_same_v<F, count_fold>) {
    return member_role::count;
  } else if constexpr (std::is_base_of_v<exact_moments_fold<Item>, F>) {
    return member_role::moments;
  } else if constexpr (std::is_base_of_v<exact_terms_fold<value_term<Item>>, F>) {
    return member_role::values;
  } else if constexpr (is_extremum_of<F, Item, true>) {
    return member_role::smallest;
  } else if constexpr (is_extremum_of<F, Item, false>) {
    return member_role::largest;
  } else if constexpr (std::is_same_v<F, extrema_fold<Item>>) {
    return member_role::extrema;
  } else if constexpr (std::is_same_v<F, nan_count_fold<Item>>) {
    return member_role::nans;
  } else {
    return member_role::other;
  }
}

/// An `all` of the extrema for which members ask; void where none does.
template <class Item, bool smallest, bool largest>
struct extrema_of_members {
  using type = void;
};
template <class Item>
struct extrema_of_members<Item, true, false> {
  using type = all_fold<extremum_fold<Item, true>>;
};
template <class Item>
struct extrema_of_members<Item, false, true> {
  using type = all_fold<extremum_fold<Item, false>>;
};
template <class Item>
struct extrema_of_members<Item, true, true> {
  using type = all_fold<extremum_fold<Item, true>, extremum_fold<Item, false>>;
};

/// Which members of an `all` one pass of the kernel for exact sums serves, and what that pass computes for them.
template <class View, class... Folds>
struct exact_members {
  using item = typename View::item_type;
  static constexpr bool serves(member_role role) {
    return ((role_of<Folds, item>() == role) || ...);
  }
  static constexpr int num_served = ((role_of<Folds, item>() != member_role::other ? 1 : 0) + ...);
  // The smallest item is the first NaN, where there is one.
  static constexpr bool has_smallest =
      serves(member_role::smallest) || serves(member_role::extrema) || serves(member_role::nans);
  static constexpr bool has_largest = serves(member_role::largest) || serves(member_role::extrema);

  using term =
      std::conditional_t<serves(member_role::moments), moments_term<item>, value_term<item>>;
  using extrema = typename extrema_of_members<item, has_smallest, has_largest>::type;
  using companion = std::conditional_t<std::is_void_v<extrema>, no_companion,
                                       extrema_companion<extrema, item, warp_exact<term>::rows>>;
  /// Whether such a pass pays: it serves an exact sum and another member.
  static constexpr bool is_shared = num_served > 1 &&
                                    (serves(member_role::values) || serves(member_role::moments));
};

template <class Number>
MONOFOLD_GPU const exact_state<Number>& values_of(const exact_state<Number>& own) {
  return own;
}
template <class Item>
MONOFOLD_GPU const exact_state<exact_sum_number<Item>>& values_of(
    const exact_moments_state<Item>& own) {
  return own.values;
}

template <class Smallest, class Largest>
MONOFOLD_GPU const Largest& largest_of(const state_list<Smallest, Largest>& extrema) {
  return extrema.rest.first;
}
template <class Largest>
MONOFOLD_GPU const Largest& largest_of(const state_list<Largest>& extrema) {
  return extrema.first;
}

/// Writes a member's state, made from the sums and the extrema, by all threads of the block.
template <member_role role, class State, class Own, class Extrema>
MONOFOLD_GPU void store_member(char* out, const Own& own, const Extrema* extrema) {
  if constexpr (role == member_role::values) {
    store_words(out, values_of(own));
  } else if constexpr (role == member_role::moments) {
    store_words(out, own);
  } else if constexpr (role == member_role::count) {
    if (threadIdx.x == 0) *reinterpret_cast<State*>(out) = values_of(own).counts.items;
  } else if constexpr (role != member_role::other) {
    if (threadIdx.x != 0) return;
    if constexpr (role == member_role::smallest) {
      *reinterpret_cast<State*>(out) = extrema->first;
    } else if constexpr (role == member_role::largest) {
      *reinterpret_cast<State*>(out) = largest_of(*extrema);
    } else if constexpr (role == member_role::nans) {
      const std::int64_t nans = values_of(own).counts.nan;
      *reinterpret_cast<State*>(out) = {nans, nans != 0 ? extrema->first.index : -1};
    } else {
      *reinterpret_cast<State*>(out) = {extrema->first, largest_of(*extrema)};
    }
  }
}

/// A sink that stores the states of the members that one pass serves, each in its place in the state of the `all`.
template <class Item, class Whole, class... Folds>
struct members_sink {
  Whole whole;

  template <class Own, class Extrema>
  MONOFOLD_GPU void store(const Own& own, const Extrema* extrema) const {
    store_from<Own, Extrema, Folds...>(static_cast<char*>(place_of(whole)), own, extrema);
    raise_flag(whole);
  }

 private:
  template <class Own, class Extrema, class First, class... Rest>
  MONOFOLD_GPU static void store_from(char* out, const Own& own, const Extrema* extrema) {
    using part = typename First::state;
    store_member<role_of<First, Item>(), part>(out, own, extrema);
    if constexpr (sizeof...(Rest) > 0) {
      using states = state_list<part, typename Rest::state...>;
      store_from<Own, Extrema, Rest...>(out + offsetof(states, rest), own, extrema);
    }
  }
};

template <class F, class Own, class Item, class Whole, class... Folds>
MONOFOLD_GPU void store_state(const F&, const Own& own,
                              const members_sink<Item, Whole, Folds...>& sink) {
  sink.store(own, static_cast<const state_list<int>*>(nullptr));
}
template <class F, class Own, class Sink, class Extrema>
MONOFOLD_GPU void store_state(const F&, const Own& own, const companion_sink<Sink, Extrema>& both) {
  both.sink.store(own, &both.companion);
}

}  // namespace monofold::detail
