#include "python/src/short_arrays.hpp"

#include <memory>

#include "runtime/c_boundary.hpp"

namespace monofold::python {

short_arrays::~short_arrays() {
  for (const auto& one : made_) delete one.load();
  for (const auto& one : made_for_devices_) delete one.load();
}

template <class Reducer, class Make>
const Reducer& short_arrays::made_once(std::atomic<const Reducer*>& place, const Make& make) {
  if (const Reducer* here = place.load(std::memory_order_acquire)) return *here;
  std::unique_ptr<const Reducer> made = make();
  const Reducer* expected = nullptr;
  // Of two threads that made one the first keeps its own.
  if (!place.compare_exchange_strong(expected, made.get())) return *expected;
  return *made.release();
}

runtime::request short_arrays::request_of(monofold_dtype dtype) const {
  return runtime::c_boundary::make_request(dtype, &operation_, 1, &options_);
}

bool short_arrays::reduce(const void* items, monofold_dtype dtype, std::int64_t count,
                          monofold_result* result) noexcept {
  try {
    const auto& reducer = made_once(made_[static_cast<std::size_t>(dtype)], [&] {
      return std::make_unique<const runtime::row_reducer>(request_of(dtype));
    });
    if (count > reducer.longest_row()) return false;
    runtime::answer answer{static_cast<runtime::operation>(operation_)};
    const std::int64_t bytes = count * info(static_cast<monofold::dtype>(dtype)).size_bytes;
    reducer.answer_rows({static_cast<const char*>(items), bytes, 1, count}, &answer);
    *result = runtime::c_boundary::to_c(answer);
    return answer.code == status::ok;
  } catch (...) {
    return false;  // the long way names what is wrong
  }
}

bool short_arrays::reduce_there(const void* items, monofold_dtype dtype, std::int64_t count,
                                monofold_result* result) noexcept {
  try {
    const auto& reducer = made_once(made_for_devices_[static_cast<std::size_t>(dtype)], [&] {
      auto made = std::make_unique<runtime::reducer>(request_of(dtype));
      made->expect_device();
      return std::unique_ptr<const runtime::reducer>(std::move(made));
    });
    runtime::c_boundary::check_device_items(items, count);
    const runtime::answer answer = reducer.answers_about_device(items, count).front();
    *result = runtime::c_boundary::to_c(answer);
    return answer.code == status::ok;
  } catch (...) {
    return false;
  }
}

}  // namespace monofold::python
