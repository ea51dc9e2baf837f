#include "cli/map_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cli/array_source.hpp"
#include "cli/source.hpp"
#include "tests/cli/temporary_file.hpp"

namespace monofold::cli {
namespace {

constexpr std::int64_t page = 64 << 10;  // a multiple of every page size

descriptor open_to_read(const std::string& path) {
  return descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

std::string counted_bytes(std::int64_t count) {
  std::string bytes(static_cast<std::size_t>(count), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(1 + i % 251);
  return bytes;
}

// What `step` throws; empty if nothing.
template <class Step>
std::string message_of(const Step& step) {
  try {
    step();
    return "";
  } catch (const input_error& error) {
    return error.what();
  }
}

std::string check_of(const mapped_file& map) {
  return message_of([&] { map.check(); });
}

std::int64_t sum_of(const mapped_file& map) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < map.num_bytes(); ++i) sum += static_cast<int>(map.data()[i]);
  return sum;
}

TEST(MapFile, HoldsTheBytesOfTheFile) {
  const std::string bytes = counted_bytes(3 * page + 17);
  const temporary_file file(bytes);
  const mapped_file map(open_to_read(file.path()), 3 * page + 17);
  EXPECT_EQ(map.num_bytes(), 3 * page + 17);
  EXPECT_EQ(std::memcmp(map.data(), bytes.data(), bytes.size()), 0);
  std::string part(1000, '\0');
  map.copy(page - 500, 1000, part.data());
  EXPECT_EQ(part, bytes.substr(page - 500, 1000));
  map.will_need(5, 10);
  map.will_need(0, 100 * page);
  map.will_need(100 * page, page);
  EXPECT_EQ(check_of(map), "");
}

TEST(MapFile, AFileThatShrinksIsAnErrorAndNoCrash) {
  const std::string bytes = counted_bytes(5 * page);
  for (const std::int64_t rest : {2 * page, 2 * page + 1, std::int64_t{1}, std::int64_t{0}}) {
    const temporary_file file(bytes);
    const mapped_file map(open_to_read(file.path()), 5 * page);
    ASSERT_EQ(::truncate(file.path().c_str(), rest), 0);
    EXPECT_EQ(check_of(map), "the file shrank while it was read: from 327680 to " +
                                 std::to_string(rest) + " bytes");
    EXPECT_EQ(map.data()[5 * page - 1], std::byte{0});
    EXPECT_EQ(map.data()[rest], std::byte{0});
    EXPECT_EQ(std::memcmp(map.data(), bytes.data(), static_cast<std::size_t>(rest)), 0);
    std::string part(page, '\0');
    const std::string copied = message_of([&] { map.copy(4 * page, page, part.data()); });
    EXPECT_EQ(copied, check_of(map));
  }
}

// The size alone does not tell: the file is as long as before when it is asked.
TEST(MapFile, APageThatWasLostIsNotForgotten) {
  const temporary_file file(counted_bytes(4 * page));
  const mapped_file map(open_to_read(file.path()), 4 * page);
  ASSERT_EQ(::truncate(file.path().c_str(), page), 0);
  EXPECT_EQ(map.data()[3 * page], std::byte{0});
  ASSERT_EQ(::truncate(file.path().c_str(), 4 * page), 0);
  EXPECT_EQ(check_of(map),
            "part of the file was lost while it was read: it shrank, or its disk failed");
  const mapped_file other(open_to_read(file.path()), 4 * page);
  EXPECT_EQ(check_of(other), "") << "a map entered later starts anew";
}

TEST(MapFile, AFileThatGrowsIsReadAsItWas) {
  const temporary_file file(counted_bytes(page));
  const mapped_file map(open_to_read(file.path()), page);
  const std::int64_t sum = sum_of(map);
  ASSERT_EQ(::truncate(file.path().c_str(), 9 * page), 0);
  EXPECT_EQ(sum_of(map), sum);
  EXPECT_EQ(check_of(map), "");
}

TEST(MapFile, ThreadsThatTouchLostPagesGoOn) {
  const temporary_file file(counted_bytes(64 * page));
  const mapped_file map(open_to_read(file.path()), 64 * page);
  const temporary_file other_file(counted_bytes(page));
  const mapped_file other(open_to_read(other_file.path()), page);
  const std::int64_t sum = sum_of(other);
  ASSERT_EQ(::truncate(file.path().c_str(), 0), 0);
  std::array<std::int64_t, 4> sums{};
  std::vector<std::thread> threads;
  threads.reserve(sums.size());
  for (std::int64_t& out : sums) threads.emplace_back([&] { out = sum_of(map); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sums, (std::array<std::int64_t, 4>{}));
  EXPECT_NE(check_of(map), "");
  EXPECT_EQ(sum_of(other), sum) << "the neighbour is left alone";
  EXPECT_EQ(check_of(other), "");
}

TEST(MapFile, RefusesMoreMapsThanItCanWatch) {
  const temporary_file file(counted_bytes(100));
  const auto map = [&] { return std::make_unique<mapped_file>(open_to_read(file.path()), 100); };
  std::vector<std::unique_ptr<mapped_file>> maps;
  maps.reserve(64);
  for (int i = 0; i < 64; ++i) maps.push_back(map());
  EXPECT_EQ(message_of(map), "cannot map the file: 64 files are mapped already");
  read_options bytes;
  bytes.format = file_format::raw;
  bytes.type = dtype::uint8;
  EXPECT_EQ(read_file<std::uint8_t>(file.path(), bytes).size(), 100u) << "read calls still work";
  maps.pop_back();
  EXPECT_EQ(message_of(map), "");
}

TEST(MapFile, SaysThatThereIsNothingToMap) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const descriptor writer(ends[1]);
  EXPECT_EQ(message_of([&] { mapped_file(descriptor(ends[0]), 10); }),
            "cannot map the file: No such device");
}

// A map that is not ours, and a file that is shorter than it.
void touch_foreign_map() {
  const temporary_file own_file("1234");
  const mapped_file own(open_to_read(own_file.path()), 4);  // installs the handler
  const temporary_file file("");
  const descriptor empty = open_to_read(file.path());
  const void* map = ::mmap(nullptr, page, PROT_READ, MAP_SHARED, empty.get(), 0);
  std::filesystem::remove(own_file.path());
  std::filesystem::remove(file.path());
  const volatile char value = *static_cast<const volatile char*>(map);
  (void)value;
}

TEST(MapFileDeathTest, LeavesOtherBusErrorsToOthers) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(touch_foreign_map(), "");
}

read_options raw_doubles() {
  read_options options;
  options.format = file_format::raw;
  options.type = dtype::float64;
  return options;
}

TEST(MapFile, ASourceWhoseFileShrinksThrowsAtTheNextChunk) {
  const std::int64_t bytes = 24 << 20;
  const temporary_file file("");
  std::filesystem::resize_file(file.path(), static_cast<std::uintmax_t>(bytes));
  const auto in = open_source(file.path(), raw_doubles());
  EXPECT_EQ(in->next().count, 1 << 20);
  std::filesystem::resize_file(file.path(), 4096);
  EXPECT_EQ(message_of([&] { in->next(); }),
            "the file shrank while it was read: from 25165824 to 4096 bytes");

  std::filesystem::resize_file(file.path(), static_cast<std::uintmax_t>(bytes));
  const auto last = open_source(file.path(), raw_doubles());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(last->next().count, 1 << 20);
  std::filesystem::resize_file(file.path(), 4096);
  EXPECT_NE(message_of([&] { last->next(); }), "") << "the end is no end if a chunk was lost";
}

// Above 32 MiB the source measures whether to copy; either way the loss is seen at the end.
TEST(MapFile, ASourceWhoseFileShrinksThrowsAfterAFetch) {
  for (const std::int64_t bytes : {1 << 20, 40 << 20}) {
    const temporary_file file("");
    std::filesystem::resize_file(file.path(), static_cast<std::uintmax_t>(bytes));
    const auto in = open_source(file.path(), raw_doubles());
    const std::int64_t piece = std::min(in->fetch_items(), bytes / 8);
    const aligned_buffer buffer = make_buffer(piece * 8);
    std::filesystem::resize_file(file.path(), 4096);
    const std::string problem = message_of([&] {
      const void* items = in->fetch(bytes / 8 - piece, piece, buffer.get());
      EXPECT_EQ(static_cast<const double*>(items)[piece - 1], 0.0);
      in->check();
    });
    EXPECT_EQ(problem, "the file shrank while it was read: from " + std::to_string(bytes) +
                           " to 4096 bytes");
  }
}

}  // namespace
}  // namespace monofold::cli
