#pragma once
/// platform/sealed: bytes for a file, with a mark, a version and a checksum around them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "monofold/platform/encoding.hpp"
#include "monofold/platform/status.hpp"

namespace monofold {

/// How many versions of the format there have been; files of all of them can be read.
inline constexpr std::uint32_t sealed_version = 2;

namespace detail {

/// Not text, and not whole after a transfer that changes line ends.
inline constexpr std::array<unsigned char, 8> sealed_mark{0x89, 'm',  'o',  'n',
                                                          'o',  '\r', '\n', 0x1a};
inline constexpr std::size_t sealed_head = 24;  // mark, version, and the two lengths

/// What a byte at the low end of a CRC-32 leaves of it when that and as many more bytes as the first index says have
/// passed.
inline constexpr std::array<std::array<std::uint32_t, 256>, 8> crc32_of_byte = [] {
  std::array<std::array<std::uint32_t, 256>, 8> all{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
    all[0][byte] = crc;
  }
  for (std::size_t more = 1; more < 8; ++more) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = all[more - 1][byte];
      all[more][byte] = crc >> 8 ^ all[0][crc & 0xff];
    }
  }
  return all;
}();

/// The CRC-32 of zip and PNG: polynomial 0xedb88320, reflected. Eight bytes at a time, which do not wait for each other.
///
/// source     Kounavis and Berry 2008, IEEE Transactions on Computers 57(11), slicing by 8
///
/// crc        what bytes before these have left, not inverted
inline std::uint32_t crc32_of(std::span<const unsigned char> bytes, std::uint32_t crc = ~0u) {
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      const std::uint32_t byte = bytes[i] ^ (i < 4 ? crc >> 8 * i & 0xff : 0);
      next ^= crc32_of_byte[7 - i][byte];
    }
    crc = next;
  }
  for (const unsigned char byte : bytes) crc = crc >> 8 ^ crc32_of_byte[0][(crc ^ byte) & 0xff];
  return ~crc;
}

/// seal with another way to the same checksum.
template <class Checksum>
std::vector<unsigned char> seal_by(std::string_view name, std::span<const unsigned char> payload,
                                   const Checksum& checksum_of) {
  byte_writer out;
  out.put(sealed_mark);
  encode(out, sealed_version);
  encode(out, static_cast<std::uint32_t>(name.size()));
  encode(out, static_cast<std::uint64_t>(payload.size()));
  out.put({reinterpret_cast<const unsigned char*>(name.data()), name.size()});
  out.put(payload);
  std::vector<unsigned char> sealed = std::move(out).take();
  const std::uint32_t checksum = checksum_of(std::span<const unsigned char>(sealed));
  for (int i = 0; i < 4; ++i) sealed.push_back(checksum >> 8 * i & 0xff);
  return sealed;
}

}  // namespace detail

/// Whether bytes begin as sealed ones do.
inline bool looks_sealed(std::span<const unsigned char> bytes) {
  if (bytes.size() < detail::sealed_mark.size()) return false;
  for (std::size_t i = 0; i < detail::sealed_mark.size(); ++i) {
    if (bytes[i] != detail::sealed_mark[i]) return false;
  }
  return true;
}

/// A name and a payload as the bytes of a file.
///
/// shape      mark (8 bytes), version (32 bits), length of the name (32 bits) and of the payload (64
///            bits), name, payload, CRC-32 of all bytes before it; least bytes first
/// tested by  tests/platform/sealed_test.cpp
inline std::vector<unsigned char> seal(std::string_view name,
                                       std::span<const unsigned char> payload) {
  return detail::seal_by(name, payload, [](auto bytes) { return detail::crc32_of(bytes); });
}

/// What `seal` was given.
struct unsealed {
  std::uint32_t version;
  std::string name;
  std::span<const unsigned char> payload;  // of the bytes that were read
};

/// errors     throws `error` malformed_state, with what is wrong: foreign, of a newer version,
///            truncated, longer than it says, or damaged
inline unsealed unseal(std::span<const unsigned char> bytes) {
  const auto refuse = [](const std::string& why) { throw error(status::malformed_state, why); };
  if (!looks_sealed(bytes)) refuse("another kind of file");
  if (bytes.size() < detail::sealed_head) refuse("truncated");
  byte_reader in(bytes.subspan(detail::sealed_mark.size()));
  const auto version = decoded<std::uint32_t>(in);
  if (version == 0 || version > sealed_version) {
    refuse("format " + std::to_string(version) + ", and this version reads up to " +
           std::to_string(sealed_version));
  }
  const std::uint64_t name_bytes = decoded<std::uint32_t>(in);
  const auto payload_bytes = decoded<std::uint64_t>(in);
  const std::uint64_t held = in.size();
  constexpr std::uint64_t checksum_bytes = 4;
  // Written so that no length can wrap around.
  if (held < checksum_bytes + name_bytes || held - checksum_bytes - name_bytes < payload_bytes) {
    refuse("truncated");
  }
  if (held - checksum_bytes - name_bytes > payload_bytes) refuse("bytes follow its end");
  byte_reader end(bytes.last(checksum_bytes));
  if (decoded<std::uint32_t>(end) != detail::crc32_of(bytes.first(bytes.size() - checksum_bytes))) {
    refuse("damaged: the checksum differs");
  }
  unsealed out{version, {}, {}};
  for (const unsigned char byte : in.take(name_bytes)) out.name += static_cast<char>(byte);
  out.payload = in.take(payload_bytes);
  return out;
}

}  // namespace monofold
