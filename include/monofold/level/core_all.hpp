#pragma once
/// level/core_all: folds tiles with several folds in turn, while they are in the nearest cache.

#include <cstdint>

#include "monofold/fold/all.hpp"
#include "monofold/level/core.hpp"

namespace monofold {

namespace detail {

template <class Item, class First, class... Rest>
class member_folders {
 public:
  MONOFOLD_INLINE explicit member_folders(const fold_list<First, Rest...>& folds)
      : first_(folds.first), rest_(folds.rest) {}

  MONOFOLD_INLINE void add(const Item* items, std::int64_t count, std::int64_t index) {
    first_.add(items, count, index);
    rest_.add(items, count, index);
  }
  MONOFOLD_INLINE state_list<typename First::state, typename Rest::state...> total() const {
    return {first_.total(), rest_.total()};
  }

 private:
  node_folder<First, Item> first_;
  member_folders<Item, Rest...> rest_;
};

template <class Item, class Last>
class member_folders<Item, Last> {
 public:
  MONOFOLD_INLINE explicit member_folders(const fold_list<Last>& folds) : last_(folds.first) {}

  MONOFOLD_INLINE void add(const Item* items, std::int64_t count, std::int64_t index) {
    last_.add(items, count, index);
  }
  MONOFOLD_INLINE state_list<typename Last::state> total() const { return {last_.total()}; }

 private:
  node_folder<Last, Item> last_;
};

}  // namespace detail

/// The members of an `all` one after the other on each block, each with slots of its own.
template <class Item, class... Folds>
class node_folder<all_fold<Folds...>, Item> {
 public:
  using state = typename all_fold<Folds...>::state;

  MONOFOLD_INLINE explicit node_folder(const all_fold<Folds...>& f) : folders_(f.members) {}
  MONOFOLD_INLINE void add(const Item* items, std::int64_t count, std::int64_t index) {
    folders_.add(items, count, index);
  }
  MONOFOLD_INLINE state total() const { return folders_.total(); }

 private:
  detail::member_folders<Item, Folds...> folders_;
};

namespace detail {

template <class Item, class First, class... Rest>
MONOFOLD_INLINE state_list<typename First::state, typename Rest::state...> fold_row_by(
    const fold_list<First, Rest...>& folds, const Item* items, int count, std::int64_t index) {
  if constexpr (sizeof...(Rest) == 0) {
    return {row_folder<First, Item>::fold(folds.first, items, count, index)};
  } else {
    return {row_folder<First, Item>::fold(folds.first, items, count, index),
            fold_row_by(folds.rest, items, count, index)};
  }
}

}  // namespace detail

template <class Item, class... Folds>
struct row_folder<all_fold<Folds...>, Item> {
  MONOFOLD_INLINE static typename all_fold<Folds...>::state fold(const all_fold<Folds...>& f,
                                                                 const Item* items, int count,
                                                                 std::int64_t index) {
    return detail::fold_row_by(f.members, items, count, index);
  }
};

}  // namespace monofold
