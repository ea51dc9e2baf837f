#pragma once
/// engine/gpu/key/words: keys as words with the order of keys, and the range of these words.

#include <cstdint>

#include "monofold/engine/gpu/dispatch.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/keys.hpp"

namespace monofold::detail {

/// Keys that are one word, so that a kernel reads no other memory for them.
template <class Key>
concept device_key = group_key<Key> && stored_key<Key>::is_word;

template <class View>
MONOFOLD_HD std::uint64_t word_at(const View& keys, std::int64_t i) {
  return key_words<typename View::item_type>::word_of(keys[i]);
}

/// Finds the lowest and the highest word of keys.
template <class Key>
struct word_range_fold {
  struct state {
    std::uint64_t low, high;
  };
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_HD state lift(const Key& key, std::int64_t) const {
    const std::uint64_t word = key_words<Key>::word_of(key);
    return {word, word};
  }
  MONOFOLD_HD state combine(const state& l, const state& r) const {
    return {l.low < r.low ? l.low : r.low, l.high < r.high ? r.high : l.high};
  }
  MONOFOLD_HD state identity() const { return {~std::uint64_t{0}, 0}; }
};

/// Folds a view that was checked, and waits for the state.
template <class F, class View>
typename F::state wait_for_state(const device_stream& on, const F& f, const View& view) {
  typename F::state out = f.identity();
  throw_if(
      fold_in_place<kernel_choice::one>(on, awaited_state::of_device(on.device), f, view, out));
  return out;
}

/// Turns each key into its word, less the lowest word.
template <class View, class Word>
struct encode_keys {
  View keys;
  std::uint64_t low;
  Word* to;

  MONOFOLD_GPU void operator()(std::int64_t i) const {
    to[i] = static_cast<Word>(word_at(keys, i) - low);
  }
};

}  // namespace monofold::detail
