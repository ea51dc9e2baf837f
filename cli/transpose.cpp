#include "cli/transpose.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace monofold::cli {
namespace {

constexpr std::int64_t tile = 16;  // 16 x 16 items of 8 B: 32 cache lines in, 32 out

// The walk over one array; Word has the size of an item.
template <class Word>
class walker {
 public:
  walker(std::span<const std::int64_t> shape, std::span<const std::int64_t> stride,
         std::span<const std::int64_t> below, const std::byte* stored)
      : shape_(shape), stride_(stride), below_(below), stored_(stored) {}

  // Items [first, first + count) of the sub-array that spans the axes `axis` and after and begins
  // at item `base`. The whole indices of `axis` in the middle of the range form a box; what is
  // left of the first and of the last index is a range of the next axis.
  void range(std::size_t axis, std::int64_t base, std::int64_t first, std::int64_t count,
             std::byte* out) const {
    const std::int64_t below = below_[axis];
    std::int64_t index = first / below;
    if (const std::int64_t skip = first % below; skip != 0) {
      const std::int64_t head = std::min(count, below - skip);
      range(axis + 1, base + index * stride_[axis], skip, head, out);
      out += head * item_bytes;
      count -= head;
      ++index;
    }
    if (const std::int64_t whole = count / below; whole != 0) {
      box(axis, base + index * stride_[axis], whole, out);
      out += whole * below * item_bytes;
      count -= whole * below;
      index += whole;
    }
    if (count != 0) range(axis + 1, base + index * stride_[axis], 0, count, out);
  }

 private:
  static constexpr std::int64_t item_bytes = sizeof(Word);

  // `rows` indices of `axis` and all of the later axes: one transposed matrix, `axis` against the
  // last, for every index of the axes between.
  void box(std::size_t axis, std::int64_t base, std::int64_t rows, std::byte* out) const {
    const std::size_t last = shape_.size() - 1;
    if (axis == last) return matrix(base, rows, stride_[last], 1, 0, out, 1);
    std::vector<std::int64_t> index(shape_.size(), 0);
    for (;;) {
      std::int64_t in_offset = base;
      std::int64_t out_offset = 0;
      for (std::size_t k = axis + 1; k < last; ++k) {
        in_offset += index[k] * stride_[k];
        out_offset += index[k] * below_[k];
      }
      matrix(in_offset, rows, stride_[axis], shape_[last], stride_[last],
             out + out_offset * item_bytes, below_[axis]);
      // The first axis between moves fastest: it is the nearest in the file.
      std::size_t k = axis + 1;
      while (k < last && ++index[k] == shape_[k]) index[k++] = 0;
      if (k >= last) return;
    }
  }

  // out[i * out_stride + j] = stored[base + i * row_stride + j * column_stride]
  void matrix(std::int64_t base, std::int64_t rows, std::int64_t row_stride, std::int64_t columns,
              std::int64_t column_stride, std::byte* out, std::int64_t out_stride) const {
    const std::byte* in = stored_ + base * item_bytes;
    for (std::int64_t j0 = 0; j0 < columns; j0 += tile) {
      const std::int64_t j1 = std::min(columns, j0 + tile);
      for (std::int64_t i0 = 0; i0 < rows; i0 += tile) {
        const std::int64_t i1 = std::min(rows, i0 + tile);
        for (std::int64_t i = i0; i < i1; ++i) {
          for (std::int64_t j = j0; j < j1; ++j) {
            std::memcpy(out + (i * out_stride + j) * item_bytes,
                        in + (i * row_stride + j * column_stride) * item_bytes, sizeof(Word));
          }
        }
      }
    }
  }

  std::span<const std::int64_t> shape_, stride_, below_;
  const std::byte* stored_;
};

}  // namespace

column_major::column_major(std::span<const std::int64_t> shape, int item_bytes)
    : item_bytes_(item_bytes) {
  std::int64_t stride = 1;
  for (const std::int64_t extent : shape) {
    if (extent == 1) continue;
    shape_.push_back(extent);
    stride_.push_back(stride);
    stride *= extent;
  }
  below_.resize(shape_.size());
  std::int64_t below = 1;
  for (std::size_t k = shape_.size(); k-- > 0; below *= shape_[k]) below_[k] = below;
}

void column_major::gather(const void* stored, std::int64_t first, std::int64_t num_items,
                          void* out) const {
  const auto* in = static_cast<const std::byte*>(stored);
  auto* target = static_cast<std::byte*>(out);
  const auto walk = [&]<class Word>(Word) {
    if (num_items == 0) return;
    if (shape_.empty()) {
      std::memcpy(target, in, sizeof(Word));
    } else {
      walker<Word>(shape_, stride_, below_, in).range(0, 0, first, num_items, target);
    }
  };
  switch (item_bytes_) {
    case 1: return walk(std::uint8_t{});
    case 2: return walk(std::uint16_t{});
    case 4: return walk(std::uint32_t{});
    default: return walk(std::uint64_t{});
  }
}

std::int64_t column_major::good_items() const {
  constexpr std::int64_t line_bytes = 64;
  if (trivial()) return 1;
  // Beyond 2^40 items a range is bounded by memory anyway.
  return std::min(below_[0], std::int64_t{1} << 40) * (line_bytes / item_bytes_);
}

}  // namespace monofold::cli
