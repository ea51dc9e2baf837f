#pragma once
/// engine/gpu/key/groups: brings the items of each key together on a GPU, as segments.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/at_each.cuh"
#include "monofold/engine/gpu/device_list.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/key/grouped_items.cuh"
#include "monofold/engine/gpu/key/sort_pairs.cuh"
#include "monofold/engine/gpu/key/starts.cuh"
#include "monofold/engine/gpu/key/words.cuh"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/keys.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Groups as segments, in device memory.
template <class Key>
struct device_groups {
  device_list<std::int64_t> offsets;  // one more than groups
  device_list<Key> keys;              // as the answer has them
  // The group at each place of the answer; empty: they stand in order.
  device_list<std::uint32_t> order;

  std::int64_t count() const { return keys.size(); }
  bool are_in_order() const { return order.data() == nullptr; }
};

/// The key of a group, from the word of its first item.
template <class View, class Key>
struct decoded_key {
  View words;
  std::uint64_t low;

  MONOFOLD_GPU Key at(std::int64_t place) const {
    return key_words<Key>::key_of(word_at(words, place) + low);
  }
};

/// Stores where a group begins, and its key where groups are in the order of keys. That of group 0 also stores where
/// the last group ends.
template <class View, class Key>
struct put_group {
  decoded_key<View, Key> key;
  std::int64_t size;       // of the words
  const run_count* count;  // of the groups, on the device; null: there is one
  std::int64_t* offsets;
  Key* keys;  // or null

  MONOFOLD_GPU void operator()(std::int64_t group, std::int64_t place) const {
    offsets[group] = place;
    if (keys != nullptr) keys[group] = key.at(place);
    if (group == 0) offsets[count == nullptr ? 1 : count->runs] = size;
  }
};

/// Stores the begin of the first item's group where that is the only group.
template <class Put>
struct first_group {
  Put put;

  MONOFOLD_GPU void operator()(std::int64_t i) const { put(i, 0); }
};

/// Stores the key of each group where groups are in another order than keys.
template <class View, class Key>
struct ordered_keys {
  decoded_key<View, Key> key;
  const std::int64_t* offsets;
  const std::uint32_t* order;
  Key* to;

  MONOFOLD_GPU void operator()(std::int64_t p) const { to[p] = key.at(offsets[order[p]]); }
};

/// Groups that are runs of equal words. Their keys are stored where groups are in the order of keys.
///
/// shape      at least one word
/// sync       does not wait
/// errors     throws `error`
template <class Key, class View>
device_groups<Key> groups_of(const device_stream& on, const run_starts& runs, const View& words,
                             std::uint64_t low, key_order order) {
  device_groups<Key> out;
  out.offsets = device_list<std::int64_t>(on, runs.count() + 1);
  out.keys = device_list<Key>(on, runs.count());
  runs.place(put_group<View, Key>{{words, low},
                                  static_cast<std::int64_t>(words.size()),
                                  runs.flags().count,
                                  out.offsets.data(),
                                  order == key_order::sorted ? out.keys.data() : nullptr});
  return out;
}

/// Sorts keys, so that the items of each key lie side by side, as a group.
///
/// shape      at least one key, as many values, which were checked
/// order      the items of a group stay in the order of the input
/// sync       waits for the range of the keys, and for the number of groups
/// errors     throws `error`; unsupported: 2^32 items or more
/// cost       keys that are near each other become words of 4 bytes, others words of 8. Only the bits that differ are
///            sorted. Items of 4 or 8 bytes that lie in memory are sorted with the words; of others, their places are,
///            by which they are then copied
/// source     radix sort: Adinets, Merrill 2022, arXiv:2206.01784 (CUB's)
/// tested by  tests/gpu/group_by_sums_test.cu
template <class KeyView, class View>
class key_sort {
 public:
  using key = typename KeyView::item_type;
  using item = typename View::item_type;
  using gathered = grouped_items<item>;
  static constexpr bool in_memory =
      contiguous_item_view<View> &&
      std::is_same_v<typename gathered::view_type, contiguous_view<item>>;

  key_sort(const device_stream& on, const KeyView& keys, const View& values, key_order order)
      : on_(on), keys_(keys), values_(values), count_(keys.size()), order_(order) {
    if (count_ > most_items) {
      throw error(status::unsupported, "on a GPU group_by takes fewer than 2^32 items");
    }
    using fold = word_range_fold<key>;
    const typename fold::state range = wait_for_state(on, fold{}, keys);
    low_ = range.low;
    const int bits = bit_width_of(range.high - range.low);
    if (bits == 0) {
      take_all();
    } else if (bits <= 32) {
      sort<std::uint32_t>(bits);
    } else {
      sort<std::uint64_t>(bits);
    }
  }

  const device_groups<key>& groups() const { return groups_; }

  /// The items in their new places, group after group.
  typename gathered::view_type items() const {
    if constexpr (in_memory) {
      if (!items_.is_there()) return {values_.data(), count_};
    }
    return items_.view();
  }

 private:
  // Places take 4 bytes; 8 would take 150 GB.
  static constexpr std::int64_t most_items = 0xffffffff;
  static constexpr bool may_go_along =
      in_memory && is_number_v<item> && (sizeof(item) == 4 || sizeof(item) == 8);
  using payload = std::conditional_t<sizeof(item) == 8, std::uint64_t, std::uint32_t>;

  /// Makes one group of all items, which stay where they are; for one key.
  void take_all() {
    groups_.offsets = device_list<std::int64_t>(on_, 2);
    groups_.keys = device_list<key>(on_, 1);
    const put_group<KeyView, key> put{
        {keys_, 0}, count_, nullptr, groups_.offsets.data(), groups_.keys.data()};
    at_each(on_, 1, first_group<put_group<KeyView, key>>{put});
    if constexpr (!in_memory) gather(nullptr);
  }

  template <class Word>
  void sort(int bits) {
    device_list<Word> words(on_, count_);
    device_list<std::uint32_t> places;
    {
      const device_list<Word> unsorted(on_, count_);
      at_each(on_, count_, encode_keys<KeyView, Word>{keys_, low_, unsorted.data()});
      if (may_go_along && order_ == key_order::sorted) {
        if constexpr (may_go_along) {
          items_ = gathered(on_, count_);
          sort_pairs(on_, unsorted.data(), words.data(),
                     reinterpret_cast<const payload*>(values_.data()),
                     reinterpret_cast<payload*>(items_.data()), count_, bits);
        }
      } else {
        places = device_list<std::uint32_t>(on_, count_);
        const device_list<std::uint32_t> numbers = numbers_below(count_);
        sort_pairs(on_, unsorted.data(), words.data(), numbers.data(), places.data(), count_, bits);
      }
    }
    const contiguous_view<Word> sorted(words.data(), count_);
    groups_ = groups_of<key>(on_, run_starts(on_, sorted), sorted, low_, order_);
    if (order_ == key_order::first) {
      order_by_first(places.data());
      at_each(
          on_, groups_.count(),
          ordered_keys<contiguous_view<Word>, key>{
              {sorted, low_}, groups_.offsets.data(), groups_.order.data(), groups_.keys.data()});
    }
    words.give_back();
    if (places.data() != nullptr) gather(places.data());
  }

  device_list<std::uint32_t> numbers_below(std::int64_t count) const {
    device_list<std::uint32_t> out(on_, count);
    at_each(on_, count, number_items{out.data()});
    return out;
  }

  void gather(const std::uint32_t* places) {
    items_ = gathered(on_, count_);
    items_.gather(on_, values_, places);
  }

  /// Puts groups in the order of their first items, whose places are in `places`.
  void order_by_first(const std::uint32_t* places) {
    using place_view = contiguous_view<std::uint32_t>;
    const std::int64_t count = groups_.offsets.size() - 1;
    const device_list<std::uint32_t> firsts(on_, count);
    const device_list<std::uint32_t> sorted(on_, count);
    at_each(on_, count,
            gather_items<place_view, std::int64_t>{place_view(places, count_),
                                                   groups_.offsets.data(), firsts.data()});
    groups_.order = device_list<std::uint32_t>(on_, count);
    const device_list<std::uint32_t> numbers = numbers_below(count);
    sort_pairs(on_, firsts.data(), sorted.data(), numbers.data(), groups_.order.data(), count,
               bit_width_of(static_cast<std::uint64_t>(count_)));
  }

  device_stream on_;
  const KeyView& keys_;
  const View& values_;
  std::int64_t count_;
  key_order order_;
  std::uint64_t low_ = 0;
  device_groups<key> groups_;
  gathered items_;
};

}  // namespace monofold::detail
