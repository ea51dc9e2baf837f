#pragma once
/// emulation/device_memory: what was allocated on the emulated device, and where it ends.

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "emulation/address_space.hpp"

namespace monofold::emulation::detail {

enum class memory_kind { device, managed, pinned };

/// Allocations lie on pages of their own with a page without memory on both sides. Addresses are not
/// used twice, so that use after the free is told from use of something else.
class device_memory {
 public:
  /// Aligned to a page; null where there is no memory left. Memory of a kind `device` is that device's alone.
  void* allocate(std::size_t bytes, memory_kind kind, int device);
  /// False for what is not the begin of an allocation.
  bool release(void* begin);
  /// The kind and device of the live allocation that `address` lies in; false where it is in none.
  bool find(const void* address, memory_kind& kind, int& device) const;
  /// Whether so many bytes lie in one live allocation.
  bool contains(const void* address, std::size_t bytes) const;

  /// The live allocation that `address` lies in; leaves the arguments alone where it is in none.
  void bounds_of(const void* address, const char*& begin, std::size_t& bytes) const;

  bool holds(const void* address) const { return space_.holds(address); }

  /// The device whose kernel runs from now on.
  void be_used_by(int device);

  /// Whether an access of a kernel to an address that it `holds` is right.
  bool may_touch(const void* address, std::size_t bytes) {
    // Kernels go through one buffer most of the time.
    return (is_within(address, last_.begin, last_.bytes) &&
            is_within(static_cast<const char*>(address) + bytes - 1, last_.begin, last_.bytes)) ||
           may_touch_another(address, bytes);
  }
  /// Says why an access is not right.
  std::string what_is_wrong(const void* address, std::size_t bytes) const;

 private:
  struct allocation {
    char* begin = nullptr;
    std::size_t bytes = 0;
    memory_kind kind = memory_kind::device;
    int device = 0;
    bool is_freed = false;
  };

  bool may_touch_another(const void* address, std::size_t bytes);
  const allocation* nearest(const char* address) const;

  // 16 TiB: hours of allocating at memory speed.
  address_space space_{std::size_t{1} << 44};
  std::size_t used_ = 0;
  std::map<const char*, allocation> allocations_;  // by the page in front
  allocation last_;
  int user_ = 0;
  mutable std::mutex guard_;
};

extern device_memory memory;

}  // namespace monofold::emulation::detail
