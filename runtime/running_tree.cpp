#include "runtime/running_tree.hpp"

#include <limits>
#include <utility>

#include "monofold/plan/tree.hpp"

namespace monofold::runtime {

running_tree::running_tree(const any_engine& engine, const member_list& members, int item_bytes,
                           std::int64_t first_index)
    : engine_(&engine), members_(&members), item_bytes_(item_bytes), first_index_(first_index) {
  if (first_index < 0) throw error(status::invalid_argument, "first_index is negative");
  if (first_index % tile_items() != 0) grid_origin_ = first_index;
}

std::int64_t running_tree::items_to_boundary() const {
  return pending_.empty() ? 0 : tile_items() - held();
}

void running_tree::push(const raw_items& items) {
  std::int64_t at = 0;
  if (!pending_.empty()) {
    at = std::min(items_to_boundary(), items.count);
    hold(items.part(0, at));
    if (held() < tile_items()) return;
    nodes_.push(fold(), {0, next_tile()}, fold_pending());
    pending_.clear();
  }
  const std::int64_t whole = (items.count - at) / tile_items() * tile_items();
  if (whole > 0) engine_->fold_tiles(items.part(at, whole), next_tile(), end_index(), nodes_);
  count_ += whole;
  hold(items.part(at + whole, items.count - at - whole));
}

/// Keeps items that do not fill a tile yet.
void running_tree::hold(const raw_items& items) {
  const std::size_t end = pending_.size();
  pending_.resize(end + static_cast<std::size_t>(items.count * item_bytes_));
  copy_items(items, pending_.data() + end);
  count_ += items.count;
}

member_states running_tree::fold_pending() const {
  const raw_items items{pending_.data(), nullptr, held(), item_bytes_};
  return engine_->fold_node(items, end_index() - held());
}

void running_tree::merge(const running_tree& next) {
  if (next.first_index_ != end_index()) {
    throw error(status::invalid_argument, "merge of a state that does not start where this ends");
  }
  if (next.count_ == 0) return;
  const bool one_grid = closed_.empty() && next.closed_.empty() && pending_.empty() &&
                        grid_origin_ == next.grid_origin_;
  if (!one_grid) return append(*next.total(), next.count_);
  for (const auto& entry : next.nodes_.entries()) nodes_.push(fold(), entry.node, entry.value);
  pending_ = next.pending_;
  count_ += next.count_;
}

void running_tree::append(const member_states& folded, std::int64_t count) {
  member_states joined = count_ != 0 ? fold().combine(*total(), folded) : folded;
  closed_.clear();
  closed_.push_back(std::move(joined));
  nodes_.clear();
  pending_.clear();
  count_ += count;
  grid_origin_ = end_index();
}

// A state is joined with all to its left in turn, as tree_joiner does with a node that it is given last.
result<member_states> running_tree::total() const {
  if (count_ == 0) return status::empty_input;
  member_states all;
  bool any = false;
  const auto join = [&](const member_states& left) {
    all = any ? fold().combine(left, all) : left;
    any = true;
  };
  if (!pending_.empty()) {
    all = fold_pending();
    any = true;
  }
  const auto& nodes = nodes_.entries();
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) join(it->value);
  for (const member_states& before : closed_) join(before);
  return all;
}

void running_tree::write(byte_writer& out, const member_states& value) const {
  for (std::size_t i = 0; i < members_->size(); ++i) (*members_)[i]->write(out, *value.parts[i]);
}

member_states running_tree::read(byte_reader& in) const {
  member_states value;
  for (const auto& one : *members_) value.parts.push_back(one->read(in));
  return value;
}

void running_tree::save(byte_writer& out, bool total_only) const {
  encode(out, first_index_);
  encode(out, count_);
  if (total_only && count_ != 0) {
    encode(out, end_index());
    encode(out, true);
    write(out, *total());
    encode(out, std::uint64_t{0});
    encode(out, std::uint64_t{0});
    return;
  }
  encode(out, grid_origin_);
  encode(out, !closed_.empty());
  if (!closed_.empty()) write(out, closed_[0]);
  encode(out, static_cast<std::uint64_t>(nodes_.entries().size()));
  for (const auto& entry : nodes_.entries()) {
    encode(out, static_cast<std::int32_t>(entry.node.level));
    encode(out, entry.node.position);
    write(out, entry.value);
  }
  encode(out, static_cast<std::uint64_t>(held()));
  out.put({reinterpret_cast<const unsigned char*>(pending_.data()), pending_.size()});
}

namespace {

[[noreturn]] void refuse() { throw error(status::malformed_state, "its parts do not fit"); }

}  // namespace

void running_tree::load(byte_reader& in) {
  running_tree own(*engine_, *members_, item_bytes_, 0);
  decode(in, own.first_index_);
  decode(in, own.count_);
  decode(in, own.grid_origin_);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t first = own.first_index_;
  if (first < 0 || own.count_ < 0 || own.count_ > most - first) refuse();
  const std::int64_t end = own.end_index();
  const bool is_closed = decoded<bool>(in);
  if (is_closed) {
    if (own.grid_origin_ <= first || own.grid_origin_ > end) refuse();
    own.closed_.push_back(read(in));
  } else if (own.grid_origin_ != (first % tile_items() == 0 ? 0 : first)) {
    refuse();
  }
  // The nodes stand side by side, from the grid's origin, or the first item, on.
  const std::int64_t origin = own.grid_origin_;
  const std::int64_t end_tile = (end - origin) / tile_items();
  own.load_nodes(in, is_closed ? 0 : (first - origin) / tile_items(), end_tile);
  const auto num_pending = static_cast<std::int64_t>(decoded<std::uint64_t>(in));
  if (num_pending != end - origin - end_tile * tile_items()) refuse();
  const auto bytes = in.take(static_cast<std::size_t>(num_pending * item_bytes_));
  own.pending_.assign(bytes.begin(), bytes.end());
  if (in.size() != 0) refuse();
  *this = std::move(own);
}

void running_tree::load_nodes(byte_reader& in, std::int64_t first_tile, std::int64_t end_tile) {
  std::int64_t tile = first_tile;
  const auto num_nodes = decoded<std::uint64_t>(in);
  for (std::uint64_t i = 0; i < num_nodes; ++i) {
    const auto level = decoded<std::int32_t>(in);
    const auto position = decoded<std::int64_t>(in);
    if (level < 0 || level > 62) refuse();
    if (position < 0 || position > std::numeric_limits<std::int64_t>::max() >> level) refuse();
    const tree_node node{level, position};
    const std::int64_t size = std::int64_t{1} << level;
    if (node.first_tile() != tile || size > end_tile - tile) refuse();
    tile += size;
    nodes_.push(fold(), node, read(in));
  }
  if (tile != end_tile) refuse();
}

}  // namespace monofold::runtime
