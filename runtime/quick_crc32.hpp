#pragma once
/// runtime/quick_crc32: platform/sealed's CRC-32 by the processor's product of polynomials, where it has one.

#include <cstdint>
#include <span>

#include "monofold/platform/sealed.hpp"

namespace monofold::runtime {

/// tested by  tests/runtime/quick_crc32_test.cpp
std::uint32_t quick_crc32_of(std::span<const unsigned char> bytes);

}  // namespace monofold::runtime
