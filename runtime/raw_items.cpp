#include "runtime/raw_items.hpp"

#include <cstddef>
#include <cstring>

#include "monofold/platform/host_device.hpp"
#include "monofold/platform/instruction_set.hpp"

namespace monofold::runtime {

namespace {

/// A number by its bytes, whatever its type is.
template <class Half>
struct [[gnu::may_alias]] bits_of {
  Half value;
};

/// Simple enough for a compiler's vectors.
template <class Half>
MONOFOLD_INLINE void interleave_simply(const bits_of<Half>* __restrict left,
                                       const bits_of<Half>* __restrict right, std::int64_t count,
                                       bits_of<Half>* __restrict pairs) {
  for (std::int64_t i = 0; i < count; ++i) {
    pairs[2 * i].value = left[i].value;
    pairs[2 * i + 1].value = right[i].value;
  }
}

#if defined(__GNUC__) && defined(__x86_64__)
/// Vectors of 32 bytes: a processor stores one of any length in a cycle.
template <class Half>
__attribute__((target("avx2"))) void interleave_avx2(const bits_of<Half>* left,
                                                     const bits_of<Half>* right, std::int64_t count,
                                                     bits_of<Half>* pairs) {
  interleave_simply(left, right, count, pairs);
}
#endif

template <class Half>
void interleave(const bits_of<Half>* left, const bits_of<Half>* right, std::int64_t count,
                bits_of<Half>* pairs) {
#if defined(__GNUC__) && defined(__x86_64__)
  if (instruction_set_in_use() != instruction_set::baseline) {
    return interleave_avx2(left, right, count, pairs);
  }
#endif
  interleave_simply(left, right, count, pairs);
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
