#pragma once
/// gpu/exact_states: exact states from the device, compared with the CPU's by their bytes.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "monofold/engine/gpu/dispatch.cuh"
#include "monofold/fold/exact.hpp"
#include "monofold/monofold.cuh"
#include "tests/exact/items.hpp"
#include "tests/gpu/device.cuh"

namespace gpu_tests {

/// The items of exact sums. Where nvcc only looks at the sources, one type is enough: no test is run there,
/// and the library of kernels, which it looks at too, has every type.
#if defined(MONOFOLD_NVCC_LOOKS)
using item_types = testing::Types<float>;
#else
using item_types = testing::Types<double, float, mf::bfloat16, mf::float16>;
#endif

/// Items that a tile of 4 KiB holds.
template <class Item>
constexpr int tile = 4096 / sizeof(Item);

template <class F, class View>
constexpr bool is_new_path =
    mf::detail::adds_exactly_v<mf::bound_fold_t<F, typename View::item_type>, View>;

template <class F, class Item>
using bound_state = typename mf::bound_fold_t<F, Item>::state;

template <class Item, class F>
bound_state<F, Item> cpu_state(const F& fold, std::span<const Item> items) {
  const auto f = mf::bind_fold<Item>(fold);
  auto own = f.identity();
  f.absorb_run(own, items.data(), static_cast<std::int64_t>(items.size()), 0);
  return own;
}

/// The item of an exponent field whose fraction and sign are the ends of `bits`.
template <class Item>
Item item_of_field(std::uint64_t bits, int field) {
  using f = inputs::fields<Item>;
  return inputs::from_bits<Item>((bits & ((std::uint64_t{1} << f::fraction) - 1)) |
                                 static_cast<std::uint64_t>(field) << f::fraction |
                                 (bits >> 63) << (f::total - 1));
}

/// Starts the kernel of an exact sum on so many blocks.
template <class Path, class State>
void expect_started(const Path& path, std::int64_t blocks, const mf::gpu_workspace& workspace,
                    State* out) {
  mf::detail::device_stream on{};
  auto failed = mf::detail::open_stream(mf::gpu, on);
  if (!failed) {
    failed = path.start_blocks(blocks, on, workspace, mf::detail::state_sink<State>{out});
  }
  EXPECT_FALSE(failed) << failed.detail;
}

/// Runs on as many blocks as the engine takes where `blocks` is 0.
template <class Item, class F>
bound_state<F, Item> gpu_state(const F& fold, std::span<const Item> items,
                               std::int64_t blocks = 0) {
  using state = bound_state<F, Item>;
  const device_array<state> out(1);
  const mf::gpu_workspace workspace(mf::workspace_bytes(items, fold));
  if (blocks == 0 || items.empty()) {
    mf::fold_into(mf::gpu, items, fold, out.data(), workspace);
  } else {
    using bound = mf::bound_fold_t<F, Item>;
    using view_type = mf::contiguous_view<Item>;
    const view_type view(items.data(), static_cast<std::int64_t>(items.size()));
    const auto f = mf::bind_fold<Item>(fold);
    const mf::detail::gpu_path<bound, view_type> path(f, view);
    expect_started(path, blocks, workspace, out.data());
  }
  return out.host()[0];
}

/// The words of a state, so that a failure says which differ.
template <class State>
std::vector<std::uint64_t> words_of(const State& state) {
  static_assert(sizeof(State) % 8 == 0);
  std::vector<std::uint64_t> out(sizeof(State) / 8);
  std::memcpy(out.data(), &state, sizeof(State));
  return out;
}

/// The fields of a state, without the padding between them.
template <class Key>
std::vector<std::uint64_t> fields_of(const mf::extremum<Key>& own) {
  return {static_cast<std::uint64_t>(own.key), static_cast<std::uint64_t>(own.index)};
}
inline std::vector<std::uint64_t> fields_of(const std::int64_t& own) {
  return {static_cast<std::uint64_t>(own)};
}
template <class Number>
std::vector<std::uint64_t> fields_of(const mf::exact_state<Number>& own) {
  return words_of(own);
}
template <class Item>
std::vector<std::uint64_t> fields_of(const mf::exact_moments_state<Item>& own) {
  return words_of(own);
}
template <class State>
requires requires(const State& own) {
  own.min.index;
  own.max.index;
}
std::vector<std::uint64_t> fields_of(const State& own) {
  auto out = fields_of(own.min);
  for (const std::uint64_t word : fields_of(own.max)) out.push_back(word);
  return out;
}

/// Members of an `all` each have the state that the CPU gives it alone.
template <class Item, class State, class First, class... Rest>
void expect_members(const State& got, std::span<const Item> host, const std::string& what,
                    const First& first, const Rest&... rest) {
  ASSERT_EQ(fields_of(got.first), fields_of(cpu_state(first, host)))
      << what << ", n = " << host.size() << ", item of " << sizeof(Item) << " bytes, "
      << sizeof...(Rest) << " members from the end";
  if constexpr (sizeof...(Rest) > 0) expect_members(got.rest, host, what, rest...);
}

template <class Item, class F>
void expect_cpu_state(const F& fold, std::span<const Item> host, std::span<const Item> device,
                      const std::string& what, std::int64_t blocks = 0) {
  ASSERT_EQ(words_of(gpu_state(fold, device, blocks)), words_of(cpu_state(fold, host)))
      << what << ", n = " << host.size() << ", item of " << sizeof(Item) << " bytes, offset "
      << reinterpret_cast<std::uintptr_t>(device.data()) % 16 << ", blocks " << blocks;
}

/// All of some items.
template <class Item, class F>
void expect_cpu_state(const F& fold, const std::vector<Item>& items, const std::string& what,
                      std::int64_t blocks = 0) {
  const device_array<Item> device(items);
  expect_cpu_state<Item>(fold, items, device.span(0, items.size()), what, blocks);
}

/// The dot product of two arrays.
template <class Item>
void expect_cpu_dot(std::span<const Item> left, std::span<const Item> right,
                    std::span<const Item> device_left, std::span<const Item> device_right,
                    const std::string& what, std::int64_t blocks = 0) {
  using pair = mf::item_pair<Item, Item>;
  using state = bound_state<decltype(mf::dot), pair>;
  const auto f = mf::bind_fold<pair>(mf::dot);
  auto own = f.identity();
  for (std::size_t i = 0; i < left.size(); ++i) f.absorb(own, {left[i], right[i]}, 0);
  const auto view = mf::zip(device_left, device_right);
  const device_array<state> out(1);
  const mf::gpu_workspace workspace(mf::workspace_bytes(view, mf::dot));
  if (blocks == 0) {
    mf::fold_into(mf::gpu, view, mf::dot, out.data(), workspace);
  } else {
    const mf::detail::gpu_path<decltype(f), decltype(view)> path(f, view);
    expect_started(path, blocks, workspace, out.data());
  }
  ASSERT_EQ(words_of(out.host()[0]), words_of(own))
      << "dot, " << what << ", n = " << left.size() << ", item of " << sizeof(Item)
      << " bytes, offsets " << reinterpret_cast<std::uintptr_t>(device_left.data()) % 16 << " and "
      << reinterpret_cast<std::uintptr_t>(device_right.data()) % 16 << ", blocks " << blocks;
}

template <class Item>
void expect_cpu_dot(const std::vector<Item>& left, const std::vector<Item>& right,
                    const std::string& what, std::int64_t blocks = 0) {
  const device_array<Item> on_left(left);
  const device_array<Item> on_right(right);
  expect_cpu_dot<Item>(left, right, on_left.span(0, left.size()), on_right.span(0, right.size()),
                       what, blocks);
}

}  // namespace gpu_tests
