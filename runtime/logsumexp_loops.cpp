/// runtime/logsumexp_loops: sums of exponentials, tile by tile.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/logsumexp_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "runtime/logsumexp_fold.hpp"
#include "runtime/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

namespace {

template <class Item>
void add_exponentials(member_folder& base, const void* items, std::int64_t count,
                      std::int64_t index) {
  using real = typename softmax_fold<Item>::real;
  auto& own = static_cast<folder<joined_logsumexp_fold<real>, real>&>(base);
  const lifted_logsumexp_fold<Item> f(own.fold.omits_nan);
  const auto* const from = static_cast<const Item*>(items);
  for (std::int64_t done = 0; done < count; done += tile_items_v<Item>) {
    const auto some = static_cast<int>(std::min<std::int64_t>(tile_items_v<Item>, count - done));
    own.part.held.push(own.fold, fold_tile(f, from + done, some, index + done));
  }
}

member_folder::loop find(const member_request& what) {
  if (what.kind != family::logsumexp) return nullptr;
  switch (what.type) {
    case dtype::float16: return add_exponentials<float16>;
    case dtype::bfloat16: return add_exponentials<bfloat16>;
    case dtype::float32: return add_exponentials<float>;
    default: return add_exponentials<double>;
  }
}

}  // namespace
}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
MONOFOLD_EXPORT_LOOPS(find_logsumexp_loop)
#endif
