#include "cli/text_parse.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tests/inputs/random.hpp"

namespace monofold::cli {
namespace {

template <class T>
T parsed(const std::string& text) {
  T value{};
  EXPECT_EQ(parse_number(std::string_view(text), value), text_fault::none) << text;
  return value;
}

template <class T>
text_fault fault_of(const std::string& text) {
  T value{};
  return parse_number(std::string_view(text), value);
}

std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

TEST(TextParse, ReadsEveryWayToWriteADouble) {
  EXPECT_EQ(parsed<double>("1"), 1.0);
  EXPECT_EQ(parsed<double>("+1.50"), 1.5);
  EXPECT_EQ(parsed<double>("-.5"), -0.5);
  EXPECT_EQ(parsed<double>("5."), 5.0);
  EXPECT_EQ(parsed<double>("1e3"), 1000.0);
  EXPECT_EQ(parsed<double>("1E-03"), 0.001);
  EXPECT_EQ(parsed<double>("000123.4560"), 123.456);
  EXPECT_EQ(bits_of(parsed<double>("-0")), bits_of(-0.0));
  EXPECT_EQ(bits_of(parsed<double>("0.0e99999999999999999999")), bits_of(0.0));
  for (const std::string word : {"inf", "INF", "Infinity", "+inf"}) {
    EXPECT_EQ(parsed<double>(word), std::numeric_limits<double>::infinity()) << word;
    EXPECT_EQ(parsed<float>(word), std::numeric_limits<float>::infinity()) << word;
  }
  EXPECT_EQ(parsed<double>("-inf"), -std::numeric_limits<double>::infinity());
  for (const std::string word : {"nan", "NaN", "-NAN"}) {
    EXPECT_TRUE(std::isnan(parsed<double>(word)));
    EXPECT_TRUE(std::isnan(static_cast<float>(parsed<float16>(word))));
    EXPECT_TRUE(std::isnan(static_cast<float>(parsed<bfloat16>(word))));
  }
}

TEST(TextParse, RefusesWhatIsNoNumber) {
  const std::vector<std::string> texts{"",       "+",       "-",     ".",   "e5",      "1e",  "1e+",
                                       "1.2.3",  "0x10",    "1_000", "1,5", "--1",     "+-1", "1 2",
                                       "nan(1)", "infinit", "true",  "1f",  {"1\0", 2}};
  for (const std::string& text : texts) {
    EXPECT_EQ(fault_of<double>(text), text_fault::not_a_number) << text;
    EXPECT_EQ(fault_of<float>(text), text_fault::not_a_number) << text;
    EXPECT_EQ(fault_of<float16>(text), text_fault::not_a_number) << text;
    EXPECT_EQ(fault_of<bfloat16>(text), text_fault::not_a_number) << text;
    EXPECT_EQ(fault_of<std::int32_t>(text), text_fault::not_a_number) << text;
    EXPECT_EQ(fault_of<std::uint64_t>(text), text_fault::not_a_number) << text;
  }
  EXPECT_EQ(fault_of<std::int32_t>("1.0"), text_fault::not_a_number);
  EXPECT_EQ(fault_of<bool>("2"), text_fault::not_a_number);
  EXPECT_EQ(fault_of<bool>("+1"), text_fault::not_a_number);
}

TEST(TextParse, TellsTooLargeFromTooSmall) {
  EXPECT_EQ(fault_of<double>("1e309"), text_fault::out_of_range);
  EXPECT_EQ(fault_of<double>("-1e99999999999999999999"), text_fault::out_of_range);
  EXPECT_EQ(fault_of<float>("3.5e38"), text_fault::out_of_range);
  EXPECT_EQ(parsed<double>("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(bits_of(parsed<double>("1e-400")), bits_of(0.0));
  EXPECT_EQ(bits_of(parsed<double>("-1e-99999999999999999999")), bits_of(-0.0));
  EXPECT_EQ(bits_of(parsed<float>("-1e-50")), bits_of(-0.0f));
  EXPECT_EQ(parsed<double>("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(parsed<double>("2.4703282292062328e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(parsed<double>("2.4703282292062327e-324"), 0.0);
  // The place of the point and the exponent cancel.
  EXPECT_EQ(parsed<double>("0." + std::string(400, '0') + "1e401"), 1.0);
  EXPECT_EQ(parsed<double>("1" + std::string(400, '0') + "e-400"), 1.0);
}

TEST(TextParse, KnowsTheBoundsOfIntegers) {
  EXPECT_EQ(parsed<std::int8_t>("-128"), -128);
  EXPECT_EQ(fault_of<std::int8_t>("-129"), text_fault::out_of_range);
  EXPECT_EQ(fault_of<std::int8_t>("128"), text_fault::out_of_range);
  EXPECT_EQ(parsed<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(fault_of<std::int64_t>("9223372036854775808"), text_fault::out_of_range);
  EXPECT_EQ(parsed<std::uint64_t>("+18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(fault_of<std::uint64_t>("18446744073709551616"), text_fault::out_of_range);
  EXPECT_EQ(fault_of<std::uint64_t>(std::string(100, '9')), text_fault::out_of_range);
  EXPECT_EQ(parsed<std::uint8_t>("-0"), 0);
  EXPECT_EQ(fault_of<std::uint8_t>("-1"), text_fault::out_of_range);
  EXPECT_EQ(parsed<std::int32_t>("-000000000000000000000000000000012"), -12);
  EXPECT_TRUE(parsed<bool>("TRUE"));
  EXPECT_FALSE(parsed<bool>("False"));
}

// The least float16 is 2^-24, so the midpoint of two neighbours is a multiple of 2^-25 and has at
// most 25 digits behind the point.
std::string all_digits(double x) {
  std::array<char, 64> text;
  const auto done =
      std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::fixed, 25);
  return {text.data(), done.ptr};
}

// A finite number, the midpoint to the next one, and what lies a hair beside the midpoint.
TEST(TextParse, RoundsHalfFloatsOnceFromTheText) {
  for (std::uint16_t bits = 0; bits < 0x7bff; bits = static_cast<std::uint16_t>(bits + 5)) {
    float16 low;
    low.bits = bits;
    float16 high;
    high.bits = static_cast<std::uint16_t>(bits + 1);
    const double here = static_cast<float>(low);
    EXPECT_EQ(parsed<float16>(all_digits(here)).bits, bits);
    const std::string half = all_digits(here + (static_cast<float>(high) - here) / 2);
    EXPECT_EQ(parsed<float16>(half).bits, bits + (bits & 1)) << half;
    // A double rounds this to the midpoint: only the text knows better.
    const std::string more = half + "000000000000000000001";
    EXPECT_EQ(parsed<float16>(more).bits, bits + 1) << more;
    EXPECT_EQ(parsed<float16>("-" + more).bits, (bits + 1) | 0x8000) << more;
  }
}

TEST(TextParse, RoundsSmallFloatsOnceFromTheText) {
  EXPECT_EQ(parsed<float16>("65519.999999999999999999999").bits, 0x7bff);
  EXPECT_EQ(fault_of<float16>("65520"), text_fault::out_of_range);
  EXPECT_EQ(parsed<float16>("2.98023223876953125e-8").bits, 0);  // half of the least: to even
  EXPECT_EQ(parsed<float16>("2.980232238769531250000000000000000000001e-8").bits, 1);
  EXPECT_EQ(fault_of<bfloat16>("3.4e38"), text_fault::out_of_range);
  EXPECT_EQ(parsed<bfloat16>("3.3895313892515355e38").bits, 0x7f7f);
  EXPECT_EQ(parsed<bfloat16>("1.00390625").bits, 0x3f80);
  EXPECT_EQ(parsed<bfloat16>("1.0039062500000000000000000000000000001").bits, 0x3f81);
  EXPECT_EQ(parsed<bfloat16>("1.01171875").bits, 0x3f82);
  EXPECT_EQ(parsed<bfloat16>("1.0117187499999999999999999999999999999").bits, 0x3f81);
}

template <class T>
void check_prefix(const std::string& text) {
  T whole{};
  T prefix{};
  const std::string more = text + " ";
  const char* first = more.data();
  const char* last = first + text.size();
  const char* end = parse_prefix(first, last, prefix);
  const text_fault fault = parse_number(std::string_view(text), whole);
  if (end != last) return;  // left to `parse_number`
  ASSERT_EQ(fault, text_fault::none) << text;
  if constexpr (std::is_floating_point_v<T>) {
    EXPECT_EQ(bits_of(prefix), bits_of(whole)) << text;
  } else {
    EXPECT_EQ(prefix, whole) << text;
  }
}

TEST(TextParse, ShortCutsGiveTheSameBits) {
  const std::vector<std::string> texts{"0",
                                       "-0",
                                       "-0.0",
                                       "1",
                                       "-.5",
                                       "5.",
                                       "9007199254740992",
                                       "9007199254740993",
                                       "16777217",
                                       "0.1",
                                       "12345678.12345678",
                                       "1234567890123456789",
                                       "12345678901234567890",
                                       "0.0000000000000000000001",
                                       "0.00000000000000000000001",
                                       "1e22",
                                       "1e23",
                                       "127",
                                       "128",
                                       "-128",
                                       "-1",
                                       "255",
                                       "0.12345678123456781234567812345678",
                                       "1.123456789",
                                       "8.00000000",
                                       "1.0e0"};
  for (const std::string& text : texts) {
    check_prefix<double>(text);
    check_prefix<float>(text);
    check_prefix<std::int8_t>(text);
    check_prefix<std::uint64_t>(text);
  }
  inputs::generator random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = random() % 2 == 0 ? "-" : "";
    const auto digits = [&](std::uint64_t count) {
      for (; count != 0; --count) text += static_cast<char>('0' + random() % 10);
    };
    digits(random() % 12);
    if (random() % 4 != 0) text += '.';
    digits(1 + random() % 20);
    check_prefix<double>(text);
    check_prefix<float>(text);
    check_prefix<std::int16_t>(text);
  }
}

TEST(TextParse, SaysWhatItFound) {
  EXPECT_EQ(describe_fault(text_fault::not_a_number, dtype::float32, "x\n"),
            "expected a number, found 'x\\n'");
  EXPECT_EQ(describe_fault(text_fault::not_a_number, dtype::uint8, ""),
            "expected an integer, found an empty field");
  EXPECT_EQ(describe_fault(text_fault::not_a_number, dtype::boolean, "2"),
            "expected 0, 1, true or false, found '2'");
  EXPECT_EQ(describe_fault(text_fault::out_of_range, dtype::int8, "128"),
            "'128' is out of range for int8");
}

}  // namespace
}  // namespace monofold::cli
