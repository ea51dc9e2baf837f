#pragma once
/// engine/scan_pieces: threads share a scan: each begins with what the items before its own add up to.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "monofold/engine/detail/parallel.hpp"

namespace monofold::detail {

/// Items that a thread scans at a time: they stay in the second-level cache from the first look to the second.
inline constexpr std::int64_t scanned_piece = 1 << 16;

/// Calls scan(at, n, before) for pieces that make up [0, count), where `before` is what fold(at, n) leaves for all
/// items before `at`, joined by join(left, right), from the `Carry` of no items on.
///
/// sync       up to `num_threads` threads; a piece is folded and scanned after those before it were folded
/// cost       one thread: no fold. More: one pass of `fold` and one of `scan`, and memory for a carry a thread
/// tested by  tests/api/scan_test.cpp
template <class Carry, class Fold, class Join, class Scan>
void scan_pieces(int num_threads, std::int64_t count, const Carry& none, const Fold& fold,
                 const Join& join, const Scan& scan) {
  if (num_threads == 1 || count < 2 * scanned_piece) return scan(0, count, none);
  const std::int64_t threads = concurrency(num_threads);
  std::vector<Carry> carries(static_cast<std::size_t>(threads) + 1, none);
  const auto carry = [&](std::int64_t p) -> Carry& { return carries[static_cast<std::size_t>(p)]; };
  for (std::int64_t at = 0; at < count; at += threads * scanned_piece) {
    const std::int64_t left = (count - at + scanned_piece - 1) / scanned_piece;
    const std::int64_t pieces = std::min(threads, left);
    const auto begin = [&](std::int64_t p) { return at + p * scanned_piece; };
    const auto size = [&](std::int64_t p) { return std::min(scanned_piece, count - begin(p)); };
    // Nobody asks for the last piece of all.
    const std::int64_t folded = left > threads ? pieces : pieces - 1;
    parallel_for(num_threads, folded,
                 [&](std::int64_t p) { carry(p + 1) = fold(begin(p), size(p)); });
    for (std::int64_t p = 0; p < folded; ++p) carry(p + 1) = join(carry(p), carry(p + 1));
    parallel_for(num_threads, pieces, [&](std::int64_t p) { scan(begin(p), size(p), carry(p)); });
    carry(0) = carry(pieces);
  }
}

}  // namespace monofold::detail
