#pragma once
/// shape/segments: which items of a view make which segment.

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "monofold/platform/host_device.hpp"

namespace monofold {

/// Segments by number: segment s has the items [begin(s), end(s)) of a view. A list is small, copied freely,
/// and owns nothing. Lists may be read on a device: their arrays then lie in its memory, and no host reads
/// them.
template <class S>
concept segment_list = std::copy_constructible<S> && requires(const S s) {
  { s.size() } -> std::convertible_to<std::int64_t>;
  { s.begin(std::int64_t{}) } -> std::convertible_to<std::int64_t>;
  { s.end(std::int64_t{}) } -> std::convertible_to<std::int64_t>;
};

/// What offsets may be.
template <class T>
concept offset_type = std::is_integral_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

/// Segments one after the other: segment s begins at offsets[s] and ends at offsets[s + 1].
template <offset_type Offset>
class offset_segments {
 public:
  /// shape      offsets: count + 1 of them, not decreasing; the first need not be 0
  MONOFOLD_HD constexpr offset_segments(const Offset* offsets, std::int64_t count)
      : offsets_(offsets), count_(count) {}

  MONOFOLD_HD constexpr std::int64_t size() const { return count_; }
  MONOFOLD_HD std::int64_t begin(std::int64_t s) const {
    return static_cast<std::int64_t>(offsets_[s]);
  }
  MONOFOLD_HD std::int64_t end(std::int64_t s) const {
    return static_cast<std::int64_t>(offsets_[s + 1]);
  }

 private:
  const Offset* offsets_;
  std::int64_t count_;
};

/// Segments by starts and stops: there may be gaps between them, and they may overlap.
template <offset_type Offset>
class range_segments {
 public:
  /// shape      starts and stops: `count` of each
  MONOFOLD_HD constexpr range_segments(const Offset* starts, const Offset* stops,
                                       std::int64_t count)
      : starts_(starts), stops_(stops), count_(count) {}

  MONOFOLD_HD constexpr std::int64_t size() const { return count_; }
  MONOFOLD_HD std::int64_t begin(std::int64_t s) const {
    return static_cast<std::int64_t>(starts_[s]);
  }
  MONOFOLD_HD std::int64_t end(std::int64_t s) const {
    return static_cast<std::int64_t>(stops_[s]);
  }

 private:
  const Offset* starts_;
  const Offset* stops_;
  std::int64_t count_;
};

/// Segments of one length, `stride` items from start to start: rows.
class fixed_segments {
 public:
  MONOFOLD_HD constexpr fixed_segments(std::int64_t length, std::int64_t count)
      : fixed_segments(length, count, length) {}
  MONOFOLD_HD constexpr fixed_segments(std::int64_t length, std::int64_t count, std::int64_t stride)
      : length_(length), count_(count), stride_(stride) {}

  MONOFOLD_HD constexpr std::int64_t size() const { return count_; }
  MONOFOLD_HD constexpr std::int64_t length() const { return length_; }
  MONOFOLD_HD constexpr std::int64_t begin(std::int64_t s) const { return s * stride_; }
  MONOFOLD_HD constexpr std::int64_t end(std::int64_t s) const { return s * stride_ + length_; }

 private:
  std::int64_t length_;
  std::int64_t count_;
  std::int64_t stride_;
};

/// Which indices a fold sees, and so which ones an answer has (of extrema, say): those in the row or segment, where
/// its first item is 0, or those in the whole view.
struct index_in_row {};
struct index_in_all {};
inline constexpr index_in_all global_index{};

namespace detail {

/// How many segments a list has, whatever integers a user counts in.
template <segment_list Segments>
constexpr std::int64_t count_of(const Segments& list) {
  return static_cast<std::int64_t>(list.size());
}

}  // namespace detail

static_assert(segment_list<offset_segments<std::int32_t>> &&
              segment_list<range_segments<std::int64_t>> && segment_list<fixed_segments>);

}  // namespace monofold
