// running_state with items on a device: bits, answers and saved states are those of the processor, wherever
// the pieces are cut and whoever folds them.

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "monofold/monofold.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/numbers.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::same;

class gpu_running_state : public gpu_tests::gpu_test {};

/// Neither commutative nor exact, and it asks where an item is.
struct weighted_places {
  using state = double;
  MONOFOLD_HD state lift(float x, std::int64_t index) const {
    return static_cast<double>(x) * static_cast<double>(index % 1009);
  }
  MONOFOLD_HD state combine(state left, state right) const { return left * 0.75 + right; }
};
struct weighted {
  MONOFOLD_HD double operator()(double left, double right) const { return left * 0.75 + right; }
};
struct half_of {
  MONOFOLD_HD float operator()(float x) const { return 0.5f * x; }
};
struct is_positive {
  MONOFOLD_HD bool operator()(float x) const { return x > 0; }
};
struct number_of {
  MONOFOLD_HD float operator()(std::int64_t i) const { return static_cast<float>(i % 77) - 30; }
};

template <class Item>
std::vector<Item> items_of(std::int64_t count) {
  std::vector<Item> out(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = gpu_tests::random_item<Item>(i);
  return out;
}

/// Lengths of pieces: none, single items, up to a boundary and past it, subtrees of several sizes.
template <class Item>
std::vector<std::int64_t> lengths() {
  constexpr std::int64_t tile = mf::tile_items_v<Item>;
  return {1,    tile - 2,     1,        tile, 0,        5 * tile + 7, 3, 2 * tile - 10,
          tile, 8 * tile + 1, tile - 1, 2,    4 * tile, tile + 1};
}

template <class Item>
std::int64_t total_length() {
  std::int64_t sum = 0;
  for (const std::int64_t length : lengths<Item>()) sum += length;
  return sum;
}

template <class State>
void expect_same_states(const State& want, const State& found, const std::string& where) {
  ASSERT_EQ(want.count(), found.count()) << where;
  if constexpr (requires { want.save(); }) {
    EXPECT_EQ(want.save(), found.save()) << where;
  }
  const auto expected = want.try_finish();
  const auto got = found.try_finish();
  ASSERT_EQ(expected.code(), got.code()) << where;
  if (!expected) return;
  if constexpr (requires { expected->indices; }) {
    EXPECT_EQ(expected->indices, got->indices) << where;
    EXPECT_EQ(expected->values, got->values) << where;
  } else {
    EXPECT_TRUE(same(*expected, *got)) << where;
  }
}

/// here(at, n) and there(at, n) are items [at, at + n), for the processor and for the device.
template <class Item, class F, class Here, class There>
void compare(const std::string& name, const F& f, const Here& here, const There& there) {
  using state = mf::running_state<Item, F>;
  constexpr std::int64_t tile = mf::tile_items_v<Item>;
  for (const std::int64_t first : {std::int64_t{0}, 3 * tile, std::int64_t{77}}) {
    // Which pieces come from the device.
    for (const unsigned turns : {~0u, 0x5555u, 0xaaaau, 0xf0f0u}) {
      state want(f, first);
      state found(f, first);
      const std::string where = name + ", from " + std::to_string(first) + ", turns " +
                                std::to_string(turns) + ", piece ";
      std::int64_t at = 0;
      unsigned piece = 0;
      for (const std::int64_t length : lengths<Item>()) {
        want.push(here(at, length));
        if ((turns >> piece & 1) != 0) {
          found.push(mf::gpu, there(at, length));
        } else {
          found.push(here(at, length));
        }
        at += length;
        expect_same_states(want, found, where + std::to_string(piece++));
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

template <class Item, class F>
void compare_items(const std::string& name, const F& f) {
  const std::vector<Item> host = items_of<Item>(total_length<Item>() + 1);
  const device_array<Item> device(host);
  // An item off: pieces begin anywhere.
  const auto here = [&](std::int64_t at, std::int64_t n) {
    return mf::contiguous_view<Item>(host.data() + 1 + at, n);
  };
  const auto there = [&](std::int64_t at, std::int64_t n) {
    return mf::contiguous_view<Item>(device.data() + 1 + at, n);
  };
  compare<Item>(name, f, here, there);
}

TEST_F(gpu_running_state, folds_of_the_library) {
  compare_items<float>("sum", mf::sum);
  compare_items<float>("plain sum", mf::plain_sum);
  compare_items<double>("variance", mf::variance<>());
  compare_items<double>("plain variance", mf::plain_variance());
  compare_items<std::int8_t>("sum of int8", mf::sum);
  compare_items<std::int64_t>("mean of int64", mf::mean);
  compare_items<mf::bfloat16>("plain sum of bfloat16", mf::plain_sum);
}

TEST_F(gpu_running_state, indices_count_from_the_first_item_of_all) {
  compare_items<float>("argmax", mf::argmax);
  compare_items<std::int32_t>("extrema", mf::extrema);
  compare_items<float>("top", mf::top(5));
  compare_items<float>("bottom", mf::bottom(600));
  compare_items<float>("argmin where", mf::argmin | mf::where(is_positive{}));
  compare_items<float>("places", weighted_places{});
}

TEST_F(gpu_running_state, several_folds) {
  compare_items<float>("exact members",
                       mf::all(mf::sum, mf::argmax, mf::extrema, mf::variance<>(), mf::count));
  compare_items<float>("some exact", mf::all(mf::argmin, mf::sum, weighted_places{}));
  compare_items<float>("plain members", mf::all(mf::plain_sum, mf::plain_variance(), mf::argmax));
  compare_items<std::int32_t>("integers", mf::all(mf::variance<>(), mf::argmin, mf::sum));
}

TEST_F(gpu_running_state, ordered_folds) {
  compare_items<double>("ordered", mf::ordered(weighted{}));
  compare_items<float>("ordered of all",
                       mf::all(mf::ordered(weighted{}) | mf::map(half_of{}), mf::max));
}

TEST_F(gpu_running_state, views) {
  const std::vector<float> host = items_of<float>(2 * total_length<float>());
  const device_array<float> device(host);
  const auto part = [](const float* items) {
    return [items](std::int64_t at, std::int64_t n) {
      return mf::transform(mf::contiguous_view<float>(items + at, n), half_of{});
    };
  };
  compare<float>("transformed", mf::sum, part(host.data()), part(device.data()));
  compare<float>("transformed, plain", mf::plain_sum, part(host.data()), part(device.data()));
  const auto strided = [](const float* items) {
    return [items](std::int64_t at, std::int64_t n) {
      return mf::strided_view<float>(items + 2 * at, n, 2);
    };
  };
  compare<float>("strided", mf::argmax, strided(host.data()), strided(device.data()));
  const auto pairs = [](const float* items) {
    return [items](std::int64_t at, std::int64_t n) {
      return mf::zip(mf::contiguous_view<float>(items + at, n),
                     mf::contiguous_view<float>(items + at + 5, n));
    };
  };
  using pair = mf::item_pair<float, float>;
  compare<pair>("dot", mf::dot, pairs(host.data()), pairs(device.data()));
  const auto generated = [](std::int64_t, std::int64_t n) { return mf::generate(n, number_of{}); };
  compare<float>("generated", mf::all(mf::sum, mf::argmax), generated, generated);
}

TEST_F(gpu_running_state, saved_states_go_both_ways) {
  constexpr std::int64_t tile = mf::tile_items_v<float>;
  const std::int64_t count = 9 * tile + 5;
  const std::int64_t cut = 4 * tile + 100;
  const std::vector<float> host = items_of<float>(count);
  const device_array<float> device(host);
  using there = mf::running_state<float, decltype(mf::plain_sum), mf::gpu_engine>;
  using here = mf::running_state<float, decltype(mf::plain_sum)>;
  const auto items = [&](std::int64_t from, std::int64_t to) {
    return device.span(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
  };
  const double want = mf::reduce(host, mf::plain_sum);

  there first(mf::plain_sum, 0, mf::gpu);  // its own engine
  first.push(items(0, cut));
  here second(mf::plain_sum);
  second.load(first.save());
  second.push(host.data() + cut, count - cut);
  EXPECT_TRUE(same(want, static_cast<double>(second.finish())));

  here third(mf::plain_sum);
  third.push(host.data(), cut);
  there fourth(mf::plain_sum, 0, mf::gpu);
  fourth.load(third.save());
  fourth.push(items(cut, count));
  EXPECT_TRUE(same(want, static_cast<double>(fourth.finish())));
  EXPECT_EQ(second.save(), fourth.save());

  // Shards of both, merged.
  here left(mf::plain_sum);
  left.push(mf::gpu, items(0, 4 * tile));
  here right(mf::plain_sum, 4 * tile);
  right.push(host.data() + 4 * tile, count - 4 * tile);
  left.merge(right);
  EXPECT_EQ(left.save(), second.save());
}

TEST_F(gpu_running_state, what_fails_leaves_the_state_as_it_was) {
  const std::vector<float> host = items_of<float>(3000);
  const device_array<float> device(host);
  mf::running_state<float, decltype(mf::plain_sum)> state(mf::plain_sum);
  state.push(mf::gpu, device.span(0, 1500));
  const auto before = state.save();
  const auto refused = [&](const auto& range) {
    try {
      state.push(mf::gpu, range);
      ADD_FAILURE() << "taken";
    } catch (const mf::error& failed) {
      EXPECT_EQ(failed.code(), mf::status::invalid_argument);
    }
    EXPECT_EQ(state.save(), before);
  };
  refused(mf::contiguous_view<float>(nullptr, 5));
  refused(mf::contiguous_view<float>(device.data(), -1));
  // Off its alignment: what the device is asked for first.
  refused(mf::contiguous_view<float>(
      reinterpret_cast<const float*>(reinterpret_cast<const char*>(device.data()) + 1), 2000));
  state.push(mf::gpu, device.span(1500, 1500));
  EXPECT_TRUE(same(mf::reduce(host, mf::plain_sum), state.finish()));
}

TEST_F(gpu_running_state, nothing_pushed) {
  mf::running_state<float, decltype(mf::argmax)> state(mf::argmax);
  state.push(mf::gpu, mf::contiguous_view<float>(nullptr, 0));
  EXPECT_EQ(state.count(), 0);
  EXPECT_EQ(state.try_finish().code(), mf::status::empty_input);
}

}  // namespace
