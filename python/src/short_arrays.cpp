#include "python/src/short_arrays.hpp"

#include <memory>

#include "runtime/c_boundary.hpp"

namespace monofold::python {

short_arrays::~short_arrays() {
  for (const auto& one : made_) delete one.load();
}

const runtime::row_reducer& short_arrays::reducer_of(monofold_dtype dtype) {
  auto& place = made_[static_cast<std::size_t>(dtype)];
  if (const runtime::row_reducer* here = place.load(std::memory_order_acquire)) return *here;
  auto made = std::make_unique<const runtime::row_reducer>(
      runtime::c_boundary::make_request(dtype, &operation_, 1, &options_));
  const runtime::row_reducer* expected = nullptr;
  // Of two threads that made one the first keeps its own.
  if (!place.compare_exchange_strong(expected, made.get())) return *expected;
  return *made.release();
}

bool short_arrays::reduce(const void* items, monofold_dtype dtype, std::int64_t count,
                          monofold_result* result) noexcept {
  try {
    const runtime::row_reducer& reducer = reducer_of(dtype);
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

}  // namespace monofold::python
