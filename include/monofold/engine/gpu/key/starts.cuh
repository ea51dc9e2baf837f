#pragma once
/// engine/gpu/key/starts: where the runs of equal keys begin, on a GPU.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

#if !defined(MONOFOLD_EMULATED)
#include <cub/device/device_select.cuh>
#endif

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/key/at_each.cuh"
#include "monofold/engine/gpu/key/memory.cuh"
#include "monofold/engine/gpu/key/words.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Whether a run begins at a place.
template <class View>
struct begins_run {
  View keys;

  MONOFOLD_HD bool operator()(std::int64_t i) const {
    return i == 0 || word_at(keys, i - 1) != word_at(keys, i);
  }
};

struct count_true {
  using state = std::int64_t;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_HD state lift(bool own, std::int64_t) const { return own ? 1 : 0; }
  MONOFOLD_HD state combine(state l, state r) const { return l + r; }
  MONOFOLD_HD state identity() const { return 0; }
};

#if defined(MONOFOLD_EMULATED)
template <class Flag>
struct place_all {
  Flag is_one;
  std::int64_t count;
  std::int64_t* to;

  void operator()(std::int64_t) const {
    std::int64_t* next = to;
    for (std::int64_t i = 0; i < count; ++i) {
      if (is_one(i)) *next++ = i;
    }
  }
};
#else
/// Points to 0, 1, 2, ...
class place_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::int64_t;
  using difference_type = std::int64_t;
  using pointer = const std::int64_t*;
  using reference = std::int64_t;

  MONOFOLD_HD explicit place_iterator(std::int64_t at) : at_(at) {}
  MONOFOLD_HD std::int64_t operator*() const { return at_; }
  MONOFOLD_HD std::int64_t operator[](std::int64_t i) const { return at_ + i; }
  MONOFOLD_HD place_iterator operator+(std::int64_t i) const { return place_iterator(at_ + i); }
  MONOFOLD_HD place_iterator& operator+=(std::int64_t i) {
    at_ += i;
    return *this;
  }

 private:
  std::int64_t at_;
};
#endif

/// Leaves the places below `count` of which `is_one` is true, in ascending order.
///
/// shape      out: device memory for as many as there are
/// sync       does not wait
/// errors     throws `error`: out_of_memory
/// cost       one pass
/// tested by  tests/gpu/group_by_sums_test.cu
template <class Flag>
void place_true(const device_stream& on, const Flag& is_one, std::int64_t count,
                std::int64_t* out) {
#if defined(MONOFOLD_EMULATED)
  at_each(on, 1, place_all<Flag>{is_one, count, out});
#else
  const device_list<std::int64_t> found(on, 1);
  const auto select = [&](void* scratch, std::size_t& bytes) {
    throw_if(failure_of(cub::DeviceSelect::If(scratch, bytes, place_iterator(0), out, found.data(),
                                              count, is_one, on.stream),
                        "cub::DeviceSelect::If"));
  };
  std::size_t bytes = 0;
  select(nullptr, bytes);
  const device_list<char> scratch(on, static_cast<std::int64_t>(bytes));
  select(scratch.data(), bytes);
#endif
}

/// Where the runs of equal keys begin, with room for the end behind them.
///
/// sync       waits for their number
/// cost       two passes over the keys; 8 bytes a run
template <class View>
device_list<std::int64_t> starts_of_runs(const device_stream& on, const View& keys) {
  const begins_run<View> begins{keys};
  const std::int64_t count = wait_for_state(on, count_true{}, generate(keys.size(), begins));
  device_list<std::int64_t> out(on, count + 1);
  place_true(on, begins, keys.size(), out.data());
  return out;
}

}  // namespace monofold::detail
