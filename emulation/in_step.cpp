// Recorded launches: in each step every warp does one instruction, by the lanes that are at it.

#include <map>
#include <utility>

#include "emulation/block.hpp"
#include "emulation/builtins.hpp"
#include "emulation/step_notes.hpp"

namespace monofold::emulation::detail {

void block::wait_for_turn(int stack) {
  thread& own = *running_thread;
  own.due.stack = stack;
  own.due.is_due = true;
  own.own.suspend();
  own.due.is_due = false;
}

void block::go_on(thread& next) {
  threadIdx = next.index;
  running_thread = &next;
  next.own.resume();
  running_thread = nullptr;
}

/// Lets the ready lanes come to what they do next. False where one goes wrong on its way.
bool block::bring_to_turn(std::size_t w) {
  bool is_news = true;
  while (is_news) {
    is_news = false;
    for_lanes(warps_[w].ready, [&](int lane) {
      thread& own = *threads_[w * 32 + static_cast<std::size_t>(lane)];
      if (launch_->has_failed || own.where != thread::place::ready || own.due.is_due) return;
      go_on(own);
      is_news = true;
    });
    if (launch_->has_failed) return false;
  }
  return true;
}

/// Lanes that went together and stand at several places now are groups of their own.
bool block::regroup(std::size_t w) {
  std::map<int, int> places;  // of a group
  std::map<std::pair<int, int>, int> numbers;
  bool is_split = false;
  for_lanes(warps_[w].every, [&](int lane) {
    thread& own = *threads_[w * 32 + static_cast<std::size_t>(lane)];
    if (own.due.group < 0) return;  // has ended before
    const int place = own.where == thread::place::ended ? -1 : own.due.stack;
    const auto [known, is_first] = places.try_emplace(own.due.group, place);
    is_split = is_split || known->second != place;
    const auto [number, is_new] = numbers.try_emplace({own.due.group, place}, groups_ + 1);
    if (is_new) ++groups_;
    own.due.group = place == -1 ? -1 : number->second;
  });
  return is_split;
}

/// The ready lanes that go next: those that have work before those that would wait for others; of them
/// those at the lowest address of the outermost function in which they differ, so that lanes in a loop go
/// before those that left it.
std::uint32_t block::lanes_behind(std::size_t w, const step_notes& to) const {
  const auto is_before = [&](const turn& a, const turn& b) {
    if (a.is_call != b.is_call) return b.is_call;
    return to.found.stacks[static_cast<std::size_t>(a.stack)] <
           to.found.stacks[static_cast<std::size_t>(b.stack)];
  };
  std::uint32_t lanes = 0;
  const turn* first = nullptr;
  for_lanes(warps_[w].ready, [&](int lane) {
    const turn& own = thread_at(w, lane).due;
    if (first == nullptr || (own.stack != first->stack && is_before(own, *first))) {
      first = &own;
      lanes = 0;
    }
    if (own.stack == first->stack) lanes |= 1u << lane;
  });
  return lanes;
}

block::outcome block::run_a_step(step_notes& to) {
  running_block = this;
  blockIdx = index_;
  shared_.enter();
  bool did = false;
  const std::size_t warps = (static_cast<std::size_t>(count_) + 31) / 32;
  // Warps that others let go in this step do something in the next one.
  const std::uint32_t ready = ready_warps_;
  for (std::size_t w = 0; w < warps && !launch_->has_failed; ++w) {
    if ((ready >> w & 1) == 0) continue;
    to.begin_instruction(*this, static_cast<int>(w), false);
    if (!bring_to_turn(w)) break;
    to.begin_instruction(*this, static_cast<int>(w), regroup(w));
    const std::uint32_t lanes = lanes_behind(w, to);
    ++groups_;
    for_lanes(lanes, [&](int lane) {
      if (launch_->has_failed) return;
      thread& own = *threads_[w * 32 + static_cast<std::size_t>(lane)];
      own.due.group = groups_;
      go_on(own);
      to.settle();
      did = true;
    });
  }
  outcome out = outcome::paused;
  if (!did) out = live_ == 0 ? outcome::ended : outcome::waits;
  if (launch_->has_failed) out = outcome::failed;
  if (out == outcome::waits && live_ != at_cluster_) out = report_stuck();
  running_block = nullptr;
  shared_.leave();
  return out;
}

}  // namespace monofold::emulation::detail
