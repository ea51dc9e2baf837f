/// runtime/gpu/rows/count_rows: sums of rows of integers, and counts of items of any type.

#include <type_traits>

#include "runtime/gpu/rows/row_pass_of.cuh"

namespace monofold::runtime {

std::unique_ptr<row_pass> make_count_row_pass(const row_question& what, const row_rules& rules) {
  const bool is_floating = monofold::info(what.type).is_floating;
  const bool is_sum = what.op == operation::sum || what.op == operation::mean;
  const bool is_logical =
      what.op == operation::any || what.op == operation::all || what.op == operation::nonzero;
  const bool is_nan_count = what.op == operation::nan || what.op == operation::count;
  if (is_sum ? is_floating : !is_logical && !is_nan_count) return nullptr;
  // What is not zero may be NaN.
  if (is_logical && is_floating && (what.omit_nan || what.raise_nan)) return nullptr;
  return visit_words(what.type, [&]<class Word>(Word sign, Word infinite) {
    const auto magnitude = static_cast<Word>(infinite != 0 ? ~sign : ~Word{0});
    // Items are counted but those that are left out. None is above all bits.
    const bool finds_nan = infinite != 0 && (what.op == operation::nan || what.omit_nan);
    const Word bits_of_nan = finds_nan ? infinite : static_cast<Word>(~Word{0});
    const Word limit = is_nan_count ? bits_of_nan : Word{0};
    return make_row_pass_of<row_count_fold<Word>, Word>(
        row_count_fold<Word>{rules, sign, magnitude, limit, !is_sum});
  });
}

}  // namespace monofold::runtime
