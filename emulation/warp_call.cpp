#include "emulation/warp_call.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "emulation/step_notes.hpp"

namespace monofold::emulation::detail {

int source_of(const warp_call& own, int lane) {
  const int first = lane / own.width * own.width;
  switch (own.operation) {
    case warp_operation::shuffle: return first + (own.operand & (own.width - 1));
    case warp_operation::shuffle_up: {
      const int source = lane - own.operand;
      return source < first ? lane : source;
    }
    case warp_operation::shuffle_down: {
      const int source = lane + own.operand;
      return source >= first + own.width ? lane : source;
    }
    default: {  // xor may read segments below, not above
      const int source = lane ^ own.operand;
      return source >= first + own.width ? lane : source;
    }
  }
}

namespace {

std::uint64_t joined(warp_operation operation, std::uint64_t a, std::uint64_t b) {
  const auto left = static_cast<std::uint32_t>(a);
  const auto right = static_cast<std::uint32_t>(b);
  const auto signed_left = static_cast<std::int32_t>(left);
  const auto signed_right = static_cast<std::int32_t>(right);
  switch (operation) {
    case warp_operation::add: return left + right;
    case warp_operation::min_signed: return signed_right < signed_left ? right : left;
    case warp_operation::max_signed: return signed_right > signed_left ? right : left;
    case warp_operation::min_unsigned: return std::min(left, right);
    case warp_operation::max_unsigned: return std::max(left, right);
    case warp_operation::bit_and: return left & right;
    case warp_operation::bit_or: return left | right;
    default: return left ^ right;
  }
}

}  // namespace

std::uint64_t answer(const warp_call* calls, int lane, std::uint32_t present,
                     std::uint64_t undefined) {
  const warp_call& own = calls[lane];
  if (is_shuffle(own.operation)) {
    const int source = source_of(own, lane);
    return (present >> source & 1) != 0 ? calls[source].value : undefined;
  }
  if (own.operation == warp_operation::sync) return 0;
  std::uint32_t yes = 0;
  std::uint32_t same = 0;
  for_lanes(present, [&](int other) {
    if (calls[other].value != 0) yes |= 1u << other;
    if (calls[other].value == own.value) same |= 1u << other;
  });
  switch (own.operation) {
    case warp_operation::any: return yes != 0 ? 1 : 0;
    case warp_operation::all: return yes == present ? 1 : 0;
    case warp_operation::ballot: return yes;
    case warp_operation::match_any: return same;
    default: break;
  }
  const int first = __builtin_ctz(present);
  std::uint64_t total = calls[first].value;
  for_lanes(present & (present - 1),
            [&](int other) { total = joined(own.operation, total, calls[other].value); });
  return total;
}

void exchange_words(const warp_call* calls, std::uint32_t present, std::uint64_t undefined) {
  const auto words_of = [&](int lane) {
    return reinterpret_cast<std::uint32_t*>(static_cast<std::uintptr_t>(calls[lane].value));
  };
  const auto count = static_cast<std::size_t>(calls[__builtin_ctz(present)].num_words);
  static std::vector<std::uint32_t> heard;  // of all lanes, since each is overwritten
  heard.resize(32 * count);
  for_lanes(present, [&](int lane) {
    const int source = source_of(calls[lane], lane);
    const auto to = heard.begin() + static_cast<std::ptrdiff_t>(count) * lane;
    if ((present >> source & 1) != 0) {
      std::copy_n(words_of(source), count, to);
    } else {
      std::fill_n(to, count, static_cast<std::uint32_t>(undefined));
    }
  });
  for_lanes(present, [&](int lane) {
    std::copy_n(heard.begin() + static_cast<std::ptrdiff_t>(count) * lane, count, words_of(lane));
  });
}

const char* name_of(warp_operation operation) {
  switch (operation) {
    case warp_operation::sync: return "__syncwarp";
    case warp_operation::any: return "__any_sync";
    case warp_operation::all: return "__all_sync";
    case warp_operation::ballot: return "__ballot_sync";
    case warp_operation::shuffle: return "__shfl_sync";
    case warp_operation::shuffle_up: return "__shfl_up_sync";
    case warp_operation::shuffle_down: return "__shfl_down_sync";
    case warp_operation::shuffle_xor: return "__shfl_xor_sync";
    case warp_operation::match_any: return "__match_any_sync";
    default: return "a __reduce_sync";
  }
}

}  // namespace monofold::emulation::detail
