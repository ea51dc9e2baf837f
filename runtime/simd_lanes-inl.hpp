/// runtime/simd_lanes-inl: how rows and columns come to lanes, and what is done to them there.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_LANES_INL
#undef MONOFOLD_RUNTIME_SIMD_LANES_INL
#else
#define MONOFOLD_RUNTIME_SIMD_LANES_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "monofold/plan/tiles.hpp"
#include "runtime/lanes.hpp"
#include "runtime/prefetch.hpp"
#include "runtime/simd_lane_best-inl.hpp"
#include "runtime/simd_lane_exact-inl.hpp"
#include "runtime/simd_lane_plain-inl.hpp"
#include "runtime/simd_lane_tags-inl.hpp"
#include "runtime/simd_lane_wide-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

/// The items of a row in one vector, where order does not matter.
template <class Op>
HWY_INLINE typename Op::part gather_row(Op& op, const typename Op::item* p, std::int64_t length,
                                        std::int64_t ahead) {
  constexpr std::int64_t n = Op::width;
  if (length < n) return op.load_some(p, length, 0);
  typename Op::part all = op.load(p, 0);
  std::int64_t i = n;
  if (length >= 8 * n) {
    typename Op::part b = op.load(p + n, n), c = op.load(p + 2 * n, 2 * n);
    typename Op::part e = op.load(p + 3 * n, 3 * n);
    for (i = 4 * n; i + 4 * n <= length; i += 4 * n) {
      prefetch_ahead<4 * n * sizeof(typename Op::item)>(p + i, ahead);
      all = op.add(all, p + i, i);
      b = op.add(b, p + i + n, i + n);
      c = op.add(c, p + i + 2 * n, i + 2 * n);
      e = op.add(e, p + i + 3 * n, i + 3 * n);
    }
    all = op.join(op.join(all, b), op.join(c, e));
  }
  for (; i + n <= length; i += n) all = op.add(all, p + i, i);
  return i < length ? op.join(all, op.load_some(p + i, length - i, i)) : all;
}

/// Asks memory for what is read some rows later.
template <class Item>
HWY_INLINE void prefetch_rows(const lane_rows& rows, const Item* p, std::int64_t items) {
  if (rows.ahead == 0) return;
  prefetch_lines(reinterpret_cast<const char*>(p + rows.ahead),
                 items * static_cast<std::int64_t>(sizeof(Item)));
}

/// Vectors of neighbouring parts of rows to one: lane r has row r. Neighbours in a row meet first.
template <int count, class Op>
HWY_INLINE typename Op::part merge_all(Op& op, typename Op::part* parts) {
  for (int m = count; m > 1; m /= 2) {
    for (int i = 0; i < m / 2; ++i) parts[i] = op.merge(parts[2 * i], parts[2 * i + 1]);
  }
  return parts[0];
}

/// Rows of up to `places` items, fewer than lanes, without gaps: several in one vector. Returns how many were
/// folded: all but those whose vectors would end behind the last row.
template <int places, class Op>
HWY_INLINE std::int64_t fold_packed(Op& op, const lane_rows& rows) {
  constexpr int n = Op::width;
  constexpr int in_vector = n / places;
  const auto* const first = static_cast<const typename Op::item*>(rows.first);
  const typename Op::spread_of_rows spread(rows.length, places);
  std::int64_t r = 0;
  for (; (r + n) * rows.length + n <= rows.count * rows.length; r += n) {
    prefetch_rows(rows, first + r * rows.length, n * rows.length);
    typename Op::part parts[places];
    for (int v = 0; v < places; ++v) {
      parts[v] = op.load_spread(first + (r + v * in_vector) * rows.length, spread);
    }
    op.store(merge_all<places>(op, parts), r);
    op.seal(r + n, rows.length, false);
  }
  return r;
}

template <class Op>
HWY_INLINE void fold_lane_rows(Op& op, const lane_rows& rows) {
  constexpr int n = Op::width;
  const auto* const first = static_cast<const typename Op::item*>(rows.first);
  std::int64_t r = 0;
  if (rows.length < n && rows.pitch == rows.length) {
    switch (std::bit_ceil(static_cast<unsigned>(rows.length))) {
      case 1: r = fold_packed<1>(op, rows); break;
      case 2: r = fold_packed<2>(op, rows); break;
      case 4: r = fold_packed<std::min(n, 4)>(op, rows); break;
      case 8: r = fold_packed<std::min(n, 8)>(op, rows); break;
      default: r = fold_packed<n>(op, rows); break;
    }
  }
  const bool is_gapless = rows.pitch == rows.length;
  for (; r < rows.count; r += n) {
    typename Op::part parts[n];
    const auto own = static_cast<int>(std::min<std::int64_t>(n, rows.count - r));
    const auto* const from = first + r * rows.pitch;
    if (is_gapless) prefetch_rows(rows, from, own * rows.length);
    for (int v = 0; v < own; ++v) {
      if (!is_gapless) prefetch_rows(rows, from + v * rows.pitch, rows.length);
      parts[v] = op.row(from + v * rows.pitch, rows.length, rows.ahead_in_row);
    }
    for (int v = own; v < n; ++v) parts[v] = op.none();
    op.store(merge_all<n>(op, parts), r);
    op.seal(r + n, rows.length, false);
  }
  op.seal(rows.count, rows.length, true);
}

/// What may be read of what lies behind the columns ends here.
template <class Item>
HWY_INLINE const Item* end_of_columns(const lane_columns& columns) {
  if (!columns.is_dense) return nullptr;
  const std::int64_t last = *std::max_element(columns.offsets, columns.offsets + columns.length);
  return reinterpret_cast<const Item*>(columns.first + last) + columns.width;
}

/// Calls step(row pointers, column) for vectors of columns, and asks memory for what is read some time later. The last
/// ones, where they do not fill a vector, are loaded with what lies behind them, or copied where that may be nothing.
template <int n, class Item, class Step>
HWY_INLINE void for_vectors_of_columns(const Item* const* from, int num_rows,
                                       const lane_columns& columns, const Item* end,
                                       const Step& step) {
  std::int64_t c = 0;
  for (; c + n <= columns.width; c += n) {
    if (n * sizeof(Item) >= 32 && columns.ahead != 0) {
      for (int k = 0; k < num_rows; ++k) {
        prefetch_far(reinterpret_cast<const char*>(from[k] + c) + columns.ahead);
      }
    }
    step(from, c);
  }
  if (c == columns.width) return;
  const Item* const last = *std::max_element(from, from + num_rows);
  if (end != nullptr && end - last >= c + n) return step(from, c);
  alignas(64) Item copy[most_rows_together][n] = {};
  const Item* row[most_rows_together] = {};
  for (int k = 0; k < num_rows; ++k) {
    std::memcpy(copy[k], from[k] + c, static_cast<std::size_t>(columns.width - c) * sizeof(Item));
    row[k] = copy[k] - c;
  }
  step(row, c);
}

/// Columns where order does not matter: eight items of each at a time. Memory is not asked for the next ones: where rows
/// begin multiples of 4 KiB apart there is no room for both in the first-level cache. False: flags say that some may be
/// wrong.
template <class Op>
HWY_INLINE bool fold_lane_columns(Op& op, const lane_columns& columns) {
  using item = typename Op::item;
  const auto has_rounded = [&]() HWY_ATTR {
    if constexpr (requires { requires Op::columns_by_flags; }) return op.has_rounded();
    return false;
  };
  if constexpr (Op::by_tree) {
    op.fold_columns(columns);
  } else {
    auto* const wide = static_cast<item*>(columns.wide);
    const std::int64_t pitch = columns.width + lane_padding;
    const item* const end = wide != nullptr ? wide + 8 * pitch : end_of_columns<item>(columns);
    const auto row_of = [&](std::int64_t i, int k) HWY_ATTR -> const item* {
      const char* const own = columns.first + columns.offsets[i];
      if (wide == nullptr) return reinterpret_cast<const item*>(own);
      widen_items(columns.type, own, columns.width, wide + k * pitch);
      return wide + k * pitch;
    };
    const std::int64_t together = columns.length / 8 * 8;
    const auto store = [&](const auto& own, std::int64_t c, bool is_last) HWY_ATTR {
      is_last ? op.finish_column(own, c, columns.length) : op.store_column(own, c);
    };
    for (std::int64_t i = 0; i < together; i += 8) {
      const item* from[8];
      for (int k = 0; k < 8; ++k) from[k] = row_of(i + k, k);
      const auto add = [&](const item* const* row, std::int64_t c) HWY_ATTR {
        auto own = op.load_column(c);
#pragma GCC unroll 8
        for (int k = 0; k < 8; ++k) op.add_to(own, row[k] + c, i + k);
        store(own, c, i + 8 == columns.length);
      };
      const auto open = [&](const item* const* row, std::int64_t c) HWY_ATTR {
        auto own = op.open(row[0] + c);
#pragma GCC unroll 7
        for (int k = 1; k < 8; ++k) op.add_to(own, row[k] + c, k);
        store(own, c, columns.length == 8);
      };
      if (i > 0) {
        for_vectors_of_columns<Op::column_width>(from, 8, columns, end, add);
      } else {
        for_vectors_of_columns<Op::column_width>(from, 8, columns, end, open);
      }
      if (has_rounded()) return false;
    }
    const int rest = static_cast<int>(columns.length - together);
    if (rest == 0) return true;
    const item* from[8];
    for (int k = 0; k < rest; ++k) from[k] = row_of(together + k, k);
    for_vectors_of_columns<Op::column_width>(
        from, rest, columns, end, [&](const item* const* row, std::int64_t c) HWY_ATTR {
          auto own = together == 0 ? op.open(row[0] + c) : op.load_column(c);
          for (int k = together == 0; k < rest; ++k) op.add_to(own, row[k] + c, together + k);
          store(own, c, true);
        });
  }
  return !has_rounded();
}

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_LANES_INL
