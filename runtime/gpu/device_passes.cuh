#pragma once
/// runtime/gpu/device_passes: which passes of a GPU leave the states of families, for one type of item.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "monofold/engine/gpu/dispatch.cuh"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/view.hpp"
#include "runtime/gpu/device_pass.hpp"
#include "runtime/gpu/staging_stream.hpp"
#include "runtime/gpu/start_fold.cuh"
#include "runtime/gpu/statistics_pass.cuh"
#include "runtime/member_folds.hpp"

namespace monofold::runtime {

/// The family and the type of item whose kernel leaves the state of another: one kernel for both.
///
/// bool is a uint8 that is 0 or 1. What bits do, and whether they are 0, does not ask for a sign. The
/// magnitudes of unsigned items are the items. Modulo 2^64 signs of 64 bits change nothing. Zeros of the two
/// halves have the same bits.
template <family kind, class Item>
consteval auto stand_in() {
  using enum family;
  if constexpr (kind == logical && std::is_same_v<Item, bfloat16>) {
    return std::type_identity<float16>{};
  } else if constexpr (is_floating_v<Item>) {
    return std::type_identity<Item>{};
  } else if constexpr (std::is_same_v<Item, bool>) {
    return std::type_identity<std::uint8_t>{};
  } else if constexpr (kind == bit_and || kind == bit_or || kind == bit_xor || kind == logical ||
                       (kind == product && sizeof(Item) == 8)) {
    return std::type_identity<std::make_unsigned_t<Item>>{};
  } else {
    return std::type_identity<Item>{};
  }
}
template <family kind, class Item>
using stand_in_t = typename decltype(stand_in<kind, Item>())::type;

/// What exact sums leave does not depend on what becomes of NaN: they are counted apart. The host makes
/// what it wants of both extrema, and leaves NaN out of the k best (runtime/member_of).
template <family kind, class Item, nan_rule rule>
struct device_fold {
  using item = stand_in_t<kind, Item>;
  static constexpr bool is_sum_of_magnitudes = kind == family::norm1 && std::is_unsigned_v<item>;
  static constexpr nan_rule own_rule =
      is_exact_sum_v<member_fold_t<kind, Item, rule>> ? nan_rule::propagate : rule;
  static constexpr family own_kind = is_sum_of_magnitudes                     ? family::sum
                                     : is_norm_by_extrema_v<kind, Item, rule> ? family::extrema
                                                                              : kind;
  using type = member_fold_t<own_kind, item, own_rule>;
  using state =
      typename member_fold_t<own_kind == family::extrema ? own_kind : kind, Item, rule>::state;
  static_assert(sizeof(state) == sizeof(typename type::state) &&
                alignof(state) == alignof(typename type::state));
};

/// Starts the fold of a family, whose state goes to `out`, pinned memory.
template <family kind, class Item, nan_rule rule>
void start_family(staging_stream& staging, const device_items& items, void* out) {
  constexpr bool is_pair =
      kind == family::dot || kind == family::plain_dot || kind == family::pair_nan_count;
  using of = device_fold<kind, Item, rule>;
  using item = typename of::item;
  using element = std::conditional_t<is_pair, item_pair<item, item>, item>;
  using fold = typename of::type;
  static_assert(!is_exact_sum_v<fold> || adds_exactly_here_v<fold, element>);
  start_fold<fold, element>(staging, items, static_cast<typename fold::state*>(out));
}

/// A family with a fold of its own.
template <family kind, class Item, nan_rule rule>
class plain_device_pass final : public device_pass {
 public:
  explicit plain_device_pass(family served, std::int64_t offset)
      : served_(served), offset_(offset) {}
  std::int64_t out_bytes() const override {
    return sizeof(typename device_fold<kind, Item, rule>::state);
  }
  std::int64_t offset_of(family asked) const override {
    return asked == served_ ? offset_ : nowhere;
  }
  void start(staging_stream& staging, const device_items& items, void* out) const override {
    start_family<kind, Item, rule>(staging, items, out);
  }

 private:
  family served_;
  std::int64_t offset_;
};

/// Integers have no NaN: nothing is launched.
template <class Item>
class no_nan_device_pass final : public device_pass {
 public:
  using fold = member_fold_t<family::nan_count, Item, nan_rule::propagate>;
  using state = typename fold::state;

  std::int64_t out_bytes() const override { return sizeof(state); }
  std::int64_t offset_of(family asked) const override {
    return asked == family::nan_count ? 0 : nowhere;
  }
  void start(staging_stream&, const device_items&, void* out) const override {
    *static_cast<state*>(out) = fold{}.identity();
  }
};

/// Where NaN are left out: those that are not zero, which NaN are among, and NaN.
template <class Item>
class counts_device_pass final : public device_pass {
 public:
  struct states {
    nonzero_state nonzero;
    typename nan_count_fold<Item>::state nans;
  };

  std::int64_t out_bytes() const override { return sizeof(states); }
  std::int64_t offset_of(family asked) const override {
    if (asked == family::logical) return offsetof(states, nonzero);
    if (asked == family::nan_count) return offsetof(states, nans);
    return nowhere;
  }
  void start(staging_stream& staging, const device_items& items, void* out) const override {
    auto& own = *static_cast<states*>(out);
    start_family<family::logical, Item, nan_rule::propagate>(staging, items, &own.nonzero);
    start_family<family::nan_count, Item, nan_rule::propagate>(staging, items, &own.nans);
  }
  void finish(void* out) const override {
    auto& own = *static_cast<states*>(out);
    own.nonzero.nonzero -= own.nans.count;
    own.nonzero.count -= own.nans.count;
  }
};

/// The k best: how many there are, k indices, k items.
template <class Fold>
class top_device_pass final : public device_pass {
 public:
  using item = typename Fold::item_type;

  top_device_pass(family served, std::int64_t k) : served_(served), fold_{k} {}
  std::int64_t out_bytes() const override {
    return static_cast<std::int64_t>(sizeof(std::int64_t)) * (1 + fold_.k) +
           static_cast<std::int64_t>(sizeof(item)) * fold_.k;
  }
  std::int64_t offset_of(family asked) const override { return asked == served_ ? 0 : nowhere; }
  void start(staging_stream& staging, const device_items& items, void* out) const override {
    const auto view = view_of_items(items, std::type_identity<item>{});
    auto* const count = static_cast<std::int64_t*>(out);
    std::int64_t* const indices = count + 1;
    auto* const values = reinterpret_cast<item*>(indices + fold_.k);
    const monofold::detail::gpu_path<Fold, std::remove_const_t<decltype(view)>> path(fold_, view);
    start_path(path, staging,
               monofold::detail::top_places<item>{values, indices, count, staging.flag_line(),
                                                  staging.next_flag()});
  }

 private:
  family served_;
  Fold fold_;
};

template <family kind, class Item, nan_rule rule>
std::unique_ptr<device_pass> plain_pass(family served = kind, std::int64_t offset = 0) {
  if constexpr (!has_member_fold_v<kind, Item>) {
    return nullptr;
  } else {
    return std::make_unique<plain_device_pass<kind, Item, rule>>(served, offset);
  }
}

template <family kind, class Item>
std::unique_ptr<device_pass> top_pass(std::int64_t k) {
  // More are picked by the processor.
  if (k < 1 || k > max_top_items) return nullptr;
  using fold = member_fold_t<kind, stand_in_t<kind, Item>, nan_rule::propagate>;
  return std::make_unique<top_device_pass<fold>>(kind, k);
}

/// The pass of one family by itself. Moments of integers, and `summary`, are for a pass that is shared.
template <class Item, nan_rule rule>
std::unique_ptr<device_pass> make_own_pass(const member_request& what) {
  using enum family;
  using extrema_state = typename member_fold_t<extrema, Item, rule>::state;
  switch (what.kind) {
    case sum: return plain_pass<sum, Item, rule>();
    case plain_sum: return plain_pass<plain_sum, Item, rule>();
    case product:  // of floats: told_pass
      if constexpr (!is_floating_v<Item>) return plain_pass<product, Item, rule>();
      return nullptr;
    case moments:
      if constexpr (is_floating_v<Item>) return plain_pass<moments, Item, rule>();
      return nullptr;
    case summary: return nullptr;
    // One kernel finds both ends: half as many kernels to compile, and the bus takes longer.
    case minimum: return plain_pass<extrema, Item, rule>(minimum, offsetof(extrema_state, min));
    case maximum: return plain_pass<extrema, Item, rule>(maximum, offsetof(extrema_state, max));
    case extrema: return plain_pass<extrema, Item, rule>();
    case logical:
      // Where NaN are left out counts_device_pass serves it.
      if constexpr (rule == nan_rule::propagate) return plain_pass<logical, Item, rule>();
      return nullptr;
    case plain_moments: return plain_pass<plain_moments, Item, rule>();
    case norm1: return plain_pass<norm1, Item, rule>();
    case plain_norm1: return plain_pass<plain_norm1, Item, rule>();
    case norm2:
      if constexpr (squares_by_moments_v<Item>) return nullptr;
      return plain_pass<norm2, Item, rule>();
    case plain_norm2: return plain_pass<plain_norm2, Item, rule>();
    case norm_inf: return plain_pass<norm_inf, Item, rule>();
    case dot: return plain_pass<dot, Item, rule>();
    case plain_dot: return plain_pass<plain_dot, Item, rule>();
    case logsumexp: return nullptr;  // told_pass
    case bit_and: return plain_pass<bit_and, Item, rule>();
    case bit_or: return plain_pass<bit_or, Item, rule>();
    case bit_xor: return plain_pass<bit_xor, Item, rule>();
    case nan_count:
      if constexpr (!is_floating_v<Item>) return std::make_unique<no_nan_device_pass<Item>>();
      return plain_pass<nan_count, Item, nan_rule::propagate>();
    case pair_nan_count: return plain_pass<pair_nan_count, Item, nan_rule::propagate>();
    case largest: return top_pass<largest, Item>(what.k);
    case smallest: return top_pass<smallest, Item>(what.k);
  }
  return nullptr;
}

/// A pass that several families share, where there is one for these.
template <class Item>
std::unique_ptr<device_pass> make_shared_pass(const std::vector<member_request>& all) {
  if constexpr (is_floating_v<Item>) {
    if (all.front().omit_nan) {
      if (!asks_for(all, family::logical)) return nullptr;
      return std::make_unique<counts_device_pass<Item>>();
    }
  }
  return make_statistics_pass<Item>(all);
}

template <class Item>
std::unique_ptr<device_pass> make_device_pass_for(const member_request& what,
                                                  const std::vector<member_request>& all) {
  if (auto shared = make_shared_pass<Item>(all)) {
    if (shared->offset_of(what.kind) != device_pass::nowhere) return shared;
  }
  if constexpr (is_floating_v<Item>) {
    if (what.omit_nan) return make_own_pass<Item, nan_rule::omit>(what);
  }
  return make_own_pass<Item, nan_rule::propagate>(what);
}

// One source file for some types: what it takes to compile them is shared out.
using make_device_pass_type = std::unique_ptr<device_pass>(const member_request&,
                                                           const std::vector<member_request>&);

}  // namespace monofold::runtime
