#pragma once
/// tests/runtime/lanes: rows and columns of an array have the answers that each has alone.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/axis_reducer.hpp"

namespace lanes {

namespace runtime = monofold::runtime;

/// The bytes of all answers, by name.
inline std::string bytes_of_arrays(const runtime::axis_answers& all) {
  std::string out;
  for (const runtime::answer_array& part : all.arrays) {
    out += std::string(part.name) + std::string(monofold::info(part.type).name);
    out.append(part.bytes.begin(), part.bytes.end());
  }
  return out;
}

inline std::string bytes_of_lanes(const runtime::axis_answers& like,
                                  const std::vector<runtime::answer>& rows) {
  std::string out;
  for (const runtime::answer_array& part : like.arrays) {
    out += std::string(part.name) + std::string(monofold::info(part.type).name);
    for (const runtime::answer& one : rows) {
      const runtime::number value =
          part.name == "index" ? runtime::number(one.indices.at(0)) : one.values.at(0);
      monofold::visit_dtype(part.type, [&]<class T>() {
        T item = std::visit([](const auto& x) { return static_cast<T>(x); }, value);
        out.append(reinterpret_cast<const char*>(&item), sizeof item);
      });
    }
  }
  return out;
}

/// `rows` rows of `length` items, `pitch` apart, or columns of as many.
template <class Item>
void check_lanes(const runtime::request& what, const std::vector<Item>& items, std::int64_t rows,
                 std::int64_t length, std::int64_t pitch, int axis) {
  const monofold::axis_numbers extents =
      axis == 1 ? monofold::axis_numbers{rows, length} : monofold::axis_numbers{length, rows};
  ASSERT_LE(extents[0] * pitch, std::ssize(items));
  const runtime::axis_answers got = runtime::reduce_axis(
      what, {items.data(), extents, {pitch, 1}, {axis}, monofold::keepdims::no});
  std::vector<runtime::answer> wanted;
  for (std::int64_t r = 0; r < rows; ++r) {
    std::vector<Item> own;
    for (std::int64_t i = 0; i < length; ++i) {
      own.push_back(items[static_cast<std::size_t>(axis == 1 ? r * pitch + i : i * pitch + r)]);
    }
    runtime::reducer alone(what);
    alone.push(own.data(), length);
    wanted.push_back(alone.finish().front());
  }
  EXPECT_EQ(bytes_of_arrays(got), bytes_of_lanes(got, wanted))
      << rows << " rows of " << length << ", " << pitch << " apart, axis " << axis;
}

}  // namespace lanes
