#pragma once
/// gpu/device: device memory for tests, and tests that are skipped where there is no device.
///
/// Some tests of this folder name what is in detail::, and that is accepted: they need a launch on another number of
/// blocks, a layout that does not fit, or a mailbox with an old call in it, which no public call gives them. Whoever
/// changes such a name changes the tests with it. What users call is tested by public names alone.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "monofold/monofold.cuh"
#if defined(MONOFOLD_EMULATED)
#include "emulation/devices.hpp"
#include "emulation/report.hpp"
#endif

namespace gpu_tests {

namespace mf = monofold;

/// The emulated device takes some 50 us a tile, and a GPU that compute-sanitizer watches is as slow: fewer sizes and
/// repetitions must be enough there, and are, because every access is checked. MONOFOLD_SLOW_DEVICE in the environment
/// says that a GPU is watched.
#if defined(MONOFOLD_EMULATED)
inline constexpr bool is_emulated = true;
inline constexpr bool is_slow = true;
#else
inline constexpr bool is_emulated = false;
inline const bool is_slow = std::getenv("MONOFOLD_SLOW_DEVICE") != nullptr;
#endif
inline unsigned repetitions(unsigned on_a_gpu, unsigned where_slow) {
  return is_slow ? where_slow : on_a_gpu;
}

inline bool has_device() {
  int count = 0;
  const bool there = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  static_cast<void>(cudaGetLastError());
  return there;
}

/// Shows so many emulated devices while it lives; a machine has what it has. Device 0 is current afterwards.
class several_devices {
 public:
  explicit several_devices([[maybe_unused]] int emulated) {
#if defined(MONOFOLD_EMULATED)
    mf::emulation::set_device_count(emulated);
#endif
  }
  several_devices(const several_devices&) = delete;
  several_devices& operator=(const several_devices&) = delete;
  ~several_devices() {
    static_cast<void>(cudaSetDevice(0));
#if defined(MONOFOLD_EMULATED)
    mf::emulation::set_device_count(1);
#endif
  }
};

/// A test that needs a device.
class gpu_test : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
  }
  // A kernel that went wrong shows in the test that launched it.
  void TearDown() override {
    if (!has_device()) return;
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
#if defined(MONOFOLD_EMULATED)
    static_cast<void>(mf::emulation::take_reports());  // the next test is not to blame
#endif
  }
};

/// `call` throws `code`, with `words` in its text.
inline void expect_refused(const std::function<void()>& call, const std::string& words,
                           mf::status code = mf::status::invalid_argument) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << words;
  } catch (const mf::error& refused) {
    EXPECT_EQ(refused.code(), code) << refused.what();
    EXPECT_NE(std::string(refused.what()).find(words), std::string::npos) << refused.what();
  }
}

#if defined(MONOFOLD_EMULATED)  // a real device is lost to its process after a kernel that failed
/// A sum whose kernel reads what it may not at the item of one index; of a null pointer it does not.
struct sum_that_fails {
  std::int64_t at;
  const float* nowhere = nullptr;
  using state = double;
  MONOFOLD_HD double lift(float x, std::int64_t index) const {
    return index == at && nowhere != nullptr ? nowhere[0] : x;
  }
  MONOFOLD_HD double combine(double left, double right) const { return left + right; }
};
#endif

/// Starts a kernel: what <<<grid, block>>> does, for every compiler.
template <class... Parameters, class... Arguments>
void start(void (*kernel)(Parameters...), dim3 grid, dim3 block, Arguments&&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  EXPECT_EQ(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...),
            cudaSuccess);
}

// What templates expect, once for all of their types.
inline void* new_device_bytes(std::size_t bytes) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, bytes), cudaSuccess);
  EXPECT_EQ(cudaMemset(memory, 0xee, bytes), cudaSuccess);
  return memory;
}
inline void copy_bytes(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  EXPECT_EQ(cudaMemcpy(to, from, bytes, kind), cudaSuccess);
}

/// Device memory of exactly so many bytes, so that compute-sanitizer sees a byte read behind it.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t count)
      : memory_(static_cast<T*>(new_device_bytes(count * sizeof(T)))), count_(count) {}
  explicit device_array(const std::vector<T>& values) : device_array(values.size()) {
    copy_bytes(memory_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { static_cast<void>(cudaFree(memory_)); }

  T* data() const { return memory_; }
  std::size_t size_bytes() const { return count_ * sizeof(T); }
  std::span<const T> span(std::size_t from, std::size_t count) const {
    return {memory_ + from, count};
  }
  std::vector<T> host() const {
    // A `result` has no default constructor, so bytes come first.
    const std::unique_ptr<void, decltype(&std::free)> bytes(std::malloc(count_ * sizeof(T)),
                                                            &std::free);
    copy_bytes(bytes.get(), memory_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    const T* const first = static_cast<const T*>(bytes.get());
    return {first, first + count_};
  }

 private:
  T* memory_;
  std::size_t count_;
};

/// Equality of answers by their bits.
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (requires { a.argmin; }) {
    return same(a.min, b.min) && same(a.max, b.max) && a.argmin == b.argmin && a.argmax == b.argmax;
  } else if constexpr (
      std::is_floating_point_v<T> || requires { a.bits; } || requires { a.m2; }) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
  } else {
    return a == b;
  }
}
template <class... T>
bool same(const std::tuple<T...>& a, const std::tuple<T...>& b) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return (same(std::get<i>(a), std::get<i>(b)) && ...);
  }
  (std::index_sequence_for<T...>{});
}

/// Fails where the codes differ, or the answers do.
inline void expect_same_results(mf::status got, mf::status want, bool is_same, const char* what,
                                std::size_t count, std::size_t bytes, const void* first) {
  ASSERT_EQ(got, want) << what << ", n = " << count;
  ASSERT_TRUE(is_same) << what << ", n = " << count << ", " << bytes << " bytes, offset "
                       << reinterpret_cast<std::uintptr_t>(first) % 16;
}

/// One range, one fold: the CPU engine and the GPU engine say the same.
template <class Item, class F>
void expect_same(const char* what, const F& f, std::span<const Item> host,
                 std::span<const Item> device) {
  const auto want = mf::try_reduce(mf::cpu, host, f);
  const auto got = mf::try_reduce(mf::gpu, device, f);
  const bool is_same = !got || !want || same(*got, *want);
  expect_same_results(got.code(), want.code(), is_same, what, host.size(), host.size_bytes(),
                      device.data());
}

/// Counts around every boundary of the plan and of the launches: slots, tiles, blocks, grids.
inline std::vector<std::size_t> hard_counts(std::size_t tile) {
  std::vector<std::size_t> out{0, 1, 2, 3, 5, 15, 31, 32, 33, 63, 100, 127, 128, 129};
  for (const std::size_t tiles : {1, 2, 3, 8, 16, 17, 31, 64, 100, 257}) {
    if (is_slow && (tiles == 16 || tiles == 64 || tiles == 257)) continue;
    for (const int more : {-1, 0, 1}) out.push_back(tiles * tile + static_cast<std::size_t>(more));
  }
  out.push_back(tile / 2 + 1);
  out.push_back(tile - tile / 8);
  if (is_slow) {
    out.push_back(260 * tile + 77);
  } else {
    out.push_back(700 * tile + 77);
    out.push_back(4800 * tile - 1);  // (tests/gpu/many_tiles_test.cu: several tiles a warp)
  }
  return out;
}

/// Every fold count of `hard_counts`, at several alignments.
template <class Item, class F>
void compare(const char* what, const F& f, const std::vector<Item>& host,
             const device_array<Item>& device) {
  const std::span<const Item> all(host);
  constexpr auto tile = static_cast<std::size_t>(mf::tile_items_v<Item>);
  int turn = 0;
  for (const std::size_t n : hard_counts(tile)) {
    for (const std::size_t offset : {0, 1, 2, 3, 7, 8, 13}) {
      // All offsets at small counts; large ones take them in turn.
      if (n > (is_slow ? 4 : 40) * tile && ++turn % 5 != 0 && offset != 0) continue;
      if (offset + n > host.size()) continue;
      expect_same<Item>(what, f, all.subspan(offset, n), device.span(offset, n));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  expect_same<Item>(what, f, all, device.span(0, host.size()));
}

/// How many items such a comparison needs. The launch of more than 4096 tiles is a matter of the plan, which knows
/// types by facts: the emulated device sees it in gpu/plan_test.cu and gpu/many_tiles_test.cu.
template <class Item>
std::size_t items_to_compare() {
  return (is_slow ? 261 : 4800) * static_cast<std::size_t>(mf::tile_items_v<Item>) + 13;
}

/// The same where the plan is not the matter, and another type or fold has the large counts: past one block.
template <class Item>
std::size_t few_items_to_compare() {
  return is_slow ? 35 * static_cast<std::size_t>(mf::tile_items_v<Item>) + 13
                 : items_to_compare<Item>();
}

}  // namespace gpu_tests
