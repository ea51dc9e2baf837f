// The emulated engine on host memory: the CPU engine's bits.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "emulation/random.hpp"
#include "emulation/report.hpp"
#include "monofold/emulated.cuh"
#include "monofold/fold/exact.hpp"
#include "monofold/monofold.cuh"
#include "tests/gpu/device.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
namespace emulation = monofold::emulation;
using gpu_tests::same;

std::vector<float> numbers(std::size_t n) {
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(inputs::spread_double(i, 12));
  return out;
}

struct decayed {
  MONOFOLD_HD float operator()(float l, float r) const { return l * 0.5f + r; }
};
struct square {
  MONOFOLD_HD float operator()(float x) const { return x * x; }
};

TEST(emulation_engine, host_memory_gives_the_bits_of_the_cpu) {
  for (const std::size_t n : {1, 33, 1000, 5000, 300001}) {
    const auto x = numbers(n);
    EXPECT_TRUE(same(mf::reduce(mf::emulated, x, mf::plain_sum_in<double>),
                     mf::reduce(mf::cpu, x, mf::plain_sum_in<double>)));
    const auto all = mf::all(mf::count, mf::plain_mean, mf::plain_variance(), mf::extrema);
    EXPECT_TRUE(same(mf::reduce(mf::emulated, x, all), mf::reduce(mf::cpu, x, all)));
    const auto ordered = mf::ordered(decayed{});
    EXPECT_TRUE(same(mf::reduce(mf::emulated, x, ordered), mf::reduce(mf::cpu, x, ordered)));
    const auto squares = mf::transform(x, square{});
    EXPECT_TRUE(same(mf::reduce(mf::emulated, squares, mf::plain_sum),
                     mf::reduce(mf::cpu, squares, mf::plain_sum)));
  }
}

TEST(emulation_engine, exact_sums_in_every_order_of_threads) {
  const auto x = numbers(30011);
  const double want = mf::reduce(mf::cpu, x, mf::sum);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    emulation::set_seed(seed);
    EXPECT_TRUE(same(mf::reduce(mf::emulated, x, mf::sum), want)) << "seed " << seed;
  }
  EXPECT_TRUE(same(mf::reduce(mf::emulated, x, mf::mean), mf::reduce(mf::cpu, x, mf::mean)));
}

TEST(emulation_engine, every_order_of_threads_gives_the_same_bits) {
  const auto x = numbers(100003);
  const double want = mf::reduce(mf::cpu, x, mf::plain_sum_in<double>);
  const auto best = mf::reduce(mf::cpu, x, mf::extrema);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    emulation::set_seed(seed);
    EXPECT_TRUE(same(mf::reduce(mf::emulated, x, mf::plain_sum_in<double>), want))
        << "seed " << seed;
    EXPECT_TRUE(same(mf::reduce(mf::emulated, x, mf::extrema), best)) << "seed " << seed;
  }
}

TEST(emulation_engine, refusals_are_those_of_the_cpu) {
  const std::vector<float> none;
  EXPECT_EQ(mf::reduce(mf::emulated, none, mf::plain_sum_in<double>), 0.0);
  EXPECT_EQ(mf::try_reduce(mf::emulated, none, mf::min).code(), mf::status::empty_input);
  const mf::contiguous_view<float> nowhere(nullptr, 5);
  EXPECT_EQ(mf::try_reduce(mf::emulated, nowhere, mf::plain_sum_in<double>).code(),
            mf::status::invalid_argument);
}

/// A fold with a bug that depends on nothing but the index.
struct wild_read {
  using state = float;
  const float* table;  // device memory
  MONOFOLD_HD float lift(float item, std::int64_t index) const { return item + table[index]; }
  MONOFOLD_HD float combine(float l, float r) const { return l + r; }
};

TEST(emulation_engine, a_fold_that_reads_wild_fails_the_call) {
  const gpu_tests::device_array<float> table(std::vector<float>(1000, 1.0f));
  const std::vector<float> x(1001, 1.0f);
  const std::span<const float> fits(x.data(), 1000);
  EXPECT_EQ(mf::reduce(mf::emulated, fits, wild_read{table.data()}), 2000.0f);
  testing::internal::CaptureStderr();
  try {
    mf::reduce(mf::emulated, x, wild_read{table.data()});
    ADD_FAILURE() << "not seen";
  } catch (const mf::error& failed) {
    const std::string text = failed.what();
    EXPECT_NE(text.find("at byte 4000 of a buffer of 4000 bytes"), std::string::npos) << text;
    EXPECT_NE(text.find("fold_few_tiles_kernel"), std::string::npos) << text;
  }
  static_cast<void>(testing::internal::GetCapturedStderr());
  EXPECT_EQ(emulation::take_reports().size(), 1u);
}

}  // namespace
