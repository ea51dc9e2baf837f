#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/temporary_file.hpp"

namespace monofold::cli {
namespace {

read_options raw(dtype type) {
  read_options options;
  options.format = file_format::raw;
  options.type = type;
  return options;
}

TEST(RawSource, ReadsItems) {
  for (const std::size_t count : {1u, 2u, 4095u, 4097u, 2'500'001u}) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i) * 0.5f;
    const temporary_file file(bytes_of(values));
    EXPECT_EQ(read_file<float>(file.path(), raw(dtype::float32)), values);
  }
}

TEST(RawSource, NormalisesBooleans) {
  const temporary_file file(std::string("\0\3\1", 3));
  EXPECT_EQ(read_file<std::uint8_t>(file.path(), raw(dtype::boolean)),
            (std::vector<std::uint8_t>{0, 1, 1}));
}

TEST(RawSource, AnEmptyFileHasNoItems) {
  const temporary_file file("");
  EXPECT_TRUE(read_file<double>(file.path(), raw(dtype::float64)).empty());
  EXPECT_TRUE(read_file<double>("/dev/null", raw(dtype::float64)).empty());
}

TEST(RawSource, NeedsAType) {
  read_options options;
  options.format = file_format::raw;
  EXPECT_EQ(error_in("12345678", options), "raw binary needs an element type: --dtype TYPE");
}

TEST(RawSource, NeedsWholeItems) {
  EXPECT_EQ(error_in("123456789", raw(dtype::float32)),
            "found 9 bytes, expected a multiple of 4 (float32)");
}

TEST(Detection, FollowsContentAndExtension) {
  const std::string binary = bytes_of<double>({1.0, 2.0});
  const std::string text = "1 2 3 4 5 6 7 8 ";  // 16 bytes: two doubles as well
  read_options options;
  EXPECT_EQ(error_in(binary), "not text and not .npy; if it is raw binary, say --dtype TYPE");
  EXPECT_EQ(error_in(binary, {}, ".bin"),
            "not text and not .npy; if it is raw binary, say --dtype TYPE");
  options.type = dtype::float64;
  const auto count = [&](const std::string& bytes, const std::string& extension) {
    const temporary_file file(bytes, extension);
    return read_file<double>(file.path(), options).size();
  };
  EXPECT_EQ(count(binary, ""), 2u);
  EXPECT_EQ(count(binary, ".dat"), 2u);
  EXPECT_EQ(count(text, ""), 8u);
  EXPECT_EQ(count(text, ".dat"), 8u);
  EXPECT_EQ(count(text, ".bin"), 2u);
  EXPECT_EQ(count(text, ".raw"), 2u);
  EXPECT_EQ(count(text, ".txt"), 8u);
  EXPECT_EQ(count(npy(dictionary("<f8", "(2,)"), binary), ".txt"), 2u);
  EXPECT_EQ(
      error_in(binary, options, ".txt"),
      "line 1, character 1: expected a number, found "
      "'\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?\\x00\\x00\\x00\\x00\\x00\\x00\\x00@'; if it is a "
      "header, say --header yes");
}

TEST(Detection, NamesWhatCannotBeOpened) {
  EXPECT_EQ(error_of("/no/such/file"), "cannot open: No such file or directory");
  EXPECT_EQ(error_of("/"), "cannot read: Is a directory");
  EXPECT_EQ(error_in(""), "the file is empty");
  EXPECT_EQ(error_of("/dev/null"), "the file is empty");
  EXPECT_EQ(error_in("", raw(dtype::float64)), "");
  const temporary_file file("1");
  std::filesystem::permissions(file.path(), std::filesystem::perms::none);
  if (::geteuid() != 0) {
    EXPECT_EQ(error_of(file.path()), "cannot open: Permission denied");
  }
}

TEST(Detection, ReadsFilesThatSayTheyAreEmpty) {
  EXPECT_EQ(read_file<double>("/proc/sys/kernel/pid_max").size(), 1u);
}

}  // namespace
}  // namespace monofold::cli
