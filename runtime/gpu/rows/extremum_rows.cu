/// runtime/gpu/rows/extremum_rows: the smallest and largest items of rows, and where they are.

#include "runtime/gpu/rows/row_pass_of.cuh"

namespace monofold::runtime {

std::unique_ptr<row_pass> make_extremum_row_pass(const row_question& what, const row_rules& rules) {
  if (what.op != operation::argmin && what.op != operation::argmax) return nullptr;
  if (what.to != what.type) return nullptr;
  return visit_words(what.type, [&]<class Word>(Word sign, Word infinite) {
    return make_row_pass_of<row_extremum_fold<Word>, Word>(
        extremum_fold_of<Word>(what, rules, sign, infinite));
  });
}

}  // namespace monofold::runtime
