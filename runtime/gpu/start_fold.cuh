#pragma once
/// runtime/gpu/start_fold: starts a fold of the headers on items that a staging stream has.

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "monofold/engine/gpu/dispatch.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/view.hpp"
#include "runtime/gpu/device_pass.hpp"
#include "runtime/gpu/staging_stream.hpp"
#include "runtime/member_folds.hpp"

namespace monofold::runtime {

using monofold::detail::kernel_choice;

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

/// Starts a fold of a view of device memory whose state goes to `out`, behind the staging stream's flag; by one kernel
/// for any count of items, unless another is worth its weight.
template <kernel_choice kernels = kernel_choice::one, class Fold, class View>
void start_view(staging_stream& staging, const Fold& fold, const View& view,
                typename Fold::state* out) {
  const monofold::detail::gpu_path<Fold, View, kernels> path(fold, view);
  char* const line = staging.flag_line();
  start_path(path, staging,
             monofold::detail::awaited_sink<typename Fold::state>{
                 line, staging.next_flag(), reinterpret_cast<char*>(out) - line});
}

/// The same of device items.
template <class Fold, class Element, kernel_choice kernels = kernel_choice::one>
void start_fold(staging_stream& staging, const device_items& items, typename Fold::state* out) {
  start_view<kernels>(staging, Fold{}, view_of_items(items, std::type_identity<Element>{}), out);
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

}  // namespace monofold::runtime
