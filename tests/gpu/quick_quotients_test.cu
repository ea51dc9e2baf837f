// Means and variances from leading bits by doubles: never another number than that of integers, and nearly always one.

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "monofold/engine/gpu/integer_answers.cuh"
#include "monofold/engine/gpu/quick_quotients.cuh"
#include "monofold/fold/exact/deviations.hpp"
#include "tests/gpu/device.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;

/// Sums of n items and of their squares, both times powers of two.
struct spread {
  mf::detail::leading_bits sum;
  bool is_negative;
  mf::detail::leading_bits squares;
  std::uint64_t n;
  std::uint64_t divisor;
  mf::integer_moments_state state;  // the same, but for the power of two
  std::int64_t ddof;
};

/// An answer, if there is one.
template <class Real>
struct maybe {
  Real value;
  bool is_there;
};
template <class Real>
struct found {
  maybe<Real> mean;
  maybe<Real> variance;
  maybe<Real> deviation;
};
struct all_found {
  found<double> doubles;
  found<float> floats;
  found<double> of_state;  // no mean
};

template <class Real>
MONOFOLD_GPU void find(const spread& one, found<Real>& own) {
  using namespace mf::detail;
  own.mean.is_there = quick_quotient({one.sum, one.is_negative}, one.n, own.mean.value);
  own.variance.is_there =
      quick_spread<false>(one.sum, one.squares, one.n, one.divisor, own.variance.value);
  own.deviation.is_there =
      quick_spread<true>(one.sum, one.squares, one.n, one.divisor, own.deviation.value);
}
__global__ void find_all(const spread* all, int count, all_found* out) {
  const auto i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  all_found own{};
  find(all[i], own.doubles);
  find(all[i], own.floats);
  auto& whole = own.of_state;
  whole.variance.is_there =
      mf::detail::quick_spread_of<false>(all[i].state, all[i].ddof, whole.variance.value);
  whole.deviation.is_there =
      mf::detail::quick_spread_of<true>(all[i].state, all[i].ddof, whole.deviation.value);
  out[i] = own;
}

/// What integers say: they do not overflow here, and share no code with the doubles.
struct known {
  mf::integer_moments_state state;
  std::int64_t ddof;
  int exponent;  // of the items
};

spread leading_of(const known& one) {
  const auto n = static_cast<std::uint64_t>(one.state.count);
  const mf::uint128 size = one.state.sum < 0 ? 0 - static_cast<mf::uint128>(one.state.sum)
                                             : static_cast<mf::uint128>(one.state.sum);
  return {mf::detail::leading_of(size, one.exponent),
          one.state.sum < 0,
          mf::detail::leading_of(one.state.squares.limb, 4, 2 * one.exponent).bits,
          n,
          n * static_cast<std::uint64_t>(one.state.count - one.ddof),
          one.state,
          one.ddof};
}

/// How many of these have an answer in doubles; each, of floats too, must be the right one.
struct tally {
  int means;
  int variances;
  int deviations;
  int of_states;  // variances and deviations
};

template <class Real>
void expect_bits(const maybe<Real>& got, Real want, const char* what, std::size_t i) {
  EXPECT_TRUE(mf::float_bits(got.value) == mf::float_bits(want))
      << what << ' ' << i << ": " << got.value << ", not " << want;
}

/// Answers in `Real` by integers of 128 bits.
template <class Real>
void check_floats(const spread& one, const found<Real>& got, std::size_t i) {
  using namespace mf::detail;
  if (got.mean.is_there) {
    expect_bits(got.mean, round_bits<Real>(one.is_negative, quotient_of(one.sum, one.n)), "mean",
                i);
  }
  doubtful_bits deviations;
  Real want;
  if (!leading_deviations(one.sum, one.squares, one.n, deviations)) return;
  if (got.variance.is_there && round_deviations<false>(deviations, one.divisor, want)) {
    expect_bits(got.variance, want, "variance", i);
  }
  if (got.deviation.is_there && round_deviations<true>(deviations, one.divisor, want)) {
    expect_bits(got.deviation, want, "deviation", i);
  }
}

class gpu_quick_quotients : public gpu_tests::gpu_test {
 protected:
  inputs::generator random{20261126};

  std::uint64_t bits(int count) { return count == 0 ? 0 : random() >> (64 - count); }
  mf::uint128 wide_bits(int count) {
    const mf::uint128 all = mf::uint128{random()} << 64 | random();
    return count == 0 ? 0 : all >> (128 - count);
  }
  /// An odd number of so many bits.
  mf::uint128 odd_of(int width) {
    return mf::uint128{1} << (width - 1) | mf::uint128{bits(width - 2)} << 1 | 1;
  }
  int below(int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); }

  static tally check(const std::vector<known>& all) {
    std::vector<spread> cases;
    for (const known& one : all) cases.push_back(leading_of(one));
    const device_array<spread> device(cases);
    const device_array<all_found> out(all.size());
    const auto count = static_cast<int>(all.size());
    gpu_tests::start(find_all, (count + 255) / 256, 256, device.data(), count, out.data());
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    const std::vector<all_found> got = out.host();
    tally decided{};
    for (std::size_t i = 0; i < all.size(); ++i) {
      const known& one = all[i];
      const found<double>& own = got[i].doubles;
      if (own.variance.is_there) {
        ++decided.variances;
        expect_bits(own.variance,
                    std::ldexp(*mf::variance_of(one.state, one.ddof), 2 * one.exponent), "variance",
                    i);
      }
      if (own.deviation.is_there) {
        ++decided.deviations;
        expect_bits(own.deviation, std::ldexp(*mf::deviation_of(one.state, one.ddof), one.exponent),
                    "deviation", i);
      }
      const found<double>& whole = got[i].of_state;
      if (whole.variance.is_there) {
        ++decided.of_states;
        expect_bits(whole.variance, *mf::variance_of(one.state, one.ddof), "variance of a state",
                    i);
      }
      if (whole.deviation.is_there) {
        ++decided.of_states;
        expect_bits(whole.deviation, *mf::deviation_of(one.state, one.ddof), "deviation of a state",
                    i);
      }
      decided.means += own.mean.is_there ? 1 : 0;
      check_floats(cases[i], own, i);
      check_floats(cases[i], got[i].floats, i);
    }
    return decided;
  }

  /// n items around `mean`, whose sum is off n times that by `rest` below n, and as much in `more` as there can be.
  known around(mf::uint128 mean, std::uint64_t rest, std::uint64_t n, mf::uint128 more, int ddof,
               int exponent) {
    // S^2 / n = n mean^2 + 2 mean rest + rest^2 / n.
    mf::uint256 squares = mf::multiply(mf::multiply(mean, mean), n);
    squares = mf::add(squares, mf::multiply(2 * mean, mf::uint128{rest}));
    squares = mf::add(squares, mf::widen(mf::uint128{rest == 0 ? 0 : n} + more));
    const auto sum = static_cast<mf::int128>(mean * n + rest);
    return {
        {static_cast<std::int64_t>(n), random() % 2 == 0 ? sum : -sum, squares}, ddof, exponent};
  }
};

TEST_F(gpu_quick_quotients, of_data_like_data) {
  std::vector<known> all;
  const auto count = static_cast<int>(gpu_tests::repetitions(400000, 20000));
  for (int i = 0; i < count; ++i) {
    const std::uint64_t n = 2 + bits(1 + below(26));
    const int mean_bits = below(60);
    // From deviations as large as the mean to those 2^12 times smaller.
    const int spread_bits = std::max(2, 2 * mean_bits - below(24)) + std::bit_width(n);
    all.push_back(around(wide_bits(mean_bits), bits(20) % n, n,
                         wide_bits(std::min(spread_bits, 126)) + 1, below(2), below(800) - 400));
  }
  const tally decided = check(all);
  EXPECT_GT(decided.means, count - count / 20) << "a few are 0";
  EXPECT_GT(decided.variances, count - count / 1000);
  EXPECT_GT(decided.deviations, count - count / 1000);
  EXPECT_GT(decided.of_states, 2 * (count - count / 1000));
}

TEST_F(gpu_quick_quotients, of_any_cancellation_and_length) {
  std::vector<known> all;
  for (unsigned i = 0; i < gpu_tests::repetitions(400000, 20000); ++i) {
    const std::uint64_t n = 2 + bits(1 + below(31));
    const int mean_bits = below(94);
    all.push_back(around(wide_bits(mean_bits), bits(31) % n, n, wide_bits(below(126)), below(2),
                         below(1000) - 500));
  }
  const tally decided = check(all);
  EXPECT_GT(decided.variances, static_cast<int>(all.size() / 4));
}

// (2 m + 1) 2^(k - 1) is in the middle between two doubles where m has 53 bits.
TEST_F(gpu_quick_quotients, of_ties_and_their_neighbours) {
  std::vector<known> all;
  for (unsigned i = 0; i < gpu_tests::repetitions(100000, 10000); ++i) {
    const std::uint64_t n = 2 + bits(1 + below(20));
    const mf::uint128 middle = odd_of(54);
    mf::uint128 more = (middle << below(50)) * (n - 1);
    if (i % 3 == 1) more += 1 + bits(below(8));
    if (i % 3 == 2) more -= 1 + bits(below(8));
    all.push_back(around(wide_bits(below(70)), 0, n, more, 1, below(100) - 50));
  }
  check(all);
}

// Squares of the middles between two doubles are variances whose roots are these; their neighbours have roots next to
// those.
TEST_F(gpu_quick_quotients, of_roots_next_to_ties) {
  std::vector<known> all;
  for (unsigned i = 0; i < gpu_tests::repetitions(100000, 10000); ++i) {
    const std::uint64_t n = 2 + bits(1 + below(8));
    const mf::uint128 root = odd_of(54);
    mf::uint128 more = root * root * (n - 1);
    if (i % 3 == 1) more += n - 1;
    if (i % 3 == 2) more -= n - 1;
    all.push_back(around(wide_bits(below(60)), 0, n, more, 1, below(100) - 50));
  }
  check(all);
}

// Sums of n times the middle between two doubles, or floats, and their neighbours.
TEST_F(gpu_quick_quotients, of_means_next_to_ties) {
  std::vector<known> all;
  for (unsigned i = 0; i < gpu_tests::repetitions(100000, 10000); ++i) {
    const std::uint64_t n = 1 + bits(1 + below(30));
    const int width = i % 2 == 0 ? 54 : 25;
    mf::uint128 sum = odd_of(width) * n;
    sum <<= below(127 - width - std::bit_width(n));
    if (i % 3 == 1) sum += 1 + bits(below(4));
    if (i % 3 == 2) sum -= 1 + bits(below(4));
    all.push_back(around(sum / n, static_cast<std::uint64_t>(sum % n), n, 1, 0, below(100) - 90));
  }
  check(all);
}

// Answers below the smallest normal number and beyond the largest one are left to integers, and so are nothing and
// what is no sum of the same items.
TEST_F(gpu_quick_quotients, of_what_doubles_do_not_hold) {
  std::vector<known> all;
  for (const int exponent : {-600, -537, -520, 480, 511, 600}) {
    for (int i = 0; i < 100; ++i) {
      all.push_back(around(wide_bits(40), 0, 1000, wide_bits(60), 1, exponent));
    }
  }
  for (std::uint64_t n = 2; n < 100; ++n) all.push_back(around(wide_bits(50), 0, n, 0, 1, 0));
  check(all);

  std::vector<spread> odd;
  const auto one = mf::detail::leading_of(mf::uint128{1}, 0);
  odd.push_back({one, false, {0, 0, false}, 3, 6, {0, 0, {}}, 0});
  odd.push_back({mf::detail::leading_of(mf::uint128{1}, 700), false, one, 3, 6, {3, 5, {}}, 3});
  odd.push_back(
      {one, false, one, std::uint64_t{1} << 53, 6, {std::int64_t{1} << 31, 5, {{100}}}, 0});
  odd.push_back({one, false, one, 3, std::uint64_t{1} << 53, {1 << 27, 0, {{100}}}, 0});
  const device_array<spread> device(odd);
  const device_array<all_found> out(odd.size());
  gpu_tests::start(find_all, 1, 32, device.data(), static_cast<int>(odd.size()), out.data());
  for (const all_found& own : out.host()) {
    EXPECT_FALSE(own.doubles.variance.is_there);
    EXPECT_FALSE(own.doubles.deviation.is_there);
    EXPECT_FALSE(own.floats.variance.is_there);
    EXPECT_FALSE(own.floats.deviation.is_there);
    EXPECT_FALSE(own.of_state.variance.is_there);
    EXPECT_FALSE(own.of_state.deviation.is_there);
  }
}

}  // namespace
