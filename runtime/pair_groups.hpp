#pragma once
/// runtime/pair_groups: rows of two arrays that are read together, and copies of their pairs.

#include <algorithm>
#include <cstdint>

#include "monofold/engine/pair_axes.hpp"
#include "monofold/shape/axes.hpp"
#include "runtime/lane_rows.hpp"
#include "runtime/raw_items.hpp"

namespace monofold::runtime {

/// Two arrays whose rows are folded in pairs. All strides are in bytes.
class pair_groups {
 public:
  using row_group = monofold::detail::row_group<char>;

  /// Items of a row: below, to start on it where it lies costs more than a copy of it.
  static constexpr std::int64_t least_alone = 256;

  /// Groups of `width` rows of both.
  struct list {
    list(const pair_groups& of, std::int64_t width)
        : left(of.left_, of.rows_.left, width), right(of.right_, of.rows_.right, width) {}
    std::int64_t count() const { return left.count(); }

    monofold::detail::row_groups<char> left;
    monofold::detail::row_groups<char> right;
  };

  pair_groups(const void* left, const void* right, const pair_rows& rows, std::int64_t item_bytes,
              int num_threads)
      : bytes_(item_bytes),
        num_threads_(num_threads),
        is_in_place_(rows.are_contiguous()),
        rows_{in_bytes(rows.left, bytes_), in_bytes(rows.right, bytes_)},
        left_(static_cast<const char*>(left)),
        right_(static_cast<const char*>(right)) {}

  std::int64_t item_bytes() const { return bytes_; }
  std::int64_t items() const { return rows_.left.row_items; }  // of a row
  int num_threads() const { return num_threads_; }
  /// Whether the items of each row lie side by side.
  bool are_in_place() const { return is_in_place_; }
  const pair_rows& rows() const { return rows_; }
  std::int64_t row_of(const row_group& group, int column) const {
    return group.row + column * rows_.left.inner().number;
  }
  /// How many rows of so many bytes of pairs are read together.
  std::int64_t width_for(std::int64_t row_bytes) const;

  /// Copies items [at, at + count) of the rows of a group: item i of row c to `left_to + c * pitch + i * step`.
  void gather(const row_group& left, const row_group& right, std::int64_t at, std::int64_t count,
              char* left_to, char* right_to, std::int64_t step, std::int64_t pitch) const;
  void gather_pairs(const row_group& left, const row_group& right, std::int64_t at,
                    std::int64_t count, char* to, std::int64_t pitch) const {
    gather(left, right, at, count, to, to + bytes_, 2 * bytes_, pitch);
  }

  /// Groups of rows by all threads: fold(begin, end) of some at a time.
  template <class Fold>
  void for_groups(std::int64_t count, std::int64_t group_bytes, const Fold& fold) const {
    const std::int64_t share =
        std::max<std::int64_t>(1, monofold::detail::piece_bytes / group_bytes);
    monofold::detail::parallel_for(num_threads_, (count + share - 1) / share, [&](std::int64_t i) {
      fold(i * share, std::min(count, (i + 1) * share));
    });
  }

 private:
  std::int64_t bytes_;
  int num_threads_;
  bool is_in_place_;
  pair_rows rows_;
  const char* left_;
  const char* right_;
};

}  // namespace monofold::runtime
