#pragma once
/// bench/harness/dataset: the data that every subject of a run reads, in memory and in a file.

#include <cstdint>
#include <span>
#include <string>

namespace bench {

/// huge   the kernel is asked for 2 MiB pages (madvise), as large allocations of a program get them
/// small  it is asked not to use any
enum class page_kind { huge, small };

/// Memory from the kernel, zeroed, 2 MiB aligned.
class buffer {
 public:
  buffer(std::int64_t bytes, page_kind pages);
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  ~buffer();

  void* data() const { return data_; }
  std::int64_t size_bytes() const { return bytes_; }

 private:
  void* mapping_ = nullptr;
  std::int64_t mapping_bytes_ = 0;
  void* data_ = nullptr;
  std::int64_t bytes_;
};

/// float32, float64, int32, int8; and what the ordered folds take: bytes (the same items as int8,
/// without a sign) and matrix (2 x 2 float32, row by row).
enum class item_type { float32, float64, int32, int8, bytes, matrix };

const char* name_of(item_type type);
std::int64_t size_of(item_type type);

struct matrix2 {
  float a, b, c, d;
};

/// A buffer as items of a type. Does not own.
struct dataset {
  item_type type;
  const void* items;
  std::int64_t count;

  std::int64_t size_bytes() const { return count * size_of(type); }
  template <class Item>
  std::span<const Item> as() const {
    return {static_cast<const Item*>(items), static_cast<std::size_t>(count)};
  }
};

/// Fills the buffer with items that depend on their index alone: floats uniform in [-1, 1) in
/// steps of 2^-23 (2^-52), integers uniform in their whole range, matrices rotations by any angle
/// (so that products of any length stay in range).
dataset fill(const buffer& memory, item_type type);

/// Writes a NumPy file (format 1.0) of the numbers in the set. Throws std::runtime_error.
void write_npy(const dataset& data, const std::string& path);

}  // namespace bench
