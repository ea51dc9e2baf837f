#pragma once
/// runtime/gpu/rows/row_pass_of: a fold of rows of one type of items.

#include <cstdint>
#include <memory>
#include <type_traits>

#include "monofold/platform/dtype.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/reduce_axis.cuh"
#include "monofold/shape/view.hpp"
#include "runtime/gpu/rows/row_answers.cuh"
#include "runtime/gpu/rows/row_extrema.cuh"
#include "runtime/gpu/rows/row_folds.cuh"
#include "runtime/gpu/rows/row_library.hpp"
#include "runtime/gpu/rows/row_moments.cuh"
#include "runtime/gpu/rows/row_pass.hpp"
#include "runtime/gpu/rows/row_room.hpp"

namespace monofold::runtime {

/// Rows of one length, `stride` items from start to start, or segments by their starts and stops: one type of list, so
/// that both have the same kernels. Exact sums may have rows in stretches: row s then begins at s, and what loads it finds
/// where that is.
class row_list {
 public:
  row_list(std::int64_t length, std::int64_t count, std::int64_t stride)
      : length_(length), count_(count), stride_(stride) {}
  row_list(const std::int64_t* starts, const std::int64_t* stops, std::int64_t count)
      : length_(-1), count_(count), starts_(starts), stops_(stops) {}
  row_list(const array_rows& rows, const monofold::detail::row_stretches& stretches)
      : length_(rows.row_items), count_(rows.num_rows), stride_(1), stretches_(stretches) {}

  MONOFOLD_HD std::int64_t size() const { return count_; }
  /// -1: the device knows.
  MONOFOLD_HD std::int64_t length() const { return length_; }
  MONOFOLD_HD std::int64_t begin(std::int64_t s) const {
    return starts_ != nullptr ? starts_[s] : s * stride_;
  }
  MONOFOLD_HD std::int64_t end(std::int64_t s) const {
    return starts_ != nullptr ? stops_[s] : s * stride_ + length_;
  }
  /// Null: there are none.
  MONOFOLD_HD const monofold::detail::row_stretches* stretches() const {
    return stretches_.word_bytes != 0 ? &stretches_ : nullptr;
  }

 private:
  std::int64_t length_;
  std::int64_t count_;
  std::int64_t stride_ = 0;
  const std::int64_t* starts_ = nullptr;
  const std::int64_t* stops_ = nullptr;
  monofold::detail::row_stretches stretches_;
};

}  // namespace monofold::runtime

namespace monofold::detail {

template <>
struct known_segments<runtime::row_list> {
  static std::int64_t length(const runtime::row_list& list) { return list.length(); }
  static constexpr bool may_overlap = true;
  static constexpr bool always_fixed = false;
  static constexpr bool never_fixed = false;
};

// Sums and extrema of rows: on an H200 in 0.4 to 0.9 of the time of the kernel of slots, but extrema of 25 chunks in 1.1
// to 1.6. Rarer folds are not worth one more kernel.
template <class Item>
inline constexpr bool has_row_kernel_v<runtime::row_plain_fold<Item>, runtime::row_list> = true;
template <class Item>
inline constexpr bool
    has_row_kernel_v<runtime::row_total_fold<value_term<Item>>, runtime::row_list> = true;
template <class Item>
inline constexpr bool has_row_kernel_v<runtime::row_moments_fold<Item>, runtime::row_list> = true;
template <class Word>
inline constexpr bool has_row_kernel_v<runtime::row_best_fold<Word>, runtime::row_list> = true;
template <class Word>
inline constexpr int least_row_chunks<runtime::row_best_fold<Word>> = 2 * warp_lanes;

// Their items get no index.
template <class Word>
inline constexpr bool loads_wide_v<runtime::row_count_fold<Word>> = sizeof(Word) <= 4;

}  // namespace monofold::detail

namespace monofold::runtime {

/// At least so many bytes of workspace; waits for the stream where it has to grow.
inline const gpu_workspace& workspace_of(row_room& room, std::int64_t bytes) {
  std::shared_ptr<gpu_workspace>& own = room.workspace();
  if (own == nullptr || own->bytes() < bytes) {
    monofold::detail::throw_if(monofold::detail::failure_of(cudaStreamSynchronize(room.stream()),
                                                            "cudaStreamSynchronize"));
    own = std::make_shared<gpu_workspace>(bytes);
  }
  return *own;
}

/// `First`: a pointer to items, or what is indexed as one is, made of an address and the type that lies there.
template <class Fold, class Item, class First>
class row_pass_of final : public row_pass {
 public:
  row_pass_of(const Fold& fold, dtype type) : fold_(fold), type_(type) {}

  bool reads_apart(const device_row_items& items) const override {
    if constexpr (std::is_void_v<monofold::detail::segment_term_t<Fold, items_view>>) {
      return false;
    } else {
      // Kernels for shorter rows load them by themselves.
      return items.rows.row_items > tile_items_v<Item> &&
             monofold::detail::row_stretches::of(items.rows, items.first, sizeof(Item))
                     .word_bytes != 0;
    }
  }

  void start(const device_row_items& items, const row_store& store, row_room& room) const override {
    const First first = first_of(items.first);
    const monofold::detail::device_stream on{room.stream(), room.device()};
    const gpu_workspace none;
    const auto start_path = [&](const auto& path, const auto& start) {
      monofold::detail::throw_if(
          start(path, path.needs_workspace() ? workspace_of(room, path.workspace_bytes()) : none));
    };
    if (items.starts == nullptr) {
      const monofold::detail::axis_path<Fold, Item, row_list, true, First> path(
          fold_, first, items.rows, room.multiprocessors());
      start_path(path, [&](const auto& own, const gpu_workspace& workspace) {
        return own.start(on, workspace, row_sinks{store});
      });
    } else {
      const items_view view(first, items.num_items);
      const row_list list(items.starts, items.stops, items.num_segments);
      const monofold::detail::segment_path<Fold, items_view, row_list> path(fold_, view, list,
                                                                            room.multiprocessors());
      start_path(path, [&](const auto& own, const gpu_workspace& workspace) {
        room.look_for_bad_segments_at(workspace.segment_report());
        return own.template start<false>(on, workspace, row_sinks{store});
      });
    }
  }

 private:
  using items_view = monofold::detail::view_from<Item, First>;

  First first_of(const void* address) const {
    if constexpr (std::is_pointer_v<First>) {
      return static_cast<First>(address);
    } else {
      return First(address, type_);
    }
  }

  Fold fold_;
  dtype type_;
};

template <class Fold, class Item, class First = const Item*>
std::unique_ptr<row_pass> make_row_pass_of(const Fold& fold, dtype type = {}) {
  return std::make_unique<row_pass_of<Fold, Item, First>>(fold, type);
}

/// Calls visit.operator()<Item>() for a floating-point type; else what a default is.
template <class Visit>
auto visit_floating(dtype type, const Visit& visit) {
  switch (type) {
    case dtype::float16: return visit.template operator()<float16>();
    case dtype::bfloat16: return visit.template operator()<bfloat16>();
    case dtype::float32: return visit.template operator()<float>();
    case dtype::float64: return visit.template operator()<double>();
    default: return decltype(visit.template operator()<float>()){};
  }
}

/// Calls visit.operator()<Word>(sign, infinite) for the word that an item is: its highest bit where the type has signs,
/// and the bits of an infinity, or 0.
template <class Visit>
auto visit_words(dtype type, const Visit& visit) {
  return visit_dtype(type, [&]<class Item>() {
    using word = std::conditional_t<
        sizeof(Item) == 1, std::uint8_t,
        std::conditional_t<sizeof(Item) == 2, std::uint16_t,
                           std::conditional_t<sizeof(Item) == 4, std::uint32_t, std::uint64_t>>>;
    constexpr auto top = static_cast<word>(word{1} << (8 * sizeof(word) - 1));
    if constexpr (is_floating_v<Item>) {
      return visit(top, static_cast<word>(float_format<Item>::infinity));
    } else {
      return visit(std::is_signed_v<Item> ? top : word{0}, word{0});
    }
  });
}

}  // namespace monofold::runtime
