#include "runtime/subtract_states.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "monofold/platform/encoding.hpp"

namespace monofold::runtime {

namespace {

using bytes = std::span<unsigned char>;
using const_bytes = std::span<const unsigned char>;

template <class T>
T read(const_bytes from) {
  byte_reader in(from);
  return decoded<T>(in);
}

/// own -= part, integers of some words of 64 bits with their least byte first; modulo their size.
void subtract_integer(bytes own, const_bytes part) {
  std::uint64_t borrow = 0;
  for (std::size_t at = 0; at < own.size(); at += 8) {
    const auto left = read<std::uint64_t>(own.subspan(at, 8));
    const auto right = read<std::uint64_t>(part.subspan(at, 8));
    std::uint64_t rest = left - right - borrow;
    borrow = left < right || (left == right && borrow != 0) ? 1 : 0;
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(own.data() + at, &rest, 8);
    } else {
      for (std::size_t i = 0; i < 8; ++i, rest >>= 8) {
        own[at + i] = static_cast<unsigned char>(rest & 0xff);
      }
    }
  }
}

bool is_negative(const_bytes own) { return (own.back() & 0x80) != 0; }
bool is_zero(const_bytes own) {
  return std::all_of(own.begin(), own.end(), [](unsigned char byte) { return byte == 0; });
}

/// How many NaN there are, and where the first one is.
bool subtract_nans(bytes own, const_bytes part) {
  const auto whole = read<std::int64_t>(own.subspan(8));
  const auto taken = read<std::int64_t>(part.subspan(8));
  const bool takes_any = !is_zero(part.first(8));
  subtract_integer(own.first(8), part.first(8));
  if (is_negative(own.first(8))) return false;
  // A later one may have been counted on from another place, an earlier or the same one was the first.
  const bool stays = !is_zero(own.first(8)) && (!takes_any || taken > whole);
  if (!stays) std::fill(own.begin() + 8, own.end(), static_cast<unsigned char>(0xff));
  return true;
}

/// Widths of the integers of a state, in bytes; 0: none more.
std::array<std::size_t, 3> integers_of(family kind) {
  switch (kind) {
    case family::moments: return {8, 16, 32};
    case family::logical: return {8, 8, 0};
    case family::sum:
    case family::norm1: return {16, 0, 0};
    default: return {32, 0, 0};
  }
}

bool subtract_integers(family kind, bool has_items, bytes own, const_bytes part) {
  std::size_t at = 0;
  bool any_negative = false;
  for (const std::size_t width : integers_of(kind)) {
    if (width == 0) break;
    subtract_integer(own.subspan(at, width), part.subspan(at, width));
    const bool may_be_negative =
        kind == family::sum || kind == family::dot || (kind == family::moments && width == 16);
    any_negative |= !may_be_negative && is_negative(own.subspan(at, width));
    at += width;
  }
  if (kind == family::logical) {
    any_negative |= read<std::int64_t>(own) > read<std::int64_t>(own.subspan(8));
  }
  return !any_negative && (has_items || is_zero(own));
}

}  // namespace

bool can_subtract(family kind, dtype type) {
  switch (kind) {
    case family::sum:
    case family::moments:
    case family::norm1:
    case family::norm2:
    case family::dot:
    case family::logical:
    case family::nan_count:
    case family::pair_nan_count: return true;
    case family::bit_xor: return !info(type).is_floating;
    default: return false;
  }
}

bool subtract_state(family kind, bool has_items, bytes own, const_bytes part) {
  if (kind == family::nan_count || kind == family::pair_nan_count) return subtract_nans(own, part);
  if (kind == family::bit_xor) {
    for (std::size_t i = 0; i < own.size(); ++i) own[i] ^= part[i];
    return has_items || is_zero(own);
  }
  return subtract_integers(kind, has_items, own, part);
}

}  // namespace monofold::runtime
