#include "cli/fold_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "cli/array_source.hpp"
#include "cli/machine.hpp"
#include "runtime/families.hpp"
#include "runtime/gpu/devices.hpp"

namespace monofold::cli {
namespace {

using runtime::operation;
using runtime::reducer;

// A part is what a thread takes at a time: long enough that the thread seldom asks, short enough
// that the threads end together (32 MiB take some milliseconds).
constexpr std::int64_t part_bytes = std::int64_t{32} << 20;

// What a thread brings to a GPU at a time: while it waits for the bus, others fill their buffers.
// Of 2 MiB the driver's calls cost half as much time as the bus takes.
constexpr std::int64_t gpu_piece_bytes = std::int64_t{8} << 20;

// Threads that fetch parts of one source and merge them in order.
class parallel_fold {
 public:
  parallel_fold(const source& in, const runtime::request& what, std::int64_t first_index,
                reducer& out, const on_bytes& report)
      : in_(in), what_(what), first_index_(first_index), out_(out), report_(report) {
    what_.num_threads = 1;
    total_items_ = in.count().value();
    piece_items_ = in.fetch_items();
    item_bytes_ = info(in.type()).size_bytes;
    if (what.on_gpu) {
      const std::int64_t pieces = gpu_piece_bytes / (piece_items_ * item_bytes_);
      piece_items_ *= std::max<std::int64_t>(1, pieces);
    }
    const std::int64_t pieces =
        std::max<std::int64_t>(1, part_bytes / (piece_items_ * item_bytes_));
    part_items_ = pieces * piece_items_;
  }

  void run(int num_threads) {
    const std::int64_t parts = (total_items_ + part_items_ - 1) / part_items_;
    // Small files are shared out evenly among the threads.
    if (parts < 2 * num_threads) {
      const std::int64_t share = total_items_ / (2 * num_threads) / piece_items_ * piece_items_;
      part_items_ = std::max(piece_items_, share);
    }
    const std::int64_t useful = (total_items_ + part_items_ - 1) / part_items_;
    std::vector<std::thread> threads;
    for (std::int64_t i = 1; i < std::min<std::int64_t>(num_threads, useful); ++i) {
      threads.emplace_back([this] { work(); });
    }
    work();
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work() {
    try {
      const std::shared_ptr<void> buffer = make_piece_buffer();
      while (!stop_) {
        const std::int64_t first = next_item_.fetch_add(part_items_);
        if (first >= total_items_) return;
        add(first, fold_part(first, buffer.get()));
        report_(in_.consumed_bytes());
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
    }
  }

  // For a GPU: memory that the bus reads at full speed.
  std::shared_ptr<void> make_piece_buffer() const {
    const std::int64_t bytes = piece_items_ * item_bytes_;
    if (what_.on_gpu) return runtime::make_pinned(bytes);
    return make_buffer(bytes);
  }

  reducer fold_part(std::int64_t first, void* buffer) const {
    reducer part(what_, first_index_ + first);
    const std::int64_t end = std::min(first + part_items_, total_items_);
    for (std::int64_t at = first; at < end && !stop_; at += piece_items_) {
      const std::int64_t count = std::min(piece_items_, end - at);
      part.push(in_.fetch(at, count, buffer), count);
    }
    return part;
  }

  // Merges every part whose turn has come.
  void add(std::int64_t first, reducer part) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(first, std::move(part));
    while (!waiting_.empty() && waiting_.begin()->first == merged_items_) {
      out_.merge(waiting_.begin()->second);
      merged_items_ += waiting_.begin()->second.count();
      waiting_.erase(waiting_.begin());
    }
  }

  const source& in_;
  runtime::request what_;
  std::int64_t first_index_;
  reducer& out_;
  const on_bytes& report_;
  std::int64_t total_items_ = 0;
  std::int64_t piece_items_ = 0;
  std::int64_t part_items_ = 0;
  int item_bytes_ = 1;
  std::atomic<std::int64_t> next_item_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // of what follows
  std::map<std::int64_t, reducer> waiting_;
  std::int64_t merged_items_ = 0;
  std::exception_ptr failure_;
};

// The rest of a source's chunk.
struct open_chunk {
  source& in;
  chunk part{};
  std::int64_t taken_bytes = 0;

  // False at the end.
  bool refill() {
    if (part.count == 0) {
      part = in.next();
      taken_bytes = 0;
    }
    return part.count != 0;
  }
  const void* items() const { return static_cast<const std::byte*>(part.items) + taken_bytes; }
  void take(std::int64_t count) {
    part.count -= count;
    taken_bytes += count * info(in.type()).size_bytes;
  }
};

std::int64_t count_rest(open_chunk& from) {
  std::int64_t rest = 0;
  while (from.refill()) {
    rest += from.part.count;
    from.take(from.part.count);
  }
  return rest;
}

}  // namespace

bool depends_on_order(const runtime::request& what) {
  if (depends_on_tree(what) || what.nan == runtime::nan_policy::raise) return true;
  return std::any_of(what.ops.begin(), what.ops.end(), [](operation op) {
    return op == operation::argmin || op == operation::argmax || op == operation::top ||
           op == operation::bottom || op == operation::dot;
  });
}

void fold_source(source& in, const runtime::request& what, std::int64_t first_index, reducer& out,
                 const on_bytes& report) {
  if (in.fetch_items() == 0 || !in.count()) {
    push_source(in, {&out}, report);
    return;
  }
  if (what.on_gpu) in.copy_items();
  const int threads = what.num_threads > 0 ? what.num_threads : num_cores();
  parallel_fold(in, what, first_index, out, report).run(threads);
  in.check();
}

void push_source(source& in, const std::vector<reducer*>& outs, const on_bytes& report) {
  for (chunk part = in.next(); part.count != 0; part = in.next()) {
    for (reducer* const out : outs) out->push(part.items, part.count);
    report(in.consumed_bytes());
  }
  in.check();
}

void push_pairs(source& left, source& right, reducer& out, const on_bytes& report) {
  open_chunk l{left};
  open_chunk r{right};
  while (l.refill() && r.refill()) {
    const std::int64_t count = std::min(l.part.count, r.part.count);
    out.push_pairs(l.items(), r.items(), count);
    l.take(count);
    r.take(count);
    report(left.consumed_bytes() + right.consumed_bytes());
  }
  const std::int64_t l_rest = count_rest(l);
  const std::int64_t r_rest = count_rest(r);
  if (l_rest != r_rest) {
    throw input_error(fmt::format("dot needs as many items in both files: {} and {}",
                                  out.count() + l_rest, out.count() + r_rest));
  }
  left.check();
  right.check();
}

}  // namespace monofold::cli
