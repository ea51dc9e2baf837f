#include "cli/native_items.hpp"

#include <cstddef>
#include <cstring>

namespace monofold::cli {
namespace {

// Written with shifts, which the compiler turns into one byte-swap instruction or a vector shuffle.
std::uint16_t swapped(std::uint16_t x) { return static_cast<std::uint16_t>(x >> 8 | x << 8); }
std::uint32_t swapped(std::uint32_t x) { return __builtin_bswap32(x); }
std::uint64_t swapped(std::uint64_t x) { return __builtin_bswap64(x); }

template <class Word>
void swap_all(std::byte* items, std::int64_t num_items) {
  for (std::int64_t i = 0; i < num_items; ++i) {
    Word word;
    std::memcpy(&word, items + i * std::int64_t{sizeof(Word)}, sizeof(Word));
    word = swapped(word);
    std::memcpy(items + i * std::int64_t{sizeof(Word)}, &word, sizeof(Word));
  }
}

}  // namespace

item_fixes fixes_for(dtype type, bool swapped) {
  return {swapped && info(type).size_bytes > 1, type == dtype::boolean};
}

void make_native(void* items, std::int64_t num_items, int item_bytes, item_fixes fixes) {
  auto* bytes = static_cast<std::byte*>(items);
  if (fixes.swap) {
    if (item_bytes == 2) swap_all<std::uint16_t>(bytes, num_items);
    if (item_bytes == 4) swap_all<std::uint32_t>(bytes, num_items);
    if (item_bytes == 8) swap_all<std::uint64_t>(bytes, num_items);
  }
  if (fixes.normalise) {
    for (std::int64_t i = 0; i < num_items; ++i) {
      bytes[i] = bytes[i] != std::byte{0} ? std::byte{1} : std::byte{0};
    }
  }
}

}  // namespace monofold::cli
