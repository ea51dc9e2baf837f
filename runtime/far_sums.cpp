#include "runtime/far_sums.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "monofold/engine/row_blocks.hpp"
#include "runtime/operation.hpp"
#include "runtime/pair_sums.hpp"
#include "runtime/stopping.hpp"

namespace monofold::runtime {

namespace {

bool are_taken(const request& what, rounding how, const array_rows& rows) {
  if (what.ops.size() != 1 || what.type != dtype::float64 || what.plain) return false;
  const operation op = what.ops.front();
  if (op != operation::sum && op != operation::mean) return false;
  if (what.nan != nan_policy::propagate || how == rounding::to_odd) return false;
  if (rows.row_items > pair_sums::most_items || !pair_sums::can_run()) return false;
  return rows.is_contiguous() || (rows.inner().stride == 1 && rows.num_reduced > 0);
}

}  // namespace

bool answer_far_doubles(const row_reducer& reducer, const neighbour_rows& some,
                        const array_rows& all, answer_sink& out,
                        const std::function<void(const neighbour_rows&)>& slowly) {
  const request& what = reducer.what();
  if (!are_taken(what, reducer.how(), all)) return false;
  const operation op = what.ops.front();
  const std::int64_t items = all.row_items;
  const std::int64_t width = std::min<std::int64_t>(some.width, pair_sums::most_rows);
  const std::int64_t pitch = all.inner().stride;
  pair_sums sums(width);
  std::vector<double> answers(static_cast<std::size_t>(width + 8));
  // Products with 1 are the items, without a rest.
  const std::vector<double> ones(static_cast<std::size_t>(all.is_contiguous() ? items : width),
                                 1.0);
  for (std::int64_t begin = 0; begin < some.width; begin += width) {
    stop_of_call.check();
    const std::int64_t here = std::min(width, some.width - begin);
    const double* const first = static_cast<const double*>(some.first) + begin * pitch;
    if (all.is_contiguous()) {
      sums.take<double>({first, pitch, ones.data(), 0}, here, items);
    } else {
      sums.clear(here);
      monofold::detail::row_walk walk(all, 0);
      for (std::int64_t i = 0; i < items; i += walk.items_left(), walk.next_stretch()) {
        sums.add<double>({first + walk.offset(), walk.stride(), ones.data(), 0}, walk.items_left(),
                         here);
      }
    }
    sums.finish(here, items, op == operation::mean ? items : 1, answers.data());
    const std::int64_t number = all.inner().number;
    for (std::int64_t c = 0; c < here;) {
      const bool is_known = !std::isnan(answers[static_cast<std::size_t>(c)]);
      std::int64_t end = c + 1;
      while (end < here && std::isnan(answers[static_cast<std::size_t>(end)]) != is_known) ++end;
      const std::int64_t row = some.row + (begin + c) * number;
      if (is_known) {
        out.keep_numbers({op, row, number, end - c, dtype::float64, answers.data() + c, nullptr});
      } else {
        slowly({first + c * pitch, row, static_cast<int>(end - c)});
      }
      c = end;
    }
  }
  return true;
}

}  // namespace monofold::runtime
