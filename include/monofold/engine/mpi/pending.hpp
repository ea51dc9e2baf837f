#pragma once
/// engine/mpi/pending: reductions over ranks whose message is on its way.

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

/// Words that MPI adds up, and what this rank would say of itself. They may be moved: the words themselves stay.
template <class F>
class pending_words {
 public:
  template <class Inner, class View>
  pending_words(const ranks_engine<Inner>& engine, const F& f, const std::vector<View>& fields)
      : group_(engine.comm), fold_(f), num_fields_(static_cast<std::int64_t>(fields.size())) {
    own_ = rank_reduction(engine, f, fields).words_of_own(words_);
    request_ = group_.start_adding(words_);
  }
  pending_words(pending_words&& other) noexcept
      : group_(other.group_),
        fold_(std::move(other.fold_)),
        num_fields_(other.num_fields_),
        own_(std::move(other.own_)),
        words_(std::move(other.words_)),
        request_(other.request_),
        is_open_(std::exchange(other.is_open_, false)) {}
  pending_words& operator=(pending_words&&) = delete;
  ~pending_words() {
    if (is_open_) MPI_Wait(&request_, MPI_STATUS_IGNORE);  // NOLINT: the constructor began it
  }

  /// Whether `wait` would not have to.
  bool test() { return !is_open_ || rank_group::done(request_); }

 protected:
  /// Calls put(answer) for each field.
  template <class Put>
  void wait_for(const Put& put) {
    if (!is_open_) throw error(status::invalid_argument, "an answer that was taken");
    rank_group::finish(request_);
    is_open_ = false;
    if (words_.back() != 0) {
      const rank_trouble trouble = group_.agree(own_);
      throw error(trouble.code, trouble.why);
    }
    const std::int64_t* next = words_.data();
    for (std::int64_t i = 0; i < num_fields_; ++i) put(finish_wire(fold_, next));
  }
  std::int64_t num_fields() const { return num_fields_; }

 private:
  rank_group group_;
  F fold_;
  std::int64_t num_fields_;
  rank_trouble own_{};
  std::vector<std::int64_t> words_{};
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool is_open_ = true;
};

}  // namespace detail

/// The answer of `reduce_async`. It may be moved, and waits at its end if nobody did.
template <class F>
class pending_answer : public detail::pending_words<F> {
 public:
  using detail::pending_words<F>::pending_words;

  answer_t<F> wait() {
    result<answer_t<F>> answer;
    this->wait_for([&](const result<answer_t<F>>& one) { answer = one; });
    return answer.value();
  }
};

/// The answers of `reduce_many_async`, likewise: one a field, as `reduce_many` gives them.
template <class F>
class pending_answers : public detail::pending_words<F> {
 public:
  using detail::pending_words<F>::pending_words;

  std::vector<result<answer_t<F>>> wait() {
    std::vector<result<answer_t<F>>> answers;
    answers.reserve(static_cast<std::size_t>(this->num_fields()));
    this->wait_for([&](const result<answer_t<F>>& one) { answers.push_back(one); });
    return answers;
  }
};

}  // namespace monofold
