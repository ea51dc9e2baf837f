#pragma once
/// ladder/sizes: how many threads and bytes the rungs take; fewer where a page shows each of them.

namespace monofold::ladder {

#if defined(MONOFOLD_LADDER_TRACED)
inline constexpr int block_threads = 64;
inline constexpr int single_block_threads = 64;
inline constexpr int stream_threads = 64;
inline constexpr int bulk_threads = 64;
inline constexpr int bulk_stages = 2;
inline constexpr int stage_bytes = 512;
/// So few that blocks of a page's items have several tiles.
inline constexpr int resident_threads = 64;
#else
/// The block of most rungs: two per scheduler, and 100 000 000 is a multiple of 256 (not of 512).
inline constexpr int block_threads = 256;

/// One block where there is one alone: as many threads as hardware has for it.
inline constexpr int single_block_threads = 1024;

/// Two buffers of it in 48 KiB of shared memory, for states of up to 32 bytes.
inline constexpr int stream_threads = 512;

/// The ring of a warp of `grid_bulk`.
inline constexpr int bulk_threads = 128;
inline constexpr int bulk_stages = 4;
inline constexpr int stage_bytes = 2048;

/// A multiprocessor holds so many threads: 8 blocks of 256 stay resident.
inline constexpr int resident_threads = 2048;
#endif

}  // namespace monofold::ladder
