// Carries that a warp runs at once: the number that the digits stand for.

#include <cstdint>
#include <vector>

#include "monofold/engine/gpu/exact/few_state.cuh"
#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/fold/exact/digits.hpp"
#include "tests/gpu/device.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;

class gpu_exact_carries : public gpu_tests::gpu_test {};

__global__ void run_carries_kernel(const std::int64_t* words, int num_words, std::uint32_t* out) {
  mf::detail::run_carries(words + blockIdx.x * num_words, num_words, out + blockIdx.x * num_words);
}

template <int limbs>
void expect_numbers(const std::vector<std::int64_t>& words) {
  constexpr int num_words = 2 * limbs;
  using number = mf::exact_number<0, limbs>;
  const auto blocks = static_cast<unsigned>(words.size() / num_words);
  const device_array<std::int64_t> device(words);
  const device_array<std::uint32_t> out(words.size());
  gpu_tests::start(run_carries_kernel, blocks, 32, device.data(), num_words, out.data());
  const auto got = out.host();
  for (unsigned b = 0; b < blocks; ++b) {
    mf::exact_digits<number> digits;
    for (int i = 0; i < num_words; ++i) digits.digit[i] = words[b * num_words + i];
    const number want = mf::number_of(digits);
    for (int i = 0; i < num_words; ++i) {
      const auto digit = static_cast<std::uint32_t>(want.limb[i / 2] >> (i % 2 * 32));
      ASSERT_EQ(got[b * num_words + i], digit)
          << limbs << " limbs, number " << b << ", digit " << i;
    }
  }
}

template <int limbs>
void draw_and_expect() {
  inputs::generator random(limbs);
  std::vector<std::int64_t> words;
  for (int round = 0; round < 64; ++round) {
    for (int i = 0; i < 2 * limbs; ++i) {
      const std::uint64_t bits = random();
      // Any words, small ones of both signs, and those through which carries run far.
      const std::int64_t each[] = {static_cast<std::int64_t>(bits),
                                   static_cast<std::int64_t>(bits) >> (bits % 60),
                                   bits % 16 == 0 ? -1 : 0,
                                   0xffffffff + (bits % 16 == 0 ? 1 : 0),
                                   -0x100000000 + (bits % 32 == 0 ? 1 : 0),
                                   i == 0 ? -1 : 0,
                                   bits % 2 == 0 ? INT64_MIN : INT64_MAX,
                                   i == 0 ? 1 : 0xffffffff};
      words.push_back(each[round % 8]);
    }
  }
  expect_numbers<limbs>(words);
}

TEST_F(gpu_exact_carries, any_words_of_every_length) {
  draw_and_expect<1>();
  draw_and_expect<3>();
  draw_and_expect<6>();
  draw_and_expect<16>();
  draw_and_expect<17>();
  draw_and_expect<34>();
  draw_and_expect<67>();
}

__global__ void add_words_kernel(const std::uint32_t* a, const std::uint32_t* b,
                                 std::uint32_t* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = mf::detail::sum_of_words(a[i], b[i]);
}

/// Two numbers of 32 words, a word a lane: carries run through words of ones, from any lane to any other.
TEST_F(gpu_exact_carries, of_two_numbers_a_word_a_lane) {
  constexpr unsigned numbers = 512;
  inputs::generator random(7);
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
  for (unsigned n = 0; n < numbers; ++n) {
    for (unsigned i = 0; i < 32; ++i) {
      const auto one = static_cast<std::uint32_t>(random());
      const auto kind = n % 4 == 0 ? 3 : random() % 16;
      a.push_back(one);
      b.push_back(kind == 0   ? 0 - one  // makes a carry, leaves zeros
                  : kind == 1 ? 0
                  : kind == 3 ? static_cast<std::uint32_t>(random())
                              : ~one);  // hands one on
    }
  }
  const device_array<std::uint32_t> first(a);
  const device_array<std::uint32_t> second(b);
  const device_array<std::uint32_t> out(a.size());
  gpu_tests::start(add_words_kernel, numbers, 32, first.data(), second.data(), out.data());
  const auto got = out.host();
  for (std::size_t n = 0; n < a.size(); n += 32) {
    std::uint64_t carried = 0;
    for (std::size_t i = n; i < n + 32; ++i) {
      carried += std::uint64_t{a[i]} + b[i];
      ASSERT_EQ(got[i], static_cast<std::uint32_t>(carried))
          << "number " << n / 32 << ", word " << i - n;
      carried >>= 32;
    }
  }
}

}  // namespace
