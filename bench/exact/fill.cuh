#pragma once
/// bench/exact/fill: items that depend on their index alone, of every kind of `exact_data`.

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "bench/exact/cases.hpp"
#include "bench/gpu/check.cuh"
#include "bench/gpu/mixed.cuh"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/numbers.hpp"

namespace bench {

/// The item nearest to x, at most the largest finite one.
template <class Item>
__device__ Item rounded_item(double x) {
  using format = monofold::float_format<Item>;
  const auto p = monofold::parts_of(x);
  Item out = monofold::round_to<Item>(p.negative, p.significand, p.exponent, false);
  auto bits = monofold::float_bits(out);
  if ((bits & (format::sign_bit - 1)) >= format::infinity) {
    bits = static_cast<typename format::bits>((bits & format::sign_bit) | (format::infinity - 1));
    out = monofold::float_from_bits<Item>(bits);
  }
  return out;
}

/// Random sign and fraction with an exponent field.
template <class Item>
__device__ Item with_field(std::uint64_t random, int field) {
  using format = monofold::float_format<Item>;
  using bits = typename format::bits;
  const auto fraction = static_cast<bits>(random & ((bits{1} << format::fraction_bits) - 1));
  const auto sign = static_cast<bits>((random >> 63) != 0 ? format::sign_bit : bits{0});
  return monofold::float_from_bits<Item>(
      static_cast<bits>(sign | static_cast<bits>(bits(field) << format::fraction_bits) | fraction));
}

template <class Item>
__device__ Item item_at(std::uint64_t i, std::int64_t period, exact_data kind) {
  constexpr int fields = 2 * monofold::float_format<Item>::max_exponent - 1;  // of finite numbers
  const std::uint64_t r = mixed(2 * i);
  const std::uint64_t s = mixed(2 * i + 1);
  if (kind == exact_data::any_exponent) return with_field<Item>(r, static_cast<int>(s % fields));
  if (kind == exact_data::growing) {
    return with_field<Item>(r, static_cast<int>(i * fields / static_cast<std::uint64_t>(period)));
  }
  const double u = static_cast<double>(static_cast<std::int64_t>(r)) * 0x1p-63;
  if (kind == exact_data::uniform) return rounded_item<Item>(u);
  const double v = (static_cast<double>(s >> 11) + 1) * 0x1p-53;
  const double normal = sqrt(-2 * log(v)) * cospi(u);
  return rounded_item<Item>(kind == exact_data::normal ? normal : exp(10 * normal));
}

template <class Item>
__global__ void fill_items_kernel(Item* out, std::int64_t count, std::int64_t period,
                                  exact_data kind) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count; i += step) {
    out[i] = item_at<Item>(static_cast<std::uint64_t>(i % period), period, kind);
  }
}

template <class Item>
void fill_items(void* out, std::int64_t bytes, exact_data kind) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(Item));
  fill_items_kernel<<<2048, 256>>>(static_cast<Item*>(out), bytes / size, period_bytes / size,
                                   kind);
  check(cudaDeviceSynchronize(), "filling the buffer");
}

}  // namespace bench
