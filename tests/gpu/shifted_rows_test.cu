// Rows of several tiles that begin anywhere between two 16-byte boundaries: each has the bytes of the CPU's reduction of
// its items alone, whatever lies around them. So has a whole array.

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

// Before what kernels are made of: their names must not meet those of the CPU's ways.
#include "monofold/reduce_segments.hpp"

#include "monofold/plan/tiles.hpp"
#include "monofold/reduce_segments.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/place_hash.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;

class gpu_shifted_rows : public gpu_tests::gpu_test {};

/// What shows in any sum, extremum or hash that takes it for an item of a row.
template <class Item>
Item guard_item() {
  if constexpr (std::is_integral_v<Item>) {
    return std::numeric_limits<Item>::max();
  } else {
    return static_cast<Item>(std::numeric_limits<float>::quiet_NaN());
  }
}

template <class Item>
Item shifted_item(std::int64_t i) {
  const auto seed = static_cast<std::uint64_t>(i);
  if constexpr (std::is_integral_v<Item>) {
    return static_cast<Item>(inputs::mixed(seed) % 100);
  } else {
    return static_cast<Item>(static_cast<float>(inputs::spread_double(seed, 9)));
  }
}

/// Rows amid guards, `stride` items apart. The first one begins `off` items behind a boundary, at the array's first item,
/// and the last one ends at the array's last item, so that each byte read around them is seen.
template <class Item, class F>
void compare_shifted_rows(const char* what, const F& f, std::int64_t rows, std::int64_t length,
                          std::int64_t stride, std::int64_t off) {
  std::vector<Item> host(static_cast<std::size_t>((rows - 1) * stride + length),
                         guard_item<Item>());
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < length; ++i) {
      host[static_cast<std::size_t>(r * stride + i)] = shifted_item<Item>(r * length + i);
    }
  }
  std::vector<Item> moved(static_cast<std::size_t>(off), guard_item<Item>());
  moved.insert(moved.end(), host.begin(), host.end());
  const device_array<Item> device(moved);
  const auto got =
      mf::try_reduce_segments(mf::gpu, device.span(static_cast<std::size_t>(off), host.size()),
                              mf::fixed_segments(length, rows, stride), f);
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto row = std::span<const Item>(host).subspan(static_cast<std::size_t>(r * stride),
                                                         static_cast<std::size_t>(length));
    ASSERT_EQ(inputs::bytes_of(got[static_cast<std::size_t>(r)]),
              inputs::bytes_of(mf::try_reduce(mf::cpu, row, f)))
        << what << ", row " << r << " of " << length << " items, " << stride << " apart, " << off
        << " off";
  }
}

/// Every place of a row's first item in its chunk, with lengths around borders of tiles and of the chunks there.
template <class Item, class F>
void compare_places(const char* what, const F& f) {
  constexpr std::int64_t tile = mf::tile_items_v<Item>;
  constexpr std::int64_t chunk = mf::tile_shape<Item>::items_per_lane;
  for (std::int64_t off = 0; off < chunk; ++off) {
    for (const std::int64_t length :
         {tile + 1, 2 * tile - off - 1, 2 * tile - off, 2 * tile - off + 1, 2 * tile - 1, 2 * tile,
          2 * tile + 1, 3 * tile + chunk + 1}) {
      compare_shifted_rows<Item>(what, f, 3, length, length + 1 + off, off);
      if (testing::Test::HasFatalFailure()) return;
    }
    // Several tiles a warp, and several warps and blocks a row.
    compare_shifted_rows<Item>(what, f, 2, 37 * tile + off, 40 * tile + 3, off);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(gpu_shifted_rows, plain_sums) {
  compare_places<float>("plain_sum of float32", mf::plain_sum);
  compare_places<double>("plain_sum of float64", mf::plain_sum);
  compare_places<mf::bfloat16>("plain_sum of bfloat16", mf::plain_sum);
}

TEST_F(gpu_shifted_rows, exact_sums) {
  compare_places<float>("sum of float32", mf::sum);
  compare_places<mf::bfloat16>("mean of bfloat16", mf::mean);
}

TEST_F(gpu_shifted_rows, other_folds) {
  compare_places<float>("plain_variance", mf::plain_variance(1));
  compare_places<float>("hash", gpu_tests::place_hash{});
  compare_places<float>("argmax", mf::argmax);
  compare_places<std::int32_t>("sum of int32", mf::sum);
}

// Many rows, of which a warp takes one after the other: what is on its way is of its own row.
TEST_F(gpu_shifted_rows, many_rows) {
  for (const std::int64_t length : {1027, 2047, 4097}) {
    compare_shifted_rows<float>("plain_sum", mf::plain_sum, 150, length, length, 1);
    compare_shifted_rows<float>("sum", mf::sum, 150, length, length, 3);
    compare_shifted_rows<mf::bfloat16>("plain_sum", mf::plain_sum, 150, 2 * length + 1,
                                       2 * length + 1, 5);
  }
}

template <class Item, class F>
void compare_shifted_arrays(const char* what, const F& f) {
  constexpr std::int64_t tile = mf::tile_items_v<Item>;
  for (std::int64_t off = 0; off < mf::tile_shape<Item>::items_per_lane; ++off) {
    for (const std::int64_t count : {tile + 1, 3 * tile - off, 300 * tile + 5}) {
      std::vector<Item> host(static_cast<std::size_t>(count + off), guard_item<Item>());
      for (std::int64_t i = 0; i < count; ++i) {
        host[static_cast<std::size_t>(off + i)] = shifted_item<Item>(i);
      }
      const device_array<Item> device(host);
      const std::span<const Item> own(host.data() + off, static_cast<std::size_t>(count));
      ASSERT_EQ(inputs::bytes_of(mf::try_reduce(
                    mf::gpu, device.span(static_cast<std::size_t>(off), own.size()), f)),
                inputs::bytes_of(mf::try_reduce(mf::cpu, own, f)))
          << what << ", " << count << " items, " << off << " off";
    }
  }
}

TEST_F(gpu_shifted_rows, whole_arrays) {
  compare_shifted_arrays<float>("plain_sum of float32", mf::plain_sum);
  compare_shifted_arrays<mf::bfloat16>("plain_sum of bfloat16", mf::plain_sum);
  compare_shifted_arrays<float>("plain_variance", mf::plain_variance(1));
}

}  // namespace
