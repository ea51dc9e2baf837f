#include "python/src/row_states.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "python/src/answers.hpp"
#include "python/src/array.hpp"
#include "python/src/gather.hpp"
#include "python/src/packed_states.hpp"
#include "python/src/turned_rows.hpp"
#include "runtime/any_engine.hpp"
#include "runtime/c_boundary.hpp"
#include "runtime/families.hpp"
#include "runtime/request_rules.hpp"
#include "runtime/typed_answers.hpp"

namespace monofold::python {

namespace {

using numbers = std::vector<std::int64_t>;

/// Calls without the interpreter's lock; what the library throws becomes Python's exception.
template <class Call>
auto call_unlocked(const Call& call) {
  auto code = status::ok;
  try {
    const nb::gil_scoped_release released;
    return call();
  } catch (const error& why) {
    code = why.code();
  }
  check_call(static_cast<monofold_status>(code));
  throw std::runtime_error("no status");
}

nb::bytes to_python(const std::vector<unsigned char>& bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}

std::span<const unsigned char> span_of(const nb::bytes& bytes) {
  return {static_cast<const unsigned char*>(bytes.data()), bytes.size()};
}

/// Folds the rows of a block, one by one on this thread: schedulers give threads blocks of their own.
class row_folder {
 public:
  row_folder(const runtime::request& what, std::int64_t first_index)
      : by_(what), engine_(by_.members, work_, 1, false, gpus_), first_index_(first_index) {}

  std::vector<unsigned char> fold(const layout& left, const layout* right, const layout* mask,
                                  const turned_rows& rows) const {
    if ((right != nullptr) != (by_.wanted.ops.front() == runtime::operation::dot))
      throw error(status::invalid_argument, "pairs are for dot");
    if (runtime::depends_on_tree(by_.wanted))
      throw error(status::unsupported, "states of parts of rows");
    states_packer out(by_, rows.num_rows);
    const std::int64_t row_bytes = std::max<std::int64_t>(rows.row_items * left.item_bytes(), 1);
    const std::int64_t at_once =
        std::min(rows_at_once(row_bytes), std::max<std::int64_t>(rows.num_rows, 1));
    side_by_side_rows lefts(left, rows, at_once);
    std::optional<side_by_side_rows> rights, marks;
    if (right != nullptr) rights.emplace(*right, rows, at_once);
    if (mask != nullptr) marks.emplace(*mask, rows, at_once);
    if (by_.members.empty() && mask == nullptr) return counts(out, rows);
    kept_items kept(left.item_bytes(), mask != nullptr ? rows.row_items : 0);
    signal_watch watch;
    for (std::int64_t first = 0; first < rows.num_rows; first += at_once) {
      const std::int64_t count = std::min(at_once, rows.num_rows - first);
      const char* const some = lefts.at(first, count);
      const char* const pairs = rights ? rights->at(first, count) : nullptr;
      const char* const mark = marks ? marks->at(first, count) : nullptr;
      for (std::int64_t row = 0; row < count; ++row) {
        const char* const here = some + row * lefts.pitch_bytes();
        const char* const there = rights ? pairs + row * rights->pitch_bytes() : nullptr;
        out.put(marks ? kept.state(*this, here, there, mark + row * marks->pitch_bytes())
                      : state(here, there, rows.row_items));
      }
      watch.passed(count * row_bytes);
    }
    return out.sealed();
  }

 private:
  /// Rows without the items that are not marked.
  struct kept_items {
    kept_items(std::int64_t item_bytes, std::int64_t row_items)
        : bytes(item_bytes),
          count(row_items),
          left(static_cast<std::size_t>(bytes * count)),
          right(left.size()) {}

    row_state state(const row_folder& by, const char* lefts, const char* rights,
                    const char* marks) {
      std::copy_n(lefts, left.size(), left.begin());
      const std::int64_t marked = keep_marked(left.data(), bytes, marks, count);
      if (rights == nullptr) return by.state(left.data(), nullptr, marked);
      std::copy_n(rights, right.size(), right.begin());
      keep_marked(right.data(), bytes, marks, count);
      return by.state(left.data(), right.data(), marked);
    }

    std::int64_t bytes, count;
    std::vector<char> left, right;
  };

  /// Two cache lines of each line of memory and more, and as many rows as a core's own caches hold.
  static std::int64_t rows_at_once(std::int64_t row_bytes) {
    constexpr std::int64_t near_bytes = 256 << 10, least = 16;
    return std::max<std::int64_t>(
        {near_bytes / row_bytes, std::min(buffer_bytes / row_bytes, least), 1});
  }

  static std::vector<unsigned char> counts(states_packer& out, const turned_rows& rows) {
    for (std::int64_t row = 0; row < rows.num_rows; ++row) out.put(row_state{rows.row_items});
    return out.sealed();
  }

  row_state state(const char* left, const char* right, std::int64_t count) const {
    row_state own{count};
    if (count > 0) {
      own.all = engine_.fold_node({left, right, count, by_.item_bytes()}, first_index_);
    }
    return own;
  }

  runtime::asked_members by_;
  runtime::device_work work_{};
  runtime::gpu_span gpus_{};
  runtime::any_engine engine_;
  std::int64_t first_index_;
};

/// The states of all rows of an array, as bytes.
///
/// errors     ValueError: two arrays without dot, or one with it; arrays of several shapes. TypeError: answers whose
///            bits depend on where items lie in a row's tree; arrays on a device
nb::bytes row_states(const array& items, const array* right, const array* mask, const numbers& axes,
                     const std::vector<monofold_operation>& operations, const how& options,
                     std::int64_t first_index) {
  for (const array* one : {&items, right, mask}) {
    if (one == nullptr) continue;
    one->check_on_host();
    if (one->extents != items.extents) throw nb::value_error("arrays of one shape");
  }
  if (right != nullptr && right->dtype != items.dtype) throw nb::value_error("arrays of one type");
  const turned_rows rows(items, axes);
  const layout left = with_axes(items, rows.order);
  layout turned_right, turned_mask;
  if (right != nullptr) turned_right = with_axes(*right, rows.order);
  if (mask != nullptr) turned_mask = with_axes(*mask, rows.order);
  return to_python(call_unlocked([&] {
    const auto what = runtime::c_boundary::make_request(
        items.dtype, operations.data(), static_cast<std::int32_t>(operations.size()),
        &options.options);
    return row_folder(what, first_index)
        .fold(left, right != nullptr ? &turned_right : nullptr,
              mask != nullptr ? &turned_mask : nullptr, rows);
  }));
}

/// The states of the same rows in several pieces of an array, which follow each other.
///
/// errors     MalformedState; ValueError: there are none, or they are of other requests or of other numbers of rows
nb::bytes merge_row_states(const std::vector<nb::bytes>& parts) {
  std::vector<std::span<const unsigned char>> spans;
  for (const nb::bytes& one : parts) spans.push_back(span_of(one));
  return to_python(call_unlocked([&] {
    if (spans.empty()) throw error(status::invalid_argument, "no states");
    std::vector<states_reader> readers;
    for (const auto& one : spans) readers.emplace_back(one);
    const states_reader& first = readers.front();
    for (const states_reader& one : readers) {
      if (!runtime::is_same_reduction(one.what(), first.what()) ||
          one.num_rows() != first.num_rows())
        throw error(status::invalid_argument, "states of other rows");
    }
    const runtime::asked_members by(first.what());
    states_packer out(by, first.num_rows());
    for (std::int64_t row = 0; row < first.num_rows(); ++row) {
      row_state own;
      for (states_reader& one : readers) own.append(by, one.next(by));
      out.put(own);
    }
    return out.sealed();
  }));
}

/// (type of values, width, addresses of values, seconds and places or 0) of the answers to an operation.
using output =
    std::tuple<monofold_dtype, std::int64_t, std::uintptr_t, std::uintptr_t, std::uintptr_t>;

runtime::typed_arrays arrays_of(const output& to) {
  const auto& [type, width, values, seconds, indices] = to;
  return {static_cast<dtype>(type), reinterpret_cast<void*>(values),
          reinterpret_cast<void*>(seconds), reinterpret_cast<std::int64_t*>(indices), width};
}

runtime::rounding rounding_of(const output& to) {
  return runtime::rounding_for(static_cast<dtype>(std::get<0>(to)));
}

/// [(status, the first row without an answer or -1)] of each operation, whose answers go into arrays.
///
/// errors     MalformedState; ValueError: other than `num_rows` rows, or other operations than there are outputs for
nb::list answer_rows(nb::bytes packed, std::int64_t num_rows, const std::vector<output>& outputs) {
  const auto span = span_of(packed);
  const auto found = call_unlocked([&] {
    states_reader in(span);
    const runtime::asked_members by(in.what());
    if (in.num_rows() != num_rows || by.wanted.ops.size() != outputs.size())
      throw error(status::invalid_argument, "answers of other rows");
    std::vector<std::pair<status, std::int64_t>> failures(outputs.size(), {status::ok, -1});
    for (std::int64_t row = 0; row < num_rows; ++row) {
      const row_state own = in.next(by);
      std::size_t place = 0;
      by.finish(
          own.states(), own.count, [&](std::size_t at) { return rounding_of(outputs[at]); },
          [&](const runtime::answer& answer) {
            const status how = runtime::store_typed(arrays_of(outputs[place]), row, answer);
            auto& first = failures[place++];
            if (how != status::ok && first.second < 0) first = {how, row};
          });
    }
    return failures;
  });
  nb::list out;
  for (const auto& [how, row] : found) {
    check_call(static_cast<monofold_status>(how));
    out.append(nb::make_tuple(static_cast<int>(how), row));
  }
  return out;
}

/// Whether bits of answers depend on where items lie in a row's tree: states of parts of rows do not give them.
bool depends_on_tree(monofold_dtype dtype, const std::vector<monofold_operation>& operations,
                     const how& options) {
  return call_unlocked([&] {
    return runtime::depends_on_tree(runtime::exact_where_integer(runtime::c_boundary::make_request(
        dtype, operations.data(), static_cast<std::int32_t>(operations.size()), &options.options)));
  });
}

}  // namespace

void bind_row_states(nb::module_& core) {
  core.def("row_states", &row_states, nb::arg("items"), nb::arg("right").none(),
           nb::arg("mask").none(), nb::arg("axes"), nb::arg("operations"), nb::arg("how"),
           nb::arg("first_index"));
  core.def("merge_row_states", &merge_row_states);
  core.def("answer_rows", &answer_rows);
  core.def("depends_on_tree", &depends_on_tree);
}

}  // namespace monofold::python
