#pragma once
/// fold/word_order: items as words whose masks say what the bits mean, and their ranks: the better the larger.

#include <cstdint>
#include <type_traits>

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

  Word turned;     // what else to flip where the highest bit is set
  Word based;      // what to flip in all
  Word moved;      // what to add: NaN, of both signs, are neighbours then, at one end
  Word first_nan;  // the least of them
  Word num_nan;    // 0: integers
  Word nan;        // the one that answers have
  Word outside;    // of least rank
  nan_place place;

  MONOFOLD_HD rank rank_of_nan() const {
    return place == nan_place::first ? static_cast<rank>(~rank{0}) : rank{0};
  }
  /// What a rank must be at least to count.
  MONOFOLD_HD rank least() const {
    return num_nan != 0 && place == nan_place::none ? rank{1} : rank{0};
  }

  /// A rank but for NaN, which `settled` makes equal: of several items it may wait until the best of them is found.
  MONOFOLD_HD rank unsettled(Word word) const {
    const auto negative =
        static_cast<Word>(Word{0} - static_cast<Word>(word >> (8 * sizeof(Word) - 1)));
    return static_cast<Word>(static_cast<Word>(word ^ (negative & turned) ^ based) + moved);
  }
  MONOFOLD_HD rank settled(rank own) const {
    const bool is_nan = static_cast<Word>(static_cast<Word>(own) - first_nan) < num_nan;
    return is_nan ? rank_of_nan() : own;
  }
  MONOFOLD_HD rank rank_of(Word word) const { return settled(unsettled(word)); }
  MONOFOLD_HD bool is_nan_rank(rank own) const { return num_nan != 0 && own == rank_of_nan(); }
  MONOFOLD_HD Word word_of(rank own) const {
    if (is_nan_rank(own)) return nan;
    const auto based_word =
        static_cast<Word>(static_cast<Word>(static_cast<Word>(own) - moved) ^ based);
    // Flipped or not, a word keeps its highest bit here.
    const auto negative =
        static_cast<Word>(Word{0} - static_cast<Word>(based_word >> (8 * sizeof(Word) - 1)));
    return static_cast<Word>(based_word ^ (negative & turned));
  }
};

/// `sign`: the highest bit where the type has signs; `infinite`: the bits of an infinity, 0 for integers.
template <class Word>
constexpr word_order<Word> word_order_of(Word sign, Word infinite, bool smallest, nan_place place) {
  using order = word_order<Word>;
  order own{};
  const Word flipped = smallest ? order::all_bits : Word{0};
  own.place = place;
  own.based = static_cast<Word>(sign ^ flipped);
  own.outside = own.based;
  if (infinite == 0) return own;
  // In ascending order NaN of the one sign come before all numbers, those of the other behind, whatever the direction.
  const auto of_a_sign = static_cast<Word>(static_cast<Word>(~sign) - infinite);
  own.turned = static_cast<Word>(~sign);
  own.num_nan = static_cast<Word>(2 * of_a_sign);
  own.moved = of_a_sign;
  const auto lowest_of_infinite = static_cast<Word>(infinite & (Word{0} - infinite));
  own.nan = static_cast<Word>(infinite | lowest_of_infinite >> 1);  // the quiet one
  own.outside = own.nan;
  if (place == nan_place::first) {
    own.moved = static_cast<Word>(Word{0} - of_a_sign);
    own.first_nan = static_cast<Word>(Word{0} - own.num_nan);
    own.outside = smallest ? infinite : static_cast<Word>(infinite | sign);
  }
  return own;
}

}  // namespace monofold::detail
