#include "runtime/lane_request.hpp"

#include <cstdint>
#include <limits>

namespace monofold::runtime {

namespace {

/// The type that has all numbers of another one, in which lanes take its items: float32 for items of one and two
/// bytes, float64 for integers of four.
dtype wide_type(dtype type) {
  const dtype_info& own = monofold::info(type);
  if (own.size_bytes < 4) return dtype::float32;
  return own.size_bytes == 4 && !own.is_floating ? dtype::float64 : type;
}

/// See fold/order_key: for the largest, NaN lie above all numbers, for the smallest below.
lane_order order_for(dtype type, bool smallest) {
  const dtype_info& info = monofold::info(type);
  const bool is_wide = info.size_bytes == 8;
  const std::uint64_t sign = std::uint64_t{1} << (is_wide ? 63 : 31);
  lane_order out;
  out.flip = smallest ? ~std::uint64_t{0} : 0;
  if (!info.is_floating) {
    out.turn = info.name.front() == 'u' ? sign : 0;
    out.last = is_wide ? std::numeric_limits<std::int64_t>::max()
                       : std::numeric_limits<std::int32_t>::max();
    return out;
  }
  const std::uint64_t patterns = (std::uint64_t{1} << (is_wide ? 52 : 23)) - 1;
  out.magnitude = sign - 1;
  out.turn = smallest ? patterns : 0 - patterns;
  const std::uint64_t infinity = out.magnitude ^ patterns;
  const std::uint64_t bits = smallest ? infinity | sign : infinity;
  const std::uint64_t key = ((bits ^ (smallest ? out.magnitude : 0)) + out.turn) ^ out.flip;
  out.last = is_wide ? static_cast<std::int64_t>(key)
                     : static_cast<std::int32_t>(static_cast<std::uint32_t>(key));
  return out;
}

}  // namespace

bool as_lane_request(const row_reducer& reducer, lane_request& out) {
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
         dtype::float64};
  const bool has_doubles = item.is_floating || item.size_bytes < 8;
  switch (out.op) {
    case operation::sum:
      if (!item.is_floating && reducer.how() == rounding::native) {
        out.sum_type = item.name.front() == 'i' ? dtype::int64 : dtype::uint64;
      }
      [[fallthrough]];
    case operation::mean:
      out.fold = what.plain ? lane_fold::plain_sum : lane_fold::exact_sum;
      return has_doubles && (!what.plain || out.type == out.item);
    case operation::var:
    case operation::std: out.fold = lane_fold::moments; return has_doubles && !what.plain;
    case operation::argmin:
    case operation::argmax: out.fold = lane_fold::first_best; break;
    case operation::min:
    case operation::max: break;
    default: return false;
  }
  if (item.size_bytes == 4) out.type = out.item;
  out.order = order_for(out.type, out.op == operation::min || out.op == operation::argmin);
  return true;
}

}  // namespace monofold::runtime
