#pragma once
/// engine/gpu/segment/known_segments: what a host knows of a list of segments whose arrays lie on a device.

#include <cstdint>

#include "monofold/shape/segments.hpp"

namespace monofold::detail {

/// What a host knows of a list of segments without a look at its arrays.
template <class Segments>
struct known_segments {
  static std::int64_t length(const Segments&) { return -1; }
  static constexpr bool may_overlap = true;
};
template <class Offset>
struct known_segments<offset_segments<Offset>> {
  static std::int64_t length(const offset_segments<Offset>&) { return -1; }
  static constexpr bool may_overlap = false;
};
template <>
struct known_segments<fixed_segments> {
  static std::int64_t length(const fixed_segments& list) { return list.length(); }
  static constexpr bool may_overlap = false;
};

}  // namespace monofold::detail
