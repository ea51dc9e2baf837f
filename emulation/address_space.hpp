#pragma once
/// emulation/address_space: stretches of addresses that are reserved first and get memory in parts.

#include <cstddef>
#include <cstdint>

namespace monofold::emulation::detail {

inline constexpr std::size_t page_bytes = 4096;

constexpr std::size_t in_pages(std::size_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// Whether `address` is one of the `bytes` from `begin` on; one comparison.
inline bool is_within(const void* address, const void* begin, std::size_t bytes) {
  return static_cast<std::size_t>(static_cast<const char*>(address) -
                                  static_cast<const char*>(begin)) < bytes;
}

/// Addresses without memory: touching them ends the process.
///
/// shape      as many bytes as asked for, or where there is a limit, halved until they fit
class address_space {
 public:
  explicit address_space(std::size_t bytes);
  address_space(const address_space&) = delete;
  address_space& operator=(const address_space&) = delete;
  ~address_space();

  char* begin() const { return begin_; }
  std::size_t bytes() const { return bytes_; }
  bool holds(const void* address) const { return is_within(address, begin_, bytes_); }

  /// Gives memory, of zeros, to whole pages; false where there is none left.
  bool open(char* from, std::size_t bytes);
  /// Takes it back.
  void close(char* from, std::size_t bytes);

 private:
  char* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace monofold::emulation::detail
