/// runtime/reducer: operations in one pass, chunks, merged parts and threads keep every bit.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/reducer.hpp"
#include "tests/runtime/parity.hpp"

namespace {

using namespace parity;  // NOLINT: a test is made of it

using operation_list = std::vector<operation>;

/// The operations that one loop may compute together, and those that answer for each other.
const operation_list related{operation::count,  operation::nan,   operation::sum,
                             operation::mean,   operation::var,   operation::std,
                             operation::min,    operation::max,   operation::minmax,
                             operation::argmin, operation::argmax};

operation_list operations_of(mf::dtype type) {
  operation_list ops;
  for (const auto& entry : mf::runtime::operations) {
    if (entry.op != operation::dot && mf::runtime::is_defined(entry.op, type)) {
      ops.push_back(entry.op);
    }
  }
  return ops;
}

/// All operations, `stats`, twice the same one, and lists drawn from all or from related ones.
std::vector<operation_list> lists_of(mf::dtype type, int drawn, std::uint64_t seed) {
  const operation_list all = operations_of(type);
  const auto& stats = mf::runtime::stats_operations;
  std::vector<operation_list> lists{all,
                                    {all.rbegin(), all.rend()},
                                    {stats.begin(), stats.end()},
                                    {operation::var, operation::sum, operation::var}};
  for (int d = 0; d < drawn; ++d) {
    std::uint64_t mask = inputs::mixed(seed + 1000 * static_cast<std::uint64_t>(d));
    if (d % 4 != 0) mask &= inputs::mixed(mask);  // two or three related ones, mostly
    const operation_list& from = d % 2 == 0 ? related : all;
    operation_list some;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if ((mask >> i & 1) != 0) some.push_back(from[i]);
    }
    if (!some.empty()) lists.push_back(some);
  }
  return lists;
}

std::string name_of(const request& what) {
  std::string out(mf::info(what.type).name);
  for (const operation op : what.ops) out += " " + std::string(mf::runtime::info(op).name);
  return out + ", policy " + std::to_string(static_cast<int>(what.nan)) +
         (what.plain ? ", plain, " : ", ") + mf::runtime::instruction_set();
}

/// False (and a failure) where two lists of answers differ in a bit.
bool same_answers(const std::vector<answer>& got, const std::vector<answer>& wanted,
                  const std::string& where) {
  EXPECT_EQ(got.size(), wanted.size()) << where;
  for (std::size_t i = 0; i < std::min(got.size(), wanted.size()); ++i) {
    if (same_answer(got[i], wanted[i])) continue;
    ADD_FAILURE() << where << "\n  got    " << parity::text_of(got[i]) << "\n  wanted "
                  << parity::text_of(wanted[i]);
    return false;
  }
  return got.size() == wanted.size();
}

/// The items of a sequence from `from` to `to`: pairs with those one further, where dot is asked.
template <class Item>
void push_part(reducer& to_reducer, const request& what, sequence<Item>& items, std::int64_t from,
               std::int64_t to) {
  const Item* const p = items.items().data();
  if (what.ops.front() == operation::dot) {
    to_reducer.push_pairs(p + from, items.rotated() + from, to - from);
  } else {
    to_reducer.push(p + from, to - from);
  }
}

template <class Item>
std::vector<answer> in_one_call(const request& what, sequence<Item>& items,
                                std::int64_t first_index = 0) {
  reducer running(what, first_index);
  push_part(running, what, items, 0, std::ssize(items.items()));
  return running.finish();
}

template <class Visitor>
void for_each_dtype(const Visitor& visitor) {
  for (const mf::dtype_info& entry : mf::dtypes) mf::visit_dtype(entry.type, visitor);
}

/// Requests for one list of operations: each policy, plain and not; for integers all are the same.
std::vector<request> requests_of(mf::dtype type, const operation_list& ops) {
  std::vector<request> out;
  for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit, nan_policy::raise}) {
    for (const bool plain : {false, true}) {
      if (!mf::info(type).is_floating && plain != (nan == nan_policy::raise)) continue;
      request what{type, ops, nan};
      what.plain = plain;
      what.ddof = plain ? 1 : 0;
      what.k = 3;
      out.push_back(what);
    }
  }
  return out;
}

template <class Item>
bool expect_together_as_alone(sequence<Item>& items, const request& base, std::uint64_t seed) {
  std::vector<answer> alone;
  request one = base;
  for (const operation op : operations_of(base.type)) {
    one.ops = {op};
    alone.push_back(in_one_call(one, items).front());
  }
  for (const operation_list& ops : lists_of(base.type, 12, seed)) {
    request what = base;
    what.ops = ops;
    std::vector<answer> wanted;
    for (const operation op : ops) {
      wanted.push_back(
          *std::find_if(alone.begin(), alone.end(), [op](const answer& a) { return a.op == op; }));
    }
    const std::string where = name_of(what) + ", " + std::to_string(items.items().size());
    if (!same_answers(in_one_call(what, items), wanted, where)) return false;
  }
  return true;
}

TEST(reducer_fused, operations_together_have_the_bits_of_each_alone) {
  const scene around;
  std::uint64_t seed = 0;
  for (const std::string& name : mf::runtime::instruction_sets()) {
    ASSERT_TRUE(mf::runtime::use_instruction_set(name));
    for_each_dtype([&seed]<class Item>() {
      constexpr std::int64_t tile = mf::tile_items_v<Item>;
      for (const auto kind :
           {pattern::ordinary, pattern::wide, pattern::lowest, pattern::highest,
            pattern::lowest_highest, pattern::offset_in_tiles, pattern::subnormal,
            pattern::both_infinities, pattern::nan_last, pattern::nan_inside, pattern::only_nan}) {
        if (!mf::is_floating_v<Item> && kind >= pattern::offset) continue;
        for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, tile - 1, 2 * tile + 100}) {
          sequence<Item> items(kind, n, ++seed);
          for (const request& what : requests_of(dtype_of<Item>(), {})) {
            if (!expect_together_as_alone(items, what, ++seed)) return;
          }
        }
      }
    });
  }
}

/// Lists for a pass over more data: all operations, `stats`, and the only one over pairs.
std::vector<operation_list> long_lists(mf::dtype type) {
  const auto& stats = mf::runtime::stats_operations;
  return {operations_of(type), {stats.begin(), stats.end()}, {operation::dot}};
}

TEST(reducer_fused, on_1_to_16_threads) {
  for_each_dtype([]<class Item>() {
    sequence<Item> items(pattern::offset_in_tiles, 132 * mf::tile_items_v<Item> + 3);
    if constexpr (!mf::is_floating_v<Item>) {
      items = sequence<Item>(pattern::ordinary, 132 * mf::tile_items_v<Item> + 3);
    }
    for (const operation_list& ops : long_lists(dtype_of<Item>())) {
      request what{dtype_of<Item>(), ops};
      what.num_threads = 1;
      const std::vector<answer> wanted = in_one_call(what, items);
      for (what.num_threads = 0; what.num_threads <= 16; ++what.num_threads) {
        const std::string where = name_of(what) + " on " + std::to_string(what.num_threads);
        if (!same_answers(in_one_call(what, items), wanted, where)) return;
      }
    }
  });
}

TEST(reducer_fused, any_number_of_threads_is_a_wish) {
  const sequence<double> items(pattern::ordinary, 200000);
  request what{mf::dtype::float64, {operation::sum}};
  reducer on_all(what);
  on_all.push(items.items().data(), 200000);
  for (const int threads : {1 << 10, 1 << 27, 1 << 28, std::numeric_limits<int>::max()}) {
    what.num_threads = threads;
    reducer running(what);
    running.push(items.items().data(), 200000);
    EXPECT_TRUE(same_answer(running.finish()[0], on_all.finish()[0])) << threads;
  }
}

TEST(reducer_fused, chunks_of_any_sizes_are_one_call) {
  std::uint64_t seed = 0;
  for_each_dtype([&seed]<class Item>() {
    constexpr std::int64_t tile = mf::tile_items_v<Item>;
    const std::int64_t n = 70 * tile + 77;
    for (const operation_list& ops : long_lists(dtype_of<Item>())) {
      for (const request& what : requests_of(dtype_of<Item>(), ops)) {
        sequence<Item> items(mf::is_floating_v<Item> ? pattern::nan_inside : pattern::ordinary, n,
                             ++seed);
        // On the grid of tiles that begins at 0, or on one of its own.
        const std::int64_t first = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 5 * tile : 1000003;
        const std::vector<answer> wanted = in_one_call(what, items, first);
        reducer running(what, first);
        for (std::int64_t at = 0; at < n;) {
          const auto random = static_cast<std::int64_t>(inputs::mixed(++seed) >> 2);
          const std::int64_t most = random % 3 == 0 ? 40 * tile : random % 3 == 1 ? 2 * tile : 7;
          const std::int64_t count = std::min(n - at, random / 3 % (most + 1));
          push_part(running, what, items, at, at + count);
          at += count;
          if (random % 11 == 0) static_cast<void>(running.finish());  // which changes nothing
        }
        EXPECT_EQ(running.count(), n);
        if (!same_answers(running.finish(), wanted, name_of(what))) return;
        if (!same_answers(running.finish(), wanted, name_of(what))) return;
      }
    }
  });
}

enum class merging { from_the_left, from_the_right, pushing_every_second };

/// Parts that begin at `cuts`, merged in one way or another.
template <class Item>
std::vector<answer> merged(const request& what, sequence<Item>& items,
                           const std::vector<std::int64_t>& cuts, merging how) {
  const auto n = std::ssize(items.items());
  std::vector<reducer> parts;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    const std::int64_t from = i == 0 ? 0 : cuts[i - 1];
    const std::int64_t to = i == cuts.size() ? n : cuts[i];
    parts.emplace_back(what, from);
    push_part(parts.back(), what, items, from, (from + to) / 2);
    push_part(parts.back(), what, items, (from + to) / 2, to);
  }
  if (how == merging::from_the_right) {
    for (std::size_t i = parts.size() - 1; i > 0; --i) parts[i - 1].merge(parts[i]);
  }
  for (std::size_t i = 1; i < parts.size() && how != merging::from_the_right; ++i) {
    if (how == merging::from_the_left || i % 2 != 0) {
      parts[0].merge(parts[i]);
    } else {
      push_part(parts[0], what, items, cuts[i - 1], i == cuts.size() ? n : cuts[i]);
    }
  }
  EXPECT_EQ(parts[0].count(), n);
  return parts[0].finish();
}

TEST(reducer_fused, parts_that_begin_at_tiles_merge_to_one_call) {
  for_each_dtype([]<class Item>() {
    constexpr std::int64_t tile = mf::tile_items_v<Item>;  // a multiple of the tile of pairs
    sequence<Item> items(mf::is_floating_v<Item> ? pattern::offset_in_tiles : pattern::ordinary,
                         9 * tile + 5);
    for (const operation_list& ops : long_lists(dtype_of<Item>())) {
      for (const request& what : requests_of(dtype_of<Item>(), ops)) {
        const std::vector<answer> wanted = in_one_call(what, items);
        for (const std::vector<std::int64_t>& cuts : {std::vector<std::int64_t>{0},
                                                      {tile},
                                                      {3 * tile},
                                                      {8 * tile, 9 * tile},
                                                      {0, tile, tile, 4 * tile, 5 * tile},
                                                      {9 * tile}}) {
          for (const merging how :
               {merging::from_the_left, merging::from_the_right, merging::pushing_every_second}) {
            if (!same_answers(merged(what, items, cuts, how), wanted, name_of(what))) return;
          }
        }
      }
    }
  });
}

/// Whether the grouping of items cannot change a bit of the answer.
bool is_exact(operation op, mf::dtype type) {
  const operation_list grouped{operation::sum,
                               operation::mean,
                               operation::prod,
                               operation::var,
                               operation::std,
                               operation::norm1,
                               operation::norm2,
                               operation::dot,
                               operation::mean_square,
                               operation::logsumexp,
                               operation::softmax_denominator};
  return !mf::info(type).is_floating ||
         std::find(grouped.begin(), grouped.end(), op) == grouped.end();
}

TEST(reducer_fused, parts_that_begin_anywhere_merge_to_one_call_where_exact) {
  for_each_dtype([]<class Item>() {
    constexpr std::int64_t tile = mf::tile_items_v<Item>;
    const std::int64_t n = 5 * tile + 5;
    operation_list exact = operations_of(dtype_of<Item>());
    std::erase_if(exact, [](operation op) { return !is_exact(op, dtype_of<Item>()); });
    for (const auto kind : {pattern::ties, pattern::nan_inside, pattern::only_nan}) {
      if (!mf::is_floating_v<Item> && kind >= pattern::offset) continue;
      sequence<Item> items(kind, n);
      for (const request& what : requests_of(dtype_of<Item>(), exact)) {
        const std::vector<answer> wanted = in_one_call(what, items);
        for (const std::vector<std::int64_t>& cuts :
             {std::vector<std::int64_t>{1}, {31, 32}, {tile - 1, tile}, {2 * tile + 7, n - 1, n}}) {
          for (const merging how :
               {merging::from_the_left, merging::from_the_right, merging::pushing_every_second}) {
            if (!same_answers(merged(what, items, cuts, how), wanted, name_of(what))) return;
          }
        }
      }
    }
  });
}

}  // namespace
