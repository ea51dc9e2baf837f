// Statistics that share a pass on a GPU: every set of them has the answers and the saved bytes of the
// processor. On the emulated device where there is no GPU.

#include <bit>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/gpu/load_device_library.hpp"
#include "runtime/reducer.hpp"
#include "tests/runtime/parity.hpp"

namespace {

using namespace parity;  // NOLINT: a test is made of it
using mf::runtime::device_kind;

class shared_passes : public testing::Test {
 protected:
  void SetUp() override {
    if (!mf::runtime::find_devices(device_kind::gpu).devices.empty()) return;
    if (mf::runtime::find_devices(device_kind::emulated).devices.empty()) {
      GTEST_SKIP() << "no device";
    }
    mf::runtime::use_devices(device_kind::emulated);
  }
  void TearDown() override { mf::runtime::use_devices(device_kind::gpu); }
};

/// Those that share passes, and some that do not.
constexpr operation some[] = {operation::sum,    operation::mean,    operation::var,
                              operation::argmin, operation::max,     operation::minmax,
                              operation::norm2,  operation::norminf, operation::nonzero,
                              operation::nan,    operation::prod};
constexpr std::size_t num_some = std::size(some);

/// Up to `most` of them, and all.
std::vector<std::vector<operation>> sets_of(mf::dtype type, int most) {
  std::vector<std::vector<operation>> sets;
  for (unsigned chosen = 1; chosen < 1u << num_some; ++chosen) {
    if (std::popcount(chosen) > most && chosen + 1 != 1u << num_some) continue;
    std::vector<operation> ops;
    for (std::size_t i = 0; i < num_some; ++i) {
      if ((chosen >> i & 1) != 0 && mf::runtime::is_defined(some[i], type)) ops.push_back(some[i]);
    }
    if (!ops.empty()) sets.push_back(ops);
  }
  return sets;
}

/// The emulated device takes a minute for sets of three.
int most_together() { return mf::runtime::find_devices(device_kind::gpu).devices.empty() ? 2 : 3; }

/// Whether states hold no NaN that came of arithmetic, whose bits differ between processors.
bool has_one_form(const request& what, pattern kind) {
  return !mf::info(what.type).is_floating || kind == pattern::ordinary;
}

template <class Item>
void check(request what, pattern kind, std::int64_t count) {
  const sequence<Item> made(kind, count, static_cast<std::uint64_t>(count) + 1);
  what.on_gpu = false;
  reducer want(what);
  want.push(made.items().data(), count);
  what.on_gpu = true;
  reducer found(what);
  found.push(made.items().data(), count / 3);
  found.push(made.items().data() + count / 3, count - count / 3);
  const auto expected = want.finish();
  const auto got = found.finish();
  std::string where = std::string(mf::info(what.type).name) + ", pattern " +
                      std::to_string(static_cast<int>(kind)) + ", policy " +
                      std::to_string(static_cast<int>(what.nan)) + (what.plain ? ", plain" : "");
  for (const operation op : what.ops) where += ' ' + std::string(mf::runtime::info(op).name);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(same_answer(expected[i], got[i]))
        << where << "\n  want  " << text_of(expected[i]) << "\n  found " << text_of(got[i]);
  }
  if (has_one_form(what, kind)) {
    EXPECT_EQ(want.save(), found.save()) << where;
  }
}

template <class Item>
void check_passes_of() {
  constexpr std::int64_t tile = mf::tile_items_v<Item>;
  constexpr bool floats = mf::is_floating_v<Item>;
  std::vector<pattern> patterns{pattern::ordinary, pattern::wide};
  if (floats) patterns.insert(patterns.end(), {pattern::nan_inside, pattern::nan_and_infinities});
  request what;
  what.type = dtype_of<Item>();
  std::size_t turn = 0;
  for (const std::vector<operation>& ops : sets_of(what.type, most_together())) {
    what.ops = ops;
    for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit, nan_policy::raise}) {
      if (!floats && nan != nan_policy::propagate) continue;
      for (const bool plain : {false, true}) {
        if (!floats && plain) continue;
        what.nan = nan;
        what.plain = plain;
        const std::int64_t count = turn % 7 == 0 ? 21 * tile + 5 : 3 * tile + 5;
        check<Item>(what, patterns[turn++ % patterns.size()], count);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

template <class Item>
class shared_passes_of : public shared_passes {};
TYPED_TEST_SUITE(shared_passes_of, all_types, type_names);

TYPED_TEST(shared_passes_of, every_set_of_statistics) { check_passes_of<TypeParam>(); }

}  // namespace
