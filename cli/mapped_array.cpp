#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "cli/array_source.hpp"
#include "cli/transpose.hpp"

namespace monofold::cli {
namespace {

constexpr std::int64_t chunk_quantum = 4096;          // items; see source::next
constexpr std::int64_t mapped_chunk_bytes = 8 << 20;  // see docstring of mapped_array
constexpr std::int64_t least_piece_bytes = 1 << 20;   // fetched: fits a second-level cache
constexpr std::int64_t most_piece_bytes = 16 << 20;   // Fortran order: memory for speed
constexpr std::int64_t ahead_bytes =
    4 * mapped_chunk_bytes;  // asked of the disk before it is needed

class mapped_array_source final : public source {
 public:
  mapped_array_source(std::unique_ptr<mapped_file> file, array_layout layout)
      : file_(std::move(file)), layout_(std::move(layout)) {
    item_bytes_ = info(layout_.type).size_bytes;
    if (!layout_.column_major_shape.empty()) {
      column_major order(layout_.column_major_shape, item_bytes_);
      if (!order.trivial()) transpose_ = std::move(order);
    }
    const auto address = reinterpret_cast<std::uintptr_t>(file_->data()) +
                         static_cast<std::uintptr_t>(layout_.data_offset);
    in_place_ = !layout_.fixes.any() && !transpose_ &&
                address % static_cast<std::uintptr_t>(item_bytes_) == 0;
    piece_items_ = least_piece_bytes / item_bytes_;
    if (transpose_) {
      const std::int64_t most = most_piece_bytes / item_bytes_;
      const std::int64_t good = std::min(most, transpose_->good_items());
      piece_items_ = std::max(piece_items_, good / chunk_quantum * chunk_quantum);
    } else {
      access_ = file_->faster_access();
    }
  }

  dtype type() const override { return layout_.type; }
  std::optional<std::int64_t> count() const override { return layout_.num_items; }
  std::optional<std::int64_t> total_bytes() const override { return file_->num_bytes(); }
  bool reorders() const override { return transpose_.has_value(); }
  std::int64_t consumed_bytes() const override {
    return layout_.data_offset + delivered_.load(std::memory_order_relaxed) * item_bytes_;
  }

  chunk next() override {
    file_->check();
    const std::int64_t most = in_place_ ? mapped_chunk_bytes / item_bytes_ : piece_items_;
    const std::int64_t first = delivered_.load(std::memory_order_relaxed);
    const std::int64_t count = std::min(most, layout_.num_items - first);
    if (count == 0) return {};
    delivered_.store(first + count, std::memory_order_relaxed);
    if (!transpose_) read_ahead(first, count);
    if (in_place_) return {stored(first), count};
    if (buffer_ == nullptr) buffer_ = make_buffer(piece_items_ * item_bytes_);
    return {convert(first, count, buffer_.get()), count};
  }

  std::int64_t fetch_items() const override { return piece_items_; }
  void copy_items() override { access_ = file_access::copied; }

  const void* fetch(std::int64_t first, std::int64_t num_items, void* buffer) const override {
    delivered_.fetch_add(num_items, std::memory_order_relaxed);
    if (!transpose_) read_ahead(first, num_items);
    if (in_place_ && access_ == file_access::mapped) return stored(first);
    return convert(first, num_items, buffer);
  }

  void check() const override { file_->check(); }

 private:
  const std::byte* stored(std::int64_t item) const {
    return file_->data() + layout_.data_offset + item * item_bytes_;
  }

  // Asks for what comes after these items, no byte twice (if two threads come here at once, one
  // asks in vain).
  void read_ahead(std::int64_t first, std::int64_t count) const {
    const std::int64_t end = layout_.data_offset + (first + count) * item_bytes_;
    const std::int64_t from = std::max(end, asked_.load(std::memory_order_relaxed));
    if (end + ahead_bytes - from < mapped_chunk_bytes) return;
    asked_.store(end + ahead_bytes, std::memory_order_relaxed);
    file_->will_need(from, end + ahead_bytes - from);
  }

  const void* convert(std::int64_t first, std::int64_t count, void* buffer) const {
    if (transpose_) {
      transpose_->gather(stored(0), first, count, buffer);
    } else if (access_ == file_access::mapped) {
      std::memcpy(buffer, stored(first), static_cast<std::size_t>(count * item_bytes_));
    } else {
      file_->copy(layout_.data_offset + first * item_bytes_, count * item_bytes_, buffer);
    }
    make_native(buffer, count, item_bytes_, layout_.fixes);
    return buffer;
  }

  std::unique_ptr<mapped_file> file_;
  array_layout layout_;
  int item_bytes_ = 1;
  std::optional<column_major> transpose_;
  bool in_place_ = false;  // the map itself holds aligned native items in the right order
  file_access access_ = file_access::mapped;
  std::int64_t piece_items_ = 0;
  mutable std::atomic<std::int64_t> delivered_{0};  // items
  mutable std::atomic<std::int64_t> asked_{0};      // bytes of the file
  aligned_buffer buffer_;
};

}  // namespace

aligned_buffer make_buffer(std::int64_t num_bytes) {
  constexpr std::int64_t line_bytes = 64;
  const std::int64_t rounded = (num_bytes + line_bytes - 1) / line_bytes * line_bytes;
  aligned_buffer buffer(std::aligned_alloc(line_bytes, static_cast<std::size_t>(rounded)));
  if (buffer == nullptr) throw std::bad_alloc();
  return buffer;
}

std::unique_ptr<source> mapped_array(std::unique_ptr<mapped_file> file, array_layout layout) {
  return std::make_unique<mapped_array_source>(std::move(file), std::move(layout));
}

}  // namespace monofold::cli
