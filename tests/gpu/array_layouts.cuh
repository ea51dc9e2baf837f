#pragma once
/// gpu/array_layouts: arrays that lie in memory in many ways, and their rows on a GPU against each row gathered alone.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "monofold/reduce_axis.cuh"
#include "tests/gpu/device.cuh"
#include "tests/inputs/answer_bytes.hpp"

namespace gpu_tests {

/// An array, and which of its axes are reduced. Its lowest item lies `off` items behind a boundary of 16 bytes.
struct array_layout {
  mf::axis_numbers extents;
  mf::axis_numbers strides;
  mf::axis_numbers axes;
  std::int64_t off = 0;

  std::int64_t first() const {
    std::int64_t lowest = 0;
    for (int k = 0; k < extents.size(); ++k) {
      if (strides[k] < 0) lowest += strides[k] * (extents[k] - 1);
    }
    return off - lowest;
  }
  /// The items of memory that it takes: the last one is an item of it.
  std::size_t memory() const {
    std::int64_t last = first();
    for (int k = 0; k < extents.size(); ++k) {
      if (extents[k] == 0) return static_cast<std::size_t>(off);
      if (strides[k] > 0) last += strides[k] * (extents[k] - 1);
    }
    return static_cast<std::size_t>(last + 1);
  }
  /// Where the items of each row lie: the array's items by their indices, one after the other.
  std::vector<std::vector<std::int64_t>> rows() const {
    std::vector<bool> is_reduced(static_cast<std::size_t>(extents.size()));
    for (const std::int64_t axis : axes) is_reduced[static_cast<std::size_t>(axis)] = true;
    std::int64_t num_items = 1;
    std::int64_t num_rows = 1;
    for (int k = 0; k < extents.size(); ++k) {
      num_items *= extents[k];
      if (!is_reduced[static_cast<std::size_t>(k)]) num_rows *= extents[k];
    }
    std::vector<std::vector<std::int64_t>> out(static_cast<std::size_t>(num_rows));
    for (std::int64_t i = 0; i < num_items; ++i) {
      std::int64_t rest = i;
      std::int64_t place = first();
      std::int64_t row = 0;
      std::int64_t row_step = 1;
      for (int k = extents.size(); k-- > 0;) {
        const std::int64_t at = rest % extents[k];
        rest /= extents[k];
        place += at * strides[k];
        if (is_reduced[static_cast<std::size_t>(k)]) continue;
        row += at * row_step;
        row_step *= extents[k];
      }
      out[static_cast<std::size_t>(row)].push_back(place);
    }
    return out;
  }
  std::string text() const {
    std::string out;
    const auto list = [&](const char* name, const mf::axis_numbers& numbers) {
      out += std::string(name) + " (";
      for (const std::int64_t number : numbers) out += ' ' + std::to_string(number);
      out += " ), ";
    };
    list("extents", extents);
    list("strides", strides);
    list("axes", axes);
    return out + std::to_string(off) + " items off";
  }
};

inline std::string hex_of(const std::string& bytes) {
  std::string out;
  char two[3];
  for (const char byte : bytes) {
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    out += two;
  }
  return out;
}

/// Row-major strides of extents, of which the last is walked in steps of `step`, behind `gap` items more each.
inline mf::axis_numbers strides_of(const mf::axis_numbers& extents, std::int64_t step = 1,
                                   std::int64_t gap = 0) {
  std::vector<std::int64_t> strides(static_cast<std::size_t>(extents.size()));
  std::int64_t stride = step;
  for (int k = extents.size(); k-- > 0;) {
    strides[static_cast<std::size_t>(k)] = stride;
    stride = stride * extents[k] + gap;
  }
  return mf::axis_numbers(std::span<const std::int64_t>(strides));
}

/// The same array with its axes in another order, and some walked backwards.
inline array_layout turned(const array_layout& from, const std::vector<int>& order,
                           unsigned backwards = 0) {
  array_layout out{{}, {}, {}, from.off};
  for (const int k : order) {
    out.extents.push_back(from.extents[k]);
    const bool is_back = (backwards >> k & 1) != 0;
    out.strides.push_back(is_back ? -from.strides[k] : from.strides[k]);
  }
  for (std::size_t to = 0; to < order.size(); ++to) {
    for (const std::int64_t axis : from.axes) {
      if (axis == order[to]) out.axes.push_back(static_cast<std::int64_t>(to));
    }
  }
  return out;
}

/// Rows whose items lie apart, of each kind that a kernel may treat in a way of its own.
inline std::vector<array_layout> layouts_of_columns() {
  std::vector<array_layout> out;
  const auto add = [&](const mf::axis_numbers& extents, const mf::axis_numbers& strides,
                       const mf::axis_numbers& axes, std::int64_t off = 0) {
    out.push_back({extents, strides, axes, off});
  };
  // Two kept axes: packs of neighbours may end within the inner one, begin anywhere, or lie on no boundary.
  for (const mf::axis_numbers& extents : {mf::axis_numbers{7, 100, 3},
                                          {5, 33, 6},
                                          {2, 1100, 5},
                                          {9, 40, 8},
                                          {3, 65, 12},
                                          {6, 130, 1},
                                          {11, 34, 4},
                                          {3, 70, 34},
                                          {2, 40, 31}}) {
    add(extents, strides_of(extents), {1});
    add(extents, strides_of(extents), {1}, 1);
    add(extents, strides_of(extents, 2), {1});
    add(extents, strides_of(extents, 1, 1), {1});
    add(extents, strides_of(extents, 1, 4), {1}, 2);
    add(extents, strides_of(extents, -1), {1});
    const std::int64_t wide = (extents[2] + 7) / 8 * 8;  // rows on a boundary, outer indices not
    add(extents, {wide * extents[1] + 1, wide, 1}, {1});
    add(extents, {wide * extents[1], wide, 1}, {1});
    add(extents, {-wide * extents[1], wide, 1}, {1}, 4);
    add(extents, {wide * extents[1] + 8, -wide, 1}, {1});
    add(extents, {1, extents[0] * extents[2], extents[0]}, {1});  // neighbours far in the result
  }
  // One reduced axis of an array in every order of its axes, some of them walked backwards.
  const mf::axis_numbers box{6, 40, 5};
  const std::vector<std::vector<int>> orders{{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                             {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  unsigned turn = 0;
  for (const auto& order : orders) {
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      const array_layout own{box, strides_of(box), {axis}, axis % 2};
      out.push_back(turned(own, order, turn++ % 8));
    }
  }
  // Several reduced axes that memory does not walk as one.
  for (const auto& [extents, axes] : std::vector<std::pair<mf::axis_numbers, mf::axis_numbers>>{
           {{3, 4, 50, 7}, {0, 2}},
           {{3, 4, 50, 8}, {0, 2}},
           {{5, 9, 3, 12, 2}, {0, 2, 3}},
           {{9, 2, 11, 2, 6}, {0, 2}},
           {{9, 2, 11, 2, 6}, {1, 3}},
           {{40, 3, 30}, {0, 2}},
           {{2, 35, 3, 33}, {0, 2}},
           {{4, 300, 5}, {0, 2}},
           {{33, 2, 40, 4}, {0, 2}},
           {{60, 5, 2}, {0, 2}},
           {{33, 6, 3}, {0, 2}},
           {{7, 2, 5, 3, 2, 2, 3}, {0, 2, 4, 6}}}) {
    add(extents, strides_of(extents), axes);
    add(extents, strides_of(extents, 1, 3), axes, 1);
    std::vector<int> order;
    for (int k = extents.size(); k-- > 0;) order.push_back(k);
    out.push_back(turned({extents, strides_of(extents), axes, 0}, order, 5));
  }
  // Two reduced axes side by side with a gap between, or in the other order.
  add({12, 34, 9}, {34 * 9 + 3, 9, 1}, {0, 1});
  add({12, 34, 8}, {34 * 8 + 4, 8, 1}, {0, 1});
  add({34, 12, 8}, {8, 34 * 8, 1}, {0, 1});
  // Columns that overlap, or are one column, or one item.
  add({100, 41}, {3, 1}, {0});
  add({100, 41}, {1, 3}, {0});
  add({100, 41}, {4, 4}, {0});
  add({70, 40}, {1, 1}, {0});
  add({40, 70}, {1, 1}, {1});
  add({100, 41}, {41, 0}, {0});
  add({100, 41}, {0, 1}, {0});
  add({100, 3, 5}, {5, 0, 1}, {0});
  // Far apart, and a few long ones.
  add({50, 34}, {1, 1000}, {0});
  add({50, 34}, {2, 1001}, {0}, 3);
  add({9001, 5}, {5, 1}, {0});
  add({9001, 8}, {9, 1}, {0}, 1);
  add({20500, 3}, {4, 1}, {0});
  add({5000, 1}, {7, 1}, {0}, 1);
  // Arrays of no items.
  add({0, 5}, {5, 1}, {0});
  add({3, 0, 6}, {1, 1, 1}, {1});
  add({4, 0}, {1, 1}, {0});
  return out;
}

/// Each row of the array has the bytes of the CPU's reduction of its items in an array of their own.
template <class Item, class F>
void expect_rows_alone(const char* what, const F& f, const array_layout& layout,
                       const std::vector<Item>& host, const device_array<Item>& device) {
  const auto got = mf::try_reduce_axis(
      mf::gpu, mf::array_view<Item>(device.data() + layout.first(), layout.extents, layout.strides),
      layout.axes, f);
  const auto rows = layout.rows();
  ASSERT_EQ(got.values.size(), rows.size()) << what << ": " << layout.text();
  std::vector<Item> own;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    own.clear();
    for (const std::int64_t place : rows[r]) own.push_back(host[static_cast<std::size_t>(place)]);
    const std::string found = inputs::bytes_of(got.values[r]);
    const std::string want =
        inputs::bytes_of(mf::try_reduce(mf::cpu, std::span<const Item>(own), f));
    ASSERT_TRUE(found == want) << what << ": row " << r << " of " << rows.size() << " of "
                               << own.size() << " items is " << hex_of(found) << ", alone "
                               << hex_of(want) << "; " << layout.text();
  }
}

/// `make(n)`: so many items. Where a device is slow, a third of the layouts, another one for names of other lengths.
template <class Item, class F, class Make>
void compare_layouts(const char* what, const F& f, const std::vector<array_layout>& layouts,
                     const Make& make) {
  std::size_t turn = std::strlen(what);
  for (const array_layout& layout : layouts) {
    if (is_slow && turn++ % 3 != 0) continue;
    const std::vector<Item> host = make(layout.memory() + (layout.memory() == 0 ? 1 : 0));
    const device_array<Item> device(host);
    expect_rows_alone(what, f, layout, host, device);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace gpu_tests
