#include "runtime/segment_reducer.hpp"

#include <algorithm>
#include <vector>

#include "monofold/platform/dtype.hpp"
#include "runtime/stopping.hpp"

namespace monofold::runtime {

namespace {

/// Neighbours that one call reduces.
constexpr std::int64_t most_like = 64;

/// By their bytes, which are all that sharing them out asks for.
class byte_segments {
 public:
  byte_segments(const segment_request& all, std::int64_t item_bytes)
      : all_(&all), item_bytes_(item_bytes) {}

  std::int64_t size() const { return all_->count; }
  std::int64_t begin(std::int64_t s) const { return bytes_before(all_->starts[s], -1); }
  std::int64_t end(std::int64_t s) const { return bytes_before(all_->stops[s], -2); }

 private:
  std::int64_t bytes_before(std::int64_t item, std::int64_t outside) const {
    return item >= 0 && item <= all_->num_items ? item * item_bytes_ : outside;
  }

  const segment_request* all_;
  std::int64_t item_bytes_;
};

}  // namespace

segment_reducer::segment_reducer(const row_reducer& rows, const segment_request& segments)
    : rows_(rows),
      all_(segments),
      item_bytes_(monofold::info(rows.what().type).size_bytes),
      work_(monofold::detail::share_segments<char>(cpu_engine{rows.what().num_threads},
                                                   byte_segments(all_, item_bytes_),
                                                   all_.num_items * item_bytes_)) {}

/// How many segments from the first one on are as long, each as far from the one before.
std::int64_t segment_reducer::num_like(std::int64_t first, std::int64_t end) const {
  const std::int64_t most = std::min(end - first, most_like);
  std::int64_t count = 1;
  while (count < most && length(first + count) == length(first) &&
         all_.starts[first + count] - all_.starts[first + count - 1] ==
             all_.starts[first + 1] - all_.starts[first]) {
    ++count;
  }
  return count;
}

void segment_reducer::fold_piece(std::int64_t first, std::int64_t end, answer_sink& out) const {
  const std::int64_t most = std::min(end - first, most_like);
  std::vector<answer> answers(static_cast<std::size_t>(most) * rows_.num_ops(),
                              answer{operation::count});
  for (std::int64_t s = first; s < end;) {
    stop_of_call.check();
    if (length(s) > rows_.longest_row()) {
      ++s;  // one of `work_.rows`
      continue;
    }
    const std::int64_t count = num_like(s, end);
    const std::int64_t apart = count > 1 ? all_.starts[s + 1] - all_.starts[s] : 0;
    rows_.answer_rows({first_item(s), apart * item_bytes_, count, length(s)}, answers.data());
    for (std::int64_t i = 0; i < count; ++i) {
      out.keep(s + i, answers.data() + static_cast<std::size_t>(i) * rows_.num_ops());
    }
    s += count;
  }
}

void segment_reducer::fold_long(answer_sink& out) const {
  const auto fold_one = [&](std::int64_t s, int num_threads) {
    request what = rows_.what();
    what.num_threads = num_threads;
    reducer one(what);
    one.push(first_item(s), length(s));
    out.keep(s, one.finish(rows_.how()).data());
  };
  const int num_threads = rows_.what().num_threads;
  std::int64_t total = 0;
  for (const std::int64_t s : work_.rows) total += length(s);
  const std::int64_t share = total / monofold::detail::concurrency(num_threads);
  std::vector<std::int64_t> shorter;
  for (const std::int64_t s : work_.rows) {
    if (length(s) > share) {
      fold_one(s, num_threads);
    } else {
      shorter.push_back(s);
    }
  }
  monofold::detail::parallel_for(num_threads, std::ssize(shorter), [&](std::int64_t i) {
    fold_one(shorter[static_cast<std::size_t>(i)], 1);
  });
}

void segment_reducer::fold(answer_sink& out) const {
  const std::int64_t num_pieces = std::ssize(work_.pieces);
  const auto begin = [&](std::int64_t piece) {
    return piece < num_pieces ? work_.pieces[static_cast<std::size_t>(piece)] : all_.count;
  };
  monofold::detail::parallel_for(rows_.what().num_threads, num_pieces, [&](std::int64_t piece) {
    fold_piece(begin(piece), begin(piece + 1), out);
  });
  fold_long(out);
}

}  // namespace monofold::runtime
