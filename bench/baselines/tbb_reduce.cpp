/// bench/baselines/tbb_reduce: oneTBB's parallel_reduce with loops by hand.

#include "bench/baselines/peers.hpp"

#if defined(MONOFOLD_BENCH_TBB)

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>

#include "bench/baselines/statistics_loop.hpp"
#include "bench/ours/ordered_folds.hpp"

namespace bench {

namespace {

namespace tbb = oneapi::tbb;
using range = tbb::blocked_range<std::int64_t>;

/// Below this a task costs more than its work: 64 Ki items.
constexpr std::int64_t grain = 1 << 16;

template <class State, class Fold, class Join>
State fold_all(std::int64_t count, const State& identity, const Fold& fold, const Join& join) {
  return tbb::parallel_reduce(range(0, count, grain), identity, fold, join);
}

template <class Real, class Item>
Real sum_of(const Item* items, std::int64_t first, std::int64_t end) {
  Real own = 0;
#pragma omp simd reduction(+ : own)
  for (std::int64_t i = first; i < end; ++i) own += static_cast<Real>(items[i]);
  return own;
}

template <class Real, class Item>
Real sum_of(std::span<const Item> items) {
  return fold_all(
      std::ssize(items), Real(0),
      [p = items.data()](const range& some, Real own) {
        return own + sum_of<Real>(p, some.begin(), some.end());
      },
      [](Real l, Real r) { return l + r; });
}

template <bool smallest, class Item>
Item end_of(const Item* items, std::int64_t first, std::int64_t end) {
  Item own = items[first];
  if constexpr (smallest) {
#pragma omp simd reduction(min : own)
    for (std::int64_t i = first; i < end; ++i) own = items[i] < own ? items[i] : own;
  } else {
#pragma omp simd reduction(max : own)
    for (std::int64_t i = first; i < end; ++i) own = items[i] > own ? items[i] : own;
  }
  return own;
}

template <bool smallest, class Item>
Item end_of(std::span<const Item> items) {
  const auto better = [](Item l, Item r) { return (smallest ? l < r : l > r) ? l : r; };
  return fold_all(
      std::ssize(items), items[0],
      [p = items.data(), better](const range& some, Item own) {
        return better(end_of<smallest>(p, some.begin(), some.end()), own);
      },
      better);
}

template <class Item>
struct found {
  Item value;
  std::int64_t index = -1;
};

template <class Item>
std::int64_t argmax_of(std::span<const Item> items) {
  return fold_all(
             std::ssize(items), found<Item>{},
             [p = items.data()](const range& some, found<Item> own) {
               constexpr std::int64_t piece = 4096;
               for (std::int64_t at = some.begin(); at < some.end(); at += piece) {
                 const Item best = end_of<false>(p, at, std::min(at + piece, some.end()));
                 if (own.index >= 0 && !(best > own.value)) continue;
                 own = {best, at};
                 while (p[own.index] != best) ++own.index;
               }
               return own;
             },
             [](const found<Item>& l, const found<Item>& r) {
               if (l.index < 0 || r.index < 0) return l.index < 0 ? r : l;
               return r.value > l.value ? r : l;
             })
      .index;
}

template <class Item>
statistics_loop<Item> statistics_of(std::span<const Item> items) {
  return fold_all(
      std::ssize(items), statistics_loop<Item>{},
      [p = items.data()](const range& some, statistics_loop<Item> own) {
        own.add(p, some.begin(), some.end());
        return own;
      },
      [](statistics_loop<Item> l, const statistics_loop<Item>& r) {
        l.merge(r);
        return l;
      });
}

/// The ten largest so far in a heap; most items are below its smallest.
template <class Item>
std::vector<double> top_of(std::span<const Item> items) {
  using heap = std::vector<Item>;
  const auto insert = [](heap& own, Item item) {
    if (own.size() == 10) {
      if (!(item > own.front())) return;
      std::pop_heap(own.begin(), own.end(), std::greater<>());
      own.back() = item;
    } else {
      own.push_back(item);
    }
    std::push_heap(own.begin(), own.end(), std::greater<>());
  };
  const heap best = fold_all(
      std::ssize(items), heap{},
      [p = items.data(), insert](const range& some, heap own) {
        for (std::int64_t i = some.begin(); i != some.end(); ++i) insert(own, p[i]);
        return own;
      },
      [insert](heap l, const heap& r) {
        for (const Item item : r) insert(l, item);
        return l;
      });
  std::vector<double> values(best.begin(), best.end());
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

template <class Item>
std::function<outcome()> call_for(operation op, std::span<const Item> items) {
  using wide = std::conditional_t<std::is_integral_v<Item>, std::int64_t, double>;
  switch (op) {
    case operation::sum:
      return timed([=] { return std::vector{static_cast<double>(sum_of<wide>(items))}; });
    case operation::plain_sum:
      return timed([=] { return std::vector{static_cast<double>(sum_of<Item>(items))}; });
    case operation::min:
      return timed([=] { return std::vector{static_cast<double>(end_of<true>(items))}; });
    case operation::max:
      return timed([=] { return std::vector{static_cast<double>(end_of<false>(items))}; });
    case operation::argmax:
      return timed([=] { return std::vector{static_cast<double>(argmax_of(items))}; });
    case operation::var:
    case operation::stats:
      return timed([=] {
        const statistics_loop<Item> s = statistics_of(items);
        const auto n = static_cast<double>(s.count);
        const double mean = s.sum / n;
        const double var = s.squares / n - mean * mean;
        if (op == operation::var) return std::vector{var};
        return std::vector{
            n,    s.sum, static_cast<double>(s.min),    static_cast<double>(s.max),
            mean, var,   static_cast<double>(s.argmin), static_cast<double>(s.argmax)};
      });
    case operation::top10: return timed([=] { return top_of(items); });
    default: return {};
  }
}

/// parallel_reduce keeps the order of its ranges, so it can run ordered folds too.
template <class Fold, class Item>
typename Fold::state ordered_fold(const Fold& fold, std::span<const Item> items) {
  struct part {
    typename Fold::state state;
    bool any = false;
  };
  return fold_all(
             std::ssize(items), part{},
             [fold, p = items.data()](const range& some, part own) {
               std::int64_t i = some.begin();
               if (!own.any) {
                 own = {fold.lift(p[i], i), true};
                 ++i;
               }
               for (; i != some.end(); ++i) {
                 if constexpr (requires { fold.absorb(own.state, p[i], i); }) {
                   fold.absorb(own.state, p[i], i);
                 } else {
                   own.state = fold.combine(own.state, fold.lift(p[i], i));
                 }
               }
               return own;
             },
             [fold](const part& l, const part& r) {
               if (!l.any || !r.any) return l.any ? l : r;
               return part{fold.combine(l.state, r.state), true};
             })
      .state;
}

struct matrix_fold : multiply_matrices {
  using state = matrix2;
  state lift(const matrix2& item, std::int64_t) const { return item; }
  state combine(const matrix2& l, const matrix2& r) const { return (*this)(l, r); }
};

}  // namespace

std::function<outcome()> tbb_call(operation op, const dataset& data) {
  if (op == operation::hash || op == operation::hash_by_runs) {
    return timed([items = data.as<unsigned char>()] {
      const std::uint64_t hash = ordered_fold(string_hash{}, items).hash;
      return std::vector{static_cast<double>(hash >> 32), static_cast<double>(hash & 0xffffffffu)};
    });
  }
  if (op == operation::product) {
    return timed([items = data.as<matrix2>()] {
      const matrix2 all = ordered_fold(matrix_fold{}, items);
      return std::vector<double>{all.a, all.b, all.c, all.d};
    });
  }
  if (op == operation::longest_run || op == operation::run_by_runs) {
    return timed([items = data.as<std::int32_t>()] {
      const auto best = ordered_fold(longest_run_fold<std::int32_t>{}, items).best;
      return std::vector{static_cast<double>(best)};
    });
  }
  switch (data.type) {
    case item_type::float32: return call_for(op, data.as<float>());
    case item_type::float64: return call_for(op, data.as<double>());
    case item_type::int32: return call_for(op, data.as<std::int32_t>());
    case item_type::int8: return call_for(op, data.as<std::int8_t>());
    default: return {};
  }
}

}  // namespace bench

#else

namespace bench {
std::function<outcome()> tbb_call(operation, const dataset&) { return {}; }
}  // namespace bench

#endif
