// Exact folds of adapted, paired and computed items, uniform in [-1, 1).

#include "bench/views/cases.hpp"

#include "bench/exact/fill.cuh"
#include "bench/gpu/ours.cuh"

namespace bench {

namespace {

struct positive {
  MONOFOLD_HD bool operator()(float x) const { return x > 0; }
};
struct below_half {
  MONOFOLD_HD bool operator()(float x) const { return x < 0.5f; }
};
struct twice {
  MONOFOLD_HD float operator()(float x) const { return 2 * x; }
};

struct as_doubled {
  auto operator()(const gpu_range& range) const {
    return mf::transform(as_items<float>{}(range), twice{});
  }
};

/// As many doubles as there are floats behind them; both begin at a multiple of 16 bytes.
constexpr std::int64_t pairs_in(std::int64_t num_floats) { return num_floats / 12 * 4; }

struct as_mixed_pairs {
  auto operator()(const gpu_range& range) const {
    const std::int64_t n = pairs_in(range.count);
    const auto* const doubles = static_cast<const double*>(range.items);
    return mf::zip(span_of<float>(doubles + n, n), span_of<double>(doubles, n));
  }
};

void fill_floats(void* out, std::int64_t bytes) {
  fill_items<float>(out, bytes, exact_data::uniform);
}
void fill_mixed(void* out, std::int64_t bytes) {
  const std::int64_t n = pairs_in(bytes / 4);
  fill_floats(out, bytes);
  fill_items<double>(out, 8 * n, exact_data::uniform);
}

template <class Item, class F, class ViewOf = as_items<Item>>
view_case case_of(const char* op, F fold, ViewOf view_of = {},
                  decltype(&fill_floats) fill = &fill_floats) {
  gpu_subject sum = ours<float>(mf::sum);
  sum.path = "exact sum";
  const std::vector<std::int64_t> sizes{std::int64_t{16} << 20, std::int64_t{256} << 20};
  return {{op,
           gpu_items::float32,
           0,
           sizes,
           {ours<Item>(fold, view_of), sum},
           {},
           on_cpu<Item>(fold, view_of)},
          fill};
}

}  // namespace

std::vector<view_case> view_cases() {
  return {
      case_of<float>("sum, where", mf::sum | mf::where(positive{})),
      case_of<float>("sum, where, where",
                     mf::sum | mf::where(positive{}) | mf::where(below_half{})),
      case_of<mf::item_pair<float, double>>("dot with float64", mf::dot, as_mixed_pairs{},
                                            &fill_mixed),
      case_of<float>("sum, min, max, transform", mf::all(mf::sum, mf::min, mf::max), as_doubled{})};
}

}  // namespace bench
