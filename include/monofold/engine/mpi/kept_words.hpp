#pragma once
/// engine/mpi/kept_words: memory for the words of a message, which stays with the thread from call to call.

#include <cstdint>
#include <utility>
#include <vector>

namespace monofold::detail {

/// A vector that this thread's calls have in turn: memory that the system hands out anew page by page costs a call of
/// a thousand fields as much as its message. What has more than 8 MiB is given back.
class kept_words {
 public:
  kept_words() : words_(std::exchange(place(), {})) {}
  kept_words(const kept_words&) = delete;
  kept_words& operator=(const kept_words&) = delete;
  ~kept_words() {
    if (words_.capacity() <= most_kept) place() = std::move(words_);
  }

  std::vector<std::int64_t>& get() { return words_; }

 private:
  static constexpr std::size_t most_kept = std::size_t{1} << 20;
  static std::vector<std::int64_t>& place() {
    thread_local std::vector<std::int64_t> own;
    return own;
  }

  std::vector<std::int64_t> words_;
};

}  // namespace monofold::detail
