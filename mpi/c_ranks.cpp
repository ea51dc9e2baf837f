/// mpi/c_ranks: the calls of monofold_mpi.h, on the running states of libmonofold.

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/mpi/fields.hpp"
#include "monofold/engine/mpi/group.hpp"
#include "monofold/fold/exact.hpp"
#include "monofold/monofold_mpi.h"
#include "monofold/ranks.hpp"
#include "mpi/c_states.hpp"
#include "mpi/in_order.hpp"
#include "mpi/most_gathered.h"
#include "mpi/shards.hpp"
#include "mpi/state_words.hpp"

namespace monofold::mpi {
namespace {

/// Calls `body`, which returns a status or throws: nothing passes.
template <class Body>
monofold_status guarded(const Body& body) noexcept {
  monofold_status code = MONOFOLD_OK;
  const rank_trouble trouble = attempt_part([&] { code = body(); });
  return trouble ? static_cast<monofold_status>(trouble.code) : code;
}

/// What ranks found: a state of all items, or the answer itself.
struct outcome {
  state total;
  monofold_result answer{};
};

/// Items of more are for the loops of libmonofold, and hide what its states cost.
constexpr std::int64_t most_summed_here = 1 << 12;

/// Whether the headers answer by themselves, and fold a few items in host memory: sums of floats and doubles. A state of
/// libmonofold that is made, saved and loaded takes longer than its message.
template <class F>
constexpr bool is_summed_here() {
  if constexpr (monofold::detail::rounded_sum<F>::known) {
    using item = typename F::item;  // or a pair of them
    return std::is_same_v<item, float> || sizeof(item) % sizeof(double) == 0;
  }
  return false;
}

/// The words of this rank's items, into words that are 0.
template <class F>
void put_words_here(const question& what, const F& f, std::int64_t* words) {
  what.make(0);
  const auto put = [&](const auto& view) {
    monofold::detail::put_words_of_fields(cpu(what.how().num_threads), f, std::vector{view}, words);
  };
  using item = typename F::item;
  if constexpr (requires { typename monofold::detail::pair_types<item>::left; }) {
    using one = typename monofold::detail::pair_types<item>::left;
    using view = contiguous_view<one>;
    const view left(static_cast<const one*>(what.left), what.count);
    const view right(static_cast<const one*>(what.right), what.count);
    if (what.count > 0 && (what.left == nullptr || what.right == nullptr)) {
      need(MONOFOLD_INVALID_ARGUMENT);
    }
    put(zipped_view<view, view, item>(left, right));
  } else {
    put(contiguous_view<item>(static_cast<const item*>(what.left), what.count));
  }
}

/// The answer of the words of all ranks, as monofold_reduce writes it.
template <class F>
monofold_result answer_here(monofold_operation op, const F& f, const std::int64_t* words) {
  monofold_result out{};
  out.index = -1;
  out.first_nan = -1;
  const auto set = [&](const result<double>& found) {
    out.status = static_cast<monofold_status>(found.code());
    if (!found) return;
    out.value.type = MONOFOLD_NUMBER_FLOAT64;
    out.value.as.float64 = *found;
  };
  if (op == MONOFOLD_MEAN || op == MONOFOLD_MEAN_SQUARE) {
    set(finish_wire(exact_mean_fold<typename F::term, double>{}, words));
  } else {
    set(finish_wire(f, words));
  }
  return out;
}

/// One message: how many items there are, words that add up, and ranks in trouble.
template <class F>
rank_trouble add_up(const rank_group& group, const question& what, const F& f, outcome& out) {
  const auto width = static_cast<std::size_t>(monofold::detail::words_in(f));
  std::vector<std::int64_t> words(width + 2);
  bytes own_bytes;
  saved_run own;
  const rank_trouble trouble = attempt_part([&] {
    words.front() = what.count;
    if constexpr (is_summed_here<F>()) {
      if (what.place == MONOFOLD_HOST && what.count <= most_summed_here) {
        return put_words_here(what, f, words.data() + 1);
      }
    }
    const state made = what.make(0);
    what.push(made.get(), what.left, what.right, what.count, what.place);
    own_bytes = save(made.get());
    own = run_of(unseal(own_bytes).payload);
    put_words_of(f, own, words.data() + 1);
  });
  words.back() = trouble ? 1 : 0;
  group.add_up(words);
  if (words.back() != 0) return group.agree(trouble);
  if constexpr (is_summed_here<F>()) {
    out.answer = answer_here(what.ops[0], f, words.data() + 1);
  } else {
    const bool any = words.front() != 0;
    out.total = any ? load(saved_state_of(f, own.request, words)) : what.make(0);
  }
  return {};
}

monofold_status reduce_all(MPI_Comm comm, const question& what, monofold_result* results) {
  const rank_group group(comm);
  rank_trouble trouble;
  outcome found;
  const bool has_words =
      what.ops != nullptr && what.type >= MONOFOLD_BOOL && what.type <= MONOFOLD_FLOAT64 &&
      what.adds_up() &&
      visit_adding_fold(static_cast<dtype>(what.type), what.ops[0],
                        [&](const auto& f) { trouble = add_up(group, what, f, found); });
  if (!has_words) trouble = join_shards(group, what, found.total);
  if (trouble) return static_cast<monofold_status>(trouble.code);
  if (!found.total) {
    results[0] = found.answer;
    return found.answer.status;
  }
  monofold_status first = MONOFOLD_OK;
  for (std::int32_t i = 0; i < what.num_ops; ++i) {
    const monofold_status code = monofold_state_result(found.total.get(), i, &results[i]);
    if (first == MONOFOLD_OK) first = code;
  }
  return first;
}

/// Items of a field whose mask is not 0, one behind the other.
void compress(const double* items, const unsigned char* mask, std::int64_t count,
              std::vector<double>& out) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (mask[i] != 0) out.push_back(items[i]);
  }
}

/// What monofold_sum_fields_ranks is asked for.
struct field_question {
  const double* items;
  std::int64_t count;
  std::int64_t num_fields;
  std::int64_t stride;
  const double* weights;
  const unsigned char* mask;
  double* sums;

  bool makes_sense() const {
    const bool spaced = num_fields < 2 || count == 0 || stride >= count;
    return count >= 0 && spaced && sums != nullptr && (items != nullptr || count == 0);
  }
};

void sum_fields(MPI_Comm comm, const field_question& what) {
  using view = contiguous_view<double>;
  // A rank whose arguments make no sense has a field without items that says so, to all.
  const bool is_good = what.makes_sense();
  std::vector<double> kept;
  std::vector<double> kept_weights;
  std::vector<view> fields(static_cast<std::size_t>(what.num_fields),
                           view(nullptr, is_good ? 0 : -1));
  const auto masked = [&](const double* from, std::vector<double>& room) {
    const std::size_t at = room.size();
    compress(from, what.mask, what.count, room);
    return static_cast<std::int64_t>(room.size() - at);
  };
  std::int64_t count = what.count;
  const double* weights = what.weights;
  if (is_good && what.mask != nullptr) {
    count =
        std::count_if(what.mask, what.mask + what.count, [](unsigned char m) { return m != 0; });
    kept.reserve(static_cast<std::size_t>(count * what.num_fields));
    if (weights != nullptr) {
      masked(weights, kept_weights);
      weights = kept_weights.data();
    }
  }
  for (std::size_t i = 0; is_good && i < fields.size(); ++i) {
    const double* from = what.items + static_cast<std::int64_t>(i) * what.stride;
    if (what.mask != nullptr) {
      masked(from, kept);
      from = kept.data() + static_cast<std::int64_t>(i) * count;
    }
    fields[i] = view(from, count);
  }
  const auto put = [&](const auto& answers) {
    for (std::size_t i = 0; i < answers.size(); ++i) what.sums[i] = *answers[i];
  };
  if (what.weights == nullptr) {
    put(reduce_many(ranks(comm), fields, sum));
  } else {
    using pairs = zipped_view<view, view, item_pair<double, double>>;
    std::vector<pairs> products;
    for (const view& field : fields) products.emplace_back(field, view(weights, field.size()));
    put(reduce_many(ranks(comm), products, dot));
  }
}

}  // namespace
}  // namespace monofold::mpi

using namespace monofold::mpi;  // NOLINT: this file is calls of it

void monofold_mpi_gather_up_to(int ranks) { most_gathered = ranks; }

monofold_status monofold_reduce_several_ranks(
    MPI_Comm comm, const void* items, monofold_dtype dtype, int64_t count, monofold_place place,
    const monofold_operation* operations, int32_t num_operations, const monofold_options* options,
    monofold_result* results) noexcept {
  return guarded([&]() -> monofold_status {
    return reduce_all(
        comm, {items, nullptr, dtype, count, place, operations, num_operations, options, results},
        results);
  });
}

monofold_status monofold_reduce_ranks(MPI_Comm comm, const void* items, monofold_dtype dtype,
                                      int64_t count, monofold_place place,
                                      monofold_operation operation, const monofold_options* options,
                                      monofold_result* result) noexcept {
  return monofold_reduce_several_ranks(comm, items, dtype, count, place, &operation, 1, options,
                                       result);
}

monofold_status monofold_dot_ranks(MPI_Comm comm, const void* left, const void* right,
                                   monofold_dtype dtype, int64_t count, monofold_place place,
                                   const monofold_options* options,
                                   monofold_result* result) noexcept {
  return guarded([&]() -> monofold_status {
    const monofold_operation dot_alone = MONOFOLD_DOT;
    return reduce_all(comm, {left, right, dtype, count, place, &dot_alone, 1, options, result},
                      result);
  });
}

monofold_status monofold_state_join_ranks(MPI_Comm comm, const monofold_state* own,
                                          monofold_state** all) noexcept {
  return guarded([&]() -> monofold_status {
    const monofold::detail::rank_group group(comm);
    appended_state joined;
    const rank_trouble trouble = attempt_part([&] {
      if (own == nullptr || all == nullptr) need(MONOFOLD_INVALID_ARGUMENT);
      joined.saved = save(own);
    });
    if (const rank_trouble found = join_in_order(group, trouble, joined)) {
      return static_cast<monofold_status>(found.code);
    }
    *all = std::move(joined).total().release();
    return MONOFOLD_OK;
  });
}

monofold_status monofold_sum_fields_ranks(MPI_Comm comm, const double* items, int64_t count,
                                          int64_t num_fields, int64_t stride, const double* weights,
                                          const unsigned char* mask, double* sums) noexcept {
  return guarded([&]() -> monofold_status {
    if (num_fields < 0) return MONOFOLD_INVALID_ARGUMENT;  // on all ranks
    sum_fields(comm, {items, count, num_fields, stride, weights, mask, sums});
    return MONOFOLD_OK;
  });
}
