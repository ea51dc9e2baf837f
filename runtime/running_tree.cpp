#include "runtime/running_tree.hpp"

#include <utility>

#include "monofold/plan/tree.hpp"

namespace monofold::runtime {

using parts = monofold::detail::running_parts<member_states>;

running_tree::running_tree(const any_engine& engine, const member_list& members, int item_bytes,
                           std::int64_t first_index)
    : engine_(&engine),
      members_(&members),
      item_bytes_(item_bytes),
      parts_(parts::of_nothing(first_index, tile_items())) {}

std::int64_t running_tree::items_to_boundary() const {
  return pending_.empty() ? 0 : tile_items() - held();
}

void running_tree::push(const raw_items& items) {
  std::int64_t at = 0;
  if (!pending_.empty()) {
    at = std::min(items_to_boundary(), items.count);
    hold(items.part(0, at));
    if (held() < tile_items()) return;
    parts_.nodes.push(fold(), {0, next_tile()}, fold_pending());
    pending_.clear();
  }
  const std::int64_t whole = (items.count - at) / tile_items() * tile_items();
  if (whole > 0) {
    engine_->fold_tiles(items.part(at, whole), next_tile(), parts_.end_index(), parts_.nodes);
  }
  parts_.count += whole;
  hold(items.part(at + whole, items.count - at - whole));
}

/// Keeps items that do not fill a tile yet.
void running_tree::hold(const raw_items& items) {
  const std::size_t end = pending_.size();
  pending_.resize(end + static_cast<std::size_t>(items.count * item_bytes_));
  copy_items(items, pending_.data() + end);
  parts_.count += items.count;
}

member_states running_tree::fold_pending() const {
  const raw_items items{pending_.data(), nullptr, held(), item_bytes_};
  return engine_->fold_node(items, parts_.end_index() - held());
}

void running_tree::merge(const running_tree& next) {
  if (parts_.take_over(fold(), next.parts_, pending_.empty())) {
    pending_ = next.pending_;
  } else {
    append(next);
  }
}

void running_tree::append(const running_tree& next) {
  const std::int64_t offset = parts_.end_index() - next.first_index(), added = next.count();
  if (added == 0) return;
  next.with_total([&](const member_states* folded) {
    settle();
    if (count() == 0) parts_.closed.push_back(*folded);  // its indices are counted on below
    member_states& own = parts_.closed.front();
    for (std::size_t i = 0; i < members_->size(); ++i) {
      const member& one = *(*members_)[i];
      std::unique_ptr<state_box> moved;
      if (offset != 0) moved = one.with_index_offset(*folded->parts[i], offset);
      if (count() != 0) {
        one.combine(*own.parts[i], moved != nullptr ? *moved : *folded->parts[i]);
      } else if (moved != nullptr) {
        own.parts[i] = std::move(moved);
      }
    }
    parts_.count += added;
    parts_.grid_origin = parts_.end_index();
  });
}

void running_tree::settle() {
  if (count() == 0 || settled() != nullptr) return;
  parts_ = parts_.closed_up(*total());
  pending_.clear();
}

const member_states* running_tree::settled() const {
  const bool is_one = !parts_.closed.empty() && parts_.nodes.empty() && pending_.empty();
  return is_one ? &parts_.closed.front() : nullptr;
}

void running_tree::append(const member_states& folded, std::int64_t count) {
  const result<member_states> before = total();
  member_states joined = before ? fold().combine(*before, folded) : folded;
  pending_.clear();
  parts_.count += count;
  parts_ = parts_.closed_up(std::move(joined));
}

void running_tree::replace(member_states folded, std::int64_t count) {
  pending_.clear();
  parts_ = parts::of_nothing(first_index(), tile_items());
  if (count == 0) return;
  parts_.count = count;
  parts_ = parts_.closed_up(std::move(folded));
}

void running_tree::count_on(std::int64_t count) {
  parts_.count += count;
  parts_.grid_origin = parts_.end_index();
}

void running_tree::assign(const running_tree& other) {
  parts_ = other.parts_;
  pending_ = other.pending_;
}

result<member_states> running_tree::total() const {
  return parts_.total(fold(), !pending_.empty(), [this] { return fold_pending(); });
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
  const auto write_state = [this](byte_writer& to, const member_states& one) { write(to, one); };
  if (total_only && count() != 0 && settled() == nullptr) {
    monofold::detail::save_parts(out, parts_.closed_up(*total()), write_state, 0, [] {});
    return;
  }
  monofold::detail::save_parts(out, parts_, write_state, static_cast<std::size_t>(held()), [&] {
    out.put({reinterpret_cast<const unsigned char*>(pending_.data()), pending_.size()});
  });
}

void running_tree::load(byte_reader& in) {
  std::vector<char> held;
  parts_ = monofold::detail::load_parts<member_states>(
      in, fold(), tile_items(), [this](byte_reader& from) { return read(from); },
      [&](std::int64_t n) {
        const auto bytes = in.take(static_cast<std::size_t>(n * item_bytes_));
        held.assign(bytes.begin(), bytes.end());
      });
  pending_ = std::move(held);
}

}  // namespace monofold::runtime
