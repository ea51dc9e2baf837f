#pragma once
/// runtime/gpu/rows/row_extrema: the folds for the smallest and largest items of rows, by the bits of items.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/extrema.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/reduce_axis.cuh"
#include "runtime/gpu/rows/row_answers.cuh"
#include "runtime/gpu/rows/row_pass.hpp"

namespace monofold::runtime {

/// The first smallest or largest item, by keys of which the largest is the best: one less than all ones at most, which
/// stands for NaN.
template <class Word>
struct row_extremum_fold {
  using state = extremum<Word>;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  static constexpr Word nan_key = static_cast<Word>(~Word{0});

  row_rules rules;
  Word sign;      // the highest bit, of signed integers and of floats
  Word turned;    // the bits that negative floats have the other way round; the sign, of magnitudes
  Word infinite;  // of floats the bits of an infinity, else 0
  Word flipped;   // all bits, where the smallest is asked for
  Word worst;     // the item that no other is worse than

  MONOFOLD_HD bool is_nan_item(Word item) const {
    return infinite != 0 && static_cast<Word>(item & static_cast<Word>(~sign)) > infinite;
  }
  MONOFOLD_HD Word key_of(Word item) const {
    const bool is_negative = (item & sign) != 0;
    return static_cast<Word>(item ^ sign ^ (is_negative ? turned : Word{0}) ^ flipped);
  }
  MONOFOLD_HD Word item_of(Word key) const {
    const auto own = static_cast<Word>(key ^ flipped);
    const bool is_negative = (own & sign) == 0;
    return static_cast<Word>(own ^ sign ^ (is_negative ? turned : Word{0}));
  }
  MONOFOLD_HD state lift(Word item, std::int64_t index) const {
    if (is_nan_item(item)) return rules.omit_nan ? identity() : state{nan_key, index};
    return {key_of(item), index};
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    const bool is_right = right.key > left.key ||
                          (right.key == left.key && static_cast<std::uint64_t>(right.index) <
                                                        static_cast<std::uint64_t>(left.index));
    return is_right ? right : left;
  }
  MONOFOLD_HD state identity() const { return {0, -1}; }

  MONOFOLD_GPU row_answer finish(const state& s) const {
    const bool is_norm = rules.op == operation::norminf;
    if (s.index < 0) {
      return is_norm ? row_answer::of_real(0, rules.to) : row_answer::failed(status::empty_input);
    }
    Word item = item_of(s.key);
    if (infinite != 0 && s.key == nan_key) {
      if (rules.raise_nan) return row_answer::failed(status::nan_found);
      item = static_cast<Word>(infinite | (infinite & ~(infinite << 1)) >> 1);
    }
    // A device makes another double of a NaN that is a half.
    if (is_norm) return row_answer::of_real(one_nan(double_of(item)), rules.to);
    return {item, s.index, status::ok};
  }

 private:
  MONOFOLD_GPU double double_of(Word item) const {
    if constexpr (sizeof(Word) == 8) {
      return bits_as<double>(item);
    } else if constexpr (sizeof(Word) == 4) {
      return as_double(bits_as<float>(item));
    } else if constexpr (sizeof(Word) == 2) {
      return infinite == float_format<float16>::infinity ? as_double(float16(item))
                                                         : as_double(bfloat16(item));
    } else {
      return 0;  // no floating-point type is so short
    }
  }
};

/// The fold for an operation, from what the bits of an item mean.
template <class Word>
row_extremum_fold<Word> extremum_fold_of(const row_question& what, const row_rules& rules,
                                         Word sign, Word infinite) {
  const bool is_smallest = what.op == operation::min || what.op == operation::argmin;
  const bool is_norm = what.op == operation::norminf;
  const auto turned = static_cast<Word>(is_norm ? sign : infinite != 0 ? ~sign : 0);
  const auto flipped = static_cast<Word>(is_smallest ? ~Word{0} : 0);
  row_extremum_fold<Word> fold{rules, sign, turned, infinite, flipped, 0};
  if (infinite == 0 || (is_norm && !what.omit_nan)) {
    fold.worst = fold.item_of(0);
  } else if (what.omit_nan) {
    fold.worst = static_cast<Word>(infinite + 1);  // a NaN: no item, and an infinity would be one
  } else {
    fold.worst = static_cast<Word>(infinite | (is_smallest ? Word{0} : sign));
  }
  return fold;
}

/// Keys of items that are turned on a ring, where NaN of either sign are neighbours: NaN come last, or first where they
/// are left out, and tell in the end whether there was one.
template <class Word>
struct key_ring {
  Word first = 0;                           // the key that comes first
  Word most = static_cast<Word>(~Word{0});  // of numbers, as turned: above it are NaN
  Word least = 1;                           // below it are NaN that are left out

  MONOFOLD_HD static key_ring of(const row_extremum_fold<Word>& keys) {
    key_ring out;
    if (keys.infinite == 0) return out;
    const bool is_norm = keys.turned == keys.sign;
    const auto negative = static_cast<Word>(keys.infinite | keys.sign);
    const bool is_smallest = keys.flipped != 0;
    const Word low = is_norm ? Word{0} : is_smallest ? keys.infinite : negative;
    const Word high = is_smallest ? negative : keys.infinite;
    out.first = static_cast<Word>(keys.rules.omit_nan ? keys.key_of(high) + 1 : keys.key_of(low));
    out.least = static_cast<Word>(keys.key_of(low) - out.first);
    out.most = static_cast<Word>(keys.key_of(high) - out.first);
    return out;
  }
};

/// The same where places are not asked for: the key alone, which a warp exchanges by an instruction. Keys of short words
/// are turned.
///
/// source     one H200: maxima of rows of 8 and 16 bits take 0.82 to 0.91 of the time by turned keys. Longer words keep
///            the branch for NaN: without it the compiler puts each load next to where it is used, so that few are on
///            their way, and maxima of 100 x 1 000 000 float32 took 1.5 times as long
template <class Word>
struct row_best_fold {
  using state = std::conditional_t<sizeof(Word) == 8, std::uint64_t, std::uint32_t>;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  static constexpr bool are_turned = sizeof(Word) <= 2;

  row_extremum_fold<Word> keys;
  key_ring<Word> ring;

  MONOFOLD_HD explicit row_best_fold(const row_extremum_fold<Word>& own) : keys(own) {
    if (are_turned) ring = key_ring<Word>::of(own);
  }

  MONOFOLD_HD state lift(Word item, std::int64_t) const {
    if constexpr (are_turned) {
      using integer = std::make_signed_t<Word>;
      // All bits of negative floats; `turned` is 0 where the highest bit is no sign.
      const auto negative = static_cast<Word>(static_cast<integer>(item) >> (8 * sizeof(Word) - 1));
      return static_cast<Word>((item ^ keys.sign ^ (negative & keys.turned) ^ keys.flipped) -
                               ring.first);
    } else {
      if (keys.is_nan_item(item)) return keys.rules.omit_nan ? 0 : keys.nan_key;
      return keys.key_of(item);
    }
  }
  MONOFOLD_HD state combine(state left, state right) const { return left < right ? right : left; }
  MONOFOLD_HD state identity() const { return 0; }

  /// Keys below those of numbers are of a float's NaN: a row of NaN that are left out has one.
  MONOFOLD_HD bool needs_length() const { return keys.infinite == 0 || !keys.rules.omit_nan; }
  MONOFOLD_GPU row_answer answer(state found, std::int64_t count) const {
    const bool is_nothing = needs_length() ? count == 0 : found < ring.least;
    const auto key = static_cast<Word>(found + ring.first);
    return keys.finish({found > ring.most ? keys.nan_key : key, is_nothing ? -1 : 0});
  }

  /// How columns have keys, which are turned, see engine/gpu/segment/packed_across.
  MONOFOLD_GPU monofold::detail::packed_keys<Word> packed() const {
    return {static_cast<Word>(keys.sign ^ keys.flipped), keys.turned,
            static_cast<Word>(Word{0} - key_ring<Word>::of(keys).first)};
  }
  MONOFOLD_GPU state state_of_packed(Word key) const {
    if constexpr (are_turned) {
      return key;
    } else {
      const key_ring<Word> own = key_ring<Word>::of(keys);
      if (key > own.most) return keys.nan_key;
      return key < own.least ? 0 : key + own.first;
    }
  }
};

}  // namespace monofold::runtime

namespace monofold::detail {

template <class Word, class Sink>
struct slot_cells<runtime::row_extremum_fold<Word>, Word, Sink> {
  using F = runtime::row_extremum_fold<Word>;
  static constexpr bool is_one = true;
  static constexpr bool any_order = true;
  struct cell {
    Word key;
    std::int32_t at;
  };
  MONOFOLD_GPU static Word filler(const F& f) { return f.worst; }
  MONOFOLD_GPU static cell absent(const F&) { return {0, -1}; }
  MONOFOLD_GPU static cell take(const F& f, const Word& item, int i) {
    const auto own = f.lift(item, i);
    return {own.key, static_cast<std::int32_t>(own.index)};
  }
  MONOFOLD_GPU static cell join(const F&, const cell& a, const cell& b) {
    const bool is_b = b.key > a.key || (b.key == a.key && static_cast<std::uint32_t>(b.at) <
                                                              static_cast<std::uint32_t>(a.at));
    return {is_b ? b.key : a.key, is_b ? b.at : a.at};
  }
  MONOFOLD_GPU static typename F::state state_of(const F&, const cell& own, int) {
    return {own.key, own.at};
  }
};

template <class Word, class Sink>
struct slot_cells<runtime::row_best_fold<Word>, Word, Sink> {
  using F = runtime::row_best_fold<Word>;
  static constexpr bool is_one = true;
  static constexpr bool any_order = true;
  using cell = typename F::state;
  MONOFOLD_GPU static Word filler(const F& f) { return f.keys.worst; }
  MONOFOLD_GPU static cell absent(const F&) { return 0; }
  MONOFOLD_GPU static cell take(const F& f, const Word& item, int) { return f.lift(item, 0); }
  MONOFOLD_GPU static cell join(const F& f, cell a, cell b) { return f.combine(a, b); }
  MONOFOLD_GPU static cell state_of(const F&, cell own, int) { return own; }
};

}  // namespace monofold::detail
