/// runtime/gpu/fold_pieces: brings items to a GPU piece by piece and folds them there.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>

#include "monofold/platform/status.hpp"
#include "runtime/gpu/device_pass.hpp"
#include "runtime/gpu/devices.hpp"
#include "runtime/gpu/staging_stream.hpp"

namespace monofold::runtime {

namespace {

enum class place { pageable, pinned, device };

place place_of(const void* pointer) {
  cudaPointerAttributes facts{};
  check_cuda(cudaPointerGetAttributes(&facts, pointer), "cudaPointerGetAttributes");
  switch (facts.type) {
    case cudaMemoryTypeDevice:
    case cudaMemoryTypeManaged: return place::device;
    case cudaMemoryTypeHost: return place::pinned;
    default: return place::pageable;
  }
}

/// One call of fold_pieces.
class feeder {
 public:
  feeder(const device_work& work, const device_items& items, std::int64_t item_bytes)
      : work_(work), items_(items), item_bytes_(item_bytes), place_(place_of(items.left)) {
    if (items.right != nullptr) place_ = std::min(place_, place_of(items.right));
    if (place_ != place::device) lease_.get().make_buffers(place_ == place::pinned);
    lease_.get().make_states(std::max<std::int64_t>(work.out_bytes, 16));
  }

  void run(const std::vector<device_piece>& pieces, piece_reader& reader) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (i >= 2) finish(i - 2, reader);
      start(i, pieces[i]);
    }
    for (std::size_t i = pieces.size() < 2 ? 0 : pieces.size() - 2; i < pieces.size(); ++i) {
      finish(i, reader);
    }
  }

 private:
  staging_stream& staging() const { return lease_.get(); }

  void start(std::size_t i, const device_piece& piece) {
    const staging_stream::buffer& buffer = staging().at(i);
    device_items here{part(items_.left, piece), part(items_.right, piece), piece.count};
    if (place_ != place::device) {
      here.left = bring(buffer, 0, here.left, piece);
      // 16-byte loads want both halves to begin at a multiple of that.
      const std::int64_t second = in_chunks_of_16(piece.count * item_bytes_);
      if (here.right != nullptr) here.right = bring(buffer, second, here.right, piece);
    }
    char* out = buffer.states;
    for (const auto& pass : work_.passes) {
      pass->start(staging(), here, out);
      out += in_chunks_of_16(pass->out_bytes());
    }
    flags_[i % 2] = staging().last_flag();
  }

  void finish(std::size_t i, piece_reader& reader) {
    const staging_stream::buffer& buffer = staging().at(i);
    staging().wait(flags_[i % 2]);
    char* out = buffer.states;
    for (const auto& pass : work_.passes) {
      pass->finish(out);
      out += in_chunks_of_16(pass->out_bytes());
    }
    reader.done(i, buffer.states);
  }

  const void* part(const void* items, const device_piece& piece) const {
    if (items == nullptr) return nullptr;
    return static_cast<const char*>(items) + piece.at * item_bytes_;
  }

  const void* bring(const staging_stream::buffer& buffer, std::int64_t offset, const void* from,
                    const device_piece& piece) {
    const auto bytes = static_cast<std::size_t>(piece.count * item_bytes_);
    const void* source = from;
    if (place_ == place::pageable) {
      std::memcpy(buffer.pinned + offset, from, bytes);
      source = buffer.pinned + offset;
    }
    char* const to = buffer.device + offset;
    check_cuda(cudaMemcpyAsync(to, source, bytes, cudaMemcpyDefault, staging().stream()),
               "cudaMemcpyAsync");
    return to;
  }

  const device_work& work_;
  device_items items_;
  std::int64_t item_bytes_;
  place place_;
  staging_lease lease_;
  std::uint32_t flags_[2]{};  // what the last kernel of each piece under way raises
};

}  // namespace

void fold_pieces(const device_work& work, const device_items& items, std::int64_t item_bytes,
                 const std::vector<device_piece>& pieces, piece_reader& reader) {
  feeder(work, items, item_bytes).run(pieces, reader);
}

}  // namespace monofold::runtime
