#pragma once
/// fold/name: what folds are called in saved states, and how these are written.

#include <cstdint>
#include <string>
#include <type_traits>

#include "monofold/fold/all.hpp"
#include "monofold/fold/bitwise.hpp"
#include "monofold/fold/dot.hpp"
#include "monofold/fold/exact.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/logical.hpp"
#include "monofold/fold/logsumexp.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/fold/product.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/fold/top.hpp"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/encoding.hpp"

namespace monofold {

namespace detail {

/// Overloads for what is derived from the folds of this library: the state is the base's.
struct fold_names {
  static std::string of(const count_fold&) { return "count"; }
  template <class Item>
  static std::string of(const integer_sum_fold<Item>&) {
    return "sum";
  }
  template <class Item, class Real, nan_rule rule>
  static std::string of(const float_sum_fold<Item, Real, rule>&) {
    return sizeof(Real) == 4 ? "plain sum in float32" : "plain sum in float64";
  }
  template <class Item, nan_rule rule>
  static std::string of(const mean_fold<Item, rule>&) {
    return "plain mean";
  }
  template <class Item>
  static std::string of(const exact_terms_fold<value_term<Item>>&) {
    return "sum";
  }
  template <class Item>
  static std::string of(const exact_terms_fold<magnitude_term<Item>>&) {
    return "norm1";
  }
  template <class Item>
  static std::string of(const exact_terms_fold<square_term<Item>>&) {
    return "sum of squares";
  }
  template <class Pair>
  static std::string of(const exact_terms_fold<product_term<Pair>>&) {
    return "dot";
  }
  template <class Item>
  static std::string of(const exact_moments_fold<Item>&) {
    return "moments";
  }
  template <class Item>
  static std::string of(const integer_moments_fold<Item>&) {
    return "moments";
  }
  template <class Item, nan_rule rule>
  static std::string of(const moments_fold<Item, rule>&) {
    return "plain moments";
  }
  template <class Item, nan_rule rule>
  static std::string of(const norm1_fold<Item, rule>&) {
    return "plain norm1";
  }
  template <class Item>
  static std::string of(const integer_norm1_fold<Item>&) {
    return "norm1";
  }
  template <class Item, nan_rule rule>
  static std::string of(const norm2_fold<Item, rule>&) {
    return "plain norm2";
  }
  template <class Item>
  static std::string of(const integer_norm2_fold<Item>&) {
    return "norm2";
  }
  template <class Item, nan_rule rule>
  static std::string of(const norm_inf_fold<Item, rule>&) {
    return "norm_inf";
  }
  template <class Left, class Right>
  static std::string of(const integer_dot_fold<Left, Right>&) {
    return "dot";
  }
  template <class Pair>
  static std::string of(const float_dot_fold<Pair>&) {
    return "plain dot";
  }
  template <class Item, nan_rule rule>
  static std::string of(const float_product_fold<Item, rule>&) {
    return "product";
  }
  template <class Item>
  static std::string of(const integer_product_fold<Item>&) {
    return "product";
  }
  template <class Item, bool smallest, nan_rule rule>
  static std::string of(const extremum_fold<Item, smallest, rule>&) {
    return smallest ? "min" : "max";
  }
  template <class Item, nan_rule rule>
  static std::string of(const extrema_fold<Item, rule>&) {
    return "extrema";
  }
  template <class Item, bool smallest, nan_rule rule>
  static std::string of(const top_fold<Item, smallest, rule>& f) {
    return (smallest ? "bottom " : "top ") + std::to_string(f.k);
  }
  template <class Item, nan_rule rule>
  static std::string of(const nonzero_fold<Item, rule>&) {
    return "nonzero";
  }
  template <class Item, bit_operation operation>
  static std::string of(const bitwise_fold<Item, operation>&) {
    return operation == bit_operation::conjunction   ? "bitwise and"
           : operation == bit_operation::disjunction ? "bitwise or"
                                                     : "bitwise xor";
  }
  template <class Item>
  static std::string of(const softmax_fold<Item>&) {
    return "softmax";
  }
  template <class Item>
  static std::string of(const nan_count_fold<Item>&) {
    return "nan count";
  }
};

template <class F>
concept named_by_itself = requires {
  std::string(F::name);
};
template <class F>
concept named_here = requires(const F& f) {
  fold_names::of(f);
};

template <class F>
inline constexpr bool has_name_v = named_by_itself<F> || named_here<F>;
template <class... Folds>
inline constexpr bool has_name_v<all_fold<Folds...>> = (has_name_v<Folds> && ...);

template <class List>
std::string names_of(const List& list);
template <class List, class States>
void encode_states(byte_writer& out, const List& folds, const States& states);

template <class F>
std::string name_of_fold(const F& f) {
  if constexpr (requires { f.members.first; }) {
    return "all(" + names_of(f.members) + ")";
  } else if constexpr (named_by_itself<F>) {
    return F::name;
  } else {
    return fold_names::of(f);
  }
}

template <class List>
std::string names_of(const List& list) {
  if constexpr (requires { list.rest; }) {
    return name_of_fold(list.first) + ", " + names_of(list.rest);
  } else {
    return name_of_fold(list.first);
  }
}

/// The name of a type of item, or how large an item of a type without one is.
template <class Item>
std::string name_of_item() {
  std::string name;
  for (const dtype_info& entry : dtypes) {
    visit_dtype(entry.type, [&]<class Known>() {
      if constexpr (std::is_same_v<Known, Item>) name = entry.name;
    });
  }
  return name.empty() ? "items of " + std::to_string(sizeof(Item)) + " bytes" : name;
}

}  // namespace detail

/// Whether states of the fold can be saved: those of this library, `all` of such, and folds with a
/// `static constexpr const char* name`. Adapted folds and `ordered` have none: a fold of one's own
/// that holds them can have one.
template <class F>
concept named_fold = detail::has_name_v<F>;

/// What a saved state of this fold over these items is called: "sum of float32".
template <class Item, class F>
requires named_fold<F> std::string fold_name(const F& f) {
  return detail::name_of_fold(f) + " of " + detail::name_of_item<Item>();
}

/// Appends a state in the one form that states have which stand for the same items.
template <class F>
void encode_state(byte_writer& out, const F& f, const typename F::state& value) {
  if constexpr (requires { f.canonical(value); }) {
    encode(out, f.canonical(value));
  } else if constexpr (requires { f.members.first; }) {
    detail::encode_states(out, f.members, value);
  } else {
    encode(out, value);
  }
}

namespace detail {

template <class List, class States>
void encode_states(byte_writer& out, const List& folds, const States& states) {
  encode_state(out, folds.first, states.first);
  if constexpr (requires { folds.rest; }) encode_states(out, folds.rest, states.rest);
}

}  // namespace detail

}  // namespace monofold
