#include "runtime/pair_groups.hpp"

#include <type_traits>

namespace monofold::runtime {

namespace {

/// Items of two arrays, and where they go: item i of row c to `left + c * pitch + i * step`. All in bytes.
struct pair_copy {
  struct side {
    const char* from;
    std::int64_t stride;
    std::int64_t apart;
    char* to;
  };
  side left;
  side right;
  std::int64_t count;
  int width;
  std::int64_t step;
  std::int64_t pitch;
};

/// Copies pairs of items that are such words.
template <class Word>
void copy_pairs(const pair_copy& what) {
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(Word));
  const auto at = [](auto* from, std::int64_t offset) {
    return reinterpret_cast<std::conditional_t<
        std::is_const_v<std::remove_pointer_t<decltype(from)>>, const Word, Word>*>(from + offset);
  };
  const bool is_plain = what.left.stride == bytes && what.right.stride == bytes &&
                        what.step == 2 * bytes && what.right.to == what.left.to + bytes;
  // Some items of a column at a time: each store then goes where the last one went.
  const std::int64_t group = what.width == 1 ? what.count : 8;
  for (std::int64_t begin = 0; begin < what.count; begin += group) {
    const std::int64_t end = std::min(what.count, begin + group);
    for (int c = 0; c < what.width; ++c) {
      const char* const left = what.left.from + c * what.left.apart;
      const char* const right = what.right.from + c * what.right.apart;
      char* const left_to = what.left.to + c * what.pitch;
      char* const right_to = what.right.to + c * what.pitch;
      if (is_plain) {
        const Word* const l = at(left, 0);
        const Word* const r = at(right, 0);
        Word* const to = at(left_to, 0);
        for (std::int64_t i = begin; i < end; ++i) {
          to[2 * i] = l[i];
          to[2 * i + 1] = r[i];
        }
        continue;
      }
      for (std::int64_t i = begin; i < end; ++i) {
        *at(left_to, i * what.step) = *at(left, i * what.left.stride);
        *at(right_to, i * what.step) = *at(right, i * what.right.stride);
      }
    }
  }
}

void copy_words(std::int64_t item_bytes, const pair_copy& what) {
  switch (item_bytes) {
    case 1: return copy_pairs<std::uint8_t>(what);
    case 2: return copy_pairs<std::uint16_t>(what);
    case 4: return copy_pairs<std::uint32_t>(what);
    default: return copy_pairs<std::uint64_t>(what);
  }
}

}  // namespace

std::int64_t pair_groups::width_for(std::int64_t row_bytes) const {
  const std::int64_t most = monofold::detail::block_bytes / row_bytes;
  if (is_in_place_)
    return std::clamp<std::int64_t>(most, 1, std::min<std::int64_t>(rows_.left.inner().extent, 64));
  return monofold::detail::pairs_read_together(rows_, most, 128 / bytes_, num_threads_);
}

void pair_groups::gather(const row_group& left, const row_group& right, std::int64_t at,
                         std::int64_t count, char* left_to, char* right_to, std::int64_t step,
                         std::int64_t pitch) const {
  // Both arrays have the same axes, so stretches of both end together.
  monofold::detail::row_walk on_left(rows_.left, at);
  monofold::detail::row_walk on_right(rows_.right, at);
  for (std::int64_t i = 0; i < count; on_left.next_stretch(), on_right.next_stretch()) {
    const std::int64_t n = std::min(on_left.items_left(), count - i);
    copy_words(bytes_, {{left.first + on_left.offset(), on_left.stride(), rows_.left.inner().stride,
                         left_to + i * step},
                        {right.first + on_right.offset(), on_right.stride(),
                         rows_.right.inner().stride, right_to + i * step},
                        n,
                        left.width,
                        step,
                        pitch});
    i += n;
  }
}

}  // namespace monofold::runtime
