/// runtime/gpu/rows/count_rows: sums of rows of integers, and counts of items of any type.

#include <type_traits>

#include "runtime/gpu/rows/row_pass_of.cuh"

namespace monofold::runtime {

std::unique_ptr<row_pass> make_count_row_pass(const row_question& what, const row_rules& rules) {
  const bool is_floating = monofold::info(what.type).is_floating;
  const bool is_sum = what.op == operation::sum || what.op == operation::mean;
  const bool is_logical =
      what.op == operation::any || what.op == operation::all || what.op == operation::nonzero;
  if (is_sum ? is_floating : !is_logical && (what.op != operation::nan || !is_floating)) {
    return nullptr;
  }
  // What is not zero may be NaN.
  if (is_logical && is_floating && (what.omit_nan || what.raise_nan)) return nullptr;
  return visit_words(what.type, [&]<class Word>(Word sign, Word infinite) {
    const auto magnitude = static_cast<Word>(infinite != 0 ? ~sign : ~Word{0});
    const Word limit = what.op == operation::nan ? infinite : Word{0};
    return make_row_pass_of<row_count_fold<Word>, Word>(
        row_count_fold<Word>{rules, sign, magnitude, limit, !is_sum});
  });
}

}  // namespace monofold::runtime
