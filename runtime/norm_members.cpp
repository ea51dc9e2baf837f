/// runtime/norm_members: the norms, for every type and instruction set.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/norm_members.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "monofold/fold/norm.hpp"
#include "runtime/member-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {
namespace {

struct finished {
  template <class Fold>
  static answer finish(operation op, const Fold& fold, const typename Fold::state* state,
                       const answer_context&) {
    return one_number(op, finish_state(fold, state != nullptr ? *state : fold.identity()));
  }
};

template <class Item, nan_rule rule>
std::unique_ptr<member> make_typed(const member_request& what) {
  if constexpr (is_floating_v<Item>) {
    switch (what.kind) {
      case family::norm1: return member_for<finished, Item>(norm1_fold<Item, rule>{});
      case family::norm2: return member_for<finished, Item>(norm2_fold<Item, rule>{});
      case family::norm_inf: return member_for<finished, Item>(norm_inf_fold<Item, rule>{});
      default: return nullptr;
    }
  } else {
    switch (what.kind) {
      case family::norm1: return member_for<finished, Item>(integer_norm1_fold<Item>{});
      case family::norm2: return member_for<finished, Item>(integer_norm2_fold<Item>{});
      case family::norm_inf: return member_for<finished, Item>(norm_inf_fold<Item>{});
      default: return nullptr;
    }
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

std::unique_ptr<member> make_norm_member(const member_request& what) {
  return HWY_DYNAMIC_DISPATCH(make)(what);
}

}  // namespace monofold::runtime
#endif
