#pragma once
/// tests/gpu/exact_few: what tests of exact answers and states of few items share.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "monofold/plan/few_launch.hpp"
#include "tests/exact/items.hpp"
#include "tests/gpu/exact_states.cuh"

namespace gpu_tests {

/// The bits of an answer; of one that is a status, that.
template <class Real>
std::uint64_t bits_of(const Real& x) {
  return mf::float_bits(x);
}
template <class Real>
std::uint64_t bits_of(const mf::result<Real>& x) {
  return x.has_value() ? bits_of(*x) : ~std::uint64_t{0};
}

template <class Item>
class gpu_exact_few : public gpu_test {
 protected:
  static constexpr int tile = mf::few_tile_bytes / sizeof(Item);
  static constexpr int chunk = 16 / sizeof(Item);
  static constexpr int most =
      static_cast<int>(mf::most_few_bytes(sizeof(Item), false) / sizeof(Item));
  static constexpr int most_squares =
      static_cast<int>(mf::most_few_bytes(sizeof(Item), true) / sizeof(Item));

  mf::gpu_workspace workspace;  // of all calls of a test

  void SetUp() override {
    gpu_test::SetUp();
    if (IsSkipped()) return;
    const auto all = mf::all(mf::variance(0), mf::extrema);
    workspace = mf::gpu_workspace(mf::workspace_bytes(std::span<const Item>(), all));
  }

  template <class F>
  void check_answer(const F& fold, std::span<const Item> host, std::span<const Item> device,
                    const std::string& what) const {
    using answer = mf::finished_t<F, Item>;
    const device_array<answer> out(1);
    mf::reduce_into(mf::gpu, device, fold, out.data(), workspace);
    const answer want = mf::bind_fold<Item>(fold).finish(cpu_state(fold, host));
    ASSERT_EQ(bits_of(out.host()[0]), bits_of(want))
        << what << ", n = " << host.size() << ", item of " << sizeof(Item) << " bytes, offset "
        << reinterpret_cast<std::uintptr_t>(device.data()) % 16;
  }
  /// The answer, and the state.
  template <class F>
  void check(const F& fold, std::span<const Item> host, std::span<const Item> device,
             const std::string& what) const {
    check_answer(fold, host, device, what);
    const device_array<bound_state<F, Item>> state(1);
    mf::fold_into(mf::gpu, device, fold, state.data(), workspace);
    ASSERT_EQ(words_of(state.host()[0]), words_of(cpu_state(fold, host)))
        << what << ", state, n = " << host.size();
  }
  template <class... Folds>
  void check_members(std::span<const Item> host, std::span<const Item> device,
                     const std::string& what, const Folds&... folds) const {
    const auto all = mf::all(folds...);
    const device_array<bound_state<decltype(all), Item>> out(1);
    mf::fold_into(mf::gpu, device, all, out.data(), workspace);
    expect_members(out.host()[0], host, what, folds...);
  }
  void check_statistics(std::span<const Item> host, std::span<const Item> device,
                        const std::string& what) const {
    check_members(host, device, what + ", statistics", mf::count, mf::sum, mf::min, mf::max,
                  mf::mean, mf::variance(0), mf::argmin, mf::argmax);
  }
  void check_all(const std::vector<Item>& items, const std::string& what) const {
    const device_array<Item> memory(items);
    const std::span<const Item> host(items);
    const std::span<const Item> device = memory.span(0, items.size());
    check(mf::sum, host, device, what + ", sum");
    check_answer(mf::mean, host, device, what + ", mean");
    check(mf::norm1, host, device, what + ", norm1");
    check_answer(mf::sum_to<float>, host, device, what + ", sum_to<float>");
    check_answer(mf::sum_to<mf::bfloat16>, host, device, what + ", sum_to<bfloat16>");
    check_answer(mf::mean_to<float>, host, device, what + ", mean_to<float>");
    check(mf::variance(1), host, device, what + ", variance");
    check_answer(mf::standard_deviation(0), host, device, what + ", standard deviation");
    check_statistics(host, device, what);
    check_members(host, device, what + ", two", mf::argmin, mf::mean);
    check_members(host, device, what + ", no extrema", mf::variance(1), mf::sum);
  }

  /// A power of two times an item, as far as the type goes.
  static Item power(int exponent, double sign = 1) {
    return mf::round_to<Item>(sign < 0, 1, exponent, false);
  }
  /// All items of a tile times 2^exponent, rounded.
  static void scale(std::vector<Item>& items, int first, int end, int exponent) {
    for (int i = first; i < end; ++i) {
      const mf::float_parts p = mf::parts_of(items[static_cast<std::size_t>(i)]);
      items[static_cast<std::size_t>(i)] =
          mf::round_to<Item>(p.negative, p.significand, p.exponent + exponent, false);
    }
  }
};

}  // namespace gpu_tests
