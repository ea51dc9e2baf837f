#pragma once
/// emulation/warp_call: what lanes say when they meet, and what each of them hears.

#include <cstdint>

namespace monofold::emulation {

enum class warp_operation {
  sync,
  any,
  all,
  ballot,
  shuffle,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  match_any,
  add,
  min_signed,
  max_signed,
  min_unsigned,
  max_unsigned,
  bit_and,
  bit_or,
  bit_xor,
};

/// One lane's part of a meeting.
struct warp_call {
  warp_operation operation = warp_operation::sync;
  std::uint32_t mask = 0;
  std::uint64_t value = 0;
  int operand = 0;    // of shuffles: a lane, a distance or a pattern
  int width = 32;     // of shuffles
  int num_words = 0;  // of a shuffle of several words, which `value` is the address of
};

namespace detail {

/// Calls visit(lane) for the lanes of a mask, from the lowest on.
template <class Visit>
void for_lanes(std::uint32_t lanes, const Visit& visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(__builtin_ctz(lanes));
}

constexpr bool is_shuffle(warp_operation operation) {
  return operation >= warp_operation::shuffle && operation <= warp_operation::shuffle_xor;
}

/// Whether all lanes of the mask must be there; votes and __syncwarp do without those that ended.
constexpr bool needs_all_lanes(warp_operation operation) {
  return operation >= warp_operation::shuffle;
}

/// Whether one answer is every lane's: a barrier's, a vote's, a sum's.
constexpr bool is_same_for_all(warp_operation operation) {
  return !is_shuffle(operation) && operation != warp_operation::match_any;
}

/// What `lane` hears when the lanes of `present` met with `calls`; `undefined` stands for a value
/// that CUDA leaves undefined.
std::uint64_t answer(const warp_call* calls, int lane, std::uint32_t present,
                     std::uint64_t undefined);

/// The same of a shuffle of several words: each lane hears them where its own lay.
void exchange_words(const warp_call* calls, std::uint32_t present, std::uint64_t undefined);

const char* name_of(warp_operation operation);

}  // namespace detail

}  // namespace monofold::emulation
