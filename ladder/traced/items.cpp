#include "ladder/traced/items.hpp"

#include <cstring>

namespace monofold::ladder {

namespace {

using emulation::step_kind;

std::vector<std::size_t> shape_of(const emulation::recording& run) {
  std::vector<std::size_t> out;
  for (const auto& step : run.steps) {
    out.push_back(step.size());
    for (const auto& part : step) out.push_back(part.lanes.size());
  }
  return out;
}

/// The sum that a part holds; 0 where it holds none.
std::uint64_t sum_in(const emulation::recording& run, const emulation::warp_step& part,
                     const emulation::lane_step& lane) {
  const bool is_access = part.space >= 0;
  const bool is_shuffle = part.what == step_kind::warp_call && lane.from >= 0;
  if (!is_access && !is_shuffle) return 0;
  if (is_access) {
    const auto& space = run.spaces[static_cast<std::size_t>(part.space)];
    if (space.name == "ticket" || (space.cell_bytes != 8 && space.name != "items")) return 0;
  }
  std::uint64_t sum = 0;
  if (lane.bytes.size() == 8) {
    std::memcpy(&sum, lane.bytes.data(), 8);
  } else {
    // One item, or a pack of them.
    for (std::size_t at = 0; at + 4 <= lane.bytes.size(); at += 4) {
      std::uint32_t item;
      std::memcpy(&item, lane.bytes.data() + at, 4);
      sum += item;
    }
  }
  return sum >> (2 * items_a_window) == 0 ? sum : 0;
}

}  // namespace

std::vector<std::int32_t> window_items(std::int64_t n, std::int64_t first) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(n));
  for (std::int64_t i = first; i < n && i < first + items_a_window; ++i) {
    out[static_cast<std::size_t>(i)] = std::int32_t{1} << (2 * (i - first));
  }
  return out;
}

void item_counts::add(const emulation::recording& run, std::int64_t first, std::int64_t n) {
  const auto shape = shape_of(run);
  if (shape_.empty()) shape_ = shape;
  is_same_ = is_same_ && shape == shape_;
  if (!is_same_) return;
  std::size_t at = 0;
  for (const auto& step : run.steps) {
    for (const auto& part : step) {
      for (const auto& lane : part.lanes) {
        if (at == parts_.size()) parts_.emplace_back();
        std::uint64_t sum = sum_in(run, part, lane);
        for (std::int64_t i = first; i < n && sum != 0; ++i, sum >>= 2) {
          if ((sum & 3) != 0) parts_[at].push_back({i, static_cast<int>(sum & 3)});
        }
        ++at;
      }
    }
  }
}

std::vector<std::string> item_counts::texts(const emulation::recording& shown) const {
  if (!is_same_ || shape_of(shown) != shape_) return {};
  std::vector<std::string> out;
  for (const auto& part : parts_) {
    std::string text;
    for (std::size_t i = 0; i < part.size();) {
      // A run of items with one stride, each of them as often in it.
      std::size_t end = i + 1;
      const std::int64_t stride = end < part.size() ? part[end].item - part[i].item : 1;
      while (end < part.size() && part[end].item - part[end - 1].item == stride &&
             part[end].times == part[i].times) {
        ++end;
      }
      if (end - i == 2 && stride > 1) end = i + 1;
      text += (text.empty() ? "" : ",") + std::to_string(part[i].item);
      if (end - i > 1) text += '-' + std::to_string(part[end - 1].item);
      if (end - i > 1 && stride > 1) text += '/' + std::to_string(stride);
      if (part[i].times > 1) text += '*' + std::to_string(part[i].times);
      i = end;
    }
    out.push_back(text);
  }
  return out;
}

}  // namespace monofold::ladder
