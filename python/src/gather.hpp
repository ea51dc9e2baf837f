#pragma once
/// python/src/gather: items of any array next to each other, a piece at a time.

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "python/src/array.hpp"

namespace monofold::python {

/// Copies items [first, first + count), in row-major order, as this machine's bytes.
void gather(const layout& from, std::int64_t first, std::int64_t count, char* to);

/// Whether items are bool and lie on the host, and some byte is neither 0 nor 1. NumPy takes it as true; as a bool of C++ it
/// may be read as anything.
bool has_other_bools(const layout& items);
/// Whether such bytes are among these, which lie next to each other.
bool has_other_bools(const void* bytes, std::int64_t count);

/// Moves the items whose byte in `mask` is not 0 to the front; returns how many there are.
std::int64_t keep_marked(char* items, std::int64_t item_bytes, const char* mask,
                         std::int64_t count);

/// The same in each of some rows, which end at `stops` then.
struct marked_rows {
  marked_rows(char* items, std::int64_t item_bytes, const char* mask, std::int64_t num_rows,
              std::int64_t row_items);
  /// Makes places among marked items of rows, `width` a row, those among all.
  void count_others(std::int64_t* places, std::int64_t width) const;

  const char* mask;
  std::int64_t row_items;
  std::vector<std::int64_t> starts{}, stops{};
};

/// The place of the marked item that `marked` others stand before, and that is there.
std::int64_t place_in(const char* marks, std::int64_t marked);

/// The same, in row-major order; -1: no such item.
std::int64_t place_of_marked(const layout& mask, std::int64_t first, std::int64_t count,
                             std::int64_t marked);

/// Items from which a call is so long that other threads should run meanwhile.
inline constexpr std::int64_t items_without_lock = 4096;
/// Bytes between two looks at what the user typed.
inline constexpr std::int64_t piece_bytes = std::int64_t{256} << 20;
/// Bytes that are copied before they are reduced: what the caches between cores hold.
inline constexpr std::int64_t buffer_bytes = std::int64_t{4} << 20;

/// Takes the interpreter's lock for a moment, throws what a signal's handler raises, and tells who watches that
/// `bytes` more were worked on.
void check_signals(std::int64_t bytes);

/// Looks at signals whenever a piece's bytes were worked on.
class signal_watch {
 public:
  /// errors     throws what a signal's handler raises
  void passed(std::int64_t bytes) {
    since_look_ += bytes;
    if (since_look_ >= piece_bytes) check_signals(std::exchange(since_look_, 0));
  }

 private:
  std::int64_t since_look_ = 0;
};

/// Calls `take` with pieces of items [first, first + count), in row-major order: from where they lie when they
/// lie so, else from a buffer. `mask`, which may be null, says which of them there are.
///
/// sync       without the interpreter's lock. Between pieces it is taken and signals are handled
/// errors     what a signal's handler raises is thrown; a status of `take` other than ok is returned at once
using take_piece = std::function<monofold_status(const void* items, std::int64_t count)>;
monofold_status for_pieces(const layout& items, const layout* mask, std::int64_t first,
                           std::int64_t count, signal_watch& watch, const take_piece& take);

/// The same for two arrays of one shape and type on the host.
using take_pair =
    std::function<monofold_status(const void* left, const void* right, std::int64_t count)>;
monofold_status for_pairs(const layout& left, const layout& right, const layout* mask,
                          const take_pair& take);

/// How many items are marked.
std::int64_t count_marked(const layout& mask);

void bind_gather(nb::module_& core);

}  // namespace monofold::python
