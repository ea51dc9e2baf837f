/// bench/exact_peers/neal_large: R. Neal's large superaccumulator, to be compared with.
///
/// What the paper describes: 4096 chunks of 64 bits, one for each sign and exponent field, gather
/// the bits of items as they are, sign and exponent included, modulo 2^64. A count per chunk says
/// how many more items it takes before the sum of its significands could leave 64 bits, and how
/// many there were: so many times the sign and exponent are taken off again when the chunk is
/// spilled. Spills go to a small superaccumulator: signed 64-bit chunks that lie 32 bits apart, so
/// that neighbours overlap by 32 bits and carries wait.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bench/exact_peers/peers.hpp"

namespace bench {

namespace {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

/// Chunk i counts units of 2^(32 i - 1074).
class small_superaccumulator {
 public:
  /// Adds value * 2^(position - 1074).
  void add(uint128 value, int position, bool negative) {
    if (room_ == 0) carry();
    --room_;
    const auto first = static_cast<std::size_t>(position / 32);
    const int shift = position % 32;
    // 64 + 31 bits at most: three chunks.
    const uint128 wide = value << shift;
    const std::array<std::uint64_t, 3> part{static_cast<std::uint32_t>(wide),
                                            static_cast<std::uint32_t>(wide >> 32),
                                            static_cast<std::uint64_t>(wide >> 64)};
    for (std::size_t p = 0; p < part.size(); ++p) {
      const auto size = static_cast<std::int64_t>(part[p]);
      chunk_[first + p] += negative ? -size : size;
    }
  }

  /// The sum, rounded to nearest, ties to even. For finite sums.
  double rounded() {
    carry();
    const bool negative = chunk_.back() < 0;
    if (negative) {
      for (std::int64_t& c : chunk_) c = -c;
      carry();
    }
    std::size_t top = chunk_.size() - 1;
    while (top > 0 && chunk_[top] == 0) --top;
    // The leading 64 or more bits, and whether there is anything below them.
    uint128 lead = 0;
    const std::size_t low = top >= 3 ? top - 3 : 0;
    for (std::size_t i = top + 1; i-- > low;)
      lead = lead << 32 | static_cast<std::uint32_t>(chunk_[i]);
    bool sticky = false;
    for (std::size_t i = 0; i < low; ++i) sticky = sticky || chunk_[i] != 0;
    if (lead == 0) return 0;
    int exponent = static_cast<int>(32 * low) - 1074;
    int width = 128 - std::countl_zero(static_cast<std::uint64_t>(lead >> 64));
    if (lead >> 64 == 0) width = 64 - std::countl_zero(static_cast<std::uint64_t>(lead));
    if (width > 64) {
      const int drop = width - 64;
      sticky = sticky || (lead & ((uint128{1} << drop) - 1)) != 0;
      lead >>= drop;
      exponent += drop;
    }
    // Down to 53 bits, or to the unit of subnormal numbers.
    auto kept = static_cast<std::uint64_t>(lead);
    const int bits = static_cast<int>(std::bit_width(kept));
    const int drop = bits > 53 ? bits - 53 : 0;
    if (drop > 0) {
      const std::uint64_t half = std::uint64_t{1} << (drop - 1);
      const std::uint64_t rest = kept & (half | (half - 1));
      kept >>= drop;
      if (rest > half || (rest == half && (sticky || (kept & 1) != 0))) ++kept;
    }
    const double size = std::ldexp(static_cast<double>(kept), exponent + drop);
    return negative ? -size : size;
  }

 private:
  /// All chunks but the last one into [0, 2^32).
  void carry() {
    std::int64_t above = 0;
    for (std::size_t i = 0; i + 1 < chunk_.size(); ++i) {
      const std::int64_t sum = chunk_[i] + above;
      above = sum >> 32;
      chunk_[i] = sum & 0xffffffff;
    }
    chunk_.back() += above;
    room_ = most_adds;
  }

  // Each addition is below 2^32, chunks below 2^32 after carries: 2^30 additions stay below 2^63.
  static constexpr std::int64_t most_adds = std::int64_t{1} << 30;

  std::array<std::int64_t, 70> chunk_{};
  std::int64_t room_ = most_adds;
};

class large_superaccumulator {
 public:
  void add(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto at = static_cast<std::size_t>(bits >> fraction_bits);
    // One test for a chunk that is full, one that was never used, and infinities and NaN.
    if (--room_[at] < 0) make_room(at, x);
    chunk_[at] += bits;
  }

  double rounded() {
    if (!std::isfinite(special_)) return special_;
    for (std::size_t at = 0; at < num_chunks; ++at) {
      if (used_[at]) spill(at, most_adds - room_[at]);
    }
    return small_.rounded();
  }

 private:
  static constexpr int fraction_bits = 52;
  static constexpr std::size_t num_chunks = 4096;
  /// So many fractions of 52 bits stay below 2^63.
  static constexpr std::int16_t most_adds = 1 << 11;

  /// Room for the item x and more, which the caller adds.
  void make_room(std::size_t at, double x) {
    room_[at] = 0;
    if (!std::isfinite(x)) {
      special_ += x;
      return;
    }
    if (used_[at]) spill(at, most_adds);
    used_[at] = true;
    room_[at] = most_adds - 1;
  }

  /// Moves a chunk to the small superaccumulator.
  void spill(std::size_t at, int items) {
    const auto n = static_cast<std::uint64_t>(items);
    const auto field = static_cast<int>(at & 0x7ff);
    // Sign and exponent leave as often as they came; what is left are the fractions, to which each
    // normal item has a leading one besides.
    uint128 sum = chunk_[at] - n * (static_cast<std::uint64_t>(at) << fraction_bits);
    if (field != 0) sum += uint128{n} << fraction_bits;
    small_.add(sum, field != 0 ? field - 1 : 0, at >> 11 != 0);
    chunk_[at] = 0;
  }

  std::array<std::uint64_t, num_chunks> chunk_{};
  std::array<std::int16_t, num_chunks> room_{};
  std::array<bool, num_chunks> used_{};
  double special_ = 0;
  small_superaccumulator small_;
};

}  // namespace

std::function<outcome()> neal_large_call(const double* items, std::int64_t count) {
  return timed([items, count] {
    large_superaccumulator sum;
    for (std::int64_t i = 0; i < count; ++i) sum.add(items[i]);
    return std::vector{sum.rounded()};
  });
}

}  // namespace bench
