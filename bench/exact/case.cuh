#pragma once
/// bench/exact/case: the subjects of exact sums of one type.

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "bench/exact/cases.hpp"
#include "bench/exact/fill.cuh"
#include "bench/gpu/ours.cuh"
#include "monofold/fold/exact.hpp"

namespace bench {

template <class State>
std::vector<std::uint64_t> words_of(const void* state) {
  std::vector<std::uint64_t> words(sizeof(State) / 8);
  std::memcpy(words.data(), state, sizeof(State));
  return words;
}

/// The state of `count` items of a run that repeats its first `period` ones.
template <class F, class Item>
typename F::state state_of_repeated(const F& f, const Item* items, std::int64_t count,
                                    std::int64_t period) {
  auto whole = f.identity();
  f.absorb_run(whole, items, std::min(count, period), 0);
  if (count < period) return whole;
  auto total = f.identity();
  for (std::int64_t i = 0; i < count / period; ++i) total = f.combine(total, whole);
  if (count % period != 0) f.absorb_run(total, items, count % period, 0);
  return total;
}

template <class Item, class F, class Plain>
exact_case exact_case_of(const char* op, gpu_items type, F fold, Plain plain,
                         std::vector<gpu_subject> peers) {
  using state = typename mf::bound_fold_t<F, Item>::state;
  exact_case made;
  made.op = op;
  made.type = type;
  made.subjects = {ours<Item>(fold), ours<Item>(plain)};
  made.subjects[1].path = "plain";
  made.subjects.insert(made.subjects.end(), peers.begin(), peers.end());
  made.fill = &fill_items<Item>;
  made.words = &words_of<state>;
  made.right = [fold](const void* host_items, std::int64_t count) {
    const state total =
        state_of_repeated(mf::bind_fold<Item>(fold), static_cast<const Item*>(host_items), count,
                          period_bytes / static_cast<std::int64_t>(sizeof(Item)));
    return words_of<state>(&total);
  };
  return made;
}

/// The pairs that the two halves of a range make.
template <class Item>
struct as_pairs_of_halves {
  auto operator()(const gpu_range& range) const {
    const std::int64_t n = range.count / 2;
    const auto* const items = static_cast<const Item*>(range.items);
    return mf::zip(span_of<Item>(items, n), span_of<Item>(items + n, n));
  }
};

template <class Item>
exact_case exact_variance_case(gpu_items type) {
  gpu_subject sum = ours<Item>(mf::plain_sum);
  sum.path = "plain sum";
  return exact_case_of<Item>("variance", type, mf::variance(), mf::plain_variance(), {sum});
}

template <class Item>
exact_case exact_dot_case(gpu_items type) {
  using pair = mf::item_pair<Item, Item>;
  using state = typename mf::bound_fold_t<decltype(mf::dot), pair>::state;
  exact_case made;
  made.op = "dot";
  made.type = type;
  made.subjects = {ours<pair>(mf::dot, as_pairs_of_halves<Item>{}),
                   ours<pair>(mf::plain_dot, as_pairs_of_halves<Item>{}),
                   ours<Item>(mf::plain_sum)};
  made.subjects[1].path = "plain";
  made.subjects[2].path = "plain sum";
  made.fill = &fill_items<Item>;
  made.words = &words_of<state>;
  made.right = [](const void* host_items, std::int64_t count) {
    constexpr std::int64_t period = period_bytes / static_cast<std::int64_t>(sizeof(Item));
    const auto* const items = static_cast<const Item*>(host_items);
    const std::int64_t n = count / 2;
    std::vector<pair> pairs;
    for (std::int64_t i = 0; i < std::min(n, period); ++i) {
      pairs.push_back({items[i], items[(n + i) % period]});
    }
    const state total = state_of_repeated(mf::bind_fold<pair>(mf::dot), pairs.data(), n, period);
    return words_of<state>(&total);
  };
  return made;
}

// ---- eight statistics in one pass

/// What a state says, without the bytes between its members.
template <class State>
void append_words(std::vector<std::uint64_t>& out, const State& state) {
  if constexpr (requires { state.index; }) {
    out.push_back(static_cast<std::uint64_t>(state.key));
    out.push_back(static_cast<std::uint64_t>(state.index));
  } else {
    for (const std::uint64_t word : words_of<State>(&state)) out.push_back(word);
  }
}
template <class State>
std::vector<std::uint64_t> words_of_members(const State& states) {
  std::vector<std::uint64_t> out;
  append_words(out, states.first);
  if constexpr (requires { states.rest; }) {
    for (const std::uint64_t word : words_of_members(states.rest)) out.push_back(word);
  }
  return out;
}

/// Count, sum, smallest, largest, mean, variance and the places of the two: exact, plain, and the plain sum
/// alone.
template <class Item>
exact_case exact_statistics_case(gpu_items type) {
  const auto fold = mf::all(mf::count, mf::sum, mf::min, mf::max, mf::mean, mf::variance(1),
                            mf::argmin, mf::argmax);
  using state = typename mf::bound_fold_t<decltype(fold), Item>::state;
  exact_case made;
  made.op = "statistics";
  made.type = type;
  made.subjects = {ours<Item>(fold),
                   ours<Item>(mf::all(mf::count, mf::plain_sum, mf::min, mf::max, mf::plain_mean,
                                      mf::plain_variance(1), mf::argmin, mf::argmax)),
                   ours<Item>(mf::plain_sum)};
  made.subjects[1].path = "plain";
  made.subjects[2].path = "plain sum";
  made.fill = &fill_items<Item>;
  made.words = [](const void* out) { return words_of_members(*static_cast<const state*>(out)); };
  made.right = [](const void* host_items, std::int64_t count) {
    const auto* const items = static_cast<const Item*>(host_items);
    constexpr std::int64_t period = period_bytes / static_cast<std::int64_t>(sizeof(Item));
    std::vector<std::uint64_t> words;
    const auto add = [&](const auto& member) {
      const auto f = mf::bind_fold<Item>(member);
      append_words(words, state_of_repeated(f, items, count, period));
    };
    add(mf::count);
    add(mf::sum);
    add(mf::min);
    add(mf::max);
    add(mf::mean);
    add(mf::variance(1));
    add(mf::argmin);
    add(mf::argmax);
    return words;
  };
  return made;
}

}  // namespace bench
