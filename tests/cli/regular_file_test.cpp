/// Files by read calls: through the page cache, past it, and cut short on the way.
#include "cli/regular_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/array_source.hpp"
#include "cli/fold_source.hpp"
#include "cli/same_answers.hpp"
#include "cli/sample_data.hpp"
#include "cli/verify_cases.hpp"
#include "tests/cli/temporary_file.hpp"

namespace monofold::cli {
namespace {

constexpr io_mode modes[] = {io_mode::automatic, io_mode::map, io_mode::read, io_mode::direct};
const on_bytes no_report = [](std::int64_t) {};

std::string some_items(dtype type, std::int64_t count) {
  std::string bytes(static_cast<std::size_t>(count * info(type).size_bytes), '\0');
  fill_items(type, distribution::normal, 7, 0, count, bytes.data());
  return bytes;
}

read_options raw(dtype type, io_mode io) {
  read_options out;
  out.format = file_format::raw;
  out.type = type;
  out.io = io;
  return out;
}

// Whether the folder of temporary files can be read past the page cache (not all can).
bool reads_directly() {
  const temporary_file file(std::string(10'000, 'x'));
  regular_file in(open_for_reading(file.path()), 10'000);
  try {
    in.read_directly();
    char one = 0;
    in.copy(5000, 1, &one);
  } catch (const input_error&) {
    return false;
  }
  return true;
}

template <class Step>
std::string message_of(const Step& step) {
  try {
    step();
    return "";
  } catch (const input_error& problem) {
    return problem.what();
  }
}

TEST(regular_file, copies_any_range_directly_too) {
  const std::string bytes = some_items(dtype::uint8, (3 << 20) + 777);
  const auto size = static_cast<std::int64_t>(bytes.size());
  const temporary_file file(bytes);
  for (const bool direct : {false, true}) {
    if (direct && !reads_directly()) GTEST_SKIP() << "no O_DIRECT here";
    regular_file in(open_for_reading(file.path()), size);
    if (direct) in.read_directly();
    for (const std::int64_t first : {0, 1, 128, 4095, 4096, 1 << 20, (3 << 20) + 776}) {
      for (const std::int64_t count : {1, 4096, 4097, 1 << 20, 2 << 20, 3 << 20}) {
        const std::int64_t n = std::min(count, size - first);
        std::string out(static_cast<std::size_t>(n), '?');
        in.copy(first, n, out.data());
        EXPECT_EQ(out, bytes.substr(static_cast<std::size_t>(first), out.size()))
            << first << " " << count;
      }
    }
    in.will_need(0, 10 * size);
    in.will_need(10 * size, 1);
    EXPECT_EQ(message_of([&] { in.check(); }), "");
  }
}

// Every type; items that are read, converted and reordered; answers and saved states.
TEST(regular_file, every_mode_gives_the_same_bytes) {
  const bool direct = reads_directly();
  for (const dtype_info& entry : dtypes) {
    const dtype type = entry.type;
    const std::int64_t count = (5 << 20) / entry.size_bytes + 1000;
    const std::string bytes = some_items(type, count);
    const temporary_file file(bytes, ".bin");
    std::vector<unsigned char> expected;
    for (const io_mode io : modes) {
      if (io == io_mode::direct && !direct) continue;
      for (const int threads : {1, 3}) {
        const runtime::request what = everything(type, runtime::nan_policy::propagate, threads);
        runtime::reducer found(what);
        const auto in = open_source(file.path(), raw(type, io));
        fold_source(*in, found, no_report);
        EXPECT_EQ(found.count(), count);
        const std::vector<unsigned char> state = found.save();
        if (expected.empty()) expected = state;
        EXPECT_EQ(state, expected) << entry.name << " " << static_cast<int>(io) << " " << threads;
      }
      EXPECT_EQ(read_file<char>(file.path(), raw(dtype::int8, io)),
                std::vector<char>(bytes.begin(), bytes.end()));
    }
  }
}

TEST(regular_file, every_mode_reads_swapped_unaligned_and_reordered_arrays) {
  const std::int64_t columns = 70'001;
  const std::string items = some_items(dtype::float64, 4 * columns);
  const std::string shape = "(4, " + std::to_string(columns) + ")";
  const bool direct = reads_directly();
  for (const char* const descr : {"<f8", ">f8"}) {
    for (const char* const fortran : {"False", "True"}) {
      for (const std::size_t pad : {1u, 64u}) {
        const temporary_file file(npy(dictionary(descr, shape, fortran), items, pad));
        const auto expected = read_file<double>(file.path());
        for (const io_mode io : modes) {
          if (io == io_mode::direct && !direct) continue;
          read_options options;
          options.io = io;
          const auto found = read_file<double>(file.path(), options);
          EXPECT_EQ(bytes_of(found), bytes_of(expected)) << descr << fortran << pad;
        }
      }
    }
  }
}

struct sigaction bus_action() {
  struct sigaction now {};
  ::sigaction(SIGBUS, nullptr, &now);
  return now;
}

// A mapped file puts a handler in the place of the action: these modes must need none.
TEST(regular_file, a_file_that_shrinks_is_an_error_without_a_signal) {
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  struct sigaction before {};
  ::sigaction(SIGBUS, &plain, &before);
  constexpr std::int64_t bytes = 40 << 20;
  for (const io_mode io : {io_mode::read, io_mode::direct}) {
    if (io == io_mode::direct && !reads_directly()) continue;
    for (const std::int64_t rest : {0, 1, 4096, (20 << 20) + 5}) {
      const temporary_file file("");
      std::filesystem::resize_file(file.path(), bytes);
      const auto in = open_source(file.path(), raw(dtype::float64, io));
      const std::string expected =
          "the file shrank while it was read: from 41943040 to " + std::to_string(rest) + " bytes";
      const auto next = [&] {
        while (in->next().count != 0) continue;
      };
      EXPECT_GT(in->next().count, 0);
      std::filesystem::resize_file(file.path(), static_cast<std::uintmax_t>(rest));
      EXPECT_EQ(message_of(next), expected);

      std::filesystem::resize_file(file.path(), bytes);
      const auto fetched = open_source(file.path(), raw(dtype::float64, io));
      std::filesystem::resize_file(file.path(), static_cast<std::uintmax_t>(rest));
      runtime::request what;
      what.ops = {runtime::operation::sum};
      what.num_threads = 3;
      runtime::reducer out(what);
      EXPECT_EQ(message_of([&] { fold_source(*fetched, out, no_report); }), expected);
    }
  }
  EXPECT_EQ(bus_action().sa_handler, SIG_DFL);
  ::sigaction(SIGBUS, &before, nullptr);
}

// A consumer so slow that the file is cut between two of its fetches.
TEST(regular_file, a_file_that_shrinks_under_a_slow_consumer_is_an_error) {
  constexpr std::int64_t bytes = 40 << 20;
  for (const io_mode io : modes) {
    if (io == io_mode::direct && !reads_directly()) continue;
    const temporary_file file("");
    std::filesystem::resize_file(file.path(), bytes);
    const auto in = open_source(file.path(), raw(dtype::float64, io));
    runtime::request what;
    what.ops = {runtime::operation::sum};
    what.num_threads = 1;
    runtime::reducer out(what);
    int reports = 0;
    const on_bytes cut_the_file = [&](std::int64_t) {
      if (++reports == 3) std::filesystem::resize_file(file.path(), 4096);
    };
    EXPECT_EQ(message_of([&] { fold_source(*in, out, cut_the_file); }),
              "the file shrank while it was read: from 41943040 to 4096 bytes");
  }
}

// What this process has read by calls, or -1 where the system does not count.
std::int64_t bytes_read() {
  std::ifstream file("/proc/self/io");
  std::string name;
  std::int64_t bytes = -1;
  file >> name >> bytes;
  return name == "rchar:" ? bytes : -1;
}

TEST(regular_file, automatic_makes_up_its_mind_where_two_files_are_read_in_turns) {
  if (bytes_read() < 0) GTEST_SKIP() << "nobody counts reads";
  const temporary_file file(npy(dictionary(">f8", "(8388608,)"), ""), ".npy");
  const auto header_bytes = std::filesystem::file_size(file.path());
  std::filesystem::resize_file(file.path(), header_bytes + (64 << 20));
  const auto left = open_source(file.path(), {});
  const auto right = open_source(file.path(), {});
  int num_pieces = 0;
  int num_late = 0;
  int num_copied = 0;
  for (;;) {
    const std::int64_t before = bytes_read();
    if (left->next().count == 0) break;
    if (++num_pieces > 20) {
      ++num_late;
      num_copied += bytes_read() - before > 100'000;
    }
    right->next();
  }
  EXPECT_GT(num_late, 20);
  EXPECT_TRUE(num_copied == 0 || num_copied == num_late) << num_copied << " of " << num_late;
}

}  // namespace
}  // namespace monofold::cli
