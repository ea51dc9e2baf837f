#pragma once
/// engine/detail/raw_array: values on the heap that nobody has written yet, for threads to write.

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace monofold::detail {

/// Like std::unique_ptr<T[]>. Large ones take large pages where the system has them: a first write to each
/// page of 4 KiB costs more than what is written there.
template <class T>
class raw_array {
 public:
  raw_array() = default;
  explicit raw_array(std::int64_t count) : count_(static_cast<std::size_t>(count)) {
    constexpr std::size_t most = static_cast<std::size_t>(-1) / sizeof(T);
    if (count_ > most) throw std::bad_alloc();
    first_ = static_cast<T*>(::operator new(count_ * sizeof(T), alignment()));
#ifdef __linux__
    if (is_large()) ::madvise(first_, count_ * sizeof(T), MADV_HUGEPAGE);
#endif
    if constexpr (!std::is_trivially_default_constructible_v<T>) {
      for (std::size_t i = 0; i < count_; ++i) new (first_ + i) T;
    }
  }
  raw_array(raw_array&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)), count_(other.count_) {}
  raw_array& operator=(raw_array&& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~raw_array() {
    if (first_ == nullptr) return;
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (std::size_t i = 0; i < count_; ++i) first_[i].~T();
    }
    ::operator delete(first_, alignment());
  }

  explicit operator bool() const { return first_ != nullptr; }
  T* data() const { return first_; }
  T& operator[](std::int64_t i) const { return first_[i]; }

 private:
  static constexpr std::size_t large_page = std::size_t{2} << 20;

  bool is_large() const { return count_ * sizeof(T) >= 2 * large_page; }
  std::align_val_t alignment() const {
    return std::align_val_t{is_large() ? large_page : (alignof(T) > 64 ? alignof(T) : 64)};
  }

  T* first_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace monofold::detail
