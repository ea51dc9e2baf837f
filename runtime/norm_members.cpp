/// runtime/norm_members: the norms, for every type and instruction set.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/norm_members.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "monofold/fold/norm.hpp"
#include "runtime/member-inl.hpp"
#include "runtime/member_folds.hpp"

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
    if (what.kind == family::plain_norm1) {
      return member_for<finished, Item>(member_fold_t<family::plain_norm1, Item, rule>{});
    }
    if (what.kind == family::plain_norm2) {
      return member_for<finished, Item>(member_fold_t<family::plain_norm2, Item, rule>{});
    }
  }
  switch (what.kind) {
    case family::norm1:
      return member_for<finished, Item>(member_fold_t<family::norm1, Item, rule>{});
    case family::norm2:
      return member_for<finished, Item>(member_fold_t<family::norm2, Item, rule>{});
    case family::norm_inf:
      return member_for<finished, Item>(member_fold_t<family::norm_inf, Item, rule>{});
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

std::unique_ptr<member> make_norm_member(const member_request& what) {
  return HWY_DYNAMIC_DISPATCH(make)(what);
}

}  // namespace monofold::runtime
#endif
