#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "cli/array_source.hpp"
#include "cli/map_file.hpp"
#include "cli/transpose.hpp"

namespace monofold::cli {
namespace {

constexpr std::int64_t chunk_quantum = 4096;          // items; see source::next
constexpr std::int64_t mapped_chunk_bytes = 8 << 20;  // see docstring of file_array
constexpr std::int64_t most_piece_bytes = 16 << 20;   // Fortran order: memory for speed
constexpr std::int64_t ahead_bytes =
    4 * mapped_chunk_bytes;  // asked of the disk before it is needed

constexpr std::int64_t least_tried_bytes = 64 << 20;  // below: most of the file would be the trial

// A piece that a thread fetches, and folds out of its second-level cache (docs/benchmarks.md). Within
// bounds: smaller ones cost calls, and some machines count the caches of many cores.
std::int64_t least_piece_bytes() {
  const long cache_bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (cache_bytes <= 0) return 1 << 20;
  const auto floor = std::bit_floor(static_cast<std::uint64_t>(cache_bytes));
  return static_cast<std::int64_t>(std::clamp<std::uint64_t>(floor, 256 << 10, 1 << 20));
}

// How the bytes of a file in the page cache are reached.
enum class file_access { mapped, copied };

// Which of the two is faster for this file: in pages of 4 KiB it may be a copy into a buffer that stays in the
// cache, in large folios, of which one fault maps much, it is the map. The first pieces are tried by turns. What
// counts is the least time from one piece of a thread to its next: with what is done to the items, and without
// what disturbs now and then. First pieces of threads do not count: buffers are not in memory yet.
class access_trial {
 public:
  using clock = std::chrono::steady_clock;

  bool is_on() const { return on_.load(std::memory_order_relaxed); }
  void end(file_access fastest) {
    fastest_.store(fastest, std::memory_order_relaxed);
    on_.store(false, std::memory_order_relaxed);
  }

  // How the next piece comes.
  file_access take_turn() {
    if (!is_on()) return fastest_.load(std::memory_order_relaxed);
    return static_cast<file_access>(num_started_.fetch_add(1, std::memory_order_relaxed) % 2);
  }

  // How the next piece comes to the thread that asks, whose last one is done.
  file_access next() {
    if (!is_on()) return take_turn();
    thread_local struct {
      std::uint64_t trial = 0;
      clock::time_point start;
      file_access way = file_access::mapped;
      bool is_first = true;
    } last;
    const clock::time_point now = clock::now();
    const bool goes_on = last.trial == id_;
    if (goes_on && !last.is_first) finish(last.way, now - last.start);
    last = {id_, now, take_turn(), !goes_on};
    return last.way;
  }

  // A piece took so long.
  void finish(file_access way, clock::duration time) {
    std::atomic<clock::rep>& of_way = least_[static_cast<int>(way)];
    clock::rep least = of_way.load();
    while (time.count() < least && !of_way.compare_exchange_weak(least, time.count())) {
    }
    if (num_finished_.fetch_add(1) + 1 < num_timed) return;
    end(least_[0].load() <= least_[1].load() ? file_access::mapped : file_access::copied);
  }

 private:
  static constexpr int num_timed = 16;
  static inline std::atomic<std::uint64_t> num_trials{0};

  const std::uint64_t id_ = num_trials.fetch_add(1, std::memory_order_relaxed) + 1;
  std::atomic<bool> on_{true};
  std::atomic<file_access> fastest_{file_access::mapped};
  std::atomic<int> num_started_{0};
  std::atomic<int> num_finished_{0};
  std::atomic<clock::rep> least_[2]{std::numeric_limits<clock::rep>::max(),
                                    std::numeric_limits<clock::rep>::max()};
};

class file_array_source final : public source {
 public:
  file_array_source(std::unique_ptr<regular_file> file, array_layout layout, io_mode io)
      : file_(std::move(file)), layout_(std::move(layout)) {
    item_bytes_ = info(layout_.type).size_bytes;
    if (!layout_.column_major_shape.empty()) {
      column_major order(layout_.column_major_shape, item_bytes_);
      if (!order.trivial()) transpose_ = std::move(order);
    }
    const mapped_file* const mapped = map(io);
    in_place_ = mapped != nullptr && !layout_.fixes.any() && !transpose_ &&
                layout_.data_offset % item_bytes_ == 0;
    piece_items_ = least_piece_bytes() / item_bytes_;
    if (transpose_) {
      const std::int64_t most = most_piece_bytes / item_bytes_;
      const std::int64_t good = std::min(most, transpose_->good_items());
      piece_items_ = std::max(piece_items_, good / chunk_quantum * chunk_quantum);
    }
    if (io != io_mode::automatic || transpose_ || mapped == nullptr ||
        file_->num_bytes() < least_tried_bytes) {
      access_.end(mapped != nullptr ? file_access::mapped : file_access::copied);
    }
    if (io == io_mode::direct && !transpose_) file_->read_directly();
  }

  dtype type() const override { return layout_.type; }
  std::optional<std::int64_t> count() const override { return layout_.num_items; }
  std::optional<std::int64_t> total_bytes() const override { return file_->num_bytes(); }
  std::optional<array_shape> shape() const override { return layout_.shape; }
  const void* items_in_place() override {
    if (!in_place_) return nullptr;
    file_->check();
    delivered_.store(layout_.num_items, std::memory_order_relaxed);
    return stored(0);
  }
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
    const bool is_first = buffer_ == nullptr;
    if (is_first) buffer_ = make_buffer(piece_items_ * item_bytes_);
    // What is done to the items does not count: of pairs, another source would come in between.
    const access_trial::clock::time_point start = access_trial::clock::now();
    const file_access access = access_.take_turn();
    const void* const items = convert(first, count, buffer_.get(), access);
    if (!is_first && access_.is_on()) {
      access_.finish(access, access_trial::clock::now() - start);
    }
    return {items, count};
  }

  std::int64_t fetch_items() const override { return piece_items_; }
  void copy_items() override { access_.end(file_access::copied); }

  const void* fetch(std::int64_t first, std::int64_t num_items, void* buffer) const override {
    delivered_.fetch_add(num_items, std::memory_order_relaxed);
    if (!transpose_) read_ahead(first, num_items);
    const file_access access = access_.next();
    if (access == file_access::mapped && !transpose_) unmap_behind(first);
    if (in_place_ && access == file_access::mapped) return stored(first);
    return convert(first, num_items, buffer, access);
  }

  void check() const override { file_->check(); }

 private:
  const std::byte* stored(std::int64_t item) const {
    return data_ + layout_.data_offset + item * item_bytes_;
  }

  // Puts the file into a map where that is asked for, may be faster, or is needed: another order takes
  // bytes from everywhere.
  const mapped_file* map(io_mode io) {
    if (!transpose_ && (io == io_mode::read || io == io_mode::direct)) return nullptr;
    try {
      auto mapped = std::make_unique<mapped_file>(duplicate(file_->file()), file_->num_bytes());
      const mapped_file* const out = mapped.get();
      data_ = mapped->data();
      file_ = std::move(mapped);
      return out;
    } catch (const input_error&) {  // some file systems; no room for addresses; 64 maps
      if (transpose_ || io == io_mode::map) throw;
      return nullptr;
    }
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

  // Takes pages that have been read out of the map, by whoever comes: at the end one thread alone would, for
  // 0.15 us a page. A piece that some thread still reads comes back by faults.
  void unmap_behind(std::int64_t first) const {
    const std::int64_t behind = layout_.data_offset + first * item_bytes_ - ahead_bytes;
    const std::int64_t end = behind / mapped_chunk_bytes * mapped_chunk_bytes;
    std::int64_t from = unmapped_.load(std::memory_order_relaxed);
    if (end <= from || !unmapped_.compare_exchange_strong(from, end)) return;
    ::madvise(const_cast<std::byte*>(data_) + from, static_cast<std::size_t>(end - from),
              MADV_DONTNEED);
  }

  const void* convert(std::int64_t first, std::int64_t count, void* buffer,
                      file_access access) const {
    if (transpose_) {
      transpose_->gather(stored(0), first, count, buffer);
    } else if (access == file_access::mapped) {
      std::memcpy(buffer, stored(first), static_cast<std::size_t>(count * item_bytes_));
    } else {
      file_->copy(layout_.data_offset + first * item_bytes_, count * item_bytes_, buffer);
    }
    make_native(buffer, count, item_bytes_, layout_.fixes);
    return buffer;
  }

  std::unique_ptr<regular_file> file_;
  const std::byte* data_ = nullptr;  // the map, where there is one
  array_layout layout_;
  int item_bytes_ = 1;
  std::optional<column_major> transpose_;
  bool in_place_ = false;  // the map itself holds aligned native items in the right order
  mutable access_trial access_;
  std::int64_t piece_items_ = 0;
  mutable std::atomic<std::int64_t> delivered_{0};  // items
  mutable std::atomic<std::int64_t> asked_{0};      // bytes of the file
  mutable std::atomic<std::int64_t> unmapped_{0};   // bytes of the file
  aligned_buffer buffer_;
};

}  // namespace

aligned_buffer make_buffer(std::int64_t num_bytes, std::int64_t alignment) {
  const std::int64_t rounded = (num_bytes + alignment - 1) / alignment * alignment;
  aligned_buffer buffer(
      std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(rounded)));
  if (buffer == nullptr) throw std::bad_alloc();
  return buffer;
}

std::unique_ptr<source> file_array(std::unique_ptr<regular_file> file, array_layout layout,
                                   io_mode io) {
  return std::make_unique<file_array_source>(std::move(file), std::move(layout), io);
}

}  // namespace monofold::cli
