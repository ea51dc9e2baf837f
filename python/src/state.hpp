#pragma once
/// python/src/state: a running reduction that Python holds.

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "monofold/monofold.h"
#include "python/src/answers.hpp"
#include "python/src/array.hpp"
#include "python/src/turns.hpp"

namespace monofold::python {

/// sync       any number of threads: calls on one state wait for each other
/// errors     a call that throws leaves the state as it was: for a signal's handler that calls on a state which is
///            at work, and where places of items would pass 2^63 - 1 too
class state {
 public:
  state(monofold_dtype dtype, const std::vector<monofold_operation>& operations,
        std::int64_t first_index, const how& options);

  /// All of some (items, mask) in row-major order; a mask, which may be None, says which items there are.
  void push(nb::list pieces);
  /// One of them, for a state that is given up where a call on it throws: nothing is kept for that.
  void fill(const array& items, const array* mask);
  void push_pairs(const array& left, const array& right, const array* mask);
  void merge(const state& next);
  void append(const state& next);
  void subtract(const state& part);
  std::unique_ptr<state> copy() const;
  nb::bytes save() const;
  nb::bytes digest() const;
  /// (state, what it was made with: dtype, operations, (nan, plain, ddof, k)).
  static nb::tuple load(nb::bytes bytes);
  std::int64_t first_index() const { return first_index_; }
  std::int64_t count() const;
  /// (status, value, second, index, first_nan) of the operation at a position of the list.
  nb::tuple answer(std::int32_t position) const;
  /// The same of the first `count` operations, of one moment while other threads push; of none that gives ranks.
  nb::list answers(std::int32_t count) const;
  /// The same into elements at addresses, rounded once; 0: not wanted. The status.
  monofold_status answer_into(std::int32_t position, monofold_dtype value_dtype,
                              std::uintptr_t value, std::uintptr_t second) const;
  /// (status, values, indices, first_nan) of the k best.
  nb::tuple ranked(std::int32_t position, std::int64_t k) const;

  /// Calls as above of items on the host, for one operation's number, and of saved states as long as the one before; false
  /// or null: another thread has the turn, or there is something to tell, and nothing has changed. The calls above tell it.
  ///
  /// sync       with the interpreter's lock, which is kept: for what is short
  bool try_push(const void* items, std::int64_t count) noexcept;
  using join_call = monofold_status(monofold_state*, const monofold_state*);
  bool try_join(const state& next, join_call* join) noexcept;
  bool try_answer(monofold_result& result) const noexcept;
  bool try_digest(unsigned char* receipt) const noexcept;
  /// A new object of bytes.
  PyObject* try_save() const noexcept;
  bool try_compare(const state& other, bool& are_equal) const noexcept;

 private:
  struct destroy {
    void operator()(monofold_state* held) const { monofold_state_destroy(held); }
  };
  using handle = std::unique_ptr<monofold_state, destroy>;

  state(handle own, std::int64_t first_index) : own_(std::move(own)), first_index_(first_index) {}
  handle copied() const;
  handle copied_with_lock() const;
  struct both_turns;
  bool has_room(std::int64_t count) const;
  void check_room(std::int64_t count) const;
  /// Its own, with one state in place of a tree that nobody needs.
  monofold_state* settled() const;
  void join(const state& next, join_call* join);

  mutable turns busy_;
  handle own_;
  std::int64_t first_index_;
  mutable std::size_t saved_bytes_ = 421;  // of a sum of float64; of whose turn it is
};

void bind_state(nb::module_& core);

}  // namespace monofold::python
