#pragma once
/// engine/detail/heap_array: values on the heap, as many as a call needs.

#include <cstddef>
#include <cstdint>

namespace monofold::detail {

/// std::make_unique<T[]>(count) without <memory>, which costs each source that includes it 0.1 s; and
/// no std::vector, whose bools threads cannot write side by side.
template <class T>
class heap_array {
 public:
  explicit heap_array(std::int64_t count) : first_(new T[static_cast<std::size_t>(count)]()) {}
  heap_array(const heap_array&) = delete;
  heap_array& operator=(const heap_array&) = delete;
  ~heap_array() { delete[] first_; }

  T* data() const { return first_; }
  T& operator[](std::int64_t i) const { return first_[i]; }

 private:
  T* first_;
};

}  // namespace monofold::detail
