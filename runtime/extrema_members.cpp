/// runtime/extrema_members: min, max and where they are, for every type and instruction set.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/extrema_members.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "monofold/fold/extrema.hpp"
#include "runtime/extremum_answers.hpp"
#include "runtime/member-inl.hpp"
#include "runtime/member_folds.hpp"
#include "runtime/simd_extrema-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

/// The best keys of whole vectors by simd_extrema-inl, what is left by the fold itself.
template <class Fold, class Item>
class extrema_folder {
 public:
  static constexpr bool both = std::is_same_v<Fold, extrema_fold<Item>>;
  static constexpr bool low = both || std::is_same_v<Fold, extremum_fold<Item, true>>;
  static constexpr bool high = both || !low;

  explicit extrema_folder(const Fold& f) : fold_(f), own_(f.identity()) {}

  HWY_INLINE void add(const Item* items, std::int64_t count, std::int64_t index) {
    const std::int64_t whole = count / 256 * 256;
    if (whole > 0) {
      const block_keys<Item> keys = best_keys<low, high>(items, whole);
      if constexpr (both) {
        typename Fold::low{}.absorb_known(own_.min, keys.low, items, whole, index);
        typename Fold::high{}.absorb_known(own_.max, keys.high, items, whole, index);
      } else {
        fold_.absorb_known(own_, low ? keys.low : keys.high, items, whole, index);
      }
    }
    if (whole < count) fold_.absorb_run(own_, items + whole, count - whole, index + whole);
  }
  typename Fold::state total() const { return own_; }

 private:
  const Fold& fold_;
  typename Fold::state own_;
};

template <class Item, bool smallest>
struct folder_choice<extremum_fold<Item, smallest>, Item> {
  using type = extrema_folder<extremum_fold<Item, smallest>, Item>;
};
template <class Item>
struct folder_choice<extrema_fold<Item>, Item> {
  using type = extrema_folder<extrema_fold<Item>, Item>;
};

#endif  // not the portable targets

namespace {

struct one_extremum {
  template <class Fold>
  static answer finish(operation op, const Fold& fold, const typename Fold::state* state,
                       const answer_context&) {
    return one_side<Fold>(op, state != nullptr ? *state : fold.identity());
  }
};

struct both_extrema {
  template <class Fold>
  static answer finish(operation op, const Fold& fold, const typename Fold::state* state,
                       const answer_context&) {
    return extrema_answers<Fold>(op, state != nullptr ? *state : fold.identity());
  }
};

template <class Item, nan_rule rule>
std::unique_ptr<member> make_typed(const member_request& what) {
  switch (what.kind) {
    case family::minimum:
      return member_for<one_extremum, Item>(member_fold_t<family::minimum, Item, rule>{});
    case family::maximum:
      return member_for<one_extremum, Item>(member_fold_t<family::maximum, Item, rule>{});
    case family::extrema:
      return member_for<both_extrema, Item>(member_fold_t<family::extrema, Item, rule>{});
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

std::unique_ptr<member> make_extrema_member(const member_request& what) {
  return HWY_DYNAMIC_DISPATCH(make)(what);
}

}  // namespace monofold::runtime
#endif
