#include "runtime/quick_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "monofold/engine/cpu.hpp"
#include "monofold/platform/dtype.hpp"
#include "runtime/lane_request.hpp"
#include "runtime/lane_room.hpp"
#include "runtime/lane_rows.hpp"

namespace monofold::runtime {

bool copy_single_items(const row_reducer& reducer, const void* first, const array_rows& rows,
                       answer_sink& out) {
  lane_request what{};
  if (!are_single_items(rows) || rows.num_kept != 1 || rows.inner().number != 1) return false;
  if (!as_lane_request(reducer, rows, what)) return false;
  if (what.fold == lane_fold::moments || what.fold == lane_fold::first_best) return false;
  const bool is_floating = monofold::info(what.item).is_floating;
  if (!is_floating && what.fold != lane_fold::best) return false;
  const bool is_exact = what.fold == lane_fold::exact_sum;
  dtype to = is_exact ? dtype::float64 : what.item;
  auto* place = static_cast<char*>(out.place_of(to, 0));
  if (place == nullptr && is_exact && what.to_odd) {
    to = what.item;
    place = static_cast<char*>(out.place_of(to, 0));
  }
  const lane_copy copy = find_lane_copy(what.item, to);
  if (place == nullptr || (is_floating && copy == nullptr)) return false;
  constexpr std::int64_t share = 1 << 16;
  const std::int64_t from_bytes = monofold::info(what.item).size_bytes;
  const std::int64_t to_bytes = monofold::info(to).size_bytes;
  const bool past_caches = rows.num_rows * to_bytes > most_cached_bytes;
  monofold::detail::parallel_for(
      reducer.what().num_threads, (rows.num_rows + share - 1) / share, [&](std::int64_t i) {
        const lane_arithmetic arithmetic(what);  // small numbers are what they are
        const std::int64_t at = i * share;
        const char* const from = static_cast<const char*>(first) + at * from_bytes;
        const std::int64_t count = std::min(share, rows.num_rows - at);
        if (is_floating) {
          copy(from, count, place + at * to_bytes, past_caches);
        } else {
          std::memcpy(place + at * to_bytes, from, static_cast<std::size_t>(count * to_bytes));
        }
      });
  return true;
}

namespace {

constexpr std::int64_t most_few_items = 4096;

/// False: a sum is beyond the type.
template <class Item>
bool add_few_integers(const void* items, dtype type, const array_rows& rows, answer_sink& out) {
  const auto* const first = static_cast<const Item*>(items);
  const axis_step kept = rows.inner();
  Item sums[most_few_items];
  bool is_beyond = false;
  for (std::int64_t row = 0; row < rows.num_rows; ++row) {
    const Item* const own = first + row * kept.stride;
    Item sum = 0;
    for (std::int64_t i = 0; i < rows.row_items; ++i) {
      is_beyond |= __builtin_add_overflow(sum, own[i * rows.reduced[0].stride], &sum);
    }
    sums[row] = sum;
  }
  if (!is_beyond) {
    out.keep_numbers({operation::sum, 0, kept.number, rows.num_rows, type, sums, nullptr});
  }
  return !is_beyond;
}

}  // namespace

bool add_few_integers(const row_reducer& reducer, const void* first, const array_rows& rows,
                      answer_sink& out) {
  const request& what = reducer.what();
  const bool is_sum =
      what.ops.size() == 1 && what.ops.front() == operation::sum && keeps_integers(reducer.how());
  if (!is_sum || rows.num_rows * rows.row_items > most_few_items || rows.num_kept > 1 ||
      rows.num_reduced > 1) {
    return false;
  }
  if (what.type == dtype::int64) return add_few_integers<std::int64_t>(first, what.type, rows, out);
  return what.type == dtype::uint64 && add_few_integers<std::uint64_t>(first, what.type, rows, out);
}

}  // namespace monofold::runtime
