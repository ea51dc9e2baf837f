#include "runtime/group_reducer.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

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
void narrow(const std::uint64_t* from, std::int64_t count, void* to) {
  std::copy(from, from + count, static_cast<Word*>(to));
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

/// Reduces groups of words as segments: as engine/group_folder.
class group_rows {
 public:
  using moved_items = monofold::detail::moved_items<std::uint64_t>;
  using finished = typed_answer;
  static constexpr bool wants_positions = false;

  group_rows(const row_reducer& rows, dtype type)
      : rows_(rows), type_(type), item_bytes_(monofold::info(rows.what().type).size_bytes) {}

  void fold_all(std::vector<typed_answer>& out, const moved_items& moved,
                const offset_segments<std::int64_t>& groups) const {
    std::vector<std::int64_t> ends;
    for (std::int64_t g = 0; g < groups.size(); ++g) ends.push_back(groups.end(g));
    fold_part(out, moved, ends);
  }
  void fold_part(std::vector<typed_answer>& out, const moved_items& moved,
                 const std::vector<std::int64_t>& ends) const {
    std::vector<std::int64_t> offsets{0};
    offsets.insert(offsets.end(), ends.begin(), ends.end());
    const std::size_t first = out.size();
    out.resize(first + ends.size());
    const monofold::detail::raw_array<char> own = narrowed(moved, offsets.back());
    const void* const items = own ? own.data() : static_cast<const void*>(moved.items.data());
    typed_sink sink(type_, out.data() + first);
    segment_reducer(rows_,
                    {items, offsets.back(), offsets.data(), offsets.data() + 1, std::ssize(ends)})
        .fold(sink);
  }

 private:
  /// Items of their own size; none where that is a word's.
  monofold::detail::raw_array<char> narrowed(const moved_items& moved, std::int64_t count) const {
    if (item_bytes_ == 8) return {};
    monofold::detail::raw_array<char> out(count * item_bytes_);
    constexpr std::int64_t share = 1 << 16;
    monofold::detail::parallel_for(rows_.what().num_threads, (count + share - 1) / share,
                                   [&](std::int64_t piece) {
                                     const std::int64_t at = piece * share;
                                     const std::int64_t n = std::min(share, count - at);
                                     const std::uint64_t* const from = moved.items.data() + at;
                                     void* const to = out.data() + at * item_bytes_;
                                     switch (item_bytes_) {
                                       case 1: return narrow<std::uint8_t>(from, n, to);
                                       case 2: return narrow<std::uint16_t>(from, n, to);
                                       default: return narrow<std::uint32_t>(from, n, to);
                                     }
                                   });
    return out;
  }

  const row_reducer& rows_;
  dtype type_;
  int item_bytes_;
};

auto lists_of(const row_reducer& rows, dtype type, const group_request& what) {
  const contiguous_view<std::int64_t> keys(what.keys, what.count);
  const int item_bytes = monofold::info(rows.what().type).size_bytes;
  const wide_items items(what.items, what.count, item_bytes);
  const group_rows folder(rows, type);
  monofold::detail::grouping<word_key, group_rows, contiguous_view<std::int64_t>, wide_items> all(
      cpu_engine{rows.what().num_threads}, keys, items, folder, what.order);
  return all.groups();
}

}  // namespace

group_answers::group_answers(const row_reducer& rows, dtype type, const group_request& what)
    : type_(type),
      num_threads_(rows.what().num_threads),
      lists_(lists_of(rows, type, what)),
      order_(num_threads_, word_key{}, lists_, what.order) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> first{none};  // that has no answer
  order_.visit(num_threads_, lists_, [&](std::int64_t group, const list& from, std::size_t at) {
    if (from.answers[at].code == status::ok) return;
    std::int64_t lowest = first;
    while (group < lowest && !first.compare_exchange_weak(lowest, group)) {
    }
  });
  if (first == none) return;
  order_.visit(1, lists_, [&](std::int64_t group, const list& from, std::size_t at) {
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
  order_.visit(num_threads_, lists_, [&](std::int64_t group, const list& from, std::size_t at) {
    const typed_answer& own = from.answers[at];
    if (keys != nullptr) keys[group] = word_key::key_of(from.keys[at]);
    put(values, group, own.value);
    put(seconds, group, own.second);
    if (indices != nullptr) indices[group] = own.index;
  });
}

}  // namespace monofold::runtime
