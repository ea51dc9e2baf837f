#pragma once
/// runtime/gpu/device_pass: folds on one type of item on a GPU, behind virtual functions.

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

/// What one look of the device at the items leaves: the state of a family, or those of several.
class device_pass {
 public:
  static constexpr std::int64_t nowhere = -1;

  virtual ~device_pass() = default;
  /// How many bytes `start` writes; they begin at a multiple of 16.
  virtual std::int64_t out_bytes() const = 0;
  /// Where in them the state of a family is, as `member::from_device_bytes` takes it, or nowhere.
  virtual std::int64_t offset_of(family kind) const = 0;
  /// Starts the folds in the stream.
  ///
  /// shape      out: pinned memory
  /// sync       does not wait
  /// errors     throws `error`
  virtual void start(staging_stream& staging, const device_items& items, void* out) const = 0;
  /// What is left to do with `out` when the device is done.
  virtual void finish(void*) const {}
};

/// What a device does for the members of a reduction: as few passes as may be.
struct device_work {
  std::vector<std::unique_ptr<device_pass>> passes{};
  std::vector<std::int64_t> places{};  // one a member: of its state in the outputs, or nowhere
  std::int64_t out_bytes = 0;          // of all passes, each from the next multiple of 16 on
};

/// Makes it for members of one type of item and one rule for NaN, each of another family.
device_work make_device_work(const std::vector<member_request>& what);

/// The pass that serves a family best where all of these are asked for, or null; defined by the source of
/// kernels that has the type.
template <class Item>
std::unique_ptr<device_pass> make_device_pass_for(const member_request& what,
                                                  const std::vector<member_request>& all);

/// The pass of a product or of logsumexp of floats, which serves no other family; else null.
std::unique_ptr<device_pass> make_told_pass(const member_request& what);

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
///            in order, with the outputs of the passes
/// sync       waits; uses one of the staging streams of this process, so that several threads may call it
/// errors     throws `error`: device_unavailable, out_of_memory, internal
/// cost       host memory: a copy to pinned memory and one over the bus, which overlap with those of
///            the piece before
void fold_pieces(const device_work& work, const device_items& items, std::int64_t item_bytes,
                 const std::vector<device_piece>& pieces, piece_reader& reader);

inline constexpr std::int64_t max_piece_bytes = std::int64_t{8} << 20;

}  // namespace monofold::runtime
