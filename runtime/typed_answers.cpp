#include "runtime/typed_answers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <variant>

#include "monofold/fold/sum.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/strict_arithmetic.hpp"
#include "runtime/answer_arrays.hpp"
#include "runtime/axis_reducer.hpp"
#include "runtime/request_rules.hpp"

namespace monofold::runtime {

namespace {

/// A number as what all types are made from.
struct any_number {
  float_parts parts;
  int128 integer;  // of one that is not floating
};

any_number any_of(const number& value) {
  return std::visit(
      []<class T>(T held) -> any_number {
        if constexpr (std::is_floating_point_v<T>) {
          return {parts_of(held), 0};
        } else {
          return {parts_of(held), static_cast<int128>(held)};
        }
      },
      value);
}

/// By its bits, whatever flags surround this.
template <class Real>
Real rounded(const float_parts& from) {
  using format = float_format<Real>;
  if (from.kind == number_kind::finite) {
    return round_to<Real>(from.negative, from.significand, from.exponent, false);
  }
  const auto special = from.kind == number_kind::nan ? format::quiet_nan : format::infinity;
  const auto sign = from.negative ? format::sign_bit : typename format::bits{0};
  return float_from_bits<Real>(static_cast<typename format::bits>(sign | special));
}

/// Leaves the number at `to`, which need not be aligned; false where the type does not have it.
template <class T>
bool store_as(const number& value, void* to) {
  T out{};
  const any_number from = any_of(value);
  if constexpr (is_floating_v<T>) {
    out = rounded<T>(from.parts);
  } else {
    using monofold::detail::highest_v;
    using monofold::detail::lowest_v;
    if (from.integer < lowest_v<T> || from.integer > highest_v<T>) return false;
    out = static_cast<T>(from.integer);
  }
  std::memcpy(to, &out, sizeof out);
  return true;
}

bool store_number(dtype type, const number& value, void* to) {
  // Most are asked for as they are, and those that are items keep their bits.
  const double* const wide = type == dtype::float64 ? std::get_if<double>(&value) : nullptr;
  const float* const narrow = type == dtype::float32 ? std::get_if<float>(&value) : nullptr;
  if (wide != nullptr) std::memcpy(to, wide, sizeof *wide);
  if (narrow != nullptr) std::memcpy(to, narrow, sizeof *narrow);
  if (wide != nullptr || narrow != nullptr) return true;
  return visit_dtype(type, [&]<class T>() { return store_as<T>(value, to); });
}

/// Doubles as numbers of a narrower type, each by itself.
template <class Real>
void store_each(const number_run& run, Real* out) {
  const auto* const from = static_cast<const double*>(run.values);
  for (std::int64_t i = 0; i < run.count; ++i) {
    out[i * run.apart] = rounded<Real>(parts_of(from[i]));
  }
}

/// By the processor; false where some are NaN, of which it keeps more bits.
bool store_converted(const number_run& run, float* out) {
  const auto* const from = static_cast<const double*>(run.values);
  std::int32_t most = 0;
  const auto store = [&](std::int64_t i, std::int64_t at) {
    out[at] = static_cast<float>(from[i]);
    most = std::max(most, bits_as<std::int32_t>(out[at]) & std::int32_t{0x7fffffff});
  };
  if (run.apart == 1) {
    for (std::int64_t i = 0; i < run.count; ++i) store(i, i);
  } else {
    for (std::int64_t i = 0; i < run.count; ++i) store(i, i * run.apart);
  }
  return most <= std::int32_t{0x7f800000};
}

template <class Real>
void store_rounded(const number_run& run, void* to) {
  Real* const out = static_cast<Real*>(to) + run.row;
  if constexpr (std::is_same_v<Real, float>) {
    const strict_arithmetic arithmetic;
    if (arithmetic.holds() && store_converted(run, out)) return;
  }
  store_each(run, out);
}

bool is_wide_integer(dtype type) { return type == dtype::int64 || type == dtype::uint64; }

/// Whether answers are kept as they are: their type is the same, or that of integers with the other sign, which have it.
bool are_kept(const number_run& run, dtype type) {
  if (run.type == type) return true;
  if (!is_wide_integer(run.type) || !is_wide_integer(type) || run.seconds != nullptr) return false;
  const auto* const from = static_cast<const std::int64_t*>(run.values);
  return std::all_of(from, from + run.count, [](std::int64_t x) { return x >= 0; });
}

/// Whether the type has all numbers of an answer.
bool has_all(dtype type, const answer& from) {
  if (monofold::info(type).is_floating || from.values.size() == 1) return true;
  return std::all_of(from.values.begin(), from.values.end(), [&](const number& value) {
    char unused[8];
    return store_number(type, value, unused);
  });
}

}  // namespace

dtype answer_type(operation op, const request& what) {
  check_request(what);
  return answer_parts(op, what).front().type;
}

bool is_convertible(dtype from, dtype to) {
  return monofold::info(to).is_floating || !monofold::info(from).is_floating;
}

rounding rounding_for(dtype type) {
  if (type == dtype::uint64) return rounding::to_uint64;
  if (!monofold::info(type).is_floating) return rounding::native;
  return type == dtype::float64 ? rounding::to_double : rounding::to_odd;
}

status store_typed(const typed_arrays& out, std::int64_t row, const answer& from) {
  if (from.code != status::ok) return from.code;
  if (!has_all(out.type, from)) return status::integer_overflow;
  const auto bytes = static_cast<std::size_t>(monofold::info(out.type).size_bytes);
  const auto first = static_cast<std::size_t>(row * out.width);
  const auto store = [&](void* to, std::size_t at, const number& value) {
    return to == nullptr || store_number(out.type, value, static_cast<char*>(to) + at * bytes);
  };
  bool fits = true;
  if (is_pair(from.op)) {
    store(out.values, first, from.values[0]);
    store(out.seconds, first, from.values[1]);
  } else {
    for (std::size_t i = 0; i < from.values.size(); ++i) {
      fits = store(out.values, first + i, from.values[i]) && fits;
    }
  }
  if (!fits) return status::integer_overflow;
  if (out.indices != nullptr) {
    std::copy(from.indices.begin(), from.indices.end(), out.indices + first);
  }
  return status::ok;
}

void typed_keeper::keep(std::int64_t row, const answer* answers) {
  const status how = store_typed(out_, row, *answers);
  if (how == status::ok) return;
  const std::lock_guard lock(mutex_);
  if (failed_row_ >= 0 && failed_row_ < row) return;
  failed_row_ = row;
  code_ = how;
}

void typed_keeper::keep_numbers(const number_run& run) {
  const bool is_kept = are_kept(run, out_.type);
  const bool is_rounded = run.type == dtype::float64 && monofold::info(out_.type).is_floating;
  if (!is_kept && !is_rounded) return answer_sink::keep_numbers(run);
  for (const bool is_second : {false, true}) {
    number_run part = run;
    if (is_second) part.values = run.seconds;
    void* const to = is_second ? out_.seconds : out_.values;
    if (part.values == nullptr || to == nullptr) continue;
    if (is_kept)
      store_numbers(part, to);
    else if (out_.type == dtype::float32)
      store_rounded<float>(part, to);
    else if (out_.type == dtype::float16)
      store_rounded<float16>(part, to);
    else
      store_rounded<bfloat16>(part, to);
  }
  if (out_.indices != nullptr && run.indices != nullptr) store_indices(run, out_.indices);
}

void* typed_keeper::place_of(dtype type, std::int64_t row) {
  if (out_.values == nullptr || out_.indices != nullptr || type != out_.type) return nullptr;
  return static_cast<char*>(out_.values) + row * monofold::info(type).size_bytes;
}

}  // namespace monofold::runtime
