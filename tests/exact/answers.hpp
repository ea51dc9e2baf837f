#pragma once
/// exact/answers: the answers of every exact fold on data of every kind, as bits.

#include <bit>
#include <cstdint>
#include <vector>

#include "monofold/fold/exact.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/reduce.hpp"
#include "tests/exact/items.hpp"

namespace inputs {

template <class Item>
void add_answers(std::vector<std::uint64_t>& out) {
  namespace mf = monofold;
  for (const auto& kind : kinds_of_data) {
    for (const int n : {1, 3, 30, 2500}) {
      const auto x = items_of<Item>(kind, n, 5);
      const auto y = items_of<Item>(kind, n, 6);
      const auto note = [&out](auto value) { out.push_back(mf::float_bits(value)); };
      note(mf::reduce(x, mf::exact_sum));
      note(mf::reduce(x, mf::exact_sum_to<float>));
      note(mf::reduce(x, mf::exact_sum_to<mf::float16>));
      note(mf::reduce(x, mf::exact_mean));
      note(mf::reduce(x, mf::exact_norm1));
      note(mf::reduce(x, mf::exact_norm2));
      note(mf::reduce(x, mf::exact_sum_of_squares));
      note(mf::reduce(x, mf::exact_variance()));
      note(mf::reduce(x, mf::exact_standard_deviation()));
      note(mf::reduce(mf::zip(x, y), mf::exact_dot));
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

/// Of what this library answers in the usual environment, where tests compare it with integers.
inline constexpr std::uint64_t fingerprint_of_all_answers = 0xc114b536f02c3a70u;

}  // namespace inputs
