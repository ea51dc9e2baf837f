#pragma once
/// tests/gpu/exact_few_tests: exact sums and means of few items on the device, by a kernel of their own: the CPU's bits,
/// whatever the items, their number, their place and what tiles differ in. A source each type of items instantiates
/// them, since nvcc takes minutes for one.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "monofold/plan/few_launch.hpp"
#include "tests/exact/items.hpp"
#include "tests/gpu/exact_few.cuh"

namespace gpu_tests {

TYPED_TEST_SUITE_P(gpu_exact_few);

TYPED_TEST_P(gpu_exact_few, every_kind_of_data) {
  constexpr int tile = TestFixture::tile;
  std::vector<int> sizes{1, 2 * tile / 3, tile + 5, 7 * tile + 1, 11 * tile - 3};
  if (!is_slow) {
    for (const int n : {3, 17, tile, 8 * tile, 31 * tile, 100 * tile + 7, TestFixture::most - 8}) {
      sizes.push_back(n);
    }
  }
  for (const char* kind : {"uniform", "normal", "integers", "wide", "any finite", "subnormal",
                           "zeros", "some zeros", "minus zeros", "cancelling", "specials"}) {
    for (const int n : sizes) {
      const auto items = inputs::items_of<TypeParam>(kind, n, static_cast<std::uint64_t>(n));
      this->check_all(items, kind);
    }
  }
}

TYPED_TEST_P(gpu_exact_few, every_length_and_place) {
  constexpr int tile = TestFixture::tile;
  constexpr int chunk = TestFixture::chunk;
  constexpr int row = 32 * chunk;
  const int most = TestFixture::most;
  std::vector<int> sizes{
      1,    2,        chunk - 1,    chunk + 1, row - 1,      row + 1,       2 * row,  tile - 1,
      tile, tile + 1, 8 * tile - 1, 8 * tile,  8 * tile + 1, 33 * tile - 2, 33 * tile};
  if (!is_slow) {
    for (const int n : {256 * tile - 1, 256 * tile, most - chunk, most - 1, most, most + 1,
                        TestFixture::most_squares - 1, TestFixture::most_squares + 1}) {
      sizes.push_back(n);
    }
  }
  for (const int n : sizes) {
    for (const std::size_t offset : {0, 1, chunk - 1}) {
      if (n < 1 || (is_slow && n > 9 * tile && offset == 1)) continue;
      const auto items = inputs::items_of<TypeParam>("normal", n + static_cast<int>(offset),
                                                     static_cast<std::uint64_t>(n) + 77);
      const device_array<TypeParam> memory(items);
      const std::span<const TypeParam> host(items.data() + offset, static_cast<std::size_t>(n));
      this->check(mf::sum, host, memory.span(offset, host.size()), "sum");
      this->check_answer(mf::mean, host, memory.span(offset, host.size()), "mean");
      this->check(mf::variance(0), host, memory.span(offset, host.size()), "variance");
      this->check_statistics(host, memory.span(offset, host.size()), "place");
    }
  }
}

TYPED_TEST_P(gpu_exact_few, senders_are_warps_or_blocks) {
  // 256 tiles and one more: of float they are few, too. Blocks have a warp for each of 1025 tiles, if they are 256.
  for (const int tiles : {32, 33, 256, 257}) {
    const auto items = inputs::items_of<TypeParam>("normal", tiles * TestFixture::tile - 5, 3);
    const device_array<TypeParam> memory(items);
    this->check(mf::sum, items, memory.span(0, items.size()), std::to_string(tiles) + " tiles");
    this->check(mf::variance(0), items, memory.span(0, items.size()), std::to_string(tiles));
    this->check_statistics(items, memory.span(0, items.size()), std::to_string(tiles));
  }
  if (sizeof(TypeParam) != 4) return;
  const auto items = inputs::items_of<TypeParam>("normal", 1025 * TestFixture::tile - 5, 4);
  const device_array<TypeParam> memory(items);
  this->check(mf::sum, items, memory.span(0, items.size()), "1025 tiles");
}

TYPED_TEST_P(gpu_exact_few, tiles_whose_exponents_differ) {
  constexpr int tile = TestFixture::tile;
  // Near, just too far to be added as they are, farther, and with bits below all bins.
  for (const int apart : {1, 3, 4, 7, 20, 45, 70, 200, 900}) {
    for (const int tiles : {3, 8, 13, 40}) {
      if (is_slow && tiles == 40 && apart % 2 == 0) continue;
      for (const int step : {1, 2, 5}) {
        auto items = inputs::items_of<TypeParam>("normal", tiles * tile - 3, 5);
        for (int t = 0; t * tile < static_cast<int>(items.size()); t += step) {
          const int end = std::min<int>((t + 1) * tile, static_cast<int>(items.size()));
          TestFixture::scale(items, t * tile, end, -apart);
        }
        const device_array<TypeParam> memory(items);
        const std::string what = std::to_string(apart) + " apart, every " + std::to_string(step);
        this->check(mf::sum, items, memory.span(0, items.size()), what);
        this->check_answer(mf::mean, items, memory.span(0, items.size()), what);
        this->check(mf::variance(0), items, memory.span(0, items.size()), what);
        this->check_statistics(items, memory.span(0, items.size()), what);
      }
    }
  }
}

/// Sums of more than 256 tiles meet three times: in blocks, in warps of the last block, and of these. Each time the
/// exponents of what meets may differ, and low bits stay.
TYPED_TEST_P(gpu_exact_few, sums_meet_three_times) {
  constexpr int tile = TestFixture::tile;
  const auto power = [](int exponent, double sign = 1) {
    return TestFixture::power(exponent, sign);
  };
  // Exponents of the tiles of most blocks, of others, of the last block, and of one tile of it.
  const auto fill = [&](int tiles, int blocks, const std::vector<int>& exponents) {
    std::vector<TypeParam> items(static_cast<std::size_t>(tiles * tile));
    for (int t = 0; t < tiles; ++t) {
      const int block = t % blocks;
      const int exponent = block < blocks / 4 * 3 ? exponents[0]
                           : block < blocks - 1   ? exponents[1]
                           : t != blocks - 1      ? exponents[2]
                                                  : exponents[3];
      for (int i = 0; i < tile; ++i) {
        items[static_cast<std::size_t>(t * tile + i)] = power(exponent, i % 2 == 0 ? -1 : 1);
      }
    }
    return items;
  };
  const auto check = [&](const auto& fold, const std::vector<TypeParam>& items, const char* what) {
    const device_array<TypeParam> memory(items);
    this->check(fold, items, memory.span(0, items.size()), what);
  };
  if constexpr (sizeof(TypeParam) == 4) {
    // The large ones cancel, so that the lowest bit is the sum.
    const auto check_sums = [&](int tiles, int blocks, int apart) {
      ASSERT_EQ(mf::few_blocks_for(tiles, false), blocks);
      auto items = fill(tiles, blocks, {9, 9 - apart, 9 - 2 * apart, 9 - 3 * apart});
      for (int t = 0; t < tiles; ++t) {
        const int group = t % blocks / (blocks / 4);
        if (group == 3) continue;
        for (int i = 0; i < tile; ++i) {
          items[static_cast<std::size_t>(t * tile + i)] = group == 1   ? 0.0f
                                                          : group == 0 ? -896.0f
                                                                       : 896.0f;
        }
      }
      const auto low = static_cast<std::size_t>((blocks - 1) * tile);  // where that tile begins
      items[low] = 0;
      items[low + 1] = power(-28);
      check(mf::sum, items, "sum");
      check(mf::mean, items, "mean");
    };
    for (int apart = 1; apart <= 4; ++apart) check_sums(512, 128, apart);
    check_sums(1280, 256, 2);
  }
  constexpr int blocks = 128;
  constexpr std::size_t low = (blocks - 1) * tile;
  for (int apart = 1; apart <= 3; ++apart) {
    if (is_slow && sizeof(TypeParam) == 8 && apart != 2) continue;
    auto items = fill(8 * blocks, blocks, {7, 7 - apart, 7 - 2 * apart, 7 - 3 * apart});
    if constexpr (sizeof(TypeParam) == 8) {
      // Squares that are no doubles.
      for (TypeParam& x : items) x *= 1 + 0x1p-52;
      items[low] = power(-20, -1) * (1 + 0x1p-52);
      items[low + 1] = power(-40 - apart);
    } else {
      items[low] = power(sizeof(TypeParam) == 4 ? -11 : -10, -1);
      items[low + 1] = sizeof(TypeParam) == 4 ? power(-11) : TypeParam{};
      items[low + 2] = power(-17, -1);
      items[low + 3] = power(-17, -1);
    }
    check(mf::variance(0), items, "variance");
    check(mf::standard_deviation(0), items, "deviation");
  }
}

TYPED_TEST_P(gpu_exact_few, tiles_without_anything) {
  constexpr int tile = TestFixture::tile;
  for (const int tiles : {2, 9, 35}) {
    for (int full = 0; full < tiles; full += tiles / 2) {
      std::vector<TypeParam> items(static_cast<std::size_t>(tiles * tile));
      const auto own = inputs::items_of<TypeParam>("normal", tile, 9);
      std::copy(own.begin(), own.end(), items.begin() + full * tile);
      this->check_all(items, "one full tile");
      for (auto& x : items) x = TestFixture::power(-3, -1);
      std::fill(items.begin() + full * tile, items.begin() + (full + 1) * tile, TypeParam{});
      this->check_all(items, "one empty tile");
    }
  }
}

TYPED_TEST_P(gpu_exact_few, what_is_rare_in_one_tile) {
  constexpr int tile = TestFixture::tile;
  for (const int tiles : {1, 2, 8, 9, 33}) {
    for (const char* kind : {"any finite", "minus zeros", "specials", "wide"}) {
      auto items = inputs::items_of<TypeParam>("uniform", tiles * tile, 11);
      const auto rare = inputs::items_of<TypeParam>(kind, tile, 12);
      std::copy(rare.begin(), rare.end(), items.begin() + tiles / 2 * tile);
      this->check_all(items, kind);
      // The workspace is as it was: what is not rare follows.
      this->check_all(inputs::items_of<TypeParam>("uniform", tiles * tile, 13), "what follows");
    }
  }
}

TYPED_TEST_P(gpu_exact_few, numbers_of_calls_begin_again) {
  std::uint64_t seed = 500;
  // Each call has its own items, so an answer made of an older call's mail is wrong.
  const auto call = [&](int tiles) {
    const auto items = inputs::items_of<TypeParam>("normal", tiles * TestFixture::tile, ++seed);
    const device_array<TypeParam> memory(items);
    this->check_answer(mf::sum, items, memory.span(0, items.size()), std::to_string(seed));
  };
  for (int i = 0; i < 3; ++i) call(30);
  std::uint32_t number = 0xfffffffe;
  ASSERT_EQ(
      cudaMemcpy(this->workspace.mail().memory, &number, sizeof number, cudaMemcpyHostToDevice),
      cudaSuccess);
  // A third of the boxes keep the mail of calls 1 to 3 until the second calls of these numbers.
  for (int i = 0; i < 2; ++i) call(20);
  // No box holds mail that a call of the same number could take for its own.
  std::vector<std::uint64_t> boxes(mf::detail::mailbox_storage::words, 1);
  const auto* const first_box = static_cast<const char*>(this->workspace.mail().memory) +
                                mf::detail::mailbox_storage::line_bytes;
  ASSERT_EQ(cudaMemcpy(boxes.data(), first_box, boxes.size() * 8, cudaMemcpyDeviceToHost),
            cudaSuccess);
  for (const std::uint64_t box : boxes) ASSERT_EQ(box, 0u);
  for (int i = 0; i < 3; ++i) call(30);
  ASSERT_EQ(
      cudaMemcpy(&number, this->workspace.mail().memory, sizeof number, cudaMemcpyDeviceToHost),
      cudaSuccess);
  EXPECT_EQ(number, 4u);  // 0xfffffffe, 0xffffffff, then 1, 2, 3
}

TYPED_TEST_P(gpu_exact_few, signs_of_zero) {
  for (const int n : {1, 5, TestFixture::tile, 9 * TestFixture::tile + 1, 40 * TestFixture::tile}) {
    std::vector<TypeParam> items(
        static_cast<std::size_t>(n),
        mf::float_from_bits<TypeParam>(mf::float_format<TypeParam>::sign_bit));
    this->check_all(items, "all are -0");
    items[items.size() / 2] = TypeParam{};
    this->check_all(items, "one is +0");
    items[items.size() / 2] = TestFixture::power(-2);
    items.push_back(TestFixture::power(-2, -1));
    this->check_all(items, "two cancel");
  }
}

REGISTER_TYPED_TEST_SUITE_P(gpu_exact_few, every_kind_of_data, every_length_and_place,
                            senders_are_warps_or_blocks, tiles_whose_exponents_differ,
                            sums_meet_three_times, tiles_without_anything, what_is_rare_in_one_tile,
                            numbers_of_calls_begin_again, signs_of_zero);

}  // namespace gpu_tests
