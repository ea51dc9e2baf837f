/// platform/encoding and platform/sealed: values and files come back, and damage is named.

#include "monofold/platform/sealed.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "monofold/platform/encoding.hpp"
#include "monofold/platform/wide_int.hpp"
#include "tests/inputs/same_bits.hpp"

namespace {

namespace mf = monofold;
using bytes = std::vector<unsigned char>;

template <class T>
bytes encoded(const T& value) {
  mf::byte_writer out;
  mf::encode(out, value);
  return out.bytes();
}

template <class T>
T again(const T& value) {
  const bytes written = encoded(value);
  mf::byte_reader in(written);
  T read = mf::decoded<T>(in);
  EXPECT_EQ(in.size(), 0U);
  return read;
}

/// Why bytes are refused; empty: they are not.
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const mf::error& e) {
    EXPECT_EQ(e.code(), mf::status::malformed_state);
    return e.what();
  }
  return {};
}

struct padded {
  std::uint8_t small;
  std::int64_t large;
};
struct nested {
  padded inner;
  bool flag;
  float real;
};

TEST(encoding, least_byte_first_and_without_padding) {
  EXPECT_EQ(encoded(std::uint32_t{0x01020304}), (bytes{4, 3, 2, 1}));
  EXPECT_EQ(encoded(std::int16_t{-2}), (bytes{0xfe, 0xff}));
  EXPECT_EQ(encoded(padded{7, -1}), (bytes{7, 255, 255, 255, 255, 255, 255, 255, 255}));
  EXPECT_EQ(encoded(true), (bytes{1}));
  EXPECT_EQ(encoded(1.0F), (bytes{0, 0, 0x80, 0x3f}));
  EXPECT_EQ(encoded(nested{{1, 2}, true, 1.0F}).size(), 14U);
  EXPECT_EQ(encoded(std::vector<std::uint8_t>{9, 8}), (bytes{2, 0, 0, 0, 0, 0, 0, 0, 9, 8}));
}

TEST(encoding, values_come_back) {
  EXPECT_EQ(again(std::numeric_limits<std::int64_t>::min()),
            std::numeric_limits<std::int64_t>::min());
  const mf::int128 wide = -(mf::int128{1} << 100) + 12345;
  EXPECT_TRUE(again(wide) == wide);
  const mf::uint256 wider{{1, 2, 3, ~std::uint64_t{0}}};
  EXPECT_TRUE(again(wider) == wider);
  EXPECT_TRUE(inputs::same_bits(again(-0.0), -0.0));
  EXPECT_EQ(again(mf::float16{0x3c01}).bits, 0x3c01);
  const nested back = again(nested{{200, -5}, false, -2.5F});
  EXPECT_EQ(back.inner.small, 200);
  EXPECT_EQ(back.inner.large, -5);
  EXPECT_FALSE(back.flag);
  EXPECT_EQ(back.real, -2.5F);
}

TEST(encoding, refuses_what_no_value_has) {
  const bytes two{2};
  EXPECT_NE(refusal([&] { mf::byte_reader(two).take(2); }), "");
  EXPECT_NE(refusal([&] {
              mf::byte_reader in(two);
              mf::decoded<bool>(in);
            }),
            "");
  // A vector that says it has more elements than there are bytes takes no memory for them.
  const bytes huge{255, 255, 255, 255, 255, 255, 255, 127, 1, 2, 3};
  EXPECT_NE(refusal([&] {
              mf::byte_reader in(huge);
              mf::decoded<std::vector<double>>(in);
            }),
            "");
}

RC_GTEST_PROP(sealed, gives_back_what_it_took, (const std::string& name, const bytes& payload)) {
  const bytes file = mf::seal(name, payload);
  RC_ASSERT(mf::looks_sealed(file));
  const mf::unsealed back = mf::unseal(file);
  RC_ASSERT(back.name == name);
  RC_ASSERT(bytes(back.payload.begin(), back.payload.end()) == payload);
}

TEST(sealed, layout_never_changes) {
  // Checked with zlib's crc32 elsewhere: a file of today must be read by any later version.
  const bytes file = mf::seal("ab", bytes{5});
  const bytes expected{0x89, 'm', 'o', 'n', 'o', '\r', '\n', 0x1a, 2, 0, 0,   0,   2, 0,
                       0,    0,   1,   0,   0,   0,    0,    0,    0, 0, 'a', 'b', 5};
  ASSERT_EQ(file.size(), expected.size() + 4);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), file.begin()));
}

TEST(sealed, every_damage_is_refused) {
  const bytes file = mf::seal("sum of float32", bytes{1, 2, 3, 4, 5, 6, 7});
  const auto why = [](const bytes& some) { return refusal([&] { mf::unseal(some); }); };
  EXPECT_EQ(why(file), "");
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes wrong = file;
      wrong[i] = static_cast<unsigned char>(wrong[i] ^ (1 << bit));
      EXPECT_NE(why(wrong), "") << i << " " << bit;
    }
    const bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(why(cut).find(i < 8 ? "another kind of file" : "truncated"), std::string::npos) << i;
  }
  bytes longer = file;
  longer.push_back(0);
  EXPECT_NE(why(longer).find("bytes follow its end"), std::string::npos);
  bytes changed = file;
  changed[30] ^= 1;
  EXPECT_NE(why(changed).find("damaged"), std::string::npos);
  bytes newer = file;
  newer[8] = 3;
  EXPECT_NE(why(newer).find("format 3"), std::string::npos);
}

TEST(sealed, lengths_that_wrap_around_are_refused) {
  bytes file = mf::seal("", bytes{});
  for (std::size_t i = 16; i < 24; ++i) file[i] = 255;
  EXPECT_NE(refusal([&] { mf::unseal(file); }), "");
  for (std::size_t i = 12; i < 16; ++i) file[i] = 255;
  EXPECT_NE(refusal([&] { mf::unseal(file); }), "");
}

}  // namespace
