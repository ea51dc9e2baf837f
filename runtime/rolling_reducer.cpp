#include "runtime/rolling_reducer.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/rolling_spreads.hpp"
#include "monofold/engine/rolling_sums.hpp"
#include "monofold/platform/dtype.hpp"
#include "runtime/rolling_job.hpp"

namespace monofold::runtime {

/// Each window on its own.
void roll_rows(const rolling_job& job, std::int64_t first, std::int64_t end) {
  if (job.grows()) {
    request what = job.rows.what();
    what.num_threads = 1;
    reducer one(what);
    for (std::int64_t i = first; i < end; ++i) {
      one.push(job.item(i), 1);
      job.keep(i, one.finish(job.rows.how()).front());
    }
    return;
  }
  const std::int64_t together = std::min<std::int64_t>(end - first, 64);
  std::vector<answer> answers(static_cast<std::size_t>(together), answer{operation::count});
  for (std::int64_t i = first; i < end; i += together) {
    const std::int64_t count = std::min(together, end - i);
    if (job.all.length <= job.rows.longest_row()) {
      job.rows.answer_rows({job.item(i), job.item_bytes, count, job.all.length}, answers.data());
    } else {
      for (std::int64_t w = 0; w < count; ++w) {
        request what = job.rows.what();
        what.num_threads = 1;
        reducer one(what);
        one.push(job.item(i + w), job.all.length);
        answers[static_cast<std::size_t>(w)] = one.finish(job.rows.how()).front();
      }
    }
    for (std::int64_t w = 0; w < count; ++w) job.keep(i + w, answers[static_cast<std::size_t>(w)]);
  }
}

namespace {

enum class rolling_way {
  float_sums,
  totals,
  extrema,
  magnitudes,
  words,
  trees,
  spreads,
  ranks,
  rows
};

/// Whether variances, deviations, norms and means of squares of these windows have a way of their own.
bool has_spreads(const rolling_job& job) {
  const request& what = job.rows.what();
  const bool is_of_squares = job.op == operation::norm2 || job.op == operation::mean_square;
  if (!is_of_squares && job.op != operation::var && job.op != operation::std) return false;
  const std::int64_t n = job.all.length;
  const bool is_small = n < std::int64_t{1} << 26;
  const bool has_type = monofold::info(what.type).is_floating || job.item_bytes <= 4;
  const bool has_value =
      job.context.how != rounding::to_odd || job.all.value_type == dtype::float32;
  return has_type && has_value && !what.plain && monofold::detail::has_strict_doubles() &&
         monofold::detail::has_spreads() && is_small &&
         (is_of_squares || (what.ddof >= 0 && what.ddof < n));
}

rolling_way way_of(const rolling_job& job) {
  const request& what = job.rows.what();
  using enum operation;
  const operation op = what.ops.front();
  const bool is_floating = monofold::info(what.type).is_floating;
  if (op == min || op == max || op == argmin || op == argmax || op == minmax || op == norminf) {
    if (!job.grows() || op != norminf) return rolling_way::extrema;
    return what.nan == nan_policy::raise ? rolling_way::rows : rolling_way::magnitudes;
  }
  if (op == bit_and || op == bit_or || op == bit_xor || (op == prod && !is_floating)) {
    return rolling_way::words;
  }
  if (has_trees(job)) return rolling_way::trees;
  if (!job.grows() && has_spreads(job)) return rolling_way::spreads;
  if (has_ranks(job)) return rolling_way::ranks;
  const bool is_count = op == count || op == nonzero || op == any || op == all;
  if (is_count && (!is_floating || what.nan == nan_policy::propagate)) return rolling_way::totals;
  if (!is_floating) {
    return op == sum || op == mean || op == norm1 ? rolling_way::totals : rolling_way::rows;
  }
  const bool is_of_squares = op == norm2 || op == mean_square;
  const bool is_sum =
      op == sum || op == mean || op == norm1 || (is_of_squares && what.type != dtype::float64);
  const bool can = is_sum && !what.plain && monofold::detail::has_strict_doubles();
  return can ? rolling_way::float_sums : rolling_way::rows;
}

void roll_piece(const rolling_job& job, rolling_way way, std::int64_t first, std::int64_t end) {
  switch (way) {
    case rolling_way::float_sums: return roll_float_sums(job, first, end);
    case rolling_way::spreads: return roll_float_spreads(job, first, end);
    case rolling_way::totals: return roll_totals(job, first, end);
    case rolling_way::extrema: return roll_extrema(job, first, end);
    case rolling_way::magnitudes: return grow_magnitudes(job);
    case rolling_way::words: return roll_words(job, first, end);
    case rolling_way::trees: return grow_trees(job);
    case rolling_way::ranks: return roll_ranks(job, first, end);
    case rolling_way::rows: return roll_rows(job, first, end);
  }
}

rolling_job job_of(const row_reducer& rows, const rolling_request& windows, answer_sink& out,
                   int num_threads) {
  const request& what = rows.what();
  return {rows,
          windows,
          out,
          what.ops.front(),
          monofold::info(what.type).size_bytes,
          {what.ddof, windows.length, what.nan == nan_policy::omit, rows.how()},
          num_threads};
}

}  // namespace

void reduce_windows(const row_reducer& rows, const rolling_request& windows, answer_sink& out) {
  const request& what = rows.what();
  const rolling_job job = job_of(rows, windows, out, what.num_threads);
  const rolling_way way = way_of(job);
  if (job.grows()) return roll_piece(job, way, 0, windows.count);
  const std::int64_t shares = std::int64_t{4} * monofold::detail::concurrency(what.num_threads);
  std::int64_t piece = windows.count;
  if (what.num_threads != 1) {
    const std::int64_t least = way == rolling_way::rows
                                   ? std::max<std::int64_t>(1, least_rolled_block / windows.length)
                                   : std::max(windows.length, 4 * least_rolled_block);
    piece = std::max(windows.count / shares + 1, least);
  }
  monofold::detail::parallel_for(
      what.num_threads, (windows.count + piece - 1) / piece, [&](std::int64_t p) {
        roll_piece(job, way, p * piece, std::min(windows.count, (p + 1) * piece));
      });
}

void reduce_beginnings(const row_reducer& rows, const beginnings_request& all, answer_sink& out) {
  if (all.row_answers() == 0) return;
  const request& what = rows.what();
  const std::int64_t row_bytes = all.count * monofold::info(what.type).size_bytes;
  answer empty{what.ops.front()};
  if (all.has_empty) empty = reducer(what).finish(rows.how()).front();
  const auto reduce_row = [&](std::int64_t row, int num_threads) {
    const std::int64_t at = row * all.row_answers();
    if (all.has_empty) out.keep(at, &empty);
    if (all.count == 0) return;
    const rolling_request grown{static_cast<const char*>(all.items) + row * row_bytes, all.count, 0,
                                all.value_type, at + all.row_answers() - all.count};
    const rolling_job job = job_of(rows, grown, out, num_threads);
    roll_piece(job, way_of(job), 0, all.count);
  };
  // Rows of few items are shared by many at a time.
  const std::int64_t together = std::max<std::int64_t>(1, 4 * least_rolled_block / (all.count + 1));
  const std::int64_t pieces = (all.num_rows + together - 1) / together;
  const bool share_rows = pieces >= monofold::detail::concurrency(what.num_threads);
  monofold::detail::parallel_for(share_rows ? what.num_threads : 1, pieces, [&](std::int64_t p) {
    const std::int64_t end = std::min(all.num_rows, (p + 1) * together);
    for (std::int64_t r = p * together; r < end; ++r) {
      reduce_row(r, share_rows ? 1 : what.num_threads);
    }
  });
}

}  // namespace monofold::runtime
