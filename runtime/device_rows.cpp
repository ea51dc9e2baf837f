#include "runtime/device_rows.hpp"

#include <cstdint>

#include "monofold/platform/dtype.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/axes.hpp"
#include "runtime/gpu/devices.hpp"
#include "runtime/request_rules.hpp"

namespace monofold::runtime {

namespace {

/// Sums of so many shorter integers fit 64 bits, which kernels have for them.
constexpr std::int64_t too_many_integers = std::int64_t{1} << 31;

row_question question_of(const request& asked, dtype to) {
  check_request(asked);
  const request what = exact_where_integer(asked);
  return {
      what.ops.front(), what.type, to, what.nan == nan_policy::omit, what.nan == nan_policy::raise,
      what.plain,       what.ddof};
}

bool is_sum(operation op) { return op == operation::sum || op == operation::mean; }

/// Whether an integer answer may not fit the type that it is asked for in; `most` items a row.
bool may_overflow(const row_question& what, std::int64_t most) {
  const bool is_wide = what.to == dtype::int64 || what.to == dtype::uint64;
  if (what.op == operation::nonzero || what.op == operation::nan) return !is_wide;
  if (what.op != operation::sum || monofold::info(what.to).is_floating) return false;
  const dtype_info& item = monofold::info(what.type);
  const bool is_signed = item.name.front() == 'i';
  return !is_wide || (is_signed && what.to == dtype::uint64) ||
         (item.size_bytes == 8 && (most > 1 || what.to != what.type));
}

/// Whether a row of `items` items may be without an answer.
bool may_fail(const row_question& what, std::int64_t items) {
  using enum operation;
  const bool is_floating = monofold::info(what.type).is_floating;
  if (is_floating && what.raise_nan) return true;
  const std::int64_t least = is_floating && what.omit_nan ? 0 : items;
  switch (what.op) {
    case sum:
    case nonzero:
    case nan: return may_overflow(what, items);
    case any:
    case all: return false;
    case var:
    case std: return least == 0 || least <= what.ddof;
    default: return least == 0;
  }
}

void check_memory(const void* memory) {
  if (memory != nullptr && !is_device_memory(memory)) throw error(status::invalid_argument);
}

void check_outputs(const typed_arrays& out) {
  check_memory(out.values);
  check_memory(out.seconds);
  check_memory(out.indices);
}

void check_kernels(const row_question& what, std::int64_t longest) {
  if (!has_device_rows(what)) throw error(status::unsupported);
  const dtype_info& item = monofold::info(what.type);
  if (is_sum(what.op) && !item.is_floating && item.size_bytes < 8 && longest >= too_many_integers) {
    throw error(status::unsupported);
  }
}

}  // namespace

row_failure reduce_rows_on_device(const request& what, const void* first, const array_rows& rows,
                                  const typed_arrays& out, void* stream) {
  const row_question question = question_of(what, out.type);
  check_kernels(question, rows.row_items);
  if (rows.num_reduced > 1) throw error(status::unsupported);
  if (rows.num_rows == 0) return {};
  if (rows.row_items > 0) check_memory(first);
  check_outputs(out);
  return start_device_rows(question, {first, rows}, {out.values, out.seconds, out.indices}, stream,
                           may_fail(question, rows.row_items));
}

row_failure reduce_segments_on_device(const request& what, const segment_request& segments,
                                      const typed_arrays& out, void* stream) {
  const row_question question = question_of(what, out.type);
  check_kernels(question, segments.num_items);
  if (segments.count == 0) return {};
  if (segments.num_items > 0) check_memory(segments.items);
  check_memory(segments.starts);
  check_memory(segments.stops);
  check_outputs(out);
  return start_device_rows(question,
                           {segments.items, array_rows{}, segments.num_items, segments.starts,
                            segments.stops, segments.count},
                           {out.values, out.seconds, out.indices}, stream, true);
}

}  // namespace monofold::runtime
