// Means and variances of integers, and statistics with them, of few items: states in fewer words, and answers by
// doubles. The CPU engine's bits.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tests/gpu/device.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;

/// Which numbers an array has.
enum class numbers { of_all_bits, smallest_and_largest, largest, alike, near };

template <class Item>
std::vector<Item> array_of(numbers kind, std::size_t count) {
  using limits = std::numeric_limits<Item>;
  std::vector<Item> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t own = inputs::mixed(i + 5);
    switch (kind) {
      case numbers::of_all_bits: out[i] = static_cast<Item>(own); break;
      case numbers::smallest_and_largest:
        out[i] = own % 2 == 0 ? limits::min() : limits::max();
        break;
      case numbers::largest: out[i] = limits::max(); break;
      case numbers::alike: out[i] = Item(3); break;
      case numbers::near: out[i] = static_cast<Item>(limits::max() - own % 3); break;
    }
  }
  return out;
}

template <class Item>
class gpu_integer_moments : public gpu_tests::gpu_test {
 protected:
  /// The answer that the device makes.
  template <class F>
  static void expect_answer(const char* what, const F& f, std::span<const Item> host,
                            std::span<const Item> device, const mf::gpu_workspace& workspace) {
    const auto want = mf::try_reduce(mf::cpu, host, f);
    const device_array<mf::finished_t<F, Item>> out(1);
    mf::reduce_into(mf::gpu, device, f, out.data(), workspace);
    const auto got = out.host()[0];
    const bool is_same = !got || !want || gpu_tests::same(*got, *want);
    gpu_tests::expect_same_results(got.code(), want.code(), is_same, what, host.size(),
                                   host.size_bytes(), device.data());
  }
};

#if defined(MONOFOLD_NVCC_LOOKS)
using item_types = testing::Types<std::int32_t>;
#else
using item_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                  std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
#endif
TYPED_TEST_SUITE(gpu_integer_moments, item_types);

TYPED_TEST(gpu_integer_moments, have_the_bits_of_the_cpu) {
  constexpr auto tile = static_cast<std::size_t>(mf::tile_items_v<TypeParam>);
  const std::size_t most = (gpu_tests::is_slow ? 70 : 4200) * tile;
  constexpr auto members = mf::all(mf::count, mf::mean, mf::variance(1), mf::argmax);
  for (const numbers kind : {numbers::of_all_bits, numbers::smallest_and_largest, numbers::largest,
                             numbers::alike, numbers::near}) {
    const auto host = array_of<TypeParam>(kind, most);
    const device_array<TypeParam> device(host);
    const mf::gpu_workspace workspace(mf::workspace_bytes(device.span(0, most), mf::variance(1)));
    const std::span<const TypeParam> all(host);
    int turn = static_cast<int>(kind);
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{2}, std::size_t{3}, tile - 1, tile, tile + 1, 5 * tile,
          15 * tile + 7, 16 * tile, 17 * tile - 1, 33 * tile, 69 * tile + 3, 129 * tile + 1,
          1030 * tile - 5, 4100 * tile + 1}) {
      for (const std::size_t first : {0, 1}) {
        if (first + count > most || (first != 0 && ++turn % 3 != 0)) continue;
        const auto here = all.subspan(first, count);
        const auto there = device.span(first, count);
        TestFixture::expect_answer("mean", mf::mean, here, there, workspace);
        gpu_tests::expect_same<TypeParam>("mean", mf::mean, here, there);
        TestFixture::expect_answer("variance", mf::variance(1), here, there, workspace);
        TestFixture::expect_answer("deviation", mf::standard_deviation(0), here, there, workspace);
        gpu_tests::expect_same<TypeParam>("members", members, here, there);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
