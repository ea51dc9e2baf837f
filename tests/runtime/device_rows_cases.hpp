#pragma once
/// tests/runtime/device_rows_cases: calls on rows in memory of a device, beside those of the processor. On the emulated
/// device where there is no GPU.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "monofold/monofold.h"
#include "runtime/gpu/devices.hpp"
#include "runtime/gpu/load_device_library.hpp"
#include "runtime/gpu/rows/row_library.hpp"
#include "tests/inputs/random.hpp"

namespace device_row_cases {

namespace mf = monofold;
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

/// Whether a test asks its next question: on a GPU each, on the emulated device one in `every`, the same ones each time.
inline bool is_next_asked(unsigned every) {
  static const bool has_gpu = !mf::runtime::find_devices(device_kind::gpu).devices.empty();
  static std::uint64_t asked = 0;
  return has_gpu || inputs::mixed(asked++) % every == 0;
}

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
bytes bytes_of(std::span<const T> items) {
  const auto* const first = reinterpret_cast<const unsigned char*>(items.data());
  return {first, first + items.size_bytes()};
}
template <class T>
bytes bytes_of(const std::vector<T>& items) {
  return bytes_of(std::span<const T>(items));
}

struct question {
  monofold_operation op;
  monofold_dtype type;
  monofold_dtype to;
  monofold_options options;

  /// That an answer has.
  std::int64_t numbers() const {
    return op == MONOFOLD_TOP || op == MONOFOLD_BOTTOM ? options.k : 1;
  }
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

inline void expect_same(const outcome& want, const outcome& got, const std::string& where) {
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
  const auto answers = static_cast<std::size_t>(rows * what.numbers());
  out.values.assign(answers * width, 0x55);
  out.seconds = out.values;
  out.indices.assign(answers * 8, 0x55);
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

/// `with_places`: the places of extrema are asked for too, for which there are other kernels.
inline void compare_rows(const question& what, const bytes& items, const shape& how,
                         bool with_places) {
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
                                           &what.options, what.to, values, seconds,
                                           with_places ? indices : nullptr, rows, failed);
        },
        std::tuple(out...));
  });
  const outcome got = on_device(
      what, rows, [&](void* values, void* seconds, std::int64_t* indices, std::int64_t* failed) {
        return monofold_reduce_axis_on_device(
            copy.at() + at, what.type, rank, how.extents.data(), how.strides.data(),
            how.axes.data(), num_axes, what.op, &what.options, what.to, values, seconds,
            with_places ? indices : nullptr, rows, nullptr, failed);
      });
  std::string where = what.text() + ", extents";
  for (const std::int64_t extent : how.extents) where += ' ' + std::to_string(extent);
  expect_same(want, got, where + ", axis " + std::to_string(how.axes.front()));
}

inline void compare_rows(const question& what, const bytes& items, const shape& how) {
  compare_rows(what, items, how, true);
  if (what.op == MONOFOLD_MIN || what.op == MONOFOLD_MAX) compare_rows(what, items, how, false);
}

/// Every operation that kernels have for a type, and every type of answers, under each rule for NaN.
inline std::vector<question> questions_of(mf::dtype type) {
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
          options.k = 3;
          const mf::runtime::row_question asked{entry.op,
                                                type,
                                                static_cast<mf::dtype>(to),
                                                nan == MONOFOLD_NAN_OMIT,
                                                nan == MONOFOLD_NAN_RAISE,
                                                plain != 0,
                                                1,
                                                3};
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

inline bool is_native(const question& what) {
  monofold_dtype native = -1;
  monofold_answer_dtype(what.op, what.type, &what.options, &native);
  return what.to == native || what.to == what.type;
}

/// Operations that have more than one type of items to a kernel, or sums that are not of the items themselves.
inline bool is_rare(const question& what) {
  using enum mf::runtime::operation;
  switch (static_cast<mf::runtime::operation>(what.op)) {
    case var:
    case std:
    case norm1:
    case norm2:
    case mean_square:
    case norminf:
    case prod:
    case bit_and:
    case bit_or:
    case bit_xor:
    case top:
    case bottom:
    case count: return is_native(what);
    default: return false;
  }
}

}  // namespace device_row_cases
