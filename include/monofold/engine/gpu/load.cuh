#pragma once
/// engine/gpu/load: how a warp loads neighbouring bytes, or those of them that lie in a range.

#include <cstdint>
#include <cstring>

#include "monofold/level/shuffle.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Returns `x`, in a way that hides from compilers that it is the same each time. What they would work out once, in front
/// of a loop that needs all registers for items, goes to local memory, where a load waits behind the items of all warps.
template <class T>
MONOFOLD_GPU T worked_out_again(T x) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 8) {
    asm volatile("" : "+l"(x));
  } else {
    asm volatile("" : "+r"(x));
  }
#endif
  return x;
}

/// The 16 bytes that a lane loads at once.
struct alignas(16) bytes16 {
  std::uint32_t word[4];
};

MONOFOLD_GPU int bytes_past_16(const void* address) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) % sizeof(bytes16));
}

/// Arrays between these sizes are near the size of the second-level cache. Half of their lines are marked as the first
/// to be evicted, so that the others are still there when the array is read again.
///
/// source     reading 64 MiB again takes 0.80 of the time on an H200 (60 MB), 48 MiB 0.72, 20 MiB of somebody
///            else's data read in between 0.83 together; 128 MiB would take 1.03
inline constexpr std::int64_t min_kept_bytes = std::int64_t{16} << 20;
inline constexpr std::int64_t max_kept_bytes = std::int64_t{96} << 20;
MONOFOLD_GPU bool is_partly_kept(std::int64_t bytes) {
  return bytes > min_kept_bytes && bytes <= max_kept_bytes;
}

/// How the second-level cache should treat an array of so many bytes that is read once: keep half of it, or nothing if it
/// is larger than the cache.
///
/// source     one H200, rows of float32 again and again: 0.76 to 0.89 of the time for 48 to 64 MiB. By a hint that says
///            what is so without one, 400 MB took 1.1 to 1.3
MONOFOLD_GPU std::uint64_t cache_policy_of([[maybe_unused]] std::int64_t bytes) {
  std::uint64_t policy = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if (bytes > max_kept_bytes) {
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  } else if (bytes > min_kept_bytes) {
    asm("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %0, 0.5;" : "=l"(policy));
  } else {
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
  }
#endif
  return policy;
}

/// 16 bytes at an aligned address of global memory that the kernel does not write.
MONOFOLD_GPU bytes16 load_16(const void* aligned) {
#if defined(__CUDA_ARCH__)
  bytes16 out;
  // Read once: not worth a place in the first-level cache. (No `volatile`: loads may move.)
  asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(out.word[0]), "=r"(out.word[1]), "=r"(out.word[2]), "=r"(out.word[3])
      : "l"(aligned));
  return out;
#else
  return *static_cast<const bytes16*>(aligned);
#endif
}

/// The same by way of the first-level cache, for chunks next to which others of their sectors are loaded.
MONOFOLD_GPU bytes16 load_cached_16(const void* aligned) {
#if defined(__CUDA_ARCH__)
  bytes16 out;
  asm("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(out.word[0]), "=r"(out.word[1]), "=r"(out.word[2]), "=r"(out.word[3])
      : "l"(aligned));
  return out;
#else
  return *static_cast<const bytes16*>(aligned);
#endif
}

/// The same, of an array that is partly kept in the second-level cache.
MONOFOLD_GPU bytes16 load_kept_16(const void* aligned) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %0, 0.5;" : "=l"(policy));
  bytes16 out;
  asm("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
      : "=r"(out.word[0]), "=r"(out.word[1]), "=r"(out.word[2]), "=r"(out.word[3])
      : "l"(aligned), "l"(policy));
  return out;
#else
  return load_16(aligned);
#endif
}

/// Bytes `past` .. `past` + 15 of two neighbouring chunks, 0 < past < 16, a multiple of `grain`.
template <int grain = 1>
MONOFOLD_GPU bytes16 bytes_across(const bytes16& low, const bytes16& high, int past) {
  std::uint32_t word[8];
  MONOFOLD_UNROLL
  for (int i = 0; i < 4; ++i) {
    word[i] = low.word[i];
    word[i + 4] = high.word[i];
  }
  MONOFOLD_UNROLL
  for (int i = 0; i < 6; ++i) word[i] = (past & 8) != 0 ? word[i + 2] : word[i];
  if constexpr (grain < 8) {
    MONOFOLD_UNROLL
    for (int i = 0; i < 5; ++i) word[i] = (past & 4) != 0 ? word[i + 1] : word[i];
  }
  bytes16 out;
  MONOFOLD_UNROLL
  for (int i = 0; i < 4; ++i) {
    if constexpr (grain >= 4) {
      out.word[i] = word[i];
      continue;
    }
    const std::uint64_t pair = (std::uint64_t{word[i + 1]} << 32) | word[i];
    out.word[i] = static_cast<std::uint32_t>(pair >> (8 * (past & 3)));
  }
  return out;
}

/// Loads rows of 32 chunks of 16 bytes from an aligned address: chunk r * 32 + lane into raw[r].
template <int rows, bool is_kept = false>
MONOFOLD_GPU void load_aligned_rows(bytes16 (&raw)[rows], const char* bytes, int lane) {
  constexpr int row_bytes = warp_lanes * static_cast<int>(sizeof(bytes16));
  const char* const own = bytes + lane * static_cast<int>(sizeof(bytes16));
  MONOFOLD_UNROLL
  for (int r = 0; r < rows; ++r) {
    raw[r] = is_kept ? load_kept_16(own + r * row_bytes) : load_16(own + r * row_bytes);
  }
}

/// The same from an address `past` bytes behind an aligned one. Chunks are loaded from aligned addresses and then
/// shifted, with the bytes of the next lane's chunk. `past` is a multiple of `grain`.
///
/// shape      the `past` bytes before the rows and the 16 - past bytes behind them are read too
/// sync       all lanes of the warp
template <int grain = 1, bool is_kept = false, int rows>
MONOFOLD_GPU void load_shifted_rows(bytes16 (&raw)[rows], const char* bytes, int past, int lane) {
  const char* const aligned = bytes - past;
  load_aligned_rows<rows, is_kept>(raw, aligned, lane);
  const bytes16 behind = load_16(aligned + rows * warp_lanes * static_cast<int>(sizeof(bytes16)));
  MONOFOLD_UNROLL
  for (int r = 0; r < rows; ++r) {
    // Lane 31 needs the first chunk of the next row, which lane 0 has.
    const bytes16& next_row = r + 1 < rows ? raw[r + 1] : behind;
    const bytes16 given = lane == 0 ? next_row : raw[r];
    raw[r] = bytes_across<grain>(raw[r], shuffle_from(given, (lane + 1) % warp_lanes), past);
  }
}

/// Items in memory by positions that count from a 16-byte boundary at or before the first item.
///
/// Where any schedule gives the same result, tiles begin at such boundaries, and all but the first and
/// the last one are loaded by aligned loads wherever the items begin.
template <class Item>
struct aligned_range {
  using item = Item;
  const Item* base;    // the boundary
  std::int64_t first;  // position of the first item
  std::int64_t end;    // behind the last

  MONOFOLD_GPU bool holds(std::int64_t position) const {
    return position >= first && position < end;
  }
  /// How many items beyond a tile are loaded with it on either side.
  MONOFOLD_HD int margin() const { return 0; }
};

/// The range of items in memory.
template <class Item>
MONOFOLD_HD aligned_range<Item> aligned_range_of(const Item* first, std::int64_t count) {
  const auto ahead = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(first) %
                                               sizeof(bytes16) / sizeof(Item));
  return {first - ahead, ahead, ahead + count};
}

template <class Item>
MONOFOLD_GPU void set_item(bytes16& chunk, int v, const Item& item) {
  constexpr int words = sizeof(Item) == 8 ? 2 : 1;
  constexpr std::uint32_t mask = sizeof(Item) >= 4 ? ~0u : (1u << (8 * sizeof(Item) % 32)) - 1;
  const int first = v * static_cast<int>(sizeof(Item)) / 4;
  const int shift = v * static_cast<int>(sizeof(Item)) % 4 * 8;
  std::uint32_t own[words] = {};
  std::memcpy(own, &item, sizeof(Item));
  MONOFOLD_UNROLL
  for (int w = 0; w < 4; ++w) {
    if (w / words * words != first) continue;
    chunk.word[w] = (chunk.word[w] & ~(mask << shift)) | (own[w % words] << shift);
  }
}

/// A chunk in which all items are this one.
template <class Item>
MONOFOLD_GPU bytes16 repeated(const Item& item) {
  constexpr int count = static_cast<int>(sizeof(bytes16) / sizeof(Item));
  slot_array<Item, count> items;
  MONOFOLD_UNROLL
  for (int v = 0; v < count; ++v) items[v] = item;
  bytes16 out;
  std::memcpy(&out, static_cast<const void*>(items.values), sizeof(out));
  return out;
}

/// How many steps of `step` items fit into a distance, at most `rows`.
template <int rows, int step>
MONOFOLD_GPU int steps_within(std::int64_t distance) {
  if (distance >= rows * step) return rows;
  return distance <= 0 ? 0 : static_cast<int>(distance) / step;
}

/// The 16 bytes at position `from`, a boundary; `outside` where they are not in the range.
template <class Item>
MONOFOLD_GPU bytes16 part_of_chunk(const aligned_range<Item>& range, std::int64_t from,
                                   const bytes16& outside) {
  constexpr int chunk_items = static_cast<int>(sizeof(bytes16) / sizeof(Item));
  bytes16 out = outside;
  MONOFOLD_ROLL
  for (int v = 0; v < chunk_items; ++v) {
    if (range.holds(from + v)) set_item(out, v, range.base[from + v]);
  }
  return out;
}

/// Loads rows of 32 chunks from position `at`, a boundary; all of them must lie in the range.
template <int rows, class Item>
MONOFOLD_GPU void load_rows(bytes16 (&raw)[rows], const aligned_range<Item>& range, std::int64_t at,
                            int lane) {
  load_aligned_rows(raw, reinterpret_cast<const char*>(range.base + at), lane);
}

/// Loads rows of 32 chunks from position `at`, a boundary: chunk r * 32 + lane into raw[r]. Chunks in the range are
/// loaded as a whole. Chunks at its ends are loaded item by item, as far as these lie in it; items of `outside` stand
/// for the others.
template <int rows, class Item>
MONOFOLD_GPU void load_ragged_rows(bytes16 (&raw)[rows], const aligned_range<Item>& range,
                                   std::int64_t at, int lane, const bytes16& outside) {
  constexpr int chunk_items = static_cast<int>(sizeof(bytes16) / sizeof(Item));
  constexpr int row_items = warp_lanes * chunk_items;
  const std::int64_t own = at + lane * chunk_items;
  // This lane's chunks of rows `begin` .. `end` - 1 lie in the range.
  const int begin = steps_within<rows, row_items>(range.first - own + row_items - 1);
  const int end = steps_within<rows, row_items>(range.end - own - chunk_items + row_items);
  MONOFOLD_UNROLL
  for (int r = 0; r < rows; ++r) {
    raw[r] = outside;
    if (r >= begin && r < end) raw[r] = load_16(range.base + own + r * row_items);
  }
  MONOFOLD_ROLL
  for (int side = 0; side < 2; ++side) {
    // Those around them may lie in it in part.
    const int row = side == 0 ? begin - 1 : end;
    const std::int64_t from = own + row * row_items;
    const bool is_there =
        row >= 0 && row < rows && from < range.end && from + chunk_items > range.first;
    if (!is_there) continue;
    const bytes16 bytes = part_of_chunk(range, from, outside);
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      MONOFOLD_UNROLL
      for (int w = 0; w < 4; ++w) raw[r].word[w] = r == row ? bytes.word[w] : raw[r].word[w];
    }
  }
}

}  // namespace monofold::detail
