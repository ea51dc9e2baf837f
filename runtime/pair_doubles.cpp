#include "runtime/pair_doubles.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>

#include "runtime/pair_sums.hpp"
#include "runtime/stopping.hpp"

namespace monofold::runtime {

namespace {

constexpr std::int64_t most_copied = 1 << 12;  // of a row

class double_walker {
 public:
  double_walker(const row_reducer& reducer, const pair_groups& pairs, answer_sink& out)
      : reducer_(reducer),
        pairs_(pairs),
        items_(pairs.items()),
        is_by_rows_(pairs.are_in_place()),
        is_by_columns_(are_columns(pairs.rows().left) && are_columns(pairs.rows().right)),
        out_(out) {}

  bool fold() const {
    const std::int64_t most = is_by_rows_ || is_by_columns_ ? pair_sums::most_items : most_copied;
    if (items_ > most) return false;
    const std::int64_t width = width_of_groups();
    const pair_groups::list all(pairs_, width);
    pairs_.for_groups(all.count(), width * items_ * 2 * bytes,
                      [&](std::int64_t begin, std::int64_t end) {
                        room own(width, is_by_rows_ || is_by_columns_ ? 0 : items_);
                        for (std::int64_t g = begin; g < end; ++g) {
                          stop_of_call.check();
                          fold_group(all.left[g], all.right[g], own);
                        }
                      });
    return true;
  }

 private:
  using row_group = pair_groups::row_group;
  static constexpr std::int64_t bytes = sizeof(double);

  /// What a thread works with.
  struct room {
    room(std::int64_t width, std::int64_t copied)
        : sums(width), answers(width + 8), left(width * copied), right(width * copied) {}

    pair_sums sums;
    monofold::detail::heap_array<double> answers;
    monofold::detail::heap_array<double> left;
    monofold::detail::heap_array<double> right;
  };

  /// Whether neighbouring rows lie side by side in memory.
  static bool are_columns(const array_rows& rows) {
    return rows.inner().stride == bytes && rows.inner().extent > 1;
  }
  std::int64_t width_of_groups() const {
    const std::int64_t extent = pairs_.rows().left.inner().extent;
    if (is_by_rows_) return std::min(extent, pair_sums::most_rows);
    if (!is_by_columns_) {
      const std::int64_t fitting = monofold::detail::block_bytes / (2 * bytes * items_);
      return std::min(extent, std::clamp<std::int64_t>(fitting, 8, pair_sums::most_rows));
    }
    const std::int64_t threads = monofold::detail::concurrency(pairs_.num_threads());
    const std::int64_t share = (pairs_.rows().left.num_rows / threads + 7) / 8 * 8;
    return std::min(extent, std::clamp<std::int64_t>(share, 8, pair_sums::most_rows));
  }
  static const double* doubles_at(const char* from) {
    return reinterpret_cast<const double*>(from);
  }

  void fold_group(const row_group& left, const row_group& right, room& own) const {
    const array_rows& rows = pairs_.rows().left;
    if (is_by_rows_) {
      own.sums.take({doubles_at(left.first), rows.inner().stride / bytes, doubles_at(right.first),
                     pairs_.rows().right.inner().stride / bytes},
                    left.width, items_);
    } else {
      own.sums.clear(left.width);
      is_by_columns_ ? add_columns(left, right, own) : add_copies(left, right, own);
    }
    double* const answers = own.answers.data();
    own.sums.finish(left.width, items_, 1, answers);
    for (int c = 0; c < left.width; ++c) {
      if (answers[c] != answers[c]) answers[c] = answer_alone(left, right, c);
    }
    out_.keep_numbers({operation::dot, left.row, rows.inner().number, left.width, dtype::float64,
                       answers, nullptr});
  }
  void add_columns(const row_group& left, const row_group& right, room& own) const {
    monofold::detail::row_walk on_left(pairs_.rows().left, 0);
    monofold::detail::row_walk on_right(pairs_.rows().right, 0);
    for (std::int64_t i = 0; i < items_; on_left.next_stretch(), on_right.next_stretch()) {
      const std::int64_t n = on_left.items_left();
      own.sums.add({doubles_at(left.first + on_left.offset()), on_left.stride() / bytes,
                    doubles_at(right.first + on_right.offset()), on_right.stride() / bytes},
                   n, left.width);
      i += n;
    }
  }
  void add_copies(const row_group& left, const row_group& right, room& own) const {
    pairs_.gather(left, right, 0, items_, reinterpret_cast<char*>(own.left.data()),
                  reinterpret_cast<char*>(own.right.data()), left.width * bytes, bytes);
    own.sums.add({own.left.data(), left.width, own.right.data(), left.width}, items_, left.width);
  }

  /// The answer to a row of which the bound does not tell it.
  double answer_alone(const row_group& left, const row_group& right, int column) const {
    const monofold::detail::heap_array<double> pairs(2 * items_);
    pairs_.gather_pairs(pairs_.one_of(left, column, pairs_.rows().left),
                        pairs_.one_of(right, column, pairs_.rows().right), 0, items_,
                        reinterpret_cast<char*>(pairs.data()), 0);
    double zero = 0;
    if (are_zeros(pairs.data(), zero)) return zero;
    if (items_ <= reducer_.longest_row()) {
      answer out{operation::dot};
      reducer_.answer_rows({reinterpret_cast<const char*>(pairs.data()), 0, 1, items_}, &out);
      return std::get<double>(out.values[0]);
    }
    reducer one(reducer_.what());
    one.push(pairs.data(), items_);
    return std::get<double>(one.finish(reducer_.how()).front().values[0]);
  }
  /// Whether all products are zeros, as of rows that are empty but for a few: their sum is -0 where all are.
  bool are_zeros(const double* pairs, double& sum) const {
    sum = -0.0;
    for (std::int64_t i = 0; i < items_; ++i) {
      const double x = pairs[2 * i], y = pairs[2 * i + 1];
      if ((x != 0 && y != 0) || x - x != 0 || y - y != 0) return false;
      if (std::signbit(x) == std::signbit(y)) sum = 0;
    }
    return true;
  }

  const row_reducer& reducer_;
  const pair_groups& pairs_;
  std::int64_t items_;  // of a row
  bool is_by_rows_;
  bool is_by_columns_;
  answer_sink& out_;
};

}  // namespace

bool fold_pairs_of_doubles(const row_reducer& reducer, const pair_groups& pairs, answer_sink& out) {
  const request& what = reducer.what();
  if (what.type != dtype::float64 || what.plain || what.nan != nan_policy::propagate) return false;
  if (reducer.how() == rounding::to_odd || !pair_sums::can_run()) return false;
  return double_walker(reducer, pairs, out).fold();
}

}  // namespace monofold::runtime
