#pragma once
/// traced/letters: words of letters, joined: an operator that shows the order of its operands.

#include <cstdint>
#include <string_view>

#include "monofold/platform/host_device.hpp"

namespace monofold::ladder {

inline constexpr std::string_view alphabet =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-";

/// Words of up to 64 letters; what is longer is cut. An item is the code of a letter.
template <class T>
struct letters_of {
  using item = T;
  struct state {
    char text[64];
  };
  static constexpr bool commutative = false;
  static constexpr bool exact = true;
  MONOFOLD_HD state identity() const { return {}; }
  MONOFOLD_HD state lift(T x, std::int64_t = 0) const { return {{static_cast<char>(x)}}; }
  MONOFOLD_HD state combine(state l, state r) const {
    int at = 0;
    while (at < 64 && l.text[at] != 0) ++at;
    for (int i = 0; at < 64 && i < 64 && r.text[i] != 0; ++i) l.text[at++] = r.text[i];
    return l;
  }
};

}  // namespace monofold::ladder
