// The other folds, and several in one pass: the CPU engine's bits, hard numbers included.

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tests/gpu/device.cuh"
#include "tests/gpu/numbers.cuh"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::compare;
using gpu_tests::device_array;

class gpu_folds : public gpu_tests::gpu_test {};

struct unchanged {
  MONOFOLD_HD float operator()(float x) const { return x; }
};

TEST_F(gpu_folds, other_folds_of_float32) {
  const gpu_tests::numbers<float> d;
  compare("plain_sum", mf::plain_sum, d.host, d.device);
  compare("product", mf::product, d.host, d.device);
  compare("norm1", mf::plain_norm1, d.host, d.device);
  compare("norm2", mf::plain_norm2, d.host, d.device);
  compare("norm_inf", mf::norm_inf, d.host, d.device);
  compare("argmax", mf::argmax, d.host, d.device);
  compare("all_of", mf::all_of, d.host, d.device);
  compare("omitting", mf::moments_fold<float, mf::nan_rule::omit>{} | mf::map(unchanged{}), d.host,
          d.device);
}

struct last_item {
  using state = float;
  MONOFOLD_HD float lift(float item, std::int64_t) const { return item; }
  MONOFOLD_HD float combine(float, float right) const { return right; }
};

TEST_F(gpu_folds, several_at_once) {
  const gpu_tests::numbers<float> d;
  compare("all",
          mf::all(mf::count, mf::plain_sum_in<double>, mf::plain_mean, mf::plain_variance(1),
                  mf::extrema),
          d.host, d.device);
  // Exact sums have kernels of their own: their states meet in one all the same.
  compare(
      "all, exact",
      mf::all(mf::count, mf::mean, mf::variance(1), mf::extrema, mf::all(mf::sum, mf::plain_sum)),
      d.host, d.device);
  const gpu_tests::numbers<float> few(gpu_tests::few_items_to_compare<float>());
  compare("all, exact last", mf::all(mf::max, mf::norm2), few.host, few.device);
  compare("all, one ordered", mf::all(mf::plain_sum_in<double>, last_item{}, mf::plain_sum),
          few.host, few.device);
}

/// States of 256 bytes, which no registers hold. Exact: a lane may keep one for many tiles.
template <bool is_exact, bool has_absorb>
struct histogram {
  struct state {
    std::uint32_t count[64];
  };
  static constexpr bool commutative = true;
  static constexpr bool exact = is_exact;

  MONOFOLD_HD state identity() const { return {}; }
  MONOFOLD_HD state lift(std::uint8_t x, std::int64_t index) const {
    state out{};
    out.count[x % 64] = 1 + static_cast<std::uint32_t>(index % 3);
    return out;
  }
  MONOFOLD_HD void absorb(state& own, std::uint8_t x,
                          std::int64_t index) const requires has_absorb {
    own.count[x % 64] += 1 + static_cast<std::uint32_t>(index % 3);
  }
  MONOFOLD_HD state combine(const state& l, const state& r) const {
    state out;
    for (int i = 0; i < 64; ++i) out.count[i] = l.count[i] + r.count[i];
    return out;
  }
  MONOFOLD_HD std::uint64_t finish(const state& own) const {
    std::uint64_t out = 0;
    for (int i = 0; i < 64; ++i) out = out * 31 + own.count[i];
    return out;
  }
};

TEST_F(gpu_folds, histograms) {
  std::vector<std::uint8_t> host(gpu_tests::is_slow ? 60000 : 3000000);
  for (std::size_t i = 0; i < host.size(); ++i) {
    host[i] = static_cast<std::uint8_t>(inputs::mixed(i));
  }
  const device_array<std::uint8_t> device(host);
  const std::span<const std::uint8_t> all(host);
  for (const std::size_t n : {std::size_t{1}, std::size_t{100}, std::size_t{4096},
                              std::size_t{4097}, std::size_t{50001}, host.size() - 3}) {
    const auto here = all.subspan(1, n);
    const auto there = device.span(1, n);
    gpu_tests::expect_same<std::uint8_t>("exact", histogram<true, true>{}, here, there);
    gpu_tests::expect_same<std::uint8_t>("exact, lifted", histogram<true, false>{}, here, there);
    gpu_tests::expect_same<std::uint8_t>("by tiles", histogram<false, true>{}, here, there);
    gpu_tests::expect_same<std::uint8_t>(
        "all", mf::all(mf::plain_sum, histogram<false, false>{}, histogram<true, true>{}), here,
        there);
  }
}

/// Items of 1 KiB.
struct long_item {
  std::uint32_t word[256];
};
struct most_word {
  using state = std::uint64_t;
  MONOFOLD_HD state lift(const long_item& x, std::int64_t index) const {
    std::uint32_t most = 0;
    for (const std::uint32_t word : x.word) most = word > most ? word : most;
    return std::uint64_t{most} << 32 | static_cast<std::uint32_t>(index);
  }
  MONOFOLD_HD state combine(state l, state r) const {
    return r > l ? r : l + (r & 1);  // tells trees apart
  }
};

TEST_F(gpu_folds, items_of_1_kib) {
  std::vector<long_item> host(1500);
  for (std::size_t i = 0; i < host.size(); ++i) {
    for (std::size_t w = 0; w < 256; ++w) {
      host[i].word[w] = static_cast<std::uint32_t>(inputs::mixed(i * 256 + w) >> 34);
    }
  }
  const device_array<long_item> device(host);
  const std::span<const long_item> all(host);
  for (const std::size_t n : {1, 255, 256, 300, 1499}) {
    gpu_tests::expect_same<long_item>("1 KiB", most_word{}, all.subspan(1, n), device.span(1, n));
  }
}

/// Zeros of both signs and NaN, which hardware compares.
template <class Item>
void compare_hard_extrema(const std::vector<Item>& kinds) {
  std::vector<Item> host(200003);
  for (std::size_t i = 0; i < host.size(); ++i) {
    host[i] = kinds[inputs::mixed(i) % kinds.size()];
  }
  const device_array<Item> device(host);
  const std::span<const Item> all(host);
  for (const std::size_t n : {1, 2, 255, 256, 1024, 4096, 8192, 60000, 200003}) {
    if (gpu_tests::is_slow && n > 60000) continue;
    const auto there = device.span(0, n);
    gpu_tests::expect_same<Item>("extrema", mf::extrema, all.first(n), there);
    gpu_tests::expect_same<Item>("omitting NaN", mf::extrema_fold<Item, mf::nan_rule::omit>{},
                                 all.first(n), there);
    gpu_tests::expect_same<Item>("argmin", mf::argmin, all.first(n), there);
    gpu_tests::expect_same<Item>("max", mf::max, all.first(n), there);
  }
}

TEST_F(gpu_folds, extrema_of_zeros_and_nan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  compare_hard_extrema<float>({0.0f, -0.0f});
  compare_hard_extrema<float>({0.0f, -0.0f, nan, -nan});
  compare_hard_extrema<float>({nan});
  compare_hard_extrema<double>({0.0, -0.0});
  compare_hard_extrema<double>({-0.0, std::numeric_limits<double>::quiet_NaN()});
  compare_hard_extrema<mf::float16>({mf::float16(0x0000), mf::float16(0x8000)});
  compare_hard_extrema<mf::float16>(
      {mf::float16(0x0000), mf::float16(0x8000), mf::float16(0x7e00), mf::float16(0xfe01)});
  compare_hard_extrema<mf::float16>({mf::float16(0x7c01)});
  compare_hard_extrema<mf::bfloat16>({mf::bfloat16(0x0000), mf::bfloat16(0x8000)});
  compare_hard_extrema<mf::bfloat16>({mf::bfloat16(0x8000), mf::bfloat16(0x7fc0),
                                      mf::bfloat16(0xff81), mf::bfloat16(0x0001),
                                      mf::bfloat16(0x8001)});
}

/// The variance looks twice at tiles of these.
TEST_F(gpu_folds, far_from_zero) {
  std::vector<float> host(gpu_tests::items_to_compare<float>());
  for (std::size_t i = 0; i < host.size(); ++i) {
    host[i] = static_cast<float>(inputs::unit_double(i)) + (i / 3000 % 2 == 0 ? 1000.0f : 0.0f);
  }
  const device_array<float> device(host);
  compare("variance", mf::plain_variance(), host, device);
  compare("all", mf::all(mf::plain_variance(1), mf::plain_sum_in<double>), host, device);
}

#if defined(__x86_64__)
/// Results and operands that are subnormal become 0 on the host; on a device they do not.
TEST_F(gpu_folds, what_the_host_flushes) {
  const std::vector<double> host{1e-323, 5e-324, -5e-324, 5e-324};
  const device_array<double> device(host);
  const auto all = device.span(0, host.size());
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);
  const auto ends = mf::reduce(mf::gpu, all, mf::extrema);
  const auto most = mf::reduce(mf::gpu, all, mf::argmax);
  const auto best = mf::reduce(mf::gpu, all, mf::top(2));
  const double sum = mf::reduce(mf::gpu, all, mf::plain_sum);
  _mm_setcsr(before);
  EXPECT_EQ(ends.argmin, 2);
  EXPECT_EQ(ends.argmax, 0);
  EXPECT_EQ(ends.min, -5e-324);
  EXPECT_EQ(most, 0);
  EXPECT_EQ(best.indices, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(sum, 1.5e-323);
}
#endif

TEST_F(gpu_folds, hard_numbers) {
  const auto kinds = inputs::kinds_of_double();
  for (const double special : kinds) {
    for (const std::size_t n : {1, 7, 600, 5000, gpu_tests::is_slow ? 20000 : 200000}) {
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
        if (gpu_tests::is_slow && n > 5000 && at != n / 2) continue;
        std::vector<double> host(n);
        for (std::size_t i = 0; i < n; ++i) host[i] = inputs::spread_double(i, 300);
        host[at] = special;
        const device_array<double> device(host);
        const std::span<const double> all(host);
        const auto there = device.span(0, n);
        gpu_tests::expect_same<double>("sum", mf::plain_sum_in<double>, all, there);
        gpu_tests::expect_same<double>("extrema", mf::extrema, all, there);
        gpu_tests::expect_same<double>("norm2", mf::plain_norm2, all, there);
        gpu_tests::expect_same<double>("variance", mf::plain_variance(), all, there);
      }
    }
  }
  for (const double only : {-0.0, 0.0, inputs::infinity, -inputs::infinity, inputs::not_a_number}) {
    const std::vector<double> host(3000, only);
    const device_array<double> device(host);
    gpu_tests::expect_same<double>("sum", mf::plain_sum_in<double>, std::span<const double>(host),
                                   device.span(0, host.size()));
    gpu_tests::expect_same<double>("extrema", mf::extrema, std::span<const double>(host),
                                   device.span(0, host.size()));
  }
}

}  // namespace
