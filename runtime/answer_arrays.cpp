/// runtime/answer_arrays: answers of many rows as arrays of numbers.

#include "runtime/answer_arrays.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <variant>

#include "monofold/platform/float_format.hpp"
#include "runtime/answers.hpp"
#include "runtime/row_reducer.hpp"

namespace monofold::runtime {

namespace {

/// The type of the answer for one zero.
dtype type_for_zero(operation op, const request& what) {
  request alone = what;
  alone.ops = {op};
  alone.nan = nan_policy::propagate;
  const row_reducer reducer(alone, rounding::native,
                            op == operation::dot ? row_items::pairs : row_items::single);
  alignas(8) const char zero[16] = {};  // an item, or a pair
  answer found{op};
  reducer.answer_rows({zero, sizeof zero, 1, 1}, &found);
  constexpr dtype types[] = {dtype::boolean, dtype::int64, dtype::uint64, dtype::float32,
                             dtype::float64};
  return types[found.values.front().index()];
}

/// The type of an answer that is not an item. It is found once: to fold a zero takes half a microsecond.
dtype type_of_number(operation op, const request& what) {
  if (op == operation::var || op == operation::std) return dtype::float64;
  // One more than the type, of exact answers and of plain ones; 0: not found yet.
  static std::array<std::array<std::atomic<std::int32_t>, dtypes.size()>, operations.size()>
      found[2] = {};
  auto& own = found[what.plain][static_cast<std::size_t>(op)][static_cast<std::size_t>(what.type)];
  std::int32_t known = own.load(std::memory_order_relaxed);
  if (known == 0) {
    known = 1 + static_cast<std::int32_t>(type_for_zero(op, what));
    own.store(known, std::memory_order_relaxed);
  }
  return static_cast<dtype>(known - 1);
}

}  // namespace

std::vector<answer_array> answer_parts(operation op, const request& what) {
  const auto part = [&](std::string_view name, dtype type, std::int64_t width = 1) {
    return answer_array{op, name, type, width, {}};
  };
  switch (op) {
    case operation::min:
    case operation::max:
    case operation::bit_and:
    case operation::bit_or:
    case operation::bit_xor: return {part("value", what.type)};
    case operation::minmax: return {part("min", what.type), part("max", what.type)};
    case operation::argmin:
    case operation::argmax: return {part("value", what.type), part("index", dtype::int64)};
    case operation::top:
    case operation::bottom:
      return {part("values", what.type, what.k), part("indices", dtype::int64, what.k)};
    case operation::softmax_denominator: {
      const dtype type = type_of_number(op, what);
      return {part("max", type), part("sum", type)};
    }
    case operation::count: return {part("value", dtype::int64)};
    default: return {part("value", type_of_number(op, what))};
  }
}

static void store_number(answer_array& out, std::int64_t i, const number& value) {
  visit_dtype(out.type, [&]<class T>() {
    const T item = std::visit([](const auto& x) { return static_cast<T>(x); }, value);
    std::memcpy(out.bytes.data() + static_cast<std::size_t>(i) * sizeof(T), &item, sizeof(T));
  });
}

number answer_array::at(std::int64_t i) const {
  return visit_dtype(type, [&]<class T>() -> number {
    T item;
    std::memcpy(&item, bytes.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
    return to_number(item);
  });
}

void store_answer(std::vector<answer_array>& arrays, std::size_t& next, std::int64_t row,
                  const answer& from) {
  const auto store = [&](std::size_t first, std::size_t count) {
    answer_array& out = arrays[next++];
    for (std::size_t i = 0; i < count; ++i) {
      store_number(out, row * out.width + static_cast<std::int64_t>(i), from.values[first + i]);
    }
  };
  if (is_pair(from.op)) {
    store(0, 1);
    store(1, 1);
    return;
  }
  store(0, from.values.size());
  if (from.indices.empty()) return;
  answer_array& out = arrays[next++];
  for (std::size_t i = 0; i < from.indices.size(); ++i) {
    store_number(out, row * out.width + static_cast<std::int64_t>(i), from.indices[i]);
  }
}

/// Elements of `bytes` bytes, one a row.
template <class Word>
static void store_words(const number_run& run, const void* from, void* to) {
  const auto* const words = static_cast<const Word*>(from);
  Word* const out = static_cast<Word*>(to) + run.row;
  if (out == words) return;  // they were left where they belong
  if (run.apart == 1) {
    std::memcpy(out, words, static_cast<std::size_t>(run.count) * sizeof(Word));
    return;
  }
  for (std::int64_t i = 0; i < run.count; ++i) out[i * run.apart] = words[i];
}

void store_numbers(const number_run& run, void* to) {
  switch (monofold::info(run.type).size_bytes) {
    case 1: return store_words<std::uint8_t>(run, run.values, to);
    case 2: return store_words<std::uint16_t>(run, run.values, to);
    case 4: return store_words<std::uint32_t>(run, run.values, to);
    default: return store_words<std::uint64_t>(run, run.values, to);
  }
}

void store_indices(const number_run& run, std::int64_t* to) {
  store_words<std::int64_t>(run, run.indices, to);
}

}  // namespace monofold::runtime
