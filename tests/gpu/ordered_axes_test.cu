// Folds that keep order, of rows whose items lie apart on a GPU: items meet in the order of their indices.

#include <cstdint>
#include <span>
#include <vector>

// Before what kernels are made of: their names must not meet those of the CPU's ways.
#include "monofold/reduce_axis.hpp"

#include "monofold/reduce_axis.cuh"
#include "tests/gpu/array_layouts.cuh"
#include "tests/gpu/column_batches.cuh"
#include "tests/gpu/device.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::array_layout;

class gpu_ordered_axes : public gpu_tests::gpu_test {};

template <class Item>
MONOFOLD_HD std::uint32_t letter_of(const Item& x) {
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(static_cast<double>(x) * 0x1p20));
}

/// The hash of a text whose letters are items: associative, and another one in any other order.
template <class Item>
struct text_hash {
  struct state {
    std::uint32_t hash, power;
  };
  MONOFOLD_HD state lift(const Item& x, std::int64_t) const { return {letter_of(x), 1000003u}; }
  MONOFOLD_HD state combine(const state& l, const state& r) const {
    return {l.hash * r.power + r.hash, l.power * r.power};
  }
  MONOFOLD_HD state identity() const { return {0, 1}; }
  MONOFOLD_HD std::uint32_t finish(const state& s) const { return s.hash; }
};

/// A product of 2 x 2 matrices modulo 2^32, which has indices in it too.
template <class Item>
struct matrices {
  struct state {
    std::uint32_t a, b, c, d;
  };
  MONOFOLD_HD state lift(const Item& x, std::int64_t index) const {
    return {letter_of(x), 5, static_cast<std::uint32_t>(index), 7};
  }
  MONOFOLD_HD state combine(const state& l, const state& r) const {
    return {l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c,
            l.c * r.b + l.d * r.d};
  }
  MONOFOLD_HD std::uint64_t finish(const state& s) const {
    return (std::uint64_t{s.a} << 32 | s.b) * 1000003u + (std::uint64_t{s.c} << 32 | s.d);
  }
};

/// Neither associative nor commutative: the tree shows, too.
template <class Item>
struct ordered_tree {
  using state = std::uint32_t;
  MONOFOLD_HD state lift(const Item& x, std::int64_t index) const {
    return letter_of(x) + static_cast<std::uint32_t>(index) * 77u;
  }
  MONOFOLD_HD state combine(state l, state r) const { return l * 1000003u + (r ^ (r >> 7)); }
};

/// The rows as a loop gives them, one item after the other: no part of the library.
template <class Item, class F>
void expect_loops(const char* what, const F& f, const array_layout& layout) {
  const auto host = gpu_tests::items_by_place<Item>(layout.memory());
  const gpu_tests::device_array<Item> device(host);
  const auto got = mf::try_reduce_axis(
      mf::gpu, mf::array_view<Item>(device.data() + layout.first(), layout.extents, layout.strides),
      layout.axes, f);
  const auto rows = layout.rows();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].empty()) continue;
    auto own = f.lift(host[static_cast<std::size_t>(rows[r][0])], 0);
    for (std::size_t i = 1; i < rows[r].size(); ++i) {
      own = f.combine(
          own, f.lift(host[static_cast<std::size_t>(rows[r][i])], static_cast<std::int64_t>(i)));
    }
    ASSERT_EQ(*got.values[r], f.finish(own)) << what << ": row " << r << "; " << layout.text();
  }
}

TEST_F(gpu_ordered_axes, are_those_of_a_loop) {
  for (const auto& layout : gpu_tests::layouts_of_columns()) {
    if (layout.memory() == 0) continue;
    expect_loops<float>("text", text_hash<float>{}, layout);
    expect_loops<float>("matrices", matrices<float>{}, layout);
    expect_loops<std::uint8_t>("text of bytes", text_hash<std::uint8_t>{}, layout);
    if (HasFatalFailure()) return;
  }
}

TEST_F(gpu_ordered_axes, have_the_bytes_of_the_cpu) {
  gpu_tests::compare_columns_and_layouts<float>("text", text_hash<float>{});
  if (HasFatalFailure()) return;
  gpu_tests::compare_columns_and_layouts<float>("matrices", matrices<float>{});
  if (HasFatalFailure()) return;
  gpu_tests::compare_columns_and_layouts<float>("tree", ordered_tree<float>{});
  if (HasFatalFailure()) return;
  gpu_tests::compare_columns_and_layouts<double>("tree of doubles", ordered_tree<double>{});
}

}  // namespace
