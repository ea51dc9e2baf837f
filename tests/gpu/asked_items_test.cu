// A fold is asked for the items that there are, and for no others: one of a user's may look something up by an item, or
// by its index. Items of any size lie in columns.

#include <cstdint>
#include <span>
#include <vector>

#include "monofold/reduce.cuh"
#include "monofold/reduce_axis.cuh"
#include "monofold/reduce_segments.cuh"
#include "tests/gpu/device.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;

class gpu_asked_items : public gpu_tests::gpu_test {};

/// A sum by weights, of items between 1 and 9 in rows of `length`; keeps in mind whether it was asked for others.
template <class Item>
struct weighted_sum {
  std::int64_t length;
  std::int32_t* was_other;
  using state = float;
  static constexpr bool commutative = true;
  MONOFOLD_HD state lift(const Item& item, std::int64_t index) const {
    const auto x = static_cast<float>(item);
    if (index < 0 || index >= length || !(x >= 1 && x <= 9)) *was_other = 1;
    return x * static_cast<float>(1 + index % 7);
  }
  MONOFOLD_HD state combine(state left, state right) const { return left + right; }
};

template <class Item>
class asked_items {
 public:
  explicit asked_items(std::int64_t count)
      : items_(static_cast<std::size_t>(count)), was_other_(std::vector<std::int32_t>{0}) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      items_[i] = static_cast<Item>(static_cast<float>(1 + inputs::mixed(i) % 9));
    }
  }
  const std::vector<Item>& items() const { return items_; }
  weighted_sum<Item> fold(std::int64_t length) const { return {length, was_other_.data()}; }
  bool were_others() const { return was_other_.host()[0] != 0; }

 private:
  std::vector<Item> items_;
  device_array<std::int32_t> was_other_;
};

template <class Item>
void ask_rows(std::int64_t length, std::int64_t rows, std::int64_t gap) {
  const asked_items<Item> own((length + gap) * rows);
  const device_array<Item> device(own.items());
  static_cast<void>(mf::try_reduce_segments(mf::gpu, device.span(0, own.items().size()),
                                            mf::fixed_segments(length, rows, length + gap),
                                            own.fold(length)));
  ASSERT_FALSE(own.were_others()) << rows << " rows of " << length << ", gap " << gap;
}

template <class Item>
void ask_columns(std::int64_t length, std::int64_t columns, std::int64_t gap) {
  const asked_items<Item> own(length * (columns + gap));
  const device_array<Item> device(own.items());
  const mf::array_view<Item> view(device.data(), {length, columns}, {columns + gap, 1});
  static_cast<void>(mf::try_reduce_axis(mf::gpu, view, {0}, own.fold(length)));
  ASSERT_FALSE(own.were_others()) << columns << " columns of " << length << ", gap " << gap;
}

template <class Item>
void ask_all() {
  for (const std::int64_t length : {1, 2, 3, 6, 8, 10, 20, 24, 33, 40, 100, 200, 516, 1025, 5000}) {
    for (const std::int64_t count : {1, 3, 7, 300}) {
      if (length * count > 100000) continue;
      for (const std::int64_t gap : {0, 1}) {
        ask_rows<Item>(length, count, gap);
        ask_columns<Item>(length, count, gap);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
  for (const std::int64_t length : {3, 8, 12, 20, 40, 100}) {
    for (const std::int64_t columns : {1004, 2200, 9001}) {
      ask_columns<Item>(length, columns, 4);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_F(gpu_asked_items, float32) { ask_all<float>(); }
TEST_F(gpu_asked_items, uint8) { ask_all<std::uint8_t>(); }
TEST_F(gpu_asked_items, float64) { ask_all<double>(); }

TEST_F(gpu_asked_items, ragged) {
  std::vector<std::int64_t> offsets{0};
  for (std::uint64_t i = 0; i < 700; ++i) {
    const auto longest = std::uint64_t{i % 50 == 0 ? 9000u : i % 7 == 0 ? 300u : 20u};
    offsets.push_back(offsets.back() + 1 + static_cast<std::int64_t>(inputs::mixed(i) % longest));
  }
  const asked_items<float> own(offsets.back());
  const device_array<float> device(own.items());
  const device_array<std::int64_t> ends(offsets);
  const mf::offset_segments<std::int64_t> segments(ends.data(), 700);
  static_cast<void>(mf::try_reduce_segments(mf::gpu, device.span(0, own.items().size()), segments,
                                            own.fold(9000)));
  ASSERT_FALSE(own.were_others());
}

/// Items of a size that is no power of two.
template <int bytes>
struct odd_item {
  std::uint8_t byte[bytes];
};
template <int bytes>
struct sum_of_bytes {
  using state = float;
  static constexpr bool commutative = true;
  MONOFOLD_HD state lift(const odd_item<bytes>& x, std::int64_t index) const {
    float sum = static_cast<float>(index) * 0.1f;
    for (int i = 0; i < bytes; ++i) sum += static_cast<float>(x.byte[i]) * 0.7f;
    return sum;
  }
  MONOFOLD_HD state combine(state left, state right) const { return left + right; }
};

template <int bytes>
void compare_odd_items() {
  using item = odd_item<bytes>;
  for (const std::size_t length : {5, 40}) {
    for (const std::size_t columns : {std::size_t{7}, std::size_t{1024}}) {
      std::vector<item> host(length * columns);
      for (std::size_t i = 0; i < host.size(); ++i) {
        for (int b = 0; b < bytes; ++b) {
          host[i].byte[b] =
              static_cast<std::uint8_t>(inputs::mixed(i * bytes + static_cast<unsigned>(b)));
        }
      }
      const device_array<item> device(host);
      const mf::array_view<item> view(
          device.data(), {static_cast<std::int64_t>(length), static_cast<std::int64_t>(columns)});
      const auto got = mf::try_reduce_axis(mf::gpu, view, {0}, sum_of_bytes<bytes>{});
      for (std::size_t c = 0; c < columns; ++c) {
        std::vector<item> own;
        for (std::size_t i = 0; i < length; ++i) own.push_back(host[i * columns + c]);
        ASSERT_EQ(inputs::bytes_of(got.values[c]),
                  inputs::bytes_of(
                      mf::try_reduce(mf::cpu, std::span<const item>(own), sum_of_bytes<bytes>{})))
            << "column " << c << " of " << columns << " of " << length << " items of " << bytes;
      }
    }
  }
}

TEST_F(gpu_asked_items, odd_sizes) {
  compare_odd_items<3>();
  compare_odd_items<12>();
  compare_odd_items<16>();
  compare_odd_items<24>();
}

}  // namespace
