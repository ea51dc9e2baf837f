#pragma once
/// runtime/gpu/device_members: folds of the headers as members of a GPU, for one type of item.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "monofold/engine/gpu.cuh"
#include "monofold/engine/gpu_top.cuh"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/view.hpp"
#include "runtime/gpu/device_lane.cuh"
#include "runtime/gpu/device_member.hpp"
#include "runtime/member_folds.hpp"

namespace monofold::runtime {

/// Pairs of items in two arrays.
template <class Item>
class pair_view {
 public:
  using item_type = item_pair<Item, Item>;

  pair_view(const Item* left, const Item* right, std::int64_t count)
      : left_(left), right_(right), count_(count) {}
  std::int64_t size() const { return count_; }
  const Item* left_data() const { return left_; }
  const Item* right_data() const { return right_; }
  MONOFOLD_HD item_type operator[](std::int64_t i) const { return {left_[i], right_[i]}; }

 private:
  const Item* left_;
  const Item* right_;
  std::int64_t count_;
};

template <class Item>
contiguous_view<Item> view_of_items(const device_items& items, std::type_identity<Item>) {
  return {static_cast<const Item*>(items.left), items.count};
}
template <class Item>
pair_view<Item> view_of_items(const device_items& items,
                              std::type_identity<item_pair<Item, Item>>) {
  return {static_cast<const Item*>(items.left), static_cast<const Item*>(items.right), items.count};
}

/// Starts a fold of device items whose state goes to pinned memory.
template <class Fold, class Element>
void start_fold(device_lane& lane, const device_items& items, typename Fold::state* out) {
  const auto view = view_of_items(items, std::type_identity<Element>{});
  using view_type = std::remove_const_t<decltype(view)>;
  const gpu_workspace& workspace =
      lane.workspace(monofold::detail::ticket_workspace_bytes<Fold, view_type>(items.count));
  const auto failed =
      monofold::detail::fold_by_ticket(gpu_engine{lane.stream()}, Fold{}, view, workspace,
                                       monofold::detail::state_sink<typename Fold::state>{out});
  if (failed) throw error(failed.code, failed.detail);
}

/// Exact sums of floats, whose states are too large for the plan's tree on a GPU; all of them need none.
template <class Fold>
inline constexpr bool is_exact_sum_v = requires {
  typename Fold::term;
}
|| requires { typename Fold::squares; };
template <class Fold, class Element>
inline constexpr bool adds_exactly_here_v =
    monofold::detail::adds_exactly_v<Fold, decltype(view_of_items(std::declval<device_items>(),
                                                                  std::type_identity<Element>{}))>;

/// A family with a fold of its own. `Element` is an item, or a pair of them.
template <class Fold, class Element>
class plain_device_member final : public device_member {
 public:
  using state = typename Fold::state;

  explicit plain_device_member(std::int64_t state_offset = 0) : state_offset_(state_offset) {}
  std::int64_t out_bytes() const override { return sizeof(state); }
  std::int64_t state_offset() const override { return state_offset_; }
  void start(device_lane& lane, const device_items& items, void* out) const override {
    start_fold<Fold, Element>(lane, items, static_cast<state*>(out));
  }

 private:
  std::int64_t state_offset_;
};

/// The summary: its parts one after the other, each into its place in the state.
template <class Item>
class summary_device_member final : public device_member {
 public:
  using parts = summary<Item>;
  using state = typename parts::fold::state;

  std::int64_t out_bytes() const override { return sizeof(state); }
  void start(device_lane& lane, const device_items& items, void* out) const override {
    auto& own = *static_cast<state*>(out);
    start_fold<extrema_fold<Item>, Item>(lane, items, &parts::ends(own));
    if constexpr (is_floating_v<Item>) {
      start_fold<float_sum_fold<Item, double>, Item>(lane, items, &parts::total(own));
      start_fold<moments_fold<Item>, Item>(lane, items, &parts::moments(own));
      start_fold<nan_count_fold<Item>, Item>(lane, items, &parts::nans(own));
    } else {
      start_fold<integer_moments_fold<Item>, Item>(lane, items, &parts::moments(own));
      parts::nans(own) = nan_count_fold<Item>{}.identity();
    }
  }
};

/// The k best: how many there are, k indices, k items.
template <class Fold>
class top_device_member final : public device_member {
 public:
  using item = typename Fold::item_type;

  explicit top_device_member(std::int64_t k) : fold_{k} {}
  std::int64_t out_bytes() const override {
    return static_cast<std::int64_t>(sizeof(std::int64_t)) * (1 + fold_.k) +
           static_cast<std::int64_t>(sizeof(item)) * fold_.k;
  }
  void start(device_lane& lane, const device_items& items, void* out) const override {
    const auto view = view_of_items(items, std::type_identity<item>{});
    auto* const count = static_cast<std::int64_t*>(out);
    std::int64_t* const indices = count + 1;
    auto* const values = reinterpret_cast<item*>(indices + fold_.k);
    const gpu_workspace& workspace =
        lane.workspace(monofold::detail::top_workspace_bytes<item>(items.count, fold_.k));
    const auto failed = monofold::detail::top_async(
        gpu_engine{lane.stream()}, fold_, view, 0, workspace,
        monofold::detail::top_places<item>{values, indices, count, nullptr, 0});
    if (failed) throw error(failed.code, failed.detail);
  }

 private:
  Fold fold_;
};

template <family kind, class Item, nan_rule rule>
std::unique_ptr<device_member> top_member(std::int64_t k) {
  // More are picked by the processor.
  if (k < 1 || k > max_top_items) return nullptr;
  return std::make_unique<top_device_member<member_fold_t<kind, Item, rule>>>(k);
}

template <family kind, class Item, nan_rule rule>
std::unique_ptr<device_member> plain_member(std::int64_t state_offset = 0) {
  constexpr bool is_pair =
      kind == family::dot || kind == family::plain_dot || kind == family::pair_nan_count;
  if constexpr (!has_member_fold_v<kind, Item>) {
    return nullptr;
  } else {
    using element = std::conditional_t<is_pair, item_pair<Item, Item>, Item>;
    using fold = member_fold_t<kind, Item, rule>;
    static_assert(!is_exact_sum_v<fold> || adds_exactly_here_v<fold, element>);
    return std::make_unique<plain_device_member<fold, element>>(state_offset);
  }
}

template <class Item, nan_rule rule>
std::unique_ptr<device_member> make_device_member_of(const member_request& what) {
  using enum family;
  using ends = typename member_fold_t<extrema, Item, rule>::state;
  switch (what.kind) {
    case sum: return plain_member<sum, Item, rule>();
    case plain_sum: return plain_member<plain_sum, Item, rule>();
    case product: return plain_member<product, Item, rule>();
    case moments: return plain_member<moments, Item, rule>();
    case summary:
      // Not asked for where NaN are left out.
      if constexpr (rule == nan_rule::propagate) {
        return std::make_unique<summary_device_member<Item>>();
      }
      return nullptr;
    // One kernel finds both ends: half as many kernels to compile, and the bus takes longer.
    case minimum: return plain_member<extrema, Item, rule>(offsetof(ends, min));
    case maximum: return plain_member<extrema, Item, rule>(offsetof(ends, max));
    case extrema: return plain_member<extrema, Item, rule>();
    case logical: return plain_member<logical, Item, rule>();
    case plain_moments: return plain_member<plain_moments, Item, rule>();
    case norm1: return plain_member<norm1, Item, rule>();
    case plain_norm1: return plain_member<plain_norm1, Item, rule>();
    case norm2: return plain_member<norm2, Item, rule>();
    case plain_norm2: return plain_member<plain_norm2, Item, rule>();
    case norm_inf: return plain_member<norm_inf, Item, rule>();
    case dot: return plain_member<dot, Item, rule>();
    case plain_dot: return plain_member<plain_dot, Item, rule>();
    case bit_and: return plain_member<bit_and, Item, rule>();
    case bit_or: return plain_member<bit_or, Item, rule>();
    case bit_xor: return plain_member<bit_xor, Item, rule>();
    case nan_count: return plain_member<nan_count, Item, nan_rule::propagate>();
    case pair_nan_count: return plain_member<pair_nan_count, Item, nan_rule::propagate>();
    case largest: return top_member<largest, Item, rule>(what.k);
    case smallest: return top_member<smallest, Item, rule>(what.k);
  }
  return nullptr;
}

template <class Item>
std::unique_ptr<device_member> make_device_member_for(const member_request& what) {
  if constexpr (is_floating_v<Item>) {
    if (what.omit_nan) return make_device_member_of<Item, nan_rule::omit>(what);
  }
  return make_device_member_of<Item, nan_rule::propagate>(what);
}

// One source file for each: what it takes to compile them is shared out.
using make_device_member_type = std::unique_ptr<device_member>(const member_request&);
extern template make_device_member_type make_device_member_for<bool>;
extern template make_device_member_type make_device_member_for<std::int8_t>;
extern template make_device_member_type make_device_member_for<std::int16_t>;
extern template make_device_member_type make_device_member_for<std::int32_t>;
extern template make_device_member_type make_device_member_for<std::int64_t>;
extern template make_device_member_type make_device_member_for<std::uint8_t>;
extern template make_device_member_type make_device_member_for<std::uint16_t>;
extern template make_device_member_type make_device_member_for<std::uint32_t>;
extern template make_device_member_type make_device_member_for<std::uint64_t>;
extern template make_device_member_type make_device_member_for<float16>;
extern template make_device_member_type make_device_member_for<bfloat16>;
extern template make_device_member_type make_device_member_for<float>;
extern template make_device_member_type make_device_member_for<double>;

}  // namespace monofold::runtime
