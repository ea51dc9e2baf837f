/// rolling_trees: windows that grow, of floats whose sums and products round on the way, by rows of the plan's tiles.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "monofold/engine/rolling_keys.hpp"
#include "monofold/engine/scan_rows.hpp"
#include "monofold/engine/scan_tree.hpp"
#include "monofold/engine/tree_joiner.hpp"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/instruction_set.hpp"
#include "monofold/shape/view.hpp"
#include "runtime/families.hpp"
#include "runtime/logsumexp_fold.hpp"
#include "runtime/member_folds.hpp"
#include "runtime/rolling_job.hpp"

namespace monofold::runtime {

namespace {

struct sum_of {
  template <class Real>
  MONOFOLD_INLINE Real operator()(Real left, Real right) const {
    return left + right;
  }
  template <class Vector>
  MONOFOLD_INLINE static void join_to(Vector& own, const Vector& other) {
    own = own + other;
  }
};
struct product_of_two {
  template <class Real>
  MONOFOLD_INLINE Real operator()(Real left, Real right) const {
    return left * right;
  }
  template <class Vector>
  MONOFOLD_INLINE static void join_to(Vector& own, const Vector& other) {
    own = own * other;
  }
};

/// Numbers of 32 bytes, of four slots or twice four.
template <class Real>
using quads = typename monofold::detail::key_lanes<32, Real>::type;

/// Each of four slots becomes what those up to it, and those after it of the row before, join to. `before`: the slots
/// after that row; `rights`: what their right pairs joined to.
template <class Join>
MONOFOLD_INLINE void join_quads(quads<double>& row, const quads<double>& before, double* rights) {
  quads<double> own = __builtin_shufflevector(row, row, 0, 0, 2, 2);
  quads<double> right = __builtin_shufflevector(row, before, 5, 1, 7, 3);
  Join::join_to(own, right);
  const quads<double> last = {rights[0], rights[0], 0, 0};
  rights[0] = own[3];
  right = __builtin_shufflevector(own, last, 4, 5, 2, 3);
  row = __builtin_shufflevector(own, own, 0, 1, 1, 1);
  Join::join_to(row, right);
}
template <class Join>
MONOFOLD_INLINE void join_quads(quads<float>& row, const quads<float>& before, float* rights) {
  quads<float> own = __builtin_shufflevector(row, row, 0, 0, 2, 2, 4, 4, 6, 6);
  quads<float> right = __builtin_shufflevector(row, before, 9, 1, 11, 3, 13, 5, 15, 7);
  Join::join_to(own, right);
  const quads<float> last = {rights[0], rights[0], 0, 0, rights[1], rights[1], 0, 0};
  rights[0] = own[3];
  rights[1] = own[7];
  right = __builtin_shufflevector(own, last, 8, 9, 2, 3, 12, 13, 6, 7);
  row = __builtin_shufflevector(own, own, 0, 1, 1, 1, 4, 5, 5, 5);
  Join::join_to(row, right);
}

/// One number of the states in the slots of a tile. Rows have all their items here: of the last one what comes after
/// the data changes nothing before it.
template <class Join, class Real, int slots>
struct tree_part {
  using vector = quads<Real>;
  static constexpr int width = 32 / sizeof(Real);

  alignas(32) Real slot[slots];
  monofold::detail::row_beginnings<Real, slots> tree;
  Real lefts[64];  // of the nodes before the tile, the nearest first
  int num_lefts = 0;
  Real last;  // of the tile so far

  /// Replaces the numbers of a row by what they, those of the rows before and the nodes before the tile join to.
  MONOFOLD_INLINE void add_on(Real* row, bool is_first) {
    if (is_first) {
      std::copy(row, row + slots, slot);
      tree.join(Join{}, row, slots, true);
    } else {
      for (int at = 0; at < slots; at += width) {
        auto* const to = reinterpret_cast<vector*>(row + at);
        auto* const held = reinterpret_cast<vector*>(slot + at);
        const vector before = *held;
        vector own = before;
        Join::join_to(own, *to);
        *held = own;
        join_quads<Join>(own, before, tree.quad_rights() + at / 4);
        *to = own;
      }
      tree.join_above_quads(Join{}, row);
    }
    last = row[slots - 1];
    if (num_lefts > 0) join_lefts(row);
  }
  /// Four vectors at a time, which stay in registers.
  MONOFOLD_INLINE void join_lefts(Real* row) const {
    for (int at = 0; at < slots; at += 4 * width) {
      auto* const own = reinterpret_cast<vector*>(row + at);
      vector a = own[0], b = own[1], c = own[2], d = own[3];
      for (int l = 0; l < num_lefts; ++l) {
        vector left;
        for (int k = 0; k < width; ++k) left[k] = lefts[l];
        Join::join_to(a, left);
        Join::join_to(b, left);
        Join::join_to(c, left);
        Join::join_to(d, left);
      }
      own[0] = a, own[1] = b, own[2] = c, own[3] = d;
    }
  }
#if defined(MONOFOLD_KEYS_X86)
  __attribute__((target("avx2"), noinline)) void add_avx2(Real* row, bool is_first) {
    add_on(row, is_first);
  }
#endif
  [[gnu::noinline]] void add(Real* row, bool is_first) {
#if defined(MONOFOLD_KEYS_X86)
    if (monofold::instruction_set_in_use() != instruction_set::baseline) {
      return add_avx2(row, is_first);
    }
#endif
    add_on(row, is_first);
  }
};

template <family kind, class T>
class growing_tree {
 public:
  using fold = member_fold_t<kind, T, nan_rule::propagate>;
  using held = accumulator_t<fold>;
  using state = typename fold::state;
  using access = fold_access<fold, T>;
  using real = std::conditional_t<std::is_same_v<held, float>, float, double>;
  using join = std::conditional_t<kind == family::product, product_of_two, sum_of>;
  static constexpr int row_items = tile_shape<T>::row_items;
  static constexpr int tile = tile_items_v<T>;
  static constexpr bool are_moments = kind == family::plain_moments;
  // The middle part alone is not 0 where numbers are squared without a scale.
  static constexpr int all_parts = sizeof(held) / sizeof(real);
  static constexpr bool is_middle = kind == family::plain_norm2 && !std::is_same_v<T, double>;
  static constexpr int first_part = is_middle ? 1 : 0;
  static constexpr int num_parts = is_middle ? 1 : all_parts;

  explicit growing_tree(const rolling_job& job) : job_(job) {}

  void grow() {
    const std::int64_t end = job_.raises() ? first_nan() : job_.all.count;
    for (std::int64_t at = 0; at < end; at += row_items) {
      const int count = static_cast<int>(std::min<std::int64_t>(row_items, end - at));
      add(at, count);
      keep(at, count);
      if ((at + count) % tile == 0) push(at + count - tile);
    }
    for (std::int64_t i = end; i < job_.all.count; ++i) {
      job_.keep(i, failed(job_.op, status::nan_found));
    }
  }

 private:
  const T* items(std::int64_t at) const { return reinterpret_cast<const T*>(job_.item(at)); }
  std::int64_t first_nan() const {
    const T* const all = items(0);
    return std::find_if(all, all + job_.all.count, [](T x) { return is_nan(x); }) - all;
  }

  /// What stands for NaN that is left out: it changes nothing.
  static T neutral() {
    if constexpr (kind == family::product) {
      return static_cast<T>(1.0F);
    } else {
      return kind == family::plain_sum ? monofold::detail::negative_zero<T>() : T{};
    }
  }
  void add(std::int64_t at, int count) {
    const T* const from = items(at);
    if (job_.context.omit_nan) {
      T kept[row_items];
      for (int c = 0; c < count; ++c) {
        num_present_ += is_nan(from[c]) ? 0 : 1;
        present_[c] = num_present_;
        kept[c] = is_nan(from[c]) ? neutral() : from[c];
      }
      open(kept, count);
    } else {
      open(from, count);
    }
    for (int p = 0; p < num_parts; ++p) parts_[p].add(rows_[p], at % tile == 0);
  }
  void open(const T* from, int count) {
    for (int c = 0; c < count; ++c) {
      const held one = access::open(fold_, from[c], 0);
      real parts[all_parts];
      std::memcpy(parts, &one, sizeof one);
      for (int p = 0; p < num_parts; ++p) rows_[p][c] = parts[first_part + p];
    }
  }
  held held_of(const real* numbers) const {
    real parts[all_parts] = {};
    std::copy(numbers, numbers + num_parts, parts + first_part);
    held own;
    std::memcpy(&own, parts, sizeof own);
    return own;
  }
  /// The tile is whole.
  void push(std::int64_t at) {
    real last[num_parts];
    for (int p = 0; p < num_parts; ++p) last[p] = parts_[p].last;
    joiner_.push(fold_, {0, at / tile}, state_of(held_of(last), at, tile));
    if constexpr (std::is_same_v<held, state>) {
      const auto& before = joiner_.entries();
      const auto count = static_cast<int>(before.size());
      for (int l = 0; l < count; ++l) {
        real parts[all_parts];
        std::memcpy(parts, &before[before.size() - 1 - l].value, sizeof parts);
        for (int p = 0; p < num_parts; ++p) parts_[p].lefts[l] = parts[first_part + p];
      }
      for (int p = 0; p < num_parts; ++p) parts_[p].num_lefts = count;
    }
  }
  state state_of(const held& all, std::int64_t at, int count) const {
    if constexpr (may_repeat_v<fold>) {
      if (!fold_.suffices(all, count)) {
        return monofold::detail::fold_again(fold_, all, items(at), count, at);
      }
    }
    return access::flush(fold_, all, count);
  }
  /// The state up to the row's c-th item.
  state state_at(std::int64_t at, int c) const {
    real parts[num_parts];
    for (int p = 0; p < num_parts; ++p) parts[p] = rows_[p][c];
    const auto i = static_cast<int>(at % tile);
    state own = state_of(held_of(parts), at - i, i + c + 1);
    if constexpr (!std::is_same_v<held, state>) own = joiner_.total_with(fold_, own);
    return own;
  }
  void keep(std::int64_t at, int count) {
    const bool omits = job_.context.omit_nan;
    const auto num_items = [&](int c) { return omits ? present_[c] : at + c + 1; };
    const operation op = job_.op;
    if constexpr (are_moments) {
      const std::int64_t ddof = job_.context.ddof;
      keep_each<double>(at, count, [&](int c) {
        const state own = state_at(at, c);
        return op == operation::var ? variance_of(own, ddof) : deviation_of(own, ddof);
      });
    } else if constexpr (kind == family::plain_norm2) {
      keep_each<double>(at, count, [&](int c) -> result<double> {
        const state own = state_at(at, c);
        if (op != operation::mean_square) return fold_.finish(own);
        if (num_items(c) == 0) return status::empty_input;
        return fold::mean_square(own, num_items(c));
      });
    } else if (op == operation::mean) {
      keep_each<double>(at, count, [&](int c) {
        return mean_fold<T>{}.finish({static_cast<double>(rows_[0][c]), num_items(c)});
      });
    } else {
      for (int c = 0; c < count; ++c) rows_[0][c] = one_nan(rows_[0][c]);
      // A sum of nothing is no sum of -0.
      for (int c = 0; c < count && omits && op == operation::sum; ++c) {
        if (present_[c] == 0) rows_[0][c] = 0;
      }
      keep_numbers(at, count, rows_[0]);
    }
  }
  template <class Number, class Finish>
  void keep_each(std::int64_t at, int count, const Finish& finish) const {
    Number numbers[row_items];
    int from = 0;
    for (int c = 0; c < count; ++c) {
      const result<Number> own = finish(c);
      if (own) {
        numbers[c] = *own;
        continue;
      }
      keep_numbers(at + from, c - from, numbers + from);
      job_.keep(at + c, failed(job_.op, own.code()));
      from = c + 1;
    }
    keep_numbers(at + from, count - from, numbers + from);
  }
  void keep_numbers(std::int64_t at, int count, const double* numbers) const {
    if (count > 0) job_.keep(at, count, dtype::float64, numbers);
  }
  void keep_numbers(std::int64_t at, int count, const float* numbers) const {
    if (job_.all.value_type == dtype::float32) {
      return job_.keep(at, count, dtype::float32, numbers);
    }
    double wide[row_items];
    std::copy(numbers, numbers + count, wide);
    keep_numbers(at, count, wide);
  }

  const rolling_job& job_;
  fold fold_{};
  tree_part<join, real, row_items> parts_[num_parts];
  alignas(32) real rows_[num_parts][row_items] = {};
  tree_joiner<state> joiner_;
  std::int64_t num_present_ = 0;
  std::int64_t present_[row_items];  // up to each item of the row, where NaN are left out
};

/// Sums of exponentials, or logarithms of them, by the tree of the headers.
template <class T>
void grow_logsumexp(const rolling_job& job) {
  using fold = lifted_logsumexp_fold<T>;
  const auto* const items = reinterpret_cast<const T*>(job.item(0));
  const bool raises = job.raises();
  constexpr int block = 256;
  const bool are_pairs = is_pair(job.op);
  double numbers[block];
  double sums[block];
  std::int64_t kept = 0;
  bool has_nan = false;
  monofold::detail::scan_tree(
      fold(job.context.omit_nan), contiguous_view<T>(items, job.all.count),
      [&](std::int64_t i, const typename fold::state& own) {
        has_nan |= raises && is_nan(items[i]);
        if (!has_nan) {
          numbers[i - kept] =
              are_pairs ? one_nan(own.max) : logsumexp_fold<typename fold::real>{}.finish(own);
          sums[i - kept] = own.sum;
        }
        const std::int64_t count = has_nan ? i - kept : i + 1 - kept;
        if (count > 0 && (has_nan || count == block || i + 1 == job.all.count)) {
          job.keep(kept, count, dtype::float64, numbers, nullptr, are_pairs ? sums : nullptr);
          kept += count;
        }
        if (!has_nan) return;
        job.keep(i, failed(job.op, status::nan_found));
        kept = i + 1;
      });
}

/// Calls visit.template operator()<kind, T>() where that has rows.
template <class Visit>
bool visit_trees(const rolling_job& job, const Visit& visit) {
  using enum family;
  const request& what = job.rows.what();
  bool found = false;
  const std::optional<family> asked = family_of(job.op, what.plain);
  if (!asked || !job.grows()) return false;
  // Where NaN are left out, items of moments are joined one by one.
  if (*asked == plain_moments && what.nan == nan_policy::omit) return false;
  visit_dtype(what.type, [&]<class T>() {
    const auto visit_one = [&]<family kind>() {
      if constexpr (is_floating_v<T>) {
        using fold = member_fold_t<kind, T, nan_rule::propagate>;
        if constexpr (monofold::detail::has_slot_rows_v<fold, T>) {
          if (*asked != kind) return;
          found = true;
          visit.template operator()<kind, T>();
        }
      }
    };
    visit_one.template operator()<product>();
    visit_one.template operator()<plain_sum>();
    visit_one.template operator()<plain_moments>();
    visit_one.template operator()<plain_norm1>();
    visit_one.template operator()<plain_norm2>();
  });
  return found;
}

}  // namespace

bool has_trees(const rolling_job& job) {
  if (job.grows() && family_of(job.op, false) == family::logsumexp) return true;
  return visit_trees(job, []<family, class T>() {});
}

void grow_trees(const rolling_job& job) {
  if (family_of(job.op, false) == family::logsumexp) {
    return visit_dtype(job.rows.what().type, [&]<class T>() {
      if constexpr (is_floating_v<T>) grow_logsumexp<T>(job);
    });
  }
  visit_trees(job, [&]<family kind, class T>() { growing_tree<kind, T>(job).grow(); });
}

}  // namespace monofold::runtime
