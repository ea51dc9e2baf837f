#include "emulation/step_notes.hpp"

#include <unwind.h>

#include <algorithm>
#include <cstring>

#include "emulation/device_memory.hpp"
#include "emulation/random.hpp"

namespace monofold::emulation {

namespace detail {

step_notes* notes = nullptr;

namespace {

/// As far as the kernel: what calls it may be a function of the kernel's own source file, and have lines.
_Unwind_Reason_Code take_frame(_Unwind_Context* frame, void* argument) {
  auto& out = *static_cast<std::vector<std::uintptr_t>*>(argument);
  const std::uintptr_t at = _Unwind_GetIP(frame);
  const auto* const function = _Unwind_FindEnclosingFunction(reinterpret_cast<void*>(at));
  if (at == 0 || function == reinterpret_cast<const void*>(running_launch->request->call) ||
      function == reinterpret_cast<const void*>(block::main_of_threads())) {
    return _URC_END_OF_STACK;
  }
  out.push_back(at);
  return _URC_NO_REASON;
}

step_kind kind_of(access_kind kind) {
  if (is_read(kind)) return step_kind::read;
  return is_write(kind) ? step_kind::write : step_kind::atomic;
}

}  // namespace

void step_notes::begin_launch(const launch& of) {
  found.launches.push_back({of.kernel, of.grid, of.block, of.shared_bytes, found.steps.size()});
  std::erase_if(spaces_, [](const auto& own) { return own.first.second >= 0; });
  last_call_.clear();
}

bool step_notes::end_step() {
  const bool did = !found.steps.back().empty();
  if (!did) found.steps.pop_back();
  // The write of a copy went on to this step.
  if (found.steps.size() >= 2 && found.steps[found.steps.size() - 2].empty()) {
    found.steps.erase(found.steps.end() - 2);
    for (auto& own : last_call_) own.second.first -= own.second.first == found.steps.size() ? 1 : 0;
  }
  return did;
}

void step_notes::begin_instruction(const block& of, int warp, bool is_split) {
  instruction_ = found.steps.back().size();
  block_ = of.linear_index();
  warp_ = warp;
  is_split_ = is_split;
}

int step_notes::stack_here() {
  std::vector<std::uintptr_t> frames;
  _Unwind_Backtrace(take_frame, &frames);
  std::reverse(frames.begin(), frames.end());
  const auto [place, is_first] = stacks_.try_emplace(frames, static_cast<int>(stacks_.size()));
  if (is_first) found.stacks.push_back(std::move(frames));
  return place->second;
}

int step_notes::space_of(block& of, const void* address, std::size_t bytes) {
  memory_space space;
  const bool is_shared = of.shared().holds(address);
  if (is_shared) {
    space = of.shared().space_at(address);
    space.block = of.linear_index();
    space.launch = static_cast<int>(found.launches.size()) - 1;
    const auto known = shared_cells_.find(space.name);
    const auto others = shared_cells_.find("");
    space.cell_bytes = known != shared_cells_.end()    ? known->second
                       : others != shared_cells_.end() ? others->second
                                                       : bytes;
    if (space.bytes % space.cell_bytes != 0) space.cell_bytes = bytes;
  } else {
    const auto* const at = static_cast<const char*>(address);
    const auto own = std::find_if(named_.begin(), named_.end(), [&](const memory_space& named) {
      return is_within(at, named.begin, named.bytes);
    });
    if (own != named_.end()) {
      space = *own;
    } else {
      space.cell_bytes = bytes;
      memory.bounds_of(address, space.begin, space.bytes);
    }
  }
  if (space.begin == nullptr) return -1;  // the check says what is wrong
  const auto [place, is_first] =
      spaces_.try_emplace({space.begin, space.block}, static_cast<int>(found.spaces.size()));
  if (is_first) {
    if (space.name.empty()) space.name = "buffer " + std::to_string(found.spaces.size() + 1);
    if (!is_shared) space.before.assign(space.begin, space.bytes);
    found.spaces.push_back(std::move(space));
  }
  return place->second;
}

lane_step& step_notes::add(step_kind what, int stack, int space, std::size_t bytes,
                           const std::string& name) {
  auto& step = found.steps.back();
  const auto own = std::find_if(step.begin() + static_cast<std::ptrdiff_t>(instruction_),
                                step.end(), [&](const warp_step& part) {
                                  return part.what == what && part.stack == stack &&
                                         part.space == space && part.bytes == bytes &&
                                         part.name == name && part.block == block_ &&
                                         part.warp == warp_;
                                });
  ++lane_steps_;
  warp_step* to = own == step.end() ? nullptr : &*own;
  if (to == nullptr) {
    step.push_back({block_, warp_, what, name, stack, space, bytes, is_split_, {}});
    to = &step.back();
    is_split_ = false;
  }
  to->lanes.push_back({running_thread->rank % 32, 0, -1, {}});
  return to->lanes.back();
}

void step_notes::before_access(block& of, const void* address, std::size_t bytes,
                               access_kind kind) {
  if (!of.shared().holds(address) && !memory.holds(address)) return;
  turn& own = running_thread->due;
  const int space = space_of(of, address, bytes);
  const step_kind what = kind_of(kind);
  std::pair<int, std::size_t> cell{space, 0};
  if (space >= 0) {
    const memory_space& where = found.spaces[static_cast<std::size_t>(space)];
    cell.second = static_cast<std::size_t>(static_cast<const char*>(address) - where.begin) /
                  where.cell_bytes;
  }
  const auto is_known = [&](const auto& cells) {
    return std::find(cells.begin(), cells.end(), cell) != cells.end();
  };
  if (kind == access_kind::read && is_known(own.read)) return;
  if (kind == access_kind::write && is_known(own.written)) return;
  own.is_call = false;
  of.wait_for_turn(stack_here());
  own.words_left = 0;
  if (lane_steps_ > recorder::most_lane_steps) {
    of.fail(finding::unsupported, "more than " + std::to_string(recorder::most_lane_steps) +
                                      " accesses and meetings are too many to be recorded");
  }
  std::optional<copied> copy;
  if (what == step_kind::read && own.copied_bytes == bytes) copy = take_back_write();
  own.copied_bytes = what == step_kind::write && bytes > 8 ? bytes : 0;
  own.copy_step = found.steps.size() - 1;
  if (what == step_kind::write) {
    own.read.clear();
    own.written.push_back(cell);
  } else {
    own.written.clear();
    if (what == step_kind::read) own.read.push_back(cell);
  }
  note_access(what, space, address, bytes);
  if (copy) note_access(step_kind::write, copy->space, copy->address, copy->bytes);
}

void step_notes::note_access(step_kind what, int space, const void* address, std::size_t bytes) {
  std::size_t at = 0;
  if (space >= 0) {
    const memory_space& where = found.spaces[static_cast<std::size_t>(space)];
    at = static_cast<std::size_t>(static_cast<const char*>(address) - where.begin);
    // Parts of a cell are one access to it.
    if (bytes < where.cell_bytes) {
      at = at / where.cell_bytes * where.cell_bytes;
      bytes = where.cell_bytes;
    }
    if (at + bytes > where.bytes) bytes = at < where.bytes ? where.bytes - at : 0;
  }
  lane_step& part = add(what, running_thread->due.stack, space, bytes, {});
  part.at = at;
  part.bytes.resize(space < 0 ? 0 : bytes);
  if (part.bytes.empty()) return;
  const char* const from = found.spaces[static_cast<std::size_t>(space)].begin + at;
  if (what == step_kind::read) {
    std::memcpy(part.bytes.data(), from, bytes);
  } else {
    unsettled_.push_back({from, part.lane});
  }
}

/// The write of a copy, out of the step in which it was told.
std::optional<step_notes::copied> step_notes::take_back_write() {
  const std::size_t number = running_thread->due.copy_step;
  if (number >= found.steps.size()) return {};
  auto& step = found.steps[number];
  const int lane = running_thread->rank % 32;
  for (auto part = step.begin(); part != step.end(); ++part) {
    if (part->what != step_kind::write || part->block != block_ || part->warp != warp_) continue;
    const auto own = std::find_if(part->lanes.begin(), part->lanes.end(),
                                  [&](const lane_step& each) { return each.lane == lane; });
    if (own == part->lanes.end()) continue;
    const char* const begin = found.spaces[static_cast<std::size_t>(part->space)].begin;
    const copied out{part->space, begin + own->at, part->bytes};
    part->lanes.erase(own);
    if (part->lanes.empty()) {
      const auto place = static_cast<std::size_t>(part - step.begin());
      step.erase(part);
      for (auto& call : last_call_) {
        auto& [in_step, at] = call.second;
        if (in_step == number && at > place) --at;
      }
    }
    return out;
  }
  return {};
}

void step_notes::settle() {
  for (const auto& [from, lane] : unsettled_) {
    for (std::size_t i = instruction_; i < found.steps.back().size(); ++i) {
      warp_step& own = found.steps.back()[i];
      if (own.what != step_kind::write && own.what != step_kind::atomic) continue;
      const char* const begin = found.spaces[static_cast<std::size_t>(own.space)].begin;
      for (lane_step& part : own.lanes) {
        if (part.lane == lane && begin + part.at == from) {
          std::memcpy(part.bytes.data(), from, part.bytes.size());
        }
      }
    }
  }
  unsettled_.clear();
}

void step_notes::before_call(block& of, const std::string& name, const warp_call* call) {
  turn& own = running_thread->due;
  if (call != nullptr && own.words_left > 0 && call->operation == own.call.operation &&
      call->mask == own.call.mask && call->operand == own.call.operand) {
    --own.words_left;  // the next word of the same value
    own.is_next_word = true;
    return;
  }
  own.is_call = true;
  of.wait_for_turn(stack_here());
  own.read.clear();
  own.written.clear();
  own.copied_bytes = 0;
  own.is_next_word = false;
  own.words_left = 0;
  if (call != nullptr) {
    own.call = *call;
    if (is_shuffle(call->operation)) own.words_left = static_cast<int>(shuffled_bytes_ / 4) - 1;
  }
  add(step_kind::arrive, own.stack, -1, 0, name);
}

/// Those who met need not have arrived in this step.
void step_notes::drop_arrivals(int block, int warp) {
  std::erase_if(found.steps.back(), [&](const warp_step& own) {
    return own.what == step_kind::arrive && own.block == block && (warp < 0 || own.warp == warp);
  });
  instruction_ = std::min(instruction_, found.steps.back().size());
}

void step_notes::met(const block& of, int warp, std::uint32_t lanes, const warp_call* calls) {
  const int first = __builtin_ctz(lanes);
  const warp_call& call = calls[first];
  const std::pair<int, int> key{of.linear_index(), warp};
  const bool is_next = of.due_of(warp, first).is_next_word && last_call_.count(key) != 0;
  warp_step made{key.first,
                 warp,
                 step_kind::warp_call,
                 name_of(call.operation),
                 of.due_of(warp, first).stack,
                 -1,
                 0,
                 is_split_,
                 {}};
  if (!is_next) {
    drop_arrivals(key.first, warp);
    is_split_ = false;
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      made.lanes.push_back(
          {lane, 0, is_shuffle(call.operation) ? source_of(calls[lane], lane) : -1, {}});
    }
    last_call_[key] = {found.steps.size() - 1, found.steps.back().size()};
    found.steps.back().push_back(std::move(made));
  }
  if (call.operation == warp_operation::sync) return;
  const auto [step, place] = last_call_[key];
  warp_step& own = found.steps[step][place];
  for (lane_step& part : own.lanes) {
    const std::uint64_t answer = of.answer_of(warp, part.lane);
    const bool is_long = answer >> 32 != 0;
    part.bytes.append(reinterpret_cast<const char*>(&answer), is_long ? 8 : 4);
  }
}

void step_notes::synced(const block& of, step_kind what, const char* name) {
  drop_arrivals(of.linear_index(), -1);
  found.steps.back().push_back(
      {of.linear_index(), -1, what, name, of.due_of(0, 0).stack, -1, 0, false, {}});
}

}  // namespace detail

namespace {

detail::step_notes own;

}  // namespace

recorder::recorder() {
  set_seed(seed());  // reports number launches from here on
  detail::lock_device();
  own = {};
  detail::notes = &own;
  detail::unlock_device();
}

recorder::~recorder() {
  detail::lock_device();
  detail::notes = nullptr;
  detail::unlock_device();
}

void recorder::name_memory(const void* begin, std::size_t bytes, const std::string& name,
                           std::size_t cell_bytes) {
  own.name_memory(static_cast<const char*>(begin), bytes, name, cell_bytes);
}

void recorder::name_shared(const std::string& name, std::size_t cell_bytes) {
  own.name_shared(name, cell_bytes);
}

void recorder::set_shuffled_bytes(std::size_t bytes) { own.set_shuffled_bytes(bytes); }

const recording& recorder::found() const { return own.found; }

}  // namespace monofold::emulation
