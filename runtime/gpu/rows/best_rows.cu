/// runtime/gpu/rows/best_rows: the smallest and largest items of rows, and the largest magnitudes of floating-point ones.

#include "runtime/gpu/rows/row_pass_of.cuh"

namespace monofold::runtime {

std::unique_ptr<row_pass> make_best_row_pass(const row_question& what, const row_rules& rules) {
  using enum operation;
  const bool is_norm = what.op == norminf;
  if (!is_norm && what.op != min && what.op != max) return nullptr;
  if (is_norm ? !monofold::info(what.type).is_floating : what.to != what.type) return nullptr;
  return visit_words(what.type, [&]<class Word>(Word sign, Word infinite) {
    return make_row_pass_of<row_best_fold<Word>, Word>(
        row_best_fold<Word>(extremum_fold_of<Word>(what, rules, sign, infinite)));
  });
}

}  // namespace monofold::runtime
