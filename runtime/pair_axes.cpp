#include "runtime/pair_axes.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "monofold/engine/pair_axes.hpp"
#include "monofold/platform/strict_arithmetic.hpp"
#include "runtime/axis_reducer.hpp"
#include "runtime/compensated_pairs.hpp"
#include "runtime/lane_rows.hpp"
#include "runtime/pair_groups.hpp"
#include "runtime/raw_items.hpp"
#include "runtime/reducer.hpp"

namespace monofold::runtime {

namespace {

/// Hands on answers of neighbouring rows as those of rows of the whole.
class part_of_rows final : public answer_sink {
 public:
  part_of_rows(answer_sink& whole, std::int64_t first, std::int64_t apart)
      : whole_(whole), first_(first), apart_(apart) {}

  void keep(std::int64_t row, const answer* answers) override {
    whole_.keep(first_ + row * apart_, answers);
  }
  void keep_numbers(const number_run& run) override {
    number_run moved = run;
    moved.op = operation::dot;
    moved.row = first_ + run.row * apart_;
    moved.apart = run.apart * apart_;
    whole_.keep_numbers(moved);
  }
  void* place_of(dtype type, std::int64_t row) override {
    return apart_ == 1 ? whole_.place_of(type, first_ + row) : nullptr;
  }

 private:
  answer_sink& whole_;
  std::int64_t first_;
  std::int64_t apart_;
};

/// Sums of products: what a thread needs to fold a block of them.
request sums_of_products(const request& dot) {
  request sums = dot;
  sums.type = dtype::float64;
  sums.ops = {operation::sum};
  sums.num_threads = 1;
  return sums;
}

/// Folds the rows of two arrays.
class pair_walker {
 public:
  using row_group = pair_groups::row_group;

  pair_walker(const row_reducer& reducer, const pair_groups& pairs, answer_sink& out)
      : reducer_(reducer),
        pairs_(pairs),
        rows_(pairs.rows()),
        bytes_(pairs.item_bytes()),
        tile_(tile_items_of(static_cast<int>(2 * bytes_))),
        items_(pairs.items()),
        is_in_place_(pairs.are_in_place()),
        out_(out) {}

  void fold() const {
    const bool are_few = rows_.left.num_rows < monofold::detail::concurrency(pairs_.num_threads());
    if (are_few && items_ > reducer_.longest_row()) return fold_few();
    if (is_in_place_ && items_ >= pair_groups::least_alone) return fold_in_place();
    if (has_exact_products() && items_ <= most_multiplied) return fold_products();
    if (items_ <= 4 * tile_) return fold_short();
    fold_long();
  }

 private:
  static constexpr std::int64_t gap_bytes = 64;  // between rows that are copied: see engine/axes

  // Some columns of so many products fill a second-level cache.
  static constexpr std::int64_t most_multiplied = 4096;
  static constexpr std::int64_t most_rows = 4096;  // that are multiplied together

  using groups = pair_groups::list;

  void fold_in_place() const {
    const reducer one(reducer_.what());
    const groups all(pairs_, 1);
    pairs_.for_groups(all.count(), 2 * items_ * bytes_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const row_group left = all.left[r];
        out_.keep(
            left.row,
            one.answers_about_pairs(left.first, all.right[r].first, items_, reducer_.how()).data());
      }
    });
  }

  /// Whether a row is one of doubles: these hold all products, and as many of them make a tile as of pairs.
  bool has_exact_products() const {
    const request& what = reducer_.what();
    return what.type == dtype::float32 && what.nan == nan_policy::propagate;
  }

  /// Products of neighbouring rows, as their items lie: row by row, or one of each column after the other.
  void multiply(const row_group& left, const row_group& right, double* out) const {
    std::optional<strict_arithmetic> arithmetic;  // plain sums round as the caller's do
    if (!reducer_.what().plain) arithmetic.emplace();
    monofold::detail::row_walk on_left(rows_.left, 0);
    monofold::detail::row_walk on_right(rows_.right, 0);
    const std::int64_t step = is_in_place_ ? 1 : left.width;
    const std::int64_t pitch = is_in_place_ ? items_ : 1;
    const auto inner = [](const row_group& of, const monofold::detail::row_walk& walk) {
      return reinterpret_cast<const float*>(of.first + walk.offset());
    };
    const std::int64_t left_apart = rows_.left.inner().stride / bytes_;
    const std::int64_t right_apart = rows_.right.inner().stride / bytes_;
    for (std::int64_t i = 0; i < items_; on_left.next_stretch(), on_right.next_stretch()) {
      const std::int64_t n = on_left.items_left();
      const std::int64_t left_stride = on_left.stride() / bytes_;
      const std::int64_t right_stride = on_right.stride() / bytes_;
      const float* const l = inner(left, on_left);
      const float* const r = inner(right, on_right);
      if (is_in_place_) {
        for (int c = 0; c < left.width; ++c) {
          multiply_some(l + c * left_apart, 1, r + c * right_apart, 1, n, out + c * pitch);
        }
      } else {
        for (std::int64_t k = 0; k < n; ++k) {
          multiply_some(l + k * left_stride, left_apart, r + k * right_stride, right_apart,
                        left.width, out + (i + k) * step);
        }
      }
      i += n;
    }
  }
  static void multiply_some(const float* left, std::int64_t left_stride, const float* right,
                            std::int64_t right_stride, std::int64_t count, double* out) {
    if (left_stride == 1 && right_stride == 1) {
      for (std::int64_t i = 0; i < count; ++i) out[i] = double{left[i]} * double{right[i]};
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        out[i] = double{left[i * left_stride]} * double{right[i * right_stride]};
      }
    }
  }

  void fold_products() const {
    const std::int64_t row_bytes = items_ * static_cast<std::int64_t>(sizeof(double));
    const std::int64_t most =
        std::clamp<std::int64_t>(monofold::detail::block_bytes / row_bytes, 1, most_rows);
    const std::int64_t width =
        is_in_place_ ? std::min(most, rows_.left.inner().extent) : pairs_.width_for(row_bytes);
    const row_reducer sums(sums_of_products(reducer_.what()), reducer_.how());
    const groups all(pairs_, width);
    pairs_.for_groups(all.count(), width * row_bytes, [&](std::int64_t begin, std::int64_t end) {
      const monofold::detail::heap_array<double> products(width * items_);
      for (std::int64_t g = begin; g < end; ++g) {
        const row_group left = all.left[g];
        multiply(left, all.right[g], products.data());
        const array_rows rows = is_in_place_ ? rows_of({left.width, items_}, {items_, 1}, {1})
                                             : rows_of({items_, left.width}, {left.width, 1}, {0});
        part_of_rows part(out_, left.row, rows_.left.inner().number);
        reduce_rows(sums, products.data(), rows, part);
      }
    });
  }

  void fold_short() const {
    const std::int64_t pitch = 2 * items_ * bytes_ + gap_bytes;
    const std::int64_t width = pairs_.width_for(pitch);
    const groups all(pairs_, width);
    pairs_.for_groups(all.count(), width * pitch, [&](std::int64_t begin, std::int64_t end) {
      const monofold::detail::heap_array<char> pairs(width * pitch);
      std::vector<answer> answers(static_cast<std::size_t>(width), answer{operation::dot});
      for (std::int64_t g = begin; g < end; ++g) {
        const row_group left = all.left[g];
        pairs_.gather_pairs(left, all.right[g], 0, items_, pairs.data(), pitch);
        reducer_.answer_rows({pairs.data(), pitch, left.width, items_}, answers.data());
        for (int c = 0; c < left.width; ++c) {
          out_.keep(pairs_.row_of(left, c), &answers[static_cast<std::size_t>(c)]);
        }
      }
    });
  }

  /// Neighbouring rows side by side, some tiles of each at a time, on one thread.
  void fold_long() const {
    request alone = reducer_.what();
    alone.num_threads = 1;
    const std::int64_t pitch = 2 * tile_ * bytes_ + gap_bytes;
    const std::int64_t threads = monofold::detail::concurrency(pairs_.num_threads());
    const std::int64_t width =
        std::min(pairs_.width_for(pitch), std::max<std::int64_t>(1, rows_.left.num_rows / threads));
    const groups all(pairs_, width);
    monofold::detail::parallel_for(pairs_.num_threads(), all.count(), [&](std::int64_t g) {
      const row_group left = all.left[g];
      const monofold::detail::heap_array<char> sides(left.width * pitch);
      std::vector<reducer> each;
      for (int c = 0; c < left.width; ++c) each.emplace_back(alone);
      for (std::int64_t at = 0; at < items_; at += tile_) {
        const std::int64_t n = std::min(tile_, items_ - at);
        char* const on_right = sides.data() + tile_ * bytes_;
        pairs_.gather(left, all.right[g], at, n, sides.data(), on_right, bytes_, pitch);
        for (int c = 0; c < left.width; ++c) {
          each[static_cast<std::size_t>(c)].push_pairs(sides.data() + c * pitch,
                                                       on_right + c * pitch, n);
        }
      }
      for (int c = 0; c < left.width; ++c) {
        out_.keep(pairs_.row_of(left, c),
                  each[static_cast<std::size_t>(c)].finish(reducer_.how()).data());
      }
    });
  }

  /// Pairs of a row, brought together by the thread that folds them.
  struct gathered_pairs final : item_source {
    gathered_pairs(const pair_walker& walker, const row_group& l, const row_group& r)
        : of(walker), left(l), right(r) {}
    std::int64_t fetch_items() const override { return 64 * of.tile_; }
    const void* fetch(std::int64_t first, std::int64_t count, void* buffer) const override {
      of.pairs_.gather_pairs(left, right, first, count, static_cast<char*>(buffer), 0);
      return buffer;
    }

    const pair_walker& of;
    row_group left;
    row_group right;
  };

  /// Fewer rows than threads: all threads for each.
  void fold_few() const {
    const groups all(pairs_, 1);
    for (std::int64_t r = 0; r < all.count(); ++r) {
      reducer one(reducer_.what());
      if (is_in_place_) {
        one.push_pairs(all.left[r].first, all.right[r].first, items_);
      } else {
        one.push_fetched(gathered_pairs(*this, all.left[r], all.right[r]), items_);
      }
      out_.keep(all.left[r].row, one.finish(reducer_.how()).data());
    }
  }

  const row_reducer& reducer_;
  const pair_groups& pairs_;
  const pair_rows& rows_;  // strides in bytes
  std::int64_t bytes_;     // of an item
  std::int64_t tile_;      // pairs
  std::int64_t items_;     // of a row
  bool is_in_place_;
  answer_sink& out_;
};

}  // namespace

void reduce_rows_of_pairs(const row_reducer& reducer, const void* left, const void* right,
                          const pair_rows& rows, answer_sink& out) {
  if (rows.left.row_items == 0) {
    answer none{operation::dot};
    reducer.answer_rows({nullptr, 0, 1, 0}, &none);
    for (std::int64_t row = 0; row < rows.left.num_rows; ++row) out.keep(row, &none);
    return;
  }
  if (rows.left.num_rows == 0) return;
  if (left == nullptr || right == nullptr) throw error(status::invalid_argument, "null items");
  const pair_groups pairs(left, right, rows, monofold::info(reducer.what().type).size_bytes,
                          reducer.what().num_threads);
  if (fold_compensated(reducer, pairs, out)) return;
  pair_walker(reducer, pairs, out).fold();
}

}  // namespace monofold::runtime
