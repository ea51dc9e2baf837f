/// rolling_words: products of integers modulo 2^64, and bits of items, of windows and of windows that grow.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/engine/rolling_blocks.hpp"
#include "monofold/engine/rolling_sums.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/dtype.hpp"
#include "runtime/rolling_job.hpp"

namespace monofold::runtime {

namespace {

using monofold::detail::window_block;

/// Answers of neighbouring windows on their way to the sink.
template <class T>
class kept_answers {
 public:
  kept_answers(const rolling_job& job, std::int64_t first, dtype type)
      : job_(job), first_(first), type_(type) {}
  kept_answers(const kept_answers&) = delete;
  kept_answers& operator=(const kept_answers&) = delete;
  ~kept_answers() = default;

  void put(T value) {
    values_[count_++] = value;
    if (count_ == window_block) flush();
  }
  void flush() {
    if (count_ > 0) job_.keep(first_, count_, type_, values_);
    first_ += count_;
    count_ = 0;
  }

 private:
  const rolling_job& job_;
  std::int64_t first_;
  dtype type_;
  int count_ = 0;
  T values_[window_block];
};

/// Words of windows that grow: fill(at, count, words) for blocks of them in order.
template <class Word, class Fill>
void grow_words(const rolling_job& job, dtype type, const Fill& fill) {
  Word words[window_block];
  for (std::int64_t at = 0; at < job.all.count; at += window_block) {
    const std::int64_t count = std::min<std::int64_t>(window_block, job.all.count - at);
    void* const place = job.place(at, type);
    Word* const to = place != nullptr ? static_cast<Word*>(place) : words;
    fill(at, count, to);
    if (place == nullptr) job.keep(at, count, type, words);
  }
}

/// Each joined of the one before and an item; the first of `own` and an item.
template <class T, class Word, class Join>
void grow_joined(const rolling_job& job, dtype type, Word own, const Join& join) {
  const auto* const items = reinterpret_cast<const T*>(job.item(0));
  grow_words<Word>(job, type, [&](std::int64_t at, std::int64_t count, Word* to) {
    MONOFOLD_UNROLL_8
    for (std::int64_t i = 0; i < count; ++i) {
      own = join(own, static_cast<Word>(items[at + i]));
      to[i] = own;
    }
  });
}

/// The largest magnitudes. The bits of floats as doubles ascend with them, NaN on top.
template <class T>
void grow_magnitudes_of(const rolling_job& job) {
  const auto* const items = reinterpret_cast<const T*>(job.item(0));
  const bool omits = job.context.omit_nan;
  const norm_inf_fold<T> fold;
  std::uint64_t own = 0;
  const dtype type = is_floating_v<T> ? dtype::float64 : dtype::uint64;
  grow_words<std::uint64_t>(job, type, [&](std::int64_t at, std::int64_t count, auto* to) {
    for (std::int64_t i = 0; i < count; ++i) {
      const T& item = items[at + i];
      if (!omits || !is_nan(item)) own = fold.combine(own, fold.lift(item, 0));
      to[i] = own;
    }
    if constexpr (is_floating_v<T>) {
      for (std::int64_t i = 0; i < count; ++i) {
        to[i] = bits_as<std::uint64_t>(one_nan(bits_as<double>(to[i])));
      }
    }
  });
}

/// Words of windows [first, end), joined from left to right; `none` is what none of them leave.
template <class T, class Join>
void roll_joined(const rolling_job& job, std::int64_t first, std::int64_t end, dtype type, T none,
                 const Join& join) {
  // A product has 64 bits, whatever its items; bits have those of an item.
  using word = std::invoke_result_t<Join, T, T>;
  if (job.grows()) return grow_joined<T>(job, type, static_cast<word>(none), join);
  const auto* const items = reinterpret_cast<const T*>(job.item(0));
  kept_answers<word> answers(job, first, type);
  monofold::detail::roll_blocks<word>(
      first, end, job.all.length, [&](std::int64_t i) { return static_cast<word>(items[i]); }, join,
      [&](std::int64_t, word own) { answers.put(own); });
  answers.flush();
}

template <class T>
void roll_words_of(const rolling_job& job, std::int64_t first, std::int64_t end) {
  if (job.op == operation::prod) {
    const dtype type = std::is_signed_v<T> ? dtype::int64 : dtype::uint64;
    return roll_joined<T>(job, first, end, type, T(1),
                          [](std::uint64_t a, std::uint64_t b) { return a * b; });
  }
  const dtype type = job.rows.what().type;
  if (job.op == operation::bit_and) {
    roll_joined<T>(job, first, end, type, static_cast<T>(-1),
                   [](T a, T b) { return static_cast<T>(a & b); });
  } else if (job.op == operation::bit_or) {
    roll_joined<T>(job, first, end, type, T(0), [](T a, T b) { return static_cast<T>(a | b); });
  } else {
    roll_joined<T>(job, first, end, type, T(0), [](T a, T b) { return static_cast<T>(a ^ b); });
  }
}

}  // namespace

void grow_magnitudes(const rolling_job& job) {
  visit_dtype(job.rows.what().type, [&]<class T>() { grow_magnitudes_of<T>(job); });
}

void roll_words(const rolling_job& job, std::int64_t first, std::int64_t end) {
  visit_dtype(job.rows.what().type, [&]<class T>() {
    if constexpr (!is_floating_v<T>) roll_words_of<T>(job, first, end);
  });
}

}  // namespace monofold::runtime
