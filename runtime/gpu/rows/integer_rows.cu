/// runtime/gpu/rows/integer_rows: variances, norms, products and bits of rows of integers.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/bitwise.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/platform/wide_int.hpp"
#include "runtime/gpu/rows/row_pass_of.cuh"
#include "runtime/gpu/rows/widened_items.cuh"

namespace monofold::runtime {

/// The state of integers, each as 64 bits.
struct row_integer_state {
  int128 sum;  // or a product, bits, or a magnitude
  uint256 squares;
};

/// Variances, norms, products and bits of integers of any type. A signed one has its sign in all bits above its own.
struct row_integer_fold {
  using state = row_integer_state;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  row_rules rules;
  bool is_signed;
  std::uint64_t nothing;  // what changes no product, or no bits

  MONOFOLD_HD state lift(std::uint64_t item, std::int64_t) const {
    const bool is_negative = is_signed && item >> 63 != 0;
    const std::uint64_t size = is_negative ? 0 - item : item;
    switch (rules.op) {
      case operation::norm1:
      case operation::norminf: return {static_cast<int128>(size), {}};
      case operation::var:
      case operation::std:
      case operation::norm2:
      case operation::mean_square: break;
      default: return {static_cast<int128>(item), {}};
    }
    const auto own = static_cast<int128>(size);
    return {is_negative ? -own : own, widen(uint128{size} * size)};
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    const auto a = static_cast<std::uint64_t>(left.sum);
    const auto b = static_cast<std::uint64_t>(right.sum);
    const auto one = [](std::uint64_t own) { return state{static_cast<int128>(own), {}}; };
    switch (rules.op) {
      case operation::prod: return one(a * b);
      case operation::bit_and: return one(a & b);
      case operation::bit_or: return one(a | b);
      case operation::bit_xor: return one(a ^ b);
      case operation::norminf: return one(a < b ? b : a);
      default: return {left.sum + right.sum, add(left.squares, right.squares)};
    }
  }
  MONOFOLD_HD state identity() const { return {static_cast<int128>(nothing), {}}; }

  MONOFOLD_HD bool needs_length() const {
    return rules.op == operation::var || rules.op == operation::std ||
           rules.op == operation::mean_square;
  }
  MONOFOLD_GPU row_answer answer(const state& total, std::int64_t count) const {
    return answer_of(*this, total, count);
  }

 private:
  MONOFOLD_GPU_CALL static row_answer answer_of(const row_integer_fold& f, const state& total,
                                                std::int64_t count) {
    const row_rules& rules = f.rules;
    const bool is_size = rules.op == operation::norm1 || rules.op == operation::norminf;
    if (rules.op == operation::norm2 || rules.op == operation::mean_square) {
      const bool is_mean = rules.op == operation::mean_square;
      if (is_mean && count == 0) return row_answer::failed(status::empty_input);
      const auto squares = monofold::detail::leading_of(total.squares.limb, 4, 0).bits;
      if (squares.significand == 0) return row_answer::of_real(0, rules.to);
      return row_answer::of_leading(
          false,
          is_mean ? quotient_of(squares, static_cast<std::uint64_t>(count)) : root_of(squares),
          rules.to);
    }
    if (!f.needs_length()) {
      const bool has_sign = f.is_signed && !is_size;
      return row_answer::of_integer(has_sign ? static_cast<std::int64_t>(total.sum) : total.sum, 0,
                                    rules.to);
    }
    if (count <= rules.ddof || count == 0) return row_answer::failed(status::empty_input);
    const uint256 deviations =
        monofold::detail::squared_deviations({count, total.sum, total.squares});
    const uint128 divisor =
        uint128{static_cast<std::uint64_t>(count)} * static_cast<std::uint64_t>(count - rules.ddof);
    const bool is_root = rules.op == operation::std;
    const auto bits = monofold::detail::leading_of(deviations.limb, 4, 0).bits;
    if (bits.significand == 0) return row_answer::of_real(0, rules.to);
    if (divisor >> 64 != 0 || (is_root && bits.sticky)) {
      return row_answer::of_ratio(deviations.limb, 4, 0, divisor, is_root, rules.to);
    }
    const auto low = static_cast<std::uint64_t>(divisor);
    return row_answer::of_leading(
        false, is_root ? root_of(long_quotient_of(bits, low)) : quotient_of(bits, low), rules.to);
  }
};

std::unique_ptr<row_pass> make_integer_row_pass(const row_question& what, const row_rules& rules) {
  if (monofold::info(what.type).is_floating) return nullptr;
  std::uint64_t nothing = 0;
  switch (what.op) {
    case operation::var:
    case operation::std:
    case operation::norm1:
    case operation::norm2:
    case operation::mean_square:
    case operation::norminf:
    case operation::bit_or:
    case operation::bit_xor: break;
    case operation::prod: nothing = 1; break;
    case operation::bit_and:
      visit_dtype(what.type, [&nothing]<class Item>() {
        if constexpr (std::is_integral_v<Item>) {
          constexpr bitwise_fold<Item, bit_operation::conjunction> own;
          nothing = static_cast<std::uint64_t>(own.identity());
        }
      });
      break;
    default: return nullptr;
  }
  return make_row_pass_of<row_integer_fold, std::uint64_t, words_from>(
      row_integer_fold{rules, words_from::is_signed(what.type), nothing}, what.type);
}

}  // namespace monofold::runtime
