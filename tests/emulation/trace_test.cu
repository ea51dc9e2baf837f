// A recording as JSON and as a page.

#include "trace/trace.hpp"

#include <cstring>

#include "tests/emulation/planted.cuh"
#include "trace/json_text.hpp"
#include "trace/traffic.hpp"

namespace {

using emulation_tests::numbers;
using monofold::emulation::warp_step;
namespace trace = monofold::trace;

TEST(trace_json, series_of_numbers) {
  EXPECT_EQ(trace::series({}), "");
  EXPECT_EQ(trace::series({7}), "7");
  EXPECT_EQ(trace::series({0, 1, 2, 3}), "0-3");
  EXPECT_EQ(trace::series({0, 2, 4, 9}), "0-4/2,9");
  EXPECT_EQ(trace::series({5, 5, 5, 5, 1, 0}), "5*4,1,0");
  EXPECT_EQ(trace::series({3, 4}), "3,4");
}

TEST(trace_json, strings_cannot_end_a_script) {
  EXPECT_EQ(trace::quote("a \"b\"\\\n</script>"), "\"a \\\"b\\\"\\\\\\n\\u003c/script>\"");
}

TEST(trace_json, strings_are_utf_8) {
  EXPECT_EQ(trace::quote("\u00fc \u20ac \U0001f600 \x7f"), "\"\u00fc \u20ac \U0001f600 \x7f\"");
  // Latin-1, a character that ends too soon, one by too many bytes, half a pair, one behind the last.
  for (const char* const wrong :
       {"\xfc", "\xe2\x82", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    std::string want = "\"a";
    for (std::size_t i = 0; i < std::strlen(wrong); ++i) want += "\\ufffd";
    EXPECT_EQ(trace::quote("a" + std::string(wrong) + "z"), want + "z\"");
  }
}

warp_step access_of(std::size_t bytes, std::size_t stride, int lanes) {
  warp_step out;
  out.bytes = bytes;
  for (int lane = 0; lane < lanes; ++lane) {
    out.lanes.push_back({lane, static_cast<std::size_t>(lane) * stride, -1, {}});
  }
  return out;
}

TEST(trace_traffic, sectors_and_banks) {
  EXPECT_EQ(trace::sectors_of(access_of(4, 4, 32)), 4);
  EXPECT_EQ(trace::sectors_of(access_of(4, 32, 32)), 32);
  EXPECT_EQ(trace::sectors_of(access_of(16, 16, 32)), 16);
  EXPECT_EQ(trace::sectors_of(access_of(4, 0, 32)), 1);
  EXPECT_EQ(trace::bank_conflicts_of(access_of(4, 4, 32)), 0);
  EXPECT_EQ(trace::bank_conflicts_of(access_of(4, 8, 32)), 1);
  EXPECT_EQ(trace::bank_conflicts_of(access_of(4, 128, 32)), 31);
  EXPECT_EQ(trace::bank_conflicts_of(access_of(4, 0, 32)), 0);   // one word for all
  EXPECT_EQ(trace::bank_conflicts_of(access_of(8, 8, 32)), 0);   // two phases of 16 lanes
  EXPECT_EQ(trace::bank_conflicts_of(access_of(8, 16, 32)), 2);  // one more for each
  EXPECT_EQ(trace::bank_conflicts_of(access_of(16, 16, 32)), 0);
}

__global__ void double_kernel(int* data) { data[threadIdx.x] *= 2; }

TEST(trace_page, holds_the_recording) {
  const numbers data(32);
  trace::tracer tracer;
  tracer.name(data.data(), 32, "data </script>");
  ASSERT_EQ(emulation_tests::start({1, 32}, double_kernel, data.data()), cudaSuccess);
  trace::run_facts facts;
  facts.name = "double";
  const std::string document = trace::document({tracer.json(facts)});
  EXPECT_NE(document.find("\"k\":\"read\",\"b\":0,\"w\":0"), std::string::npos);
  EXPECT_NE(document.find("\"cells\":\"0-31\""), std::string::npos);
  // The kernel's line, though its folder is called like the device's.
  EXPECT_NE(document.find("\"file\":\"trace_test.cu\""), std::string::npos);
  EXPECT_NE(document.find("data[threadIdx.x] *= 2;"), std::string::npos);
  const std::string page = trace::page(document, "double & more");
  EXPECT_NE(page.find("<title>double &amp; more</title>"), std::string::npos);
  EXPECT_NE(page.find(document), std::string::npos);
  EXPECT_EQ(page.find("data </script>"), std::string::npos);
  EXPECT_EQ(page.find("http"), page.find("http://www.w3.org/2000/svg"));  // a name, not an address
  EXPECT_LT(page.size(), 100'000u);
}

}  // namespace
