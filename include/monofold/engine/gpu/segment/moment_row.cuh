#pragma once
/// engine/gpu/segment/moment_row: exact sums of a row and of its squares that a team of lanes has in registers.

#include <cstdint>

#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/exact_row.cuh"
#include "monofold/engine/gpu/segment/moment_cells.cuh"
#include "monofold/fold/exact/term.hpp"
#include "monofold/level/slot_array.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Rows of up to a tile, as `exact_row` has them. Where the sums of items are doubles, two doubles hold those of their
/// squares.
template <class Item>
class exact_row<moments_term<Item>> {
 public:
  using values = exact_row<value_term<Item>>;
  using own = bin_cells<moments_term<Item>>;
  using cell = typename own::cell;
  struct step {
    typename own::step how;
    bool is_exact;
  };
  struct totals {
    static constexpr bool any_order = false;
    MONOFOLD_GPU cell join(const cell& a, const cell& b) const { return own::join(a, b); }
  };

  /// Whether doubles may decide the answers: sums are doubles, or, where the step is not exact, have been rounded.
  template <class F, int groups, int depth>
  MONOFOLD_GPU static bool are_summable(const bytes16 (&raw)[groups][depth], step& how) {
    typename values::step seen{};
    if (!values::are_finite(raw, seen)) return false;
    how = {own::squares::step_of(2 * (seen.max_exponent + thread_items<Item>::scale)),
           seen.is_exact};
    return true;
  }
  template <int items = term_format<value_term<Item>>::chunk_items, int depth>
  MONOFOLD_GPU static cell sum_of_lane(const step& how, const bytes16 (&raw)[depth]) {
    cell sum[2] = {own::absent(), own::absent()};
    MONOFOLD_UNROLL
    for (int k = 0; k < depth; ++k) {
      MONOFOLD_UNROLL
      for (int v = 0; v < items; ++v) {
        sum[v % 2] = own::join(sum[v % 2], own::take(how.how, value_of_item<Item>(raw[k], v)));
      }
    }
    return own::join(sum[0], sum[1]);
  }
  /// The same of any numbers, by pairs of doubles.
  template <int items = term_format<value_term<Item>>::chunk_items, int depth>
  MONOFOLD_GPU static auto pair_of_lane(const bytes16 (&raw)[depth]) {
    using pairs = pair_cells<moments_term<Item>>;
    typename pairs::cell sum = pairs::absent();
    MONOFOLD_UNROLL
    for (int k = 0; k < depth; ++k) {
      const auto chunk = bits_as<slot_array<Item, tile_shape<Item>::items_per_lane>>(raw[k]);
      MONOFOLD_UNROLL
      for (int v = 0; v < items; ++v) sum = pairs::add({}, sum, chunk[v]);
    }
    return sum;
  }
  template <class F, class Out>
  MONOFOLD_GPU static bool store(const F& f, const cell& total, std::int64_t length,
                                 const step& how, Out out) {
    return finish_cell<own>(f, total, static_cast<int>(length), how.is_exact,
                            {values::most_additions, 0}, *out);
  }
};

}  // namespace monofold::detail
