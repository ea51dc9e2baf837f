#include "ladder/data.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace monofold::ladder {

namespace {

// Sebastiano Vigna's splitmix64: neighbouring indices get unrelated numbers.
std::uint64_t mixed(std::uint64_t i) {
  std::uint64_t z = i * 0x9e3779b97f4a7c15u + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Whole numbers whose magnitudes add up to less than 2^`bits`.
std::int64_t summand(std::int64_t i, std::int64_t n, int bits) {
  const std::int64_t room = std::int64_t{1} << (bits - 1);
  const auto random = static_cast<std::int64_t>(mixed(static_cast<std::uint64_t>(i)) >> 2);
  const std::int64_t most = std::min(room / n, std::int64_t{1} << 40);
  if (most >= 1) return random % (2 * most + 1) - most;
  return i % (n / room + 1) == 0 ? random % 2 * 2 - 1 : 0;
}

template <class T>
T added(std::int64_t i, std::int64_t n) {
  if constexpr (std::is_same_v<T, std::int32_t>) {
    // Mostly above 0, so that the sum of three is often more than an int32 holds.
    return static_cast<T>(
        static_cast<std::int64_t>(mixed(static_cast<std::uint64_t>(i)) % 2'500'000'000u) -
        500'000'000);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return summand(i, n, 62);
  } else {
    return static_cast<T>(summand(i, n, std::is_same_v<T, float> ? 24 : 53));
  }
}

/// Where the best item stands: at either end, where off-by-one mistakes live, or inside.
std::int64_t best_place(std::int64_t n) {
  if (n % 3 == 0) return n - 1;
  return n % 3 == 1 ? 0 : static_cast<std::int64_t>(mixed(7) % static_cast<std::uint64_t>(n));
}

template <class T>
T compared(operation op, std::int64_t i, std::int64_t n) {
  const std::int64_t best = best_place(n);
  auto distance =
      static_cast<std::int64_t>(3000 + mixed(static_cast<std::uint64_t>(i)) % 10'000'000);
  if (i == best) distance = 500;
  if (op == operation::top2 && i == n - 1 - best) distance = n % 2 == 0 ? 500 : 600;
  return static_cast<T>(op == operation::min ? distance : -distance);
}

template <class T>
std::array<T, 4> matrix(std::int64_t i, std::int64_t n) {
  const std::uint64_t random = mixed(static_cast<std::uint64_t>(i));
  if constexpr (std::is_integral_v<T>) {
    using bits = std::make_unsigned_t<T>;
    const auto a = static_cast<bits>(random);
    const auto b = static_cast<bits>(mixed(~random));
    // Small factors wrap as int: 64 bits, of which the lowest are the product's.
    const auto d = static_cast<bits>(std::uint64_t{1} + std::uint64_t{a} * b);
    return {1, static_cast<T>(a), static_cast<T>(b), static_cast<T>(d)};
  } else {
    return {static_cast<T>(random % 2 == 0 ? 1 : -1), added<T>(i, n), 0, 1};
  }
}

template <class T>
std::vector<std::byte> items_of(const task& what) {
  const std::size_t size = what.op == operation::matmul ? 4 * sizeof(T) : sizeof(T);
  std::vector<std::byte> out(static_cast<std::size_t>(what.n) * size);
  for (std::int64_t i = 0; i < what.n; ++i) {
    std::byte* const to = out.data() + static_cast<std::size_t>(i) * size;
    if (what.op == operation::matmul) {
      const auto item = matrix<T>(i, what.n);
      std::memcpy(to, item.data(), size);
    } else {
      const bool adds = what.op == operation::sum || what.op == operation::mean;
      const T item = adds ? added<T>(i, what.n) : compared<T>(what.op, i, what.n);
      std::memcpy(to, &item, size);
    }
  }
  return out;
}

}  // namespace

std::vector<std::byte> make_items(const task& what) {
  switch (what.type) {
    case element_type::int32: return items_of<std::int32_t>(what);
    case element_type::int64: return items_of<std::int64_t>(what);
    case element_type::float32: return items_of<float>(what);
    case element_type::float64: break;
  }
  return items_of<double>(what);
}

}  // namespace monofold::ladder
