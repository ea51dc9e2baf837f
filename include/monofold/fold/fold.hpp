#pragma once
/// fold/fold: what a fold is, what it may offer beyond that, and how to ask.

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "monofold/platform/host_device.hpp"
#include "monofold/platform/status.hpp"

namespace monofold {

// The parts of `fold`, each a concept of its own: compilers name the one that is missing.

/// States are kept in arrays and copied.
template <class F>
concept has_state =
    std::default_initializable<typename F::state> && std::copyable<typename F::state>;

template <class F, class Item>
concept has_lift = requires(const F f, const Item item) {
  { f.lift(item, std::int64_t{}) } -> std::convertible_to<typename F::state>;
};

template <class F>
concept has_combine = requires(const F f, const typename F::state s) {
  { f.combine(s, s) } -> std::convertible_to<typename F::state>;
};

/// A fold on items of type `Item`: an algebra, no threads, no memory.
///
/// States may have padding: copies need not keep it, and saved states have none of it. How often `combine`
/// is called is not n - 1 everywhere: idle threads of a GPU combine what nobody reads. On a GPU a state is
/// trivially copyable and has at most 8 KiB, aligned to at most 16; up to some hundred bytes compile fast.
///
///     struct longest {                                        // a fold in five lines
///       using state = int;
///       state lift(int item, std::int64_t index) const;       // item -> state
///       state combine(state left, state right) const;         // associative
///     };
///
/// Optional members, each found by its name:
///
/// | member | meaning | default |
/// |---|---|---|
/// | `static constexpr bool commutative` | operands may be swapped | false: order is kept |
/// | `static constexpr bool exact` | the grouping cannot change the bits | false: the plan's tree |
/// | `state identity() const` | the result of no items | none: empty input has no result |
/// | `R finish(state) const` | state -> answer; R may be `result<T>` | the state itself |
/// | `accumulator` | type of a faster private accumulator | the state |
/// | `accumulator open(item, index) const` | an accumulator of one item | lift |
/// | `void absorb(accumulator&, item, index) const` | append one item | combine with lift |
/// | `accumulator join(accumulator, accumulator) const` | left, then right | combine |
/// | `state flush(accumulator, std::int64_t count) const` | of `count` items | the accumulator |
/// | `bool suffices(accumulator, std::int64_t count) const` | of a tile: accurate enough? | true |
/// | `F again(accumulator, std::int64_t count) const` | if not: folds the tile a second time | - |
/// | `void absorb_run(state&, const Item*, n, index) const` | many items; exact folds with an identity only | by tiles |
/// | `template <class Item> auto on() const` | the fold for a type of item | itself |
template <class F, class Item>
concept fold = std::copy_constructible<F> && has_state<F> && has_lift<F, Item> && has_combine<F>;

/// Whose states are sums and counts, from which items can be taken out again. subtract(own, part) says false for
/// items that were not there, as far as can be seen.
template <class F>
concept subtracts = requires(const F f, typename F::state own, const typename F::state part) {
  { f.subtract(own, part) } -> std::same_as<bool>;
};

template <class F>
concept names_a_state = requires {
  typename F::state;
};

template <class F, class Item>
concept family_for = requires(const F f) {
  f.template on<Item>();
};

/// The fold that `f` means for items of type `Item` (`mf::sum` stands for one fold a type).
MONOFOLD_CALLS_USER
template <class Item, class F>
MONOFOLD_HD_CALL constexpr auto bind_fold(const F& f) {
  if constexpr (family_for<F, Item>) {
    return f.template on<Item>();
  } else {
    return f;
  }
}

template <class F, class Item>
using bound_fold_t = decltype(bind_fold<Item>(std::declval<const F&>()));

/// False for a family that is not defined for this type of item (`bit_and` of double), and for what
/// is no fold at all: `ordered` and `commutative` make one from an operator.
template <class F, class Item>
concept fold_or_family_for = names_a_state<F> || family_for<F, Item>;

/// Something that folds items of type `Item`, bound to it or not.
template <class F, class Item>
concept fold_on = fold_or_family_for<F, Item> && fold<bound_fold_t<F, Item>, Item>;

namespace detail {

template <class F>
constexpr bool commutative_flag() {
  if constexpr (requires { F::commutative; }) return F::commutative;
  return false;
}

template <class F>
constexpr bool exact_flag() {
  if constexpr (requires { F::exact; }) return F::exact;
  return false;
}

template <class F>
struct accumulator_of {
  using type = typename F::state;
};
template <class F>
requires requires { typename F::accumulator; }
struct accumulator_of<F> {
  using type = typename F::accumulator;
};

/// A concept: elsewhere clang 14 takes a parameter of a type that is not there for an error.
template <class F, class Item>
concept has_running_sum = requires(typename F::running_sum& r, const Item* p) {
  r.add(p, std::int64_t{});
  { r.total() } -> std::same_as<typename F::state>;
};

}  // namespace detail

template <class F>
inline constexpr bool is_commutative_v = detail::commutative_flag<F>();

template <class F>
inline constexpr bool is_exact_v = detail::exact_flag<F>();

template <class F>
inline constexpr bool has_identity_v = requires(const F& f) {
  { f.identity() } -> std::convertible_to<typename F::state>;
};

/// True where a run of items may be folded by the fold's own loop, in any schedule.
template <class F, class Item>
inline constexpr bool has_absorb_run_v =
    is_exact_v<F>&& has_identity_v<F>&& requires(const F& f, typename F::state& s, const Item* p) {
  f.absorb_run(s, p, std::int64_t{}, std::int64_t{});
};

/// True where a fold has a sum that keeps running from one run of items to the next: `running_sum`,
/// made of the fold or of nothing, with `add(items, count)` and `total()`, which gives the state.
template <class F, class Item>
inline constexpr bool has_running_sum_v =
    has_absorb_run_v<F, Item>&& detail::has_running_sum<F, Item>;

namespace detail {

/// An empty running sum.
template <class F>
MONOFOLD_INLINE typename F::running_sum begin_running_sum(const F& f) {
  if constexpr (std::is_constructible_v<typename F::running_sum, const F&>) {
    return typename F::running_sum(f);
  } else {
    return typename F::running_sum();
  }
}

}  // namespace detail

/// True where a fold may want a second look at a tile.
template <class F>
inline constexpr bool may_repeat_v = requires(const F& f,
                                              const typename detail::accumulator_of<F>::type& a) {
  { f.suffices(a, std::int64_t{}) } -> std::convertible_to<bool>;
  { f.again(a, std::int64_t{}) } -> std::convertible_to<F>;
};

template <class F>
using accumulator_t = typename detail::accumulator_of<F>::type;

/// The optional members, or what stands for them.
template <class F, class Item>
struct fold_access {
  using state = typename F::state;
  using accumulator = accumulator_t<F>;

  MONOFOLD_CALLS_USER
  MONOFOLD_HD static accumulator open(const F& f, const Item& item, std::int64_t index) {
    if constexpr (requires { f.open(item, index); }) {
      return f.open(item, index);
    } else {
      return f.lift(item, index);
    }
  }

  MONOFOLD_CALLS_USER
  MONOFOLD_HD static void absorb(const F& f, accumulator& own, const Item& item,
                                 std::int64_t index) {
    if constexpr (requires { f.absorb(own, item, index); }) {
      f.absorb(own, item, index);
    } else {
      own = f.combine(own, f.lift(item, index));
    }
  }

  MONOFOLD_CALLS_USER
  MONOFOLD_HD static accumulator join(const F& f, const accumulator& left,
                                      const accumulator& right) {
    if constexpr (requires { f.join(left, right); }) {
      return f.join(left, right);
    } else {
      return f.combine(left, right);
    }
  }

  MONOFOLD_CALLS_USER
  MONOFOLD_HD static state flush(const F& f, const accumulator& own, std::int64_t count) {
    if constexpr (requires { f.flush(own, count); }) {
      return f.flush(own, count);
    } else {
      return own;
    }
  }
};

namespace detail {

template <class T>
struct unwrap_result {
  using type = T;
};
template <class T>
struct unwrap_result<result<T>> {
  using type = T;
};

MONOFOLD_CALLS_USER
template <class F>
MONOFOLD_HD_CALL constexpr decltype(auto) finish_raw(const F& f, const typename F::state& s) {
  if constexpr (requires { f.finish(s); }) {
    return f.finish(s);
  } else {
    return typename F::state(s);
  }
}

}  // namespace detail

/// The type of a fold's answer, without the `result` around it.
template <class F>
using answer_t = typename detail::unwrap_result<std::remove_cvref_t<decltype(detail::finish_raw(
    std::declval<const F&>(), std::declval<const typename F::state&>()))>>::type;

/// What `finish` of a fold of items of type `Item` returns: a value, or for folds that may have none a `result`,
/// which tells with `status` why.
template <class F, class Item>
using finished_t = std::remove_cvref_t<decltype(detail::finish_raw(
    std::declval<const bound_fold_t<F, Item>&>(),
    std::declval<const typename bound_fold_t<F, Item>::state&>()))>;

/// The answer for a state, or why there is none. For hosts: in a kernel the levels' `answer` has nvcc check
/// that `finish` is for a device too.
MONOFOLD_CALLS_USER
template <class F>
MONOFOLD_HD_CALL constexpr result<answer_t<F>> finish_state(const F& f,
                                                            const typename F::state& s) {
  return detail::finish_raw(f, s);
}

/// The answer for no items at all.
MONOFOLD_CALLS_USER
template <class F>
MONOFOLD_HD_CALL constexpr result<answer_t<F>> finish_empty(const F& f) {
  if constexpr (has_identity_v<F>) {
    return finish_state(f, f.identity());
  } else {
    return status::empty_input;
  }
}

}  // namespace monofold
