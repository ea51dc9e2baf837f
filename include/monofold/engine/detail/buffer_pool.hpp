#pragma once
/// engine/detail/buffer_pool: buffers for the threads of one call, each made once and used again.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace monofold::detail {

/// Memory for `bytes`, aligned to a cache line.
inline std::shared_ptr<void> make_aligned(std::int64_t bytes) {
  constexpr std::align_val_t line{64};
  return {::operator new(static_cast<std::size_t>(bytes), line),
          [](void* own) { ::operator delete(own, line); }};
}

class buffer_pool {
 public:
  using make_buffer = std::shared_ptr<void> (*)(std::int64_t bytes);

  buffer_pool(std::int64_t bytes, make_buffer make) : bytes_(bytes), make_(make) {}

  /// A buffer of the pool until the end of a scope.
  class lease {
   public:
    explicit lease(buffer_pool& from) : from_(from), own_(from.take()) {}
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;
    ~lease() {
      const std::lock_guard lock(from_.mutex_);
      from_.free_.push_back(std::move(own_));
    }
    void* get() const { return own_.get(); }

   private:
    buffer_pool& from_;
    std::shared_ptr<void> own_;
  };

 private:
  std::shared_ptr<void> take() {
    std::unique_lock lock(mutex_);
    if (free_.empty()) {
      lock.unlock();
      return make_(bytes_);
    }
    std::shared_ptr<void> one = std::move(free_.back());
    free_.pop_back();
    return one;
  }

  std::int64_t bytes_;
  make_buffer make_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<void>> free_;
};

}  // namespace monofold::detail
