#pragma once
/// traced/items: small items, which a page can show, and sums that tell their items apart.

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "emulation/recording.hpp"
#include "ladder/operators.hpp"
#include "ladder/traced/letters.hpp"

namespace monofold::ladder {

/// What items are like, where a mistake shows with some only. one_large: the first is 2^30, from where on float32 has
/// multiples of 128 only.
enum class likeness { usual, large, below_zero, one_large };

/// 1 to 9 of sums, 10 to 99 of others; matrices that shear; letters in the order of the alphabet.
template <class F>
std::vector<typename F::item> make_traced_items(const F&, std::int64_t n, likeness like) {
  std::vector<typename F::item> out;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto mixed = static_cast<std::uint64_t>(i + 1) * 0x9e3779b97f4a7c15u >> 40;
    constexpr bool adds = std::is_same_v<F, sum_of<typename F::item>>;
    auto value = static_cast<typename F::item>(adds ? 1 + mixed % 9 : 10 + mixed % 90);
    if (like == likeness::large) value = static_cast<typename F::item>(value + 700'000'000);
    if (like == likeness::below_zero) value = static_cast<typename F::item>(-value);
    if (like == likeness::one_large && i == 0) value = 1 << 30;
    out.push_back(value);
  }
  return out;
}
template <class T>
std::vector<matrix2<T>> make_traced_items(const product_of<T>&, std::int64_t n, likeness) {
  std::vector<matrix2<T>> out;
  for (std::int64_t i = 0; i < n; ++i) {
    out.push_back(i % 3 == 1 ? matrix2<T>{1, 0, 1, 1} : matrix2<T>{1, 1, 0, 1});
  }
  return out;
}
template <class T>
std::vector<T> make_traced_items(const letters_of<T>&, std::int64_t n, likeness) {
  return std::vector<T>(alphabet.begin(), alphabet.begin() + n);
}

/// A run of sums says which items are in a value where each item is another power of 4: its digit counts
/// how often the item is in. Fifteen items fit a run; the others are 0 in it.
inline constexpr std::int64_t items_a_window = 15;

/// The items of one window, and what values of a recording with them say: "0,16" or "0-3,5*2" (twice).
std::vector<std::int32_t> window_items(std::int64_t n, std::int64_t first);

/// How often each item is in the value of each part of a recording. Parts that hold no sum have none.
class item_counts {
 public:
  void add(const emulation::recording& run, std::int64_t first, std::int64_t n);
  /// The parts of this recording as text; nothing where runs with other items took other steps.
  std::vector<std::string> texts(const emulation::recording& shown) const;

 private:
  struct count {
    std::int64_t item;
    int times;
  };
  std::vector<std::vector<count>> parts_;
  std::vector<std::size_t> shape_;  // how many parts each step of each warp has
  bool is_same_ = true;
};

}  // namespace monofold::ladder
