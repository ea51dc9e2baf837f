/// runtime/sum_members: sum, plain sum, product and dot, for every type and instruction set.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/sum_members.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "monofold/fold/sum.hpp"
#include "runtime/member-inl.hpp"
#include "runtime/member_folds.hpp"
#include "runtime/simd_integers-inl.hpp"
#include "runtime/simd_sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

template <class Item>
struct folder_choice<float_sum_fold<Item, double>, Item> {
  using type = tile_folder<float_sum_fold<Item, double>, Item>;
};
template <class Item>
struct folder_choice<float_sum_fold<Item, float>, Item> {
  using type = tile_folder<float_sum_fold<Item, float>, Item>;
};

/// Whole vectors of small integers by simd_integers-inl, what is left by the fold itself.
template <class Item>
class integer_sum_folder {
 public:
  explicit integer_sum_folder(const integer_sum_fold<Item>& f) : fold_(f) {}
  HWY_INLINE void add(const Item* items, std::int64_t count, std::int64_t index) {
    const std::int64_t whole = count / 64 * 64;
    if (whole > 0) total_ += sum_block<extras::none>(items, whole).sum;
    fold_.absorb_run(total_, items + whole, count - whole, index + whole);
  }
  int128 total() const { return total_; }

 private:
  const integer_sum_fold<Item>& fold_;
  int128 total_ = 0;
};

template <class Item>
requires has_block_sums_v<Item>
struct folder_choice<integer_sum_fold<Item>, Item> {
  using type = integer_sum_folder<Item>;
};

#endif  // not the portable targets

namespace {

struct finished {
  template <class Fold>
  static answer finish(operation op, const Fold& fold, const typename Fold::state* state,
                       const answer_context&) {
    return state != nullptr ? one_number(op, finish_state(fold, *state))
                            : one_number(op, finish_empty(fold));
  }
};

template <class State>
auto total_of(const State& state) {
  if constexpr (requires { state.total; }) {
    return state.total;
  } else {
    return state;
  }
}

/// The exact sum also gives the mean.
template <class Item, nan_rule rule>
struct exact_sum_or_mean {
  template <class Fold>
  static answer finish(operation op, const Fold& fold, const typename Fold::state* state,
                       const answer_context&) {
    const typename Fold::state all = state != nullptr ? *state : fold.identity();
    if (op != operation::mean) return one_number(op, fold.finish(all));
    return one_number(op, exact_mean_fold<Item, double, rule>{}.finish(all));
  }
};

/// A plain sum also gives the mean, with the count that the reducer knows; so does that of integers.
template <class Item>
struct sum_or_mean {
  template <class Fold>
  static answer finish(operation op, const Fold& fold, const typename Fold::state* state,
                       const answer_context& context) {
    if (op != operation::mean) return finished::finish(op, fold, state, context);
    if (state == nullptr) return failed(op, status::empty_input);
    using mean = mean_fold<Item>;
    using total = typename mean::total_type;
    return one_number(op, mean{}.finish({static_cast<total>(total_of(*state)), context.count}));
  }
};

template <class Item, nan_rule rule>
std::unique_ptr<member> make_float(family kind) {
  using pair = item_pair<Item, Item>;
  switch (kind) {
    case family::sum:
      return member_for<exact_sum_or_mean<Item, rule>, Item>(
          member_fold_t<family::sum, Item, rule>{});
    case family::plain_sum:
      return member_for<sum_or_mean<Item>, Item>(member_fold_t<family::plain_sum, Item, rule>{});
    case family::product:
      return member_for<finished, Item>(member_fold_t<family::product, Item, rule>{});
    case family::dot: return member_for<finished, pair>(member_fold_t<family::dot, Item, rule>{});
    case family::plain_dot:
      return member_for<finished, pair>(member_fold_t<family::plain_dot, Item, rule>{});
    case family::pair_nan_count:
      return member_for<nan_found, pair>(member_fold_t<family::pair_nan_count, Item, rule>{});
    default: return nullptr;
  }
}

template <class Item>
std::unique_ptr<member> make_integer(family kind) {
  constexpr auto rule = nan_rule::propagate;
  using pair = item_pair<Item, Item>;
  switch (kind) {
    case family::sum:
    case family::plain_sum:
      return member_for<sum_or_mean<Item>, Item>(member_fold_t<family::sum, Item, rule>{});
    case family::product:
      return member_for<finished, Item>(member_fold_t<family::product, Item, rule>{});
    case family::dot: return member_for<finished, pair>(member_fold_t<family::dot, Item, rule>{});
    default: return nullptr;
  }
}

std::unique_ptr<member> make(const member_request& what) {
  return visit_dtype(what.type, [&]<class Item>() -> std::unique_ptr<member> {
    if constexpr (!is_floating_v<Item>) {
      return make_integer<Item>(what.kind);
    } else {
      return what.omit_nan ? make_float<Item, nan_rule::omit>(what.kind)
                           : make_float<Item, nan_rule::propagate>(what.kind);
    }
  });
}

}  // namespace
}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace monofold::runtime {

HWY_EXPORT(make);

std::unique_ptr<member> make_sum_member(const member_request& what) {
  return HWY_DYNAMIC_DISPATCH(make)(what);
}

}  // namespace monofold::runtime
#endif
