#pragma once
/// runtime/choose_loop: the function of the instruction set in use, of those that Highway compiles one each for.
///
/// The choice is the headers' own, so that there is one; Highway's is in a shared library that takes 4 ms of each
/// process to look at the clock.

#include <hwy/highway.h>

#include "monofold/platform/instruction_set.hpp"

namespace monofold::runtime {

/// Null stands for a set that there is no code for; then it is that of the next one below.
template <class Function>
Function* choose_loop(Function* avx512, Function* avx2, Function* baseline) {
  const auto set = instruction_set_in_use();
  if (set == instruction_set::avx512 && avx512 != nullptr) return avx512;
  if (set != instruction_set::baseline && avx2 != nullptr) return avx2;
  return baseline;
}

}  // namespace monofold::runtime

/// `name`: a function of each HWY_NAMESPACE, seen from the namespace around these.
#define MONOFOLD_CHOOSE_LOOP(name)                                     \
  monofold::runtime::choose_loop<decltype(HWY_STATIC_DISPATCH(name))>( \
      HWY_CHOOSE_AVX3(name), HWY_CHOOSE_AVX2(name), HWY_CHOOSE_FALLBACK(name))
