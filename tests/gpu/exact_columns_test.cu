// Exact states and answers of columns on a GPU have the CPU's bytes, whatever the exponents of their items.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

// Before what kernels are made of: their names must not meet those of the CPU's ways.
#include "monofold/reduce_axis.hpp"

#include "monofold/reduce_axis.cuh"
#include "tests/gpu/device.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;

class gpu_exact_columns : public gpu_tests::gpu_test {};

/// Items that doubles, bins or squares do not hold, amid others; far and near ones in runs of many lengths.
template <class Item>
std::vector<Item> hard_items(std::size_t n, bool has_special) {
  constexpr double special[] = {std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity(),
                                1e300,
                                1e-300,
                                4e-324,
                                6e4};
  std::vector<Item> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto random = static_cast<unsigned>(inputs::mixed(i));
    const int spread = random % 7 == 0 ? 30 : 3;
    out[i] = static_cast<Item>(inputs::spread_double(i, spread));
    if (random % 11 == 0) out[i] = static_cast<Item>(random % 2 == 0 ? 0.0 : -0.0);
    if (has_special && random % 97 == 0) out[i] = static_cast<Item>(special[random / 97 % 6]);
  }
  return out;
}

/// Columns as exact states, whose bytes are those of the CPU.
template <class Item, class F>
void compare_states(const F& f, const std::vector<Item>& host, std::int64_t length,
                    std::int64_t columns, const char* what) {
  const device_array<Item> device(host);
  const auto want =
      mf::try_reduce_axis(mf::cpu, mf::array_view<Item>(host.data(), {length, columns}), {0}, f);
  const auto got =
      mf::try_reduce_axis(mf::gpu, mf::array_view<Item>(device.data(), {length, columns}), {0}, f);
  ASSERT_EQ(got.values.size(), want.values.size());
  for (std::size_t i = 0; i < want.values.size(); ++i) {
    ASSERT_EQ(std::memcmp(&*got.values[i], &*want.values[i], sizeof(*want.values[i])), 0)
        << "column " << i << " of " << length << ", " << what;
  }
}
template <class Item, class F>
void compare_columns(const F& f, std::int64_t length, std::int64_t columns) {
  for (const bool has_special : {false, true}) {
    compare_states(f, hard_items<Item>(static_cast<std::size_t>(length * columns), has_special),
                   length, columns, has_special ? "special" : "none special");
  }
}

/// Columns whose largest exponents move: up, down, up and down, by far, up by so little that integers follow.
template <class Item>
std::vector<Item> moving_items(std::int64_t length, std::int64_t columns, int most) {
  std::vector<Item> out(static_cast<std::size_t>(length * columns));
  for (std::int64_t i = 0; i < length * columns; ++i) {
    const std::int64_t at = i / columns;
    const auto own = static_cast<int>(at * most / length);
    const int powers[] = {0,
                          own,
                          -own,
                          at % 80 < 40 ? own : -own,
                          at < length / 2 ? -most : most,
                          static_cast<int>(at / 64 % 3)};
    const double unit =
        1 + static_cast<double>(inputs::mixed(static_cast<std::uint64_t>(i)) % 97) / 128;
    out[static_cast<std::size_t>(i)] =
        static_cast<Item>(std::ldexp(i % 5 == 0 ? -unit : unit, powers[i % columns % 6]));
  }
  return out;
}

/// What a column holds of its items: all of it is told.
template <class Inner>
struct whole_state : Inner {
  using state = typename Inner::state;
  MONOFOLD_HD state finish(const state& s) const { return s; }
};

TEST_F(gpu_exact_columns, bins_do_not_hold_all) {
  compare_columns<double>(whole_state<mf::exact_moments_fold<double>>{}, 1300, 3);
  compare_columns<double>(whole_state<mf::exact_terms_fold<mf::value_term<double>>>{}, 5000, 2);
  compare_columns<double>(whole_state<mf::exact_terms_fold<mf::square_term<double>>>{}, 520, 40);
  compare_columns<float>(whole_state<mf::exact_moments_fold<float>>{}, 2100, 3);
  compare_columns<mf::float16>(whole_state<mf::exact_moments_fold<mf::float16>>{}, 2100, 3);
  compare_columns<mf::bfloat16>(whole_state<mf::exact_moments_fold<mf::bfloat16>>{}, 2100, 3);
  compare_columns<mf::bfloat16>(
      whole_state<mf::exact_terms_fold<mf::magnitude_term<mf::bfloat16>>>{}, 5000, 2);
}

// Short and long ones, several a lane where there are many; doubles and pairs of them hold some and not others.
TEST_F(gpu_exact_columns, answers) {
#if defined(MONOFOLD_EMULATED)
  constexpr std::int64_t many = 8205;
#else
  constexpr std::int64_t many = 300005;
#endif
  struct shape {
    std::int64_t length, columns;
  };
  for (const auto& [length, columns] :
       {shape{1, many}, shape{10, many}, shape{33, many + 3}, shape{129, 1024}, shape{7, 4099},
        shape{150, 40}, shape{1000, 33}, shape{2500, 70}, shape{5000, 20}, shape{9001, 11}}) {
    compare_columns<float>(mf::sum, length, columns);
    compare_columns<double>(mf::norm1, length, columns);
    compare_columns<mf::bfloat16>(mf::mean_square, length, 2 * columns);
    if (HasFatalFailure()) return;
  }
}

// Nodes of a few long ones leave pairs of doubles, and one that these do not hold a state.
TEST_F(gpu_exact_columns, one_item_that_pairs_do_not_hold) {
  constexpr std::int64_t columns = 7;
  for (const std::int64_t length : {5000, 9001}) {
    auto host = inputs::spread_doubles(static_cast<std::size_t>(length * columns), 3, 1);
    for (std::int64_t i = 0; i < length; ++i) host[static_cast<std::size_t>(i * columns)] = -0.0;
    const double far[] = {1e300, -4e-324, std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::quiet_NaN(), 0.0};
    for (std::int64_t c = 1; c < 6; ++c) {
      host[static_cast<std::size_t>(length / 6 * c * columns + c)] = far[c - 1];
    }
    compare_states<double>(mf::sum, host, length, columns, "sums");
    compare_states<double>(mf::mean, host, length, columns, "means");
    host[static_cast<std::size_t>((length - 1) * columns)] = 0.0;
    compare_states<double>(mf::norm1, host, length, columns, "norms");
    compare_states<double>(mf::sum, host, length, columns, "no longer -0 alone");
    // Doubles of floats that small have bits below those of a state, all of them 0.
    std::vector<float> small(host.size());
    for (std::size_t i = 0; i < small.size(); ++i) {
      small[i] = static_cast<float>(inputs::spread_double(i, 3) * 0x1p-130);
    }
    for (const std::int64_t c : {1, 4}) small[static_cast<std::size_t>(c)] = 1e20f;
    compare_states<float>(mf::sum, small, length, columns, "small ones");
  }
}

TEST_F(gpu_exact_columns, exponents_move) {
  const auto compare = [](auto one, std::int64_t length, std::int64_t columns, int most) {
    using item = decltype(one);
    const auto host = moving_items<item>(length, columns, most);
    compare_states<item>(whole_state<mf::exact_terms_fold<mf::value_term<item>>>{}, host, length,
                         columns, "sums");
    compare_states<item>(whole_state<mf::exact_moments_fold<item>>{}, host, length, columns,
                         "moments");
  };
  compare(double{}, 1300, 6, 12);
  compare(double{}, 4000, 35, 300);
  compare(float{}, 2100, 6, 12);
  compare(float{}, 5000, 70, 100);
  compare(mf::bfloat16{}, 2100, 6, 60);
}

}  // namespace
