#pragma once
/// engine/gpu/key/lane_stage: neighbouring values of an array in shared memory, so that each lane of a warp has
/// neighbouring ones.

#include <cstdint>
#include <cstring>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/thread_copy.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Room for `each` values of each lane. Between those of two lanes 16 bytes are free, so that lanes read theirs from
/// unlike banks.
template <class T, int each>
struct lane_stage {
  static constexpr int value_bytes = static_cast<int>(sizeof(T));
  static constexpr int lane_stride = in_chunks_of_16(each * value_bytes) + 16;
  static constexpr int bytes = warp_lanes * lane_stride;
  static constexpr int count = warp_lanes * each;
  static constexpr int chunks = each * value_bytes / 16;  // of a lane
  static constexpr bool are_chunks = each * value_bytes % 16 == 0 && warp_lanes % chunks == 0;
  using values = slot_array<T, each>;

  char* memory;

  MONOFOLD_GPU T* place(int at) const {
    const auto number = static_cast<unsigned>(at);
    constexpr int gap = lane_stride - each * value_bytes;
    return reinterpret_cast<T*>(memory + number * value_bytes + number / each * gap);
  }
  MONOFOLD_GPU char* of_lane() const { return memory + lane_rank() * lane_stride; }

  /// Begins to copy values from place `first` of a view of `size` on; `outside` stands for those behind its end.
  ///
  /// sync       what it copies is there behind wait_for_copies and a barrier of the warp
  template <class View>
  MONOFOLD_GPU void start(const View& view, std::int64_t size, std::int64_t first,
                          const T& outside) const {
    if constexpr (contiguous_item_view<View> && are_chunks) {
      const auto* const from = reinterpret_cast<const char*>(view.data() + first);
      if (first + count <= size && bytes_past_16(from) == 0) {
        constexpr int row_bytes = warp_lanes * 16;
        constexpr int row_stride = row_bytes + warp_lanes / chunks * 16;
        const char* const own = from + lane_rank() * 16;
        char* const to = memory + lane_rank() * 16 + lane_rank() / chunks * 16;
        MONOFOLD_UNROLL
        for (int row = 0; row < chunks; ++row) {
          start_copy(reinterpret_cast<bytes16*>(to + row * row_stride),
                     reinterpret_cast<const bytes16*>(own + row * row_bytes));
        }
        return;
      }
    }
    constexpr int at_once = 8;  // rows whose loads are on their way
    static_assert(each % at_once == 0);
    MONOFOLD_ROLL
    for (int row = 0; row < each; row += at_once) {
      const int own = row * warp_lanes + lane_rank();
      slot_array<T, at_once> value;
      MONOFOLD_UNROLL
      for (int k = 0; k < at_once; ++k) {
        const std::int64_t at = first + own + k * warp_lanes;
        value[k] = at < size ? static_cast<T>(view[at]) : outside;
      }
      MONOFOLD_UNROLL
      for (int k = 0; k < at_once; ++k) *place(own + k * warp_lanes) = value[k];
    }
  }

  /// The values of this lane.
  MONOFOLD_GPU void read(values& to) const {
    if constexpr (are_chunks) {
      bytes16 raw[chunks];
      MONOFOLD_UNROLL
      for (int c = 0; c < chunks; ++c) {
        raw[c] = reinterpret_cast<const bytes16*>(of_lane())[c];
      }
      std::memcpy(static_cast<void*>(&to.values), raw, sizeof(raw));
    } else {
      MONOFOLD_UNROLL
      for (int i = 0; i < each; ++i) to[i] = reinterpret_cast<const T*>(of_lane())[i];
    }
  }
  MONOFOLD_GPU void write(const values& from) const {
    if constexpr (are_chunks) {
      bytes16 raw[chunks];
      std::memcpy(raw, static_cast<const void*>(&from.values), sizeof(raw));
      MONOFOLD_UNROLL
      for (int c = 0; c < chunks; ++c) {
        reinterpret_cast<bytes16*>(of_lane())[c] = raw[c];
      }
    } else {
      MONOFOLD_UNROLL
      for (int i = 0; i < each; ++i) reinterpret_cast<T*>(of_lane())[i] = from[i];
    }
  }
};

}  // namespace monofold::detail
