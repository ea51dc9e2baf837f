#pragma once
/// engine/group: brings the items of each key together.

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/detail/key_numbers.hpp"
#include "monofold/engine/detail/parts.hpp"
#include "monofold/engine/detail/raw_array.hpp"
#include "monofold/engine/group_folder.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/shape/keys.hpp"
#include "monofold/shape/segments.hpp"

namespace monofold::detail {

/// Groups in the order in which they were found.
template <class Stored, class Finished>
struct group_list {
  std::vector<Stored> keys;
  std::vector<Finished> answers;
  std::vector<std::int64_t> firsts;  // where each group's first item lies; empty: nobody asked

  std::int64_t size() const { return static_cast<std::int64_t>(keys.size()); }
};

/// The groups of items by key.
///
/// shape      `Folder` makes the answers of items that lie side by side: as group_folder
/// order      a group's items are folded as they follow each other in the input, so that an answer is that
///            of `reduce` of them alone, whatever the threads
/// cost       keys, items (and positions, where they are asked for) are copied once, twice where there are
///            more than `most_few` groups; no state outlives its group
/// source     partition before aggregation: Manegold, Boncz, Kersten 2002, IEEE TKDE 14(4)
/// tested by  tests/api/group_by_test.cpp
template <class Keys, class Folder, class KeyView, class View>
class grouping {
 public:
  using stored = typename Keys::stored;
  using item = typename View::item_type;
  using list = group_list<stored, typename Folder::finished>;

  grouping(const cpu_engine& engine, const KeyView& keys, const View& values, const Folder& folder,
           key_order order)
      : num_threads_(engine.num_threads),
        keys_(keys),
        values_(values),
        folder_(folder),
        order_(order),
        chunks_(chunk_list::of(values.size(), engine.num_threads)) {}

  std::vector<list> groups() {
    std::vector<list> out;
    if (!group_few(out)) group_many(out);
    return out;
  }

 private:
  /// So many groups take places in a second-level cache, and their numbers 2 bytes.
  static constexpr std::int64_t most_few = 1 << 10;
  static constexpr int most_part_bits = 11;
  /// Keys, items, numbers and a table of so many items stay in a second-level cache.
  static constexpr std::int64_t part_items = 1 << 13;

  stored key_at(std::int64_t i) const { return Keys::of(keys_[i]); }

  template <class Body>
  void each_chunk(const Body& body) const {
    parallel_for(num_threads_, chunks_.num_chunks,
                 [&](std::int64_t c) { body(c, chunks_.begin(c), chunks_.begin(c + 1)); });
  }

  /// The keys of a chunk as they first appear, how often each does, and which group it is.
  struct chunk_keys {
    std::vector<stored> keys;
    std::vector<std::int64_t> counts;
    std::vector<std::uint32_t> parts;
    bool too_many = false;
  };

  /// Keys that lie near each other are looked up by their distance; false: some do not, and nothing is numbered.
  bool number_near_keys(chunk_keys& out, std::int64_t begin, std::int64_t end,
                        std::uint16_t* numbers) const requires(Keys::is_word) {
    constexpr std::uint64_t most_near = 1 << 13;  // 16 KiB of numbers: half a first-level cache
    constexpr std::int64_t sample = 1 << 10;
    std::uint64_t low = key_at(begin);
    std::uint64_t high = low;
    for (std::int64_t i = begin; i < std::min(end, begin + sample); ++i) {
      low = std::min(low, key_at(i));
      high = std::max(high, key_at(i));
    }
    if (high - low >= most_near / 2) return false;
    const std::uint64_t base = low - (most_near - (high - low)) / 2;  // as much below as above
    std::uint16_t number_at[most_near] = {};                          // 0, or one more than it
    std::int64_t counts[most_few] = {};
    for (std::int64_t i = begin; i < end; ++i) {
      const stored key = key_at(i);
      if (key - base >= most_near) {
        out.keys.clear();
        return false;
      }
      std::uint16_t& number = number_at[key - base];
      if (number == 0) {
        out.too_many = out.keys.size() == most_few;
        if (out.too_many) return true;
        out.keys.push_back(key);
        number = static_cast<std::uint16_t>(out.keys.size());
      }
      ++counts[number - 1];
      numbers[i] = static_cast<std::uint16_t>(number - 1);
    }
    out.counts.assign(counts, counts + out.keys.size());
    return true;
  }

  void number_chunk(chunk_keys& out, std::int64_t begin, std::int64_t end,
                    std::uint16_t* numbers) const {
    if constexpr (Keys::is_word) {
      if (begin == end || number_near_keys(out, begin, end, numbers)) return;
    }
    key_numbers<Keys> known(0);
    std::int64_t counts[most_few + 1] = {};
    for (std::int64_t i = begin; i < end; ++i) {
      const std::uint32_t number = known.number_of(key_at(i));
      if (number >= most_few) {
        out.too_many = true;
        return;
      }
      ++counts[number];
      numbers[i] = static_cast<std::uint16_t>(number);
    }
    out.keys = known.keys();
    out.counts.assign(counts, counts + known.size());
  }

  /// One pass that numbers keys, one that brings items together; false where there are too many groups.
  bool group_few(std::vector<list>& out) {
    const std::int64_t n = values_.size();
    raw_array<std::uint16_t> numbers(n);
    std::vector<chunk_keys> found(static_cast<std::size_t>(chunks_.num_chunks));
    const auto found_in = [&](std::int64_t c) -> chunk_keys& {
      return found[static_cast<std::size_t>(c)];
    };
    // The first chunk alone tells most inputs that have many.
    number_chunk(found_in(0), 0, chunks_.begin(1), numbers.data());
    if (found_in(0).too_many) return false;
    parallel_for(num_threads_, chunks_.num_chunks - 1, [&](std::int64_t c) {
      number_chunk(found_in(c + 1), chunks_.begin(c + 1), chunks_.begin(c + 2), numbers.data());
    });
    key_numbers<Keys> known(0);
    for (chunk_keys& own : found) {
      if (own.too_many) return false;
      for (const stored& key : own.keys) own.parts.push_back(known.number_of(key));
      if (static_cast<std::int64_t>(known.size()) > 4 * most_few) return false;
    }
    part_places places(chunks_.num_chunks, static_cast<std::int64_t>(known.size()));
    for (std::int64_t c = 0; c < chunks_.num_chunks; ++c) {
      const chunk_keys& own = found_in(c);
      for (std::size_t k = 0; k < own.keys.size(); ++k) {
        places.of_chunk(c)[own.parts[k]] = own.counts[k];
      }
    }
    places.count_up();
    const moved_items<item> moved = moved_items<item>::of(n, Folder::wants_positions);
    each_chunk([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      const chunk_keys& own = found_in(c);
      std::int64_t next[most_few];
      for (std::size_t k = 0; k < own.keys.size(); ++k) {
        next[k] = places.of_chunk(c)[own.parts[k]];
      }
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t to = next[numbers[i]]++;
        moved.items[to] = values_[i];
        if (moved.positions) moved.positions[to] = i;
      }
    });
    list& all = out.emplace_back();
    all.keys = known.keys();
    folder_.fold_all(all.answers, moved, {places.offsets(), places.num_parts()});
    if (order_ == key_order::first) {
      for (std::int64_t g = 0; g < all.size(); ++g) all.firsts.push_back(g);
    }
    return true;
  }

  /// Parts by hash, which fit a second-level cache; in each of them the items of a group side by side.
  void group_many(std::vector<list>& out) {
    const std::int64_t n = values_.size();
    const auto wanted = static_cast<std::uint64_t>(n / part_items);
    const int bits = std::clamp(bit_width_of(wanted), 1, most_part_bits);
    part_places places(chunks_.num_chunks, std::int64_t{1} << bits);
    raw_array<std::uint16_t> parts(n);
    each_chunk([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      std::int64_t* const counts = places.of_chunk(c);
      for (std::int64_t i = begin; i < end; ++i) {
        const auto part = static_cast<std::uint16_t>(Keys::hash(key_at(i)) >> (64 - bits));
        parts[i] = part;
        ++counts[part];
      }
    });
    places.count_up();
    const moved_items<item> moved =
        moved_items<item>::of(n, Folder::wants_positions || order_ == key_order::first);
    const raw_array<stored> keys(n);
    each_chunk([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      std::int64_t* const next = places.of_chunk(c);
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t to = next[parts[i]]++;
        keys[to] = key_at(i);
        moved.items[to] = values_[i];
        if (moved.positions) moved.positions[to] = i;
      }
    });
    parts = raw_array<std::uint16_t>();
    const std::int64_t pieces =
        std::min(places.num_parts(), std::int64_t{16} * concurrency(num_threads_));
    out.resize(static_cast<std::size_t>(pieces));
    parallel_for(num_threads_, pieces, [&](std::int64_t piece) {
      const chunk_list all{places.num_parts(), pieces};
      group_parts(out[static_cast<std::size_t>(piece)], all.begin(piece), all.begin(piece + 1),
                  places, keys.data(), moved, bits);
    });
  }

  /// The groups of some parts, on one thread.
  void group_parts(list& out, std::int64_t first, std::int64_t last, const part_places& places,
                   const stored* keys, const moved_items<item>& moved, int bits) const {
    std::int64_t most = 0;
    for (std::int64_t p = first; p < last; ++p) most = std::max(most, places.size(p));
    key_numbers<Keys> known(bits);
    const raw_array<std::uint32_t> numbers(most);
    const moved_items<item> own = moved_items<item>::of(most, Folder::wants_positions);
    std::vector<std::int64_t> next;
    for (std::int64_t p = first; p < last; ++p) {
      const std::int64_t at = places.begin(p);
      const std::int64_t count = places.size(p);
      known.clear();
      next.clear();
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t number = known.number_of(keys[at + i]);
        numbers[i] = number;
        if (number == next.size()) {
          next.push_back(0);
          if (order_ == key_order::first) out.firsts.push_back(moved.positions[at + i]);
        }
        ++next[number];
      }
      std::int64_t begin = 0;
      for (std::int64_t& one : next) begin += std::exchange(one, begin);
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t to = next[numbers[i]]++;
        own.items[to] = std::move(moved.items[at + i]);
        if (own.positions) own.positions[to] = moved.positions[at + i];
      }
      folder_.fold_part(out.answers, own, next);
      out.keys.insert(out.keys.end(), known.keys().begin(), known.keys().end());
    }
  }

  int num_threads_;
  const KeyView& keys_;
  const View& values_;
  const Folder& folder_;
  key_order order_;
  chunk_list chunks_;
};

}  // namespace monofold::detail
