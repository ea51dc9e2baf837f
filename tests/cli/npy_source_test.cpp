#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cli/array_source.hpp"
#include "cli/npy_header.hpp"
#include "tests/cli/temporary_file.hpp"

namespace monofold::cli {
namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (const std::int64_t extent : shape) text += std::to_string(extent) + ", ";
  return text + ")";
}

std::int64_t product(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

// The oracle: item `index` of the row-major order lies there in the column-major file.
std::int64_t place_in_file(std::int64_t index, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> position(shape.size());
  for (std::size_t k = shape.size(); k-- > 0; index /= shape[k]) position[k] = index % shape[k];
  std::int64_t place = 0;
  for (std::size_t k = shape.size(); k-- > 0;) place = place * shape[k] + position[k];
  return place;
}

template <class T>
std::vector<T> counted(std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i * 2654435761u);
  return values;
}

template <class T>
std::vector<T> reversed_bytes(std::vector<T> values) {
  for (T& value : values) {
    auto* bytes = reinterpret_cast<char*>(&value);
    std::reverse(bytes, bytes + sizeof(T));
  }
  return values;
}

template <class T>
std::vector<T> read_bytes(const std::string& bytes, const read_options& options = {}) {
  const temporary_file file(bytes);
  return read_file<T>(file.path(), options);
}

template <class T>
void check_orders(const std::string& code) {
  for (const std::int64_t count : {0, 1, 2, 31, 4095, 4096, 4097, 300'007}) {
    const std::vector<T> values = counted<T>(count);
    const std::string shape = shape_text({count});
    for (const std::size_t pad : {64u, 1u}) {
      EXPECT_EQ(read_bytes<T>(npy(dictionary("<" + code, shape), bytes_of(values), pad)), values);
      EXPECT_EQ(
          read_bytes<T>(npy(dictionary(">" + code, shape), bytes_of(reversed_bytes(values)), pad)),
          values);
    }
  }
}

TEST(NpySource, ReadsEveryTypeInEitherByteOrder) {
  check_orders<std::int8_t>("i1");
  check_orders<std::int16_t>("i2");
  check_orders<std::int32_t>("i4");
  check_orders<std::int64_t>("i8");
  check_orders<std::uint8_t>("u1");
  check_orders<std::uint16_t>("u2");
  check_orders<std::uint32_t>("u4");
  check_orders<std::uint64_t>("u8");
  check_orders<float>("f4");
  check_orders<double>("f8");
}

TEST(NpySource, ReadsAlignedItemsWithoutACopy) {
  const temporary_file file(npy(dictionary("<f8", "(9000,)"), std::string(72'000, '\1')));
  const auto in = open_source(file.path(), {});
  const chunk part = in->next();
  EXPECT_EQ(part.count, 9000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(part.items) % 4096, 128u) << "not in the map";
  EXPECT_EQ(in->count(), 9000);
  EXPECT_EQ(in->total_bytes(), 72'128);
  EXPECT_EQ(in->consumed_bytes(), 72'128);
  EXPECT_EQ(in->next().count, 0);
  EXPECT_EQ(in->next().count, 0);
}

TEST(NpySource, ReadsAScalar) {
  EXPECT_EQ(read_bytes<double>(npy(dictionary("<f8", "()"), bytes_of<double>({2.5}))),
            std::vector<double>{2.5});
  EXPECT_EQ(read_bytes<double>(npy(dictionary("<f8", "()", "True"), bytes_of<double>({2.5}))),
            std::vector<double>{2.5});
}

TEST(NpySource, TakesEveryByteButZeroForTrue) {
  const std::string items("\0\1\2\x80\xff\0", 6);
  const std::vector<std::uint8_t> truth{0, 1, 1, 1, 1, 0};
  EXPECT_EQ(read_bytes<std::uint8_t>(npy(dictionary("|b1", "(6,)"), items)), truth);
  const std::vector<std::uint8_t> swapped{0, 1, 1, 1, 1, 0};
  EXPECT_EQ(read_bytes<std::uint8_t>(npy(dictionary("|b1", "(2, 3)", "True"), items)),
            (std::vector<std::uint8_t>{0, 1, 1, 1, 1, 0}));
}

template <class T>
void check_column_major(const std::vector<std::int64_t>& shape, const std::string& descr,
                        std::size_t pad) {
  const std::int64_t count = product(shape);
  const std::vector<T> stored = counted<T>(count);
  std::vector<T> expected(stored.size());
  for (std::int64_t i = 0; i < count; ++i) {
    expected[static_cast<std::size_t>(i)] =
        stored[static_cast<std::size_t>(place_in_file(i, shape))];
  }
  const bool swapped = descr[0] == '>';
  const std::string items = bytes_of(swapped ? reversed_bytes(stored) : stored);
  const temporary_file file(npy(dictionary(descr, shape_text(shape), "True"), items, pad));
  EXPECT_EQ(read_file<T>(file.path()), expected) << shape_text(shape) << descr;

  read_options as_stored;
  as_stored.order = item_order::stored;
  EXPECT_EQ(read_file<T>(file.path(), as_stored), stored) << shape_text(shape) << descr;
}

TEST(NpySource, DeliversFortranOrderRowByRow) {
  const std::vector<std::vector<std::int64_t>> shapes{{7},
                                                      {1, 9},
                                                      {9, 1},
                                                      {2, 3},
                                                      {3, 2},
                                                      {16, 16},
                                                      {17, 33},
                                                      {1000, 1001},
                                                      {3, 400'001},
                                                      {400'001, 3},
                                                      {2, 3, 4},
                                                      {4, 1, 3, 1, 2},
                                                      {101, 7, 103},
                                                      {1, 5, 1},
                                                      {50, 60, 70},
                                                      {2, 2, 2, 2},
                                                      {3, 5, 7, 11, 13},
                                                      {200, 2, 2, 200},
                                                      {0, 5},
                                                      {5, 0, 2}};
  for (const auto& shape : shapes) {
    check_column_major<double>(shape, "<f8", 64);
    check_column_major<std::uint32_t>(shape, ">u4", 1);
    check_column_major<std::int16_t>(shape, "<i2", 1);
    check_column_major<std::uint8_t>(shape, "|u1", 64);
  }
}

TEST(NpySource, FetchesTheSameItemsInAnyOrderFromManyThreads) {
  const std::vector<std::int64_t> shape{1234, 2345};
  const std::int64_t count = product(shape);
  const std::vector<double> values = counted<double>(count);
  for (const std::string order : {"True", "False"}) {
    for (const std::string descr : {"<f8", ">f8"}) {
      const std::string items = bytes_of(descr[0] == '>' ? reversed_bytes(values) : values);
      const temporary_file file(npy(dictionary(descr, shape_text(shape), order), items));
      const std::vector<double> expected = read_file<double>(file.path());
      const auto in = open_source(file.path(), {});
      const std::int64_t piece = in->fetch_items();
      ASSERT_GT(piece, 0);
      EXPECT_EQ(piece % 4096, 0);
      std::vector<double> found(expected.size());
      std::atomic<std::int64_t> next{0};
      const auto work = [&] {
        const aligned_buffer buffer = make_buffer(piece * 8);
        for (std::int64_t first = 0; (first = next.fetch_add(piece)) < count;) {
          const std::int64_t size = std::min(piece, count - first);
          const void* part = in->fetch(first, size, buffer.get());
          std::memcpy(found.data() + first, part, static_cast<std::size_t>(size) * 8);
        }
      };
      std::thread other(work);
      work();
      other.join();
      in->check();
      EXPECT_EQ(found, expected) << descr << order;
      EXPECT_EQ(in->consumed_bytes(), in->total_bytes());
      // A range that begins and ends inside rows.
      const aligned_buffer buffer = make_buffer(20'000 * 8);
      const void* part = in->fetch(12'345, 20'000, buffer.get());
      EXPECT_EQ(std::memcmp(part, expected.data() + 12'345, 160'000), 0);
    }
  }
}

TEST(NpySource, ChecksTheNumberOfBytes) {
  const std::string dict = dictionary("<f4", "(5, 2)");
  EXPECT_EQ(error_in(npy(dict, std::string(39, 'x'))),
            "found 39 bytes of items after the header, expected 40 (10 items of float32)");
  EXPECT_EQ(error_in(npy(dict, std::string(41, 'x'))),
            "found 41 bytes of items after the header, expected 40 (10 items of float32)");
  EXPECT_EQ(error_in(npy(dict, "")),
            "found 0 bytes of items after the header, expected 40 (10 items of float32)");
  EXPECT_EQ(error_in(npy(dictionary("<f4", "(0,)"), "x")),
            "found 1 bytes of items after the header, expected 0 (0 items of float32)");
}

TEST(NpySource, ComparesTheTypeWithTheOneAskedFor) {
  read_options options;
  options.type = dtype::float64;
  EXPECT_EQ(error_in(npy(dictionary("<f4", "(1,)"), "1234"), options),
            "the header says float32, --dtype says float64");
  options.type = dtype::bfloat16;
  const std::string brain = npy(dictionary("<V2", "(2,)"), std::string("\x80\x3f\0\xc0", 4));
  const temporary_file file(brain);
  const auto in = open_source(file.path(), options);
  EXPECT_EQ(in->type(), dtype::bfloat16);
  const chunk part = in->next();
  ASSERT_EQ(part.count, 2);
  EXPECT_EQ(static_cast<const bfloat16*>(part.items)[0], 1.0f);
  EXPECT_EQ(static_cast<const bfloat16*>(part.items)[1], -2.0f);
}

TEST(NpySource, SaysThatAFileIsNoNpyFile) {
  EXPECT_EQ(error_in("1 2 3\n", {}, ".npy"),
            "bad .npy header: at byte 0: expected '\\x93NUMPY', found '1 2 3\\n'");
  EXPECT_EQ(error_in("", {}, ".npy"), "the file is empty");
}

}  // namespace
}  // namespace monofold::cli
