#include "runtime/device_rows.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "monofold/plan/top_launch.hpp"
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
  return {what.ops.front(),
          what.type,
          to,
          what.nan == nan_policy::omit,
          what.nan == nan_policy::raise,
          what.plain,
          what.ddof,
          what.k};
}

bool is_sum(operation op) { return op == operation::sum || op == operation::mean; }

/// Whether an integer answer may not fit the type that it is asked for in; `most` items a row.
bool may_overflow(const row_question& what, std::int64_t most) {
  using enum operation;
  const dtype_info& item = monofold::info(what.type);
  if (monofold::info(what.to).is_floating) return false;
  const bool is_wide = what.to == dtype::int64 || what.to == dtype::uint64;
  const bool is_signed = item.name.front() == 'i';
  switch (what.op) {
    case nonzero:
    case nan:
    case count: return !is_wide;
    case bit_and:
    case bit_or:
    case bit_xor: return what.to != what.type;
    case prod: return what.to != (is_signed ? dtype::int64 : dtype::uint64);
    case norminf: return what.to != dtype::uint64;
    case norm1: return what.to != dtype::uint64 || (item.size_bytes == 8 && most > 1);
    default:
      return !is_wide || (is_signed && what.to == dtype::uint64) ||
             (item.size_bytes == 8 && (most > 1 || what.to != what.type));
  }
}

/// Whether a row of `fewest` to `most` items may be without an answer.
bool may_fail(const row_question& what, std::int64_t fewest, std::int64_t most) {
  using enum operation;
  const bool is_floating = monofold::info(what.type).is_floating;
  if (is_floating && what.raise_nan) return true;
  const std::int64_t least = is_floating && what.omit_nan ? 0 : fewest;
  switch (what.op) {
    case any:
    case all:
    case norm2: return false;
    case var:
    case std: return least == 0 || least <= what.ddof;
    case mean:
    case mean_square:
    case min:
    case max:
    case minmax:
    case argmin:
    case argmax: return least == 0;
    case top:
    case bottom: return least < what.k;
    default: return may_overflow(what, most);
  }
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
  if (rows.num_rows == 0) return {};
  return start_device_rows(question, {first, rows}, {out.values, out.seconds, out.indices}, stream,
                           may_fail(question, rows.row_items, rows.row_items));
}

row_failure reduce_segments_on_device(const request& what, const segment_request& segments,
                                      const typed_arrays& out, void* stream) {
  const row_question question = question_of(what, out.type);
  check_kernels(question, segments.num_items);
  if (segments.count == 0) return {};
  return start_device_rows(question,
                           {segments.items, array_rows{}, segments.num_items, segments.starts,
                            segments.stops, segments.count},
                           {out.values, out.seconds, out.indices}, stream, true);
}

row_failure reduce_groups_on_device(const request& what, const key_groups& groups,
                                    const void* items, const typed_arrays& out) {
  const row_question question = question_of(what, out.type);
  check_kernels(question, groups.num_items());
  return groups.reduce(question, items, {out.values, out.seconds, out.indices},
                       may_fail(question, 1, groups.num_items()));
}

namespace {

std::int64_t item_bytes_of(dtype type) { return monofold::info(type).size_bytes; }

/// The bytes of memory from which the items of an array are read, in memory of the device.
class array_there {
 public:
  array_there(const request& what, const axis_request& array) {
    const std::int64_t item_bytes = item_bytes_of(what.type);
    std::int64_t items = 1;
    for (int k = 0; k < array.extents.size(); ++k) {
      const std::int64_t way = (array.extents[k] - 1) * array.strides[k];
      before_ += way < 0 ? -way * item_bytes : 0;
      items += way < 0 ? -way : way;
    }
    memory_ = make_device_memory(items * item_bytes);
    copy_from_device(memory_.get(), static_cast<const char*>(array.first) - before_,
                     items * item_bytes);
  }
  const void* first() const { return static_cast<const char*>(memory_.get()) + before_; }

 private:
  std::int64_t before_ = 0;
  std::shared_ptr<void> memory_;
};

}  // namespace

bool answer_rows_by_device(const request& what, const axis_request& array, const array_rows& rows,
                           std::vector<answer_array>& arrays) {
  const bool omits = what.nan == nan_policy::omit && monofold::info(what.type).is_floating;
  const auto bytes_of = [](const answer_array& part) { return std::ssize(part.bytes); };
  if (rows.num_rows == 0) return true;
  if (rows.row_items == 0) return false;  // for the processor to say what there is
  const array_there there(what, array);
  auto part = arrays.begin();
  for (const operation op : what.ops) {
    const auto first = part;
    while (part != arrays.end() && part->op == op && (part == first || part->name != first->name)) {
      ++part;
    }
    if (op == operation::count && !omits) {
      for (std::int64_t row = 0; row < rows.num_rows; ++row) {
        std::memcpy(first->bytes.data() + 8 * row, &rows.row_items, 8);
      }
      continue;
    }
    typed_arrays out{first->type, nullptr, nullptr, nullptr, 1};
    std::vector<std::shared_ptr<void>> memory;
    for (auto own = first; own != part; ++own) {
      memory.push_back(make_device_memory(bytes_of(*own)));
      if (own->name == "index" || own->name == "indices") {
        out.indices = static_cast<std::int64_t*>(memory.back().get());
      } else {
        (own != first ? out.seconds : out.values) = memory.back().get();
      }
    }
    request alone = what;
    alone.ops = {op};
    if (!has_device_rows(question_of(alone, out.type))) {
      throw error(status::unsupported,
                  "no kernel for rows by " + std::string(info(op).name) + " of " +
                      std::string(monofold::info(what.type).name) +
                      (alone.k > max_top_items ? " with k " + std::to_string(alone.k) : ""));
    }
    if (reduce_rows_on_device(alone, there.first(), rows, out, nullptr).row >= 0) return false;
    for (auto own = first; own != part; ++own) {
      copy_from_device(own->bytes.data(), memory[static_cast<std::size_t>(own - first)].get(),
                       bytes_of(*own));
    }
  }
  return true;
}

}  // namespace monofold::runtime
