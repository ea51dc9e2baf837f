#pragma once
/// engine/gpu/segment/known_segments: what the host knows of a list of segments whose arrays lie on a device.

#include <cstdint>

#include "monofold/shape/segments.hpp"

namespace monofold::detail {

/// What a host knows of a list of segments without a look at its arrays. `always_fixed`: each list has segments of one
/// length, which is not -1; `never_fixed`: none has.
template <class Segments>
struct known_segments {
  static std::int64_t length(const Segments&) { return -1; }
  static constexpr bool may_overlap = true;
  static constexpr bool always_fixed = false;
  static constexpr bool never_fixed = true;
};
template <class Offset>
struct known_segments<offset_segments<Offset>> {
  static std::int64_t length(const offset_segments<Offset>&) { return -1; }
  static constexpr bool may_overlap = false;
  static constexpr bool always_fixed = false;
  static constexpr bool never_fixed = true;
};
template <>
struct known_segments<fixed_segments> {
  static std::int64_t length(const fixed_segments& list) { return list.length(); }
  static constexpr bool may_overlap = false;
  static constexpr bool always_fixed = true;
  static constexpr bool never_fixed = false;
};

}  // namespace monofold::detail
