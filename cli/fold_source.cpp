#include "cli/fold_source.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

#include "monofold/platform/status.hpp"
#include "runtime/families.hpp"

namespace monofold::cli {
namespace {

using runtime::operation;
using runtime::reducer;

// The items of a source, and word of how many have been asked for.
class reported_items final : public runtime::item_source {
 public:
  reported_items(const source& in, const on_bytes& report) : in_(in), report_(report) {}
  std::int64_t fetch_items() const override { return in_.fetch_items(); }
  const void* fetch(std::int64_t first, std::int64_t count, void* buffer) const override {
    const void* const items = in_.fetch(first, count, buffer);
    report_(in_.consumed_bytes());
    return items;
  }

 private:
  const source& in_;
  const on_bytes& report_;
};

// The rest of a source's chunk.
struct open_chunk {
  source& in;
  chunk part{};
  std::int64_t taken_bytes = 0;

  // False at the end.
  bool refill() {
    if (part.count == 0) {
      part = in.next();
      taken_bytes = 0;
    }
    return part.count != 0;
  }
  const void* items() const { return static_cast<const std::byte*>(part.items) + taken_bytes; }
  void take(std::int64_t count) {
    part.count -= count;
    taken_bytes += count * info(in.type()).size_bytes;
  }
};

std::int64_t count_rest(open_chunk& from) {
  std::int64_t rest = 0;
  while (from.refill()) {
    rest += from.part.count;
    from.take(from.part.count);
  }
  return rest;
}

}  // namespace

bool depends_on_order(const runtime::request& what) {
  if (depends_on_tree(what) || what.nan == runtime::nan_policy::raise) return true;
  return std::any_of(what.ops.begin(), what.ops.end(), [](operation op) {
    return op == operation::argmin || op == operation::argmax || op == operation::top ||
           op == operation::bottom || op == operation::dot;
  });
}

void fold_source(source& in, reducer& out, const on_bytes& report) {
  const std::vector<operation>& ops = out.what().ops;
  if (std::find(ops.begin(), ops.end(), operation::dot) != ops.end()) {
    throw error(status::invalid_argument, "dot takes two files");
  }
  if (in.fetch_items() == 0 || !in.count()) {
    push_source(in, {&out}, report);
    return;
  }
  if (out.what().on_gpu) in.copy_items();
  out.push_fetched(reported_items(in, report), *in.count());
  in.check();
}

void push_source(source& in, const std::vector<reducer*>& outs, const on_bytes& report) {
  for (chunk part = in.next(); part.count != 0; part = in.next()) {
    for (reducer* const out : outs) out->push(part.items, part.count);
    report(in.consumed_bytes());
  }
  in.check();
}

void push_pairs(source& left, source& right, reducer& out, const on_bytes& report) {
  open_chunk l{left};
  open_chunk r{right};
  while (l.refill() && r.refill()) {
    const std::int64_t count = std::min(l.part.count, r.part.count);
    out.push_pairs(l.items(), r.items(), count);
    l.take(count);
    r.take(count);
    report(left.consumed_bytes() + right.consumed_bytes());
  }
  const std::int64_t l_rest = count_rest(l);
  const std::int64_t r_rest = count_rest(r);
  if (l_rest != r_rest) {
    throw input_error(fmt::format("dot needs as many items in both files: {} and {}",
                                  out.count() + l_rest, out.count() + r_rest));
  }
  left.check();
  right.check();
}

}  // namespace monofold::cli
