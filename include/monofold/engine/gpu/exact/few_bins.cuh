#pragma once
/// engine/gpu/exact/few_bins: exact sums of few items in bins that have room for the items of all threads.

#include <cstdint>

#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/thread_bins.cuh"
#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/plan/few_launch.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// How few items of a type are added: at most 2^log2_items of them. Sums of warps begin at bins of different
/// exponents; they are added up as they are where these exponents differ by at most so much, and brought to common
/// bins elsewhere.
///
/// | member | meaning |
/// |---|---|
/// | `spread` | by so much the exponents of sums may differ, where sums are added up twice |
/// | `first_of_three`, `later_of_three` | the same where they are added up three times; no more in all |
/// | `headroom` | of bins: the sum of all items is below 2^53 units of the lowest bins |
/// | `first_product` | the first part that is of squares |
/// | `bins(p)` | how many bins part p has: two hold 52 to 60 binades, three 78 to 99, four 108 or 112 |
template <class Term>
struct few_plan;
template <class Item, bool with_products>
struct few_array_plan {
  static constexpr std::int64_t most_bytes = most_few_bytes(sizeof(Item), with_products);
  static constexpr int log2_items = [] {
    int n = 0;
    while (static_cast<std::int64_t>(sizeof(Item)) << n < most_bytes) ++n;
    return n;
  }();
  static constexpr int spread = with_products ? 2 : 3;
  static constexpr int first_of_three = 2;
  static constexpr int later_of_three = with_products ? 1 : 2;
  static_assert(first_of_three + 2 * later_of_three <= 2 * spread);
  // A bin of 2^n items sums up to 2^n times the largest. In units of bins that begin lower, by 2 spread or, of squares,
  // twice as much, that is as many times more.
  static constexpr int headroom = log2_items + (with_products ? 4 : 2) * spread - 1;
  static constexpr int first_product = 1;
  MONOFOLD_HD static constexpr int bins(int p) {
    return p < first_product ? (sizeof(Item) == 8 ? 3 : 2) : sizeof(Item) == 2 ? 3 : 4;
  }
};
template <class Item>
struct few_plan<value_term<Item>> : few_array_plan<Item, false> {};
template <class Item>
struct few_plan<magnitude_term<Item>> : few_array_plan<Item, false> {};
template <class Item>
struct few_plan<moments_term<Item>> : few_array_plan<Item, true> {};

/// The bins of a thread for parts `part`, part + 1, .. of terms, see `term_format`.
///
/// shape      value: `count` doubles, one a bin, part by part
template <class Term, int part = 0, bool = (part < term_format<Term>::parts)>
class few_bins {
 public:
  static constexpr int count = 0;
  MONOFOLD_HD static constexpr int part_of(int) { return part; }
  MONOFOLD_GPU void start(int) {}
  template <class X>
  MONOFOLD_GPU std::uint32_t deposit(const X&) {
    return 0;
  }
  template <class X>
  MONOFOLD_GPU void deposit_surely(const X&) {}
  MONOFOLD_GPU std::uint32_t move(const double*) { return 0; }
  MONOFOLD_GPU void store(int, double*) const {}
};
template <class Term, int part>
class few_bins<Term, part, true> {
  using format = term_format<Term>;
  static constexpr int own_count = few_plan<Term>::bins(part);
  using bins = thread_bins<own_count, few_plan<Term>::headroom>;
  using next = few_bins<Term, part + 1>;

 public:
  static constexpr int count = own_count + next::count;
  /// The part to which the bin with this number belongs.
  MONOFOLD_HD static constexpr int part_of(int value) {
    return value < own_count ? part : next::part_of(value - own_count);
  }

  MONOFOLD_GPU void start(int max_exponent) {
    own_.start(format::part_max_exponent(max_exponent, part));
    next_.start(max_exponent);
  }
  /// Adds the parts of a term. The result is not 0 where the bins do not hold all bits of them.
  template <class X>
  MONOFOLD_GPU std::uint32_t deposit(const X& x) {
    return bits_but_sign(own_.deposit(x[part])) | next_.deposit(x);
  }
  /// Adds the parts of a term that the bins are known to hold.
  template <class X>
  MONOFOLD_GPU void deposit_surely(const X& x) {
    own_.template deposit_whole<own_count>(x[part]);
    next_.deposit_surely(x);
  }
  /// Adds what other bins have stored. The result is not 0 where these bins do not hold all bits of it.
  MONOFOLD_GPU std::uint32_t move(const double* value) {
    std::uint32_t left = 0;
    MONOFOLD_UNROLL
    for (int k = 0; k < own_count; ++k) left |= bits_but_sign(own_.deposit(value[k]));
    return left | next_.move(value + own_count);
  }
  /// Stores the sums of what was deposited since the bins were started with `max_exponent`.
  MONOFOLD_GPU void store(int max_exponent, double* value) const {
    bins empty;
    empty.start(format::part_max_exponent(max_exponent, part));
    MONOFOLD_UNROLL
    for (int k = 0; k < own_count; ++k) {
      value[k] = rounded_sum(bits_as<double>(own_.bits(k)), -bits_as<double>(empty.bits(k)));
    }
    next_.store(max_exponent, value + own_count);
  }

 private:
  bins own_;
  next next_;
};

/// Exact sums of few items, a double a bin. Each is a whole number of the units of bins that begin at `max_exponent`, or
/// at most 2 `spread` binades of items lower, see `few_plan`.
template <class Term>
struct bin_sums {
  using bins = few_bins<Term>;
  static constexpr int count = bins::count;
  static constexpr int no_exponent = -(1 << 12);  // of no sums: below all others

  double value[count];
  std::int32_t max_exponent;

  /// Moves the sums to bins that begin at a larger exponent; false where those do not hold all bits.
  MONOFOLD_GPU bool move_to(int largest) {
    bins to;
    to.start(largest);
    const std::uint32_t left = to.move(value);
    to.store(largest, value);
    max_exponent = largest;
    return left == 0;
  }
};

}  // namespace monofold::detail
