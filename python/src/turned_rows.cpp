#include "python/src/turned_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "python/src/gather.hpp"

namespace monofold::python {

namespace {

/// Whether rows lie nearer to each other than their items do.
bool have_columns(const layout& items, std::size_t num_kept) {
  if (num_kept == 0 || num_kept == items.extents.size() || !items.is_native()) return false;
  return std::abs(items.strides[num_kept - 1]) < std::abs(items.strides.back());
}

/// Copies `count` items of each of some columns, eight of a column at a time: stores go where the last ones went.
/// Strides are in bytes.
template <class Word>
void turn_words(const char* from, std::int64_t stride, std::int64_t count, std::int64_t apart,
                std::int64_t width, char* to, std::int64_t pitch) {
  const auto copy_some = [&](std::int64_t first, std::int64_t column, std::int64_t items) {
    const char* item = from + first * stride + column * apart;
    Word* const out = reinterpret_cast<Word*>(to + column * pitch) + first;
    for (std::int64_t i = 0; i < items; ++i, item += stride) {
      out[i] = *reinterpret_cast<const Word*>(item);
    }
  };
  constexpr std::int64_t some = 8;
  const std::int64_t most = count / some * some;
  for (std::int64_t first = 0; first < most; first += some) {
    for (std::int64_t column = 0; column < width; ++column) copy_some(first, column, some);
  }
  for (std::int64_t column = 0; column < width; ++column) copy_some(most, column, count - most);
}

}  // namespace

turned_rows::turned_rows(const layout& items, const std::vector<std::int64_t>& axes) {
  std::vector<std::int64_t> reduced;
  for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(items.extents.size()); ++axis) {
    const bool is_reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
    (is_reduced ? reduced : order).push_back(axis);
    (is_reduced ? row_items : num_rows) *= items.extents[static_cast<std::size_t>(axis)];
  }
  num_kept = order.size();
  order.insert(order.end(), reduced.begin(), reduced.end());
}

side_by_side_rows::side_by_side_rows(const layout& items, const turned_rows& rows,
                                     std::int64_t rows_at_once)
    : items_(items),
      num_kept_(rows.num_kept),
      row_items_(rows.row_items),
      pitch_bytes_(rows.row_items * items.item_bytes()),
      are_columns_(have_columns(items, rows.num_kept)) {
  if (items.is_packed()) return;
  // Rows that are 4 KiB apart would all want the same cache lines.
  if (are_columns_) pitch_bytes_ += 64;
  buffer_ =
      std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(rows_at_once * pitch_bytes_));
}

const char* side_by_side_rows::at(std::int64_t first, std::int64_t count) {
  if (!buffer_) return items_.data + first * pitch_bytes_;
  if (are_columns_) {
    copy_columns(first, count);
  } else {
    gather(items_, first * row_items_, count * row_items_, buffer_.get());
  }
  return buffer_.get();
}

void side_by_side_rows::copy_columns(std::int64_t first, std::int64_t count) {
  // A few cache lines of each line of memory at a time, which eight of the buffer's rows or more take.
  const std::int64_t most = 512 / items_.item_bytes();
  const std::int64_t inner = items_.extents[num_kept_ - 1];
  char* to = buffer_.get();
  for (std::int64_t row = first; row < first + count;) {
    const std::int64_t width = std::min({most, first + count - row, inner - row % inner});
    const char* from = items_.data;
    std::int64_t rest = row;
    for (std::size_t axis = num_kept_; axis-- > 0; rest /= items_.extents[axis]) {
      from += rest % items_.extents[axis] * items_.strides[axis];
    }
    copy_group(from, width, to);
    row += width;
    to += width * pitch_bytes_;
  }
}

void side_by_side_rows::copy_group(const char* from, std::int64_t width, char* to) const {
  const std::size_t last = items_.extents.size() - 1;
  const std::int64_t count = items_.extents[last], stride = items_.strides[last];
  const std::int64_t apart = items_.strides[num_kept_ - 1], bytes = items_.item_bytes();
  const auto turn = bytes == 1   ? &turn_words<std::uint8_t>
                    : bytes == 2 ? &turn_words<std::uint16_t>
                    : bytes == 4 ? &turn_words<std::uint32_t>
                                 : &turn_words<std::uint64_t>;
  for (std::int64_t at = 0; at < row_items_; at += count) {
    const char* line = from;
    std::int64_t rest = at / count;
    for (std::size_t axis = last; axis-- > num_kept_; rest /= items_.extents[axis]) {
      line += rest % items_.extents[axis] * items_.strides[axis];
    }
    turn(line, stride, count, apart, width, to + at * bytes, pitch_bytes_);
  }
}

}  // namespace monofold::python
