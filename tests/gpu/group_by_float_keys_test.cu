// Keys that are floats, on a GPU.

#include <limits>
#include <vector>

#include "monofold/monofold.cuh"
#include "tests/gpu/key_types.cuh"
#include "tests/gpu/keyed_items.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::compare_keys;
using gpu_tests::device_array;
using gpu_tests::gpu_group_by;
using gpu_tests::raw_bytes;

TEST_F(gpu_group_by, float_keys_have_one_zero_and_one_nan) {
  compare_keys<float>("float");
  compare_keys<double>("double");
  compare_keys<mf::float16>("float16");
  compare_keys<mf::bfloat16>("bfloat16");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> keys{nan, -0.0f, 1, 0.0f, -nan};
  const device_array<float> there(keys);
  const device_array<double> values(std::vector<double>{1, 2, 4, 8, 16});
  const auto got = mf::group_by(mf::gpu, there.span(0, 5), values.span(0, 5), mf::plain_sum);
  EXPECT_EQ(raw_bytes(got.keys), raw_bytes(std::vector<float>{0.0f, 1, nan}));
  EXPECT_EQ(got.answers, (std::vector<double>{10, 4, 17}));
}

}  // namespace
