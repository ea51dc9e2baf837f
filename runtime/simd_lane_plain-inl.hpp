/// runtime/simd_lane_plain-inl: plain sums of rows and columns in lanes, bit for bit as level/core.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_LANE_PLAIN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_LANE_PLAIN_INL
#undef MONOFOLD_RUNTIME_SIMD_LANE_PLAIN_INL
#else
#define MONOFOLD_RUNTIME_SIMD_LANE_PLAIN_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "monofold/plan/tiles.hpp"
#include "runtime/lanes.hpp"
#include "runtime/simd_lane_tags-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

/// The plan's tree. Absent slots are -0, which leaves every sum as it is.
template <class Real>
class plain_lanes {
 public:
  using item = Real;
  using tag = lane_tag<Real>;
  using part = hn::Vec<tag>;
  using spread_of_rows = row_spread<tag>;
  static constexpr int width = lanes_v<Real>;
  static constexpr int column_width = width;
  static constexpr bool by_tree = true;

  HWY_INLINE plain_lanes(const lane_order&, const lane_states& out)
      : out_(static_cast<Real*>(out.first)), levels_(reinterpret_cast<Real*>(out.scratch)) {}

  HWY_INLINE part none() const { return hn::Set(tag(), Real(-0.0)); }
  HWY_INLINE part load_spread(const Real* p, const spread_of_rows& spread) const {
    return spread.load(p, none());
  }
  HWY_INLINE part merge(part a, part b) const {
    return hn::Add(hn::ConcatEven(tag(), b, a), hn::ConcatOdd(tag(), b, a));
  }
  HWY_INLINE part row(const Real* p, std::int64_t length, std::int64_t) const {
    return length <= tile ? tile_of(p, length) : sum_of_tiles(p, length);
  }
  HWY_INLINE void store(part x, std::int64_t r) const { hn::StoreU(x, tag(), out_ + r); }
  HWY_INLINE void seal(std::int64_t, std::int64_t, bool) const {}

  /// Eight slots of one item, four or two of up to four items or one slot at a time. Sums of slots meet as in
  /// `node_joiner`; those that wait lie in `levels_`.
  HWY_INLINE void fold_columns(const lane_columns& columns) {
    const Real* const end = end_of_columns<Real>(columns);
    const std::int64_t leaves = std::min<std::int64_t>(num_slots, columns.length);
    const std::int64_t pitch = (columns.width + width - 1) / width * width;
    const auto level = [&](int d) { return d == 0 ? out_ : levels_ + (d - 1) * pitch; };
    const auto items_of = [&](std::int64_t slot) {
      return static_cast<int>((columns.length - slot + num_slots - 1) / num_slots);
    };
    for (std::int64_t i = 0; i < leaves;) {
      const int count = items_of(i);
      const bool by_eight = columns.length <= num_slots && i + 8 <= leaves;
      const auto are_alike = [&](int slots) {
        return count <= 4 && i % slots == 0 && i + slots <= leaves &&
               items_of(i + slots - 1) == count;
      };
      const int slots = by_eight ? 8 : are_alike(4) ? 4 : are_alike(2) ? 2 : 1;
      const int rows = slots * count;
      const Real* from[most_rows_together];
      for (int k = 0; k < rows; ++k) {
        const std::int64_t item = i + k % slots + k / slots * num_slots;
        from[k] = reinterpret_cast<const Real*>(columns.first + columns.offsets[item]);
      }
      const int waiting = std::popcount(static_cast<std::uint64_t>(i));
      const int joins = std::countr_one(static_cast<std::uint64_t>(i / slots));
      const auto finish = [&](part x, std::int64_t c) HWY_ATTR {
        for (int j = 1; j <= joins; ++j) {
          x = hn::Add(hn::LoadU(tag(), level(waiting - j) + c), x);
        }
        hn::StoreU(x, tag(), level(waiting - joins) + c);
      };
      const auto load = [](const Real* p) HWY_ATTR { return hn::LoadU(tag(), p); };
      if (by_eight) {
        for_vectors_of_columns<width>(
            from, rows, columns, end, [&](const Real* const* p, std::int64_t c) HWY_ATTR {
              const part left = hn::Add(hn::Add(load(p[0] + c), load(p[1] + c)),
                                        hn::Add(load(p[2] + c), load(p[3] + c)));
              const part right = hn::Add(hn::Add(load(p[4] + c), load(p[5] + c)),
                                         hn::Add(load(p[6] + c), load(p[7] + c)));
              finish(hn::Add(left, right), c);
            });
      } else if (slots == 4) {
        for_vectors_of_columns<width>(from, rows, columns, end,
                                      [&](const Real* const* p, std::int64_t c) HWY_ATTR {
                                        part x0 = load(p[0] + c), x1 = load(p[1] + c);
                                        part x2 = load(p[2] + c), x3 = load(p[3] + c);
#pragma GCC unroll 1
                                        for (int k = 4; k < rows; k += 4) {
                                          x0 = hn::Add(x0, load(p[k] + c));
                                          x1 = hn::Add(x1, load(p[k + 1] + c));
                                          x2 = hn::Add(x2, load(p[k + 2] + c));
                                          x3 = hn::Add(x3, load(p[k + 3] + c));
                                        }
                                        finish(hn::Add(hn::Add(x0, x1), hn::Add(x2, x3)), c);
                                      });
      } else if (slots == 2) {
        for_vectors_of_columns<width>(from, rows, columns, end,
                                      [&](const Real* const* p, std::int64_t c) HWY_ATTR {
                                        part x = load(p[0] + c), y = load(p[1] + c);
#pragma GCC unroll 1
                                        for (int k = 2; k < rows; k += 2) {
                                          x = hn::Add(x, load(p[k] + c));
                                          y = hn::Add(y, load(p[k + 1] + c));
                                        }
                                        finish(hn::Add(x, y), c);
                                      });
      } else if (count == 8) {
        for_vectors_of_columns<width>(from, rows, columns, end,
                                      [&](const Real* const* p, std::int64_t c) HWY_ATTR {
                                        part x = load(p[0] + c);
                                        for (int k = 1; k < 8; ++k) x = hn::Add(x, load(p[k] + c));
                                        finish(x, c);
                                      });
      } else {
        for_vectors_of_columns<width>(from, rows, columns, end,
                                      [&](const Real* const* p, std::int64_t c) HWY_ATTR {
                                        part x = load(p[0] + c);
#pragma GCC unroll 1
                                        for (int k = 1; k < rows; ++k)
                                          x = hn::Add(x, load(p[k] + c));
                                        finish(x, c);
                                      });
      }
      i += slots;
    }
    const int waiting = std::popcount(static_cast<std::uint64_t>(leaves));
    for (std::int64_t c = 0; waiting > 1 && c < columns.width; c += width) {
      part x = hn::LoadU(tag(), level(waiting - 1) + c);
      for (int d = waiting - 1; d-- > 0;) x = hn::Add(hn::LoadU(tag(), level(d) + c), x);
      hn::StoreU(x, tag(), out_ + c);
    }
  }

 private:
  static constexpr int num_slots = tile_shape<Real>::row_items;
  static constexpr int vectors = num_slots / width;
  static constexpr std::int64_t tile = tile_items_v<Real>;

  HWY_INLINE part tile_of(const Real* p, std::int64_t length) const {
    part slots[vectors];
    if (length <= width) return load_first(tag(), p, length, none());
    if (length < num_slots) {
      const int used = static_cast<int>((length + width - 1) / width);
      for (int v = 0; v < used; ++v) slots[v] = load_up_to(p, v * width, length);
      int m = static_cast<int>(std::bit_ceil(static_cast<unsigned>(used)));
      for (int v = used; v < m; ++v) slots[v] = none();
      for (; m > 1; m /= 2) {
        for (int i = 0; i < m / 2; ++i) slots[i] = merge(slots[2 * i], slots[2 * i + 1]);
      }
      return slots[0];
    }
    for (int v = 0; v < vectors; ++v) slots[v] = hn::LoadU(tag(), p + v * width);
    std::int64_t at = num_slots;
    for (; at + num_slots <= length; at += num_slots) {
      for (int v = 0; v < vectors; ++v) {
        slots[v] = hn::Add(slots[v], hn::LoadU(tag(), p + at + v * width));
      }
    }
    for (int v = 0; at < length; ++v, at += width) {
      slots[v] = hn::Add(slots[v], load_up_to(p, at, length));
    }
    for (int m = vectors; m > 1; m /= 2) {
      for (int i = 0; i < m / 2; ++i) slots[i] = merge(slots[2 * i], slots[2 * i + 1]);
    }
    return slots[0];
  }
  /// In the first lane; sums of tiles meet as in `node_joiner`.
  HWY_NOINLINE part sum_of_tiles(const Real* p, std::int64_t length) const {
    Real waiting[64];
    std::uint64_t count = 0;
    for (std::int64_t at = 0; at < length; at += tile) {
      part all = tile_of(p + at, std::min(tile, length - at));
      for (int m = width; m > 1; m /= 2) all = merge(all, none());
      Real sum = hn::GetLane(all);
      int d = std::popcount(count);
      for (std::uint64_t carry = count++; (carry & 1) != 0; carry >>= 1) sum = waiting[--d] + sum;
      waiting[d] = sum;
    }
    int d = std::popcount(count) - 1;
    Real sum = waiting[d];
    while (d-- > 0) sum = waiting[d] + sum;
    return hn::IfThenElse(hn::FirstN(tag(), 1), hn::Set(tag(), sum), none());
  }

  HWY_INLINE part load_up_to(const Real* p, std::int64_t at, std::int64_t length) const {
    return at + width <= length ? hn::LoadU(tag(), p + at)
                                : load_first(tag(), p + at, length - at, none());
  }

  Real* out_;
  Real* levels_;
};

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_LANE_PLAIN_INL
