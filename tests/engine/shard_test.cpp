/// engine/shard: 10 000 shards, of any lengths, joined by their bytes in random trees of neighbours: the state of one
/// call on all items.

#include "monofold/engine/shard.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "monofold/monofold.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/random.hpp"

namespace mf = monofold;

namespace {

constexpr std::size_t num_ranks = 10'000;

using bytes = std::vector<unsigned char>;

/// Neighbouring items as they travel.
struct parcel {
  std::int64_t first;
  std::int64_t count;
  bytes shard;
};

template <class F, class Item>
class random_tree {
 public:
  random_tree(const F& f, std::vector<parcel> ranks, std::uint64_t seed)
      : fold_(f), ranks_(std::move(ranks)), random_(seed) {}

  bytes state_of_all() {
    auto joiner = joined(0, ranks_.size());
    mf::byte_writer out;
    encode_state(out, fold_, joiner.total().value());
    return out.bytes();
  }

 private:
  using joiner = mf::detail::shard_joiner<F, Item>;

  /// Ranks [begin, end), cut anywhere, or one after the other.
  joiner joined(std::size_t begin, std::size_t end) {
    joiner own(fold_, ranks_[begin].first);
    if (end - begin <= 1 + random_() % 8) {
      for (std::size_t rank = begin; rank < end; ++rank) take(own, ranks_[rank]);
      return own;
    }
    const std::size_t middle = begin + 1 + random_() % (end - begin - 1);
    take(own, sent(joined(begin, middle)));
    take(own, sent(joined(middle, end)));
    return own;
  }
  static parcel sent(const joiner& from) {
    mf::byte_writer out;
    from.put(out);
    return {0, from.count(), out.bytes()};
  }
  static void take(joiner& own, const parcel& next) {
    mf::byte_reader in(next.shard);
    own.take(in, next.count);
    EXPECT_EQ(in.size(), 0u);
  }

  const F& fold_;
  std::vector<parcel> ranks_;
  inputs::generator random_;
};

/// Most ranks have a few items of a tile, some none, some several tiles.
std::vector<std::int64_t> ends_of_ranks(std::uint64_t seed) {
  inputs::generator random(seed);
  std::vector<std::int64_t> ends;
  std::int64_t end = 0;
  for (std::size_t rank = 0; rank < num_ranks; ++rank) {
    const std::uint64_t most = random() % 60 == 0 ? 3000 : random() % 3 == 0 ? 1 : 9;
    end += static_cast<std::int64_t>(random() % most);
    if (random() % 100 == 0) end += 512 - end % 512;  // at the end of a tile
    ends.push_back(end);
  }
  return ends;
}

template <class Family>
void expect_state_of_one_call(const Family& family, const std::string& name) {
  const auto f = mf::bind_fold<double>(family);
  using fold = mf::bound_fold_t<Family, double>;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const std::vector<std::int64_t> ends = ends_of_ranks(seed);
    std::vector<double> items =
        inputs::spread_doubles(static_cast<std::size_t>(ends.back()), 40, seed);
    if (seed == 2) {
      const auto kinds = inputs::kinds_of_double();
      std::copy(kinds.begin(), kinds.end(), items.begin() + 5000);
    }
    std::vector<parcel> ranks;
    std::int64_t first = 0;
    for (const std::int64_t end : ends) {
      mf::byte_writer out;
      const mf::contiguous_view<double> own(items.data() + first, end - first);
      mf::detail::put_shard(mf::cpu(1), f, own, first, out);
      ranks.push_back({first, end - first, out.bytes()});
      first = end;
    }
    mf::byte_writer want;
    encode_state(want, f, mf::fold_view(mf::cpu(1), f, mf::view_of(items)));
    EXPECT_EQ((random_tree<fold, double>(f, ranks, seed).state_of_all()), want.bytes())
        << name << ", tree " << seed;
  }
}

TEST(shard, ten_thousand_in_random_trees_have_the_bytes_of_one) {
  expect_state_of_one_call(mf::sum, "sum");
  expect_state_of_one_call(mf::variance(1), "variance");
  expect_state_of_one_call(mf::all(mf::count, mf::norm2, mf::extrema), "count, norm, extrema");
  expect_state_of_one_call(mf::top(7), "top");
  expect_state_of_one_call(mf::plain_sum, "plain sum");
  expect_state_of_one_call(mf::all(mf::plain_mean, mf::argmin), "plain mean and argmin");
  expect_state_of_one_call(mf::plain_variance(0), "plain variance");
  expect_state_of_one_call(mf::product, "product");
  expect_state_of_one_call(mf::ordered([](double l, double r) { return l * 0.75 + r; }),
                           "an ordered fold");
}

}  // namespace
