/// runtime/bits_members: bitwise and logical folds and the count of NaN, for every type and instruction set.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/bits_members.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "monofold/fold/bitwise.hpp"
#include "monofold/fold/logical.hpp"
#include "monofold/fold/nan.hpp"
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

struct logical_part {
  template <class Fold>
  static answer finish(operation op, const Fold&, const nonzero_state* state,
                       const answer_context&) {
    const nonzero_state counts = state != nullptr ? *state : nonzero_state{0, 0};
    if (op == operation::any) return one_number(op, counts.nonzero > 0);
    if (op == operation::all) return one_number(op, counts.nonzero == counts.count);
    return one_number(op, counts.nonzero);
  }
};

template <class Item, nan_rule rule>
std::unique_ptr<member> make_typed(const member_request& what) {
  switch (what.kind) {
    case family::logical:
      return member_for<logical_part, Item>(member_fold_t<family::logical, Item, rule>{});
    case family::nan_count:
      return member_for<nan_found, Item>(member_fold_t<family::nan_count, Item, rule>{});
    default: break;
  }
  if constexpr (!is_floating_v<Item>) {
    switch (what.kind) {
      case family::bit_and:
        return member_for<finished, Item>(member_fold_t<family::bit_and, Item, rule>{});
      case family::bit_or:
        return member_for<finished, Item>(member_fold_t<family::bit_or, Item, rule>{});
      case family::bit_xor:
        return member_for<finished, Item>(member_fold_t<family::bit_xor, Item, rule>{});
      default: break;
    }
  }
  return nullptr;
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

std::unique_ptr<member> make_bits_member(const member_request& what) {
  return HWY_DYNAMIC_DISPATCH(make)(what);
}

}  // namespace monofold::runtime
#endif
