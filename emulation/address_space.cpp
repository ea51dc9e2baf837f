#include "emulation/address_space.hpp"

#include <sys/mman.h>

namespace monofold::emulation::detail {

address_space::address_space(std::size_t bytes) {
  for (; bytes >= page_bytes; bytes /= 2) {
    void* const got =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) continue;
    begin_ = static_cast<char*>(got);
    bytes_ = bytes;
    return;
  }
}

address_space::~address_space() {
  if (begin_ != nullptr) munmap(begin_, bytes_);
}

bool address_space::open(char* from, std::size_t bytes) {
  return mprotect(from, bytes, PROT_READ | PROT_WRITE) == 0;
}

void address_space::close(char* from, std::size_t bytes) {
  // A fresh mapping in the same place: its pages are given back and can no longer be touched.
  mmap(from, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

}  // namespace monofold::emulation::detail
