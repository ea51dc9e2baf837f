/// site/bins: exact sums as the page of bins watches them, which build.py compiles to WebAssembly.
///
/// The page writes numbers to `numbers`. `add` has the library add them as one block, and look for what holds them:
/// bins, or its table of exponents. `enter` has the first few of them enter that, by the loop that takes blocks.

#include <cstdint>
#include <cstring>
#include <new>

#include "monofold/fold/exact/accumulator.hpp"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/platform/bits.hpp"

#if defined(__wasm__)
#define MONOFOLD_PAGE(name) extern "C" __attribute__((export_name(#name)))
#else
#define MONOFOLD_PAGE(name) extern "C"
#endif

namespace monofold::site {

using term = value_term<double>;
using sum_of_doubles = exact_total_fold<term, double>;

inline constexpr int vector_bytes = 16;  // what add_run_portable has
inline constexpr int line = detail::line_items<double>;
inline constexpr int most_numbers = 1000;
static_assert(most_numbers + line <= detail::sweep_block<vector_bytes, double>(2), "one block");

struct shown_sum {
  detail::exact_accumulator<term> found;  // what holds all numbers
  detail::exact_accumulator<term> sums;   // what the first ones have left there
  double bin[detail::most_bins][detail::most_bin_lanes];
  double last_entered[detail::most_bins];
  sum_of_doubles::state total;
};

// Its objects begin where `add` makes them: made before, they would be a file of zeros.
alignas(shown_sum) unsigned char room[sizeof(shown_sum)];
double typed[most_numbers + line];

inline shown_sum& shown() { return *std::launder(reinterpret_cast<shown_sum*>(room)); }

/// Number i into so many bins that stand, at its place in a line of zeros. Whether they hold all of it.
template <int bins>
bool deposit(shown_sum& own, int i) {
  constexpr int lanes = detail::sweep_lanes<double>(bins, vector_bytes);
  double items[line] = {};
  items[i % line] = typed[i];
  double bin[bins][lanes];
  for (int k = 0; k < bins; ++k) std::memcpy(bin[k], own.bin[k], sizeof(bin[k]));
  const detail::block_range range =
      detail::sweep<vector_bytes, bins, detail::sweep_kind::values>(items, line, bin);
  if (range.may_have_minus_zero) {
    own.sums.state.counts.minus_zeros += detail::minus_zeros_of<vector_bytes>(items, line).count;
  }
  ++own.sums.state.counts.items;
  for (int k = 0; k < bins; ++k) {
    own.last_entered[k] = 0;
    for (int l = 0; l < lanes; ++l) {
      own.last_entered[k] += bin[k][l] - own.bin[k][l];  // of one lane; others get 0
      own.bin[k][l] = bin[k][l];
      const std::uint64_t units = bits_as<std::uint64_t>(bin[k][l]) - own.sums.kept.anchor(k);
      own.sums.kept.units[k][l] = static_cast<std::int64_t>(units);
    }
  }
  own.sums.kept.blocks = 1;
  return range.rest == 0;
}

/// Nothing has entered.
inline void start(shown_sum& own) {
  ::new (&own.sums) detail::exact_accumulator<term>;
  own.sums.state = zero_state<term::number>();
  detail::kept_bins& kept = own.sums.kept;
  kept = own.found.kept;
  kept.clear();
  for (int k = 0; k < kept.bins; ++k) {
    own.last_entered[k] = 0;
    for (double& m : own.bin[k]) m = bits_as<double>(kept.anchor(k));
  }
}

/// Number i into what stands. Whether that holds all of it.
inline bool enter_one(shown_sum& own, int i) {
  if (own.sums.kept.by_table) {
    own.sums.table.add<vector_bytes, false>(own.sums.state.counts, typed + i, 1);
    return true;
  }
  return own.sums.kept.bins == 2 ? deposit<2>(own, i) : deposit<4>(own, i);
}

/// The bins that held a block are left for fewer where nothing remains in the lower ones: of these numbers something may
/// have been there meanwhile.
inline void find_bins(shown_sum& own, int count) {
  bool holds = true;
  for (int i = 0; i < count; ++i) holds = enter_one(own, i) && holds;
  if (holds) return;
  detail::kept_bins& kept = own.found.kept;
  kept.set_bins(4, detail::sweep_lanes<double>(4, vector_bytes), kept.max_exponent, 0,
                detail::sweep_headroom<vector_bytes, double>(4), 1);
}

// The table has a cell for each sign and each nine upper bits of an exponent (fold/exact/exponent_table).
inline constexpr int groups = 512;
inline int cell_of(double x) { return static_cast<int>(bits_as<std::uint64_t>(x) >> 54); }

/// What is in a cell of the table, in units of 2^(4 group - 1 - 1074): what a table has that got the cell's numbers only.
inline int128 units_in(int cell) {
  const shown_sum& own = shown();
  detail::double_table table;
  exact_counts counts = zero_counts();
  for (int i = 0; i < own.sums.state.counts.items; ++i) {
    if (cell_of(typed[i]) == cell) table.add<vector_bytes, false>(counts, typed + i, 1);
  }
  if (counts.items == 0) return 0;
  term::number sum = zero_number<term::number>();
  table.add_to(sum);
  sum = magnitude_of(sum);
  const int shift = 4 * (cell % groups) - 1;
  if (shift < 0) return int128{sum.limb[0]} << 1;
  const auto limb = [&](int i) -> uint128 { return i < term::number::num_limbs ? sum.limb[i] : 0; };
  const int first = shift / 64;
  const uint128 low = (limb(first + 1) << 64 | limb(first)) >> (shift % 64);
  return static_cast<int128>(low);  // a thousand significands, moved by up to 3: fewer than 2^66
}

}  // namespace monofold::site

using namespace monofold;
using monofold::site::shown;

MONOFOLD_PAGE(numbers) double* numbers() { return site::typed; }
MONOFOLD_PAGE(most) int most() { return site::most_numbers; }

/// The sum of the first numbers, rounded once, as any caller of the library gets it.
MONOFOLD_PAGE(add) double add(int count) {
  auto* const own = ::new (site::room) site::shown_sum;
  own->found.state = zero_state<site::term::number>();
  // One block: what does not fill a line of a run would be a block of its own. Zeros change no bin.
  const int whole = (count / site::line + 1) * site::line;
  for (int i = count; i < whole; ++i) site::typed[i] = 0;
  detail::add_run_portable<site::term>(own->found, site::typed, whole);
  site::start(*own);
  site::find_bins(*own, count);
  const site::sum_of_doubles sum;
  own->total = sum.identity();
  sum.absorb_run(own->total, site::typed, count, 0);
  return sum.finish(own->total);
}

/// The first `count` of the numbers that were added have entered; returns their sum, rounded once.
MONOFOLD_PAGE(enter) double enter(int count) {
  site::shown_sum& own = shown();
  site::start(own);
  for (int i = 0; i < count; ++i) site::enter_one(own, i);
  own.total = own.sums.total();
  return site::sum_of_doubles{}.finish(own.total);
}

/// 0: the table holds the numbers.
MONOFOLD_PAGE(bins) int bins() { return shown().sums.kept.by_table ? 0 : shown().sums.kept.bins; }
MONOFOLD_PAGE(headroom) int headroom() { return shown().sums.kept.headroom; }
MONOFOLD_PAGE(exponent) int exponent(int k) { return shown().sums.kept.exponent(k); }
MONOFOLD_PAGE(entered) double entered(int k) { return shown().last_entered[k]; }
MONOFOLD_PAGE(units) std::int64_t units(int k) {
  const detail::kept_bins& kept = shown().sums.kept;
  std::int64_t sum = 0;
  for (int l = 0; l < kept.lanes; ++l) sum += kept.units[k][l];
  return sum;
}
MONOFOLD_PAGE(cells) int cells() { return 2 * site::groups; }
MONOFOLD_PAGE(cell) std::uint64_t cell(int i) {
  return static_cast<std::uint64_t>(site::units_in(i));
}
MONOFOLD_PAGE(carries) std::uint64_t carries(int i) {
  return static_cast<std::uint64_t>(site::units_in(i) >> 64);
}

/// The integer and the counts of what was added or has entered last: the bytes of a saved state.
MONOFOLD_PAGE(state) const void* state() { return &shown().total; }
MONOFOLD_PAGE(state_bytes) int state_bytes() { return sizeof(site::shown_sum::total); }
