/// runtime/gpu/rows/key_groups: sorts the places of keys, and brings items side by side for the kernels of segments.

#include "runtime/gpu/rows/key_groups.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "monofold/group_by.cuh"
#include "monofold/platform/status.hpp"
#include "monofold/shape/axes.hpp"
#include "monofold/shape/view.hpp"
#include "runtime/gpu/rows/row_library.hpp"
#include "runtime/gpu/rows/row_room.hpp"
#include "runtime/gpu/rows/typed_keys.cuh"
#include "runtime/gpu/rows/widened_items.cuh"

namespace monofold::runtime {

namespace {

template <class T>
using list = monofold::detail::device_list<T>;

/// Brings items of any type side by side.
struct gather_bytes {
  words_from from;
  const std::uint32_t* at;
  void* to;
  std::int32_t bytes;

  MONOFOLD_GPU void operator()(std::int64_t i) const { put_bytes(to, i, from[at[i]], bytes); }
};

/// Keys from their words.
struct decode_words {
  const std::uint64_t* words;
  key_code code;
  void* to;
  std::int32_t bytes;

  MONOFOLD_GPU void operator()(std::int64_t g) const {
    put_bytes(to, g, code.bits_of(words[g]), bytes);
  }
};

/// Where the group at each place of the answer begins and ends.
struct place_groups {
  const std::int64_t* offsets;
  const std::uint32_t* order;
  std::int64_t* starts;
  std::int64_t* stops;

  MONOFOLD_GPU void operator()(std::int64_t p) const {
    const std::int64_t group = order[p];
    starts[p] = offsets[group];
    stops[p] = offsets[group + 1];
  }
};

dtype bits_of_size(std::int32_t bytes) {
  return bytes == 1   ? dtype::uint8
         : bytes == 2 ? dtype::uint16
         : bytes == 4 ? dtype::uint32
                      : dtype::uint64;
}

std::int32_t bytes_of(dtype type) {
  return static_cast<std::int32_t>(monofold::info(type).size_bytes);
}

/// The values that are sorted with the keys are places, which lie in memory.
using place_view = contiguous_view<std::uint32_t>;
using place_sort = monofold::detail::key_sort<typed_keys, place_view>;

class sorted_key_groups final : public key_groups {
 public:
  sorted_key_groups(const device_keys& keys, const monofold::detail::device_stream& on)
      : keys_(keys), on_(on), words_(keys.first, keys.type, keys.count) {
    if (keys.count == 0) return;
    places_ = list<std::uint32_t>(on, keys.count);
    monofold::detail::at_each(on, keys.count, monofold::detail::number_items{places_.data()});
    every_ = place_view(places_.data(), keys.count);
    sort_.emplace(on, words_, every_, keys.order);
    at_ = sort_->items().data();
    if (at_ != places_.data()) places_.give_back();
    const auto& groups = sort_->groups();
    starts_ = groups.offsets.data();
    stops_ = starts_ + 1;
    if (!groups.are_in_order()) put_in_order();
  }

  dtype key_type() const override { return keys_.type; }
  std::int64_t num_items() const override { return keys_.count; }
  std::int64_t count() const override { return sort_ ? sort_->groups().count() : 0; }

  void copy_keys(void* to) const override {
    check_call();
    check_row_memory(to, "the keys' place", on_.device);
    if (count() == 0) return;
    monofold::detail::at_each(
        on_, count(),
        decode_words{sort_->groups().keys.data(), key_code(keys_.type), to, bytes_of(keys_.type)});
  }

  row_failure reduce(const row_question& what, const void* items, const device_row_outputs& out,
                     bool waits) const override {
    check_call();
    if (count() == 0) return {};
    check_row_memory(items, "the array", on_.device);
    const std::int32_t bytes = bytes_of(what.type);
    list<char> moved;
    // One key's items lie as they should.
    const bool is_in_place = at_ == places_.data();
    if (!is_in_place) {
      moved = list<char>(on_, keys_.count * bytes);
      monofold::detail::at_each(
          on_, keys_.count,
          gather_bytes{words_from(items, bits_of_size(bytes)), at_, moved.data(), bytes});
    }
    return start_device_rows(
        what,
        {is_in_place ? items : moved.data(), array_rows{}, keys_.count, starts_, stops_, count()},
        out, on_.stream, waits);
  }

 private:
  /// Segments may stand in any order.
  void put_in_order() {
    const auto& groups = sort_->groups();
    ordered_ = list<std::int64_t>(on_, 2 * groups.count());
    std::int64_t* const starts = ordered_.data();
    std::int64_t* const stops = starts + groups.count();
    monofold::detail::at_each(
        on_, groups.count(),
        place_groups{groups.offsets.data(), groups.order.data(), starts, stops});
    starts_ = starts;
    stops_ = stops;
  }

  void check_call() const {
    check_not_captured(on_.stream);
    int device = 0;
    check_row_call(cudaGetDevice(&device), "cudaGetDevice");
    if (device == on_.device) return;
    throw error(status::invalid_argument, "the keys were grouped on device " +
                                              std::to_string(on_.device) +
                                              "; the current device is " + std::to_string(device));
  }

  device_keys keys_;
  monofold::detail::device_stream on_;
  typed_keys words_;
  list<std::uint32_t> places_;  // 0, 1, 2, ..
  place_view every_{nullptr, 0};
  std::optional<place_sort> sort_;
  const std::uint32_t* at_ = nullptr;  // of the items of the first group, of the second, ..
  list<std::int64_t> ordered_;
  const std::int64_t* starts_ = nullptr;
  const std::int64_t* stops_ = nullptr;
};

}  // namespace

std::unique_ptr<key_groups> group_keys(const device_keys& keys) {
  monofold::detail::device_stream on{static_cast<cudaStream_t>(keys.stream), 0};
  check_not_captured(on.stream);
  check_row_call(cudaGetDevice(&on.device), "cudaGetDevice");
  monofold::detail::throw_if(monofold::detail::check_waitable(on));
  if (keys.count > 0) check_row_memory(keys.first, "the array of keys", on.device);
  return std::make_unique<sorted_key_groups>(keys, on);
}

}  // namespace monofold::runtime
