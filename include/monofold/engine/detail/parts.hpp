#pragma once
/// engine/detail/parts: items with numbers, put side by side by number, in their order.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "monofold/engine/detail/parallel.hpp"

namespace monofold::detail {

/// Neighbouring items, one chunk for a thread at a time.
struct chunk_list {
  std::int64_t num_items;
  std::int64_t num_chunks;

  /// Four chunks a thread balance the load; a chunk's counts are small beside it.
  static chunk_list of(std::int64_t num_items, int num_threads) {
    constexpr std::int64_t least = 1 << 14;
    const std::int64_t most = num_threads == 1 ? 1 : std::int64_t{4} * concurrency(num_threads);
    return {num_items, std::clamp<std::int64_t>(num_items / least, 1, most)};
  }
  std::int64_t begin(std::int64_t chunk) const {
    return chunk * (num_items / num_chunks) + std::min(chunk, num_items % num_chunks);
  }
  std::int64_t size(std::int64_t chunk) const { return begin(chunk + 1) - begin(chunk); }
};

/// The parts of items that have numbers: how long they are, and where each chunk's share of them begins.
///
/// order      parts by number; in a part the items of a chunk lie before those of the next one
class part_places {
 public:
  part_places(std::int64_t num_chunks, std::int64_t num_parts)
      : num_chunks_(num_chunks),
        num_parts_(num_parts),
        places_(static_cast<std::size_t>(num_chunks * num_parts)),
        begins_(static_cast<std::size_t>(num_parts + 1)) {}

  /// One a part: counts at first, after `count_up` the places of the chunk's next items.
  std::int64_t* of_chunk(std::int64_t chunk) { return places_.data() + chunk * num_parts_; }

  void count_up() {
    std::int64_t next = 0;
    for (std::int64_t part = 0; part < num_parts_; ++part) {
      begins_[static_cast<std::size_t>(part)] = next;
      for (std::int64_t chunk = 0; chunk < num_chunks_; ++chunk) {
        std::int64_t& own = of_chunk(chunk)[part];
        const std::int64_t count = own;
        own = next;
        next += count;
      }
    }
    begins_.back() = next;
  }

  const std::int64_t* offsets() const { return begins_.data(); }
  std::int64_t num_parts() const { return num_parts_; }
  std::int64_t begin(std::int64_t part) const { return begins_[static_cast<std::size_t>(part)]; }
  std::int64_t end(std::int64_t part) const { return begin(part + 1); }
  std::int64_t size(std::int64_t part) const { return end(part) - begin(part); }

 private:
  std::int64_t num_chunks_;
  std::int64_t num_parts_;
  std::vector<std::int64_t> places_;
  std::vector<std::int64_t> begins_;
};

}  // namespace monofold::detail
