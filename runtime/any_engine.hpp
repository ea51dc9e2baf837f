#pragma once
/// runtime/any_engine: the engine of a reducer: the processor, or a GPU for the members that it has.

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/tree_joiner.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/tree.hpp"
#include "monofold/platform/status.hpp"
#include "runtime/erased_fold.hpp"
#include "runtime/gpu/device_member.hpp"

namespace monofold::runtime {

/// Pairs of raw items that lie in two arrays.
template <class Pair>
class raw_pairs {
 public:
  using item_type = Pair;
  using half = raw_item<static_cast<int>(sizeof(Pair) / 2)>;

  raw_pairs(const half* left, const half* right, std::int64_t count)
      : left_(left), right_(right), count_(count) {}
  std::int64_t size() const { return count_; }
  Pair operator[](std::int64_t i) const {
    return std::bit_cast<Pair>(std::array<half, 2>{left_[i], right_[i]});
  }
  raw_pairs part(std::int64_t at, std::int64_t count) const {
    return {left_ + at, right_ + at, count};
  }
  const half* left() const { return left_; }
  const half* right() const { return right_; }

 private:
  const half* left_;
  const half* right_;
  std::int64_t count_;
};

/// Where the items of the next push are folded. Plain data.
struct any_engine {
  cpu_engine cpu;
  bool on_gpu = false;
  bool is_device_memory = false;  // that is where the items lie
  // Null: that member has no fold on a GPU.
  const std::vector<std::unique_ptr<device_member>>* device_members = nullptr;
};

template <class View>
device_items device_items_of(const View& view) {
  if constexpr (requires { view.right(); }) {
    return {view.left(), view.right(), view.size()};
  } else {
    return {view.data(), nullptr, view.size()};
  }
}

/// Makes states of what a GPU left, and folds on the processor what it has no fold for.
template <class Raw, class View>
class piece_states final : public piece_reader {
 public:
  piece_states(const any_engine& engine, const erased_fold<Raw>& f, const View& view,
               const std::vector<device_piece>& pieces, std::int64_t first_index)
      : engine_(engine), fold_(f), view_(view), pieces_(pieces), first_index_(first_index) {
    states.resize(pieces.size());
  }

  void done(std::size_t piece, const char* bytes) override {
    const std::int64_t index = first_index_ + pieces_[piece].at;
    for (std::size_t m = 0; m < fold_.members->size(); ++m) {
      const member& one = *(*fold_.members)[m];
      const device_member* const on_device = (*engine_.device_members)[m].get();
      if (on_device == nullptr) {
        states[piece].parts.push_back(fold_here(one, pieces_[piece], index));
      } else {
        states[piece].parts.push_back(one.adopt(bytes + on_device->state_offset(), index));
        bytes += on_device->out_stride();
      }
    }
  }

  std::vector<erased_state> states;

 private:
  std::unique_ptr<state_box> fold_here(const member& one, const device_piece& piece,
                                       std::int64_t index) const {
    if constexpr (requires { view_.data(); }) {
      // A folder takes so many tiles at most; a node of more is two nodes.
      std::int64_t half = tile_items_v<Raw> << max_span_level;
      if (piece.count > half) {
        while (2 * half < piece.count) half *= 2;
        const auto left = fold_here(one, {piece.at, half}, index);
        const auto right = fold_here(one, {piece.at + half, piece.count - half}, index + half);
        return one.combine(*left, *right);
      }
      const std::unique_ptr<member_folder> folder = one.start();
      folder->add(view_.data() + piece.at, piece.count, index);
      return folder->total();
    } else {
      throw error(status::unsupported);
    }
  }

  const any_engine& engine_;
  const erased_fold<Raw>& fold_;
  const View& view_;
  const std::vector<device_piece>& pieces_;
  std::int64_t first_index_;
};

/// The members that a GPU has.
inline std::vector<const device_member*> device_members_of(const any_engine& engine) {
  std::vector<const device_member*> members;
  for (const auto& one : *engine.device_members) members.push_back(one.get());
  return members;
}

/// Folds all items of a view and appends the states of their nodes, as fold_tiles of engine/cpu does.
///
/// order      the plan's tree, wherever items are folded
template <class Raw, class View>
void fold_tiles(const any_engine& engine, const erased_fold<Raw>& f, const View& view,
                std::int64_t first_tile, std::int64_t first_index, tree_joiner<erased_state>& out) {
  constexpr std::int64_t tile = tile_items_v<Raw>;
  // A running state keeps up to a tile of items on the host, pairs of them in one array: they stay there.
  if (!engine.on_gpu || (!engine.is_device_memory && view.size() <= tile)) {
    monofold::fold_tiles(engine.cpu, f, view, first_tile, first_index, out);
    return;
  }
  const std::int64_t end_tile = first_tile + tile_count<Raw>(view.size());
  constexpr auto piece_tiles =
      static_cast<std::uint64_t>(max_piece_bytes / (tile * static_cast<std::int64_t>(sizeof(Raw))));
  // Host memory comes in pieces; device memory is there already.
  const int level = engine.is_device_memory ? 62 : std::bit_width(piece_tiles) - 1;
  std::vector<tree_node> nodes;
  std::vector<device_piece> pieces;
  for (std::int64_t next = first_tile; next < end_tile; next = nodes.back().end_tile()) {
    nodes.push_back(next_node(next, end_tile, level));
    const std::int64_t at = (next - first_tile) * tile;
    const std::int64_t end = (nodes.back().end_tile() - first_tile) * tile;
    pieces.push_back({at, (end < view.size() ? end : view.size()) - at});
  }
  piece_states<Raw, View> folded(engine, f, view, pieces, first_index);
  constexpr std::int64_t item_bytes = sizeof(Raw) / (requires { view.right(); } ? 2 : 1);
  fold_pieces(device_members_of(engine), device_items_of(view), item_bytes, pieces, folded);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    out.push(f, nodes[i], std::move(folded.states[i]));
  }
}

/// The state of items in device memory that are the whole input, by one launch a member.
template <class Raw>
erased_state fold_whole(const any_engine& engine, const erased_fold<Raw>& f, const void* left,
                        const void* right, std::int64_t count, std::int64_t item_bytes,
                        std::int64_t first_index) {
  const std::vector<device_piece> pieces{{0, count}};
  const contiguous_view<Raw> none(nullptr, 0);  // nothing is folded on the host
  piece_states<Raw, contiguous_view<Raw>> folded(engine, f, none, pieces, first_index);
  fold_pieces(device_members_of(engine), {left, right, count}, item_bytes, pieces, folded);
  return std::move(folded.states.front());
}

}  // namespace monofold::runtime
