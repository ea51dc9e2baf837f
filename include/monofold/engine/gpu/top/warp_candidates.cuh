#pragma once
/// engine/gpu/top/warp_candidates: a block's candidates for the k best in shared memory, and how warps add to them
/// without waiting for each other.

#include <cstdint>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/fold/top_rank.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/top_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The rank of this thread in a block of one dimension.
MONOFOLD_GPU int rank_in_block() { return static_cast<int>(threadIdx.x); }

/// Reads a word that others may be writing. The value is one that was written, and not long after it, the last one.
template <class Word>
MONOFOLD_GPU Word peek(const Word* word) {
  return *static_cast<const volatile Word*>(word);
}

/// Sets a word that others may be reading, by an atomic operation.
MONOFOLD_GPU void post(std::uint32_t* word, std::uint32_t value) { atomicExch(word, value); }

/// Raises a word of 64 bits of shared or global memory to `value` where it is less.
MONOFOLD_GPU void raise_to(std::uint64_t* word, std::uint64_t value) {
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  atomicMax(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(value));
}

/// Global memory in which the blocks of a launch tell each other the bounds and best items that they know. All 0
/// before a launch, and after it. What many blocks write lies in lines of its own.
struct shared_bounds {
  static constexpr int words = 16;  // of 8 bytes: a line
  static constexpr int num_places = 256;

  std::uint64_t bound;  // a score that k items reach
  std::uint64_t unused_0[words - 1];
  std::uint32_t survivors;  // written to the list so far
  std::uint32_t unused_1[2 * words - 1];
  std::uint64_t
      best[num_places];  // scores of different items: of the best that blocks b, b + 256, .. saw
};

/// Gives each lane that `wants` one a place, by raising a counter in shared memory.
///
/// sync       all lanes of the warp
MONOFOLD_GPU std::uint32_t place_among_lanes(std::uint32_t* counter, bool wants) {
  const std::uint32_t lanes = lanes_with(wants);
  std::uint32_t first = 0;
  if (lane_rank() == 0 && lanes != 0) {
    first = atomicAdd(counter, static_cast<std::uint32_t>(count_bits(lanes)));
  }
  const std::uint32_t below = (std::uint32_t{1} << lane_rank()) - 1;
  return shuffle_from(first, 0) + static_cast<std::uint32_t>(count_bits(lanes & below));
}

/// The k-th largest of 32 words in shared memory, one of each lane; 1 <= k <= 32.
///
/// sync       all lanes of the warp, which all get it
MONOFOLD_GPU std::uint32_t kth_of_lanes(const bytes16 (&of_lane)[warp_lanes / 4], int k) {
  const std::uint32_t own = reinterpret_cast<const std::uint32_t*>(of_lane)[lane_rank()];
  int larger = 0;
  MONOFOLD_UNROLL
  for (int i = 0; i < warp_lanes; ++i) larger += of_lane[i / 4].word[i % 4] > own ? 1 : 0;
  return smallest_of_lanes(larger < k ? own : ~std::uint32_t{0});
}
/// The same of words in registers, where warps that ask at once have no shared memory each: slower, and for what is rare.
MONOFOLD_GPU std::uint32_t kth_of_lanes(std::uint32_t own, int k) {
  int larger = 0;
  MONOFOLD_ROLL
  for (int i = 0; i < warp_lanes; ++i) larger += shuffle_from(own, i) > own ? 1 : 0;
  return smallest_of_lanes(larger < k ? own : ~std::uint32_t{0});
}

/// A candidate. As it is made without arguments it is none, and worse than all others.
struct top_entry {
  std::uint64_t score = 0;
  std::int64_t position = no_position;
};

/// A block's candidates, in shared memory.
///
/// sync       between two block barriers warps add candidates, raise `common` and set `asked`; between
///            the next two (block_candidates.cuh) the block thins them out. `bound` changes only there
struct candidate_pool {
  static constexpr int capacity = 2 * static_cast<int>(max_top_items);
  static constexpr std::uint32_t no_place = ~std::uint32_t{0};

  std::uint64_t score[capacity];
  std::int64_t position[capacity];
  top_bound bound;       // worse candidates are out
  std::uint64_t common;  // so are those of less score: what other blocks know
  std::uint32_t count;   // of places taken; more than `capacity` where some did not fit
  std::uint32_t kept;
  std::uint32_t fresh_tiles;  // tiles with candidates since the block met
  std::uint32_t asked;        // not 0: warps come to meet when they have no tile at hand
  bool has_ties;              // items of one score are told apart by their positions
  // What warps tell each other in a search, in turns.
  std::uint32_t most[2][top_warps];
  std::uint32_t least[2][top_warps];
  int counts[2][top_warps];
  // The high words of the best that a lane, of any warp, has seen: of tiles, of what other blocks sent.
  bytes16 of_lane[2][warp_lanes / 4];
  std::uint32_t num_lists;
  std::uint16_t lists[max_top_blocks];  // blocks whose candidates are of use

  /// Empties the pool; by all threads, with a barrier behind it.
  MONOFOLD_GPU void start(bool may_have_ties) {
    if (rank_in_block() < 2 * warp_lanes) *of_lane_word(0, rank_in_block()) = 0;
    if (rank_in_block() != 0) return;
    has_ties = may_have_ties;
    bound = top_bound{};
    common = 0;
    count = kept = fresh_tiles = asked = num_lists = 0;
  }
  MONOFOLD_GPU std::uint32_t* of_lane_word(int which, int lane) {
    return &of_lane[which][0].word[0] + lane;
  }

  /// The best bound that this block knows: candidates have to pass it.
  MONOFOLD_GPU top_bound bound_now() const {
    top_bound now = bound;
    const std::uint64_t known = peek(&common);
    if (known > now.score) now = top_bound{known, no_position - 1};
    return now;
  }

  MONOFOLD_GPU void put(std::uint32_t place, const top_entry& entry) {
    score[place] = entry.score;
    position[place] = entry.position;
  }

  /// Takes places for `wanted` >= 1 candidates of one thread, and returns the first one. Takes none and returns
  /// `no_place` where there are not enough.
  MONOFOLD_GPU std::uint32_t take_places(std::uint32_t wanted) {
    const std::uint32_t first = atomicAdd(&count, wanted);
    if (first + wanted <= capacity) return first;
    // Only the first to find no room leaves a gap below `capacity`: later ones begin behind it.
    for (std::uint32_t place = first; place < capacity; ++place) put(place, top_entry{});
    return no_place;
  }
};

}  // namespace monofold::detail
