#include "runtime/exact_bytes.hpp"

#include <bit>
#include <cstring>
#include <string_view>

#include "monofold/platform/sealed.hpp"
#include "runtime/quick_crc32.hpp"
#include "runtime/saved_request.hpp"

namespace monofold::runtime {

namespace {

struct place {
  unsigned char* at;

  void put(const void* from, std::size_t count) {
    std::memcpy(at, from, count);
    at += count;
  }
  template <class T>
  void put(T value) {
    put(&value, sizeof value);
  }
};

constexpr std::size_t request_bytes(std::size_t num_ops) { return 29 + 4 * num_ops; }
constexpr std::size_t run_bytes(std::size_t num_words) { return 3 * 8 + 1 + 8 * num_words + 2 * 8; }

}  // namespace

std::size_t save_words(const request& what, std::int64_t first_index, std::int64_t count,
                       std::span<const std::uint64_t> words, std::span<unsigned char> out) {
  if constexpr (std::endian::native != std::endian::little) return 0;
  constexpr std::string_view name = saved_reducer;
  const std::size_t payload = request_bytes(what.ops.size()) + run_bytes(words.size());
  const std::size_t sealed = monofold::detail::sealed_head + name.size() + payload;
  const std::size_t all = sealed + sizeof(std::uint32_t);
  if (all > out.size()) return 0;
  place to{out.data()};
  to.put(monofold::detail::sealed_mark);
  to.put(sealed_version);
  to.put(static_cast<std::uint32_t>(name.size()));
  to.put(static_cast<std::uint64_t>(payload));
  to.put(name.data(), name.size());
  to.put(static_cast<std::int32_t>(what.type));
  to.put(static_cast<std::int32_t>(what.nan));
  to.put(static_cast<std::uint8_t>(what.plain ? 1 : 0));
  to.put(what.ddof);
  to.put(what.k);
  to.put(static_cast<std::uint32_t>(what.ops.size()));
  for (const operation op : what.ops) to.put(static_cast<std::int32_t>(op));
  to.put(first_index);
  to.put(count);
  to.put(first_index + count);  // the origin
  to.put(std::uint8_t{1});      // there is a closed state
  to.put(words.data(), words.size_bytes());
  to.put(std::uint64_t{0});  // nodes
  to.put(std::uint64_t{0});  // held items
  to.put(quick_crc32_of(out.first(sealed)));
  return all;
}

}  // namespace monofold::runtime
