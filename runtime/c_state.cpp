/// runtime/c_state: the calls of monofold.h on running states.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "runtime/c_boundary.hpp"
#include "runtime/c_outputs.hpp"
#include "runtime/families.hpp"
#include "runtime/quick_sha256.hpp"
#include "runtime/typed_answers.hpp"

namespace runtime = monofold::runtime;
using monofold::runtime::operation;
using namespace monofold::runtime::c_boundary;  // NOLINT: this file is calls of it

struct monofold_state {
  explicit monofold_state(runtime::reducer made) : reducer(std::move(made)) {}

  const runtime::request& what() const { return reducer.what(); }

  runtime::reducer reducer;
  monofold_status broken = MONOFOLD_OK;  // once a call failed halfway, its status
};

namespace {

/// Looks whether a running state can be used, calls `body`, and remembers a failure halfway.
template <class Body>
monofold_status change(monofold_state* state, const Body& body) {
  if (state == nullptr) return MONOFOLD_INVALID_ARGUMENT;
  if (state->broken != MONOFOLD_OK) return state->broken;
  const monofold_status how = guarded([&]() -> monofold_status {
    body();
    return MONOFOLD_OK;
  });
  if (how == MONOFOLD_OUT_OF_MEMORY || how == MONOFOLD_INTERNAL) state->broken = how;
  return how;
}

/// The answer at `position` of a running state, which is top or bottom, or is not.
runtime::answer answer_of(const monofold_state& state, std::int32_t position, bool ranked,
                          runtime::rounding how = runtime::rounding::native) {
  if (position < 0 || static_cast<std::size_t>(position) >= state.what().ops.size()) refuse();
  if (is_ranked(state.what().ops[static_cast<std::size_t>(position)]) != ranked) refuse();
  return state.reducer.finish_at(static_cast<std::size_t>(position), how);
}

bool find_sum(const monofold_state& state, std::int32_t position, double& found) {
  const auto at = static_cast<std::size_t>(position);
  return at < state.what().ops.size() && state.reducer.find_exact_sum(at, found);
}

/// The bytes of a running state, which for most take no memory.
class saved_bytes {
 public:
  explicit saved_bytes(const runtime::reducer& reducer) : size_(reducer.save_into(few_)) {
    if (size_ == 0) many_ = reducer.save();
  }
  saved_bytes(const saved_bytes&) = delete;
  std::span<const unsigned char> all() const {
    return size_ != 0 ? std::span<const unsigned char>(few_, size_) : many_;
  }

 private:
  unsigned char few_[1024];
  std::size_t size_;
  std::vector<unsigned char> many_;
};

}  // namespace

monofold_status monofold_state_create(monofold_dtype dtype, const monofold_operation* operations,
                                      int32_t num_operations, int64_t first_index,
                                      const monofold_options* options,
                                      monofold_state** state) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::request what = make_request(dtype, operations, num_operations, options);
    if (state == nullptr || first_index < 0) refuse();
    *state = new monofold_state(runtime::reducer(what, first_index));
    return MONOFOLD_OK;
  });
}

void monofold_state_destroy(monofold_state* state) noexcept { delete state; }

monofold_status monofold_state_push(monofold_state* state, const void* items, int64_t count,
                                    monofold_place place) noexcept {
  return change(state, [&] {
    if (state->what().ops.front() == operation::dot) refuse();
    check_items(items, state->what().type, count);
    if (is_on_device(place)) {
      check_device_items(items, count);
      state->reducer.push_device(items, count);
    } else {
      state->reducer.push(items, count);
    }
  });
}

monofold_status monofold_state_push_pairs(monofold_state* state, const void* left,
                                          const void* right, int64_t count,
                                          monofold_place place) noexcept {
  return change(state, [&] {
    if (state->what().ops.front() != operation::dot) refuse();
    check_items(left, state->what().type, count);
    check_items(right, state->what().type, count);
    if (is_on_device(place)) {
      check_device_items(left, count);
      check_device_items(right, count);
      state->reducer.push_device_pairs(left, right, count);
    } else {
      state->reducer.push_pairs(left, right, count);
    }
  });
}

monofold_status monofold_state_merge(monofold_state* state, const monofold_state* next) noexcept {
  if (next != nullptr && next->broken != MONOFOLD_OK) return next->broken;
  return change(state, [&] {
    if (next == nullptr) refuse();
    state->reducer.merge(next->reducer);
  });
}

monofold_status monofold_state_append(monofold_state* state, const monofold_state* next) noexcept {
  if (next != nullptr && next->broken != MONOFOLD_OK) return next->broken;
  return change(state, [&] {
    if (next == nullptr) refuse();
    state->reducer.append(next->reducer);
  });
}

monofold_status monofold_state_subtract(monofold_state* state,
                                        const monofold_state* part) noexcept {
  if (part != nullptr && part->broken != MONOFOLD_OK) return part->broken;
  return change(state, [&] {
    if (part == nullptr) refuse();
    state->reducer.subtract(part->reducer);
  });
}

monofold_status monofold_state_save(const monofold_state* state, void* bytes, size_t capacity,
                                    size_t* num_bytes) noexcept {
  return guarded([&]() -> monofold_status {
    if (state == nullptr || num_bytes == nullptr || (bytes == nullptr && capacity > 0)) refuse();
    if (state->broken != MONOFOLD_OK) return state->broken;
    auto* const out = static_cast<unsigned char*>(bytes);
    const std::size_t written = state->reducer.save_into({out, capacity});
    if (written != 0) {
      *num_bytes = written;
      return MONOFOLD_OK;
    }
    const std::vector<unsigned char> saved = state->reducer.save();
    *num_bytes = saved.size();
    if (saved.size() <= capacity) std::memcpy(bytes, saved.data(), saved.size());
    return MONOFOLD_OK;
  });
}

monofold_status monofold_state_load(const void* bytes, size_t num_bytes,
                                    monofold_state** state) noexcept {
  return guarded([&]() -> monofold_status {
    if (bytes == nullptr || state == nullptr) refuse();
    *state = new monofold_state(
        runtime::reducer::load({static_cast<const unsigned char*>(bytes), num_bytes}));
    return MONOFOLD_OK;
  });
}

monofold_status monofold_state_copy(const monofold_state* state, monofold_state** copy) noexcept {
  return guarded([&]() -> monofold_status {
    if (state == nullptr || copy == nullptr) refuse();
    if (state->broken != MONOFOLD_OK) return state->broken;
    *copy = new monofold_state(state->reducer.copy());
    return MONOFOLD_OK;
  });
}

monofold_status monofold::runtime::c_boundary::settle(monofold_state* state) noexcept {
  if (state == nullptr || state->broken != MONOFOLD_OK) return MONOFOLD_INVALID_ARGUMENT;
  return guarded([&]() -> monofold_status {
    state->reducer.settle();
    return MONOFOLD_OK;
  });
}

monofold_status monofold_state_digest(const monofold_state* state, unsigned char* digest) noexcept {
  return guarded([&]() -> monofold_status {
    if (state == nullptr || digest == nullptr) refuse();
    if (state->broken != MONOFOLD_OK) return state->broken;
    if (state->reducer.depends_on_tree()) return MONOFOLD_UNSUPPORTED;
    const monofold::sha256_digest made =
        runtime::quick_sha256_of(saved_bytes(state->reducer).all());
    std::copy(made.begin(), made.end(), digest);
    return MONOFOLD_OK;
  });
}

monofold_status monofold_state_equal(const monofold_state* left, const monofold_state* right,
                                     int32_t* equal) noexcept {
  return guarded([&]() -> monofold_status {
    if (left == nullptr || right == nullptr || equal == nullptr) refuse();
    if (left->broken != MONOFOLD_OK) return left->broken;
    if (right->broken != MONOFOLD_OK) return right->broken;
    const saved_bytes one(left->reducer), other(right->reducer);
    const auto all = one.all(), others = other.all();
    *equal = std::equal(all.begin(), all.end(), others.begin(), others.end()) ? 1 : 0;
    return MONOFOLD_OK;
  });
}

monofold_status monofold_state_count(const monofold_state* state, int64_t* count) noexcept {
  return guarded([&]() -> monofold_status {
    if (state == nullptr || count == nullptr) refuse();
    if (state->broken != MONOFOLD_OK) return state->broken;
    *count = state->reducer.count();
    return MONOFOLD_OK;
  });
}

monofold_status monofold_state_result(const monofold_state* state, int32_t position,
                                      monofold_result* result) noexcept {
  return guarded([&]() -> monofold_status {
    if (state == nullptr || result == nullptr) refuse();
    if (state->broken != MONOFOLD_OK) return state->broken;
    if (double sum = 0; position >= 0 && find_sum(*state, position, sum)) {
      *result = {MONOFOLD_OK, to_c(runtime::number(sum)), no_number(), -1, -1};
      return MONOFOLD_OK;
    }
    *result = to_c(answer_of(*state, position, false));
    return result->status;
  });
}

monofold_status monofold_state_top(const monofold_state* state, int32_t position, int64_t capacity,
                                   monofold_number* values, int64_t* indices,
                                   int64_t* first_nan) noexcept {
  return guarded([&]() -> monofold_status {
    if (state == nullptr || values == nullptr || indices == nullptr) refuse();
    if (state->what().k > capacity) refuse();
    if (state->broken != MONOFOLD_OK) return state->broken;
    return write_ranked(answer_of(*state, position, true), values, indices, first_nan);
  });
}

monofold_status monofold_state_result_into(const monofold_state* state, int32_t position,
                                           monofold_dtype value_dtype, void* value, void* second,
                                           int64_t* index) noexcept {
  return guarded([&]() -> monofold_status {
    if (state == nullptr || position < 0) refuse();
    const auto at = static_cast<std::size_t>(position);
    if (at >= state->what().ops.size()) refuse();
    if (state->broken != MONOFOLD_OK) return state->broken;
    const operation op = state->what().ops[at];
    const runtime::typed_arrays out =
        arrays_for(state->what(), op, value_dtype, value, second, index, 1);
    const runtime::answer found =
        answer_of(*state, position, false, runtime::rounding_for(out.type));
    return static_cast<monofold_status>(runtime::store_typed(out, 0, found));
  });
}
