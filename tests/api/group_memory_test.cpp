/// group_by of millions of groups takes memory for copies of keys and items and for answers: no state a group.

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "monofold/group_by.hpp"
#include "monofold/monofold.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;

/// A line of /proc/self/status in bytes; 0: it is not there.
std::int64_t status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(name + ':', 0) == 0) return std::stoll(line.substr(name.size() + 1)) * 1024;
  }
  return 0;
}

/// Makes the most memory that was in use what is in use now; false where the system has no such thing.
bool forget_most_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);  // what other tests left
#endif
  std::ofstream("/proc/self/clear_refs") << "5";
  const std::int64_t most = status_bytes("VmHWM");
  return most > 0 && most < status_bytes("VmRSS") + (1 << 20);
}

TEST(group_memory, is_of_the_order_of_the_answers) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "shadow memory";
#endif
  constexpr std::int64_t count = 2'000'000;
  // Multiples of an odd number modulo 2^64: as many keys, in no order.
  std::vector<std::int64_t> keys(count);
  std::vector<double> values(count);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = static_cast<std::int64_t>(i * 0x9e3779b97f4a7c15U);
    values[i] = inputs::spread_double(i, 12);
  }
  for (const mf::key_order order : {mf::key_order::sorted, mf::key_order::first}) {
    if (!forget_most_memory()) GTEST_SKIP() << "the system does not tell";
    const std::int64_t before = status_bytes("VmRSS");
    const auto found = mf::group_by(mf::cpu, keys, values, mf::sum, order);
    const std::int64_t used = status_bytes("VmHWM") - before;
    ASSERT_EQ(std::ssize(found.keys), count);
    constexpr std::int64_t answer_bytes = count * (sizeof(std::int64_t) + sizeof(double));
    RecordProperty("used_mb", static_cast<int>(used / 1'000'000));
    // The answers, a copy of keys and items, and as much again: the smallest exact state has 88 bytes, 5.5 times an
    // answer with its key.
    EXPECT_LE(used, 5 * answer_bytes) << used / 1'000'000 << " MB for " << answer_bytes / 1'000'000;
    EXPECT_GE(used, answer_bytes) << "the measure is wrong";
  }
}

}  // namespace
