#pragma once
/// engine/detail/key_numbers: numbers for keys, in the order in which keys first appear.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// A hash table with open addressing, at most half full. `Keys` says how keys are stored (shape/keys).
template <class Keys>
class key_numbers {
 public:
  using stored = typename Keys::stored;

  /// `unused_bits`: upper bits of hashes that all keys here share.
  explicit key_numbers(int unused_bits) : unused_bits_(unused_bits) { set_slots(10); }

  /// Forgets all keys, and keeps room for as many.
  void clear() {
    keys_.clear();
    slots_.assign(slots_.size(), 0);
  }

  MONOFOLD_INLINE std::uint32_t number_of(const stored& key) {
    std::size_t at = slot_of(key);
    for (; slots_[at] != 0; at = (at + 1) & mask()) {
      const std::uint32_t number = slots_[at] - 1;
      if (Keys::same(keys_[number], key)) return number;
    }
    return add(key, at);
  }

  std::size_t size() const { return keys_.size(); }
  const std::vector<stored>& keys() const { return keys_; }

 private:
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t slot_of(const stored& key) const {
    return static_cast<std::size_t>(Keys::hash(key) << unused_bits_ >> shift_);
  }
  [[gnu::noinline]] std::uint32_t add(const stored& key, std::size_t at) {
    const auto number = static_cast<std::uint32_t>(keys_.size());
    keys_.push_back(key);
    slots_[at] = number + 1;
    if (2 * keys_.size() > slots_.size()) grow();
    return number;
  }
  void set_slots(int level) {
    slots_.assign(std::size_t{1} << level, 0);
    shift_ = 64 - level;
  }
  void grow() {
    set_slots(std::countr_zero(slots_.size()) + 2);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      std::size_t at = slot_of(keys_[i]);
      while (slots_[at] != 0) at = (at + 1) & mask();
      slots_[at] = static_cast<std::uint32_t>(i + 1);
    }
  }

  int unused_bits_;
  int shift_;
  std::vector<std::uint32_t> slots_;  // 0, or one more than a key's number
  std::vector<stored> keys_;
};

}  // namespace monofold::detail
