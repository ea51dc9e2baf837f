#include "runtime/answer_sink.hpp"

#include <cstdint>
#include <cstring>

#include "runtime/answers.hpp"

namespace monofold::runtime {

void answer_sink::keep_numbers(const number_run& run) {
  answer one{run.op};
  const auto bytes = static_cast<std::int64_t>(monofold::info(run.type).size_bytes);
  for (std::int64_t i = 0; i < run.count; ++i) {
    one.values.clear();
    for (const void* values : {run.values, run.seconds}) {
      if (values == nullptr) continue;
      visit_dtype(run.type, [&]<class T>() {
        T item;
        std::memcpy(&item, static_cast<const char*>(values) + i * bytes, sizeof item);
        one.values.push_back(to_number(item));
      });
    }
    if (run.indices != nullptr) one.indices.assign_one(run.indices[i]);
    keep(run.row + i * run.apart, &one);
  }
}

}  // namespace monofold::runtime
