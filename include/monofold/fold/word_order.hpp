#pragma once
/// fold/word_order: items as words whose masks say what the bits mean, and their ranks: the better the larger.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/nan.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// What becomes of NaN among the best: last, left out, or first, so that whoever refuses NaN sees one.
enum class nan_place { last, none, first };

/// The order of the items of a type of so many bits, by masks: one kernel serves them all, in both directions.
/// Ranks are those of `top_rank`: NaN, all of them, have rank 0, as the worst integer has.
template <class Word>
struct word_order {
  using rank = std::conditional_t<sizeof(Word) <= 4, std::uint32_t, std::uint64_t>;
  static constexpr auto all_bits = static_cast<Word>(~Word{0});

  Word sign;       // the highest bit, where the type has signs
  Word turned;     // what to flip where it is set
  Word flipped;    // all bits where the smallest are the best
  Word magnitude;  // the bits that tell a NaN: they are more than `infinite`
  Word infinite;
  Word nan;      // the one that answers have
  Word outside;  // of least rank
  nan_place place;

  MONOFOLD_HD bool has_nan() const { return magnitude != all_bits; }
  MONOFOLD_HD rank rank_of_nan() const {
    return place == nan_place::first ? static_cast<rank>(~rank{0}) : rank{0};
  }
  /// What a rank must be at least to count.
  MONOFOLD_HD rank least() const {
    return has_nan() && place == nan_place::none ? rank{1} : rank{0};
  }

  MONOFOLD_HD rank rank_of(Word word) const {
    const auto ascending = static_cast<Word>(word ^ ((word & sign) != 0 ? turned : sign));
    const auto own = static_cast<rank>(static_cast<Word>(ascending ^ flipped));
    return static_cast<Word>(word & magnitude) > infinite ? rank_of_nan() : own;
  }
  MONOFOLD_HD bool is_nan_rank(rank own) const { return has_nan() && own == rank_of_nan(); }
  MONOFOLD_HD Word word_of(rank own) const {
    if (is_nan_rank(own)) return nan;
    const auto ascending = static_cast<Word>(static_cast<Word>(own) ^ flipped);
    return static_cast<Word>(ascending ^ ((ascending & sign) != 0 ? sign : turned));
  }
};

/// `sign`: the highest bit where the type has signs; `infinite`: the bits of an infinity, 0 for integers.
template <class Word>
constexpr word_order<Word> word_order_of(Word sign, Word infinite, bool smallest, nan_place place) {
  using order = word_order<Word>;
  order own{};
  own.sign = sign;
  own.flipped = smallest ? order::all_bits : Word{0};
  own.place = place;
  own.turned = infinite != 0 ? order::all_bits : sign;
  own.magnitude = infinite != 0 ? static_cast<Word>(~sign) : order::all_bits;
  own.infinite = infinite != 0 ? infinite : order::all_bits;
  const auto lowest_of_infinite = static_cast<Word>(infinite & (Word{0} - infinite));
  own.nan = static_cast<Word>(infinite | lowest_of_infinite >> 1);  // the quiet one
  const Word worst_float = smallest ? infinite : static_cast<Word>(infinite | sign);
  own.outside = infinite == 0               ? static_cast<Word>(own.flipped ^ sign)
                : place == nan_place::first ? worst_float
                                            : own.nan;
  return own;
}

}  // namespace monofold::detail
