#include "runtime/compensated_pairs.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "monofold/platform/strict_arithmetic.hpp"
#include "runtime/pair_sums.hpp"
#include "runtime/stopping.hpp"
#include "runtime/zero_products.hpp"

namespace monofold::runtime {

namespace {

constexpr std::int64_t most_copied = 1 << 12;   // items of a row
constexpr std::int64_t most_at_once = 1 << 12;  // items of columns, between looks whether to stop
constexpr int most_slow = 16;                   // rows that are copied together then

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
    // A thread takes a group alone.
    const std::int64_t threads = monofold::detail::concurrency(pairs_.num_threads());
    if (items_ > reducer_.longest_row() && all.count() < threads) return false;
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

  /// What a thread needs for rows of which the bound does not tell the sum.
  struct slow_room {
    slow_room(const request& what, std::int64_t width) : zeros(width), one(what) {}

    zero_products<Item> zeros;
    reducer one;  // answers about a row alone
    std::vector<Item> pairs{};
    std::vector<answer> found{static_cast<std::size_t>(most_slow), answer{operation::dot}};
  };
  /// What a thread works with.
  struct room {
    room(std::int64_t width, std::int64_t copied)
        : sums(width), answers(width + 8), left(width * copied), right(width * copied) {}

    pair_sums sums;
    monofold::detail::heap_array<Real> answers;
    monofold::detail::heap_array<Item> left;
    monofold::detail::heap_array<Item> right;
    std::optional<slow_room> slow{};
  };

  /// Whether neighbouring rows lie side by side in memory.
  static bool are_columns(const array_rows& rows) {
    return rows.inner().stride == bytes && rows.inner().extent > 1;
  }
  std::int64_t width_of_groups() const {
    const std::int64_t extent = pairs_.rows().left.inner().extent;
    const std::int64_t fitting = monofold::detail::block_bytes / (2 * bytes * items_);
    const auto clamped = [&](std::int64_t width, std::int64_t least) {
      return std::min(extent, std::clamp(width, least, pair_sums::most_rows));
    };
    if (is_by_rows_) return clamped(fitting, 1);
    if (!is_by_columns_) return clamped(fitting, 8);
    const std::int64_t threads = monofold::detail::concurrency(pairs_.num_threads());
    return clamped((pairs_.rows().left.num_rows / threads + 7) / 8 * 8, 8);
  }
  std::int64_t left_step() const { return pairs_.rows().left.inner().stride / bytes; }
  std::int64_t right_step() const { return pairs_.rows().right.inner().stride / bytes; }
  static const Item* items_at(const char* from) { return reinterpret_cast<const Item*>(from); }

  void fold_group(const row_group& left, const row_group& right, room& own) const {
    Real* const answers = own.answers.data();
    if (items_ == 1 && sizeof(Item) <= sizeof(Real)) {
      multiply(left, right, answers);
    } else {
      sum_products(left, right, own);
      answer_unknown(left, right, own);
    }
    out_.keep_numbers({operation::dot, left.row, pairs_.rows().left.inner().number, left.width,
                       real_type, answers, nullptr});
  }
  /// Rows of one pair, whose product is rounded once; each NaN is the quiet one.
  void multiply(const row_group& left, const row_group& right, Real* out) const {
    const monofold::strict_arithmetic arithmetic;
    for (int c = 0; c < left.width; ++c) {
      const double x = items_at(left.first)[c * left_step()];
      const double product = x * items_at(right.first)[c * right_step()];
      out[c] =
          product == product ? static_cast<Real>(product) : std::numeric_limits<Real>::quiet_NaN();
    }
  }
  void sum_products(const row_group& left, const row_group& right, room& own) const {
    if (is_by_rows_) {
      own.sums.template take<Item>(
          {items_at(left.first), left_step(), items_at(right.first), right_step()}, left.width,
          items_);
    } else {
      own.sums.clear(left.width);
      if (!is_by_columns_) {
        pairs_.gather(left, right, 0, items_, reinterpret_cast<char*>(own.left.data()),
                      reinterpret_cast<char*>(own.right.data()), left.width * bytes, bytes);
      }
      for_columns(left, right, own, [&](const factors<Item>& columns, std::int64_t count) {
        own.sums.add(columns, count, left.width);
      });
    }
    own.sums.finish(left.width, items_, 1, own.answers.data());
  }
  /// Calls use(columns, count) for items of all rows of a group, some at a time.
  template <class Use>
  void for_columns(const row_group& left, const row_group& right, const room& own,
                   const Use& use) const {
    if (!is_by_columns_) {
      return use(factors<Item>{own.left.data(), left.width, own.right.data(), left.width}, items_);
    }
    monofold::detail::row_walk on_left(pairs_.rows().left, 0);
    monofold::detail::row_walk on_right(pairs_.rows().right, 0);
    for (std::int64_t i = 0; i < items_; on_left.next_stretch(), on_right.next_stretch()) {
      const std::int64_t n = on_left.items_left();
      for (std::int64_t at = 0; at < n; at += most_at_once) {
        stop_of_call.check();
        use(factors<Item>{items_at(left.first + on_left.offset() + at * on_left.stride()),
                          on_left.stride() / bytes,
                          items_at(right.first + on_right.offset() + at * on_right.stride()),
                          on_right.stride() / bytes},
            std::min(most_at_once, n - at));
      }
      i += n;
    }
  }

  /// Answers to rows of which the bound does not tell them.
  void answer_unknown(const row_group& left, const row_group& right, room& own) const {
    Real* const answers = own.answers.data();
    const auto is_unknown = [&](int c) { return answers[c] != answers[c]; };
    int unknown = 0, zeros = 0;
    for (int c = 0; c < left.width; ++c) unknown += is_unknown(c) ? 1 : 0;
    if (unknown == 0) return;
    if (!own.slow) own.slow.emplace(reducer_.what(), width_of_groups());
    for (int c = 0; c < left.width; ++c) zeros += own.sums.has_zeros(c) ? 1 : 0;
    if (zeros > 0) {
      own.slow->zeros.clear();
      if (!is_by_rows_) {
        for_columns(left, right, own, [&](const factors<Item>& columns, std::int64_t count) {
          own.slow->zeros.add(columns.left, columns.left_step, columns.right, columns.right_step,
                              count, left.width);
        });
      }
      for (int c = 0; c < left.width; ++c) {
        if (!own.sums.has_zeros(c)) continue;
        if (is_by_rows_) {
          own.slow->zeros.add_row(c, items_at(left.first) + c * left_step(),
                                  items_at(right.first) + c * right_step(), items_);
        }
        if (own.slow->zeros.are_all(c)) answers[c] = static_cast<Real>(own.slow->zeros.sum(c));
      }
    }
    for (int c = 0; c < left.width;) {
      int end = c;
      while (end < left.width && end - c < most_slow && is_unknown(end)) ++end;
      if (end > c) answer_slowly(left, right, c, end, own);
      c = std::max(end, c + 1);
    }
  }
  /// The answers to rows [begin, end) of a group.
  void answer_slowly(const row_group& left, const row_group& right, int begin, int end,
                     room& own) const {
    const monofold::strict_arithmetic arithmetic;  // for subnormal answers
    const row_group on_left = some_of(left, begin, end, pairs_.rows().left);
    const row_group on_right = some_of(right, begin, end, pairs_.rows().right);
    Real* const answers = own.answers.data() + begin;
    slow_room& slow = *own.slow;
    if ((is_by_rows_ && items_ >= pair_groups::least_alone) || items_ > reducer_.longest_row()) {
      for (int c = 0; c < end - begin; ++c) {
        const char* l = on_left.first + c * left_step() * bytes;
        const char* r = on_right.first + c * right_step() * bytes;
        if (!is_by_rows_) {
          slow.pairs.resize(static_cast<std::size_t>(2 * items_));
          auto* const to = reinterpret_cast<char*>(slow.pairs.data());
          pairs_.gather(some_of(on_left, c, c + 1, pairs_.rows().left),
                        some_of(on_right, c, c + 1, pairs_.rows().right), 0, items_, to,
                        to + items_ * bytes, bytes, 0);
          l = to;
          r = to + items_ * bytes;
        }
        answers[c] = real_of(slow.one.answers_about_pairs(l, r, items_, reducer_.how()).front());
      }
      return;
    }
    slow.pairs.resize(static_cast<std::size_t>(2 * items_ * most_slow));
    auto* const to = reinterpret_cast<char*>(slow.pairs.data());
    const std::int64_t pitch = 2 * items_ * bytes;
    pairs_.gather_pairs(on_left, on_right, 0, items_, to, pitch);
    reducer_.answer_rows({to, pitch, end - begin, items_}, slow.found.data());
    for (int c = 0; c < end - begin; ++c) {
      answers[c] = real_of(slow.found[static_cast<std::size_t>(c)]);
    }
  }
  row_group some_of(const row_group& group, int begin, int end, const array_rows& side) const {
    return {group.first + begin * side.inner().stride, pairs_.row_of(group, begin), end - begin};
  }
  static Real real_of(const answer& found) {
    return std::visit([](const auto& x) { return static_cast<Real>(x); }, found.values[0]);
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
