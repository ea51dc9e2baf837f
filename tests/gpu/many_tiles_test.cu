// Launches in which a warp takes several tiles, and blocks of 512 threads: the CPU engine's bits.

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tests/gpu/device.cuh"
#include "tests/gpu/probe.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;

constexpr std::size_t float_tile = 1024;  // floats
static_assert(mf::tile_items_v<float> == float_tile);
constexpr std::size_t counts[] = {8192 * float_tile + 77, 16384 * float_tile - 1,
                                  32768 * float_tile + 1};

/// So many tiles a warp, of so many threads.
template <class F>
constexpr bool takes_several(std::size_t count) {
  constexpr auto facts =
      mf::detail::launch_facts_v<mf::bound_fold_t<F, float>, mf::contiguous_view<float>>;
  const auto plan = mf::launch_for(mf::tile_count<float>(static_cast<std::int64_t>(count)), facts);
  return 1 << plan.block_level > plan.threads / 32;
}
static_assert(takes_several<decltype(mf::plain_sum)>(counts[0]));
static_assert(takes_several<decltype(mf::extrema)>(counts[0]));
static_assert(takes_several<decltype(mf::plain_variance())>(counts[1]));

/// The first count for that. The emulated device takes it alone, and not from the array's begin: the begin and
/// other counts are what the probes see, and only they.
template <class F>
constexpr std::size_t several_from = takes_several<F>(counts[0]) ? counts[0] : counts[1];

class gpu_many_tiles : public gpu_tests::gpu_test {
 protected:
  /// Stretches near 0 and far from it; ties and NaN among them.
  static std::vector<float> numbers() {
    std::vector<float> out(counts[2]);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const float far = i / 5000 % 3 == 0 ? 1000.0f : 0.0f;
      out[i] = std::floor(static_cast<float>(inputs::unit_double(i)) * 4096.0f) / 64.0f + far;
    }
    return out;
  }
  template <class F>
  static void compare(const char* what, const F& f, const std::vector<float>& host,
                      const device_array<float>& device, bool is_probe = false) {
    for (const std::size_t n : counts) {
      if (gpu_tests::is_slow && (!is_probe || n > counts[1])) continue;
      gpu_tests::expect_same<float>(what, f, std::span(host).first(n), device.span(0, n));
    }
    if (gpu_tests::is_slow && is_probe) return;
    const std::size_t shifted = (gpu_tests::is_slow ? several_from<F> : counts[2]) - 3;
    gpu_tests::expect_same<float>(what, f, std::span(host).subspan(3, shifted),
                                  device.span(3, shifted));
  }
};

struct decay {
  MONOFOLD_HD float operator()(float l, float r) const { return l * 0.5f + r; }
};
/// The item's bits, for probes.
struct as_item {
  MONOFOLD_HD gpu_tests::aligned_item<4> operator()(float x) const {
    return mf::bits_as<gpu_tests::aligned_item<4>>(x);
  }
};

TEST_F(gpu_many_tiles, sums_moments_and_order) {
  const auto host = numbers();
  const device_array<float> device(host);
  compare("plain_sum", mf::plain_sum, host, device);
  compare("variance", mf::plain_variance(), host, device);
  compare("ordered", mf::ordered(decay{}), host, device);
  compare("several",
          mf::all(mf::ordered(decay{}), mf::plain_sum_in<double>, mf::extrema, mf::nonzero), host,
          device);
}

TEST_F(gpu_many_tiles, every_tree_and_order_shows) {
  const auto host = numbers();
  const device_array<float> device(host);
  using item = gpu_tests::aligned_item<4>;
  compare("striped", gpu_tests::tree_probe<item, true>{} | mf::map(as_item{}), host, device, true);
  compare("ordered", gpu_tests::tree_probe<item, false>{} | mf::map(as_item{}), host, device, true);
}

TEST_F(gpu_many_tiles, first_places_of_ties_and_nan) {
  auto host = numbers();
  {
    const device_array<float> device(host);
    compare("extrema", mf::extrema, host, device);
    if (!gpu_tests::is_slow) compare("argmin", mf::argmin, host, device);
  }
  // NaN in late tiles, none at first.
  for (const std::size_t at :
       {counts[0] / 2 + 5, counts[0] / 2 + 4, counts[0] - 1, counts[1] - 1}) {
    host[at] = std::numeric_limits<float>::quiet_NaN();
  }
  const device_array<float> device(host);
  if (!gpu_tests::is_slow) compare("extrema", mf::extrema, host, device);
  compare("argmax", mf::argmax, host, device);
}

}  // namespace
