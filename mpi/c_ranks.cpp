/// mpi/c_ranks: the calls of monofold_mpi.h, on the running states of libmonofold.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "monofold/engine/mpi/group.hpp"
#include "monofold/fold/exact.hpp"
#include "monofold/monofold_mpi.h"
#include "monofold/ranks.hpp"
#include "mpi/state_words.hpp"

namespace monofold::mpi {
namespace {

using monofold::detail::attempt_part;
using monofold::detail::rank_group;
using monofold::detail::rank_trouble;
using bytes = std::vector<unsigned char>;

/// Calls `body`, which returns a status or throws: nothing passes.
template <class Body>
monofold_status guarded(const Body& body) noexcept {
  monofold_status code = MONOFOLD_OK;
  const rank_trouble trouble = attempt_part([&] { code = body(); });
  return trouble ? static_cast<monofold_status>(trouble.code) : code;
}

void need(monofold_status code) {
  if (code != MONOFOLD_OK) throw error(static_cast<status>(code));
}

struct state_deleter {
  void operator()(monofold_state* state) const { monofold_state_destroy(state); }
};
using state = std::unique_ptr<monofold_state, state_deleter>;

bytes save(const monofold_state* own) {
  bytes saved(2048);
  std::size_t size = 0;
  need(monofold_state_save(own, saved.data(), saved.size(), &size));
  const bool fitted = size <= saved.size();
  saved.resize(size);
  if (!fitted) need(monofold_state_save(own, saved.data(), saved.size(), &size));
  return saved;
}

state load(std::span<const unsigned char> saved) {
  monofold_state* made = nullptr;
  need(monofold_state_load(saved.data(), saved.size(), &made));
  return state(made);
}

/// What the ranks reduce. `right`: of dot.
struct question {
  const void* left;
  const void* right;
  monofold_dtype type;
  std::int64_t count;
  monofold_place place;
  const monofold_operation* ops;
  std::int32_t num_ops;
  const monofold_options* options;
  const monofold_result* results;

  bool is_dot() const { return num_ops == 1 && ops != nullptr && ops[0] == MONOFOLD_DOT; }
  std::int64_t item_bytes() const { return info(static_cast<dtype>(type)).size_bytes; }
  bool is_floating() const { return info(static_cast<dtype>(type)).is_floating; }
  /// The items of a tile, or pairs.
  std::int64_t tile_items() const { return 4096 / (item_bytes() * (is_dot() ? 2 : 1)); }

  /// Whether one state that adds up answers it.
  bool adds_up() const {
    const monofold_options how =
        options != nullptr ? *options : monofold_options MONOFOLD_OPTIONS_INIT;
    return num_ops == 1 &&
           (!is_floating() || (how.plain == 0 && how.nan == MONOFOLD_NAN_PROPAGATE));
  }

  state make(std::int64_t first) const {
    monofold_state* made = nullptr;
    if (results == nullptr) need(MONOFOLD_INVALID_ARGUMENT);
    need(monofold_state_create(type, ops, num_ops, first, options, &made));
    return state(made);
  }
  void push(monofold_state* to, const void* l, const void* r, std::int64_t n,
            monofold_place where) const {
    need(is_dot() ? monofold_state_push_pairs(to, l, r, n, where)
                  : monofold_state_push(to, l, n, where));
  }
  const void* at(const void* items, std::int64_t i) const {
    return items == nullptr ? nullptr : static_cast<const unsigned char*>(items) + i * item_bytes();
  }
};

/// One message: words that add up.
template <class F>
rank_trouble add_up(const rank_group& group, const question& what, const F& f, state& total) {
  std::vector<std::int64_t> words(1);
  bytes own_bytes;
  saved_run own;
  const rank_trouble trouble = attempt_part([&] {
    const state made = what.make(0);
    what.push(made.get(), what.left, what.right, what.count, what.place);
    own_bytes = save(made.get());
    own = run_of(unseal(own_bytes).payload);
    words = words_of(f, own);
  });
  // As many words from a rank in trouble as from any.
  if (trouble) words = words_of(f, saved_run{});
  words.push_back(trouble ? 1 : 0);
  group.add_up(words);
  if (words.back() != 0) return group.agree(trouble);
  words.pop_back();
  total = words.front() == 0 ? what.make(0) : load(saved_state_of(f, own.request, words));
  return {};
}

/// Who has which items. Those of a tile that begins on another rank travel as they are.
struct placed_ranks {
  std::vector<std::int64_t> counts;
  std::int64_t first = 0;  // of this rank

  std::int64_t head(const question& what, std::int64_t from, std::int64_t count) const {
    const std::int64_t into = from % what.tile_items();
    if (!what.is_floating() || what.place != MONOFOLD_HOST || into == 0) return 0;
    return std::min(count, what.tile_items() - into);
  }
};

/// This rank's bytes: items before its first tile, then the state of the others.
bytes shard_of(const question& what, const placed_ranks& ranks) {
  const std::int64_t head = ranks.head(what, ranks.first, what.count);
  bytes out;
  const auto put = [&](const void* items) {
    if (items == nullptr && what.count > 0) need(MONOFOLD_INVALID_ARGUMENT);
    const auto* const from = static_cast<const unsigned char*>(items);
    if (head > 0) out.insert(out.end(), from, from + head * what.item_bytes());
  };
  put(what.left);
  if (what.is_dot()) put(what.right);
  if (head < what.count) {
    const state made = what.make(ranks.first + head);
    what.push(made.get(), what.at(what.left, head), what.at(what.right, head), what.count - head,
              what.place);
    const bytes saved = save(made.get());
    out.insert(out.end(), saved.begin(), saved.end());
  }
  return out;
}

/// Takes the bytes of a rank whose items begin at `from`.
void take_shard(const question& what, const placed_ranks& ranks, std::int64_t from,
                std::int64_t count, std::span<const unsigned char> shard, monofold_state* total) {
  const std::int64_t head = ranks.head(what, from, count);
  if (head > 0) {
    const auto array = static_cast<std::size_t>(head * what.item_bytes());
    // Copies, which are aligned.
    const bytes left(shard.begin(), shard.begin() + static_cast<std::ptrdiff_t>(array));
    shard = shard.subspan(array);
    bytes right;
    if (what.is_dot()) {
      right.assign(shard.begin(), shard.begin() + static_cast<std::ptrdiff_t>(array));
      shard = shard.subspan(array);
    }
    what.push(total, left.data(), right.data(), head, MONOFOLD_HOST);
  }
  if (!shard.empty()) need(monofold_state_merge(total, load(shard).get()));
}

/// The bytes of all ranks, and an end to the call on all where one has none.
rank_trouble gather(const rank_group& group, const rank_trouble& own, const bytes& sent,
                    std::vector<std::int64_t>& sizes, bytes& all) {
  sizes = group.gather(std::vector{own ? -1 : static_cast<std::int64_t>(sent.size())});
  if (*std::min_element(sizes.begin(), sizes.end()) < 0) return group.agree(own);
  all = group.gather(sent, sizes);
  return {};
}

/// Three messages: counts, sizes and states.
rank_trouble join_shards(const rank_group& group, const question& what, state& total) {
  placed_ranks ranks;
  rank_trouble trouble = attempt_part([&] { total = what.make(0); });
  if (!trouble && what.count < 0) trouble = {status::invalid_argument, {}};
  ranks.counts = group.gather(std::vector{trouble ? -1 : what.count});
  if (*std::min_element(ranks.counts.begin(), ranks.counts.end()) < 0) return group.agree(trouble);
  for (int rank = 0; rank < group.rank(); ++rank) {
    ranks.first += ranks.counts[static_cast<std::size_t>(rank)];
  }
  bytes own;
  trouble = attempt_part([&] { own = shard_of(what, ranks); });
  std::vector<std::int64_t> sizes;
  bytes all;
  if (const rank_trouble found = gather(group, trouble, own, sizes, all)) return found;
  std::span<const unsigned char> rest(all);
  std::int64_t from = 0;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    const auto size = static_cast<std::size_t>(sizes[rank]);
    take_shard(what, ranks, from, ranks.counts[rank], rest.first(size), total.get());
    rest = rest.subspan(size);
    from += ranks.counts[rank];
  }
  return {};
}

rank_trouble reduce(MPI_Comm comm, const question& what, state& total) {
  const rank_group group(comm);
  rank_trouble trouble;
  bool done = false;
  if (what.ops != nullptr && what.type >= MONOFOLD_BOOL && what.type <= MONOFOLD_FLOAT64 &&
      what.adds_up()) {
    done = visit_adding_fold(static_cast<dtype>(what.type), what.ops[0],
                             [&](const auto& f) { trouble = add_up(group, what, f, total); });
  }
  if (!done) trouble = join_shards(group, what, total);
  return trouble;
}

monofold_status reduce_all(MPI_Comm comm, const question& what, monofold_result* results) {
  state total;
  if (const rank_trouble trouble = reduce(comm, what, total)) {
    return static_cast<monofold_status>(trouble.code);
  }
  monofold_status first = MONOFOLD_OK;
  for (std::int32_t i = 0; i < what.num_ops; ++i) {
    const monofold_status code = monofold_state_result(total.get(), i, &results[i]);
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
    bytes sent;
    const rank_trouble trouble = attempt_part([&] {
      if (own == nullptr || all == nullptr) need(MONOFOLD_INVALID_ARGUMENT);
      sent = save(own);
    });
    std::vector<std::int64_t> sizes;
    bytes gathered;
    if (const rank_trouble found = gather(group, trouble, sent, sizes, gathered)) {
      return static_cast<monofold_status>(found.code);
    }
    std::span<const unsigned char> rest(gathered);
    state total;
    for (const std::int64_t size : sizes) {
      state next = load(rest.first(static_cast<std::size_t>(size)));
      rest = rest.subspan(static_cast<std::size_t>(size));
      if (!total) {
        total = std::move(next);
      } else {
        need(monofold_state_append(total.get(), next.get()));
      }
    }
    *all = total.release();
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
