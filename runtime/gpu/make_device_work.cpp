/// runtime/gpu/make_device_work: finds the passes that serve members.

#include "monofold/platform/dtype.hpp"
#include "runtime/gpu/device_pass.hpp"

namespace monofold::runtime {

device_work make_device_work(const std::vector<member_request>& what) {
  device_work work;
  work.places.assign(what.size(), device_pass::nowhere);
  for (std::size_t i = 0; i < what.size(); ++i) {
    if (work.places[i] != device_pass::nowhere) continue;
    auto pass = make_told_pass(what[i]);
    if (pass == nullptr) {
      pass = visit_dtype(what[i].type,
                         [&]<class Item>() { return make_device_pass_for<Item>(what[i], what); });
    }
    if (pass == nullptr) continue;
    for (std::size_t j = i; j < what.size(); ++j) {
      const std::int64_t offset = pass->offset_of(what[j].kind);
      if (offset == device_pass::nowhere || work.places[j] != device_pass::nowhere) continue;
      work.places[j] = work.out_bytes + offset;
    }
    work.out_bytes += in_chunks_of_16(pass->out_bytes());
    work.passes.push_back(std::move(pass));
  }
  return work;
}

}  // namespace monofold::runtime
