#pragma once
/// shape/part: some neighbouring items of a view, as a view.

#include <cstdint>

#include "monofold/platform/host_device.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Items [at, at + count) of a view that computes them.
template <class View>
class part_view {
 public:
  using item_type = typename View::item_type;

  MONOFOLD_HD part_view(const View& view, std::int64_t at, std::int64_t count)
      : view_(view), at_(at), count_(count) {}

  MONOFOLD_HD std::int64_t size() const { return count_; }
  MONOFOLD_HD const View& inner() const { return view_; }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD item_type operator[](std::int64_t i) const { return view_[at_ + i]; }

 private:
  View view_;
  std::int64_t at_;
  std::int64_t count_;
};

/// The same of any view; items and pairs that lie in memory stay such.
template <class View>
auto part_of(const View& view, std::int64_t at, std::int64_t count) {
  if constexpr (contiguous_item_view<View>) {
    return contiguous_view<typename View::item_type>(view.data() + at, count);
  } else if constexpr (requires { view.part(at, count); }) {
    return view.part(at, count);
  } else {
    return part_view<View>(view, at, count);
  }
}
template <contiguous_item_view Left, contiguous_item_view Right, class Pair>
auto part_of(const zipped_view<Left, Right, Pair>& view, std::int64_t at, std::int64_t count) {
  using left = contiguous_view<typename Left::item_type>;
  using right = contiguous_view<typename Right::item_type>;
  return zipped_view<left, right, Pair>(left(view.left_data() + at, count),
                                        right(view.right_data() + at, count));
}

}  // namespace monofold::detail
