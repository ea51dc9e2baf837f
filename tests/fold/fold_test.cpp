/// fold/fold: what counts as a fold, and for which items; asking is no error.

#include "monofold/fold/fold.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "monofold/monofold.hpp"

namespace {

namespace mf = monofold;

template <class Item, class F>
constexpr bool folds(const F&) {
  return mf::fold_on<F, Item>;
}

// Each lacks one thing that `complete` has.
struct complete {
  using state = int;
  state lift(int item, std::int64_t) const { return item; }
  state combine(state left, state right) const { return left + right; }
};
struct no_state {
  int lift(int item, std::int64_t) const { return item; }
  int combine(int left, int right) const { return left + right; }
};
struct no_index {
  using state = int;
  state lift(int item) const { return item; }
  state combine(state left, state right) const { return left + right; }
};
struct no_copy : complete {
  explicit no_copy(std::unique_ptr<int> own) : kept(std::move(own)) {}
  std::unique_ptr<int> kept;
};
struct changing_itself {
  using state = int;
  state lift(int item, std::int64_t) const { return item; }
  state combine(state left, state right) { return left + right; }
};

TEST(fold, is_what_has_all_members) {
  static_assert(mf::fold<complete, int>);
  static_assert(mf::fold<complete, char>);
  static_assert(!mf::fold<complete, std::string>);
  static_assert(!mf::fold<no_state, int>);
  static_assert(!mf::fold<no_index, int>);
  static_assert(!mf::fold<no_copy, int>);
  static_assert(!mf::fold<changing_itself, int>);
  static_assert(!mf::fold<int, int>);
  static_assert(!folds<int>(std::plus<>{}));
  static_assert(folds<int>(mf::ordered(std::plus<>{})));
  static_assert(folds<std::string>(mf::ordered(std::plus<>{})));
}

template <class Item>
constexpr bool every_number_fold() {
  return folds<Item>(mf::plain_sum_in<double>) && folds<Item>(mf::plain_sum) &&
         folds<Item>(mf::plain_mean) && folds<Item>(mf::product) &&
         folds<Item>(mf::plain_variance()) && folds<Item>(mf::plain_norm1) &&
         folds<Item>(mf::plain_norm2) && folds<Item>(mf::norm_inf) && folds<Item>(mf::min) &&
         folds<Item>(mf::argmax) && folds<Item>(mf::extrema) && folds<Item>(mf::top(3)) &&
         folds<Item>(mf::any_of) && folds<mf::item_pair<Item, Item>>(mf::plain_dot);
}

template <class Item>
constexpr bool some_number_fold() {
  return folds<Item>(mf::plain_sum_in<double>) || folds<Item>(mf::plain_sum) ||
         folds<Item>(mf::plain_mean) || folds<Item>(mf::product) ||
         folds<Item>(mf::plain_variance()) || folds<Item>(mf::plain_norm1) ||
         folds<Item>(mf::plain_norm2) || folds<Item>(mf::norm_inf) || folds<Item>(mf::min) ||
         folds<Item>(mf::argmax) || folds<Item>(mf::extrema) || folds<Item>(mf::top(3)) ||
         folds<Item>(mf::any_of) || folds<mf::item_pair<Item, int>>(mf::plain_dot) ||
         folds<Item>(mf::plain_dot) || folds<Item>(mf::bit_xor);
}

TEST(fold, families_are_defined_for_numbers_of_up_to_64_bits) {
  static_assert(every_number_fold<bool>() && every_number_fold<std::int8_t>());
  static_assert(every_number_fold<std::int64_t>() && every_number_fold<std::uint64_t>());
  static_assert(every_number_fold<mf::float16>() && every_number_fold<mf::bfloat16>());
  static_assert(every_number_fold<float>() && every_number_fold<double>());
  static_assert(!some_number_fold<std::string>() && !some_number_fold<int*>());
  // The largest item of {-1, -2} would be sought among keys that are no order of long double.
  static_assert(!some_number_fold<long double>());
  static_assert(folds<bool>(mf::bit_and) && folds<std::uint64_t>(mf::bit_or));
  static_assert(!folds<float>(mf::bit_and) && !folds<mf::float16>(mf::bit_xor));
  static_assert(folds<std::string>(mf::count));
}

TEST(fold, adapters_and_all_are_defined_where_their_members_are) {
  const auto length = [](const std::string& text) { return static_cast<int>(text.size()); };
  const auto is_short = [](const std::string& text) { return text.size() < 9; };
  static_assert(folds<std::string>(mf::plain_sum_in<double> | mf::map(length)));
  static_assert(
      folds<std::string>(mf::plain_sum_in<double> | mf::map(length) | mf::where(is_short)));
  static_assert(folds<std::string>(mf::count | mf::where(is_short)));
  static_assert(!folds<int>(mf::plain_sum_in<double> | mf::map(length)));
  static_assert(!folds<std::string>(mf::plain_sum_in<double> | mf::where(is_short)));
  static_assert(!folds<int>(mf::plain_sum_in<double> | mf::where(length)));
  static_assert(folds<int>(mf::all(mf::plain_sum_in<double>, mf::bit_or)));
  static_assert(!folds<double>(mf::all(mf::plain_sum_in<double>, mf::bit_or)));
  static_assert(folds<std::string>(mf::all(mf::plain_sum_in<double>, mf::max) | mf::map(length)));
  static_assert(!folds<std::string>(mf::all(mf::plain_sum_in<double>, mf::count)));
}

}  // namespace
