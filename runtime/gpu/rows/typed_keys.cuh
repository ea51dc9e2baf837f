#pragma once
/// runtime/gpu/rows/typed_keys: keys of a type chosen at run time as words in their order: all have the same kernels.

#include <cstdint>

#include "monofold/platform/dtype.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/shape/keys.hpp"
#include "runtime/gpu/rows/widened_items.cuh"

namespace monofold::runtime {

/// What words of 64 bits mean as keys of a type.
///
/// NaN        one word, the highest; -0 and +0 have one
class key_code {
 public:
  explicit key_code(dtype type) : type_(type) {
    if (words_from::is_signed(type)) sign_ = std::uint64_t{1} << 63;
  }

  /// The word of a key, whose bits are in the lowest bytes; a negative integer has its sign in all bits above its own.
  MONOFOLD_HD std::uint64_t word_of(std::uint64_t bits) const {
    switch (type_) {
      case dtype::float16: return word_of_float<float16>(bits);
      case dtype::bfloat16: return word_of_float<bfloat16>(bits);
      case dtype::float32: return word_of_float<float>(bits);
      case dtype::float64: return word_of_float<double>(bits);
      default: return bits ^ sign_;
    }
  }
  /// The bits of the key that stands for all of a word.
  MONOFOLD_HD std::uint64_t bits_of(std::uint64_t word) const {
    switch (type_) {
      case dtype::float16: return bits_of_float<float16>(word);
      case dtype::bfloat16: return bits_of_float<bfloat16>(word);
      case dtype::float32: return bits_of_float<float>(word);
      case dtype::float64: return bits_of_float<double>(word);
      default: return word ^ sign_;
    }
  }

 private:
  template <class Key>
  MONOFOLD_HD static std::uint64_t word_of_float(std::uint64_t bits) {
    using own_bits = typename float_format<Key>::bits;
    return monofold::detail::key_words<Key>::word_of(
        float_from_bits<Key>(static_cast<own_bits>(bits)));
  }
  template <class Key>
  MONOFOLD_HD static std::uint64_t bits_of_float(std::uint64_t word) {
    return float_bits(monofold::detail::key_words<Key>::key_of(word));
  }

  dtype type_;
  std::uint64_t sign_ = 0;
};

/// The words of keys in memory, as a view.
class typed_keys {
 public:
  using item_type = std::uint64_t;

  typed_keys(const void* first, dtype type, std::int64_t count)
      : bits_(first, type), code_(type), count_(count) {}

  MONOFOLD_HD std::int64_t size() const { return count_; }
  MONOFOLD_HD std::uint64_t operator[](std::int64_t i) const { return code_.word_of(bits_[i]); }

 private:
  words_from bits_;
  key_code code_;
  std::int64_t count_;
};

/// The lowest bytes of a word as a number of so many bytes.
MONOFOLD_HD void put_bytes(void* to, std::int64_t i, std::uint64_t bits, std::int32_t bytes) {
  switch (bytes) {
    case 1: static_cast<std::uint8_t*>(to)[i] = static_cast<std::uint8_t>(bits); break;
    case 2: static_cast<std::uint16_t*>(to)[i] = static_cast<std::uint16_t>(bits); break;
    case 4: static_cast<std::uint32_t*>(to)[i] = static_cast<std::uint32_t>(bits); break;
    default: static_cast<std::uint64_t*>(to)[i] = bits;
  }
}

}  // namespace monofold::runtime
