/// platform/dtype: names, sizes and types agree.

#include "monofold/platform/dtype.hpp"

#include <set>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

namespace {

namespace mf = monofold;

TEST(dtype, numbers_are_those_of_the_c_interface) {
  const char* const names[] = {"bool",     "int8",    "int16",  "int32",  "int64",
                               "uint8",    "uint16",  "uint32", "uint64", "float16",
                               "bfloat16", "float32", "float64"};
  ASSERT_EQ(mf::dtypes.size(), std::size(names));
  for (std::size_t i = 0; i < std::size(names); ++i) {
    EXPECT_EQ(mf::dtypes[i].name, names[i]);
    EXPECT_EQ(static_cast<std::size_t>(mf::dtypes[i].type), i);
    EXPECT_EQ(mf::info(mf::dtypes[i].type).name, names[i]);
  }
}

TEST(dtype, both_names_lead_to_the_type) {
  std::set<std::string> seen;
  for (const mf::dtype_info& entry : mf::dtypes) {
    EXPECT_EQ(mf::dtype_from_name(entry.name), entry.type);
    EXPECT_EQ(mf::dtype_from_name(entry.short_name), entry.type);
    EXPECT_TRUE(seen.insert(std::string(entry.name)).second);
    EXPECT_TRUE(seen.insert(std::string(entry.short_name)).second);
  }
  for (const char* wrong : {"", "float", "F32", "int", "f32 ", "uint128"}) {
    EXPECT_FALSE(mf::dtype_from_name(wrong)) << wrong;
  }
  for (const char* design : {"i32", "u8", "f32", "bf16"}) {
    EXPECT_TRUE(mf::dtype_from_name(design)) << design;
  }
}

TEST(dtype, visit_gives_the_type_that_the_table_describes) {
  for (const mf::dtype_info& entry : mf::dtypes) {
    mf::visit_dtype(entry.type, [&]<class T>() {
      EXPECT_EQ(static_cast<int>(sizeof(T)), entry.size_bytes) << entry.name;
      EXPECT_EQ(mf::is_floating_v<T>, entry.is_floating) << entry.name;
      const bool is_signed = entry.is_floating || entry.name.substr(0, 3) == "int";
      EXPECT_EQ(std::is_signed_v<T> || entry.size_bytes == 2, is_signed || entry.size_bytes == 2);
      EXPECT_EQ((std::is_same_v<T, bool>), entry.type == mf::dtype::boolean);
      EXPECT_EQ((std::is_same_v<T, mf::float16>), entry.type == mf::dtype::float16);
      EXPECT_EQ((std::is_same_v<T, mf::bfloat16>), entry.type == mf::dtype::bfloat16);
      EXPECT_EQ((std::is_same_v<T, std::uint16_t>), entry.type == mf::dtype::uint16);
    });
  }
}

}  // namespace
