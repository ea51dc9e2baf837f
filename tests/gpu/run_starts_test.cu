// Where runs of equal keys begin, found on a GPU: at the borders of words, warps and blocks, and in more blocks than are
// counted at once.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "monofold/engine/gpu/key/starts.cuh"
#include "monofold/shape/view.hpp"
#include "tests/gpu/device.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;

class gpu_run_starts : public gpu_tests::gpu_test {};

struct put_place {
  std::int64_t* to;
  MONOFOLD_GPU void operator()(std::int64_t run, std::int64_t place) const { to[run] = place; }
};

/// Keys change at the places of which `begins` is true.
template <class Begins>
void compare(const std::string& what, std::int64_t n, const Begins& begins) {
  std::vector<std::uint8_t> keys(static_cast<std::size_t>(n));
  std::vector<std::int64_t> want{0};
  for (std::int64_t i = 1; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool is_start = begins(i);
    keys[at] = static_cast<std::uint8_t>(keys[at - 1] ^ (is_start ? 1 : 0));
    if (is_start) want.push_back(i);
  }
  const device_array<std::uint8_t> there(keys);
  const mf::contiguous_view<std::uint8_t> view(there.data(), n);
  const mf::detail::run_starts runs(mf::detail::device_stream{nullptr, 0}, view);
  ASSERT_EQ(runs.count(), static_cast<std::int64_t>(want.size())) << what << ", " << n << " keys";
  const device_array<std::int64_t> places(want.size());
  runs.place(put_place{places.data()});
  ASSERT_EQ(places.host(), want) << what << ", " << n << " keys";
}

void compare_all(std::int64_t n) {
  compare("one run", n, [](std::int64_t) { return false; });
  compare("as many as keys", n, [](std::int64_t) { return true; });
  compare("the last key", n, [&](std::int64_t i) { return i == n - 1; });
  for (const int every : {32, 992, 7936}) {
    const std::string border = "at each border of " + std::to_string(every);
    compare(border, n, [&](std::int64_t i) { return i % every == 0; });
    compare("before " + border, n, [&](std::int64_t i) { return i % every == every - 1; });
  }
  for (const unsigned length : {2u, 40u, 3000u}) {
    compare("runs of about " + std::to_string(length), n, [&](std::int64_t i) {
      return inputs::mixed(static_cast<std::uint64_t>(i)) % length == 0;
    });
  }
}

TEST_F(gpu_run_starts, at_borders) {
  for (const int border : {1, 32, mf::detail::flagged_by_warp, mf::detail::flagged_by_block}) {
    for (const int n : {border - 1, border, border + 1}) {
      if (n > 0) compare_all(n);
    }
  }
  compare_all(3 * mf::detail::flagged_by_block + 5);
}

TEST_F(gpu_run_starts, in_more_blocks_than_are_counted_at_once) {
  if (gpu_tests::is_slow) GTEST_SKIP() << "16 million keys";
  for (const int blocks : {1024, 1025, 2049}) {
    const std::int64_t n = std::int64_t{blocks} * mf::detail::flagged_by_block - 3;
    for (const unsigned length : {1u, 5u, 1000000u}) {
      compare(std::to_string(blocks) + " blocks", n, [&](std::int64_t i) {
        return inputs::mixed(static_cast<std::uint64_t>(i)) % length == 0;
      });
    }
  }
}

}  // namespace
