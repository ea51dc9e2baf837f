#include "python/src/scans.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "python/src/array.hpp"
#include "python/src/gather.hpp"
#include "runtime/c_outputs.hpp"
#include "runtime/rolling_reducer.hpp"
#include "runtime/row_reducer.hpp"
#include "runtime/typed_answers.hpp"

namespace monofold::python {

namespace {

/// A sink that looks at signals from time to time, on the thread of the call: no other one handles them. What a handler
/// raises stops all threads.
class watched_sink final : public runtime::answer_sink {
 public:
  watched_sink(runtime::answer_sink& out, std::int64_t item_bytes, std::exception_ptr& raised)
      : out_(out), item_bytes_(item_bytes), raised_(raised) {}

  void keep(std::int64_t row, const runtime::answer* answers) override {
    look(row);
    out_.keep(row, answers);
  }
  void keep_numbers(const runtime::number_run& run) override {
    look(run.row);
    out_.keep_numbers(run);
  }
  void* place_of(monofold::dtype type, std::int64_t row) override {
    look(row);
    return out_.place_of(type, row);
  }

 private:
  using clock = std::chrono::steady_clock;
  struct stopped {};

  void look(std::int64_t row) {
    if (is_stopped_.load(std::memory_order_relaxed)) throw stopped();
    // A look at the clock takes as long as a few answers.
    if (std::this_thread::get_id() != caller_ || ++calls_ % 64 != 0) return;
    const auto now = clock::now();
    if (now - last_look_ < std::chrono::milliseconds(50)) return;
    last_look_ = now;
    const std::int64_t passed = row > passed_ ? row - passed_ : 0;
    passed_ += passed;
    try {
      check_signals(passed * item_bytes_);
    } catch (...) {
      raised_ = std::current_exception();
      is_stopped_.store(true, std::memory_order_relaxed);
      throw stopped();
    }
  }

  runtime::answer_sink& out_;
  std::int64_t item_bytes_;
  std::exception_ptr& raised_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<bool> is_stopped_{false};  // for threads of other rows
  std::int64_t calls_ = 0;
  std::int64_t passed_ = 0;  // answers that somebody who watches was told of
  clock::time_point last_look_ = clock::now();
};

}  // namespace

monofold_status scan_watched(const scan_call& call, std::int64_t* failed,
                             std::exception_ptr& raised) noexcept {
  using namespace runtime::c_boundary;  // NOLINT: this is a call of it
  return guarded([&]() -> monofold_status {
    const runtime::request what = request_of_rows(call.dtype, call.operation, &call.options);
    const runtime::beginnings_request all{call.items, call.num_rows, call.count, call.with_empty,
                                          static_cast<monofold::dtype>(call.value_dtype)};
    const runtime::typed_arrays out =
        arrays_for(what, what.ops.front(), call.value_dtype, call.values, call.seconds,
                   call.indices, call.num_rows * all.row_answers());
    const runtime::row_reducer rows(what, runtime::rounding_for(out.type));
    runtime::typed_keeper keeper(out);
    watched_sink watched(keeper, bytes_of(call.dtype), raised);
    runtime::reduce_beginnings(rows, all, watched);
    *failed = keeper.failed_row();
    return static_cast<monofold_status>(keeper.code());
  });
}

}  // namespace monofold::python
