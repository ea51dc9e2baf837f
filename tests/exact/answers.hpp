#pragma once
/// exact/answers: the answers of every exact fold on data of every kind, as bits.

#include <cstdint>
#include <type_traits>
#include <vector>

#include "monofold/fold/exact.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/platform/float_format.hpp"
#include "tests/exact/items.hpp"

namespace inputs {

template <class Item>
void add_answers(std::vector<std::uint64_t>& out) {
  namespace mf = monofold;
  for (const auto& kind : kinds_of_data) {
    for (const int n : {1, 3, 30, 2500}) {
      const auto x = items_of<Item>(kind, n, 5);
      const auto y = items_of<Item>(kind, n, 6);
      // By the fold alone: this is compiled in several programs, and engines take long to compile.
      const auto note = [&out](const auto& items, const auto& family) {
        using item = typename std::remove_cvref_t<decltype(items)>::value_type;
        const auto f = mf::bind_fold<item>(family);
        auto own = f.identity();
        f.absorb_run(own, items.data(), static_cast<std::int64_t>(items.size()), 0);
        out.push_back(mf::float_bits(mf::finish_state(f, own).value()));
      };
      std::vector<mf::item_pair<Item, Item>> pairs;
      for (std::size_t i = 0; i < x.size(); ++i) pairs.push_back({x[i], y[i]});
      note(x, mf::sum);
      note(x, mf::sum_to<float>);
      note(x, mf::sum_to<mf::float16>);
      note(x, mf::mean);
      note(x, mf::norm1);
      note(x, mf::norm2);
      note(x, mf::sum_of_squares);
      note(x, mf::variance());
      note(x, mf::standard_deviation());
      note(pairs, mf::dot);
    }
  }
}

inline std::vector<std::uint64_t> all_answers() {
  std::vector<std::uint64_t> out;
  add_answers<double>(out);
  add_answers<float>(out);
  add_answers<monofold::float16>(out);
  add_answers<monofold::bfloat16>(out);
  return out;
}

/// A fingerprint of `all_answers()`: FNV-1a (Fowler, Noll, Vo) over its bytes.
inline std::uint64_t fingerprint(const std::vector<std::uint64_t>& answers) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::uint64_t answer : answers) {
    for (int byte = 0; byte < 8; ++byte)
      hash = (hash ^ (answer >> 8 * byte & 0xff)) * 0x100000001b3u;
  }
  return hash;
}

/// The hash of the answers of this library in the usual environment, where tests compare it with integers.
inline constexpr std::uint64_t fingerprint_of_all_answers = 0xc114b536f02c3a70u;

}  // namespace inputs
