#include "runtime/raw_items.hpp"

#include <cstddef>
#include <cstring>

namespace monofold::runtime {

namespace {

/// A number by its bytes, whatever its type is.
template <class Half>
struct [[gnu::may_alias]] bits_of {
  Half value;
};

/// Simple enough for a compiler's vectors.
template <class Half>
void interleave(const bits_of<Half>* __restrict left, const bits_of<Half>* __restrict right,
                std::int64_t count, bits_of<Half>* __restrict pairs) {
  for (std::int64_t i = 0; i < count; ++i) {
    pairs[2 * i].value = left[i].value;
    pairs[2 * i + 1].value = right[i].value;
  }
}

template <class Half>
void copy_pairs(const raw_items& items, void* to) {
  using bits = bits_of<Half>;
  interleave(reinterpret_cast<const bits*>(items.left), reinterpret_cast<const bits*>(items.right),
             items.count, static_cast<bits*>(to));
}

}  // namespace

void copy_items(const raw_items& items, void* to) {
  if (items.count == 0) return;
  if (items.right == nullptr) {
    std::memcpy(to, items.left, static_cast<std::size_t>(items.count * items.item_bytes));
    return;
  }
  switch (items.item_bytes) {
    case 2: return copy_pairs<std::uint8_t>(items, to);
    case 4: return copy_pairs<std::uint16_t>(items, to);
    case 8: return copy_pairs<std::uint32_t>(items, to);
    default: return copy_pairs<std::uint64_t>(items, to);
  }
}

}  // namespace monofold::runtime
