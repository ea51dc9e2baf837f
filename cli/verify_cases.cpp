#include "cli/verify_cases.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include "cli/sample_data.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::cli {
namespace {

using runtime::answer;
using runtime::nan_policy;
using runtime::operation;
using runtime::reducer;

// More than a span of 64 tiles for every type, no multiple of anything.
constexpr std::int64_t case_items = 270'001;
constexpr std::int64_t shard_items = 4096;

void put_nans(dtype type, std::int64_t count, void* items) {
  visit_dtype(type, [&]<class T>() {
    for (std::int64_t i = 5; i < count; i += 1009) {
      if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>) {
        static_cast<T*>(items)[i] = T{0x7fff};
      } else if constexpr (is_floating_v<T>) {
        static_cast<T*>(items)[i] = std::numeric_limits<T>::quiet_NaN();
      }
    }
  });
}

verify_case make_case(dtype type, distribution shape, nan_policy nan) {
  const bool with_nans = nan == nan_policy::omit;
  const char* const kind = with_nans                     ? "hard numbers and NaN"
                           : shape == distribution::hard ? "hard numbers"
                                                         : "ordinary numbers";
  verify_case out{fmt::format("{} of {}", kind, info(type).name), type, nan, case_items,
                  make_buffer(case_items * info(type).size_bytes)};
  fill_items(type, shape, 7, 0, case_items, out.items.get());
  if (with_nans) put_nans(type, case_items, out.items.get());
  return out;
}

// Pushes items [first, end), or pairs of them with the items in reverse order of halves.
class pusher {
 public:
  pusher(const verify_case& data, const std::byte* items, bool pairs)
      : items_(items),
        item_bytes_(info(data.type).size_bytes),
        half_(data.num_items / 2),
        pairs_(pairs) {}

  std::int64_t num_items(const verify_case& data) const { return pairs_ ? half_ : data.num_items; }
  void push(reducer& out, std::int64_t first, std::int64_t end) const {
    const std::byte* const left = items_ + first * item_bytes_;
    if (pairs_) {
      out.push_pairs(left, left + half_ * item_bytes_, end - first);
    } else {
      out.push(left, end - first);
    }
  }

 private:
  const std::byte* items_;
  std::int64_t item_bytes_;
  std::int64_t half_;
  bool pairs_;
};

void push_shards(const pusher& from, const runtime::request& what, std::int64_t num_items,
                 reducer& out) {
  std::int64_t tiles = 1;
  for (std::int64_t first = 0; first < num_items; tiles = tiles % 13 + 3) {
    const std::int64_t end = std::min(first + tiles * shard_items, num_items);
    reducer part(what, first);
    from.push(part, first, end);
    out.merge(part);
    first = end;
  }
}

void push_odd(const pusher& from, std::int64_t num_items, reducer& out) {
  std::int64_t size = 1;
  for (std::int64_t first = 0; first < num_items; size = size * 3 % 40009 + 1) {
    const std::int64_t end = std::min(first + size, num_items);
    from.push(out, first, end);
    first = end;
  }
}

std::vector<answer> fold_pieces(const verify_case& data, const runtime::request& what, cut how) {
  const bool pairs = what.ops.front() == operation::dot;
  const auto num_bytes = static_cast<std::size_t>(data.num_items * info(data.type).size_bytes);
  const auto* items = static_cast<const std::byte*>(data.items.get());
  aligned_buffer copy;
  if (how == cut::shifted) {
    const int shift = info(data.type).size_bytes;
    copy = make_buffer(static_cast<std::int64_t>(num_bytes) + shift);
    std::memcpy(static_cast<std::byte*>(copy.get()) + shift, items, num_bytes);
    items = static_cast<const std::byte*>(copy.get()) + shift;
  }
  const pusher from(data, items, pairs);
  const std::int64_t num_items = from.num_items(data);
  reducer out(what);
  switch (how) {
    case cut::shards: push_shards(from, what, num_items, out); break;
    case cut::odd: push_odd(from, num_items, out); break;
    case cut::single: {
      const std::int64_t singles = std::min<std::int64_t>(num_items, 5000);
      for (std::int64_t i = 0; i < singles; ++i) from.push(out, i, i + 1);
      from.push(out, singles, num_items);
      break;
    }
    default: from.push(out, 0, num_items); break;
  }
  return out.finish();
}

// What cannot be one request: dot stands alone, and plain sums take the place of the others.
std::vector<runtime::request> requests_for(const verify_case& data, int num_threads, bool on_gpu) {
  runtime::request all = everything(data.type, data.nan, num_threads, on_gpu);
  runtime::request pairs = all;
  pairs.ops = {operation::dot};
  runtime::request plain = all;
  plain.ops = {operation::sum, operation::mean};
  plain.plain = true;
  return {all, pairs, plain};
}

}  // namespace

std::vector<verify_case> verify_cases() {
  std::vector<verify_case> cases;
  for (const dtype_info& entry : dtypes) {
    cases.push_back(make_case(entry.type, distribution::normal, nan_policy::propagate));
    cases.push_back(make_case(entry.type, distribution::hard, nan_policy::propagate));
    if (!entry.is_floating) continue;
    cases.push_back(make_case(entry.type, distribution::hard, nan_policy::omit));
  }
  return cases;
}

std::string_view name_of(cut how) {
  switch (how) {
    case cut::whole: return "one piece";
    case cut::shifted: return "other alignment";
    case cut::odd: return "odd pieces";
    case cut::single: return "single items";
    case cut::shards: break;
  }
  return "merged shards";
}

runtime::request everything(dtype type, nan_policy nan, int num_threads, bool on_gpu) {
  runtime::request what;
  what.type = type;
  what.nan = nan;
  what.num_threads = num_threads;
  what.on_gpu = on_gpu;
  for (const auto& entry : runtime::operations) {
    const bool alone = entry.on == runtime::domain::pairs;
    if (!alone && runtime::is_defined(entry.op, type)) what.ops.push_back(entry.op);
  }
  return what;
}

std::vector<answer> one_by_one(const verify_case& data) {
  std::vector<answer> answers;
  for (const runtime::request& together : requests_for(data, 1, false)) {
    for (const operation op : together.ops) {
      runtime::request what = together;
      what.ops = {op};
      for (answer& each : fold_pieces(data, what, cut::whole)) answers.push_back(std::move(each));
    }
  }
  return answers;
}

std::vector<answer> in_pieces(const verify_case& data, cut how, int num_threads, bool on_gpu) {
  std::vector<answer> answers;
  for (const runtime::request& what : requests_for(data, num_threads, on_gpu)) {
    for (answer& each : fold_pieces(data, what, how)) answers.push_back(std::move(each));
  }
  return answers;
}

}  // namespace monofold::cli
