/// runtime/gpu/rows/extremum_rows: the smallest and largest items of rows, and where they are; the largest magnitudes of
/// floating-point ones.

#include "runtime/gpu/rows/row_pass_of.cuh"

namespace monofold::runtime {

std::unique_ptr<row_pass> make_extremum_row_pass(const row_question& what, const row_rules& rules) {
  using enum operation;
  const bool is_smallest = what.op == min || what.op == argmin;
  const bool is_norm = what.op == norminf;
  if (!is_smallest && !is_norm && what.op != max && what.op != argmax) return nullptr;
  if (is_norm ? !monofold::info(what.type).is_floating : what.to != what.type) return nullptr;
  return visit_words(what.type, [&]<class Word>(Word sign, Word infinite) {
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
    return make_row_pass_of<row_extremum_fold<Word>, Word>(fold);
  });
}

}  // namespace monofold::runtime
