#pragma once
/// bench/exact/case: the subjects of exact sums of one type.

#include <cstring>
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

template <class Item>
exact_case exact_case_of(gpu_items type, std::vector<gpu_subject> peers) {
  using fold = mf::bound_fold_t<decltype(mf::exact_sum), Item>;
  using state = typename fold::state;
  exact_case made;
  made.type = type;
  made.subjects = {ours<Item>(mf::exact_sum), ours<Item>(mf::plain_sum)};
  made.subjects[1].path = "plain_sum";
  made.subjects.insert(made.subjects.end(), peers.begin(), peers.end());
  made.fill = &fill_items<Item>;
  made.words = &words_of<state>;
  made.right = [](const void* host_items, std::int64_t count) {
    constexpr std::int64_t period = period_bytes / static_cast<std::int64_t>(sizeof(Item));
    const fold f{};
    const auto* const items = static_cast<const Item*>(host_items);
    auto total = f.identity();
    auto whole = f.identity();
    if (count >= period) f.absorb_run(whole, items, period, 0);
    for (std::int64_t i = 0; i < count / period; ++i) total = f.combine(total, whole);
    f.absorb_run(total, items, count % period, 0);
    return words_of<state>(&total);
  };
  return made;
}

}  // namespace bench
