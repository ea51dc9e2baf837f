#include "cli/sample_data.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <type_traits>

#include "monofold/platform/numbers.hpp"

namespace monofold::cli {
namespace {

std::uint64_t mix(std::uint64_t seed, std::int64_t index) {
  std::uint64_t z = seed * 0xd1342543de82ef95u + static_cast<std::uint64_t>(index) + 1;
  z *= 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// 53 random bits make every multiple of 2^-53 below 1.
double unit(std::uint64_t random) { return static_cast<double>(random >> 11) * 0x1p-53; }

// Two neighbours share the two uniform numbers that make a pair of normal ones.
double normal(std::uint64_t seed, std::int64_t index) {
  const std::int64_t pair = index & ~std::int64_t{1};
  const double radius = std::sqrt(-2 * std::log(1 - unit(mix(seed, pair))));
  const double angle = 2 * std::numbers::pi * unit(mix(seed, pair + 1));
  return radius * (index == pair ? std::cos(angle) : std::sin(angle));
}

// The 16 bits of a float, rounded to nearest, ties to even. `drop` fraction bits of a double go.
float16 to_float16(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return float16(sign | 0x7e00);
  if (magnitude >= 65520) return float16(sign | 0x7c00);
  // Below 2^-14 the spacing is 2^-24 and the pattern is that multiple of it; above, the exponent
  // counts up from one. A carry into the exponent is the right pattern too.
  const int exponent = std::max(-14, magnitude > 0 ? std::ilogb(magnitude) : -14);
  const double steps = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  const int pattern = static_cast<int>(steps) + ((exponent + 14) << 10);
  return float16(sign | pattern);
}

bfloat16 to_bfloat16(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (std::isnan(value)) return bfloat16(bits >> 16 | 0x40);
  return bfloat16((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <class T>
T convert(double value) {
  if constexpr (std::is_same_v<T, float16>) {
    return to_float16(value);
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return to_bfloat16(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return (static_cast<std::int64_t>(value) & 1) != 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    const auto low = static_cast<double>(std::numeric_limits<T>::min());
    const double cut = std::clamp(value, low, static_cast<double>(std::numeric_limits<T>::max()));
    // The largest 64-bit number is not a double; what rounds up to it must not be converted.
    if (cut >= static_cast<double>(std::numeric_limits<T>::max())) {
      return std::numeric_limits<T>::max();
    }
    return static_cast<T>(cut);
  }
}

// Bit patterns that are numbers: of floats those that are not NaN, with exponents that spread over
// the whole range, so that infinities, zeros and denormals occur.
template <class T>
T hard_item(std::uint64_t random) {
  if constexpr (std::is_same_v<T, bool>) {
    return (random & 1) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    constexpr T least = std::numeric_limits<T>::min();
    constexpr T most = std::numeric_limits<T>::max();
    const std::array<T, 8> extremes{least, most, 0, 1, static_cast<T>(-1), most / 2, most, least};
    return random % 3 == 0 ? extremes[random >> 8 & 7] : static_cast<T>(random >> 16);
  } else {
    constexpr int drop = 64 - 8 * static_cast<int>(sizeof(T));
    using bits =
        std::conditional_t<sizeof(T) == 8, std::uint64_t,
                           std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
    const T item = std::bit_cast<T>(static_cast<bits>(random >> drop));
    const auto wide = static_cast<double>(item);
    if (std::isfinite(wide)) return random % 16 == 0 ? convert<T>(std::copysign(0.0, wide)) : item;
    return convert<T>(std::copysign(1.0, wide));
  }
}

template <class T>
T item_at(distribution shape, std::uint64_t seed, std::int64_t index) {
  constexpr bool whole = std::is_integral_v<T>;
  switch (shape) {
    case distribution::uniform: {
      const std::uint64_t random = mix(seed, index);
      if constexpr (std::is_same_v<T, bool>) return (random >> 63) != 0;
      if constexpr (whole) return static_cast<T>(random >> (64 - 8 * sizeof(T)));
      return convert<T>(unit(random));
    }
    case distribution::normal: return convert<T>(normal(seed, index) * (whole ? 16 : 1));
    case distribution::ramp:
      if constexpr (std::is_same_v<T, bool>) return (index & 1) != 0;
      if constexpr (whole) return static_cast<T>(index);
      return convert<T>(static_cast<double>(index));
    case distribution::integers: return convert<T>(static_cast<double>(mix(seed, index) % 101));
    case distribution::hard: break;
  }
  return hard_item<T>(mix(seed, index));
}

}  // namespace

std::optional<distribution> distribution_from_name(std::string_view name) {
  if (name == "uniform") return distribution::uniform;
  if (name == "normal") return distribution::normal;
  if (name == "ramp") return distribution::ramp;
  if (name == "integers") return distribution::integers;
  return std::nullopt;
}

void fill_items(dtype type, distribution shape, std::uint64_t seed, std::int64_t first,
                std::int64_t count, void* out) {
  visit_dtype(type, [&]<class T>() {
    T* const items = static_cast<T*>(out);
    for (std::int64_t i = 0; i < count; ++i) items[i] = item_at<T>(shape, seed, first + i);
  });
}

}  // namespace monofold::cli
