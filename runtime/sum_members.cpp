/// runtime/sum_members: sum, plain sum, product and dot, for every type and instruction set.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/sum_members.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "monofold/fold/adapt.hpp"
#include "monofold/fold/dot.hpp"
#include "monofold/fold/product.hpp"
#include "monofold/fold/sum.hpp"
#include "runtime/member-inl.hpp"
#include "runtime/pair_product.hpp"
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

/// The sum also gives the mean, with the count that the reducer knows.
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
  using plain_real = std::conditional_t<std::is_same_v<Item, double>, double, float>;
  switch (kind) {
    case family::sum:
      return member_for<sum_or_mean<Item>, Item>(float_sum_fold<Item, double, rule>{});
    case family::plain_sum:
      return member_for<sum_or_mean<Item>, Item>(float_sum_fold<Item, plain_real, rule>{});
    case family::product: return member_for<finished, Item>(float_product_fold<Item, rule>{});
    case family::dot: {
      using pair = item_pair<Item, Item>;
      return member_for<finished, pair>(float_dot_fold<pair, rule>{});
    }
    case family::pair_nan_count: {
      using pair = item_pair<Item, Item>;
      return member_for<nan_found, pair>(
          map_fold<pair, product_of<Item>, nan_count_fold<double>>{});
    }
    default: return nullptr;
  }
}

template <class Item>
std::unique_ptr<member> make_integer(family kind) {
  switch (kind) {
    case family::sum:
    case family::plain_sum: return member_for<sum_or_mean<Item>, Item>(integer_sum_fold<Item>{});
    case family::product: return member_for<finished, Item>(integer_product_fold<Item>{});
    case family::dot:
      return member_for<finished, item_pair<Item, Item>>(integer_dot_fold<Item, Item>{});
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
