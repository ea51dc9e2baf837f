#include "bench/harness/dataset.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <numbers>
#include <stdexcept>
#include <thread>
#include <vector>

namespace bench {

namespace {

constexpr std::int64_t huge_page_bytes = std::int64_t{1} << 21;

/// splitmix64, Steele, Lea, Flood 2014: 64 random bits of an index.
std::uint64_t random_bits(std::int64_t index) {
  std::uint64_t z = (static_cast<std::uint64_t>(index) + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Calls body(first, end) for neighbouring ranges of [0, count), one a core.
template <class Body>
void in_parts(std::int64_t count, const Body& body) {
  const std::int64_t parts = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (std::int64_t p = 0; p < parts; ++p) {
    threads.emplace_back(
        [=, &body] { body(count / parts * p, p + 1 == parts ? count : count / parts * (p + 1)); });
  }
}

template <class Item, class Make>
void generate(void* items, std::int64_t count, const Make& make) {
  in_parts(count, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t i = first; i < end; ++i) static_cast<Item*>(items)[i] = make(i);
  });
}

}  // namespace

buffer::buffer(std::int64_t bytes, page_kind pages) : bytes_(bytes) {
  mapping_bytes_ = bytes + huge_page_bytes;
  mapping_ = mmap(nullptr, static_cast<std::size_t>(mapping_bytes_), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::runtime_error("cannot get memory for the data");
  const auto at = reinterpret_cast<std::uintptr_t>(mapping_);
  data_ = static_cast<char*>(mapping_) + (huge_page_bytes - at % huge_page_bytes) % huge_page_bytes;
#if defined(MADV_HUGEPAGE)
  // A hint: where the kernel has no huge pages the run goes on with small ones.
  static_cast<void>(madvise(mapping_, static_cast<std::size_t>(mapping_bytes_),
                            pages == page_kind::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE));
#else
  static_cast<void>(pages);
#endif
}

buffer::~buffer() { munmap(mapping_, static_cast<std::size_t>(mapping_bytes_)); }

const char* name_of(item_type type) {
  switch (type) {
    case item_type::float32: return "float32";
    case item_type::float64: return "float64";
    case item_type::int32: return "int32";
    case item_type::int8: return "int8";
    case item_type::bytes: return "bytes";
    case item_type::matrix: break;
  }
  return "matrix";
}

std::int64_t size_of(item_type type) {
  switch (type) {
    case item_type::float32:
    case item_type::int32: return 4;
    case item_type::float64: return 8;
    case item_type::int8:
    case item_type::bytes: return 1;
    case item_type::matrix: break;
  }
  return static_cast<std::int64_t>(sizeof(matrix2));
}

dataset fill(const buffer& memory, item_type type) {
  const dataset data{type, memory.data(), memory.size_bytes() / size_of(type)};
  void* const to = memory.data();
  switch (type) {
    case item_type::float32:
      generate<float>(to, data.count, [](std::int64_t i) {
        return static_cast<float>(static_cast<std::int64_t>(random_bits(i) >> 40) - (1 << 23)) *
               0x1p-23f;
      });
      break;
    case item_type::float64:
      generate<double>(to, data.count, [](std::int64_t i) {
        const auto bits = static_cast<std::int64_t>(random_bits(i) >> 11);
        return static_cast<double>(bits - (std::int64_t{1} << 52)) * 0x1p-52;
      });
      break;
    case item_type::int32:
      generate<std::int32_t>(to, data.count, [](std::int64_t i) {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(random_bits(i)));
      });
      break;
    case item_type::int8:
    case item_type::bytes:
      generate<unsigned char>(to, data.count, [](std::int64_t i) {
        return static_cast<unsigned char>(random_bits(i / 8) >> (i % 8 * 8));
      });
      break;
    case item_type::matrix:
      generate<matrix2>(to, data.count, [](std::int64_t i) {
        const double angle = static_cast<double>(random_bits(i) >> 11) * 0x1p-52 * std::numbers::pi;
        const auto c = static_cast<float>(std::cos(angle));
        const auto s = static_cast<float>(std::sin(angle));
        return matrix2{c, -s, s, c};
      });
      break;
  }
  return data;
}

void write_npy(const dataset& data, const std::string& path) {
  std::string descr = "'|i1'";
  if (data.type == item_type::float32) descr = "'<f4'";
  if (data.type == item_type::float64) descr = "'<f8'";
  if (data.type == item_type::int32) descr = "'<i4'";
  static_assert(std::endian::native == std::endian::little);
  std::string header = "{'descr': " + descr + ", 'fortran_order': False, 'shape': (" +
                       std::to_string(data.count) + ",), }";
  // Magic, version, length of the header (2 bytes), header: a multiple of 64 bytes together.
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::ofstream out(path, std::ios::binary);
  out.write("\x93NUMPY\x01\x00", 8);
  out.put(static_cast<char>(header.size() % 256));
  out.put(static_cast<char>(header.size() / 256));
  out << header;
  out.write(static_cast<const char*>(data.items), data.size_bytes());
  out.flush();
  if (!out) throw std::runtime_error("cannot write " + path);
}

}  // namespace bench
