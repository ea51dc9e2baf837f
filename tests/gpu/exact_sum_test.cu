// Exact sums on the device: the CPU's state bytes, whatever the data, the place and the grid.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/exact/items.hpp"
#include "tests/gpu/exact_states.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::expect_cpu_state;
using gpu_tests::repetitions;

template <class Item>
class gpu_exact_sum : public gpu_tests::gpu_test {};

TYPED_TEST_SUITE(gpu_exact_sum, gpu_tests::item_types);

TYPED_TEST(gpu_exact_sum, every_kind_of_data) {
  for (const auto& kind : inputs::kinds_of_data) {
    for (const int n : {1, 2, 31, 32, 33, 700, 3 * gpu_tests::tile<TypeParam> + 5,
                        20 * gpu_tests::tile<TypeParam>}) {
      const auto items = inputs::items_of<TypeParam>(kind, n, static_cast<std::uint64_t>(n));
      expect_cpu_state(mf::sum, items, kind);
      expect_cpu_state(mf::norm1, items, "magnitudes, " + kind);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(gpu_exact_sum, random_bits) {
  inputs::generator random(7);
  for (unsigned round = 0; round < repetitions(400, 25); ++round) {
    std::vector<TypeParam> items(1 + random() % (5 * gpu_tests::tile<TypeParam>));
    const std::uint64_t kept = round % 3 == 0 ? random() : ~std::uint64_t{0};
    for (auto& x : items) x = inputs::from_bits<TypeParam>(random() & kept);
    expect_cpu_state(mf::sum, items, "bits of round " + std::to_string(round));
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(gpu_exact_sum, every_place_and_count) {
  constexpr int most = 18 * gpu_tests::tile<TypeParam> + 40;
  for (const char* kind : {"normal", "minus zeros", "any finite"}) {
    const auto host = inputs::items_of<TypeParam>(kind, most, 3);
    const device_array<TypeParam> device(host);
    const std::span<const TypeParam> all(host);
    std::vector<int> counts{0, 1, 2, 15, 16, 17, 31, 32, 33};
    for (const int tiles : {1, 2, 8, 16, 17}) {
      for (const int more : {-1, 0, 1}) counts.push_back(tiles * gpu_tests::tile<TypeParam> + more);
    }
    for (const int n : counts) {
      const int places =
          n < 100 || gpu_tests::tile<TypeParam> > n ? 16 / static_cast<int>(sizeof(TypeParam)) : 2;
      for (int offset = 0; offset < places; ++offset) {
        const auto from = static_cast<std::size_t>(offset);
        const auto count = static_cast<std::size_t>(n);
        expect_cpu_state<TypeParam>(mf::sum, all.subspan(from, count), device.span(from, count),
                                    kind);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(gpu_exact_sum, every_grid) {
  for (const char* kind : {"uniform", "wide", "any finite", "specials"}) {
    const auto items = inputs::items_of<TypeParam>(kind, 70 * gpu_tests::tile<TypeParam> + 11, 5);
    for (const int blocks : {1, 2, 7, 64, 200}) {
      expect_cpu_state(mf::sum, items, kind, blocks);
      if (this->HasFatalFailure()) return;
    }
  }
}

/// Runs of a warp that end by their length, and words that must be handed over before they overflow.
TYPED_TEST(gpu_exact_sum, many_tiles_by_one_block) {
  for (const char* kind : {"normal", "any finite", "specials"}) {
    const auto items =
        inputs::items_of<TypeParam>(kind, (8 * 67 + 3) * gpu_tests::tile<TypeParam> + 1, 9);
    expect_cpu_state(mf::sum, items, kind, 1);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(gpu_exact_sum, range_that_changes_in_mid_stream) {
  using f = inputs::fields<TypeParam>;
  inputs::generator random(11);
  constexpr int n = 40 * gpu_tests::tile<TypeParam>;
  for (const int how : {0, 1, 2, 3, 4}) {
    std::vector<TypeParam> items;
    for (int i = 0; i < n; ++i) {
      // Growing and shrinking slowly, jumping now and then, far apart in turns, one far off.
      int field = i * f::top_field / n;
      if (how == 1) field = f::top_field - 1 - field;
      if (how == 2)
        field = i / (3 * gpu_tests::tile<TypeParam>)*17 * f::top_field / 31 % f::top_field;
      if (how == 3) field = i % 2 == 0 ? 0 : f::top_field - 1;
      if (how == 4) field = i == n / 2 + 7 ? 1 : f::top_field - 2;
      items.push_back(gpu_tests::item_of_field<TypeParam>(random(), field));
    }
    expect_cpu_state(mf::sum, items, "change " + std::to_string(how), 1);
    expect_cpu_state(mf::sum, items, "change " + std::to_string(how));
    if (this->HasFatalFailure()) return;
  }
}

}  // namespace
