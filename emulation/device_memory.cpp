#include "emulation/device_memory.hpp"

#include <cstring>

namespace monofold::emulation::detail {

device_memory memory;

void* device_memory::allocate(std::size_t bytes, memory_kind kind, int device) {
  const std::lock_guard lock(guard_);
  const std::size_t pages = in_pages(bytes == 0 ? 1 : bytes);
  if (pages > space_.bytes() || used_ + pages + 2 * page_bytes > space_.bytes()) return nullptr;
  char* const front = space_.begin() + used_;
  char* const begin = front + page_bytes;
  if (!space_.open(begin, pages)) return nullptr;
  used_ += pages + 2 * page_bytes;
  allocations_[front] = {begin, bytes, kind, device, false};
  return begin;
}

bool device_memory::release(void* begin) {
  const std::lock_guard lock(guard_);
  const auto found = allocations_.find(static_cast<char*>(begin) - page_bytes);
  if (found == allocations_.end() || found->second.is_freed) return false;
  space_.close(static_cast<char*>(begin), in_pages(found->second.bytes));
  found->second.is_freed = true;
  if (last_.begin == begin) last_ = {};
  return true;
}

const device_memory::allocation* device_memory::nearest(const char* address) const {
  auto behind = allocations_.upper_bound(address);
  return behind == allocations_.begin() ? nullptr : &(--behind)->second;
}

bool device_memory::find(const void* address, memory_kind& kind, int& device) const {
  const std::lock_guard lock(guard_);
  const allocation* const near = nearest(static_cast<const char*>(address));
  if (near == nullptr || near->is_freed || !is_within(address, near->begin, near->bytes)) {
    return false;
  }
  kind = near->kind;
  device = near->device;
  return true;
}

void device_memory::be_used_by(int device) {
  const std::lock_guard lock(guard_);
  if (user_ != device) last_ = {};
  user_ = device;
}

bool device_memory::contains(const void* address, std::size_t bytes) const {
  const std::lock_guard lock(guard_);
  const auto* const at = static_cast<const char*>(address);
  const allocation* const near = nearest(at);
  return near != nullptr && !near->is_freed && is_within(at, near->begin, near->bytes) &&
         bytes <= near->bytes - static_cast<std::size_t>(at - near->begin);
}

void device_memory::bounds_of(const void* address, const char*& begin, std::size_t& bytes) const {
  const std::lock_guard lock(guard_);
  const allocation* const near = nearest(static_cast<const char*>(address));
  if (near == nullptr || near->is_freed || !is_within(address, near->begin, near->bytes)) return;
  begin = near->begin;
  bytes = near->bytes;
}

bool device_memory::may_touch_another(const void* address, std::size_t bytes) {
  const std::lock_guard lock(guard_);
  const auto* const at = static_cast<const char*>(address);
  const allocation* const near = nearest(at);
  if (near == nullptr || near->is_freed || !is_within(at, near->begin, near->bytes) ||
      !is_within(at + bytes - 1, near->begin, near->bytes) ||
      (near->kind == memory_kind::device && near->device != user_)) {
    return false;
  }
  last_ = *near;
  return true;
}

std::string device_memory::what_is_wrong(const void* address, std::size_t bytes) const {
  const std::lock_guard lock(guard_);
  const auto* const at = static_cast<const char*>(address);
  const allocation* const near = nearest(at);
  const std::string what = std::to_string(bytes) + " bytes at byte ";
  if (near == nullptr) return what + "? of no allocation";
  const std::string of = what + std::to_string(at - near->begin) + " of a buffer of " +
                         std::to_string(near->bytes) + " bytes";
  if (near->is_freed) return of + " that was freed";
  if (!is_within(at, near->begin, near->bytes) ||
      !is_within(at + bytes - 1, near->begin, near->bytes)) {
    return of;
  }
  return of + ", which is memory of device " + std::to_string(near->device) +
         ": the kernel runs on device " + std::to_string(user_);
}

}  // namespace monofold::emulation::detail
