#include "runtime/compensated_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <variant>

#include "monofold/platform/strict_arithmetic.hpp"
#include "runtime/pair_sums.hpp"
#include "runtime/stopping.hpp"

namespace monofold::runtime {

namespace {

constexpr std::int64_t most_copied = 1 << 12;  // of a row

/// Folds rows of such items, and rounds the answers to such numbers.
template <class Item, class Real>
class compensated_walker {
 public:
  compensated_walker(const row_reducer& reducer, const pair_groups& pairs, answer_sink& out)
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
  static constexpr std::int64_t bytes = sizeof(Item);
  static constexpr dtype real_type = sizeof(Real) == 8 ? dtype::float64 : dtype::float32;

  /// What a thread works with.
  struct room {
    room(std::int64_t width, std::int64_t copied)
        : sums(width), answers(width + 8), left(width * copied), right(width * copied) {}

    pair_sums sums;
    monofold::detail::heap_array<Real> answers;
    monofold::detail::heap_array<Item> left;
    monofold::detail::heap_array<Item> right;
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
  static const Item* items_at(const char* from) { return reinterpret_cast<const Item*>(from); }

  void fold_group(const row_group& left, const row_group& right, room& own) const {
    Real* const answers = own.answers.data();
    if (items_ == 1 && sizeof(Item) <= sizeof(Real)) {
      multiply(left, right, answers);
    } else {
      sum_products(left, right, own);
      for (int c = 0; c < left.width; ++c) {
        if (answers[c] != answers[c]) answers[c] = answer_alone(left, right, c);
      }
    }
    out_.keep_numbers({operation::dot, left.row, pairs_.rows().left.inner().number, left.width,
                       real_type, answers, nullptr});
  }
  /// Rows of one pair, whose product is rounded once; each NaN is the quiet one.
  void multiply(const row_group& left, const row_group& right, Real* out) const {
    const monofold::strict_arithmetic arithmetic;
    const std::int64_t left_step = pairs_.rows().left.inner().stride / bytes;
    const std::int64_t right_step = pairs_.rows().right.inner().stride / bytes;
    for (int c = 0; c < left.width; ++c) {
      const double x = items_at(left.first)[c * left_step];
      const double product = x * items_at(right.first)[c * right_step];
      out[c] =
          product == product ? static_cast<Real>(product) : std::numeric_limits<Real>::quiet_NaN();
    }
  }
  void sum_products(const row_group& left, const row_group& right, room& own) const {
    const array_rows& rows = pairs_.rows().left;
    if (is_by_rows_) {
      own.sums.template take<Item>(
          {items_at(left.first), rows.inner().stride / bytes, items_at(right.first),
           pairs_.rows().right.inner().stride / bytes},
          left.width, items_);
    } else {
      own.sums.clear(left.width);
      is_by_columns_ ? add_columns(left, right, own) : add_copies(left, right, own);
    }
    own.sums.finish(left.width, items_, 1, own.answers.data());
  }
  void add_columns(const row_group& left, const row_group& right, room& own) const {
    monofold::detail::row_walk on_left(pairs_.rows().left, 0);
    monofold::detail::row_walk on_right(pairs_.rows().right, 0);
    for (std::int64_t i = 0; i < items_; on_left.next_stretch(), on_right.next_stretch()) {
      const std::int64_t n = on_left.items_left();
      own.sums.template add<Item>(
          {items_at(left.first + on_left.offset()), on_left.stride() / bytes,
           items_at(right.first + on_right.offset()), on_right.stride() / bytes},
          n, left.width);
      i += n;
    }
  }
  void add_copies(const row_group& left, const row_group& right, room& own) const {
    pairs_.gather(left, right, 0, items_, reinterpret_cast<char*>(own.left.data()),
                  reinterpret_cast<char*>(own.right.data()), left.width * bytes, bytes);
    own.sums.template add<Item>({own.left.data(), left.width, own.right.data(), left.width}, items_,
                                left.width);
  }

  /// The answer to a row of which the bound does not tell it.
  Real answer_alone(const row_group& left, const row_group& right, int column) const {
    const monofold::detail::heap_array<Item> pairs(2 * items_);
    pairs_.gather_pairs(pairs_.one_of(left, column, pairs_.rows().left),
                        pairs_.one_of(right, column, pairs_.rows().right), 0, items_,
                        reinterpret_cast<char*>(pairs.data()), 0);
    Real zero = 0;
    if (are_zeros(pairs.data(), zero)) return zero;
    if (items_ <= reducer_.longest_row()) {
      answer out{operation::dot};
      reducer_.answer_rows({reinterpret_cast<const char*>(pairs.data()), 0, 1, items_}, &out);
      return real_of(out);
    }
    reducer one(reducer_.what());
    one.push(pairs.data(), items_);
    return real_of(one.finish(reducer_.how()).front());
  }
  static Real real_of(const answer& found) {
    return std::visit([](const auto& x) { return static_cast<Real>(x); }, found.values[0]);
  }
  /// Whether all products are zeros, as of rows that are empty but for a few: their sum is -0 where all are.
  bool are_zeros(const Item* pairs, Real& sum) const {
    sum = Real{-0.0};
    for (std::int64_t i = 0; i < items_; ++i) {
      const Item x = pairs[2 * i], y = pairs[2 * i + 1];
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

bool fold_compensated(const row_reducer& reducer, const pair_groups& pairs, answer_sink& out) {
  const request& what = reducer.what();
  if ((what.type != dtype::float64 && what.type != dtype::float32) || what.plain) return false;
  if (what.nan != nan_policy::propagate || !pair_sums::can_run()) return false;
  const auto fold = [&]<class Real>(Real) {
    return what.type == dtype::float64
               ? compensated_walker<double, Real>(reducer, pairs, out).fold()
               : compensated_walker<float, Real>(reducer, pairs, out).fold();
  };
  if (reducer.how() != rounding::to_odd) return fold(double{});
  // Halves are rounded once, too, of what is known more of than a float.
  return out.place_of(dtype::float32, 0) != nullptr && fold(float{});
}

}  // namespace monofold::runtime
