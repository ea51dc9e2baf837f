/// runtime/top_members: top and bottom k, for every type and instruction set.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/top_members.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "monofold/fold/top.hpp"
#include "runtime/member-inl.hpp"
#include "runtime/member_folds.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

/// What a GPU leaves: how many there are, k indices, k items.
template <class Item, bool smallest, nan_rule rule>
struct adopter<top_fold<Item, smallest, rule>> {
  using fold_type = top_fold<Item, smallest, rule>;

  static typename fold_type::state state_from(const fold_type& fold, const void* bytes,
                                              std::int64_t first_index) {
    const auto* const count = static_cast<const std::int64_t*>(bytes);
    const std::int64_t* const indices = count + 1;
    const auto* const items = reinterpret_cast<const Item*>(indices + fold.k);
    typename fold_type::state own;
    for (std::int64_t i = 0; i < *count; ++i) {
      own.candidates.push_back({fold_type::key_of(items[i]), first_index + indices[i]});
    }
    return own;
  }
};

namespace {

struct values_and_indices {
  template <class Fold>
  static answer finish(operation op, const Fold& fold, const typename Fold::state* state,
                       const answer_context&) {
    const auto best = finish_state(fold, state != nullptr ? *state : fold.identity());
    if (!best) return failed(op, best.code());
    answer out{op};
    for (const auto& value : best->values) out.values.push_back(to_number(value));
    out.indices = best->indices;
    return out;
  }
};

template <class Item, nan_rule rule>
std::unique_ptr<member> make_typed(const member_request& what) {
  switch (what.kind) {
    case family::largest:
      return member_for<values_and_indices, Item>(
          member_fold_t<family::largest, Item, rule>{what.k});
    case family::smallest:
      return member_for<values_and_indices, Item>(
          member_fold_t<family::smallest, Item, rule>{what.k});
    default: return nullptr;
  }
}

std::unique_ptr<member> make(const member_request& what) {
  return visit_dtype(what.type, [&]<class Item>() -> std::unique_ptr<member> {
    if constexpr (is_floating_v<Item>) {
      if (what.omit_nan) return make_typed<Item, nan_rule::omit>(what);
    }
    return make_typed<Item, nan_rule::propagate>(what);
  });
}

}  // namespace
}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace monofold::runtime {

HWY_EXPORT(make);

std::unique_ptr<member> make_top_member(const member_request& what) {
  return HWY_DYNAMIC_DISPATCH(make)(what);
}

}  // namespace monofold::runtime
#endif
