#pragma once
/// runtime/gpu/device_members: folds of the headers as members of a GPU, for one type of item.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "monofold/engine/gpu/dispatch.cuh"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/view.hpp"
#include "runtime/gpu/device_member.hpp"
#include "runtime/gpu/staging_stream.hpp"
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

/// At least so many bytes of workspace; waits for the stream where it has to grow.
inline const gpu_workspace& workspace_of(staging_stream& staging, std::int64_t bytes) {
  std::shared_ptr<gpu_workspace>& own = staging.workspace();
  if (own == nullptr || own->bytes() < bytes) {
    check_cuda(cudaStreamSynchronize(staging.stream()), "cudaStreamSynchronize");
    own = std::make_shared<gpu_workspace>(bytes);
  }
  return *own;
}

/// Starts what a path stands for in the staging stream.
template <class Path, class Sink>
void start_path(const Path& path, staging_stream& staging, const Sink& sink) {
  monofold::detail::device_stream on{};
  auto failed = monofold::detail::open_stream(gpu_engine{staging.stream()}, on);
  if (!failed) failed = path.start(on, workspace_of(staging, path.workspace_bytes()), sink);
  if (failed) throw error(failed.code, failed.detail);
}

/// Starts a fold of device items whose state goes to pinned memory.
template <class Fold, class Element>
void start_fold(staging_stream& staging, const device_items& items, typename Fold::state* out) {
  const auto view = view_of_items(items, std::type_identity<Element>{});
  using view_type = std::remove_const_t<decltype(view)>;
  using monofold::detail::kernel_choice;
  const Fold fold{};
  const monofold::detail::gpu_path<Fold, view_type, kernel_choice::one> path(fold, view);
  start_path(path, staging, monofold::detail::state_sink<typename Fold::state>{out});
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

/// The family and the type of item whose kernel leaves the state of another: one kernel for both.
///
/// bool is a uint8 that is 0 or 1. What bits do, and whether they are 0, does not ask for a sign. The
/// magnitudes of unsigned items are the items. Modulo 2^64 signs of 64 bits change nothing.
template <family kind, class Item>
consteval auto stand_in() {
  using enum family;
  if constexpr (is_floating_v<Item>) {
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
class plain_device_member final : public device_member {
 public:
  explicit plain_device_member(std::int64_t state_offset) : state_offset_(state_offset) {}
  std::int64_t out_bytes() const override {
    return sizeof(typename device_fold<kind, Item, rule>::state);
  }
  std::int64_t state_offset() const override { return state_offset_; }
  void start(staging_stream& staging, const device_items& items, void* out) const override {
    start_family<kind, Item, rule>(staging, items, out);
  }

 private:
  std::int64_t state_offset_;
};

/// Integers have no NaN: nothing is launched.
template <class Item>
class no_nan_device_member final : public device_member {
 public:
  using fold = member_fold_t<family::nan_count, Item, nan_rule::propagate>;
  using state = typename fold::state;

  std::int64_t out_bytes() const override { return sizeof(state); }
  void start(staging_stream&, const device_items&, void* out) const override {
    *static_cast<state*>(out) = fold{}.identity();
  }
};

/// The summary: its parts one after the other, each into its place in the state.
template <class Item>
class summary_device_member final : public device_member {
 public:
  using parts = summary<Item>;
  using state = typename parts::fold::state;

  std::int64_t out_bytes() const override { return sizeof(state); }
  void start(staging_stream& staging, const device_items& items, void* out) const override {
    using enum family;
    constexpr auto rule = nan_rule::propagate;
    auto& own = *static_cast<state*>(out);
    start_family<extrema, Item, rule>(staging, items, &parts::ends(own));
    if constexpr (is_floating_v<Item>) {
      start_fold<float_sum_fold<Item, double>, Item>(staging, items, &parts::total(own));
      start_family<plain_moments, Item, rule>(staging, items, &parts::moments(own));
      start_family<nan_count, Item, rule>(staging, items, &parts::nans(own));
    } else {
      start_family<moments, Item, rule>(staging, items, &parts::moments(own));
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
  void start(staging_stream& staging, const device_items& items, void* out) const override {
    const auto view = view_of_items(items, std::type_identity<item>{});
    auto* const count = static_cast<std::int64_t*>(out);
    std::int64_t* const indices = count + 1;
    auto* const values = reinterpret_cast<item*>(indices + fold_.k);
    const monofold::detail::gpu_path<Fold, std::remove_const_t<decltype(view)>> path(fold_, view);
    start_path(path, staging,
               monofold::detail::top_places<item>{values, indices, count, nullptr, 0});
  }

 private:
  Fold fold_;
};

template <family kind, class Item, nan_rule rule>
std::unique_ptr<device_member> plain_member(std::int64_t state_offset = 0) {
  if constexpr (!has_member_fold_v<kind, Item>) {
    return nullptr;
  } else {
    return std::make_unique<plain_device_member<kind, Item, rule>>(state_offset);
  }
}

template <family kind, class Item>
std::unique_ptr<device_member> top_member(std::int64_t k) {
  // More are picked by the processor.
  if (k < 1 || k > max_top_items) return nullptr;
  using fold = member_fold_t<kind, stand_in_t<kind, Item>, nan_rule::propagate>;
  return std::make_unique<top_device_member<fold>>(k);
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
    case nan_count:
      if constexpr (!is_floating_v<Item>) return std::make_unique<no_nan_device_member<Item>>();
      return plain_member<nan_count, Item, nan_rule::propagate>();
    case pair_nan_count: return plain_member<pair_nan_count, Item, nan_rule::propagate>();
    case largest: return top_member<largest, Item>(what.k);
    case smallest: return top_member<smallest, Item>(what.k);
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

// One source file for some types: what it takes to compile them is shared out.
using make_device_member_type = std::unique_ptr<device_member>(const member_request&);

}  // namespace monofold::runtime
