#pragma once
/// bench/ours/ordered_folds: folds that need their items in order, as a user writes them.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "bench/harness/dataset.hpp"

namespace bench {

/// sum over i of s[i] * base^(n - 1 - i), modulo 2^64.
struct string_hash {
  static constexpr std::uint64_t base = 0x9e3779b97f4a7c15u;
  struct state {
    std::uint64_t hash;
    std::int64_t length;
  };

  /// base^(2^k): most lengths that meet are powers of two, since tiles are.
  static constexpr auto squares = [] {
    std::array<std::uint64_t, 64> all{base};
    for (std::size_t k = 1; k < all.size(); ++k) all[k] = all[k - 1] * all[k - 1];
    return all;
  }();

  static std::uint64_t power(std::int64_t exponent) {
    std::uint64_t all = 1;
    for (auto bits = static_cast<std::uint64_t>(exponent); bits != 0; bits &= bits - 1) {
      all *= squares[static_cast<std::size_t>(std::countr_zero(bits))];
    }
    return all;
  }
  state lift(unsigned char c, std::int64_t) const { return {c, 1}; }
  state combine(const state& left, const state& right) const {
    return {left.hash * power(right.length) + right.hash, left.length + right.length};
  }
  void absorb(state& own, unsigned char c, std::int64_t) const {
    own = {own.hash * base + c, own.length + 1};
  }
  std::uint64_t finish(const state& s) const { return s.hash; }
};

/// The same with a loop of its own for many items: four bytes take one multiplication and three
/// looks into tables, and two halves of a run hide the latency.
struct string_hash_by_fours : string_hash {
  static constexpr bool exact = true;
  static constexpr std::array<std::array<std::uint64_t, 256>, 3> tables = [] {
    std::array<std::array<std::uint64_t, 256>, 3> all{};
    std::uint64_t weight = 1;
    for (auto& table : all) {
      weight *= base;
      for (std::size_t c = 0; c < table.size(); ++c) table[c] = c * weight;
    }
    return all;
  }();

  static std::uint64_t add_four(std::uint64_t hash, const unsigned char* s) {
    return hash * squares[2] +
           (tables[2][s[0]] + tables[1][s[1]] + (tables[0][s[2]] + std::uint64_t{s[3]}));
  }
  state identity() const { return {0, 0}; }
  void absorb_run(state& own, const unsigned char* items, std::int64_t count, std::int64_t) const {
    const std::int64_t half = count / 8 * 4;
    std::uint64_t left = own.hash;
    std::uint64_t right = 0;
    for (std::int64_t i = 0; i < half; i += 4) {
      left = add_four(left, items + i);
      right = add_four(right, items + half + i);
    }
    std::uint64_t all = left * power(half) + right;
    for (std::int64_t i = 2 * half; i < count; ++i) all = all * base + items[i];
    own = {all, own.length + count};
  }
};

struct multiply_matrices {
  matrix2 operator()(const matrix2& l, const matrix2& r) const {
    return {l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c,
            l.c * r.b + l.d * r.d};
  }
};

template <class Item>
struct first_last_fold {
  struct state {
    Item first;
    Item last;
  };
  state lift(Item item, std::int64_t) const { return {item, item}; }
  state combine(const state& left, const state& right) const { return {left.first, right.last}; }
};

/// How many equal neighbours there are at most.
template <class Item>
struct longest_run_fold {
  struct state {
    std::int64_t length;  // of everything
    std::int64_t prefix;  // of the run at its start
    std::int64_t suffix;  // of the run at its end
    std::int64_t best;
    Item first;
    Item last;
  };
  state lift(Item item, std::int64_t) const { return {1, 1, 1, 1, item, item}; }
  state combine(const state& left, const state& right) const {
    const bool meet = left.last == right.first;
    const std::int64_t across = meet ? left.suffix + right.prefix : 0;
    return {left.length + right.length,
            meet && left.prefix == left.length ? across : left.prefix,
            meet && right.suffix == right.length ? across : right.suffix,
            std::max({left.best, right.best, across}),
            left.first,
            right.last};
  }
  std::int64_t finish(const state& s) const { return s.best; }
};

/// The same with a loop of its own for many items, which a fold may have whose grouping changes no
/// bit: most stretches hold no equal neighbours, and that is seen by comparisons that a compiler
/// vectorises.
template <class Item>
struct longest_run_by_stretches : longest_run_fold<Item> {
  using base = longest_run_fold<Item>;
  using state = typename base::state;
  static constexpr bool exact = true;

  state identity() const { return {0, 0, 0, 0, Item{}, Item{}}; }
  state combine(const state& left, const state& right) const {
    if (left.length == 0 || right.length == 0) return left.length == 0 ? right : left;
    return base::combine(left, right);
  }
  void absorb_run(state& own, const Item* items, std::int64_t count, std::int64_t index) const {
    constexpr std::int64_t stretch = 256;
    for (std::int64_t at = 0; at < count; at += stretch) {
      const std::int64_t n = std::min(stretch, count - at);
      const Item* const part = items + at;
      int equal = 0;
      for (std::int64_t i = 1; i < n; ++i) equal += part[i] == part[i - 1] ? 1 : 0;
      if (equal == 0) {
        own = combine(own, {n, 1, 1, 1, part[0], part[n - 1]});
      } else {
        for (std::int64_t i = 0; i < n; ++i) {
          own = combine(own, this->lift(part[i], index + at + i));
        }
      }
    }
  }
};

}  // namespace bench
