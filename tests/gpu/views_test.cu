// Ordered operators and computed views: the GPU engine's answers have the CPU engine's bits.

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/gpu/device.cuh"
#include "tests/gpu/numbers.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::compare;
using gpu_tests::device_array;

class gpu_views : public gpu_tests::gpu_test {};

struct matrix {
  float a, b, c, d;
  friend bool operator==(const matrix&, const matrix&) = default;
};
struct multiply {
  MONOFOLD_HD matrix operator()(const matrix& l, const matrix& r) const {
    return {l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c,
            l.c * r.b + l.d * r.d};
  }
};

TEST_F(gpu_views, ordered_operators) {
  std::vector<matrix> host(gpu_tests::items_to_compare<matrix>());
  for (std::size_t i = 0; i < host.size(); ++i) {
    const auto angle = static_cast<float>(inputs::unit_double(i));
    host[i] = {std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle)};
  }
  const device_array<matrix> device(host);
  compare("matrices", mf::ordered(multiply{}, matrix{1, 0, 0, 1}), host, device);
  compare("matrices without an identity", mf::ordered(multiply{}), host, device);
}

/// The right operand, whatever the left one is.
struct right_operand {
  MONOFOLD_HD int operator()(int, int right) const { return right; }
};
struct decayed {
  MONOFOLD_HD float operator()(float l, float r) const { return l * 0.5f + r; }
};
struct twice {
  MONOFOLD_HD double operator()(float x) const { return 2.0 * x; }
};
struct square {
  MONOFOLD_HD float operator()(float x) const { return x * x; }
};
struct positive {
  MONOFOLD_HD bool operator()(float x) const { return x > 0; }
};
struct mostly_ones {
  MONOFOLD_HD std::int8_t operator()(std::int64_t i) const {
    return i == (std::int64_t{1} << 32) + 5 ? 7 : 1;
  }
};
struct as_matrix {
  MONOFOLD_HD matrix operator()(float x) const { return {x, 0, 0, x}; }
};

TEST_F(gpu_views, the_last_item_of_an_ordered_fold_is_the_last) {
  const auto last = mf::ordered(right_operand{});
  for (const int n : {1000, 5000, 1000000}) {
    std::vector<int> host(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) host[static_cast<std::size_t>(i)] = i;
    const device_array<int> device(host);
    EXPECT_EQ(mf::reduce(mf::gpu, device.span(0, host.size()), last), n - 1);
  }
}

TEST_F(gpu_views, computed_and_strided_views) {
  const gpu_tests::numbers<float> d;
  const std::size_t n = gpu_tests::is_slow ? 200003 : 1000003;
  const std::span<const float> host = std::span(d.host).first(n);
  const auto device = d.device.span(0, n);
  EXPECT_TRUE(
      gpu_tests::same(mf::reduce(mf::gpu, mf::transform(device, twice{}), mf::plain_sum_in<double>),
                      mf::reduce(mf::transform(host, twice{}), mf::plain_sum_in<double>)));
  EXPECT_TRUE(
      gpu_tests::same(mf::reduce(mf::gpu, mf::zip(device, d.device.span(1, n)), mf::plain_dot),
                      mf::reduce(mf::zip(host, std::span(d.host).subspan(1, n)), mf::plain_dot)));
  for (const std::int64_t stride : {3, -1, 0}) {
    const auto start = stride < 0 ? n - 1 : 0;
    const auto count = static_cast<std::int64_t>(n / 3);
    const mf::strided_view<float> on_host(d.host.data() + start, count, stride);
    const mf::strided_view<float> on_device(d.device.data() + start, count, stride);
    EXPECT_TRUE(gpu_tests::same(mf::reduce(mf::gpu, on_device, mf::plain_variance()),
                                mf::reduce(on_host, mf::plain_variance())));
    const auto decaying = mf::ordered(decayed{});
    EXPECT_TRUE(
        gpu_tests::same(mf::reduce(mf::gpu, on_device, decaying), mf::reduce(on_host, decaying)));
  }
  const auto mapped = mf::plain_sum_in<double> | mf::map(square{}) | mf::where(positive{});
  EXPECT_TRUE(gpu_tests::same(mf::reduce(mf::gpu, device, mapped), mf::reduce(host, mapped)));
}

/// More than 2^32 items, without the memory for them; the index reaches the fold.
TEST_F(gpu_views, more_than_2_to_the_32_items) {
  if (gpu_tests::is_slow) GTEST_SKIP() << "takes minutes on the emulated device";
  const std::int64_t n = (std::int64_t{1} << 33) + 12345;
  const auto ones = mf::generate(n, mostly_ones{});
  EXPECT_EQ(mf::reduce(mf::gpu, ones, mf::plain_sum_in<double>), n + 6);
  EXPECT_EQ(mf::reduce(mf::gpu, ones, mf::argmax), (std::int64_t{1} << 32) + 5);
}

TEST_F(gpu_views, no_items) {
  const std::span<const float> none;
  EXPECT_EQ(mf::reduce(mf::gpu, none, mf::plain_sum_in<double>), 0.0);
  EXPECT_EQ(mf::try_reduce(mf::gpu, none, mf::min).code(), mf::status::empty_input);
  EXPECT_EQ(mf::try_reduce(mf::gpu, none, mf::ordered(multiply{}) | mf::map(as_matrix{})).code(),
            mf::status::empty_input);
}

}  // namespace
