// Rows, columns and segments in memory of a device: each call writes the bytes that the processor's writes. On the
// emulated device where there is no GPU.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "monofold/monofold.h"
#include "runtime/gpu/devices.hpp"
#include "runtime/gpu/load_device_library.hpp"
#include "runtime/gpu/rows/row_library.hpp"
#include "tests/runtime/hard_items.hpp"

namespace {

namespace mf = monofold;
using hard_items::pattern;
using mf::runtime::device_kind;

class device_rows : public testing::Test {
 protected:
  void SetUp() override {
    if (!mf::runtime::find_devices(device_kind::gpu).devices.empty()) return;
    if (mf::runtime::find_devices(device_kind::emulated).devices.empty()) GTEST_SKIP();
    mf::runtime::use_devices(device_kind::emulated);
  }
  void TearDown() override { mf::runtime::use_devices(device_kind::gpu); }
};

using bytes = std::vector<unsigned char>;

/// A copy in device memory.
class device_copy {
 public:
  explicit device_copy(const bytes& from) : size_(from.size()) {
    if (from.empty()) return;
    memory_ = mf::runtime::make_device_memory(static_cast<std::int64_t>(size_));
    mf::runtime::copy_from_device(memory_.get(), from.data(), static_cast<std::int64_t>(size_));
  }
  bytes back() const {
    bytes out(size_);
    if (size_ > 0) {
      mf::runtime::copy_from_device(out.data(), memory_.get(), static_cast<std::int64_t>(size_));
    }
    return out;
  }
  template <class T = char>
  T* at(std::int64_t first = 0) const {
    return static_cast<T*>(memory_.get()) + first;
  }

 private:
  std::size_t size_;
  std::shared_ptr<void> memory_;
};

template <class T>
bytes bytes_of(const std::vector<T>& items) {
  const auto* const first = reinterpret_cast<const unsigned char*>(items.data());
  return {first, first + items.size() * sizeof(T)};
}

struct question {
  monofold_operation op;
  monofold_dtype type;
  monofold_dtype to;
  monofold_options options;

  std::string text() const {
    return std::string(mf::runtime::info(static_cast<mf::runtime::operation>(op)).name) + " of " +
           std::string(mf::info(static_cast<mf::dtype>(type)).name) + " as " +
           std::string(mf::info(static_cast<mf::dtype>(to)).name) + ", nan " +
           std::to_string(options.nan) + (options.plain != 0 ? ", plain" : "");
  }
};

/// What a call leaves.
struct outcome {
  monofold_status status = -1;
  std::int64_t failed = -2;
  bytes values, seconds, indices;
};

void expect_same(const outcome& want, const outcome& got, const std::string& where) {
  EXPECT_EQ(want.status, got.status) << where;
  EXPECT_EQ(want.failed, got.failed) << where;
  EXPECT_EQ(want.values, got.values) << where;
  EXPECT_EQ(want.seconds, got.seconds) << where;
  EXPECT_EQ(want.indices, got.indices) << where;
}

/// Answers of so many rows by call(values, seconds, indices, failed), in memory that is 0x55 before.
template <class Call>
outcome on_host(const question& what, std::int64_t rows, const Call& call) {
  outcome out;
  const auto width = static_cast<std::size_t>(mf::info(static_cast<mf::dtype>(what.to)).size_bytes);
  out.values.assign(static_cast<std::size_t>(rows) * width, 0x55);
  out.seconds = out.values;
  out.indices.assign(static_cast<std::size_t>(rows) * 8, 0x55);
  out.status = call(out.values.data(), out.seconds.data(),
                    reinterpret_cast<std::int64_t*>(out.indices.data()), &out.failed);
  return out;
}
template <class Call>
outcome on_device(const question& what, std::int64_t rows, const Call& call) {
  outcome out = on_host(what, rows, [](auto...) { return MONOFOLD_OK; });
  const device_copy values(out.values), seconds(out.seconds), indices(out.indices);
  out.status = call(values.at<>(), seconds.at<>(), indices.at<std::int64_t>(), &out.failed);
  out.values = values.back();
  out.seconds = seconds.back();
  out.indices = indices.back();
  return out;
}

/// Where rows are in some items: the view begins at item `first`.
struct shape {
  std::vector<std::int64_t> extents, strides, axes;
  std::int64_t first;
};

void compare_rows(const question& what, const bytes& items, const shape& how) {
  const std::int64_t at = how.first * mf::info(static_cast<mf::dtype>(what.type)).size_bytes;
  const device_copy copy(items);
  std::int64_t rows = 1;
  for (std::size_t k = 0; k < how.extents.size(); ++k) {
    bool is_kept = true;
    for (const std::int64_t axis : how.axes) is_kept &= axis != static_cast<std::int64_t>(k);
    if (is_kept) rows *= how.extents[k];
  }
  const auto rank = static_cast<std::int32_t>(how.extents.size());
  const auto num_axes = static_cast<std::int32_t>(how.axes.size());
  const outcome want = on_host(what, rows, [&](auto... out) {
    return std::apply(
        [&](void* values, void* seconds, std::int64_t* indices, std::int64_t* failed) {
          return monofold_reduce_axis_into(items.data() + at, what.type, rank, how.extents.data(),
                                           how.strides.data(), how.axes.data(), num_axes, what.op,
                                           &what.options, what.to, values, seconds, indices, rows,
                                           failed);
        },
        std::tuple(out...));
  });
  const outcome got = on_device(
      what, rows, [&](void* values, void* seconds, std::int64_t* indices, std::int64_t* failed) {
        return monofold_reduce_axis_on_device(copy.at() + at, what.type, rank, how.extents.data(),
                                              how.strides.data(), how.axes.data(), num_axes,
                                              what.op, &what.options, what.to, values, seconds,
                                              indices, rows, nullptr, failed);
      });
  std::string where = what.text() + ", extents";
  for (const std::int64_t extent : how.extents) where += ' ' + std::to_string(extent);
  expect_same(want, got, where + ", axis " + std::to_string(how.axes.front()));
}

/// Every operation that kernels have for a type, and every type of answers, under each rule for NaN.
std::vector<question> questions_of(mf::dtype type) {
  const bool is_floating = mf::info(type).is_floating;
  std::vector<question> out;
  for (const auto& entry : mf::runtime::operations) {
    for (const monofold_nan_policy nan :
         {MONOFOLD_NAN_PROPAGATE, MONOFOLD_NAN_OMIT, MONOFOLD_NAN_RAISE}) {
      for (const int plain : {0, 1}) {
        if (!is_floating && (nan != MONOFOLD_NAN_PROPAGATE || plain != 0)) continue;
        for (int to = 0; to <= static_cast<int>(mf::dtype::float64); ++to) {
          monofold_options options = MONOFOLD_OPTIONS_INIT;
          options.nan = nan;
          options.plain = plain;
          options.ddof = 1;
          const mf::runtime::row_question asked{entry.op,
                                                type,
                                                static_cast<mf::dtype>(to),
                                                nan == MONOFOLD_NAN_OMIT,
                                                nan == MONOFOLD_NAN_RAISE,
                                                plain != 0,
                                                1};
          monofold_dtype native = -1;
          const auto op = static_cast<monofold_operation>(entry.op);
          if (!mf::runtime::has_device_rows(asked) ||
              monofold_answer_dtype(op, static_cast<monofold_dtype>(type), &options, &native) !=
                  MONOFOLD_OK) {
            continue;
          }
          if (mf::info(static_cast<mf::dtype>(native)).is_floating &&
              !mf::info(static_cast<mf::dtype>(to)).is_floating) {
            continue;
          }
          out.push_back({op, static_cast<monofold_dtype>(type), to, options});
        }
      }
    }
  }
  return out;
}

bool is_native(const question& what) {
  monofold_dtype native = -1;
  monofold_answer_dtype(what.op, what.type, &what.options, &native);
  return what.to == native || what.to == what.type;
}

template <class Item>
void compare_type(mf::dtype type, const std::vector<pattern>& patterns) {
  const std::vector<question> all = questions_of(type);
  ASSERT_GE(all.size(), 10u) << mf::info(type).name;
  for (const pattern kind : patterns) {
    const hard_items::sequence<Item> made(kind, 2400, 7);
    const bytes items = bytes_of(std::vector<Item>(made.items().begin(), made.items().end()));
    for (const question& what : all) {
      const bool is_plain_rule = what.options.nan == MONOFOLD_NAN_PROPAGATE;
      if (!is_native(what) && (kind > pattern::wide || !is_plain_rule)) continue;
      compare_rows(what, items, {{11, 70}, {73, 1}, {1}, 1});
      if (!is_native(what) || (kind > pattern::wide && !is_plain_rule)) continue;
      compare_rows(what, items, {{40, 37}, {37, 1}, {0}, 0});
      compare_rows(what, items, {{3, 19, 5}, {95, 5, 1}, {1}, 2});
    }
  }
}

const std::vector<pattern> integer_patterns{pattern::ordinary, pattern::ties, pattern::zero};
const std::vector<pattern> float_patterns{pattern::ordinary,   pattern::wide,
                                          pattern::zero,       pattern::subnormal,
                                          pattern::nan_inside, pattern::both_infinities,
                                          pattern::only_nan};

TEST_F(device_rows, signed_integers) {
  compare_type<std::int8_t>(mf::dtype::int8, integer_patterns);
  compare_type<std::int16_t>(mf::dtype::int16, integer_patterns);
  compare_type<std::int32_t>(mf::dtype::int32, integer_patterns);
  compare_type<std::int64_t>(mf::dtype::int64, integer_patterns);
}

TEST_F(device_rows, unsigned_integers) {
  compare_type<std::uint8_t>(mf::dtype::uint8, integer_patterns);
  compare_type<std::uint16_t>(mf::dtype::uint16, integer_patterns);
  compare_type<std::uint32_t>(mf::dtype::uint32, integer_patterns);
  compare_type<std::uint64_t>(mf::dtype::uint64, integer_patterns);
}

TEST_F(device_rows, halves) {
  const std::vector<pattern> some{pattern::ordinary, pattern::wide, pattern::nan_inside};
  compare_type<mf::float16>(mf::dtype::float16, some);
  compare_type<mf::bfloat16>(mf::dtype::bfloat16, some);
}

TEST_F(device_rows, floats) { compare_type<float>(mf::dtype::float32, float_patterns); }

TEST_F(device_rows, doubles) { compare_type<double>(mf::dtype::float64, float_patterns); }

/// Rows longer than a tile: few, many, and as columns.
template <class Item>
void compare_long(mf::dtype type) {
  const hard_items::sequence<Item> made(pattern::ordinary, 40000, 3);
  const bytes items = bytes_of(std::vector<Item>(made.items().begin(), made.items().end()));
  for (const question& what : questions_of(type)) {
    if (!is_native(what) || what.options.nan != MONOFOLD_NAN_PROPAGATE) continue;
    compare_rows(what, items, {{2, 19999}, {20000, 1}, {1}, 1});
    compare_rows(what, items, {{5000, 2}, {2, 1}, {0}, 0});
  }
}

TEST_F(device_rows, long_ones) {
  compare_long<std::int32_t>(mf::dtype::int32);
  compare_long<float>(mf::dtype::float32);
}

TEST_F(device_rows, of_no_items) {
  for (const question& what : questions_of(mf::dtype::float32)) {
    compare_rows(what, bytes(64), {{3, 0}, {1, 1}, {1}, 0});
    compare_rows(what, bytes(64), {{1, 4}, {4, 1}, {0}, 0});
    compare_rows(what, bytes(64), {{0, 4}, {4, 1}, {1}, 0});
  }
}

void compare_segments(const question& what, const bytes& items, std::int64_t count,
                      const std::vector<std::int64_t>& starts,
                      const std::vector<std::int64_t>& stops) {
  const device_copy copy(items), from(bytes_of(starts)), to(bytes_of(stops));
  const std::int64_t segments = std::ssize(starts);
  const outcome want =
      on_host(what, segments,
              [&](void* values, void* seconds, std::int64_t* indices, std::int64_t* failed) {
                return monofold_reduce_segments(items.data(), what.type, count, starts.data(),
                                                stops.data(), segments, what.op, &what.options,
                                                what.to, values, seconds, indices, failed);
              });
  const outcome got = on_device(
      what, segments,
      [&](void* values, void* seconds, std::int64_t* indices, std::int64_t* failed) {
        return monofold_reduce_segments_on_device(
            copy.at(), what.type, count, from.at<std::int64_t>(), to.at<std::int64_t>(), segments,
            what.op, &what.options, what.to, values, seconds, indices, nullptr, failed);
      });
  if (want.status == MONOFOLD_INVALID_ARGUMENT) {
    EXPECT_EQ(got.status, want.status);
    EXPECT_EQ(got.failed, want.failed);
    return;
  }
  expect_same(want, got, what.text() + ", segments");
}

TEST_F(device_rows, segments) {
  const hard_items::sequence<double> made(pattern::ordinary, 9000, 5);
  const bytes items = bytes_of(std::vector<double>(made.items().begin(), made.items().end()));
  std::vector<std::int64_t> starts, stops;
  for (std::int64_t at = 0; std::ssize(starts) < 100; at += std::ssize(starts) % 9) {
    starts.push_back(at);
    stops.push_back(at + std::ssize(starts) % 9);
  }
  starts.push_back(3);
  stops.push_back(8999);
  std::vector<std::int64_t> bad = stops;
  bad[40] = starts[40] - 1;
  bad[70] = 9001;
  for (const question& what : questions_of(mf::dtype::float64)) {
    if (!is_native(what)) continue;
    compare_segments(what, items, 9000, starts, stops);
    if (what.options.nan != MONOFOLD_NAN_PROPAGATE) continue;
    compare_segments(what, items, 9000, {1, 0}, {900, 8999});
    compare_segments(what, items, 9000, starts, bad);
  }
}

TEST_F(device_rows, wrong_use) {
  const device_copy items(bytes(4096)), out(bytes(4096));
  const std::int64_t extents[] = {4, 8, 4};
  std::int64_t failed = -2;
  const auto call = [&](const void* from, std::int64_t axis, std::int32_t num_axes,
                        monofold_operation op, monofold_dtype to) {
    const std::int64_t axes[] = {axis, 2};
    return monofold_reduce_axis_on_device(from, MONOFOLD_FLOAT32, 3, extents, nullptr, axes,
                                          num_axes, op, nullptr, to, out.at(), nullptr,
                                          out.at<std::int64_t>(), 128, nullptr, &failed);
  };
  const bytes host(4096);
  EXPECT_EQ(call(items.at(), 0, 1, MONOFOLD_SUM, MONOFOLD_FLOAT32), MONOFOLD_OK);
  EXPECT_EQ(failed, -1);
  EXPECT_EQ(call(host.data(), 0, 1, MONOFOLD_SUM, MONOFOLD_FLOAT32), MONOFOLD_INVALID_ARGUMENT);
  if (mf::runtime::find_gpus().devices.size() > 1) {
    const auto other = [] {
      const mf::runtime::gpu_in_use there(1);
      return device_copy(bytes(4096));
    }();
    EXPECT_EQ(call(other.at(), 0, 1, MONOFOLD_SUM, MONOFOLD_FLOAT32), MONOFOLD_INVALID_ARGUMENT);
    const mf::runtime::gpu_in_use there(1);
    EXPECT_EQ(call(items.at(), 0, 1, MONOFOLD_SUM, MONOFOLD_FLOAT32), MONOFOLD_INVALID_ARGUMENT);
  }
  EXPECT_EQ(call(items.at(), 3, 1, MONOFOLD_SUM, MONOFOLD_FLOAT32), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(call(items.at(), 1, 2, MONOFOLD_SUM, MONOFOLD_FLOAT32), MONOFOLD_OK);
  EXPECT_EQ(call(items.at(), 0, 2, MONOFOLD_SUM, MONOFOLD_FLOAT32), MONOFOLD_UNSUPPORTED);
  EXPECT_EQ(call(items.at(), 0, 1, MONOFOLD_PROD, MONOFOLD_FLOAT32), MONOFOLD_UNSUPPORTED);
  EXPECT_EQ(call(items.at(), 0, 1, MONOFOLD_MIN, MONOFOLD_FLOAT64), MONOFOLD_UNSUPPORTED);
  EXPECT_EQ(call(items.at(), 0, 1, MONOFOLD_SUM, MONOFOLD_INT64), MONOFOLD_UNSUPPORTED);
}

}  // namespace
