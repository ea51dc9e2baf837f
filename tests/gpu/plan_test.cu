// The GPU engine follows the plan's tree: probes that tell every tree apart, items of every size,
// states of every size, every alignment.

#include <cstdint>
#include <vector>

#include "tests/gpu/device.cuh"
#include "tests/gpu/probe.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::accumulating_probe;
using gpu_tests::aligned_item;
using gpu_tests::device_array;
using gpu_tests::sized_item;
using gpu_tests::tree_probe;

class gpu_plan : public gpu_tests::gpu_test {};

/// Items of more tiles than a launch spreads thin.
template <class Item>
constexpr std::size_t past_thin = (mf::max_thin_tiles + 4) * std::size_t{mf::tile_items_v<Item>} +
                                  13;

template <class Item>
void compare_probes(std::size_t count = gpu_tests::items_to_compare<Item>()) {
  const auto host = gpu_tests::probe_items<Item>(count);
  const device_array<Item> device(host);
  gpu_tests::compare("striped", tree_probe<Item, true>{}, host, device);
  gpu_tests::compare("ordered", tree_probe<Item, false>{}, host, device);
}

TEST_F(gpu_plan, items_of_1_byte) { compare_probes<sized_item<1>>(); }
TEST_F(gpu_plan, items_of_2_bytes) { compare_probes<sized_item<2>>(); }
TEST_F(gpu_plan, items_of_3_bytes) { compare_probes<sized_item<3>>(past_thin<sized_item<3>>); }
TEST_F(gpu_plan, items_of_4_bytes) { compare_probes<aligned_item<4>>(past_thin<aligned_item<4>>); }
TEST_F(gpu_plan, items_of_8_bytes) { compare_probes<aligned_item<8>>(); }
TEST_F(gpu_plan, items_of_12_bytes) { compare_probes<sized_item<12>>(); }
TEST_F(gpu_plan, items_of_16_bytes) {
  compare_probes<aligned_item<16>>(past_thin<aligned_item<16>>);
}
TEST_F(gpu_plan, items_of_16_bytes_anywhere) { compare_probes<sized_item<16>>(); }
TEST_F(gpu_plan, items_of_24_bytes) { compare_probes<sized_item<24>>(); }

template <class Item>
void compare_accumulating(std::size_t count = gpu_tests::items_to_compare<Item>()) {
  const auto host = gpu_tests::probe_items<Item>(count);
  const device_array<Item> device(host);
  gpu_tests::compare("striped", accumulating_probe<Item, true>{}, host, device);
  gpu_tests::compare("ordered", accumulating_probe<Item, false>{}, host, device);
}

TEST_F(gpu_plan, second_look_at_2_bytes) { compare_accumulating<sized_item<2>>(); }
TEST_F(gpu_plan, second_look_at_4_bytes) {
  compare_accumulating<aligned_item<4>>(past_thin<aligned_item<4>>);
}

TEST_F(gpu_plan, large_states) {
  using item = aligned_item<8>;
  const auto host = gpu_tests::probe_items<item>(past_thin<item>);
  const device_array<item> device(host);
  gpu_tests::compare("40 bytes", tree_probe<item, true, 3>{}, host, device);
  gpu_tests::compare("104 bytes, ordered", tree_probe<item, false, 11>{}, host, device);
  // Few counts: a lane of these takes its time.
  const std::span<const item> all(host);
  for (const std::size_t n : {1, 511, 512, 513, 5000, 100000}) {
    if (gpu_tests::is_slow && n > 5000) break;
    gpu_tests::expect_same<item>("1 KiB", tree_probe<item, true, 126>{}, all.first(n),
                                 device.span(0, n));
    gpu_tests::expect_same<item>("8 KiB, ordered", tree_probe<item, false, 1022>{}, all.first(n),
                                 device.span(0, n));
  }
}

}  // namespace
