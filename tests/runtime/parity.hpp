#pragma once
/// tests/runtime/parity: the runtime's answers against those of the header folds, bit for bit.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "monofold/reduce.hpp"
#include "runtime/reducer.hpp"
#include "tests/runtime/hard_items.hpp"

namespace parity {

namespace mf = monofold;
using hard_items::pattern;
using hard_items::sequence;
using mf::runtime::answer;
using mf::runtime::nan_policy;
using mf::runtime::number;
using mf::runtime::operation;
using mf::runtime::reducer;
using mf::runtime::request;

/// Puts the instruction set back.
struct scene {
  scene() = default;
  scene(const scene&) = delete;
  scene& operator=(const scene&) = delete;
  ~scene() { mf::runtime::use_instruction_set(before); }

  std::string before = mf::runtime::instruction_set();
};

/// The tag and the bits of a number: of a NaN too, and of the sign of a zero.
inline std::string text_of(const number& value) {
  return std::visit(
      []<class T>(T held) -> std::string {
        if constexpr (std::is_same_v<T, double>) {
          return "double " + std::to_string(held) + " " +
                 std::to_string(std::bit_cast<std::uint64_t>(held));
        } else if constexpr (std::is_same_v<T, float>) {
          return "float " + std::to_string(held) + " " +
                 std::to_string(std::bit_cast<std::uint32_t>(held));
        } else {
          return (std::is_same_v<T, bool> ? "bool "
                  : std::is_signed_v<T>   ? "int "
                                          : "uint ") +
                 std::to_string(held);
        }
      },
      value);
}

inline bool same_number(const number& a, const number& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&b]<class T>(T held) {
        const T other = std::get<T>(b);
        if constexpr (std::is_same_v<T, double>) {
          return std::bit_cast<std::uint64_t>(held) == std::bit_cast<std::uint64_t>(other);
        } else if constexpr (std::is_same_v<T, float>) {
          return std::bit_cast<std::uint32_t>(held) == std::bit_cast<std::uint32_t>(other);
        } else {
          return held == other;
        }
      },
      a);
}

inline bool same_answer(const answer& a, const answer& b) {
  return a.op == b.op && a.code == b.code && a.indices == b.indices && a.first_nan == b.first_nan &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                    same_number);
}

inline std::string text_of(const answer& a) {
  std::string out = std::string(mf::runtime::info(a.op).name) + ": " + describe(a.code);
  for (const number& value : a.values) out += ", " + text_of(value);
  for (const std::int64_t index : a.indices) out += ", index " + std::to_string(index);
  return out + ", first NaN " + std::to_string(a.first_nan);
}

/// The number that an item of the headers is at run time.
template <class T>
number number_of(const T& value) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double>) {
    return value;
  } else if constexpr (mf::is_floating_v<T>) {
    return static_cast<float>(value);
  } else if constexpr (std::is_signed_v<T>) {
    return std::int64_t{value};
  } else {
    return std::uint64_t{value};
  }
}

template <class T>
answer one(operation op, const mf::result<T>& value) {
  answer out{op};
  out.code = value.code();
  if (value) out.values.push_back(number_of(*value));
  return out;
}

/// The header-only call on one thread.
template <class Range, class Fold>
auto by_headers(const Range& range, const Fold& fold) {
  return mf::try_reduce(mf::cpu(1), range, fold);
}

/// An exact fold in a loop of its own, item by item: none of the loops that library and headers share.
template <class Range, class Fold>
auto one_by_one(const Range& range, const Fold& fold) {
  typename Fold::state own = fold.identity();
  const auto count = static_cast<std::int64_t>(range.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const auto& item = range[static_cast<decltype(range.size())>(i)];
    if constexpr (requires { fold.absorb(own, item, i); }) {
      fold.absorb(own, item, i);
    } else {
      own = fold.combine(own, fold.lift(item, i));
    }
  }
  return mf::finish_state(fold, own);
}

/// How items reach a reducer: the answer must not depend on it.
struct way {
  std::string instructions;
  int num_threads;
  int chunking;
  std::int64_t offset;
};
inline constexpr int num_chunkings = 6;
inline constexpr int thread_counts[] = {1, 2, 3, 8};
inline constexpr std::int64_t offsets[] = {0, 1, 3, 7};

/// The size of the chunk after `at` items. 0: all at once.
inline std::int64_t chunk_size(int chunking, std::int64_t at, std::int64_t n, std::int64_t tile) {
  switch (chunking) {
    case 1: return n <= 300 ? 1 : 997;
    case 2: return tile;
    case 3: return tile - 1;
    case 4: return at + 1;  // doubling
    case 5: return at == 0 ? 2 * n / 3 + 1 : n;
    default: return n;
  }
}

inline std::string text_of(const way& how) {
  return how.instructions + ", " + std::to_string(how.num_threads) + " threads, chunking " +
         std::to_string(how.chunking) + ", offset " + std::to_string(how.offset);
}

/// One plain way and `drawn` others for each instruction set.
inline std::vector<way> ways(int drawn, std::uint64_t seed) {
  std::vector<way> out;
  for (const std::string& name : mf::runtime::instruction_sets()) {
    out.push_back({name, 1, 0, 0});
    for (int d = 0; d < drawn; ++d) {
      const std::uint64_t random = inputs::mixed(seed + 100 * static_cast<std::uint64_t>(d));
      out.push_back({name, thread_counts[random % 4],
                     static_cast<int>((random >> 8) % num_chunkings), offsets[(random >> 20) % 4]});
    }
  }
  return out;
}

/// Every chunking by every number of threads, the offsets in turn: another turn, others.
inline std::vector<way> every_way(int turn) {
  std::vector<way> out;
  for (const std::string& name : mf::runtime::instruction_sets()) {
    for (const int num_threads : thread_counts) {
      for (int chunking = 0; chunking < num_chunkings; ++chunking) {
        out.push_back({name, num_threads, chunking, offsets[turn++ % 4]});
      }
    }
  }
  return out;
}

/// What the runtime answers to the only operation of `what`.
template <class Item>
answer by_runtime(request what, sequence<Item>& items, const way& how) {
  EXPECT_TRUE(mf::runtime::use_instruction_set(how.instructions));
  const auto n = static_cast<std::int64_t>(items.items().size());
  const Item* const p = items.at(how.offset);
  what.num_threads = how.num_threads;
  reducer running(what);
  for (std::int64_t at = 0; at < n;) {
    const std::int64_t count =
        std::min(n - at, chunk_size(how.chunking, at, n, mf::tile_items_v<Item>));
    if (what.ops.front() == operation::dot) {
      running.push_pairs(p + at, items.rotated() + at, count);
    } else {
      running.push(p + at, count);
    }
    at += count;
  }
  return running.finish().front();
}

/// An operation, and the calls of the headers that give its answer where NaN propagate and where
/// they are left out (the same for integers). Pairs are made of an item and the one after it.
template <class Item>
struct check {
  using header_call = answer (*)(operation op, std::span<const Item> items, const request& what);
  operation op;
  header_call propagating;
  header_call omitting;
  bool plain = false;
  std::int64_t ddof = 0;
  std::int64_t k = 10;
};

template <class Item>
mf::dtype dtype_of() {
  for (const mf::dtype_info& entry : mf::dtypes) {
    if (mf::visit_dtype(entry.type, []<class T>() { return std::is_same_v<T, Item>; })) {
      return entry.type;
    }
  }
  return mf::dtype::boolean;
}

template <class Item>
answer wanted_answer(const check<Item>& one, const request& what, sequence<Item>& items) {
  // The product of a pair decides whether it is NaN: infinity times zero is.
  const std::int64_t first_nan =
      one.op == operation::dot ? items.first_nan_product() : items.first_nan();
  const bool counts = one.op == operation::count || one.op == operation::nan;
  if (what.nan == nan_policy::raise && first_nan >= 0 && !counts) {
    answer out{one.op};
    out.code = mf::status::nan_found;
    out.first_nan = first_nan;
    return out;
  }
  const auto call = what.nan == nan_policy::omit ? one.omitting : one.propagating;
  return call(one.op, items.items(), what);
}

template <class Item>
bool expect_same(const check<Item>& one, nan_policy nan, pattern kind, sequence<Item>& items,
                 const std::vector<way>& all_ways) {
  request what;
  what.type = dtype_of<Item>();
  what.ops = {one.op};
  what.nan = nan;
  what.plain = one.plain;
  what.ddof = one.ddof;
  what.k = one.k;
  const answer wanted = wanted_answer(one, what, items);
  for (const way& how : all_ways) {
    const answer got = by_runtime(what, items, how);
    if (same_answer(got, wanted)) continue;
    ADD_FAILURE() << mf::info(what.type).name << (one.plain ? " plain" : "") << ", policy "
                  << static_cast<int>(nan) << ", " << items.items().size() << " items, pattern "
                  << static_cast<int>(kind) << ", " << text_of(how) << "\n  got    " << text_of(got)
                  << "\n  wanted " << text_of(wanted);
    return false;
  }
  return true;
}

/// Runs every check over sizes, patterns and policies by some ways, and one size by every way.
/// A check that fails is reported once and left out from then on.
template <class Item>
void sweep(std::vector<check<Item>> checks) {
  constexpr bool floating = mf::is_floating_v<Item>;
  constexpr int kinds = floating ? hard_items::num_patterns : hard_items::num_integer_patterns;
  std::uint64_t seed = 0;
  for (const std::int64_t n : hard_items::sizes<Item>()) {
    for (int k = 0; k < kinds; ++k) {
      const auto kind = static_cast<pattern>(k);
      if (!hard_items::is_worth_it<Item>(kind, n)) continue;
      sequence<Item> items(kind, n, ++seed);
      const bool is_large = n > 4 * mf::tile_items_v<Item>;
      const int drawn = is_large ? 1 : 2;
      // The policies for NaN take turns with large arrays.
      const auto left_out = (n + k) % 2 == 0 ? nan_policy::omit : nan_policy::raise;
      std::erase_if(checks, [&](const check<Item>& one) {
        for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit, nan_policy::raise}) {
          // For integers the policies make no difference: once is enough to see that.
          if (!floating && nan != nan_policy::propagate && k != 0) continue;
          if (is_large && nan == left_out) continue;
          if (!expect_same(one, nan, kind, items, ways(drawn, ++seed))) return true;
        }
        return false;
      });
    }
  }
  const std::int64_t some = 2 * mf::tile_items_v<Item> + 77;
  for (const auto kind : {pattern::ordinary, pattern::lowest_highest}) {
    sequence<Item> items(kind, some, ++seed);
    const int turn = kind == pattern::ordinary ? 0 : 1;
    std::erase_if(checks, [&](const check<Item>& one) {
      return !expect_same(one, nan_policy::propagate, kind, items, every_way(turn));
    });
  }
}

/// Suites of every type, whose name is that of a test.
using all_types = testing::Types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                 std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t,
                                 mf::float16, mf::bfloat16, float, double>;
struct type_names {
  template <class Item>
  static std::string GetName(int) {
    return std::string(mf::info(dtype_of<Item>()).name);
  }
};

}  // namespace parity
