#pragma once
/// mpi/in_order: what each rank has, joined in the order of the ranks: gathered by all, or by a tree of neighbours.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "monofold/engine/mpi/group.hpp"
#include "monofold/engine/mpi/neighbours.hpp"
#include "monofold/platform/encoding.hpp"

namespace monofold::mpi {

using monofold::detail::attempt_part;
using monofold::detail::rank_group;
using monofold::detail::rank_trouble;

/// Nothing is gathered from more ranks than this. For tests to lower, on all ranks alike.
inline int most_gathered = 256;

inline bool is_gathered(const rank_group& group) { return group.size() <= most_gathered; }

/// `piece` becomes that of all ranks, on each.
///
/// shape      Piece: put(byte_writer&) const; read(byte_reader&) instead of what it has; take(Piece&&) what the next
///            ranks have
/// sync       collective, also for a rank in trouble
/// errors     the same trouble on all ranks, and `piece` is then good for nothing; gathered, what `take` throws
///            passes through, on all ranks alike
/// cost       to most_gathered ranks MPI_Allgather of sizes and MPI_Allgatherv; of more a tree of neighbours
template <class Piece>
rank_trouble join_in_order(const rank_group& group, const rank_trouble& own, Piece& piece) {
  const auto take_from = [&](byte_reader& in) {
    Piece next = piece.empty_one();
    next.read(in);
    piece.take(std::move(next));
  };
  if (!is_gathered(group)) {
    return monofold::detail::neighbours(group, -1).join(
        own, [&](byte_writer& out) { piece.put(out); }, take_from,
        [&](byte_writer& out) { piece.put(out); }, [&](byte_reader& in) { piece.read(in); });
  }
  byte_writer out;
  rank_trouble trouble = own;
  if (!trouble) {
    trouble = attempt_part([&] {
      piece.put(out);
      rank_group::narrow_bytes(static_cast<std::int64_t>(out.bytes().size()));
    });
  }
  const std::vector<std::int64_t> sizes =
      group.gather(std::vector{trouble ? -1 : static_cast<std::int64_t>(out.bytes().size())});
  if (*std::min_element(sizes.begin(), sizes.end()) < 0) return group.agree(trouble);
  const std::vector<unsigned char> all = group.gather(out.bytes(), sizes);
  byte_reader in(all);
  piece.read(in);
  for (std::size_t rank = 1; rank < sizes.size(); ++rank) take_from(in);
  return {};
}

}  // namespace monofold::mpi
