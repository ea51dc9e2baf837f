#pragma once
/// plan/double_row_launch: which rows of one length warps add by doubles, and how many share one. Arithmetic only; it
/// changes no bit.

#include <cstdint>
#include <limits>

#include "monofold/platform/host_device.hpp"

namespace monofold {

/// A warp copies pages of so many bytes to shared memory, a few ahead of those that it adds.
inline constexpr int double_row_page_bytes = 2048;
/// Warps of a block, and blocks that run at once on a multiprocessor.
inline constexpr int log2_double_row_warps = 3;
inline constexpr int double_row_blocks = 2;

/// Places for blocks, and for warps, that run at once.
constexpr std::int64_t double_block_places(int multiprocessors) {
  return std::int64_t{double_row_blocks} * multiprocessors;
}
constexpr std::int64_t double_warp_places(int multiprocessors) {
  return double_block_places(multiprocessors) << log2_double_row_warps;
}

/// What a host knows of rows whose answers are narrower than doubles.
struct double_row_facts {
  std::int64_t rows;
  std::int64_t length;
  int item_bytes;  // 2 or 4
  bool has_squares;
  bool is_aligned;  // all rows begin at boundaries of 16 bytes
  int multiprocessors;
};

/// Whether warps that add rows by doubles are faster than other kernels.
///
/// source     one H200, exact sums, variances and means of squares of float32 and bfloat16, 96 shapes of 16 to 500 000
///            rows of 100 to 1 000 000 items, of which they take 0.3 to 1.0 of the time where this is true: 0.95 to
///            1.05 for sums of float32 in 65 536 rows of 640 to 3000, 0.4 for variances of 8192 rows of 1500
constexpr bool adds_by_doubles(const double_row_facts& facts) {
  constexpr std::int64_t tile_bytes = 4096;
  const std::int64_t length = facts.length;
  const std::int64_t row_bytes = length * facts.item_bytes;
  if (length <= 0 || length >> 29 != 0) return false;
  if (row_bytes > tile_bytes) {
    // A block adds a row, at most. Other kernels cut rows into parts for several blocks.
    const std::int64_t blocks = double_block_places(facts.multiprocessors);
    if (4 * facts.rows >= 3 * blocks) return true;
    return row_bytes <= (facts.rows >= blocks / 4 ? std::int64_t{1} << 20 : std::int64_t{1} << 17);
  }
  if (facts.has_squares) {
    if (!facts.is_aligned) return length > 256;
    if (facts.item_bytes == 2) return length > 512;
    return length > (facts.rows >= 2 * double_warp_places(facts.multiprocessors) ? 256 : 640);
  }
  if (facts.rows < 3 * double_warp_places(facts.multiprocessors)) return false;
  if (facts.item_bytes == 2) return length > 512;
  return length >= (facts.is_aligned ? 640 : 900);
}

/// 2^level warps of a block share each of so many rows, or groups of columns, of so many pages, in which they take turns:
/// as few warps as let all of them end soon.
constexpr int double_team_level(std::int64_t rows, std::int64_t pages, int multiprocessors) {
  // What a row costs besides its pages is about as much as two more.
  constexpr int row_pages = 2;
  int level = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i <= log2_double_row_warps && (i == 0 || pages > 1 << (i - 1)); ++i) {
    const std::int64_t teams = double_warp_places(multiprocessors) >> i;
    const std::int64_t turns = (rows + teams - 1) / teams;
    const std::int64_t time = turns * (((pages - 1) >> i) + 1 + row_pages);
    if (time > least) continue;
    least = time;
    level = i;
  }
  return level;
}

constexpr int double_row_level(const double_row_facts& facts) {
  const std::int64_t page_items = double_row_page_bytes / facts.item_bytes;
  return double_team_level(facts.rows, (facts.length + page_items - 1) / page_items,
                           facts.multiprocessors);
}

/// The blocks of such teams: as many as run at once, or as there are rows for.
constexpr std::int64_t double_team_blocks(std::int64_t rows, int level, int multiprocessors) {
  const std::int64_t each = 1 << (log2_double_row_warps - level);
  const std::int64_t needed = (rows + each - 1) / each;
  const std::int64_t places = double_block_places(multiprocessors);
  return needed < places ? needed : places;
}

/// Whether warps that add columns by doubles, in groups of 32 chunks of 16 bytes, are faster than other kernels, which cut
/// columns into parts for several blocks.
///
/// source     one H200, exact sums, variances and means of squares of float32 and bfloat16, 18 shapes of 2 to 5000 items
///            in 20 000 to 1 000 000 columns, of which they take 0.4 to 1.1 of the time where this is true. Sums of
///            float32 of 64 x 131 072 and 100 x 100 000 took 1.1 to 1.2. Variances of less than 48 bfloat16 were slower
///            where warps have less than a group each
constexpr bool adds_columns_by_doubles(std::int64_t groups, std::int64_t items, int item_bytes,
                                       bool has_squares, int multiprocessors) {
  if (4 * groups < std::int64_t{3} * multiprocessors || items >> 29 != 0) return false;
  if (has_squares) {
    return items >= (item_bytes == 4 || groups >= double_warp_places(multiprocessors) ? 4 : 48);
  }
  const bool are_medium = groups >= std::int64_t{4} * multiprocessors &&
                          groups < std::int64_t{12} * multiprocessors && items >= 48 &&
                          items <= 128;
  return item_bytes == 2 || !are_medium;
}

}  // namespace monofold
