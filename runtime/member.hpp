#pragma once
/// runtime/member: one fold on one type of item, behind virtual functions.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "monofold/platform/encoding.hpp"
#include "runtime/family.hpp"
#include "runtime/prefetch.hpp"
#include "runtime/reducer.hpp"

namespace monofold::runtime {

/// A fold's state, whatever its type.
class state_box {
 public:
  virtual ~state_box() = default;
  virtual std::unique_ptr<state_box> clone() const = 0;
};

/// Folds the blocks of one node of the plan's tree, in order, on one thread.
class member_folder {
 public:
  /// Adds the next items to what a folder holds: all that is compiled for an instruction set.
  using loop = void (*)(member_folder& own, const void* items, std::int64_t count,
                        std::int64_t index);

  /// Adds the first of the next pairs, whose halves lie in two arrays: how many, 0 where it takes pairs alone.
  using apart_loop = std::int64_t (*)(member_folder& own, const void* left, const void* right,
                                      std::int64_t count);

  explicit member_folder(loop add, apart_loop add_apart = nullptr)
      : add_(add), add_apart_(add_apart) {}
  member_folder(const member_folder&) = delete;
  member_folder& operator=(const member_folder&) = delete;
  virtual ~member_folder() = default;
  void add(const void* items, std::int64_t count, std::int64_t index) {
    add_(*this, items, count, index);
  }
  std::int64_t add_apart(const void* left, const void* right, std::int64_t count) {
    return add_apart_ == nullptr ? 0 : add_apart_(*this, left, right, count);
  }
  virtual std::unique_ptr<state_box> total() const = 0;
  /// Called before the first block of the member that reads blocks before the others do: it prefetches
  /// what comes next.
  void enable_prefetch() { ahead_ = prefetch_bytes; }
  std::ptrdiff_t ahead() const { return ahead_; }

  /// Where it counts NaN among other things, if it does, and whether it counts nothing else.
  const std::int64_t* nans = nullptr;
  bool only_nans = false;
  /// Whether it would rather have long blocks: an exact sum sets the processor's flags in each, and asks them.
  bool keeps_running = false;
  /// Whether another member has met no NaN in the block that is next.
  bool expects_numbers = false;

 private:
  loop add_;
  apart_loop add_apart_;
  std::ptrdiff_t ahead_ = no_prefetch;
};

/// What else an answer may depend on.
struct answer_context {
  std::int64_t ddof;
  std::int64_t count;  // items, NaN not counted where they are omitted
  bool omit_nan;
  rounding how;
};

/// Rows of `length` items, at least one, which begin `pitch_bytes` apart.
struct row_block {
  const char* first;
  std::int64_t pitch_bytes;
  std::int64_t count;
  std::int64_t length;
};

/// An operation, and its place among the answers of a row.
struct placed_operation {
  operation op;
  std::size_t place;
};

/// A fold bound to a type of item and to an instruction set.
class member {
 public:
  virtual ~member() = default;
  virtual std::unique_ptr<member_folder> start() const = 0;
  /// Makes a state that of its items followed by those of `right`, which may be itself.
  virtual void combine(state_box& own, const state_box& right) const = 0;
  /// The state that a GPU left, as bytes, for items whose first one has the index `first_index` and
  /// was number 0 there.
  virtual std::unique_ptr<state_box> from_device_bytes(const void* bytes,
                                                       std::int64_t first_index) const = 0;
  /// A state as bytes and back (platform/encoding); `read` throws malformed_state.
  virtual void write(byte_writer& out, const state_box& state) const = 0;
  virtual std::unique_ptr<state_box> read(byte_reader& in) const = 0;
  /// The same state for items whose indices are larger by `offset`; null: it holds none.
  virtual std::unique_ptr<state_box> with_index_offset(const state_box& state,
                                                       std::int64_t offset) const = 0;
  /// The answer to `op` for a state; null: for no items.
  virtual answer finish(operation op, const state_box* state,
                        const answer_context& context) const = 0;
  /// The answers for each row of a block as an array of its own, in one call: no state is handed out.
  ///
  /// shape      rows of up to a node; contexts: one a row; row r's answers begin at answers[r * stride]
  virtual void answer_rows(const row_block& rows, std::span<const placed_operation> ops,
                           const answer_context* contexts, answer* answers,
                           std::size_t stride) const = 0;
};

/// Makes the member for the instruction set in use. The kind must be defined for the type.
std::unique_ptr<member> make_member(const member_request& what);
std::unique_ptr<member> make_logsumexp_member(const member_request& what);

// One function for each source file of loops; each returns null for what it does not have.
member_folder::loop find_sum_loop(const member_request& what);
member_folder::loop find_integer_loop(const member_request& what);
member_folder::loop find_extrema_loop(const member_request& what);
member_folder::loop find_count_loop(const member_request& what);
member_folder::loop find_summary_loop(const member_request& what);
member_folder::loop find_logsumexp_loop(const member_request& what);
member_folder::apart_loop find_integer_apart_loop(const member_request& what);

/// The loop of a member for the instruction set in use.
inline member_folder::loop find_loop(const member_request& what) {
  for (const auto find : {find_sum_loop, find_integer_loop, find_extrema_loop, find_count_loop,
                          find_summary_loop, find_logsumexp_loop}) {
    if (const member_folder::loop found = find(what)) return found;
  }
  return nullptr;
}

}  // namespace monofold::runtime
