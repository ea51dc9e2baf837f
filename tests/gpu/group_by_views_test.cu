// Groups by key on a GPU: keys and values that are computed, or lie apart.

#include <cstddef>
#include <cstdint>

#include "monofold/group_by.cuh"
#include "monofold/monofold.cuh"
#include "monofold/platform/host_device.hpp"
#include "tests/gpu/keyed_items.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::expect_same_groups;
using gpu_tests::gpu_group_by;
using gpu_tests::numbers_of;
using gpu_tests::spread_keys;

struct halved {
  MONOFOLD_HD double operator()(double x) const { return x / 2; }
};
struct thirds {
  MONOFOLD_HD std::int64_t operator()(std::int64_t key) const { return key / 3; }
};

TEST_F(gpu_group_by, computed_views) {
  const std::size_t n = 5000;
  const auto keys = spread_keys(n, 50);
  const auto values = numbers_of<double>(n);
  const device_array<std::int64_t> there(keys);
  const device_array<double> device(values);
  const auto own_keys = mf::transform(there.span(0, n), thirds{});
  const auto own = mf::transform(device.span(0, n), halved{});
  const auto host_keys = mf::transform(keys, thirds{});
  const auto host = mf::transform(values, halved{});
  expect_same_groups("sorted", mf::group_by(mf::gpu, own_keys, own, mf::sum),
                     mf::group_by(mf::cpu, host_keys, host, mf::sum));
  expect_same_groups("first", mf::group_by(mf::gpu, own_keys, own, mf::sum, mf::key_order::first),
                     mf::group_by(mf::cpu, host_keys, host, mf::sum, mf::key_order::first));
  expect_same_groups("runs", mf::reduce_by_key(mf::gpu, own_keys, own, mf::sum),
                     mf::reduce_by_key(mf::cpu, host_keys, host, mf::sum));
  const mf::strided_view<std::int64_t> one_there(there.data(), static_cast<std::int64_t>(n), 0);
  const mf::strided_view<std::int64_t> one(keys.data(), static_cast<std::int64_t>(n), 0);
  expect_same_groups("one key", mf::group_by(mf::gpu, one_there, own, mf::sum),
                     mf::group_by(mf::cpu, one, host, mf::sum));
  const auto pairs = mf::zip(device.span(0, n), device.span(0, n));
  expect_same_groups("dot", mf::group_by(mf::gpu, own_keys, pairs, mf::dot),
                     mf::group_by(mf::cpu, host_keys, mf::zip(values, values), mf::dot));
}

}  // namespace
