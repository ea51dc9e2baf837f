/// runtime/summary_members: everything that `stats` prints in one loop, for every type and instruction set.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/summary_members.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "runtime/extremum_answers.hpp"
#include "runtime/member-inl.hpp"
#include "runtime/moment_answers.hpp"
#include "runtime/simd_extrema-inl.hpp"
#include "runtime/simd_integers-inl.hpp"
#include "runtime/simd_sums-inl.hpp"
#include "runtime/summary_fold.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

/// The ends and the NaN of floats, block by block; what else they need differs by type.
template <class Item>
class ends_and_nans {
 public:
  using fold = summary_fold<Item>;

  HWY_INLINE void add(const Item* items, std::int64_t count, std::int64_t index) {
    typename fold::ends_fold{}.absorb_run(ends_, items, count, index);
    if constexpr (is_floating_v<Item>) {
      typename fold::nans_fold{}.absorb_run(nans_, items, count, index);
    }
  }
  /// Where the best keys are known and no item is NaN.
  HWY_INLINE void add_known(const block_keys<Item>& keys, const Item* items, std::int64_t count,
                            std::int64_t index) {
    typename fold::ends_fold::low{}.absorb_known(ends_.min, keys.low, items, count, index);
    typename fold::ends_fold::high{}.absorb_known(ends_.max, keys.high, items, count, index);
  }
  /// Whether both ends are those of the type.
  HWY_INLINE bool are_final() const {
    return ends_.min.index >= 0 && ends_.min.key == fold::ends_fold::low::best &&
           ends_.max.key == fold::ends_fold::high::best;
  }
  const typename fold::ends_fold::state& ends() const { return ends_; }
  const typename fold::nans_fold::state& nans() const { return nans_; }

 private:
  typename fold::ends_fold::state ends_ = typename fold::ends_fold{}.identity();
  typename fold::nans_fold::state nans_ = typename fold::nans_fold{}.identity();
};

/// node_folder for the summary of floats.
template <class Item>
class float_summary_folder {
 public:
  using fold = summary_fold<Item>;
  using sums = typename fold::sums_fold;

  explicit float_summary_folder(const fold&) {}

  HWY_INLINE void add(const Item* items, std::int64_t count, std::int64_t index) {
    constexpr int tile = tile_items_v<Item>;
    std::int64_t done = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
    bool may_have_nan = false;
    bounds_type bounds;
    for (; done + tile <= count; done += tile) {
      const auto all = sum_tile<powers::first_and_second, false>(items + done, 0.0, ahead_, bounds);
      tiles_.push(sums{},
                  {all.sum, tile_kernel<moments_fold<Item>, Item>::finish({}, items + done, all)});
      // A NaN makes the sum NaN. So do two infinities: then the items decide.
      may_have_nan = may_have_nan || is_nan(all.sum);
    }
    if (may_have_nan) {
      ends_.add(items, done, index);
    } else if (done > 0) {
      ends_.add_known(keys_of(bounds, items, done), items, done, index);
    }
#endif
    for (; done < count; done += tile) {
      const int n = count - done < tile ? static_cast<int>(count - done) : tile;
      tiles_.push(sums{}, sums::fold_part(items + done, n, index + done));
      ends_.add(items + done, n, index + done);
    }
  }
  typename fold::state total() const { return {tiles_.total(sums{}), ends_.ends(), ends_.nans()}; }
  void lead() { ahead_ = prefetch_bytes; }

 private:
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  // Sixteen bits have keys that vectors compare as fast as they add.
  using bounds_type = std::conditional_t<sizeof(Item) == 2, no_bounds, vector_bounds<Item>>;

  HWY_INLINE static block_keys<Item> keys_of(const bounds_type& bounds, const Item* items,
                                             std::int64_t count) {
    if constexpr (sizeof(Item) == 2) {
      return best_keys<true, true>(items, count);
    } else {
      Item least = bounds.low();
      Item greatest = bounds.high();
      if (least == 0) least = signed_zero<true>(items, count);
      if (greatest == 0) greatest = signed_zero<false>(items, count);
      return {fold::ends_fold::low::key_of(least), fold::ends_fold::high::key_of(greatest)};
    }
  }
#endif

  std::ptrdiff_t ahead_ = no_prefetch;
  node_joiner<typename sums::state, max_span_level> tiles_{};
  ends_and_nans<Item> ends_;
};

/// node_folder for the summary of integers.
template <class Item>
class integer_summary_folder {
 public:
  using fold = summary_fold<Item>;

  explicit integer_summary_folder(const fold&) {}

  HWY_INLINE void add(const Item* items, std::int64_t count, std::int64_t index) {
    std::int64_t done = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
    if constexpr (has_block_sums_v<Item>) {
      done = count / 64 * 64;
      if (done > 0) {
        // Bytes soon reach both ends of their range; then no block can improve them.
        const bool all_known = sizeof(Item) == 1 && ends_.are_final();
        const auto block = all_known ? sum_block<extras::squares>(items, done)
                                     : sum_block<extras::squares_and_ends>(items, done);
        sums_.count += done;
        sums_.sum += block.sum;
        squares_ += block.squares;
        if (!all_known) ends_.add_known({block.low, block.high}, items, done, index);
      }
    }
#endif
    if (done == count) return;
    typename fold::sums_fold{}.absorb_run(sums_, items + done, count - done, index + done);
    ends_.add(items + done, count - done, index + done);
  }
  typename fold::state total() const {
    typename fold::sums_fold::state sums = sums_;
    sums.squares = monofold::add(sums.squares, widen(squares_));
    return {sums, ends_.ends(), ends_.nans()};
  }

 private:
  typename fold::sums_fold::state sums_{};
  uint128 squares_ = 0;  // of a node: far below 2^128
  ends_and_nans<Item> ends_;
};

template <class Item>
struct folder_choice<summary_fold<Item>, Item> {
  using type = std::conditional_t<is_floating_v<Item>, float_summary_folder<Item>,
                                  integer_summary_folder<Item>>;
};

namespace {

struct part_of_summary {
  template <class Fold>
  static answer finish(operation op, const Fold&, const typename Fold::state* state,
                       const answer_context& context) {
    switch (op) {
      case operation::nan:
        return nan_found::finish(op, typename Fold::nans_fold{}, state ? &state->nans : nullptr,
                                 context);
      case operation::sum:
      case operation::mean: return total(op, Fold{}, state, context);
      case operation::var:
      case operation::std:
        if (state == nullptr) return failed(op, status::empty_input);
        if constexpr (requires { state->sums.total; }) {
          return variance_answer(op, state->sums.moments, context.ddof);
        } else {
          return variance_answer(op, state->sums, context.ddof);
        }
      default:
        return extrema_answers<typename Fold::ends_fold>(
            op, state != nullptr ? state->ends : typename Fold::ends_fold{}.identity());
    }
  }

  template <class Item>
  static answer total(operation op, const summary_fold<Item>&,
                      const typename summary_fold<Item>::state* state,
                      const answer_context& context) {
    if constexpr (!is_floating_v<Item>) {
      return total_answer<Item>(op, state != nullptr ? &state->sums : nullptr);
    } else {
      if (op == operation::mean && state == nullptr) return failed(op, status::empty_input);
      const double sum = state != nullptr ? state->sums.total : 0.0;
      if (op == operation::sum) return one_number(op, one_nan(sum));
      return one_number(op, one_nan(sum / static_cast<double>(context.count)));
    }
  }
};

std::unique_ptr<member> make(const member_request& what) {
  if (what.kind != family::summary || what.omit_nan) return nullptr;
  return visit_dtype(what.type, [&]<class Item>() {
    return member_for<part_of_summary, Item>(summary_fold<Item>{});
  });
}

}  // namespace
}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace monofold::runtime {

HWY_EXPORT(make);

std::unique_ptr<member> make_summary_member(const member_request& what) {
  return HWY_DYNAMIC_DISPATCH(make)(what);
}

}  // namespace monofold::runtime
#endif
