#include "cli/npy_header.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/cli/temporary_file.hpp"

namespace monofold::cli {
namespace {

npy_header parse(const std::string& bytes, std::optional<dtype> type = std::nullopt) {
  return parse_npy_header(std::as_bytes(std::span(bytes.data(), bytes.size())), type);
}

std::string error(const std::string& bytes) {
  try {
    parse(bytes);
    return "";
  } catch (const input_error& problem) {
    const std::string text = problem.what();
    const std::string begin = "bad .npy header: at byte ";
    EXPECT_EQ(text.substr(0, begin.size()), begin);
    return text.substr(std::min(text.size(), begin.size()));
  }
}

std::string error_in_dictionary(const std::string& text) { return error(npy(text, "")); }

TEST(NpyHeader, ReadsWhatNumpyWrites) {
  const npy_header header = parse(npy(dictionary("<f8", "(3, 4)"), ""));
  EXPECT_EQ(header.type, dtype::float64);
  EXPECT_FALSE(header.swapped);
  EXPECT_FALSE(header.fortran_order);
  EXPECT_EQ(header.shape, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(header.num_items, 12);
  EXPECT_EQ(header.data_offset, 128);
}

TEST(NpyHeader, KnowsEveryType) {
  const std::vector<std::pair<std::string, dtype>> types{
      {"b1", dtype::boolean}, {"i1", dtype::int8},    {"i2", dtype::int16},
      {"i4", dtype::int32},   {"i8", dtype::int64},   {"u1", dtype::uint8},
      {"u2", dtype::uint16},  {"u4", dtype::uint32},  {"u8", dtype::uint64},
      {"f2", dtype::float16}, {"f4", dtype::float32}, {"f8", dtype::float64},
      {"?", dtype::boolean}};
  for (const auto& [code, type] : types) {
    for (const std::string order : {"<", ">", "=", "|", ""}) {
      const npy_header header = parse(npy(dictionary(order + code, "(1,)"), ""));
      EXPECT_EQ(header.type, type) << order << code;
      EXPECT_EQ(header.swapped, order == ">") << order << code;
    }
  }
  EXPECT_EQ(parse(npy(dictionary("<V2", "(1,)"), ""), dtype::bfloat16).type, dtype::bfloat16);
}

TEST(NpyHeader, ReadsVersions2And3) {
  for (const char version : {'\2', '\3'}) {
    std::string text = dictionary("<i2", "(5,)") + "\n";
    std::string bytes("\x93NUMPY", 6);
    bytes += {version, '\0', static_cast<char>(text.size()), '\0', '\0', '\0'};
    const npy_header header = parse(bytes + text);
    EXPECT_EQ(header.type, dtype::int16);
    EXPECT_EQ(header.num_items, 5);
    EXPECT_EQ(header.data_offset, static_cast<std::int64_t>(12 + text.size()));
  }
}

TEST(NpyHeader, ReadsShapes) {
  const auto items = [](const std::string& shape) {
    return parse(npy(dictionary("<f8", shape), "")).num_items;
  };
  EXPECT_EQ(items("()"), 1);
  EXPECT_EQ(items("(0,)"), 0);
  EXPECT_EQ(items("( 2 ,3,\t4 , )"), 24);
  EXPECT_EQ(items("(10L, 20L)"), 200);
  EXPECT_EQ(items("(4611686018427387904, 0, 4611686018427387904)"), 0);
  EXPECT_EQ(items("(1152921504606846959,)"),
            1152921504606846959);  // 2^63 - 8 bytes with the header
}

TEST(NpyHeader, TakesKeysInAnyOrderAndQuotes) {
  const npy_header header =
      parse(npy("{\"shape\":(7,),'fortran_order':True,\"descr\":\">u4\"}", ""));
  EXPECT_EQ(header.type, dtype::uint32);
  EXPECT_TRUE(header.swapped);
  EXPECT_TRUE(header.fortran_order);
  EXPECT_EQ(header.num_items, 7);
}

TEST(NpyHeader, RefusesTypesByName) {
  const auto message = [](const std::string& descr) {
    return error_in_dictionary(dictionary(descr, "(1,)"));
  };
  EXPECT_EQ(message("<c16"), "20: dtype '<c16' (complex) is not supported");
  EXPECT_EQ(message("<f16"), "20: dtype '<f16' (extended precision) is not supported");
  EXPECT_EQ(message("<f12"), "20: dtype '<f12' (extended precision) is not supported");
  EXPECT_EQ(message("|S5"), "20: dtype '|S5' (byte string) is not supported");
  EXPECT_EQ(message("|a5"), "20: dtype '|a5' (byte string) is not supported");
  EXPECT_EQ(message("<U7"), "20: dtype '<U7' (string) is not supported");
  EXPECT_EQ(message("|O"), "20: dtype '|O' (Python object) is not supported");
  EXPECT_EQ(message("<M8[ns]"), "20: dtype '<M8[ns]' (datetime64) is not supported");
  EXPECT_EQ(message("<m8[s]"), "20: dtype '<m8[s]' (timedelta64) is not supported");
  EXPECT_EQ(message("|V8"), "20: dtype '|V8' (raw bytes) is not supported");
  EXPECT_EQ(message("<V2"),
            "20: dtype '<V2' (raw bytes) is not supported; if it is bfloat16, say --dtype bf16");
  EXPECT_EQ(message(""), "20: expected a dtype such as '<f8', found ''");
  EXPECT_EQ(message("<i3"), "20: expected a dtype such as '<f8', found '<i3'");
  EXPECT_EQ(message("<f9"), "20: expected a dtype such as '<f8', found '<f9'");
  EXPECT_EQ(message("float64"), "20: expected a dtype such as '<f8', found 'float64'");
  EXPECT_EQ(message("<<f8"), "20: expected a dtype such as '<f8', found '<<f8'");
  EXPECT_EQ(error_in_dictionary("{'descr': [('a', '<i4'), ('b', '<f8')], 'shape': (1,)}"),
            "20: structured dtype '[('a', '<i4'), ('b', '<f8')]' is not supported");
}

TEST(NpyHeader, NamesWhatIsWrongBeforeTheDictionary) {
  EXPECT_EQ(error(""), "0: expected '\\x93NUMPY', found ''");
  EXPECT_EQ(error("\x93NUM"), "0: expected '\\x93NUMPY', found '\\x93NUM'");
  EXPECT_EQ(error("PK\3\4....."), "0: expected '\\x93NUMPY', found 'PK\\x03\\x04..'");
  EXPECT_EQ(error("\x93NUMPY\1"),
            "7: expected the version and the header length, found the end of the file");
  EXPECT_EQ(error(std::string("\x93NUMPY\1\0\1", 9)),
            "9: expected the version and the header length, found the end of the file");
  EXPECT_EQ(error(std::string("\x93NUMPY\2\0\1\0\0", 11)),
            "11: expected the version and the header length, found the end of the file");
  EXPECT_EQ(error(std::string("\x93NUMPY\4\0\1\0", 10)),
            "6: expected version 1.0, 2.0 or 3.0, found 4.0");
  EXPECT_EQ(error(std::string("\x93NUMPY\1\1\1\0", 10)),
            "6: expected version 1.0, 2.0 or 3.0, found 1.1");
  EXPECT_EQ(error(std::string("\x93NUMPY\1\0\x76\0{", 11)),
            "11: expected a header up to byte 128, found the end of the file");
  EXPECT_EQ(error("\x93NUMPY" + std::string("\2\0\377\377\377\377", 6)),
            "8: expected a header of at most 1048576 bytes, found a length of 4294967295");
}

TEST(NpyHeader, NamesWhatIsWrongInTheDictionary) {
  EXPECT_EQ(error_in_dictionary("['descr']"), "10: expected '{', found '['");
  EXPECT_EQ(error_in_dictionary(""), "64: expected '{', found the end of the header");
  EXPECT_EQ(error_in_dictionary("{descr: 1}"),
            "11: expected a key in quotes or '}', found 'descr'");
  EXPECT_EQ(error_in_dictionary("{'descr' '<f8'}"), "19: expected ':', found '''");
  EXPECT_EQ(error_in_dictionary("{'descr': 8}"), "20: expected a dtype in quotes, found '8'");
  EXPECT_EQ(error_in_dictionary("{'descr': '<f8}"), "20: the string has no end");
  EXPECT_EQ(error_in_dictionary("{'kind': 1}"),
            "11: expected the key 'descr', 'fortran_order' or 'shape', found 'kind'");
  EXPECT_EQ(error_in_dictionary("{'fortran_order': 0}"), "28: expected True or False, found '0'");
  EXPECT_EQ(error_in_dictionary("{'fortran_order': True 1}"), "33: expected ',' or '}', found '1'");
  EXPECT_EQ(error_in_dictionary("{'descr': '<f8', 'descr': '<f8'}"), "27: duplicate key 'descr'");
  EXPECT_EQ(error_in_dictionary("{'shape': (), 'shape': ()}"), "24: duplicate key 'shape'");
  EXPECT_EQ(error_in_dictionary("{'fortran_order': True, 'fortran_order': True}"),
            "34: duplicate key 'fortran_order'");
  EXPECT_EQ(error_in_dictionary("{}"), "11: the key 'descr' is missing");
  EXPECT_EQ(error_in_dictionary("{'descr': '<f8'}"), "25: the key 'fortran_order' is missing");
  EXPECT_EQ(error_in_dictionary("{'descr': '<f8', 'fortran_order': True}"),
            "48: the key 'shape' is missing");
  EXPECT_EQ(error_in_dictionary(dictionary("<f8", "()") + " x"),
            "66: expected blanks up to the end of the header, found 'x'");
}

TEST(NpyHeader, NamesWhatIsWrongInTheShape) {
  const auto message = [](const std::string& shape) {
    return error_in_dictionary("{'shape': " + shape + ", 'descr': '<f8', 'fortran_order': False}");
  };
  EXPECT_EQ(message("3"), "20: expected '(', found '3'");
  EXPECT_EQ(message("[3]"), "20: expected '(', found '['");
  EXPECT_EQ(message("(3)"), "22: expected ',', found ')'");
  EXPECT_EQ(message("(3 4)"), "23: expected ',', found '4'");
  EXPECT_EQ(message("(3, 4 5)"), "26: expected ')', found '5'");
  EXPECT_EQ(message("(3, x)"), "24: expected an extent or ')', found 'x'");
  EXPECT_EQ(message("(,)"), "21: expected an extent or ')', found ','");
  EXPECT_EQ(message("(-1,)"), "21: expected an extent of at least 0, found '-1'");
  EXPECT_EQ(message("(9223372036854775808,)"),
            "21: expected an extent below 2^63, found '9223372036854775808'");
  EXPECT_EQ(message("(4294967296, 4294967296)"),
            "20: expected a shape of fewer than 2^63 bytes, found a larger one");
  EXPECT_EQ(message("(1152921504606846976,)"),
            "20: expected a shape of fewer than 2^63 bytes, found a larger one");
  // Items that fit, and the header in front of them does not.
  EXPECT_EQ(message("(1152921504606846960,)"),
            "20: expected a shape of fewer than 2^63 bytes, found a larger one");
  EXPECT_EQ(message("(1.5,)"), "22: expected ',', found '.5'");
}

}  // namespace
}  // namespace monofold::cli
