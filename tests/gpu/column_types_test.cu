// Columns of doubles, bfloat16 and integers on a GPU: each has the bytes of its items alone.

#include <cstdint>

// Before what kernels are made of: their names must not meet those of the CPU's ways.
#include "monofold/reduce_axis.hpp"

#include "monofold/reduce_axis.cuh"
#include "tests/gpu/column_batches.cuh"
#include "tests/gpu/device.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::compare_columns_and_layouts;
using gpu_tests::special_items;

class gpu_column_types : public gpu_tests::gpu_test {};

/// Not associative: what another tree gives is another number. Items of any bits count by their number.
template <class Item>
struct tree_of {
  using state = std::uint32_t;
  static constexpr bool commutative = true;
  MONOFOLD_HD state lift(const Item& x, std::int64_t index) const {
    return static_cast<state>(static_cast<std::int64_t>(static_cast<double>(x) * 0x1p20)) +
           static_cast<state>(index) * 77u;
  }
  MONOFOLD_HD state combine(state l, state r) const { return l * 1000003u + (r ^ (r >> 7)); }
};

TEST_F(gpu_column_types, doubles) {
  compare_columns_and_layouts<double>("double plain_sum", mf::plain_sum, special_items::yes);
  if (HasFatalFailure()) return;
  compare_columns_and_layouts<double>("double product", gpu_tests::product_near_one<double>{});
}

TEST_F(gpu_column_types, bfloat16) {
  compare_columns_and_layouts<mf::bfloat16>("bfloat16 plain_sum", mf::plain_sum,
                                            special_items::yes);
  if (HasFatalFailure()) return;
  compare_columns_and_layouts<mf::bfloat16>("bfloat16 product",
                                            gpu_tests::product_near_one<float>{});
}

TEST_F(gpu_column_types, integers) {
  compare_columns_and_layouts<std::int32_t>("int32 sum", mf::sum);
  if (HasFatalFailure()) return;
  compare_columns_and_layouts<std::int32_t>("int32 tree", tree_of<std::int32_t>{});
  if (HasFatalFailure()) return;
  compare_columns_and_layouts<std::uint8_t>("uint8 tree", tree_of<std::uint8_t>{});
}

}  // namespace
