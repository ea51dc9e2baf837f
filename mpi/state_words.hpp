#pragma once
/// mpi/state_words: the saved states of libmonofold that add up, as words, and back.

#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "monofold/fold/exact.hpp"
#include "monofold/fold/logical.hpp"
#include "monofold/fold/name.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/fold/wire.hpp"
#include "monofold/monofold.h"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/encoding.hpp"
#include "monofold/platform/sealed.hpp"

namespace monofold::mpi {

/// Calls visit(fold) with the fold whose states libmonofold keeps for an operation, where these add up.
///
/// shape      one operation, neither plain floats nor a rule for NaN: what docs/format.md lists as one state
template <class Visit>
bool visit_adding_fold(dtype type, monofold_operation op, const Visit& visit) {
  bool found = false;
  visit_dtype(type, [&]<class Item>() {
    const auto take = [&](const auto& family) {
      visit(bind_fold<Item>(family));
      found = true;
    };
    switch (op) {
      case MONOFOLD_SUM:
      case MONOFOLD_MEAN: return take(sum);
      case MONOFOLD_VAR:
      case MONOFOLD_STD: return take(variance());
      case MONOFOLD_NORM1: return take(norm1);
      case MONOFOLD_NORM2:
      case MONOFOLD_MEAN_SQUARE: return take(norm2);
      case MONOFOLD_ANY:
      case MONOFOLD_ALL:
      case MONOFOLD_NONZERO: return take(nonzero);
      case MONOFOLD_DOT:
        visit(bind_fold<item_pair<Item, Item>>(dot));
        found = true;
        return;
      default: return;
    }
  });
  return found;
}

/// A saved run, taken to pieces (docs/format.md).
struct saved_run {
  std::span<const unsigned char> request;
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::span<const unsigned char> state;  // of an exact run with items
};

inline saved_run run_of(std::span<const unsigned char> payload) {
  constexpr std::size_t fixed_bytes = 29;
  byte_reader in(payload);
  const auto head = in.take(fixed_bytes - 4);
  const auto num_operations = decoded<std::uint32_t>(in);
  in.take(std::size_t{4} * num_operations);
  saved_run out;
  out.request = payload.first(head.size() + 4 + std::size_t{4} * num_operations);
  decode(in, out.first);
  decode(in, out.count);
  decoded<std::int64_t>(in);
  if (!decoded<bool>(in)) return out;
  constexpr std::size_t no_nodes_bytes = 16;
  out.state = in.take(in.size() - no_nodes_bytes);
  return out;
}

/// The words of a saved state of one fold, into words that are 0.
template <class F>
void put_words_of(const F& f, const saved_run& run, std::int64_t* words) {
  if (run.count == 0) return;
  typename F::state value = f.identity();
  byte_reader in(run.state);
  decode(in, value);
  put_wire(f, value, [&](std::int64_t word) { *words++ = word; });
}

/// The saved state of added words, behind how many items they stand for, as libmonofold writes it.
template <class F>
std::vector<unsigned char> saved_state_of(const F& f, std::span<const unsigned char> request,
                                          const std::vector<std::int64_t>& words) {
  byte_writer out;
  const std::int64_t count = words.front();
  out.put(request);
  encode(out, std::int64_t{0});
  encode(out, count);
  encode(out, count);  // where a tree would begin
  encode(out, count != 0);
  if (count != 0) {
    const std::int64_t* next = words.data() + 1;
    encode(out, take_wire(f, next));
  }
  encode(out, std::uint64_t{0});
  encode(out, std::uint64_t{0});
  return seal("reducer", out.bytes());
}

}  // namespace monofold::mpi
