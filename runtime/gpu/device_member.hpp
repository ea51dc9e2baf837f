#pragma once
/// runtime/gpu/device_member: one fold on one type of item on a GPU, behind virtual functions.

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/family.hpp"

namespace monofold::runtime {

class staging_stream;

/// Neighbouring items in device memory; of pairs the left and the right halves, else `right` is null.
struct device_items {
  const void* left;
  const void* right;
  std::int64_t count;
};

constexpr std::int64_t in_chunks_of_16(std::int64_t bytes) { return (bytes + 15) / 16 * 16; }

/// A fold of a family, on the device.
class device_member {
 public:
  virtual ~device_member() = default;
  /// How many bytes `start` writes; they begin at a multiple of 16.
  virtual std::int64_t out_bytes() const = 0;
  /// From the outputs of this member to those of the next one.
  std::int64_t out_stride() const { return in_chunks_of_16(out_bytes()); }
  /// Where in them the state is that `member::adopt` takes.
  virtual std::int64_t state_offset() const { return 0; }
  /// Starts the fold in the stream.
  ///
  /// shape      out: pinned memory
  /// sync       does not wait
  /// errors     throws `error`
  virtual void start(staging_stream& staging, const device_items& items, void* out) const = 0;
};

/// Makes the member of a family; null where there is none on a GPU.
std::unique_ptr<device_member> make_device_member(const member_request& what);

/// The same for one type of item, defined by the source of kernels that has the type.
template <class Item>
std::unique_ptr<device_member> make_device_member_for(const member_request& what);

/// Some of the items of a call, by the position of the first.
struct device_piece {
  std::int64_t at;
  std::int64_t count;
};

/// Takes what a GPU leaves of pieces.
class piece_reader {
 public:
  virtual ~piece_reader() = default;
  virtual void done(std::size_t piece, const char* states) = 0;
};

/// Folds neighbouring items that begin at a tile, from wherever they lie.
///
/// shape      left, right: host, pinned, device or managed memory, `item_bytes` each item; pieces:
///            their positions and counts, in ascending order; host memory takes pieces of at most
///            `max_piece_bytes` (left and right together). done(i, states) is called for each piece
///            in order, with the outputs of the members, each at the next multiple of 16; members
///            that are null are skipped
/// sync       waits; uses one of the staging streams of this process, so that several threads may call it
/// errors     throws `error`: device_unavailable, out_of_memory, internal
/// cost       host memory: a copy to pinned memory and one over the bus, which overlap with those of
///            the piece before
void fold_pieces(const std::vector<const device_member*>& members, const device_items& items,
                 std::int64_t item_bytes, const std::vector<device_piece>& pieces,
                 piece_reader& reader);

inline constexpr std::int64_t max_piece_bytes = std::int64_t{8} << 20;

}  // namespace monofold::runtime
