#include "emulation/grid.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "emulation/block.hpp"
#include "emulation/builtins.hpp"
#include "emulation/device_memory.hpp"
#include "emulation/random.hpp"
#include "emulation/report.hpp"
#include "emulation/step_notes.hpp"
#include "emulation/symbols.hpp"

namespace monofold::emulation {

namespace {

std::uint64_t seed_of_environment() {
  const char* const text = std::getenv("MONOFOLD_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

std::uint64_t& current_seed() {
  static std::uint64_t value = seed_of_environment();
  return value;
}

std::mutex device;
std::uint64_t launches = 0;  // since the seed was set

/// While it lives, floats round to nearest and subnormal numbers count, as on a device, whatever the thread that launches
/// has set.
class device_arithmetic {
 public:
#if defined(__x86_64__)
  device_arithmetic() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~device_arithmetic() { _mm_setcsr(saved_); }
  device_arithmetic(const device_arithmetic&) = delete;
  device_arithmetic& operator=(const device_arithmetic&) = delete;

 private:
  unsigned saved_;
#endif
};

}  // namespace

std::uint64_t seed() {
  const std::lock_guard lock(device);
  return current_seed();
}

void set_seed(std::uint64_t seed) {
  const std::lock_guard lock(device);
  current_seed() = seed;
  launches = 0;
}

namespace detail {

void lock_device() { device.lock(); }
void unlock_device() { device.unlock(); }

namespace {

/// Blocks that ended, for the next ones: their memory is kept.
std::vector<std::unique_ptr<block>> spare_blocks;
std::size_t num_blocks_made = 0;

/// A cluster that runs, and its blocks.
struct resident {
  cluster home;
  std::vector<std::unique_ptr<block>> blocks;
};

class grid_run {
 public:
  grid_run(launch& of, unsigned cluster_blocks)
      : launch_(of), cluster_blocks_(cluster_blocks), numbers_(random(of.seed).next() + of.number) {
    const dim3 shape = of.grid;
    const std::uint64_t blocks = std::uint64_t{shape.x} * shape.y * shape.z;
    order_.resize(blocks / cluster_blocks);
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<std::uint32_t>(i);
    for (std::size_t i = order_.size(); i > 1; --i) {
      std::swap(order_[i - 1], order_[numbers_.below(static_cast<std::uint32_t>(i))]);
    }
  }
  ~grid_run() {
    for (auto& own : residents_) drop(*own);
  }

  void run() {
    if (notes != nullptr) return run_in_step(*notes);
    while (!launch_.has_failed && (next_ < order_.size() || !running_.empty() || !idle_.empty())) {
      if (should_start()) {
        if (!start()) return;
      }
      if (running_.empty()) {
        // Everyone waits for somebody else: they look again.
        if (!has_news()) return;
        std::swap(running_, idle_);
      }
      step(running_.begin() + numbers_.below(static_cast<std::uint32_t>(running_.size())));
    }
  }

 private:
  /// How many blocks take turns while none of them waits.
  static constexpr std::size_t taking_turns = 3;
  /// Blocks that look so often at what does not change will do so for ever.
  static constexpr int most_idle_rounds = 200;

  /// How many blocks go in step; others start as these end.
  static constexpr std::size_t most_in_step = 16;

  void run_in_step(step_notes& to) {
    while (!launch_.has_failed && (next_ < order_.size() || !running_.empty())) {
      // In the order of their numbers, as a device does where nothing speaks against it.
      while (next_ < order_.size() && (running_.empty() || running_.size() < most_in_step)) {
        order_[next_] = static_cast<std::uint32_t>(next_);
        if (!start()) return;
      }
      to.begin_step();
      const std::uint64_t before = launch_.progress;
      std::vector<block*> left;
      for (block* const own : running_) {
        if (launch_.has_failed) break;
        if (own->run_a_step(to) != block::outcome::ended) {
          left.push_back(own);
        } else if (++own->home().ended == static_cast<int>(cluster_blocks_)) {
          retire(own->home());
        }
      }
      const bool did = to.end_step() || left.size() != running_.size();
      running_.swap(left);
      if (did || launch_.progress != before) continue;
      idle_.swap(running_);
      if (!has_news()) return;
      idle_.swap(running_);
    }
  }

  bool should_start() {
    if (next_ == order_.size()) return false;
    return running_.empty() || (running_.size() < taking_turns && numbers_.one_in(4));
  }

  bool start() {
    residents_.push_back(std::make_unique<resident>());
    resident* const own = residents_.back().get();
    const std::uint64_t first = std::uint64_t{order_[next_++]} * cluster_blocks_;
    for (unsigned i = 0; i < cluster_blocks_; ++i) {
      if (spare_blocks.empty()) {
        spare_blocks.reserve(++num_blocks_made);  // so that `drop` needs no memory
        spare_blocks.push_back(std::make_unique<block>());
      }
      own->blocks.push_back(std::move(spare_blocks.back()));
      spare_blocks.pop_back();
      own->home.blocks.push_back(own->blocks.back().get());
    }
    bool is_begun = true;
    for (unsigned i = 0; i < cluster_blocks_; ++i) {
      const std::uint64_t rank = first + i;
      const dim3 shape = launch_.grid;
      const uint3 index{static_cast<unsigned>(rank % shape.x),
                        static_cast<unsigned>(rank / shape.x % shape.y),
                        static_cast<unsigned>(rank / shape.x / shape.y)};
      block& now = *own->blocks[i];
      is_begun = now.begin(launch_, index, own->home, static_cast<int>(i), numbers_) && is_begun;
      running_.push_back(&now);
      if (!is_begun) {
        launch_.fail(finding::unsupported, index, {},
                     "too many blocks wait for others: there are no stacks left for this one");
        break;
      }
    }
    return is_begun;
  }

  void step(std::vector<block*>::iterator at) {
    block& own = **at;
    const std::uint64_t before = launch_.progress;
    const block::outcome out = own.run();
    if (out == block::outcome::waits) {
      running_.erase(at);
      idle_.push_back(&own);
    }
    if (out == block::outcome::ended) {
      running_.erase(at);
      if (++own.home().ended == static_cast<int>(cluster_blocks_)) retire(own.home());
    }
    if (launch_.progress != before) {
      idle_rounds_ = 0;
      // Those who wait may find what they wait for.
      running_.insert(running_.end(), idle_.begin(), idle_.end());
      idle_.clear();
    }
  }

  bool has_news() {
    if (++idle_rounds_ < most_idle_rounds) return true;
    for (const block* const own : idle_) {
      if (!own->is_at_cluster_barrier()) continue;
      launch_.fail(finding::barrier_not_reached, own->index(), {},
                   "a cluster barrier is not reached by all threads of the cluster");
      return false;
    }
    launch_.fail(finding::waits_forever, idle_.front()->index(), {},
                 std::to_string(idle_.size()) +
                     " blocks wait for a value that no thread writes, or for each other");
    return false;
  }

  void retire(cluster& home) {
    const auto at = std::find_if(residents_.begin(), residents_.end(),
                                 [&](const auto& own) { return &own->home == &home; });
    drop(**at);
    residents_.erase(at);
  }

  static void drop(resident& own) {
    for (auto& each : own.blocks) {
      each->end();
      spare_blocks.push_back(std::move(each));
    }
    own.blocks.clear();
  }

  launch& launch_;
  unsigned cluster_blocks_;
  random numbers_;
  std::vector<std::uint32_t> order_;
  std::size_t next_ = 0;
  std::vector<std::unique_ptr<resident>> residents_;
  std::vector<block*> running_;
  std::vector<block*> idle_;  // wait for others
  int idle_rounds_ = 0;
};

}  // namespace

}  // namespace detail

bool is_launchable(const launch_request& request) {
  const auto count = [](const dim3& shape) { return std::uint64_t{shape.x} * shape.y * shape.z; };
  const std::uint64_t blocks = count(request.grid);
  const std::uint64_t cluster_blocks = count(request.cluster);
  return blocks >= 1 && blocks <= 0xffffffffu && count(request.block) >= 1 &&
         count(request.block) <= max_block_threads && cluster_blocks >= 1 &&
         cluster_blocks <= max_cluster_blocks && request.cluster.y == 1 && request.cluster.z == 1 &&
         request.grid.x % request.cluster.x == 0 &&
         request.shared_bytes <= detail::shared_memory::max_dynamic_bytes;
}

bool run(const launch_request& request) {
  const std::lock_guard lock(device);
  if (detail::has_reports()) return false;
  detail::launch own;
  own.request = &request;
  own.home = detail::module_of(request.kernel);
  own.kernel = detail::kernel_name(own.home);
  own.grid = request.grid;
  own.block = request.block;
  own.shared_bytes = request.shared_bytes;
  own.seed = current_seed();
  own.number = launches++;
  static std::uint32_t epochs = 0;  // of all launches, so that no record of an earlier one is met
  own.epochs = epochs;
  blockDim = request.block;
  gridDim = request.grid;
  detail::memory.be_used_by(request.device);
  detail::running_launch = &own;
  if (detail::notes != nullptr) detail::notes->begin_launch(own);
  const auto end = [&] {
    detail::running_launch = nullptr;
    epochs = own.epochs;
  };
  try {
    [[maybe_unused]] const device_arithmetic arithmetic;
    detail::grid_run(own, request.cluster.x).run();
  } catch (const std::bad_alloc&) {
    end();
    throw;
  }
  end();
  return !own.has_failed;
}

}  // namespace monofold::emulation
