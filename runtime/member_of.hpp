#pragma once
/// runtime/member_of: folds of the headers as members, for one type of item: what no loop is made of.

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "monofold/fold/exact/few.hpp"
#include "monofold/fold/name.hpp"
#include "monofold/fold/shift_indices.hpp"
#include "runtime/folder.hpp"
#include "runtime/member.hpp"
#include "runtime/member_answers.hpp"
#include "runtime/member_folds.hpp"

namespace monofold::runtime {

/// Makes a state of what a GPU left: its bytes; both extrema; or of the k best how many there are, k
/// indices, k items, NaN last.
template <family kind, class Item, nan_rule rule, class Fold>
typename Fold::state state_from_gpu(const Fold& fold, const void* bytes) {
  typename Fold::state own;
  if constexpr (is_norm_by_extrema_v<kind, Item, rule>) {
    using extrema = extrema_fold<Item, rule>;
    typename extrema::state both;
    std::memcpy(&both, bytes, sizeof(both));
    if (!extrema::low::has_value(both.min)) return fold.identity();
    own = fold.combine(fold.lift(extrema::low::value(both.min), 0),
                       fold.lift(extrema::high::value(both.max), 0));
  } else if constexpr (std::is_trivially_copyable_v<typename Fold::state>) {
    std::memcpy(&own, bytes, sizeof(own));
  } else {
    const auto* const count = static_cast<const std::int64_t*>(bytes);
    const std::int64_t* const indices = count + 1;
    const auto* const items = reinterpret_cast<const typename Fold::item_type*>(indices + fold.k);
    for (std::int64_t i = 0; i < *count; ++i) {
      if constexpr (rule == nan_rule::omit) {
        if (is_nan(items[i])) continue;
      }
      own.candidates.push_back({Fold::key_of(items[i]), indices[i]});
    }
  }
  return own;
}

/// Exact sums choose their instructions themselves.
template <class Fold, class Item>
void add_running(member_folder& own, const void* items, std::int64_t count, std::int64_t) {
  static_cast<folder<Fold, Item>&>(own).part.held.add(static_cast<const Item*>(items), count);
}

template <class Fold, class Item>
std::int64_t add_running_apart(member_folder& own, const void* left, const void* right,
                               std::int64_t count) {
  return static_cast<folder<Fold, item_pair<Item, Item>>&>(own).part.held.add_factors(
      static_cast<const Item*>(left), static_cast<const Item*>(right), count);
}

template <family kind, class Item, nan_rule rule>
class member_of final : public member {
 public:
  using fold = member_fold_t<kind, Item, rule>;
  using element = member_item_t<kind, Item>;
  using state = typename fold::state;

  explicit member_of(const member_request& what) {
    if constexpr (kind == family::largest || kind == family::smallest) fold_.k = what.k;
    if constexpr (kind == family::logsumexp) fold_.omits_nan = what.omit_nan;
    if constexpr (has_running_sum_v<fold, element>) {
      loop_ = add_running<fold, element>;
      if constexpr (kind == family::dot) apart_loop_ = add_running_apart<fold, Item>;
    } else {
      loop_ = find_loop(what);
      if constexpr (kind == family::dot) apart_loop_ = find_integer_apart_loop(what);
    }
  }

  std::unique_ptr<member_folder> start() const override {
    return std::make_unique<folder<fold, element>>(fold_, loop_, apart_loop_);
  }
  void combine(state_box& own, const state_box& right) const override {
    state& left = static_cast<state_of<state>&>(own).value;
    left = fold_.combine(left, value_of(right));
  }
  std::unique_ptr<state_box> from_device_bytes(const void* bytes,
                                               std::int64_t first_index) const override {
    return shifted(state_from_gpu<kind, Item, rule>(fold_, bytes), first_index);
  }
  void write(byte_writer& out, const state_box& box) const override {
    encode_state(out, fold_, value_of(box));
  }
  std::unique_ptr<state_box> read(byte_reader& in) const override {
    return boxed(decoded<state>(in));
  }
  std::unique_ptr<state_box> with_index_offset(const state_box& box,
                                               std::int64_t offset) const override {
    if constexpr (!monofold::detail::may_hold_indices<state>) return nullptr;
    return shifted(value_of(box), offset);
  }
  answer finish(operation op, const state_box* box, const answer_context& context) const override {
    return member_answer<kind, Item>(op, fold_, box != nullptr ? &value_of(*box) : nullptr,
                                     context);
  }
  void answer_rows(const row_block& rows, std::span<const placed_operation> ops,
                   const answer_context* contexts, answer* answers,
                   std::size_t stride) const override {
    for (std::int64_t r = 0; r < rows.count; ++r) {
      const auto* const items = reinterpret_cast<const element*>(rows.first + r * rows.pitch_bytes);
      answer* const out = answers + static_cast<std::size_t>(r) * stride;
      if (answer_few(items, rows.length, ops, contexts[r].how, out)) continue;
      const state own = fold_row(items, rows.length);
      for (const placed_operation& one : ops) {
        out[one.place] = member_answer<kind, Item>(one.op, fold_, &own, contexts[r]);
      }
    }
  }

 private:
  /// So many items take less time without a state.
  static constexpr std::int64_t most_few = 512;

  /// Answers for few items whose exact sum two doubles hold; the bits are those of the state's answer.
  static bool answer_few(const element* items, std::int64_t count,
                         std::span<const placed_operation> ops, rounding how, answer* out) {
    if constexpr (kind == family::sum && is_floating_v<Item>) {
      if (count > most_few || ops.size() != 1) return false;
      const auto [op, place] = ops.front();
      if (how == rounding::to_odd) {
        monofold::detail::sum_of_two sum;
        return monofold::detail::sum_few<value_term<Item>>(items, count, sum) &&
               few_answer_to_odd(out[place], op, sum, count);
      }
      result<double> found;
      const bool is_known =
          op == operation::mean
              ? monofold::detail::few_answers<exact_mean_fold<value_term<Item>, double>>::find(
                    items, count, found)
              : monofold::detail::few_answers<exact_total_fold<value_term<Item>, double>>::find(
                    items, count, found);
      if (is_known) set_number(out[place], op, *found);
      return is_known;
    }
    return false;
  }

  state fold_row(const element* items, std::int64_t count) const {
    if constexpr (has_running_sum_v<fold, element>) {
      // What a running sum learns is worth its start from some tiles on.
      if (count <= tile_items_v<element>) {
        state own = fold_.identity();
        fold_.absorb_run(own, items, count, 0);
        return own;
      }
    }
    folder<fold, element> one(fold_, loop_);
    one.add(items, count, 0);
    return one.part.total(fold_);
  }
  static const state& value_of(const state_box& box) {
    return static_cast<const state_of<state>&>(box).value;
  }
  static std::unique_ptr<state_box> boxed(state own) {
    return std::make_unique<state_of<state>>(std::move(own));
  }
  static std::unique_ptr<state_box> shifted(state own, std::int64_t offset) {
    monofold::detail::shift_indices(own, offset);
    return boxed(std::move(own));
  }

  fold fold_{};
  member_folder::loop loop_;
  member_folder::apart_loop apart_loop_ = nullptr;
};

/// Those of each type of items; logsumexp has its own way.
using every_family =
    family_list<family::sum, family::plain_sum, family::product, family::moments,
                family::plain_moments, family::summary, family::minimum, family::maximum,
                family::extrema, family::largest, family::smallest, family::logical, family::norm1,
                family::plain_norm1, family::norm2, family::plain_norm2, family::norm_inf,
                family::dot, family::plain_dot, family::bit_and, family::bit_or, family::bit_xor,
                family::nan_count, family::pair_nan_count>;

template <class Item>
std::unique_ptr<member> make_member_for(const member_request& what) {
  return visit_families<Item>(
      every_family{}, what,
      [&]<family kind, class Element, nan_rule rule>() -> std::unique_ptr<member> {
        return std::make_unique<member_of<kind, Element, rule>>(what);
      });
}

// One source file for each: what it takes to compile them is shared out.
using make_member_type = std::unique_ptr<member>(const member_request&);
extern template make_member_type make_member_for<bool>;
extern template make_member_type make_member_for<std::int8_t>;
extern template make_member_type make_member_for<std::int16_t>;
extern template make_member_type make_member_for<std::int32_t>;
extern template make_member_type make_member_for<std::int64_t>;
extern template make_member_type make_member_for<std::uint8_t>;
extern template make_member_type make_member_for<std::uint16_t>;
extern template make_member_type make_member_for<std::uint32_t>;
extern template make_member_type make_member_for<std::uint64_t>;
extern template make_member_type make_member_for<float16>;
extern template make_member_type make_member_for<bfloat16>;
extern template make_member_type make_member_for<float>;
extern template make_member_type make_member_for<double>;

}  // namespace monofold::runtime
