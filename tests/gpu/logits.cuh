#pragma once
/// gpu/logits: numbers of every kind that softmax and norms meet; what they give has the CPU's bytes.

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "monofold/reduce_axis.cuh"
#include "monofold/reduce_segments.cuh"
#include "tests/gpu/array_layouts.cuh"
#include "tests/gpu/device.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace gpu_tests {

enum class logits { near, ordinary, huge, with_infinities, with_nan, zeros, lowest };
inline constexpr logits all_logits[] = {
    logits::near,     logits::ordinary, logits::huge,  logits::with_infinities,
    logits::with_nan, logits::zeros,    logits::lowest};

template <class Item>
std::vector<Item> logits_of(std::size_t n, logits kind) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double largest = sizeof(Item) == 8 ? 0x1.8p1023 : 0x1.8p127;
  std::vector<Item> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t random = inputs::mixed(i);
    double x = inputs::spread_double(i, 4);
    if (random % 5 == 0) x *= 10;
    switch (kind) {
      case logits::near:  // all terms count, so that the tree shows
        x = inputs::unit_double(i) * 3;
        break;
      case logits::ordinary:
        if (random % 11 == 0) x = random % 2 == 0 ? 0.0 : -0.0;
        break;
      case logits::huge:
        if (random % 3 == 0) x = std::ldexp(inputs::unit_double(i), sizeof(Item) == 8 ? 1023 : 127);
        if (random % 97 == 0) x = random % 2 == 0 ? largest : -largest;
        if (random % 17 == 0) x *= 0x1p-140;  // of float32, subnormal numbers
        break;
      case logits::with_infinities:
        if (random % 29 == 0) x = -infinity;
        if (random % 301 == 0) x = infinity;
        break;
      case logits::with_nan:
        if (random % 201 == 0) x = std::numeric_limits<double>::quiet_NaN();
        if (random % 401 == 0) x = infinity;
        if (random % 403 == 0) x = -std::numeric_limits<double>::quiet_NaN();
        break;
      case logits::zeros: x = random % 3 == 0 && i % 1000 < 100 ? 0.0 : -0.0; break;
      case logits::lowest: x = random % 501 == 0 ? -largest : -infinity; break;
    }
    out[i] = static_cast<Item>(sizeof(Item) == 8 ? x : static_cast<double>(static_cast<float>(x)));
  }
  return out;
}

inline std::vector<array_layout> layouts_of_logits() {
  std::vector<array_layout> out;
  const auto add = [&](const mf::axis_numbers& extents, const mf::axis_numbers& axes,
                       std::int64_t gap = 0, std::int64_t off = 0) {
    out.push_back({extents, strides_of(extents, 1, gap), axes, off});
  };
  const std::vector<std::int64_t> lengths =
      is_slow ? std::vector<std::int64_t>{1, 33, 1025}
              : std::vector<std::int64_t>{1, 2, 31, 33, 128, 500, 1025, 2600};
  for (const std::int64_t length : lengths) {
    add({17, length}, {1});
    add({5, length}, {1}, 3, 1);
    add({length, 37}, {0});
    add({length, 5}, {0}, 0, 1);
    add({3, length, 6}, {1});
  }
  add({9000, 3}, {0});
  add({2, 9000}, {1});
  add({7, 30, 40}, {0, 2});
  add({4, 12, 3, 50, 2}, {1, 3});
  add({3, 0, 2}, {1});
  out.push_back({{30, 40}, {-40, -1}, {1}, 0});
  out.push_back({{30, 40}, {1, 30}, {1}, 0});
  return out;
}

template <class Item, class F>
void compare_logits(const char* what, const F& f) {
  for (const logits kind : all_logits) {
    compare_layouts<Item>(what, f, layouts_of_logits(),
                          [kind](std::size_t n) { return logits_of<Item>(n, kind); });
    if (testing::Test::HasFatalFailure()) return;
  }
}

template <class Item, class F>
void compare_logits_of_segments(const char* what, const F& f) {
  std::vector<std::int64_t> offsets{1};
  const auto add = [&](std::int64_t length) { offsets.push_back(offsets.back() + length); };
  for (const std::int64_t length : {0, 1, 2, 3, 31, 32, 33, 100, 0, 512, 513, 1024, 1025, 9000}) {
    add(length);
  }
  for (std::int64_t i = 0; i < 400; ++i) add(i % 9);
  const auto count = static_cast<std::int64_t>(offsets.size()) - 1;
  const device_array<std::int64_t> there(offsets);
  for (const logits kind : all_logits) {
    const auto host = logits_of<Item>(static_cast<std::size_t>(offsets.back()), kind);
    const device_array<Item> device(host);
    const auto got = mf::try_reduce_segments(mf::gpu, device.span(0, host.size()),
                                             mf::offset_segments(there.data(), count), f);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      const auto own = std::span<const Item>(host).subspan(
          static_cast<std::size_t>(offsets[s]),
          static_cast<std::size_t>(offsets[s + 1] - offsets[s]));
      const std::string found = inputs::bytes_of(got[s]);
      const std::string want = inputs::bytes_of(mf::try_reduce(mf::cpu, own, f));
      ASSERT_TRUE(found == want) << what << ", logits of kind " << static_cast<int>(kind)
                                 << ": segment " << s << " of " << own.size() << " items is "
                                 << hex_of(found) << ", alone " << hex_of(want);
    }
  }
}

/// The hash (FNV-1a) of the answers of 100 rows of 30 items: on the CPU, on the GPU, and there as columns.
template <class Item, class F>
void expect_bits(const char* what, const F& f, std::uint64_t want) {
  const auto host = logits_of<Item>(3000, logits::near);
  std::vector<Item> other(3000);
  for (std::size_t i = 0; i < 3000; ++i) other[i % 30 * 100 + i / 30] = host[i];
  const device_array<Item> device(host);
  const device_array<Item> columns(other);
  const auto hash = [&](const auto& engine, const Item* first, const mf::axis_numbers& strides) {
    std::uint64_t out = 0xcbf29ce484222325u;
    for (const char byte : inputs::bytes_of(
             mf::try_reduce_axis(engine, mf::array_view<Item>(first, {100, 30}, strides), {1}, f)
                 .values)) {
      out = (out ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
    }
    return out;
  };
  EXPECT_EQ(hash(mf::cpu, host.data(), {30, 1}), want) << what << " on the CPU";
  EXPECT_EQ(hash(mf::gpu, device.data(), {30, 1}), want) << what << " of rows";
  EXPECT_EQ(hash(mf::gpu, columns.data(), {1, 100}), want) << what << " of columns";
}

}  // namespace gpu_tests
