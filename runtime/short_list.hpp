#pragma once
/// runtime/short_list: numbers of which there are mostly few, and these need no memory of their own.

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <initializer_list>
#include <vector>

namespace monofold::runtime {

/// A list that grows at its end; up to `most` items lie in it.
template <class T, std::size_t most>
class short_list {
 public:
  short_list() = default;
  short_list(std::initializer_list<T> items) {
    for (const T& one : items) push_back(one);
  }
  short_list& operator=(const std::vector<T>& items) {
    clear();
    for (const T& one : items) push_back(one);
    return *this;
  }
  void push_back(const T& one) {
    if (many_.empty() && count_ < most) {
      few_[count_++] = one;
      return;
    }
    if (many_.empty()) many_.assign(few_, few_ + count_);
    many_.push_back(one);
  }
  void assign_one(const T& one) {
    clear();
    push_back(one);
  }
  void clear() {
    count_ = 0;
    many_.clear();
  }

  std::size_t size() const { return many_.empty() ? count_ : many_.size(); }
  bool empty() const { return size() == 0; }
  T* begin() { return many_.empty() ? few_ : many_.data(); }
  T* end() { return begin() + size(); }
  const T* begin() const { return many_.empty() ? few_ : many_.data(); }
  const T* end() const { return begin() + size(); }
  const T& operator[](std::size_t i) const { return begin()[i]; }
  const T& at(std::size_t i) const {
    if (i >= size()) throw std::out_of_range("short_list");
    return begin()[i];
  }
  const T& front() const { return *begin(); }
  bool operator==(const short_list& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  T few_[most]{};
  std::size_t count_ = 0;
  std::vector<T> many_{};  // all of them, where there are more
};

}  // namespace monofold::runtime
