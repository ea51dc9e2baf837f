#include "runtime/group_reducer.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "monofold/engine/group.hpp"
#include "monofold/shape/segments.hpp"
#include "monofold/shape/view.hpp"
#include "runtime/segment_reducer.hpp"
#include "runtime/typed_answers.hpp"

namespace monofold::runtime {

namespace {

using word_key = monofold::detail::stored_key<std::int64_t>;

template <class Word>
std::uint64_t word_at(const void* items, std::int64_t i) {
  return static_cast<const Word*>(items)[i];
}

/// Items of any type as words of one size: what moves them is compiled once.
class wide_items {
 public:
  using item_type = std::uint64_t;

  wide_items(const void* items, std::int64_t count, int item_bytes)
      : items_(items), count_(count), item_bytes_(item_bytes) {}

  std::int64_t size() const { return count_; }
  std::uint64_t operator[](std::int64_t i) const {
    switch (item_bytes_) {
      case 1: return word_at<std::uint8_t>(items_, i);
      case 2: return word_at<std::uint16_t>(items_, i);
      case 4: return word_at<std::uint32_t>(items_, i);
      default: return word_at<std::uint64_t>(items_, i);
    }
  }

 private:
  const void* items_;
  std::int64_t count_;
  int item_bytes_;
};

template <class Word>
void narrow_to(const std::uint64_t* from, std::int64_t count, void* to) {
  std::copy(from, from + count, static_cast<Word*>(to));
}

void narrow(const std::uint64_t* from, std::int64_t count, int item_bytes, void* to) {
  switch (item_bytes) {
    case 1: return narrow_to<std::uint8_t>(from, count, to);
    case 2: return narrow_to<std::uint16_t>(from, count, to);
    case 4: return narrow_to<std::uint32_t>(from, count, to);
    default: return narrow_to<std::uint64_t>(from, count, to);
  }
}

/// Keeps the answers of segments by their numbers.
class typed_sink final : public answer_sink {
 public:
  typed_sink(dtype type, typed_answer* out) : type_(type), out_(out) {}
  void keep(std::int64_t row, const answer* answers) override {
    typed_answer& own = out_[row];
    own.code = store_typed({type_, &own.value, &own.second, &own.index, 1}, 0, *answers);
  }

 private:
  dtype type_;
  typed_answer* out_;
};

/// Keeps the words of groups side by side, in any order of the groups.
class kept_words {
 public:
  explicit kept_words(std::int64_t count) : words_(count) {}

  const std::uint64_t* data() const { return words_.data(); }
  /// Where they begin.
  std::int64_t add(const std::uint64_t* words, std::int64_t count) {
    const std::int64_t first = next_.fetch_add(count);
    std::copy(words, words + count, words_.data() + first);
    return first;
  }

 private:
  monofold::detail::raw_array<std::uint64_t> words_;
  std::atomic<std::int64_t> next_{0};
};

/// Reduces groups of words as segments, or keeps them: as engine/group_folder. The "answer" of kept ones is where they
/// begin (`index`) and how many there are (`value`).
class group_rows {
 public:
  using moved_items = monofold::detail::moved_items<std::uint64_t>;
  using finished = typed_answer;
  static constexpr bool wants_positions = false;

  group_rows(const row_reducer& rows, dtype type)
      : rows_(&rows), type_(type), item_bytes_(monofold::info(rows.what().type).size_bytes) {}
  explicit group_rows(kept_words& kept) : kept_(&kept) {}

  void fold_all(std::vector<typed_answer>& out, const moved_items& moved,
                const offset_segments<std::int64_t>& groups) const {
    std::vector<std::int64_t> ends;
    for (std::int64_t g = 0; g < groups.size(); ++g) ends.push_back(groups.end(g));
    fold_part(out, moved, ends);
  }
  void fold_part(std::vector<typed_answer>& out, const moved_items& moved,
                 const std::vector<std::int64_t>& ends) const {
    if (kept_ != nullptr) return keep_part(out, moved, ends);
    std::vector<std::int64_t> offsets{0};
    offsets.insert(offsets.end(), ends.begin(), ends.end());
    const std::size_t first = out.size();
    out.resize(first + ends.size());
    const monofold::detail::raw_array<char> own = narrowed(moved, offsets.back());
    const void* const items = own ? own.data() : static_cast<const void*>(moved.items.data());
    typed_sink sink(type_, out.data() + first);
    segment_reducer(*rows_,
                    {items, offsets.back(), offsets.data(), offsets.data() + 1, std::ssize(ends)})
        .fold(sink);
  }

 private:
  void keep_part(std::vector<typed_answer>& out, const moved_items& moved,
                 const std::vector<std::int64_t>& ends) const {
    const std::int64_t count = ends.empty() ? 0 : ends.back();
    const std::int64_t first = kept_->add(moved.items.data(), count);
    std::int64_t at = 0;
    for (const std::int64_t end : ends) {
      out.push_back({static_cast<std::uint64_t>(end - at), 0, first + at, status::ok});
      at = end;
    }
  }
  /// Items of their own size; none where that is a word's.
  monofold::detail::raw_array<char> narrowed(const moved_items& moved, std::int64_t count) const {
    if (item_bytes_ == 8) return {};
    monofold::detail::raw_array<char> out(count * item_bytes_);
    constexpr std::int64_t share = 1 << 16;
    monofold::detail::parallel_for(
        rows_->what().num_threads, (count + share - 1) / share, [&](std::int64_t piece) {
          const std::int64_t at = piece * share;
          const std::int64_t n = std::min(share, count - at);
          narrow(moved.items.data() + at, n, item_bytes_, out.data() + at * item_bytes_);
        });
    return out;
  }

  const row_reducer* rows_ = nullptr;
  dtype type_ = dtype::float64;
  int item_bytes_ = 8;
  kept_words* kept_ = nullptr;
};

// Called from two places: as a copy in each it would take as long again to compile.
[[gnu::noinline]] groups_in_order find_groups(const group_rows& folder, int item_bytes,
                                              int num_threads, const group_request& what) {
  const contiguous_view<std::int64_t> keys(what.keys, what.count);
  const wide_items items(what.items, what.count, item_bytes);
  monofold::detail::grouping<word_key, group_rows, contiguous_view<std::int64_t>, wide_items> all(
      cpu_engine{num_threads}, keys, items, folder, what.order);
  auto lists = all.groups();
  monofold::detail::group_order order(num_threads, word_key{}, lists, what.order);
  return {std::move(lists), std::move(order)};
}

}  // namespace

group_answers::group_answers(const row_reducer& rows, dtype type, const group_request& what)
    : type_(type),
      num_threads_(rows.what().num_threads),
      found_(find_groups(group_rows(rows, type), monofold::info(rows.what().type).size_bytes,
                         num_threads_, what)) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> first{none};  // that has no answer
  found_.order.visit(num_threads_, found_.lists,
                     [&](std::int64_t group, const auto& from, std::size_t at) {
                       if (from.answers[at].code == status::ok) return;
                       std::int64_t lowest = first;
                       while (group < lowest && !first.compare_exchange_weak(lowest, group)) {
                       }
                     });
  if (first == none) return;
  found_.order.visit(1, found_.lists, [&](std::int64_t group, const auto& from, std::size_t at) {
    if (group == first) throw error(from.answers[at].code, "group " + std::to_string(group));
  });
}

void group_answers::copy(std::int64_t* keys, void* values, void* seconds,
                         std::int64_t* indices) const {
  const auto bytes = static_cast<std::size_t>(monofold::info(type_).size_bytes);
  const auto put = [&](void* to, std::int64_t group, const std::uint64_t& from) {
    if (to == nullptr) return;
    std::memcpy(static_cast<char*>(to) + static_cast<std::size_t>(group) * bytes, &from, bytes);
  };
  found_.order.visit(num_threads_, found_.lists,
                     [&](std::int64_t group, const auto& from, std::size_t at) {
                       const typed_answer& own = from.answers[at];
                       if (keys != nullptr) keys[group] = word_key::key_of(from.keys[at]);
                       put(values, group, own.value);
                       put(seconds, group, own.second);
                       if (indices != nullptr) indices[group] = own.index;
                     });
}

std::int64_t group_items(const group_request& what, int item_bytes, int num_threads,
                         const grouped_arrays& out) {
  kept_words kept(what.count);
  const groups_in_order found = find_groups(group_rows(kept), item_bytes, num_threads, what);
  const std::int64_t count = found.order.size();
  const monofold::detail::raw_array<std::int64_t> firsts(count);
  found.order.visit(num_threads, found.lists,
                    [&](std::int64_t group, const auto& from, std::size_t at) {
                      out.keys[group] = word_key::key_of(from.keys[at]);
                      out.offsets[group + 1] = static_cast<std::int64_t>(from.answers[at].value);
                      firsts[group] = from.answers[at].index;
                    });
  out.offsets[0] = 0;
  std::partial_sum(out.offsets, out.offsets + count + 1, out.offsets);
  const monofold::detail::chunk_list chunks = monofold::detail::chunk_list::of(count, num_threads);
  monofold::detail::parallel_for(num_threads, chunks.num_chunks, [&](std::int64_t c) {
    for (std::int64_t group = chunks.begin(c); group < chunks.begin(c + 1); ++group) {
      const std::int64_t begin = out.offsets[group];
      narrow(kept.data() + firsts[group], out.offsets[group + 1] - begin, item_bytes,
             static_cast<char*>(out.items) + begin * item_bytes);
    }
  });
  return count;
}

}  // namespace monofold::runtime
