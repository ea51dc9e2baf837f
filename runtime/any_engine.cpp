#include "runtime/any_engine.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/fetched.hpp"
#include "monofold/plan/tree.hpp"
#include "monofold/platform/status.hpp"
#include "runtime/gpu/devices.hpp"
#include "runtime/stopping.hpp"

namespace monofold::runtime {

namespace {

/// The place of a node's items among `count` that begin at `first_tile`.
device_piece place_of(const tree_node& node, std::int64_t first_tile, std::int64_t count,
                      int item_bytes) {
  const std::int64_t tile = tile_items_of(item_bytes);
  const std::int64_t at = (node.first_tile() - first_tile) * tile;
  return {at, std::min((node.end_tile() - first_tile) * tile, count) - at};
}

/// The height of a node that has so many items or more.
int level_of(std::int64_t count, int item_bytes) {
  const auto tiles = static_cast<std::uint64_t>(tiles_of(count, item_bytes));
  return static_cast<int>(std::bit_width(tiles - 1));
}

/// How many items of a node a folder takes: all of them, or the left half where the node has more tiles than
/// that.
std::int64_t half_of(const raw_items& items) {
  std::int64_t half = tile_items_of(items.item_bytes) << max_span_level;
  if (items.count <= half) return items.count;
  while (2 * half < items.count) half *= 2;
  return half;
}

/// As fold_node of any_engine, by one member, of items in one array.
std::unique_ptr<state_box> fold_alone(const member& one, const raw_items& items,
                                      std::int64_t index) {
  if (items.right != nullptr) throw error(status::unsupported);
  if (const std::int64_t half = half_of(items); half < items.count) {
    std::unique_ptr<state_box> left = fold_alone(one, items.part(0, half), index);
    const auto right = fold_alone(one, items.part(half, items.count - half), index + half);
    one.combine(*left, *right);
    return left;
  }
  const std::unique_ptr<member_folder> folder = one.start();
  folder->add(items.left, items.count, index);
  return folder->total();
}

/// Adds items of a block to one folder: halves of pairs in two arrays side by side, where it does not take them so.
void add_some(member_folder& one, const raw_items& some, std::int64_t index,
              std::unique_ptr<char[]>& side_by_side) {
  if (some.right == nullptr) return one.add(some.left, some.count, index);
  const std::int64_t taken = one.add_apart(some.left, some.right, some.count);
  if (taken == some.count) return;
  const raw_items rest = some.part(taken, some.count - taken);
  if (side_by_side == nullptr) {
    const std::int64_t bytes =
        monofold::detail::block_tiles * tile_items_of(some.item_bytes) * some.item_bytes;
    side_by_side = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
  }
  copy_items(rest, side_by_side.get());
  one.add(side_by_side.get(), rest.count, index + taken);
}

/// The pieces of a call that one of several GPUs folds: every `step`-th from the one numbered `first` on.
struct dealt_pieces final : piece_reader {
  dealt_pieces(const std::vector<device_piece>& all, std::size_t first_dealt, std::size_t every,
               piece_reader& reader)
      : first(first_dealt), step(every), out(reader) {
    for (std::size_t i = first; i < all.size(); i += step) own.push_back(all[i]);
  }
  void done(std::size_t piece, const char* states) override {
    out.done(first + piece * step, states);
  }

  std::size_t first;
  std::size_t step;
  piece_reader& out;
  std::vector<device_piece> own{};
};

/// Makes states of what a GPU left, and folds on the processor what it has no fold for.
class piece_states final : public piece_reader {
 public:
  piece_states(const member_list& members, const device_work& work, const raw_items& items,
               const std::vector<device_piece>& pieces, std::int64_t first_index)
      : members_(members), work_(work), items_(items), pieces_(pieces), first_index_(first_index) {
    states.resize(pieces.size());
  }

  void done(std::size_t piece, const char* bytes) override {
    const auto [at, count] = pieces_[piece];
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const std::int64_t place = work_.places[m];
      if (place == device_pass::nowhere) {
        states[piece].parts.push_back(
            fold_alone(*members_[m], items_.part(at, count), first_index_ + at));
      } else {
        states[piece].parts.push_back(
            members_[m]->from_device_bytes(bytes + place, first_index_ + at));
      }
    }
  }

  std::vector<member_states> states;

 private:
  const member_list& members_;
  const device_work& work_;
  const raw_items& items_;
  const std::vector<device_piece>& pieces_;
  std::int64_t first_index_;
};

}  // namespace

member_states any_engine::fold_node(const raw_items& items, std::int64_t first_index) const {
  if (const std::int64_t half = half_of(items); half < items.count) {
    const member_states left = fold_node(items.part(0, half), first_index);
    const member_states right = fold_node(items.part(half, items.count - half), first_index + half);
    return members_fold{&members_}.combine(left, right);
  }
  std::vector<std::unique_ptr<member_folder>> folders;
  for (const auto& one : members_) folders.push_back(one->start());
  if (!folders.empty()) folders.front()->enable_prefetch();
  // Blocks stay in the nearest cache while several members, or a copy, read them.
  const int tiles = folders.size() == 1 && folders.front()->keeps_running && items.right == nullptr
                        ? monofold::detail::block_tiles_alone
                        : monofold::detail::block_tiles;
  const std::int64_t block = tiles * tile_items_of(items.item_bytes);
  std::unique_ptr<char[]> side_by_side;
  for (std::int64_t at = 0; at < items.count; at += block) {
    stop_of_call.check();
    const raw_items some = items.part(at, std::min(block, items.count - at));
    // Who has met no NaN in a block spares those the look that count nothing else, and others a look for them.
    bool has_none = false;
    for (const auto& one : folders) {
      if (one->only_nans && has_none) continue;
      const std::int64_t before = one->nans != nullptr ? *one->nans : 0;
      one->expects_numbers = has_none;
      add_some(*one, some, first_index + at, side_by_side);
      has_none = has_none || (one->nans != nullptr && *one->nans == before);
    }
  }
  member_states all;
  for (const auto& one : folders) all.parts.push_back(one->total());
  return all;
}

void any_engine::fold_tiles(const raw_items& items, std::int64_t first_tile,
                            std::int64_t first_index, joiner& out) const {
  if (on_gpu_ && items.count > tile_items_of(items.item_bytes)) {
    return fold_on_gpus(items, first_tile, first_index, gpus_, out);
  }
  const std::int64_t end_tile = first_tile + tiles_of(items.count, items.item_bytes);
  const auto fold_one = [&](const tree_node& node) {
    const auto [at, count] = place_of(node, first_tile, items.count, items.item_bytes);
    return fold_node(items.part(at, count), first_index + at);
  };
  const auto parallel = [&](std::int64_t count, const auto& body) {
    monofold::detail::parallel_for(num_threads_, count, body);
  };
  const int level = monofold::detail::level_for(end_tile - first_tile, num_threads_);
  monofold::detail::fold_nodes(members_fold{&members_}, first_tile, end_tile, level, fold_one,
                               parallel, out);
}

void any_engine::fold_on_device(const raw_items& items, std::int64_t first_tile,
                                std::int64_t first_index, joiner& out) const {
  fold_by_pieces(items, first_tile, first_index, 62, {}, out);  // it is there already
}

void any_engine::fold_on_gpus(const raw_items& items, std::int64_t first_tile,
                              std::int64_t first_index, const gpu_span& gpus, joiner& out) const {
  const int level = level_of(max_piece_bytes / items.item_bytes, items.item_bytes);
  fold_by_pieces(items, first_tile, first_index, level, gpus, out);
}

/// Threads that fetch: as many as are asked for, and one a GPU or more.
int any_engine::num_feeders() const {
  const int threads = monofold::detail::concurrency(num_threads_);
  return on_gpu_ ? std::max(threads, gpus_.count) : threads;
}

// For a GPU each thread fetches pieces into memory that the bus reads at full speed: while one waits for
// the bus, others fill their buffers.
void any_engine::fold_fetched(const item_source& from, std::int64_t at, std::int64_t count,
                              int item_bytes, std::int64_t first_tile, std::int64_t first_index,
                              joiner& out) const {
  int level = level_of(from.fetch_items(), item_bytes);
  if (on_gpu_) level = std::max(level, level_of(max_piece_bytes / item_bytes, item_bytes));
  const std::int64_t end_tile = first_tile + tiles_of(count, item_bytes);
  const std::int64_t most = std::min(count, tile_items_of(item_bytes) << level);
  monofold::detail::buffer_pool buffers(most * item_bytes,
                                        on_gpu_ ? make_pinned : monofold::detail::make_aligned);
  std::atomic<int> next_gpu = 0;
  const stop_flag stop = stop_of_call;
  const auto fold_one = [&](const tree_node& node) {
    const stoppable_work here(stop);
    const auto [first, n] = place_of(node, first_tile, count, item_bytes);
    const monofold::detail::buffer_pool::lease buffer(buffers);
    const void* const items = from.fetch(at + first, n, buffer.get());
    const raw_items fetched{static_cast<const char*>(items), nullptr, n, item_bytes};
    if (!on_gpu_ || n <= tile_items_of(item_bytes)) return fold_node(fetched, first_index + first);
    joiner states;
    // GPUs take turns.
    const int turn = next_gpu++ % gpus_.count;
    fold_on_gpus(fetched, 0, first_index + first, {gpus_.first < 0 ? -1 : gpus_.first + turn, 1},
                 states);
    return states.total(members_fold{&members_});
  };
  const auto parallel = [&](std::int64_t n, const auto& body) {
    const std::int64_t threads = std::min<std::int64_t>(num_feeders(), n);
    monofold::detail::on_own_threads(threads, n, monofold::detail::any_body(body));
  };
  monofold::detail::fold_nodes(members_fold{&members_}, first_tile, end_tile, level, fold_one,
                               parallel, out);
}

std::vector<member_states> any_engine::fold_pieces_of(const raw_items& items,
                                                      const std::vector<device_piece>& pieces,
                                                      std::int64_t first_index,
                                                      const gpu_span& gpus) const {
  piece_states folded(members_, work_, items, pieces, first_index);
  const auto num_gpus = std::min(pieces.size(), static_cast<std::size_t>(gpus.count));
  // A thread feeds a GPU.
  const auto feed = [&](std::int64_t i) {
    const gpu_in_use here(gpus.first < 0 ? -1 : gpus.first + static_cast<int>(i));
    dealt_pieces dealt(pieces, static_cast<std::size_t>(i), num_gpus, folded);
    fold_pieces(work_, {items.left, items.right, items.count}, items.stride(), dealt.own, dealt);
  };
  const auto threads = static_cast<std::int64_t>(num_gpus);
  monofold::detail::on_own_threads(threads, threads, monofold::detail::any_body(feed));
  return std::move(folded.states);
}

void any_engine::fold_by_pieces(const raw_items& items, std::int64_t first_tile,
                                std::int64_t first_index, int level, const gpu_span& gpus,
                                joiner& out) const {
  const std::int64_t end_tile = first_tile + tiles_of(items.count, items.item_bytes);
  std::vector<tree_node> nodes;
  std::vector<device_piece> pieces;
  for (std::int64_t next = first_tile; next < end_tile; next = nodes.back().end_tile()) {
    nodes.push_back(next_node(next, end_tile, level));
    pieces.push_back(place_of(nodes.back(), first_tile, items.count, items.item_bytes));
  }
  std::vector<member_states> states = fold_pieces_of(items, pieces, first_index, gpus);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    out.push(members_fold{&members_}, nodes[i], std::move(states[i]));
  }
}

member_states any_engine::fold_whole(const raw_items& items, std::int64_t first_index) const {
  return std::move(fold_pieces_of(items, {{0, items.count}}, first_index, {}).front());
}

}  // namespace monofold::runtime
