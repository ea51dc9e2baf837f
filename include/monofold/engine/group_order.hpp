#pragma once
/// engine/group_order: where groups that were found in several lists stand in the answer.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "monofold/engine/detail/parallel.hpp"
#include "monofold/engine/detail/parts.hpp"
#include "monofold/engine/detail/raw_array.hpp"
#include "monofold/engine/detail/sorted_entries.hpp"
#include "monofold/engine/group.hpp"
#include "monofold/shape/keys.hpp"

namespace monofold::detail {

/// The order of the groups of some lists: by key, or by where their first items lie.
class group_order {
 public:
  template <class Keys, class List>
  group_order(int num_threads, Keys, const std::vector<List>& lists, key_order order)
      : begins_(lists.size() + 1) {
    for (std::size_t l = 0; l < lists.size(); ++l) begins_[l + 1] = begins_[l] + lists[l].size();
    entries_ = raw_array<sorted_entry>(size());
    const bool by_first = order == key_order::first;
    parallel_for(num_threads, static_cast<std::int64_t>(lists.size()), [&](std::int64_t l) {
      const List& own = lists[static_cast<std::size_t>(l)];
      sorted_entry* to = entries_.data() + begins_[static_cast<std::size_t>(l)];
      for (std::int64_t i = 0; i < own.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        std::uint64_t word = 0;
        if (by_first) word = static_cast<std::uint64_t>(own.firsts[at]);
        if constexpr (Keys::is_word) word = by_first ? word : own.keys[at];
        *to++ = {word, l << index_bits | i};
      }
    });
    if (Keys::is_word || by_first) {
      sort_entries(num_threads, entries_, size());
      return;
    }
    const auto key_of = [&](const sorted_entry& e) -> const auto& {
      return lists[list_of(e)].keys[index_of(e)];
    };
    std::sort(entries_.data(), entries_.data() + size(),
              [&](const auto& a, const auto& b) { return Keys::before(key_of(a), key_of(b)); });
  }

  std::int64_t size() const { return begins_.back(); }

  /// Calls visit(place in the answer, list, place in the list) for each group.
  template <class List, class Visit>
  void visit(int num_threads, const std::vector<List>& lists, const Visit& visit) const {
    const chunk_list chunks = chunk_list::of(size(), num_threads);
    parallel_for(num_threads, chunks.num_chunks, [&](std::int64_t c) {
      for (std::int64_t i = chunks.begin(c); i < chunks.begin(c + 1); ++i) {
        visit(i, lists[list_of(entries_[i])], index_of(entries_[i]));
      }
    });
  }

 private:
  static constexpr int index_bits = 44;  // of a group in its list; the lists are some thousand

  static std::size_t list_of(const sorted_entry& e) {
    return static_cast<std::size_t>(e.source >> index_bits);
  }
  static std::size_t index_of(const sorted_entry& e) {
    return static_cast<std::size_t>(e.source & ((std::int64_t{1} << index_bits) - 1));
  }

  std::vector<std::int64_t> begins_;
  raw_array<sorted_entry> entries_;
};

}  // namespace monofold::detail
