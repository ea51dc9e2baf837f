#pragma once
/// ladder/atomics: combines a state with one in global memory, atomically.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ladder/operators.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::ladder {

/// By comparing and swapping the bits until nobody came between: for what has no instruction.
template <class T, class Bits, class F>
MONOFOLD_GPU void combine_bits(const F& f, T* word, T own) {
  auto* const bits = reinterpret_cast<Bits*>(word);
  Bits seen = atomicOr(bits, Bits{0});
  while (true) {
    T before;
    std::memcpy(&before, &seen, sizeof(T));
    const T after = f.combine(before, own);
    Bits wanted;
    std::memcpy(&wanted, &after, sizeof(T));
    const Bits found = atomicCAS(bits, seen, wanted);
    if (found == seen) return;
    seen = found;
  }
}

template <class T>
MONOFOLD_GPU void add_atomically(T* word, T own) {
  if constexpr (std::is_integral_v<T>) {
    // The sum of two's complement numbers does not know the sign.
    atomicAdd(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(own));
  } else {
    atomicAdd(word, own);
  }
}

template <class T>
MONOFOLD_GPU void combine_atomically(const sum_of<T>&, sum_t<T>* word, sum_t<T> own) {
  add_atomically(word, own);
}
/// Two words, one atomic addition each: nobody reads them before all blocks are done.
template <class T>
MONOFOLD_GPU void combine_atomically(const mean_of<T>&, typename mean_of<T>::state* word,
                                     const typename mean_of<T>::state& own) {
  add_atomically(&word->sum, own.sum);
  add_atomically(&word->count, own.count);
}
template <class F>
MONOFOLD_GPU void combine_atomically(const F& f, typename F::state* word, typename F::state own) {
  using bits = std::conditional_t<sizeof(own) == 4, unsigned, unsigned long long>;
  combine_bits<typename F::state, bits>(f, word, own);
}

}  // namespace monofold::ladder
