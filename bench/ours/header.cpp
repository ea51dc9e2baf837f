/// bench/ours/header: the header-only calls.
///
/// This file is compiled twice, with different target options and different names for the
/// library's namespace and the function below (see bench/CMakeLists.txt): with one name the linker
/// would keep one of two inline functions and time it under both names.

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "bench/ours/ordered_folds.hpp"
#include "bench/ours/ours.hpp"
#include "monofold/monofold.hpp"

namespace bench {

namespace {

namespace mf = monofold;

template <class Range, class Fold>
std::function<outcome()> number(const Range& range, const Fold& fold) {
  return timed([=] { return std::vector<double>{static_cast<double>(mf::reduce(range, fold))}; });
}

template <class Item>
std::function<outcome()> call_for(operation op, const dataset& data) {
  const std::span<const Item> items = data.as<Item>();
  switch (op) {
    case operation::sum: return number(items, mf::plain_sum_in<double>);
    case operation::plain_sum: return number(items, mf::plain_sum);
    case operation::min: return number(items, mf::min);
    case operation::max: return number(items, mf::max);
    case operation::argmax: return number(items, mf::argmax);
    case operation::var: return number(items, mf::plain_variance());
    case operation::stats:
      return timed([=] {
        const auto [count, sum, mean, var, ends] =
            mf::reduce(items, mf::all(mf::count, mf::plain_sum_in<double>, mf::plain_mean,
                                      mf::plain_variance(), mf::extrema));
        return std::vector<double>{static_cast<double>(count),
                                   static_cast<double>(sum),
                                   static_cast<double>(ends.min),
                                   static_cast<double>(ends.max),
                                   mean,
                                   var,
                                   static_cast<double>(ends.argmin),
                                   static_cast<double>(ends.argmax)};
      });
    case operation::top10:
      return timed([=] {
        const auto best = mf::reduce(items, mf::top(10));
        return std::vector<double>(best.values.begin(), best.values.end());
      });
    default: return {};
  }
}

std::function<outcome()> ordered_call(operation op, const dataset& data) {
  if (op == operation::hash) {
    return timed([items = data.as<unsigned char>()] {
      const std::uint64_t hash = mf::reduce(items, string_hash{});
      return std::vector<double>{static_cast<double>(hash >> 32),
                                 static_cast<double>(hash & 0xffffffffu)};
    });
  }
  if (op == operation::hash_by_runs) {
    return timed([items = data.as<unsigned char>()] {
      const std::uint64_t hash = mf::reduce(items, string_hash_by_fours{});
      return std::vector<double>{static_cast<double>(hash >> 32),
                                 static_cast<double>(hash & 0xffffffffu)};
    });
  }
  if (op == operation::product) {
    return timed([items = data.as<matrix2>()] {
      const matrix2 all = mf::reduce(items, mf::ordered(multiply_matrices{}));
      return std::vector<double>{all.a, all.b, all.c, all.d};
    });
  }
  const std::span<const std::int32_t> items = data.as<std::int32_t>();
  if (op == operation::longest_run) return number(items, longest_run_fold<std::int32_t>{});
  if (op == operation::run_by_runs) {
    return number(items, longest_run_by_stretches<std::int32_t>{});
  }
  return timed([=] {
    const auto ends = mf::reduce(items, first_last_fold<std::int32_t>{});
    return std::vector<double>{static_cast<double>(ends.first), static_cast<double>(ends.last)};
  });
}

}  // namespace

std::function<outcome()> MONOFOLD_BENCH_CALL(operation op, const dataset& data) {
  if (is_ordered(op)) return ordered_call(op, data);
  switch (data.type) {
    case item_type::float32: return call_for<float>(op, data);
    case item_type::float64: return call_for<double>(op, data);
    case item_type::int32: return call_for<std::int32_t>(op, data);
    case item_type::int8: return call_for<std::int8_t>(op, data);
    default: return {};
  }
}

}  // namespace bench
