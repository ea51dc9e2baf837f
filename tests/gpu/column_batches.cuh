#pragma once
/// gpu/column_batches: columns alone and among others, whose bytes must be the same; folds that show how.

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/gpu/array_layouts.cuh"
#include "tests/inputs/random.hpp"

namespace gpu_tests {

/// A product whose last bits are those of its tree; of numbers near 1.
template <class Real>
struct product_near_one {
  using state = Real;
  static constexpr bool commutative = true;
  MONOFOLD_HD state lift(Real x, std::int64_t) const { return Real(1) + x * Real(0x1p-13); }
  MONOFOLD_HD state combine(state l, state r) const { return l * r; }
};

/// As large a total as warps share: a sum and its even share, 16 bytes.
struct sum_and_places {
  struct state {
    double sum, places;
  };
  static constexpr bool commutative = true;
  MONOFOLD_HD state lift(double x, std::int64_t index) const {
    return {x, x * static_cast<double>(index % 7)};
  }
  MONOFOLD_HD state combine(const state& l, const state& r) const {
    return {l.sum + r.sum, l.places + r.places};
  }
  MONOFOLD_HD double finish(const state& s) const { return s.sum * 3 + s.places; }
};

/// Which items columns have besides ordinary ones.
enum class special_items { no, yes };

/// Item `i` of column `column`, whichever array that lies in.
template <class Item>
Item item_of_column(std::int64_t column, std::int64_t i, std::int64_t length,
                    special_items special) {
  const auto seed = static_cast<std::uint64_t>(column * 100003 + i);
  if constexpr (std::is_integral_v<Item>) {
    return static_cast<Item>(inputs::mixed(seed));
  } else {
    // Numbers of 8 bits must differ by more for their sums to be rounded.
    double x = inputs::spread_double(seed, sizeof(Item) < 4 ? 12 : 6);
    if (special == special_items::yes) {
      if (column % 13 == 5) x = inputs::spread_double(seed, 60);
      if (column % 37 == 7) x = -0.0;
      if (column % 37 == 8 && i == length / 2) x = std::numeric_limits<double>::infinity();
      if (column % 37 == 10 && i == length - 1) x = std::numeric_limits<double>::quiet_NaN();
      if (column % 37 == 12 && i == 0) x = -1e30;
      if (column % 37 == 14) x = i % 2 == 0 ? 1.5 : -1.5;  // nothing is left
    }
    if constexpr (std::is_same_v<Item, double>) {
      return x;
    } else {
      return static_cast<Item>(static_cast<float>(x));
    }
  }
}

/// The items of an array of columns, one row after the other.
template <class Item>
std::vector<Item> array_of_columns(std::int64_t length, std::int64_t columns,
                                   special_items special) {
  std::vector<Item> out(static_cast<std::size_t>(length * columns));
  for (std::int64_t i = 0; i < length; ++i) {
    for (std::int64_t c = 0; c < columns; ++c) {
      out[static_cast<std::size_t>(i * columns + c)] = item_of_column<Item>(c, i, length, special);
    }
  }
  return out;
}

/// What each column gives alone, in an array of its own.
template <class Item, class F>
std::vector<std::string> columns_alone(const F& f, std::int64_t length, std::int64_t columns,
                                       special_items special) {
  std::vector<std::string> out;
  std::vector<Item> own(static_cast<std::size_t>(length));
  for (std::int64_t c = 0; c < columns; ++c) {
    for (std::int64_t i = 0; i < length; ++i) {
      own[static_cast<std::size_t>(i)] = item_of_column<Item>(c, i, length, special);
    }
    out.push_back(inputs::bytes_of(mf::try_reduce(mf::cpu, std::span<const Item>(own), f)));
  }
  return out;
}

/// Columns [begin, begin + count) of those that lie from `first` on, `stride` items from row to row.
template <class Item, class F>
void expect_columns(const char* what, const F& f, const Item* first, std::int64_t stride,
                    std::int64_t length, std::int64_t begin, std::int64_t count,
                    const std::vector<std::string>& alone) {
  const auto got = mf::try_reduce_axis(
      mf::gpu, mf::array_view<Item>(first + begin, {length, count}, {stride, 1}), {0}, f);
  ASSERT_EQ(static_cast<std::int64_t>(got.values.size()), count);
  for (std::int64_t c = 0; c < count; ++c) {
    const std::string found = inputs::bytes_of(got.values[static_cast<std::size_t>(c)]);
    const std::string& want = alone[static_cast<std::size_t>(begin + c)];
    ASSERT_TRUE(found == want) << what << ": column " << c << " of " << count << " of " << length
                               << " items, " << stride << " items from row to row, "
                               << reinterpret_cast<std::uintptr_t>(first + begin) % 16
                               << " bytes off: is " << hex_of(found) << ", alone " << hex_of(want);
  }
}

/// Items as an array of exactly so many, `off` items behind a boundary.
template <class Item>
std::vector<Item> moved_by(std::size_t off, const std::vector<Item>& items) {
  std::vector<Item> out(off);
  out.insert(out.end(), items.begin(), items.end());
  return out;
}

/// Columns among so many: each array packed, at a boundary and one item off it, where a byte read behind its last item
/// shows; and as parts of wider arrays, whose rows lie on boundaries or do not.
template <class Item, class F>
void compare_batches(const char* what, const F& f, const std::vector<std::int64_t>& lengths,
                     const std::vector<std::int64_t>& batches,
                     special_items special = special_items::no) {
  constexpr std::int64_t even = 1008;  // items a row: 16-byte boundaries for each type
  constexpr std::int64_t odd = 1005;
  std::int64_t most = 0;
  for (const std::int64_t batch : batches) most = batch > most ? batch : most;
  int turn = 0;
  for (const std::int64_t length : lengths) {
    const auto alone = columns_alone<Item>(f, length, most + 2, special);
    const device_array<Item> on_boundaries(array_of_columns<Item>(length, even, special));
    const device_array<Item> elsewhere(array_of_columns<Item>(length, odd, special));
    for (const std::int64_t batch : batches) {
      const auto packed = array_of_columns<Item>(length, batch, special);
      for (const std::size_t off : {0, 1}) {
        if (is_slow && batch > 70 && static_cast<int>(off) != turn % 2) continue;
        const device_array<Item> device(moved_by(off, packed));
        expect_columns(what, f, device.data() + off, batch, length, 0, batch, alone);
      }
      for (const std::int64_t begin : {0, 1, 2}) {
        if (is_slow && batch > 70 && begin != turn % 5) continue;
        expect_columns(what, f, on_boundaries.data(), even, length, begin, batch, alone);
        if (is_slow && batch > 70) continue;
        expect_columns(what, f, elsewhere.data(), odd, length, begin, batch, alone);
      }
      ++turn;
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

using item_counts = std::vector<std::int64_t>;
inline const item_counts column_lengths =
    is_slow ? item_counts{1, 32, 129, 1025, 2500}
            : item_counts{1, 3, 31, 32, 33, 100, 127, 128, 129, 1000, 1023, 1024, 1025, 2500};
/// Alone, and among as many others as change the bits elsewhere.
inline const item_counts column_batches =
    is_slow ? item_counts{1, 3, 4, 33, 130, 257}
            : item_counts{1,   2,   3,   4,   5,   6,   31,  32,  33,   34,
                          127, 128, 129, 130, 255, 256, 257, 258, 1000, 1001};
inline std::vector<std::int64_t> every_count(std::int64_t most) {
  std::vector<std::int64_t> out;
  for (std::int64_t count = 1; count <= most; ++count) out.push_back(count);
  return out;
}

/// Items of any array, by their places.
template <class Item>
std::vector<Item> items_by_place(std::size_t n) {
  std::vector<Item> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = item_of_column<Item>(0, static_cast<std::int64_t>(i), 0, special_items::no);
  }
  return out;
}

/// All of it, for one fold.
template <class Item, class F>
void compare_columns_and_layouts(const char* what, const F& f,
                                 special_items special = special_items::no) {
  compare_batches<Item>(what, f, column_lengths, column_batches, special);
  if (testing::Test::HasFatalFailure()) return;
  compare_batches<Item>(what, f, is_slow ? item_counts{33} : item_counts{2, 33, 129, 1026},
                        every_count(is_slow ? 36 : 70), special);
  if (testing::Test::HasFatalFailure()) return;
  static const std::vector<array_layout> layouts = layouts_of_columns();
  compare_layouts<Item>(what, f, layouts, items_by_place<Item>);
}

}  // namespace gpu_tests
