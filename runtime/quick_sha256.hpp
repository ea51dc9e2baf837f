#pragma once
/// runtime/quick_sha256: the digest of bytes by the processor's own instructions, where it has them.

#include <span>

#include "monofold/platform/sha256.hpp"

namespace monofold::runtime {

/// What sha256_of gives.
///
/// source     Gulley, Gopal, Yap, Feghali, Guilford and Wolrich 2013, Intel SHA Extensions (the instructions)
/// tested by  tests/runtime/quick_sha256_test.cpp
sha256_digest quick_sha256_of(std::span<const unsigned char> bytes);

}  // namespace monofold::runtime
