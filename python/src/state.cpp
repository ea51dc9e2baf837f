#include "python/src/state.hpp"

#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "python/src/gather.hpp"
#include "runtime/c_boundary.hpp"
#include "runtime/reducer.hpp"

namespace monofold::python {

namespace {

std::vector<char> saved_bytes(const monofold_state* held) {
  std::size_t size = 0;
  std::vector<char> bytes(2048);  // of most states; others are saved once more
  check_call(monofold_state_save(held, bytes.data(), bytes.size(), &size));
  const bool had_room = size <= bytes.size();
  bytes.resize(size);
  if (!had_room) check_call(monofold_state_save(held, bytes.data(), bytes.size(), &size));
  return bytes;
}

monofold_state* loaded(const void* bytes, std::size_t size) {
  monofold_state* made = nullptr;
  check_call(monofold_state_load(bytes, size, &made));
  return made;
}

/// Calls when no other thread is at the state; the status, which is one of the data.
template <class Call>
monofold_status call_in_turn(turns& all, const Call& call) {
  monofold_status how = MONOFOLD_OK;
  {
    const hold held(all);
    how = call();
  }
  check_call(how);
  return how;
}

/// (dtype, operations, (nan, plain, ddof, k)) of a state.
nb::tuple to_python(const runtime::request& what) {
  nb::list operations;
  for (const runtime::operation op : what.ops) operations.append(static_cast<int>(op));
  return nb::make_tuple(static_cast<int>(what.type), operations,
                        nb::make_tuple(static_cast<int>(what.nan), what.plain, what.ddof, what.k));
}

}  // namespace

state::state(monofold_dtype dtype, const std::vector<monofold_operation>& operations,
             std::int64_t first_index, const how& options)
    : first_index_(first_index) {
  monofold_state* made = nullptr;
  check_call(monofold_state_create(dtype, operations.data(),
                                   static_cast<std::int32_t>(operations.size()), first_index,
                                   &options.options, &made));
  own_.reset(made);
}

state::handle state::copied() const {
  monofold_state* made = nullptr;
  check_call(monofold_state_copy(own_.get(), &made));
  return handle(made);
}

namespace {

/// Arrays on a device are reduced where they lie, and there is no copying into a buffer.
void check_place(const layout& items, const layout* mask) {
  if (mask != nullptr) mask->check_on_host();
  if (items.place == MONOFOLD_HOST || (mask == nullptr && items.is_packed())) return;
  throw nb::value_error("an array on a device must be packed, and all of it there");
}

monofold_status push_all(monofold_state* to, const layout& items, const layout* mask,
                         signal_watch& watch) {
  if (items.place != MONOFOLD_HOST)
    return monofold_state_push(to, items.data, items.count(), items.place);
  return for_pieces(items, mask, 0, items.count(), watch,
                    [to](const void* piece, std::int64_t count) {
                      return monofold_state_push(to, piece, count, MONOFOLD_HOST);
                    });
}

/// A piece of a push, without what keeps its memory: that is the caller's list.
struct piece {
  layout items;
  std::optional<layout> mask;

  const layout* marks() const { return mask ? &*mask : nullptr; }
};

std::vector<piece> pieces_of(const nb::list& pieces) {
  std::vector<piece> out;
  for (const nb::handle one : pieces) {
    piece next{nb::cast<const array&>(one[0]), std::nullopt};
    if (!one[1].is_none()) next.mask = nb::cast<const array&>(one[1]);
    check_place(next.items, next.marks());
    out.push_back(std::move(next));
  }
  return out;
}

bool is_one_piece(const layout& items) {
  return items.is_packed() && items.count() * items.item_bytes() <= piece_bytes;
}

}  // namespace

bool state::has_room(std::int64_t count) const {
  std::int64_t seen = 0;
  if (monofold_state_count(own_.get(), &seen) != MONOFOLD_OK) return true;  // the push says why
  return count <= std::numeric_limits<std::int64_t>::max() - first_index_ - seen;
}

void state::check_room(std::int64_t count) const {
  if (!has_room(count)) throw std::overflow_error("places of these items pass 2^63 - 1");
}

monofold_state* state::settled() const {
  runtime::c_boundary::settle(own_.get());  // where it fails, calls on the state say why
  return own_.get();
}

state::handle state::copied_with_lock() const {
  const nb::gil_scoped_acquire locked;
  return copied();
}

void state::push(nb::list list) {
  if (list.size() == 1 && list[0][1].is_none()) {
    const array& items = nb::cast<const array&>(list[0][0]);
    if (is_one_piece(items)) return fill(items, nullptr);
  }
  const std::vector<piece> pieces = pieces_of(list);
  std::int64_t count = 0;
  for (const piece& one : pieces) count += one.items.count();
  call_in_turn(busy_, [&] {
    check_room(count);
    handle changed = copied_with_lock();
    signal_watch watch;
    monofold_status how = MONOFOLD_OK;
    for (const piece& one : pieces) {
      if (how == MONOFOLD_OK) how = push_all(changed.get(), one.items, one.marks(), watch);
    }
    if (how == MONOFOLD_OK) own_ = std::move(changed);
    return how;
  });
}

void state::fill(const array& items, const array* mask) {
  check_place(items, mask);
  call_in_turn(busy_, [&] {
    check_room(items.count());
    signal_watch watch;
    return push_all(own_.get(), items, mask, watch);
  });
}

void state::push_pairs(const array& left, const array& right, const array* mask) {
  check_place(left, mask);
  check_place(right, mask);
  if (left.place != right.place) throw nb::value_error("two arrays of a dot lie in one place");
  call_in_turn(busy_, [&] {
    check_room(left.count());
    const bool is_one_call = left.place != MONOFOLD_HOST ||
                             (mask == nullptr && is_one_piece(left) && is_one_piece(right));
    if (is_one_call) {
      return monofold_state_push_pairs(own_.get(), left.data, right.data, left.count(), left.place);
    }
    handle changed = copied_with_lock();
    const monofold_status how =
        for_pairs(left, right, mask, [&](const void* lefts, const void* rights, std::int64_t here) {
          return monofold_state_push_pairs(changed.get(), lefts, rights, here, MONOFOLD_HOST);
        });
    if (how == MONOFOLD_OK) own_ = std::move(changed);
    return how;
  });
}

void state::join(const state& next, join_call* join) {
  // In the order of addresses, so that no two threads wait for each other.
  const bool is_first = std::less<const state*>()(this, &next);
  const brief_hold one(is_first ? busy_ : next.busy_);
  std::optional<brief_hold> other;
  if (this != &next) other.emplace(is_first ? next.busy_ : busy_);
  check_call(join(own_.get(), next.own_.get()));
}

void state::merge(const state& next) { join(next, monofold_state_merge); }
void state::append(const state& next) {
  const std::int64_t count = next.count();
  {
    const brief_hold held(busy_);
    check_room(count);  // which says what is wrong; `join` refuses states that have grown meanwhile
  }
  join(next, monofold_state_append);
}
void state::subtract(const state& part) { join(part, monofold_state_subtract); }

nb::bytes state::save() const {
  std::vector<char> bytes;
  {
    const brief_hold held(busy_);
    bytes = saved_bytes(settled());
  }
  return nb::bytes(bytes.data(), bytes.size());
}

nb::bytes state::digest() const {
  unsigned char receipt[32];
  call_in_turn(busy_, [&] { return monofold_state_digest(settled(), receipt); });
  return nb::bytes(receipt, sizeof receipt);
}

namespace {

/// What a saved state asks for; MalformedState says why there is none.
runtime::reducer saved_reducer_of(const nb::bytes& bytes) {
  try {
    return runtime::reducer::load(
        {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
  } catch (const error& why) {
    if (why.code() != status::malformed_state) throw;
    const nb::object type = nb::module_::import_("monofold._errors").attr("MalformedState");
    PyErr_SetString(type.ptr(), why.what());
    throw nb::python_error();
  }
}

}  // namespace

nb::tuple state::load(nb::bytes bytes) {
  const runtime::reducer same = saved_reducer_of(bytes);
  handle own(loaded(bytes.data(), bytes.size()));
  return nb::make_tuple(std::unique_ptr<state>(new state(std::move(own), same.first_index())),
                        to_python(same.what()));
}

std::unique_ptr<state> state::copy() const {
  const brief_hold held(busy_);
  return std::unique_ptr<state>(new state(copied(), first_index_));
}

std::int64_t state::count() const {
  std::int64_t seen = 0;
  const brief_hold held(busy_);
  check_call(monofold_state_count(own_.get(), &seen));
  return seen;
}

nb::tuple state::answer(std::int32_t position) const {
  monofold_result result{};
  call_in_turn(busy_, [&] { return monofold_state_result(settled(), position, &result); });
  return to_python(result);
}

nb::list state::answers(std::int32_t count) const {
  std::vector<monofold_result> results(static_cast<std::size_t>(count));
  call_in_turn(busy_, [&] {
    const monofold_state* const held = settled();
    for (std::int32_t i = 0; i < count; ++i) {
      const monofold_status how =
          monofold_state_result(held, i, &results[static_cast<std::size_t>(i)]);
      if (how > MONOFOLD_NAN_FOUND) return how;
    }
    return static_cast<monofold_status>(MONOFOLD_OK);
  });
  nb::list all;
  for (const monofold_result& result : results) all.append(to_python(result));
  return all;
}

monofold_status state::answer_into(std::int32_t position, monofold_dtype value_dtype,
                                   std::uintptr_t value, std::uintptr_t second) const {
  return call_in_turn(busy_, [&] {
    return monofold_state_result_into(settled(), position, value_dtype,
                                      reinterpret_cast<void*>(value),
                                      reinterpret_cast<void*>(second), nullptr);
  });
}

nb::tuple state::ranked(std::int32_t position, std::int64_t k) const {
  std::vector<monofold_number> values;
  std::vector<std::int64_t> indices;
  std::int64_t first_nan = -1, seen = 0;
  const monofold_status how = call_in_turn(busy_, [&] {
    if (const auto known = monofold_state_count(own_.get(), &seen); known != MONOFOLD_OK)
      return known;
    // With fewer than k items there is no answer, and nothing is written: a huge k needs no room.
    values.resize(static_cast<std::size_t>(std::min(k, seen + 1)));
    indices.resize(values.size());
    return monofold_state_top(settled(), position, k, values.data(), indices.data(), &first_nan);
  });
  nb::list items, places;
  for (std::size_t i = 0; how == MONOFOLD_OK && i < values.size(); ++i) {
    items.append(to_python(values[i]));
    places.append(indices[i]);
  }
  return nb::make_tuple(how, items, places, first_nan);
}

void bind_state(nb::module_& core) {
  nb::class_<state>(core, "state", "A running reduction.")
      .def(nb::init<monofold_dtype, const std::vector<monofold_operation>&, std::int64_t,
                    const how&>())
      .def("push", &state::push)
      .def("fill", &state::fill, nb::arg("items"), nb::arg("mask").none())
      .def("push_pairs", &state::push_pairs, nb::arg("left"), nb::arg("right"),
           nb::arg("mask").none())
      .def("merge", &state::merge)
      .def("append", &state::append)
      .def("subtract", &state::subtract)
      .def("copy", &state::copy)
      .def_prop_ro("first_index", &state::first_index)
      .def("save", &state::save)
      .def("digest", &state::digest)
      .def_static("load", &state::load)
      .def("count", &state::count)
      .def("answer", &state::answer)
      .def("answer_into", &state::answer_into)
      .def("answers", &state::answers)
      .def("ranked", &state::ranked);
}

}  // namespace monofold::python
