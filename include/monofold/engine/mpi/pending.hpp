#pragma once
/// engine/mpi/pending: a reduction over ranks whose message is on its way.

#include <cstdint>
#include <utility>
#include <vector>

#include "monofold/engine/mpi/group.hpp"
#include "monofold/engine/mpi/ranks.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/wire.hpp"
#include "monofold/platform/status.hpp"

namespace monofold {

namespace detail {

/// Words that MPI adds up, and what this rank would say of itself.
template <class F>
struct started_words {
  rank_group group;
  F fold;
  rank_trouble own;
  std::vector<std::int64_t> words{};
  MPI_Request request = MPI_REQUEST_NULL;
};

template <class Inner, class F, class View>
started_words<F> start_fields(const ranks_engine<Inner>& engine, const F& f,
                              const std::vector<View>& fields) {
  const rank_reduction reduction(engine, f, fields);
  started_words<F> out{reduction.group(), f, {}};
  out.own = reduction.words_of_own(out.words);
  out.request = out.group.start_adding(out.words);  // words stay where they are when `out` moves
  return out;
}

}  // namespace detail

/// The answer of `reduce_async`. It may be moved, and waits at its end if nobody did.
template <class F>
class pending_answer {
 public:
  explicit pending_answer(detail::started_words<F>&& started) : own_(std::move(started)) {}
  pending_answer(pending_answer&& other) noexcept
      : own_(std::move(other.own_)), is_open_(std::exchange(other.is_open_, false)) {}
  pending_answer& operator=(pending_answer&&) = delete;
  ~pending_answer() {
    if (is_open_) MPI_Wait(&own_.request, MPI_STATUS_IGNORE);  // NOLINT: start_fields began it
  }

  /// Whether `wait` would not have to.
  bool test() { return !is_open_ || detail::rank_group::done(own_.request); }

  answer_t<F> wait() {
    if (!is_open_) throw error(status::invalid_argument, "an answer that was taken");
    detail::rank_group::finish(own_.request);
    is_open_ = false;
    if (own_.words.back() != 0) {
      const detail::rank_trouble trouble = own_.group.agree(own_.own);
      throw error(trouble.code, trouble.why);
    }
    const std::int64_t* next = own_.words.data();
    return finish_state(own_.fold, take_wire(own_.fold, next)).value();
  }

 private:
  detail::started_words<F> own_;
  bool is_open_ = true;
};

}  // namespace monofold
