#pragma once
/// fold/adapted_sum: running sums of mapped items, and of some of the items.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/fold.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Items that an adapter hands on at once: as many as fill half of a first-level cache.
template <class Item>
inline constexpr std::int64_t adapted_block = sizeof(Item) < 16384
                                                  ? std::int64_t{16384 / sizeof(Item)}
                                                  : 1;

/// Calls take(at, n) for every stretch of items, n from position `at`, for which a predicate holds.
template <class Item, class Predicate, class Take>
MONOFOLD_INLINE void for_each_stretch(const Item* items, std::int64_t count,
                                      const Predicate& predicate, const Take& take) {
  for (std::int64_t at = 0; at < count;) {
    if (!predicate(items[at])) {
      ++at;
      continue;
    }
    std::int64_t end = at + 1;
    while (end < count && predicate(items[end])) ++end;
    take(at, end - at);
    at = end;
  }
}

/// What `Inner`'s running sum makes of f(item).
template <class Item, class Function, class Inner>
class mapped_run {
  using mapped = std::remove_cvref_t<std::invoke_result_t<const Function&, const Item&>>;

 public:
  template <class Fold>
  MONOFOLD_INLINE explicit mapped_run(const Fold& f)
      : inner_(begin_running_sum(f.inner)), function_(f.function) {}

  MONOFOLD_INLINE void add(const Item* items, std::int64_t count) {
    constexpr std::int64_t block = adapted_block<mapped>;
    mapped buffer[block];
    for (std::int64_t at = 0; at < count; at += block) {
      const std::int64_t n = count - at < block ? count - at : block;
      for (std::int64_t i = 0; i < n; ++i) buffer[i] = function_(items[at + i]);
      inner_.add(buffer, n);
    }
  }
  MONOFOLD_INLINE auto total() const { return inner_.total(); }

 private:
  typename Inner::running_sum inner_;
  const Function& function_;
};

/// What it makes of the items for which a predicate holds, and whether there were any.
template <class Item, class Predicate, class Inner, class State>
class filtered_run {
 public:
  template <class Fold>
  MONOFOLD_INLINE explicit filtered_run(const Fold& f)
      : inner_(begin_running_sum(f.inner)), predicate_(f.predicate) {}

  MONOFOLD_INLINE void add(const Item* items, std::int64_t count) {
    if constexpr (is_gathered) {
      add_gathered(items, count);
    } else {
      for_each_stretch(items, count, predicate_, [&](std::int64_t at, std::int64_t n) {
        any_ = true;
        inner_.add(items + at, n);
      });
    }
  }
  MONOFOLD_INLINE State total() const {
    return any_ ? State{inner_.total(), true} : State{typename Inner::state{}, false};
  }

 private:
  /// Small items are gathered; others stay where they are, and what passes goes on stretch by stretch.
  static constexpr bool is_gathered = std::is_trivially_copyable_v<Item> &&
                                      std::is_default_constructible_v<Item> &&
                                      std::is_copy_assignable_v<Item> && sizeof(Item) <= 32;

  MONOFOLD_INLINE void add_gathered(const Item* items, std::int64_t count) {
    constexpr std::int64_t block = adapted_block<Item>;
    Item buffer[block];
    for (std::int64_t at = 0; at < count; at += block) {
      const std::int64_t n = count - at < block ? count - at : block;
      std::int64_t kept = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        // Written in any case: a branch is mispredicted where the items are mixed.
        buffer[kept] = items[at + i];
        kept += predicate_(items[at + i]) ? 1 : 0;
      }
      any_ |= kept != 0;
      inner_.add(buffer, kept);
    }
  }

  typename Inner::running_sum inner_;
  const Predicate& predicate_;
  bool any_ = false;
};

}  // namespace monofold::detail
