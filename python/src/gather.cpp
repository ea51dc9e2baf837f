#include "python/src/gather.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "monofold/platform/instruction_set.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace monofold::python {

namespace {

/// As this machine has it: of a byte, which is a bool, 0 or 1.
template <class Word>
Word swapped_bytes(Word word) {
  if constexpr (sizeof(Word) == 1) return word != 0;
  if constexpr (sizeof(Word) == 2) return static_cast<Word>(__builtin_bswap16(word));
  if constexpr (sizeof(Word) == 4) return static_cast<Word>(__builtin_bswap32(word));
  if constexpr (sizeof(Word) == 8) return static_cast<Word>(__builtin_bswap64(word));
  return word;
}

template <class Word>
void copy_words(const char* from, std::int64_t stride, std::int64_t count, bool swapped, char* to) {
  if (!swapped && stride == static_cast<std::int64_t>(sizeof(Word))) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(Word));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, from + i * stride, sizeof(Word));  // which may be misaligned
    if (swapped) word = swapped_bytes(word);
    std::memcpy(to + i * static_cast<std::int64_t>(sizeof(Word)), &word, sizeof(Word));
  }
}

void copy_run(const char* from, std::int64_t stride, std::int64_t count, bool swapped,
              std::int64_t item_bytes, char* to) {
  switch (item_bytes) {
    case 1: return copy_words<std::uint8_t>(from, stride, count, swapped, to);
    case 2: return copy_words<std::uint16_t>(from, stride, count, swapped, to);
    case 4: return copy_words<std::uint32_t>(from, stride, count, swapped, to);
    default: return copy_words<std::uint64_t>(from, stride, count, swapped, to);
  }
}

/// How many items were looked at, and how many of them are kept.
struct kept_items {
  std::int64_t seen = 0;
  std::int64_t kept = 0;
};

template <class Word>
std::int64_t keep_words(char* items, const char* mask, std::int64_t count, kept_items all) {
  for (; all.seen < count; ++all.seen) {
    std::memcpy(items + all.kept * static_cast<std::int64_t>(sizeof(Word)),
                items + all.seen * static_cast<std::int64_t>(sizeof(Word)), sizeof(Word));
    all.kept += mask[all.seen] != 0;
  }
  return all.kept;
}

#if defined(__x86_64__)
/// The same of vectors of items of 4 or 8 bytes. Each is read before anything is written that reaches as far as it.
__attribute__((target("avx512f,avx512bw,avx512vl,popcnt"))) kept_items keep_vectors(
    char* items, std::int64_t item_bytes, const char* mask, std::int64_t count) {
  kept_items all;
  const std::int64_t width = 64 / item_bytes;
  for (; all.seen + width <= count; all.seen += width) {
    const __m512i here = _mm512_loadu_si512(items + all.seen * item_bytes);
    __m512i kept;
    unsigned marks = 0;
    if (item_bytes == 8) {
      const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(mask + all.seen));
      marks = _mm_test_epi8_mask(bytes, bytes);
      kept = _mm512_maskz_compress_epi64(static_cast<__mmask8>(marks), here);
    } else {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(mask + all.seen));
      marks = _mm_test_epi8_mask(bytes, bytes);
      kept = _mm512_maskz_compress_epi32(static_cast<__mmask16>(marks), here);
    }
    _mm512_storeu_si512(items + all.kept * item_bytes, kept);
    all.kept += std::popcount(marks);
  }
  return all;
}
#endif

/// The last axis as long as items lie evenly: rows of a packed array are one run.
layout with_long_runs(const layout& items) {
  layout out = items;
  while (out.extents.size() > 1) {
    const std::size_t last = out.extents.size() - 1;
    if (out.strides[last - 1] != out.strides[last] * out.extents[last]) break;
    out.extents[last - 1] *= out.extents[last];
    out.strides[last - 1] = out.strides[last];
    out.extents.pop_back();
    out.strides.pop_back();
  }
  return out;
}

/// Calls use(items, stride, count) for runs of items that lie evenly, which are items [first, first + count) together.
template <class Use>
void for_runs(const layout& items, std::int64_t first, std::int64_t count, const Use& use) {
  if (count == 0) return;
  const layout runs = with_long_runs(items);
  if (runs.extents.empty()) return use(items.data, std::int64_t{0}, std::int64_t{1});
  const std::size_t last = runs.extents.size() - 1;
  std::vector<std::int64_t> index(runs.extents.size());
  const char* row = runs.data;  // the row's first item
  std::int64_t rest = first;
  for (std::size_t axis = runs.extents.size(); axis-- > 0;) {
    index[axis] = rest % runs.extents[axis];
    rest /= runs.extents[axis];
    if (axis != last) row += index[axis] * runs.strides[axis];
  }
  while (count > 0) {
    const std::int64_t here = std::min(count, runs.extents[last] - index[last]);
    use(row + index[last] * runs.strides[last], runs.strides[last], here);
    count -= here;
    index[last] = 0;
    for (std::size_t axis = last; axis-- > 0;) {
      row += runs.strides[axis];
      if (++index[axis] < runs.extents[axis]) break;
      row -= runs.extents[axis] * runs.strides[axis];
      index[axis] = 0;
    }
  }
}

/// The bits that some byte has, in any byte of a word.
std::uint64_t bits_of_bytes(const char* bytes, std::int64_t stride, std::int64_t count) {
  std::uint64_t all = 0;
  std::int64_t i = 0;
  if (stride == 1) {
    for (; i + 8 <= count; i += 8) {
      std::uint64_t word;
      std::memcpy(&word, bytes + i, sizeof word);
      all |= word;
    }
  }
  for (; i < count; ++i) all |= static_cast<std::uint8_t>(bytes[i * stride]);
  return all;
}
constexpr std::uint64_t other_than_0_and_1 = 0xfefefefefefefefe;

}  // namespace

bool has_other_bools(const void* bytes, std::int64_t count) {
  return (bits_of_bytes(static_cast<const char*>(bytes), 1, count) & other_than_0_and_1) != 0;
}

bool has_other_bools(const layout& items) {
  if (items.dtype != MONOFOLD_BOOL || items.place != MONOFOLD_HOST || items.count() == 0) {
    return false;
  }
  layout once = items;  // each byte, however often it is repeated
  for (std::size_t axis = once.extents.size(); axis-- > 0;) {
    if (once.strides[axis] != 0 && once.extents[axis] != 1) continue;
    once.extents.erase(once.extents.begin() + static_cast<std::ptrdiff_t>(axis));
    once.strides.erase(once.strides.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  once = in_memory_order(once);
  std::uint64_t all = 0;
  for_runs(once, 0, once.count(), [&](const char* bytes, std::int64_t stride, std::int64_t count) {
    all |= bits_of_bytes(bytes, stride, count);
  });
  return (all & other_than_0_and_1) != 0;
}

std::int64_t keep_marked(char* items, std::int64_t item_bytes, const char* mask,
                         std::int64_t count) {
  kept_items first;
#if defined(__x86_64__)
  if (item_bytes >= 4 && instruction_set_in_use() == instruction_set::avx512) {
    first = keep_vectors(items, item_bytes, mask, count);
  }
#endif
  switch (item_bytes) {
    case 1: return keep_words<std::uint8_t>(items, mask, count, first);
    case 2: return keep_words<std::uint16_t>(items, mask, count, first);
    case 4: return keep_words<std::uint32_t>(items, mask, count, first);
    default: return keep_words<std::uint64_t>(items, mask, count, first);
  }
}

marked_rows::marked_rows(char* items, std::int64_t item_bytes, const char* marks,
                         std::int64_t num_rows, std::int64_t length)
    : mask(marks), row_items(length) {
  starts.reserve(static_cast<std::size_t>(num_rows));
  stops.reserve(static_cast<std::size_t>(num_rows));
  for (std::int64_t row = 0; row < num_rows; ++row) {
    const std::int64_t first = row * row_items;
    starts.push_back(first);
    stops.push_back(first +
                    keep_marked(items + first * item_bytes, item_bytes, mask + first, row_items));
  }
}

void marked_rows::count_others(std::int64_t* places, std::int64_t width) const {
  for (const std::int64_t first : starts) {
    for (std::int64_t i = 0; i < width; ++i, ++places) *places = place_in(mask + first, *places);
  }
}

std::int64_t place_in(const char* marks, std::int64_t marked) {
  std::int64_t place = 0;
  while (marks[place] == 0 || marked-- > 0) ++place;
  return place;
}

void gather(const layout& from, std::int64_t first, std::int64_t count, char* to) {
  const std::int64_t bytes = from.item_bytes();
  for_runs(from, first, count, [&](const char* items, std::int64_t stride, std::int64_t here) {
    copy_run(items, stride, here, from.swapped, bytes, to);
    to += here * bytes;
  });
}

std::int64_t place_of_marked(const layout& mask, std::int64_t first, std::int64_t count,
                             std::int64_t marked) {
  std::vector<char> bytes(static_cast<std::size_t>(std::min(count, buffer_bytes)));
  for (std::int64_t at = 0; at < count; at += buffer_bytes) {
    const std::int64_t here = std::min(count - at, buffer_bytes);
    gather(mask, first + at, here, bytes.data());
    for (std::int64_t i = 0; i < here; ++i) {
      if (bytes[static_cast<std::size_t>(i)] != 0 && marked-- == 0) return at + i;
    }
  }
  return -1;
}

namespace {

std::atomic<bool> is_watched{false};  // somebody wants to see how far long calls are

}  // namespace

void check_signals(std::int64_t bytes) {
  const nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (is_watched) nb::module_::import_("monofold._progress").attr("passed")(bytes);
}

monofold_status for_pieces(const layout& items, const layout* mask, std::int64_t first,
                           std::int64_t count, signal_watch& watch, const take_piece& take) {
  const std::int64_t bytes = items.item_bytes();
  const bool lies_so = mask == nullptr && items.is_packed();
  const std::int64_t most = (lies_so ? piece_bytes : buffer_bytes) / bytes;
  std::unique_ptr<char[]> buffer, marks;
  if (!lies_so)
    buffer = std::make_unique_for_overwrite<char[]>(
        static_cast<std::size_t>(std::min(count, most) * bytes));
  if (mask != nullptr)
    marks = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(std::min(count, most)));
  for (std::int64_t at = 0; at < count;) {
    const std::int64_t here = std::min(count - at, most);
    std::int64_t kept = here;
    const char* from = items.data + (first + at) * bytes;
    if (!lies_so) {
      gather(items, first + at, here, buffer.get());
      from = buffer.get();
    }
    if (mask != nullptr) {
      gather(*mask, first + at, here, marks.get());
      kept = keep_marked(buffer.get(), bytes, marks.get(), here);
    }
    if (const monofold_status how = take(from, kept); how != MONOFOLD_OK) return how;
    at += here;
    watch.passed(here * bytes);
  }
  return MONOFOLD_OK;
}

monofold_status for_pairs(const layout& left, const layout& right, const layout* mask,
                          const take_pair& take) {
  const std::int64_t bytes = left.item_bytes(), count = left.count();
  const bool lie_so = mask == nullptr && left.is_packed() && right.is_packed();
  const std::int64_t most = std::min(count, (lie_so ? piece_bytes : buffer_bytes) / bytes);
  std::vector<char> lefts(lie_so ? 0 : static_cast<std::size_t>(most * bytes));
  std::vector<char> rights(lefts.size());
  std::vector<char> marks(mask != nullptr ? static_cast<std::size_t>(most) : 0);
  signal_watch watch;
  for (std::int64_t at = 0; at < count; at += most) {
    const std::int64_t here = std::min(count - at, most);
    std::int64_t kept = here;
    if (at > 0) watch.passed(most * bytes);
    if (!lie_so) {
      gather(left, at, here, lefts.data());
      gather(right, at, here, rights.data());
    }
    if (mask != nullptr) {
      gather(*mask, at, here, marks.data());
      keep_marked(lefts.data(), bytes, marks.data(), here);
      kept = keep_marked(rights.data(), bytes, marks.data(), here);
    }
    const char* const left_items = lie_so ? left.data + at * bytes : lefts.data();
    const char* const right_items = lie_so ? right.data + at * bytes : rights.data();
    if (const monofold_status how = take(left_items, right_items, kept); how != MONOFOLD_OK)
      return how;
  }
  return MONOFOLD_OK;
}

std::int64_t count_marked(const layout& mask) {
  std::int64_t marked = 0;
  signal_watch watch;
  for_pieces(mask, nullptr, 0, mask.count(), watch, [&](const void* piece, std::int64_t here) {
    const char* marks = static_cast<const char*>(piece);
    marked += std::count_if(marks, marks + here, [](char mark) { return mark != 0; });
    return MONOFOLD_OK;
  });
  return marked;
}

void bind_gather(nb::module_& core) {
  core.def("watch_progress", [](bool watched) { is_watched = watched; });
}

}  // namespace monofold::python
