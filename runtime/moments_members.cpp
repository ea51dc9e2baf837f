/// runtime/moments_members: variance and standard deviation, for every type and instruction set.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/moments_members.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "monofold/fold/moments.hpp"
#include "runtime/member-inl.hpp"
#include "runtime/simd_integers-inl.hpp"
#include "runtime/simd_sums-inl.hpp"
#include "runtime/statistics_fold.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

/// node_folder for `statistics_fold`.
template <class Item>
class statistics_folder {
 public:
  using fold = statistics_fold<Item>;
  using state = typename fold::state;

  explicit statistics_folder(const fold& f) : fold_(f) {}

  HWY_INLINE void add(const Item* items, std::int64_t count, std::int64_t index) {
    constexpr int tile = tile_items_v<Item>;
    for (std::int64_t done = 0; done < count; done += tile) {
      const std::int64_t left = count - done;
      const int n = left < tile ? static_cast<int>(left) : tile;
      tiles_.push(fold_, fold_one(items + done, n, index + done));
    }
  }
  state total() const { return tiles_.total(fold_); }
  void lead() { ahead_ = prefetch_bytes; }

 private:
  HWY_INLINE state fold_one(const Item* items, int count, std::int64_t index) const {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
    if (count == tile_items_v<Item>) {
      const auto all = sum_tile<powers::first_and_second, false>(items, 0.0, ahead_);
      return {all.sum, tile_kernel<moments_fold<Item>, Item>::finish({}, items, all)};
    }
#endif
    return fold::fold_part(items, count, index);
  }

  const fold& fold_;
  std::ptrdiff_t ahead_ = no_prefetch;
  node_joiner<state, max_span_level> tiles_{};
};

template <class Item>
struct folder_choice<statistics_fold<Item>, Item> {
  using type = statistics_folder<Item>;
};

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
      const block_sums block = sum_block<true>(items, whole, ahead_);
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
  void lead() { ahead_ = prefetch_bytes; }

 private:
  const fold& fold_;
  std::ptrdiff_t ahead_ = no_prefetch;
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

struct variance_or_root {
  template <class Fold>
  static answer finish(operation op, const Fold&, const typename Fold::state* state,
                       const answer_context& context) {
    if (state == nullptr) {
      if (op != operation::sum) return failed(op, status::empty_input);
      if constexpr (requires { typename Fold::item; }) {
        return one_number(op, integer_answer_t<typename Fold::item>{0});
      } else {
        return one_number(op, 0.0);
      }
    }
    if constexpr (requires { state->total; }) {
      if (op == operation::sum) return one_number(op, one_nan(state->total));
      if (op == operation::mean) {
        return one_number(op, one_nan(state->total / static_cast<double>(context.count)));
      }
      return variance(op, state->moments, context.ddof);
    } else if constexpr (requires { state->squares.limb; }) {
      using sum = integer_sum_fold<typename Fold::item>;
      if (op == operation::sum) return one_number(op, sum{}.finish(state->sum));
      using mean = mean_fold<typename Fold::item>;
      if (op == operation::mean) return one_number(op, mean{}.finish({state->sum, state->count}));
      return variance(op, *state, context.ddof);
    } else {
      return variance(op, *state, context.ddof);
    }
  }

  template <class Moments>
  static answer variance(operation op, const Moments& moments, std::int64_t ddof) {
    const result<double> variance = variance_of(moments, ddof);
    if (!variance || op == operation::var) return one_number(op, variance);
    return one_number(op, std::sqrt(*variance));
  }
};

template <class Item, nan_rule rule>
std::unique_ptr<member> make_typed(const member_request& what) {
  if constexpr (is_floating_v<Item> && rule == nan_rule::propagate) {
    if (what.kind == family::statistics) {
      return member_for<variance_or_root, Item>(statistics_fold<Item>{});
    }
  }
  if (what.kind != family::moments) return nullptr;
  return member_for<variance_or_root, Item>(detail::moments_fold_t<Item, rule>{});
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
