/// runtime/loops-inl: the loops of level/core as loops of members, compiled for one instruction set.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_LOOPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_LOOPS_INL
#undef MONOFOLD_RUNTIME_LOOPS_INL
#else
#define MONOFOLD_RUNTIME_LOOPS_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "monofold/fold/fold.hpp"
#include "monofold/level/core.hpp"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/strict_arithmetic.hpp"
#include "runtime/choose_loop.hpp"
#include "runtime/folder.hpp"
#include "runtime/member_folds.hpp"
#include "runtime/slow_ways.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

/// `fold(f, items, index, ahead)`: the state of a full tile; by level/core, unless a source file knows
/// something faster.
template <class Fold, class Item>
struct tile_loop {
  HWY_INLINE static typename Fold::state fold(const Fold& f, const Item* items, std::int64_t index,
                                              std::ptrdiff_t) {
    return fold_tile(f, items, tile_items_v<Item>, index);
  }
};

/// `add(f, own, items, count, index, ahead)`: adds the next items; likewise. Where there is an `add_numbers`, it is for
/// those of which none is NaN.
template <class Fold, class Item>
struct item_loop {
  HWY_INLINE static void add(const Fold& f, partial<Fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t ahead) {
    if constexpr (partial<Fold, Item>::by_runs) {
      if constexpr (HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR) {
        absorb_slowly(f, own.held, items, count, index);  // that is compiled for this target
      } else {
        f.absorb_run(own.held, items, count, index);
      }
    } else {
      constexpr int tile = tile_items_v<Item>;
      std::int64_t done = 0;
      for (; done + tile <= count; done += tile) {
        own.held.push(f, tile_loop<Fold, Item>::fold(f, items + done, index + done, ahead));
      }
      if (done < count) {
        const int rest = static_cast<int>(count - done);
        own.held.push(f, fold_last_tile(f, items + done, rest, index + done));
      }
    }
  }
};

struct callers_arithmetic {};

/// Exact folds do not depend on how the caller's arithmetic rounds, nor on whether it takes subnormal numbers for 0.
template <class Fold, class Item>
using loop_arithmetic = std::conditional_t<is_floating_v<Item> && is_exact_v<Fold>,
                                           strict_arithmetic, callers_arithmetic>;

template <class Fold, class Item>
void add_items(member_folder& base, const void* items, std::int64_t count, std::int64_t index) {
  auto& own = static_cast<folder<Fold, Item>&>(base);
  using loop = item_loop<Fold, Item>;
  const auto* const p = static_cast<const Item*>(items);
  [[maybe_unused]] const loop_arithmetic<Fold, Item> arithmetic;
  if constexpr (requires { loop::add_numbers(own.part, p, count, index, own.ahead()); }) {
    if (own.expects_numbers) return loop::add_numbers(own.part, p, count, index, own.ahead());
  }
  loop::add(own.fold, own.part, p, count, index, own.ahead());
}

enum class items_of { any_type, floats, integers };

/// The loop of what is asked for where it is one of `kinds` over such items; else null.
template <items_of types, family... kinds>
member_folder::loop loop_of(const member_request& what) {
  return visit_dtype(what.type, [&]<class Item>() -> member_folder::loop {
    constexpr bool wanted =
        types == items_of::any_type || (types == items_of::floats) == is_floating_v<Item>;
    if constexpr (wanted) {
      return visit_families<Item>(
          family_list<kinds...>{}, what,
          []<family kind, class Element, nan_rule rule>() -> member_folder::loop {
            return add_items<member_fold_t<kind, Element, rule>, member_item_t<kind, Element>>;
          });
    }
    return nullptr;
  });
}

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_LOOPS_INL

// Last in a source file: `name` finds a loop in `find` of the instruction set in use.
#if HWY_ONCE && !defined(MONOFOLD_EXPORT_LOOPS)
#define MONOFOLD_EXPORT_LOOPS(name)                      \
  namespace monofold::runtime {                          \
  member_folder::loop name(const member_request& what) { \
    return MONOFOLD_CHOOSE_LOOP(find)(what);             \
  }                                                      \
  }
#endif
