#pragma once
/// runtime/rolling_job: what the ways to reduce windows share.

#include <cstdint>

#include "runtime/answers.hpp"
#include "runtime/rolling_reducer.hpp"

namespace monofold::runtime {

/// Windows that a thread looks at together, or as many as a window has items.
inline constexpr std::int64_t least_rolled_block = 4096;

/// What all ways share.
struct rolling_job {
  const row_reducer& rows;
  const rolling_request& all;
  answer_sink& out;
  operation op;
  std::int64_t item_bytes;
  answer_context context;
  int num_threads;

  const char* item(std::int64_t i) const {
    return static_cast<const char*>(all.items) + i * item_bytes;
  }
  bool grows() const { return all.length == 0; }
  /// How many items the i-th window has.
  std::int64_t items_of(std::int64_t i) const { return grows() ? i + 1 : all.length; }
  /// What enters as the i-th window follows the one before.
  const char* entering(std::int64_t i) const { return item(grows() ? i : i - 1 + all.length); }
  bool raises() const { return rows.what().nan == nan_policy::raise; }
  /// Numbers of neighbouring windows, from the i-th on.
  void keep(std::int64_t i, std::int64_t count, dtype type, const void* values,
            const std::int64_t* indices = nullptr, const void* seconds = nullptr) const {
    out.keep_numbers({op, all.first_answer + i, 1, count, type, values, indices, seconds});
  }
  /// Where numbers of neighbouring windows, from the i-th on, may be left instead; null: nowhere.
  void* place(std::int64_t i, dtype type) const { return out.place_of(type, all.first_answer + i); }
  void keep(std::int64_t i, const answer& one) const { out.keep(all.first_answer + i, &one); }
  /// A double, which may be rounded to odd: no memory is asked for.
  void keep(std::int64_t i, const result<double>& one) const {
    if (!one) return keep(i, failed(op, one.code()));
    keep(i, 1, dtype::float64, &*one);
  }
};

/// Windows [first, end), each way for what it can. Windows that grow: all of them at once.
void roll_float_sums(const rolling_job& job, std::int64_t first, std::int64_t end);
void roll_float_spreads(const rolling_job& job, std::int64_t first, std::int64_t end);
void roll_totals(const rolling_job& job, std::int64_t first, std::int64_t end);
void roll_extrema(const rolling_job& job, std::int64_t first, std::int64_t end);
void roll_words(const rolling_job& job, std::int64_t first, std::int64_t end);
/// The largest magnitudes in windows that grow; NaN are no error.
void grow_magnitudes(const rolling_job& job);
/// The k best; `has_ranks`: whether it can. A sink stores numbers of their type at the places they are given.
bool has_ranks(const rolling_job& job);
void roll_ranks(const rolling_job& job, std::int64_t first, std::int64_t end);
/// Sums and products of floats that round on the way, in windows that grow; `has_trees`: whether it can.
bool has_trees(const rolling_job& job);
void grow_trees(const rolling_job& job);
/// Each window on its own.
void roll_rows(const rolling_job& job, std::int64_t first, std::int64_t end);

}  // namespace monofold::runtime
