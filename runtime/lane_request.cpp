#include "runtime/lane_request.hpp"

#include <cstdint>

namespace monofold::runtime {

namespace {

/// In which type lanes take items: those of one and two bytes as float32, which has all of their numbers.
dtype wide_type(dtype type) { return monofold::info(type).size_bytes < 4 ? dtype::float32 : type; }

}  // namespace

/// See fold/order_key: for the largest, NaN lie above all numbers, for the smallest below.
lane_order order_of_items(dtype type, bool smallest) {
  const dtype_info& info = monofold::info(type);
  const int bits = 8 * info.size_bytes;
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  const auto as_word = [&](std::uint64_t key) {
    return static_cast<std::int64_t>(key << (64 - bits)) >> (64 - bits);
  };
  lane_order out;
  out.flip = smallest ? ~std::uint64_t{0} : 0;
  if (!info.is_floating) {
    out.turn = info.name.front() == 'i' ? 0 : sign;
    out.last = as_word(sign - 1);
    return out;
  }
  const int mantissa = type == dtype::float64   ? 52
                       : type == dtype::float32 ? 23
                       : type == dtype::float16 ? 10
                                                : 7;
  const std::uint64_t patterns = (std::uint64_t{1} << mantissa) - 1;
  out.magnitude = sign - 1;
  out.quiet = out.magnitude ^ (patterns >> 1);
  out.turn = smallest ? patterns : 0 - patterns;
  const std::uint64_t infinity = out.magnitude ^ patterns;
  const std::uint64_t worst = smallest ? infinity | sign : infinity;
  out.last = as_word(((worst ^ (smallest ? out.magnitude : 0)) + out.turn) ^ out.flip);
  return out;
}

bool as_lane_request(const row_reducer& reducer, const array_rows& rows, lane_request& out) {
  const request& what = reducer.what();
  const dtype_info& item = monofold::info(what.type);
  if (what.ops.size() != 1) return false;
  if (item.is_floating && what.nan != nan_policy::propagate) return false;
  out = {what.ops.front(),
         what.type,
         wide_type(what.type),
         lane_fold::best,
         {},
         what.ddof,
         reducer.how() == rounding::to_odd,
         dtype::float64,
         false};
  const bool is_exact_sum = !what.plain && (out.op == operation::sum || out.op == operation::mean);
  const std::int64_t answer_bytes = is_exact_sum ? 8 : item.size_bytes;
  out.has_many_answers = rows.num_rows > most_cached_bytes / answer_bytes &&
                         (!rows.is_contiguous() || are_single_items(rows));
  const bool has_doubles = item.is_floating || item.size_bytes < 8;
  switch (out.op) {
    case operation::sum:
      if (!item.is_floating && keeps_integers(reducer.how())) {
        out.sum_type = item.name.front() == 'i' ? dtype::int64 : dtype::uint64;
      }
      [[fallthrough]];
    case operation::mean:
      out.fold = what.plain ? lane_fold::plain_sum : lane_fold::exact_sum;
      return has_doubles && (!what.plain || (item.is_floating && out.type == out.item));
    case operation::var:
    case operation::std:
      out.fold = lane_fold::moments;
      if (item.size_bytes == 4 && !item.is_floating) out.type = dtype::float64;
      return has_doubles && !what.plain;
    case operation::argmin:
    case operation::argmax: out.fold = lane_fold::first_best; break;
    case operation::min:
    case operation::max: break;
    default: return false;
  }
  const bool takes_narrow =
      !rows.is_contiguous() || rows.row_items >= least_narrow_items || are_single_items(rows);
  if (out.fold == lane_fold::best && takes_narrow) out.type = out.item;
  out.order = order_of_items(out.type, out.op == operation::min || out.op == operation::argmin);
  return true;
}

std::int64_t most_columns(const lane_request& what, std::int64_t row_items) {
  const std::int64_t bytes = monofold::info(what.item).size_bytes;
  const bool are_few = row_items < 16 && what.fold != lane_fold::moments;
  if (bytes >= 4 && !are_few && 512 * bytes * row_items <= most_ahead_bytes) return 512;
  if (what.fold > lane_fold::moments || (bytes >= 4 && are_few)) return 4096;
  // Where a double does not hold the sums of one block of float32 all of its columns take longer.
  return bytes > 4 ? 2048 : 1024;
}

}  // namespace monofold::runtime
