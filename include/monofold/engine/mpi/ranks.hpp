#pragma once
/// engine/mpi/ranks: runs a plan on the ranks of a communicator, each of which holds some of the items.

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/detail/parallel.hpp"
#include "monofold/engine/mpi/group.hpp"
#include "monofold/engine/shard.hpp"
#include "monofold/fold/all.hpp"
#include "monofold/fold/bitwise.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/fold/shift_indices.hpp"
#include "monofold/fold/wire.hpp"
#include "monofold/platform/encoding.hpp"
#include "monofold/platform/status.hpp"

namespace monofold {

/// The ranks of a communicator as an engine; `inner` folds what a rank holds.
template <class Inner = cpu_engine>
struct ranks_engine {
  MPI_Comm comm;
  Inner inner;
};

/// `ranks(comm)`, or `ranks(comm, cpu(4))`, `ranks(comm, gpu)`: engines may differ from rank to rank.
template <class Inner = cpu_engine>
constexpr ranks_engine<Inner> ranks(MPI_Comm comm, Inner inner = {}) {
  return {comm, inner};
}

namespace detail {

/// Folds of the library that see no indices, or hold them where `shift_indices` finds them: their ranks need not
/// know where they begin before they fold.
template <class F>
inline constexpr bool begins_anywhere_v =
    has_wire_v<F> || is_extremum_fold_v<F> || is_extrema_fold_v<F>;
template <class Item, nan_rule rule>
inline constexpr bool begins_anywhere_v<norm_inf_fold<Item, rule>> = true;
template <class Item, bit_operation operation>
inline constexpr bool begins_anywhere_v<bitwise_fold<Item, operation>> = true;
template <class Item, class Function, class Inner>
inline constexpr bool begins_anywhere_v<map_fold<Item, Function, Inner>> = begins_anywhere_v<Inner>;
template <class... Folds>
inline constexpr bool begins_anywhere_v<all_fold<Folds...>> = (begins_anywhere_v<Folds> && ...);

/// Less than this in all fields together is folded by one thread: some 20 us of work.
inline constexpr std::int64_t one_thread_bytes = 1 << 18;

/// Calls fold_one(engine, i) for each of several fields: on the engine's threads one field each where there is
/// much to do, else one after the other.
template <class Engine, class FoldOne>
void for_each_field_of(const Engine& engine, std::int64_t num_fields, std::int64_t num_bytes,
                       const FoldOne& fold_one) {
  if constexpr (std::is_same_v<Engine, cpu_engine>) {
    if (num_fields > 1) {
      const int threads = num_bytes < one_thread_bytes ? 1 : engine.num_threads;
      if (num_fields >= 2 * concurrency(threads)) {
        parallel_for(threads, num_fields, [&](std::int64_t i) { fold_one(cpu(1), i); });
        return;
      }
    }
  }
  for (std::int64_t i = 0; i < num_fields; ++i) fold_one(engine, i);
}

/// One reduction of several fields. All ranks make the same calls in the same order, whatever happens to one.
///
/// shape      run(put) calls put(i, state) for each field in turn, with a null pointer where no rank has an item;
///            or returns what keeps a rank from its part, the same on all ranks, and then has called nothing
template <class Engine, class F, class View>
class rank_reduction {
 public:
  using item = typename View::item_type;
  using state = typename F::state;

  rank_reduction(const ranks_engine<Engine>& engine, const F& f, const std::vector<View>& fields)
      : group_(engine.comm), inner_(engine.inner), fold_(f), fields_(fields) {}

  template <class Put>
  rank_trouble run(const Put& put) const {
    if constexpr (has_wire_v<F>) {
      return add_up(put);
    } else if constexpr (is_exact_v<F> && begins_anywhere_v<F> && travels_as_it_is_v<state>) {
      return gather_states(put);
    } else {
      return gather_shards(put);
    }
  }

 private:
  std::int64_t num_fields() const { return static_cast<std::int64_t>(fields_.size()); }
  std::size_t num_ranks() const { return static_cast<std::size_t>(group_.size()); }
  const View& field(std::int64_t i) const { return fields_[static_cast<std::size_t>(i)]; }

  /// Throws where a field is none.
  std::int64_t checked_bytes() const {
    std::int64_t items = 0;
    for (const View& view : fields_) {
      if (view.size() < 0) throw error(status::invalid_argument, "negative count");
      if constexpr (contiguous_item_view<View>) {
        if (view.size() > 0 && view.data() == nullptr) {
          throw error(status::invalid_argument, "null items");
        }
      }
      items += view.size();
    }
    return items * static_cast<std::int64_t>(sizeof(item));
  }

  /// Calls take(i, state) for this rank's items of each field that has some, perhaps on several threads.
  template <class Take>
  rank_trouble fold_own(const Take& take) const {
    return attempt_part([&] {
      for_each_field_of(inner_, num_fields(), checked_bytes(),
                        [&](const auto& engine, std::int64_t i) {
                          if (field(i).size() != 0) take(i, fold_view(engine, fold_, field(i)));
                        });
    });
  }

  /// One message: the words of all fields, and one that counts ranks in trouble.
  template <class Put>
  rank_trouble add_up(const Put& put) const {
    std::vector<std::int64_t> none;
    put_wire(fold_, fold_.identity(), [&](std::int64_t word) { none.push_back(word); });
    // Without items all words are 0.
    std::vector<std::int64_t> words(none.size() * fields_.size() + 1);
    const rank_trouble own = fold_own([&](std::int64_t i, const state& value) {
      std::int64_t* next = words.data() + static_cast<std::size_t>(i) * none.size();
      put_wire(fold_, value, [&](std::int64_t word) { *next++ = word; });
    });
    words.back() = own ? 1 : 0;
    group_.add_up(words);
    if (words.back() != 0) return group_.agree(own);
    const std::int64_t* next = words.data();
    for (std::int64_t i = 0; i < num_fields(); ++i) {
      const state total = take_wire(fold_, next);
      put(i, &total);
    }
    return {};
  }

  /// One message: the state of each field, how many items it has, and whether the rank is in trouble.
  template <class Put>
  rank_trouble gather_states(const Put& put) const {
    struct part {
      std::int64_t count;
      state value;
    };
    const std::size_t width = sizeof(std::int64_t) + sizeof(part) * fields_.size();
    std::vector<unsigned char> bytes(width);
    const rank_trouble own = fold_own([&](std::int64_t i, const state& value) {
      const part sent{static_cast<std::int64_t>(field(i).size()), value};
      const std::size_t at = sizeof(std::int64_t) + sizeof(part) * static_cast<std::size_t>(i);
      std::memcpy(bytes.data() + at, &sent, sizeof sent);
    });
    bytes[0] = own ? 1 : 0;
    const std::vector<unsigned char> all = group_.gather(bytes);
    for (std::size_t rank = 0; rank < num_ranks(); ++rank) {
      if (all[rank * width] != 0) return group_.agree(own);
    }
    for (std::int64_t i = 0; i < num_fields(); ++i) {
      std::int64_t first = 0;
      std::optional<state> total;
      for (std::size_t rank = 0; rank < num_ranks(); ++rank) {
        const std::size_t at = sizeof(std::int64_t) + sizeof(part) * static_cast<std::size_t>(i);
        part next;
        std::memcpy(static_cast<void*>(&next), all.data() + rank * width + at, sizeof next);
        if (next.count == 0) continue;
        shift_indices(next.value, first);
        first += next.count;
        total = total ? fold_.combine(*total, next.value) : next.value;
      }
      put(i, total ? &*total : nullptr);
    }
    return {};
  }

  /// Two messages, and one more where states have no fixed size: how many items each rank has, then shards.
  template <class Put>
  rank_trouble gather_shards(const Put& put) const {
    std::vector<std::int64_t> own_counts(fields_.size() + 1);
    rank_trouble own = attempt_part([&] {
      checked_bytes();
      for (std::size_t i = 0; i < fields_.size(); ++i) own_counts[i] = fields_[i].size();
    });
    own_counts.back() = own ? 1 : 0;
    const std::vector<std::int64_t> counts = group_.gather(own_counts);
    const std::size_t width = own_counts.size();
    for (std::size_t rank = 0; rank < num_ranks(); ++rank) {
      if (counts[rank * width + width - 1] != 0) return group_.agree(own);
    }
    std::vector<std::int64_t> firsts(fields_.size());
    const auto own_rank = static_cast<std::size_t>(group_.rank());
    for (std::size_t rank = 0; rank < own_rank; ++rank) {
      for (std::size_t i = 0; i < fields_.size(); ++i) firsts[i] += counts[rank * width + i];
    }
    std::vector<unsigned char> bytes(1);  // the first: is this rank in trouble?
    own = attempt_part([&] {
      byte_writer out;
      for (std::size_t i = 0; i < fields_.size(); ++i) {
        put_shard(inner_, fold_, fields_[i], firsts[i], out);
      }
      bytes.insert(bytes.end(), out.bytes().begin(), out.bytes().end());
    });
    return join(own, bytes, counts, width, put);
  }

  template <class Put>
  rank_trouble join(const rank_trouble& own, std::vector<unsigned char>& bytes,
                    const std::vector<std::int64_t>& counts, std::size_t width,
                    const Put& put) const {
    const std::vector<std::int64_t> sizes = sizes_of_shards(bytes, counts, width);
    bytes.resize(static_cast<std::size_t>(sizes[static_cast<std::size_t>(group_.rank())]));
    bytes[0] = own ? 1 : 0;
    const std::vector<unsigned char> all = group_.gather(bytes, sizes);
    std::vector<byte_reader> ranks;
    std::size_t at = 0;
    bool any_trouble = false;
    for (const std::int64_t size : sizes) {
      any_trouble |= all[at] != 0;
      const auto end = at + static_cast<std::size_t>(size);
      ranks.emplace_back(std::span(all.data() + at + 1, all.data() + end));
      at = end;
    }
    if (any_trouble) return group_.agree(own);
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      shard_joiner<F, item> joiner(fold_);
      for (std::size_t rank = 0; rank < num_ranks(); ++rank) {
        joiner.take(ranks[rank], counts[rank * width + i]);
      }
      std::optional<state> total;
      if (joiner.count() != 0) total = joiner.total();
      put(static_cast<std::int64_t>(i), total ? &*total : nullptr);
    }
    return {};
  }

  std::vector<std::int64_t> sizes_of_shards(const std::vector<unsigned char>& own,
                                            const std::vector<std::int64_t>& counts,
                                            std::size_t width) const {
    if constexpr (!has_known_bytes_v<F, item>) {
      return group_.gather(std::vector{static_cast<std::int64_t>(own.size())});
    } else {
      std::vector<std::int64_t> sizes(num_ranks(), 1);
      for (std::size_t i = 0; i < fields_.size(); ++i) {
        std::int64_t first = 0;
        for (std::size_t rank = 0; rank < num_ranks(); ++rank) {
          const std::int64_t count = counts[rank * width + i];
          sizes[rank] += known_shard_bytes<F, item>(first, count);
          first += count;
        }
      }
      return sizes;
    }
  }

  rank_group group_;
  const Engine& inner_;
  const F& fold_;
  const std::vector<View>& fields_;
};

}  // namespace detail

}  // namespace monofold
