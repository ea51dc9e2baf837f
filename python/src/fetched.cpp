#include "python/src/fetched.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "python/src/answers.hpp"
#include "python/src/array.hpp"
#include "python/src/gather.hpp"
#include "runtime/c_boundary.hpp"

namespace monofold::python {

namespace {

/// Items [first, ...) of an array, each fetched by the thread that folds it.
class strided_source final : public runtime::item_source {
 public:
  strided_source(const layout& items, std::int64_t first) : items_(items), first_(first) {}

  /// A copy that stays in a core's second-level cache.
  std::int64_t fetch_items() const override { return (256 << 10) / items_.item_bytes(); }

  const void* fetch(std::int64_t first, std::int64_t count, void* buffer) const override {
    gather(items_, first_ + first, count, static_cast<char*>(buffer));
    return buffer;
  }

 private:
  const layout& items_;
  std::int64_t first_;
};

std::vector<runtime::answer> fold_all(const layout& items, const runtime::request& what) {
  const nb::gil_scoped_release released;
  runtime::reducer reducer(what);
  const std::int64_t count = items.count(), most = piece_bytes / items.item_bytes();
  for (std::int64_t at = 0; at < count; at += most) {
    if (at > 0) check_signals(most * items.item_bytes());
    reducer.push_fetched(strided_source(items, at), std::min(most, count - at));
  }
  return reducer.finish();
}

nb::tuple tuple_of(const runtime::answer& answer) {
  if (!runtime::c_boundary::is_ranked(answer.op))
    return to_python(runtime::c_boundary::to_c(answer));
  nb::list values, places;
  for (std::size_t i = 0; i < answer.indices.size(); ++i) {
    values.append(to_python(runtime::c_boundary::to_c(answer.values[i])));
    places.append(answer.indices[i]);
  }
  return nb::make_tuple(static_cast<int>(answer.code), values, places, -1, answer.first_nan);
}

/// An answer for each operation, as a state gives them.
nb::list fetched(const array& items, const std::vector<monofold_operation>& operations,
                 const how& options) {
  std::vector<runtime::answer> answers;
  monofold_status status = MONOFOLD_OK;
  items.check_on_host();
  try {
    answers = fold_all(items, runtime::c_boundary::make_request(
                                  items.dtype, operations.data(),
                                  static_cast<std::int32_t>(operations.size()), &options.options));
  } catch (const monofold::error& failure) {
    status = static_cast<monofold_status>(failure.code());
  }
  check_call(status);
  nb::list out;
  for (const runtime::answer& answer : answers) out.append(tuple_of(answer));
  return out;
}

}  // namespace

void bind_fetched(nb::module_& core) { core.def("fetched", &fetched); }

}  // namespace monofold::python
