#pragma once
/// runtime/member_folds: which fold of the headers a family is, for a type of item.
///
/// The processor's members and the GPU's are made from this one table, so that both have the same
/// states. The states of exact sums hold what there is of NaN: their rule is for the answer.

#include <type_traits>

#include "monofold/fold/adapt.hpp"
#include "monofold/fold/bitwise.hpp"
#include "monofold/fold/dot.hpp"
#include "monofold/fold/exact.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/logical.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/fold/product.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/fold/top.hpp"
#include "monofold/platform/numbers.hpp"
#include "runtime/exact_loops.hpp"
#include "runtime/family.hpp"
#include "runtime/logsumexp_fold.hpp"
#include "runtime/pair_product.hpp"
#include "runtime/summary_fold.hpp"

namespace monofold::runtime {

namespace detail {

struct no_fold {};

template <class T>
struct named {
  using type = T;
};

/// What plain sums are kept in.
template <class Item>
using plain_real_t = std::conditional_t<std::is_same_v<Item, double>, double, float>;

template <family kind, class Item, nan_rule rule>
consteval auto float_fold() {
  using enum family;
  using pair = item_pair<Item, Item>;
  if constexpr (kind == sum)
    return named<exact_terms_fold<value_term<Item>>>{};
  else if constexpr (kind == plain_sum)
    return named<float_sum_fold<Item, plain_real_t<Item>, rule>>{};
  else if constexpr (kind == product)
    return named<float_product_fold<Item, rule>>{};
  else if constexpr (kind == moments)
    return named<exact_moments_fold<Item>>{};
  else if constexpr (kind == plain_moments)
    return named<monofold::detail::moments_fold_t<Item, rule>>{};
  else if constexpr (kind == norm1)
    return named<exact_terms_fold<magnitude_term<Item>>>{};
  else if constexpr (kind == plain_norm1)
    return named<norm1_fold<Item, rule>>{};
  else if constexpr (kind == norm2)
    return named<exact_terms_fold<square_term<Item>>>{};
  else if constexpr (kind == plain_norm2)
    return named<norm2_fold<Item, rule>>{};
  else if constexpr (kind == norm_inf)
    return named<norm_inf_fold<Item, rule>>{};
  else if constexpr (kind == dot)
    return named<exact_terms_fold<product_term<pair>>>{};
  else if constexpr (kind == plain_dot)
    return named<float_dot_fold<pair, rule>>{};
  else if constexpr (kind == logsumexp && (sizeof(Item) > 2))
    return named<joined_logsumexp_fold<Item>>{};
  else if constexpr (kind == pair_nan_count)
    return named<map_fold<pair, product_of<Item>, nan_count_fold<double>>>{};
  else
    return named<no_fold>{};
}

template <family kind, class Item>
consteval auto integer_fold() {
  using enum family;
  using enum bit_operation;
  if constexpr (kind == sum)
    return named<integer_sum_fold<Item>>{};
  else if constexpr (kind == product)
    return named<integer_product_fold<Item>>{};
  else if constexpr (kind == moments)
    return named<integer_moments_fold<Item>>{};
  else if constexpr (kind == norm1)
    return named<integer_norm1_fold<Item>>{};
  else if constexpr (kind == norm2)
    return named<integer_norm2_fold<Item>>{};
  else if constexpr (kind == norm_inf)
    return named<norm_inf_fold<Item>>{};
  else if constexpr (kind == dot)
    return named<integer_dot_fold<Item, Item>>{};
  else if constexpr (kind == bit_and)
    return named<bitwise_fold<Item, conjunction>>{};
  else if constexpr (kind == bit_or)
    return named<bitwise_fold<Item, disjunction>>{};
  else if constexpr (kind == bit_xor)
    return named<bitwise_fold<Item, parity>>{};
  else
    return named<no_fold>{};
}

template <family kind, class Item, nan_rule rule>
consteval auto find_fold() {
  using enum family;
  if constexpr (kind == summary)
    return named<summary_fold_t<Item>>{};
  else if constexpr (kind == minimum)
    return named<extremum_fold<Item, true, rule>>{};
  else if constexpr (kind == maximum)
    return named<extremum_fold<Item, false, rule>>{};
  else if constexpr (kind == extrema)
    return named<extrema_fold<Item, rule>>{};
  else if constexpr (kind == largest)
    return named<top_fold<Item, false, rule>>{};
  else if constexpr (kind == smallest)
    return named<top_fold<Item, true, rule>>{};
  else if constexpr (kind == logical)
    return named<nonzero_fold<Item, rule>>{};
  else if constexpr (kind == nan_count)
    return named<nan_count_fold<Item>>{};
  else if constexpr (is_floating_v<Item>)
    return float_fold<kind, Item, rule>();
  else
    return integer_fold<kind, Item>();
}

}  // namespace detail

/// The fold of a family: over items, or over pairs of them for `dot` and `pair_nan_count`.
template <family kind, class Item, nan_rule rule>
using member_fold_t = typename decltype(detail::find_fold<kind, Item, rule>())::type;

/// Whether a family is defined for the type.
template <family kind, class Item>
inline constexpr bool has_member_fold_v =
    !std::is_same_v<member_fold_t<kind, Item, nan_rule::propagate>, detail::no_fold>;

/// What the fold is over.
template <family kind, class Item>
using member_item_t = std::conditional_t<kind == family::dot || kind == family::plain_dot ||
                                             kind == family::pair_nan_count,
                                         item_pair<Item, Item>, Item>;

template <family... kinds>
struct family_list {};

/// Calls visit.template operator()<kind, Item, rule>() for what is asked for, where it is one of
/// `kinds` and its fold is defined; else returns what a default is. Where the rule makes no other
/// fold, it is `propagate`.
template <class Item, family... kinds, class Visit>
auto visit_families(family_list<kinds...>, const member_request& what, const Visit& visit) {
  constexpr auto propagate = nan_rule::propagate;
  constexpr auto omit = nan_rule::omit;
  decltype(visit.template operator()<family::extrema, Item, propagate>()) out{};
  const auto visit_one = [&]<family kind>() {
    if constexpr (has_member_fold_v<kind, Item>) {
      if (what.kind != kind) return;
      if constexpr (is_floating_v<Item> && !std::is_same_v<member_fold_t<kind, Item, propagate>,
                                                           member_fold_t<kind, Item, omit>>) {
        if (what.omit_nan) {
          out = visit.template operator()<kind, Item, omit>();
          return;
        }
      }
      out = visit.template operator()<kind, Item, propagate>();
    }
  };
  (visit_one.template operator()<kinds>(), ...);
  return out;
}

/// Whether a GPU finds the largest magnitude by the kernel of both extrema, which says no less: not where
/// NaN is the answer, since the bits of the largest one are the state.
template <family kind, class Item, nan_rule rule>
inline constexpr bool is_norm_by_extrema_v = kind == family::norm_inf &&
                                             (!is_floating_v<Item> || rule == nan_rule::omit);

}  // namespace monofold::runtime
