#pragma once
/// engine/mpi/ranks: runs a plan on the ranks of a communicator, each of which holds some of the items.

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/mpi/fields.hpp"
#include "monofold/engine/mpi/group.hpp"
#include "monofold/engine/mpi/kept_words.hpp"
#include "monofold/engine/mpi/neighbours.hpp"
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
  int most_gathered = 256;  // ranks; the states of more are joined by a tree of neighbours
};

/// On which rank the answer is wanted.
inline constexpr int every_rank = -1;

/// `ranks(comm)`, or `ranks(comm, cpu(4))`, `ranks(comm, gpu)`: engines may differ from rank to rank.
template <class Inner = cpu_engine>
constexpr ranks_engine<Inner> ranks(MPI_Comm comm, Inner inner = {}) {
  return {comm, inner, 256};
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

/// One reduction of several fields. All ranks make the same calls in the same order, whatever happens to one.
///
/// shape      run(put) calls put(i, answer) for each field in turn, on `root` or on every rank; or returns what keeps a
///            rank from its part, the same on all ranks, and then has called nothing
template <class Engine, class F, class View>
class rank_reduction {
 public:
  using item = typename View::item_type;
  using state = typename F::state;

  rank_reduction(const ranks_engine<Engine>& engine, const F& f, const std::vector<View>& fields,
                 int root = every_rank)
      : group_(engine.comm),
        inner_(engine.inner),
        fold_(f),
        fields_(fields),
        root_(root),
        by_tree_(root != every_rank || group_.size() > engine.most_gathered) {
    if (root < every_rank || root >= group_.size()) {
      throw error(status::invalid_argument, "no rank " + std::to_string(root));
    }
  }

  template <class Put>
  rank_trouble run(const Put& put) const {
    if constexpr (has_wire_v<F>) {
      return add_up(put);
    } else {
      const auto finish = [&](std::int64_t i, const state* total) {
        put(i, total != nullptr ? finish_state(fold_, *total) : finish_empty(fold_));
      };
      if constexpr (is_exact_v<F> && begins_anywhere_v<F> && travels_as_it_is_v<state>) {
        return by_tree_ ? join_states(finish) : gather_states(finish);
      } else {
        return by_tree_ ? join_shards(finish) : gather_shards(finish);
      }
    }
  }

  /// This rank's part of the message that `add_up` is.
  rank_trouble words_of_own(std::vector<std::int64_t>& words) const {
    const std::int64_t num_words = words_in(fold_) * num_fields();
    words.assign(static_cast<std::size_t>(num_words) + 1, 0);
    const rank_trouble own =
        attempt_part([&] { put_words_of_fields(inner_, fold_, fields_, words.data()); });
    words.back() = own ? 1 : 0;
    return own;
  }
  const rank_group& group() const { return group_; }

 private:
  std::int64_t num_fields() const { return static_cast<std::int64_t>(fields_.size()); }
  std::size_t num_ranks() const { return static_cast<std::size_t>(group_.size()); }
  const View& field(std::int64_t i) const { return fields_[static_cast<std::size_t>(i)]; }

  /// Calls take(i, state) for this rank's items of each field that has some, perhaps on several threads.
  template <class Take>
  rank_trouble fold_own(const Take& take) const {
    return attempt_part([&] {
      for_each_field_of(inner_, num_fields(), checked_bytes(fields_),
                        [&](const auto& engine, std::int64_t i) {
                          if (field(i).size() != 0) take(i, fold_view(engine, fold_, field(i)));
                        });
    });
  }

  /// One message: the words of all fields, and one that counts ranks in trouble.
  template <class Put>
  rank_trouble add_up(const Put& put) const {
    kept_words kept;
    std::vector<std::int64_t>& words = kept.get();
    const rank_trouble own = words_of_own(words);
    if (root_ == every_rank) {
      group_.add_up(words);
    } else {
      group_.add_up(words, root_);
      words.back() = group_.share(words.back(), root_);  // who is not the root asks too
    }
    if (words.back() != 0) return group_.agree(own);
    if (root_ != every_rank && root_ != group_.rank()) return {};
    const std::int64_t* next = words.data();
    for (std::int64_t i = 0; i < num_fields(); ++i) put(i, finish_wire(fold_, next));
    return {};
  }

  /// One message a rank, to a rank before it: its state of each field, and how many items that has.
  template <class Put>
  rank_trouble join_states(const Put& put) const {
    struct part {
      std::int64_t count = 0;
      state value{};
    };
    std::vector<part> parts(fields_.size());
    const rank_trouble own = fold_own([&](std::int64_t i, const state& value) {
      parts[static_cast<std::size_t>(i)] = {static_cast<std::int64_t>(field(i).size()), value};
    });
    const neighbours tree(group_, root_);
    return tree.join(
        own,
        [&](byte_writer& out) {
          for (const part& one : parts) put_value(out, one, [] {});
        },
        [&](byte_reader& in) {
          for (part& one : parts) {
            auto next = take_value<part>(in);
            if (next.count == 0) continue;
            shift_indices(next.value, one.count);
            if (one.count != 0) next.value = fold_.combine(one.value, next.value);
            one = {one.count + next.count, next.value};
          }
        },
        [&](byte_writer& out) {
          for (const part& one : parts) put_total(out, one.count != 0 ? &one.value : nullptr);
        },
        [&](byte_reader& in) { take_totals(in, put); });
  }

  /// A message in which ranks learn where they begin, then one a rank, to a rank before it: its shards, and how many
  /// items they have.
  template <class Put>
  rank_trouble join_shards(const Put& put) const {
    std::vector<std::int64_t> counts(fields_.size());
    rank_trouble own = attempt_part([&] {
      checked_bytes(fields_);
      for (std::size_t i = 0; i < fields_.size(); ++i) counts[i] = fields_[i].size();
    });
    if (own) counts.assign(counts.size(), 0);
    const std::vector<std::int64_t> firsts = group_.sums_before(counts);
    std::vector<shard_joiner<F, item>> joiners;
    if (!own) {
      own = attempt_part([&] {
        for (std::size_t i = 0; i < fields_.size(); ++i) {
          byte_writer out;
          put_shard(inner_, fold_, fields_[i], firsts[i], out);
          byte_reader in(out.bytes());
          joiners.emplace_back(fold_, firsts[i]).take(in, counts[i]);
        }
      });
    }
    const neighbours tree(group_, root_);
    return tree.join(
        own,
        [&](byte_writer& out) {
          for (const auto& joiner : joiners) {
            encode(out, joiner.count());
            joiner.put(out);
          }
        },
        [&](byte_reader& in) {
          for (auto& joiner : joiners) joiner.take(in, decoded<std::int64_t>(in));
        },
        [&](byte_writer& out) {
          for (auto& joiner : joiners) {
            const std::optional<state> total = joiner.total();
            put_total(out, total ? &*total : nullptr);
          }
        },
        [&](byte_reader& in) { take_totals(in, put); });
  }

  void put_total(byte_writer& out, const state* total) const {
    encode(out, total != nullptr);
    if (total != nullptr) put_state(out, fold_, *total);
  }
  template <class Put>
  void take_totals(byte_reader& in, const Put& put) const {
    for (std::int64_t i = 0; i < num_fields(); ++i) {
      std::optional<state> total;
      if (decoded<bool>(in)) total = take_value<state>(in);
      put(i, total ? &*total : nullptr);
    }
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
      checked_bytes(fields_);
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
      const std::optional<state> total = joiner.total();
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
  int root_;
  bool by_tree_;
};

}  // namespace detail

}  // namespace monofold
