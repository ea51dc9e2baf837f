#pragma once
/// runtime/gpu/halves_fold: folds of float32 that take float16 or bfloat16, told at run time which: both have one kernel.

#include <cstdint>

#include "monofold/platform/dtype.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::runtime {

/// The items are words, so tiles are those of 16 bits.
template <class Fold>
struct halves_fold : Fold {
  bool are_bfloat16;

  halves_fold(const Fold& fold, dtype type) : Fold(fold), are_bfloat16(type == dtype::bfloat16) {}

  MONOFOLD_HD typename Fold::state lift(std::uint16_t word, std::int64_t index) const {
    const float value = are_bfloat16 ? static_cast<float>(float_from_bits<bfloat16>(word))
                                     : static_cast<float>(float_from_bits<float16>(word));
    return Fold::lift(value, index);
  }
};

}  // namespace monofold::runtime
