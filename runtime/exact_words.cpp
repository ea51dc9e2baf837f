#include "runtime/exact_words.hpp"

#include <type_traits>
#include <utility>

#include "monofold/fold/exact/number.hpp"
#include "runtime/folder.hpp"
#include "runtime/member_folds.hpp"

namespace monofold::runtime {

namespace {

template <family kind, class Item>
using state_for = typename member_fold_t<kind, Item, nan_rule::propagate>::state;

/// Calls visit.operator()<State>() for the type of a member's states, which is one of an exact sum.
template <class Item, class Visit>
auto visit_state(family kind, const Visit& visit) {
  // States of one type hold the same: the rule about NaN is for the answer.
  static_assert(std::is_same_v<state_for<family::norm1, Item>, state_for<family::sum, Item>> &&
                std::is_same_v<state_for<family::norm2, Item>, state_for<family::dot, Item>>);
  switch (kind) {
    case family::moments: return visit.template operator()<state_for<family::moments, Item>>();
    case family::norm2:
    case family::dot: return visit.template operator()<state_for<family::dot, Item>>();
    default: return visit.template operator()<state_for<family::sum, Item>>();
  }
}

template <class Visit>
auto visit_state(family kind, dtype type, const Visit& visit) {
  switch (type) {
    case dtype::float32: return visit_state<float>(kind, visit);
    case dtype::float16: return visit_state<float16>(kind, visit);
    case dtype::bfloat16: return visit_state<bfloat16>(kind, visit);
    default: return visit_state<double>(kind, visit);
  }
}

// The sum of items in a state; never defined.
template <class Number>
Number number_in(const exact_state<Number>&);
template <class Item>
exact_sum_number<Item> number_in(const exact_moments_state<Item>&);

template <class State>
exact_layout layout_for(family kind, dtype type) {
  using number = decltype(number_in(std::declval<const State&>()));
  static_assert(std::is_trivially_copyable_v<State> && alignof(State) == 8);
  constexpr int words = sizeof(State) / 8;
  constexpr int sum_limbs = number::num_limbs;
  return {kind, type, sum_limbs, number::low_exponent,
          words - sum_limbs - exact_counts::num_counts};
}

/// own += other ^ flip + carry, some words; the carry out.
inline std::uint64_t add_limbs(std::uint64_t* own, const std::uint64_t* other, int count,
                               std::uint64_t flip, std::uint64_t carry) {
  const auto add = [&](int i) {
    own[i] = monofold::detail::add_limbs(own[i], other[i] ^ flip, carry);
  };
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    // Zeros and no carry, or all ones and a carry, change nothing and carry the same on.
    const std::uint64_t none = -carry ^ flip;
    const std::uint64_t any =
        (other[i] ^ none) | (other[i + 1] ^ none) | (other[i + 2] ^ none) | (other[i + 3] ^ none);
    if (any == 0) continue;
    for (int k = 0; k < 4; ++k) add(i + k);
  }
  for (; i < count; ++i) add(i);
  return carry;
}

/// own += other, or own -= other where all bits of `flip` are set.
void change_words(const exact_layout& layout, std::uint64_t* own, const std::uint64_t* other,
                  std::uint64_t flip) {
  const int after = layout.sum_limbs + exact_counts::num_counts;
  add_limbs(own, other, layout.sum_limbs, flip, flip & 1);
  for (int i = layout.sum_limbs; i < after; ++i) own[i] += (other[i] ^ flip) + (flip & 1);
  add_limbs(own + after, other + after, layout.square_limbs, flip, flip & 1);
}

bool are_zeros(const std::uint64_t* words, int count) {
  std::uint64_t any = 0;
  for (int i = 0; i < count; ++i) any |= words[i];
  return any == 0;
}

bool may_be(const exact_layout& layout, const std::uint64_t* words) {
  const exact_counts counts = counts_of(layout, words);
  if (!are_counts(counts)) return false;
  const int all = layout.num_words(), sum_limbs = layout.sum_limbs;
  const bool are_squares = layout.kind == family::norm1 || layout.kind == family::norm2;
  const int highest = layout.kind == family::moments ? all - 1 : are_squares ? sum_limbs - 1 : -1;
  if (highest >= 0 && words[highest] >> 63 != 0) return false;
  if (finite_items(counts) > 0) return true;
  const int after = sum_limbs + exact_counts::num_counts;
  return are_zeros(words, sum_limbs) && are_zeros(words + after, all - after);
}

}  // namespace

exact_layout exact_layout_of(family kind, dtype type) {
  const bool is_sum = kind == family::sum || kind == family::moments || kind == family::norm1 ||
                      kind == family::norm2 || kind == family::dot;
  if (!is_sum || !info(type).is_floating) return {};
  return visit_state(kind, type, [&]<class State>() { return layout_for<State>(kind, type); });
}

std::uint64_t* exact_words_of(const exact_layout& layout, state_box& state) {
  return visit_state(layout.kind, layout.type, [&]<class State>() {
    return reinterpret_cast<std::uint64_t*>(&static_cast<state_of<State>&>(state).value);
  });
}

monofold::detail::leading_number leading_of(const exact_layout& layout,
                                            const std::uint64_t* words) {
  const auto are_all = [](const std::uint64_t* four, std::uint64_t value) {
    return ((four[0] ^ value) | (four[1] ^ value) | (four[2] ^ value) | (four[3] ^ value)) == 0;
  };
  int first = 0, end = layout.sum_limbs;
  const std::uint64_t sign = words[end - 1] >> 63 != 0 ? ~std::uint64_t{0} : 0;
  // Limbs that only repeat the sign of the one below them, and zeros, four at a time: most of a sum are such.
  while (end > 4 && are_all(words + end - 4, sign) && (words[end - 5] ^ sign) >> 63 == 0) end -= 4;
  while (end - first > 4 && are_all(words + first, 0)) first += 4;
  return monofold::detail::leading_of(words + first, end - first, layout.low_exponent + 64 * first);
}

void add_words(const exact_layout& layout, std::uint64_t* own, const std::uint64_t* other) {
  change_words(layout, own, other, 0);
}

bool subtract_words(const exact_layout& layout, std::uint64_t* own, const std::uint64_t* part) {
  change_words(layout, own, part, ~std::uint64_t{0});
  if (may_be(layout, own)) return true;
  change_words(layout, own, part, 0);
  return false;
}

}  // namespace monofold::runtime
