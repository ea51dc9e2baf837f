#include "runtime/axis_reducer.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "monofold/engine/axes.hpp"
#include "runtime/answer_arrays.hpp"
#include "runtime/device_rows.hpp"
#include "runtime/far_sums.hpp"
#include "runtime/lane_request.hpp"
#include "runtime/lane_room.hpp"
#include "runtime/lane_rows.hpp"
#include "runtime/pair_axes.hpp"
#include "runtime/quick_rows.hpp"
#include "runtime/row_reducer.hpp"

namespace monofold::runtime {

namespace {

/// Stores them as arrays of numbers.
class array_keeper final : public answer_sink {
 public:
  array_keeper(axis_answers& out, std::size_t num_ops) : out_(out), num_ops_(num_ops) {}

  void keep(std::int64_t row, const answer* answers) override {
    const auto fails = [](const answer& one) { return one.code != status::ok; };
    if (std::any_of(answers, answers + num_ops_, fails)) {
      const std::lock_guard lock(mutex_);
      if (out_.failed_row >= 0 && out_.failed_row < row) return;
      out_.failed_row = row;
      out_.failed.assign(answers, answers + num_ops_);
      return;
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < num_ops_; ++i) store_answer(out_.arrays, next, row, answers[i]);
  }
  void keep_numbers(const number_run& run) override {
    store_numbers(run, out_.arrays.front().bytes.data());
    if (run.indices != nullptr) {
      store_indices(run, reinterpret_cast<std::int64_t*>(out_.arrays.back().bytes.data()));
    }
  }
  void* place_of(dtype type, std::int64_t row) override {
    answer_array& own = out_.arrays.front();
    if (out_.arrays.size() > 1 || own.type != type) return nullptr;
    return own.bytes.data() + row * monofold::info(type).size_bytes;
  }

 private:
  axis_answers& out_;
  std::size_t num_ops_;
  std::mutex mutex_;
};

/// Items of a row, brought together by the thread that folds them.
template <class Word>
class gathered_row final : public item_source {
 public:
  gathered_row(const array_rows& rows, const monofold::detail::row_group<Word>& row)
      : rows_(rows), row_(row) {}
  std::int64_t fetch_items() const override { return (std::int64_t{256} << 10) / sizeof(Word); }
  const void* fetch(std::int64_t first, std::int64_t count, void* buffer) const override {
    monofold::detail::gather(rows_, row_, first, count, static_cast<Word*>(buffer), 0);
    return buffer;
  }

 private:
  const array_rows& rows_;
  monofold::detail::row_group<Word> row_;
};

/// Folds the rows of an array of items of so many bytes.
template <class Word>
class row_walker {
 public:
  using row_group = monofold::detail::row_group<Word>;

  row_walker(const row_reducer& reducer, const Word* first, const array_rows& rows,
             answer_sink& out)
      : reducer_(reducer), first_(first), rows_(rows), out_(out) {}

  void fold() const {
    const auto slowly = [&](const void* first, std::int64_t row, int width) {
      answer_neighbours({static_cast<const Word*>(first), row, width});
    };
    if (answer_by_lanes(reducer_, first_, rows_, out_, slowly)) return;
    if (is_short()) {
      fold_short();
    } else {
      fold_long();
    }
  }

 private:
  static constexpr std::int64_t tile = tile_items_v<Word>;

  bool is_short() const {
    return rows_.row_items <= (rows_.is_contiguous() ? reducer_.longest_row() : 4 * tile);
  }
  int num_threads() const { return reducer_.what().num_threads; }

  std::int64_t width() const {
    const std::int64_t inner = rows_.inner().extent;
    if (rows_.is_contiguous()) return std::min<std::int64_t>(inner, 64);
    const std::int64_t row_bytes = rows_.row_items * static_cast<std::int64_t>(sizeof(Word));
    return monofold::detail::columns_read_together<Word>(
        rows_, monofold::detail::block_bytes / row_bytes, num_threads());
  }

  void fold_short() const {
    const std::int64_t width = this->width();
    const monofold::detail::row_groups<Word> groups(first_, rows_, width);
    const std::int64_t group_bytes =
        width * (rows_.row_items * static_cast<std::int64_t>(sizeof(Word)) +
                 monofold::detail::row_work_bytes);
    const std::int64_t share =
        std::max<std::int64_t>(1, monofold::detail::piece_bytes / group_bytes);
    const std::int64_t count = groups.count();
    const auto fold_some = [&](std::int64_t piece) {
      room in(*this, width);
      for (std::int64_t g = piece * share; g < std::min(count, (piece + 1) * share); ++g) {
        answer_group(groups[g], in);
      }
    };
    monofold::detail::parallel_for(num_threads(), (count + share - 1) / share, fold_some);
  }

  /// What a thread works with. A row has a cache line more than its items take: see engine/axes.
  struct room {
    room(const row_walker& of, std::int64_t width)
        : pitch(of.rows_.row_items + 64 / static_cast<std::int64_t>(sizeof(Word))),
          items(static_cast<std::size_t>(of.rows_.is_contiguous() ? 0 : width * pitch)),
          answers(static_cast<std::size_t>(width) * of.reducer_.num_ops(),
                  answer{operation::count}) {}

    std::int64_t pitch;
    std::vector<Word> items;
    std::vector<answer> answers;
  };

  void answer_group(const row_group& group, room& in) const {
    const Word* from = group.first;
    std::int64_t apart = rows_.inner().stride;
    if (!rows_.is_contiguous()) {
      monofold::detail::gather(rows_, group, 0, rows_.row_items, in.items.data(), in.pitch);
      from = in.items.data();
      apart = in.pitch;
    }
    reducer_.answer_rows(
        {reinterpret_cast<const char*>(from), apart * static_cast<std::int64_t>(sizeof(Word)),
         group.width, rows_.row_items},
        in.answers.data());
    for (int c = 0; c < group.width; ++c) {
      out_.keep(group.row + c * rows_.inner().number,
                in.answers.data() + static_cast<std::size_t>(c) * reducer_.num_ops());
    }
  }

  /// Those that lanes have left, on one thread.
  void answer_neighbours(const row_group& all) const {
    const auto slowly = [&](const neighbour_rows& some) {
      answer_slowly({static_cast<const Word*>(some.first), some.row, some.width});
    };
    if (answer_far_doubles(reducer_, {all.first, all.row, all.width}, rows_, out_, slowly)) return;
    answer_slowly(all);
  }
  void answer_slowly(const row_group& all) const {
    const std::int64_t most = is_short() ? this->width() : rows_.is_contiguous() ? 1 : 16;
    const std::int64_t width = std::min<std::int64_t>(most, all.width);
    std::optional<room> in;
    if (is_short()) in.emplace(*this, width);
    for (std::int64_t c = 0; c < all.width; c += width) {
      const row_group group{all.first + c * rows_.inner().stride,
                            all.row + c * rows_.inner().number,
                            static_cast<int>(std::min(width, all.width - c))};
      if (in) {
        answer_group(group, *in);
      } else {
        fold_group(group);
      }
    }
  }

  /// Some rows for each thread, or all threads for each row.
  void fold_long() const {
    const int threads = monofold::detail::concurrency(num_threads());
    if (rows_.num_rows >= threads) {
      const std::int64_t most =
          rows_.is_contiguous()
              ? 1
              : monofold::detail::columns_read_together<Word>(rows_, 1, num_threads());
      const monofold::detail::row_groups<Word> groups(first_, rows_,
                                                      std::min(most, rows_.num_rows / threads));
      monofold::detail::parallel_for(num_threads(), groups.count(),
                                     [&](std::int64_t g) { fold_group(groups[g]); });
      return;
    }
    const monofold::detail::row_groups<Word> rows(first_, rows_, 1);
    for (std::int64_t r = 0; r < rows.count(); ++r) {
      const row_group row = rows[r];
      reducer one(reducer_.what());
      if (rows_.is_contiguous()) {
        one.push(row.first, rows_.row_items);
      } else {
        one.push_fetched(gathered_row<Word>(rows_, row), rows_.row_items);
      }
      out_.keep(row.row, one.finish(reducer_.how()).data());
    }
  }

  /// The rows of a group side by side, on one thread.
  void fold_group(const row_group& group) const {
    request alone = reducer_.what();
    alone.num_threads = 1;
    std::vector<reducer> each;
    for (int c = 0; c < group.width; ++c) each.emplace_back(alone);
    if (rows_.is_contiguous()) {
      each[0].push(group.first, rows_.row_items);
    } else {
      const std::int64_t pitch = tile + 64 / static_cast<std::int64_t>(sizeof(Word));
      std::vector<Word> items(static_cast<std::size_t>(group.width * pitch));
      for (std::int64_t at = 0; at < rows_.row_items; at += tile) {
        const std::int64_t count = std::min(tile, rows_.row_items - at);
        monofold::detail::gather(rows_, group, at, count, items.data(), pitch);
        for (int c = 0; c < group.width; ++c) {
          each[static_cast<std::size_t>(c)].push(items.data() + c * pitch, count);
        }
      }
    }
    for (int c = 0; c < group.width; ++c) {
      out_.keep(group.row + c * rows_.inner().number,
                each[static_cast<std::size_t>(c)].finish(reducer_.how()).data());
    }
  }

  const row_reducer& reducer_;
  const Word* first_;
  const array_rows& rows_;
  answer_sink& out_;
};

template <class Word>
void fold_words(const row_reducer& reducer, const void* first, const array_rows& rows,
                answer_sink& out) {
  row_walker<Word>(reducer, static_cast<const Word*>(first), rows, out).fold();
}

/// Whether the answer for a row is how many items it has, whatever they are.
bool counts_all(const request& what) {
  const bool has_nan = monofold::info(what.type).is_floating;
  return what.ops.size() == 1 && what.ops.front() == operation::count &&
         (!has_nan || what.nan == nan_policy::propagate);
}

void keep_counts(const array_rows& rows, answer_sink& out) {
  constexpr std::int64_t most = 512;
  std::int64_t counts[most];
  std::fill_n(counts, most, rows.row_items);
  for (std::int64_t row = 0; row < rows.num_rows; row += most) {
    const std::int64_t here = std::min(most, rows.num_rows - row);
    out.keep_numbers({operation::count, row, 1, here, dtype::int64, counts, nullptr});
  }
}

}  // namespace

void reduce_rows(const row_reducer& reducer, const void* first, const array_rows& rows,
                 answer_sink& out) {
  if (rows.row_items == 0) {
    std::vector<answer> answers(reducer.num_ops(), answer{operation::count});
    reducer.answer_rows({nullptr, 0, 1, 0}, answers.data());
    for (std::int64_t row = 0; row < rows.num_rows; ++row) out.keep(row, answers.data());
    return;
  }
  if (rows.num_rows == 0) return;
  if (first == nullptr) throw error(status::invalid_argument, "null items");
  if (counts_all(reducer.what())) return keep_counts(rows, out);
  if (copy_single_items(reducer, first, rows, out)) return;
  if (add_few_integers(reducer, first, rows, out)) return;
  switch (monofold::info(reducer.what().type).size_bytes) {
    case 1: fold_words<std::uint8_t>(reducer, first, rows, out); break;
    case 2: fold_words<std::uint16_t>(reducer, first, rows, out); break;
    case 4: fold_words<std::uint32_t>(reducer, first, rows, out); break;
    default: fold_words<std::uint64_t>(reducer, first, rows, out); break;
  }
}

namespace {

/// Room for the answers to `what` for each row.
axis_answers answers_for(const request& what, const axis_request& array, const array_rows& rows) {
  const axis_numbers extents = result_extents(array.extents, array.axes, array.keep);
  axis_answers out;
  out.extents.assign(extents.begin(), extents.end());
  out.num_rows = rows.num_rows;
  out.row_items = rows.row_items;
  for (const operation op : what.ops) {
    for (answer_array& part : answer_parts(op, what)) {
      const std::int64_t bytes = part.width * monofold::info(part.type).size_bytes;
      std::int64_t all = 0;
      if (__builtin_mul_overflow(rows.num_rows, bytes, &all)) throw std::bad_alloc();
      part.bytes.resize(static_cast<std::size_t>(all));
      out.arrays.push_back(std::move(part));
    }
  }
  return out;
}

}  // namespace

axis_answers reduce_axis(const request& what, const axis_request& array) {
  const row_reducer reducer(what);
  const array_rows rows = rows_of(array.extents, array.strides, array.axes);
  axis_answers out = answers_for(reducer.what(), array, rows);
  if (what.on_gpu && answer_rows_by_device(reducer.what(), array, rows, out.arrays)) return out;
  // Where a row of a GPU has no answer, this says which, and why.
  array_keeper keeper(out, reducer.num_ops());
  reduce_rows(reducer, array.first, rows, keeper);
  return out;
}

axis_answers dot_axis(const request& what, const axis_request& left, const void* right,
                      const axis_numbers& right_strides) {
  const row_reducer reducer(what, rounding::native, row_items::pairs);
  if (what.on_gpu) throw error(status::unsupported, "dot along axes is for the processor");
  const pair_rows rows = rows_of_pair(left.extents, left.strides, right_strides, left.axes);
  axis_answers out = answers_for(reducer.what(), left, rows.left);
  array_keeper keeper(out, reducer.num_ops());
  reduce_rows_of_pairs(reducer, left.first, right, rows, keeper);
  return out;
}

}  // namespace monofold::runtime
