#include "emulation/block.hpp"

#include <algorithm>

#include "emulation/builtins.hpp"
#include "emulation/step_notes.hpp"

namespace monofold::emulation::detail {

block* running_block = nullptr;
thread* running_thread = nullptr;
launch* running_launch = nullptr;

namespace {

const char* name_of(block_barrier kind) {
  constexpr const char* names[] = {"__syncthreads", "__syncthreads_or", "__syncthreads_and",
                                   "__syncthreads_count"};
  return names[static_cast<int>(kind)];
}

}  // namespace

void launch::fail(finding what, const uint3& at_block, const uint3& at_thread,
                  const std::string& text, int other) {
  has_failed = true;
  const report found{
      what, kernel, at_block, at_thread, text + " (launch " + std::to_string(number + 1) + ")",
      seed, other};
  if (notes != nullptr) notes->found.problem = found;
  file_report(found, notes == nullptr ? echo::on : echo::off);  // who records looks at it
}

bool block::begin(launch& of, const uint3& index, cluster& home, int rank_in_cluster,
                  random& numbers) {
  launch_ = &of;
  cluster_ = &home;
  numbers_ = &numbers;
  index_ = index;
  rank_in_cluster_ = rank_in_cluster;
  const dim3 shape = of.block;
  const std::size_t count = std::size_t{shape.x} * shape.y * shape.z;
  at_barrier_ = at_cluster_ = yields_ = 0;
  epoch_ = ++of.epochs;
  shared_.begin(of.home, of.shared_bytes, epoch_, numbers);
  while (threads_.size() < count) threads_.push_back(std::make_unique<thread>());
  if (warps_.size() < (count + 31) / 32) warps_.resize((count + 31) / 32);
  count_ = live_ = static_cast<int>(count);  // `end` gives the stacks of so many threads back
  ready_warps_ = 0;
  for (std::size_t w = 0; w * 32 < count; ++w) {
    warp& own = warps_[w];
    const auto lanes = static_cast<int>(std::min<std::size_t>(32, count - w * 32));
    own.every = own.ready = 0xffffffffu >> (32 - lanes);
    own.calling = own.ended = 0;
    ready_warps_ |= 1u << w;
  }
  warp_ = numbers.bit_of(ready_warps_);
  for (std::size_t i = 0; i < count; ++i) {
    thread& own = *threads_[i];
    const auto rank = static_cast<unsigned>(i);
    own.home = this;
    own.rank = static_cast<int>(i);
    own.index = {rank % shape.x, rank / shape.x % shape.y, rank / shape.x / shape.y};
    own.where = thread::place::ready;
    own.due = {};
    if (!own.own.start(thread_main, &own)) return false;
  }
  return true;
}

void block::end() {
  for (int i = 0; i < count_; ++i) threads_[static_cast<std::size_t>(i)]->own.release();
  count_ = 0;
}

void block::thread_main(void* argument) {
  auto& own = *static_cast<thread*>(argument);
  const launch_request& request = *running_launch->request;
  is_in_kernel = true;
  request.call(request.kernel, request.arguments->table.data());
  is_in_kernel = false;
  own.home->end_thread(own);
}

thread& block::next_thread() {
  // Lanes of a warp take turns; now and then another warp does.
  const bool is_ready = (ready_warps_ >> warp_ & 1) != 0;
  const std::uint32_t lot = numbers_->below(8 * 32);
  if (!is_ready || lot / 32 == 0) warp_ = numbers_->bit_of(ready_warps_);
  const auto w = static_cast<std::size_t>(warp_);
  return *threads_[w * 32 + static_cast<std::size_t>(random::bit_of(warps_[w].ready, lot % 32))];
}

/// Whether threads of this block go on, and not those of others.
bool block::may_go_on() {
  if (launch_->progress != seen_progress_) {
    seen_progress_ = launch_->progress;
    yields_ = 0;
  }
  return ready_warps_ != 0 && !wants_pause_ && yields_ <= 2 * live_ + 8;
}

block::outcome block::run() {
  running_block = this;
  blockIdx = index_;
  shared_.enter();
  seen_progress_ = launch_->progress;
  while (may_go_on()) {
    thread& next = next_thread();
    threadIdx = next.index;
    running_thread = &next;
    next.own.resume();
    if (launch_->has_failed) break;
  }
  outcome out = outcome::waits;
  if (launch_->has_failed) {
    out = outcome::failed;
  } else if (live_ == 0) {
    out = outcome::ended;
  } else if (wants_pause_) {
    out = outcome::paused;
  } else if (ready_warps_ == 0 && live_ != at_cluster_) {
    out = report_stuck();
  }
  yields_ = 0;
  wants_pause_ = false;
  running_thread = nullptr;
  running_block = nullptr;
  shared_.leave();
  return out;
}

/// On a fiber: goes over to the thread whose turn it is, which may be this one.
void block::let_others_go() {
  thread& own = *running_thread;
  if (notes != nullptr || !may_go_on()) {
    own.own.suspend();
    return;
  }
  thread& next = next_thread();
  if (&next == &own) return;
  threadIdx = next.index;
  running_thread = &next;
  own.own.go_over(next.own);
}

void block::wait(thread::place where) {
  thread& own = *running_thread;
  own.where = where;
  warp& home = warp_of(own);
  home.ready &= ~(1u << own.rank % 32);
  if (home.ready == 0) ready_warps_ &= ~(1u << own.rank / 32);
  let_others_go();
}

void block::make_ready(thread& own) {
  own.where = thread::place::ready;
  warp_of(own).ready |= 1u << own.rank % 32;
  ready_warps_ |= 1u << own.rank / 32;
}

void block::yield() {
  ++yields_;
  let_others_go();
}

void block::fail(finding what, const std::string& text, int other) {
  launch_->fail(what, index_, running_thread->index, text, other);
  for (;;) running_thread->own.suspend();
}

void block::end_thread(thread& own) {
  own.where = thread::place::ended;
  warp& home = warp_of(own);
  const std::uint32_t bit = 1u << own.rank % 32;
  home.ready &= ~bit;
  home.ended |= bit;
  if (home.ready == 0) ready_warps_ &= ~(1u << own.rank / 32);
  --live_;
  ++launch_->progress;
  // Votes and warp barriers do without it.
  for (int lane = 0; lane < 32; ++lane) {
    const warp_call& call = home.calls[lane];
    if ((home.calling >> lane & 1) != 0 && !needs_all_lanes(call.operation)) {
      try_release_warp(own.rank / 32, call);
    }
  }
}

int block::sync(block_barrier kind, bool vote) {
  if (notes != nullptr) [[unlikely]]
    notes->before_call(*this, name_of(kind), nullptr);
  thread& own = *running_thread;
  own.barrier = kind;
  own.vote = vote;
  if (++at_barrier_ == count_) {
    own.where = thread::place::at_block_barrier;
    release_barrier();
    let_others_go();  // who goes first is by lot
  } else {
    wait(thread::place::at_block_barrier);
  }
  return static_cast<int>(own.answer);
}

void block::release_barrier() {
  int yes = 0;
  const block_barrier kind = running_thread->barrier;
  for (int i = 0; i < count_; ++i) {
    const thread& other = *threads_[static_cast<std::size_t>(i)];
    yes += other.vote ? 1 : 0;
    if (other.barrier != kind) {
      fail(finding::barrier_not_reached,
           "thread " + std::to_string(other.rank) + " waits at another kind of __syncthreads");
    }
  }
  const int answers[] = {0, yes > 0 ? 1 : 0, yes == count_ ? 1 : 0, yes};
  for (int i = 0; i < count_; ++i) {
    thread& other = *threads_[static_cast<std::size_t>(i)];
    other.answer = static_cast<std::uint64_t>(answers[static_cast<int>(kind)]);
    make_ready(other);
  }
  at_barrier_ = 0;
  if (notes != nullptr) [[unlikely]]
    notes->synced(*this, step_kind::block_barrier, name_of(kind));
  epoch_ = ++launch_->epochs;
  wants_pause_ = numbers_->one_in(8);
}

/// Apart from `meet`, whose frame is then small: every lane's is on a stack that waits.
void block::refuse(const warp_call& call, std::uint32_t absent) {
  const thread& own = *running_thread;
  const warp& home = warp_of(own);
  const std::string name = name_of(call.operation);
  if (const int lane = own.rank % 32; (call.mask >> lane & 1) == 0) {
    fail(finding::absent_lanes,
         name + " by lane " + std::to_string(lane) + ", which its mask does not name");
  }
  const int lane = __builtin_ctz(absent);
  fail(finding::absent_lanes,
       name + " whose mask names lane " + std::to_string(lane) + ", which " +
           ((home.every >> lane & 1) != 0 ? "has ended" : "the warp has not"));
}

std::uint64_t block::meet(const warp_call& call) {
  if (notes != nullptr) [[unlikely]]
    notes->before_call(*this, name_of(call.operation), &call);
  thread& own = *running_thread;
  warp& home = warp_of(own);
  const int lane = own.rank % 32;
  const std::uint32_t absent = call.mask & (~home.every | home.ended);
  if ((call.mask >> lane & 1) == 0 || (absent != 0 && needs_all_lanes(call.operation))) {
    refuse(call, absent);
  }
  home.calls[lane] = call;
  home.calling |= 1u << lane;
  own.where = thread::place::in_warp_call;
  try_release_warp(own.rank / 32, call);
  if (own.where == thread::place::in_warp_call) wait(thread::place::in_warp_call);
  return own.answer;
}

void block::try_release_warp(int at, const warp_call& call) {
  warp& home = warps_[static_cast<std::size_t>(at)];
  const std::uint32_t mask = call.mask;
  const warp_operation operation = call.operation;
  const int num_words = call.num_words;
  const std::uint32_t present = mask & home.every & ~home.ended;
  if ((present & ~home.calling) != 0) return;
  for (std::uint32_t left = present; left != 0; left &= left - 1) {
    const warp_call& other = home.calls[__builtin_ctz(left)];
    if (other.mask != mask || other.operation != operation || other.num_words != num_words) return;
  }
  const std::uint64_t undefined = numbers_->next();
  if (num_words > 0) exchange_words(home.calls, present, undefined);
  const std::uint64_t of_first = answer(home.calls, __builtin_ctz(present), present, undefined);
  for (std::uint32_t left = present; left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    thread& other = *threads_[static_cast<std::size_t>(at * 32 + lane)];
    other.answer = is_same_for_all(operation) || num_words > 0
                       ? of_first
                       : answer(home.calls, lane, present, undefined);
    make_ready(other);
  }
  if (notes != nullptr) [[unlikely]]
    notes->met(*this, at, present, home.calls);
  home.calling &= ~present;
  if (operation == warp_operation::sync) home.clock.sync(present, home.every);
}

void block::sync_cluster() {
  if (notes != nullptr) [[unlikely]]
    notes->before_call(*this, "cluster barrier", nullptr);
  ++at_cluster_;
  std::size_t threads = 0;
  for (const block* other : cluster_->blocks) threads += static_cast<std::size_t>(other->count_);
  if (static_cast<std::size_t>(++cluster_->arrived) < threads) {
    wait(thread::place::at_cluster_barrier);
    return;
  }
  cluster_->arrived = 0;
  running_thread->where = thread::place::at_cluster_barrier;
  for (block* const other : cluster_->blocks) other->leave_cluster_barrier();
  ++launch_->progress;
  let_others_go();
}

void block::leave_cluster_barrier() {
  at_cluster_ = 0;
  if (notes != nullptr) [[unlikely]]
    notes->synced(*this, step_kind::cluster_barrier, "cluster barrier");
  epoch_ = ++launch_->epochs;
  for (int i = 0; i < count_; ++i) make_ready(*threads_[static_cast<std::size_t>(i)]);
}

void block::touch_shared(const void* address, std::size_t bytes, access_kind kind) {
  const thread& own = *running_thread;
  const toucher who{own.rank, epoch_, &warp_of(own).clock};
  if (!shared_.touch(address, bytes, kind, who)) [[unlikely]]
    refuse(kind);
}

void block::refuse(access_kind kind) {
  const shared_problem& found = shared_.problem();
  const std::string verb = is_read(kind) ? "reads " : is_write(kind) ? "writes " : "changes ";
  if (found.what == shared_problem::kind::out_of_range) {
    fail(finding::shared_out_of_range, verb + found.where);
  }
  if (found.what == shared_problem::kind::unwritten) {
    fail(finding::shared_unwritten, verb + found.where);
  }
  const int other = found.with.other_thread;
  fail(finding::shared_race,
       verb + found.where + ", which " +
           (other < 0 ? "a thread of another warp" : "thread " + std::to_string(other)) +
           (found.with.other_wrote ? " wrote" : " read") + " without a barrier between",
       other);
}

std::string block::why_lane_waits(const thread& own) const {
  const auto w = static_cast<std::size_t>(own.rank / 32);
  const warp& home = warps_[w];
  const warp_call& call = home.calls[own.rank % 32];
  std::string out = std::string(name_of(call.operation)) + " waits for lane ";
  for (std::uint32_t left = call.mask & home.every; left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    const warp_call& other = home.calls[lane];
    out += std::to_string(lane);
    switch (thread_at(w, lane).where) {
      case thread::place::ended: return out + ", which has ended";
      case thread::place::at_block_barrier: return out + ", which is at __syncthreads";
      case thread::place::at_cluster_barrier: return out + ", which is at a cluster barrier";
      case thread::place::in_warp_call:
        if (other.mask == call.mask && other.operation == call.operation) break;
        return out + ", which is in " + name_of(other.operation) +
               (other.mask == call.mask ? "" : " with another mask");
      default: break;
    }
    out.erase(out.rfind(' ') + 1);
  }
  return out + "?";
}

block::outcome block::report_stuck() {
  // A lane that waits for another explains why a barrier is not reached.
  const auto first = [&](thread::place where) -> const thread* {
    for (int i = 0; i < count_; ++i) {
      const thread& own = *threads_[static_cast<std::size_t>(i)];
      if (own.where == where) return &own;
    }
    return nullptr;
  };
  if (const thread* const lane = first(thread::place::in_warp_call)) {
    const auto& call = warps_[static_cast<std::size_t>(lane->rank / 32)].calls[lane->rank % 32];
    launch_->fail(
        needs_all_lanes(call.operation) ? finding::absent_lanes : finding::barrier_not_reached,
        index_, lane->index, why_lane_waits(*lane));
    return outcome::failed;
  }
  const thread* const waiting = first(thread::place::at_block_barrier);
  const thread* other = first(thread::place::ended);
  if (other == nullptr) other = first(thread::place::at_cluster_barrier);
  launch_->fail(
      finding::barrier_not_reached, index_, waiting->index,
      "__syncthreads is reached by " + std::to_string(at_barrier_) + " of " +
          std::to_string(count_) + " threads; thread " + std::to_string(other->rank) +
          (other->where == thread::place::ended ? " has ended" : " is at a cluster barrier"));
  return outcome::failed;
}

}  // namespace monofold::emulation::detail
