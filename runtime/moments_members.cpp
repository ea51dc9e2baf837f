/// runtime/moments_members: variance and standard deviation, for every type and instruction set.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/moments_members.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "monofold/fold/moments.hpp"
#include "runtime/member-inl.hpp"
#include "runtime/member_folds.hpp"
#include "runtime/moment_answers.hpp"
#include "runtime/simd_integers-inl.hpp"
#include "runtime/simd_sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

template <class Item>
struct folder_choice<moments_fold<Item>, Item> {
  using type = tile_folder<moments_fold<Item>, Item>;
};

/// Whole vectors of small integers by simd_integers-inl, what is left by the fold itself.
template <class Item>
class integer_moments_folder {
 public:
  using fold = integer_moments_fold<Item>;

  explicit integer_moments_folder(const fold& f) : fold_(f) {}
  HWY_INLINE void add(const Item* items, std::int64_t count, std::int64_t index) {
    const std::int64_t whole = count / 64 * 64;
    if (whole > 0) {
      const auto block = sum_block<extras::squares>(items, whole);
      own_.count += whole;
      own_.sum += block.sum;
      squares_ += block.squares;
    }
    fold_.absorb_run(own_, items + whole, count - whole, index + whole);
  }
  typename fold::state total() const {
    typename fold::state all = own_;
    all.squares = monofold::add(all.squares, widen(squares_));
    return all;
  }

 private:
  const fold& fold_;
  typename fold::state own_{};
  uint128 squares_ = 0;  // of a node: far below 2^128
};

template <class Item>
requires has_block_sums_v<Item>
struct folder_choice<integer_moments_fold<Item>, Item> {
  using type = integer_moments_folder<Item>;
};

#endif  // not the portable targets

namespace {

/// The exact moments also give the sum and the mean.
template <class Item, nan_rule rule>
struct exact_moment {
  template <class Fold>
  static answer finish(operation op, const Fold& fold, const typename Fold::state* state,
                       const answer_context& context) {
    const typename Fold::state all = state != nullptr ? *state : fold.identity();
    switch (op) {
      case operation::sum:
        return one_number(op,
                          exact_total_fold<value_term<Item>, double, rule>{}.finish(all.values));
      case operation::mean:
        return one_number(op, exact_mean_fold<Item, double, rule>{}.finish(all.values));
      case operation::var:
        return one_number(op,
                          exact_variance_fold<Item, double, false, rule>(context.ddof).finish(all));
      default:
        return one_number(op,
                          exact_variance_fold<Item, double, true, rule>(context.ddof).finish(all));
    }
  }
};

/// Plain moments; those of integers, which are exact, also give the sum and the mean.
struct variance_or_root {
  template <class Fold>
  static answer finish(operation op, const Fold&, const typename Fold::state* state,
                       const answer_context& context) {
    if constexpr (requires { typename Fold::item; }) {  // integers
      if (op == operation::sum || op == operation::mean) {
        return total_answer<typename Fold::item>(op, state);
      }
    }
    if (state == nullptr) return failed(op, status::empty_input);
    return variance_answer(op, *state, context.ddof);
  }
};

template <class Item, nan_rule rule>
std::unique_ptr<member> make_typed(const member_request& what) {
  if constexpr (is_floating_v<Item>) {
    if (what.kind == family::moments) {
      return member_for<exact_moment<Item, rule>, Item>(
          member_fold_t<family::moments, Item, rule>{});
    }
    if (what.kind == family::plain_moments) {
      return member_for<variance_or_root, Item>(member_fold_t<family::plain_moments, Item, rule>{});
    }
  } else if (what.kind == family::moments) {
    return member_for<variance_or_root, Item>(member_fold_t<family::moments, Item, rule>{});
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

std::unique_ptr<member> make_moments_member(const member_request& what) {
  return HWY_DYNAMIC_DISPATCH(make)(what);
}

}  // namespace monofold::runtime
#endif
