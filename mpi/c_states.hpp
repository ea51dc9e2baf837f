#pragma once
/// mpi/c_states: the running states of libmonofold as values, and what ranks of the C interface are asked.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "monofold/monofold.h"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/encoding.hpp"
#include "monofold/platform/status.hpp"

namespace monofold::mpi {

using bytes = std::vector<unsigned char>;

inline void need(monofold_status code) {
  if (code != MONOFOLD_OK) throw error(static_cast<status>(code));
}

struct state_deleter {
  void operator()(monofold_state* state) const { monofold_state_destroy(state); }
};
using state = std::unique_ptr<monofold_state, state_deleter>;

inline bytes save(const monofold_state* own) {
  bytes saved(2048);
  std::size_t size = 0;
  need(monofold_state_save(own, saved.data(), saved.size(), &size));
  const bool fitted = size <= saved.size();
  saved.resize(size);
  if (!fitted) need(monofold_state_save(own, saved.data(), saved.size(), &size));
  return saved;
}

inline state load(std::span<const unsigned char> saved) {
  monofold_state* made = nullptr;
  need(monofold_state_load(saved.data(), saved.size(), &made));
  return state(made);
}

/// Bytes in a message, with their number before them.
inline void put_bytes(byte_writer& out, const bytes& own) {
  encode(out, static_cast<std::uint64_t>(own.size()));
  out.put(own);
}
inline std::span<const unsigned char> take_bytes(byte_reader& in) {
  return in.take(static_cast<std::size_t>(decoded<std::uint64_t>(in)));
}

/// A state, or none, likewise.
inline void put_state(byte_writer& out, const state& own) {
  put_bytes(out, own ? save(own.get()) : bytes{});
}
inline state take_state(byte_reader& in) {
  const auto saved = take_bytes(in);
  return saved.empty() ? state{} : load(saved);
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
  monofold_options how() const {
    return options != nullptr ? *options : monofold_options MONOFOLD_OPTIONS_INIT;
  }

  /// Whether one state that adds up answers it.
  bool adds_up() const {
    return num_ops == 1 &&
           (!is_floating() || (how().plain == 0 && how().nan == MONOFOLD_NAN_PROPAGATE));
  }

  /// A state that begins there. Throws where the question makes no sense, whatever the items are.
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

}  // namespace monofold::mpi
