/// Folds as users write them. The marked pieces are quoted in the documentation.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "monofold/fold/custom.hpp"
#include "monofold/reduce.hpp"
#include "tests/inputs/random.hpp"
#include "tests/inputs/same_bits.hpp"
#include "tests/oracle/plan_tree.hpp"

namespace {

namespace mf = monofold;

constexpr std::size_t sizes[] = {1, 2, 33, 1000, 4097, 300001};

// [matrix_product]
template <class Number>
struct matrix {
  Number a, b, c, d;  // rows (a b) and (c d)

  friend matrix operator*(const matrix& l, const matrix& r) {
    return {l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c,
            l.c * r.b + l.d * r.d};
  }
};

template <class Number>
matrix<Number> chain_product(const std::vector<matrix<Number>>& matrices) {
  const matrix<Number> identity{1, 0, 0, 1};
  return mf::reduce(matrices, mf::ordered(std::multiplies<>{}, identity));
}
// [/matrix_product]

TEST(examples, matrix_product_of_integers) {
  using whole = matrix<std::uint64_t>;  // modulo 2^64, exact
  for (const std::size_t n : sizes) {
    const auto numbers = inputs::integers<std::uint64_t>(4 * n, n);
    std::vector<whole> matrices;
    whole expected{1, 0, 0, 1};
    for (std::size_t i = 0; i < n; ++i) {
      matrices.push_back(
          {numbers[4 * i], numbers[4 * i + 1], numbers[4 * i + 2], numbers[4 * i + 3] | 1});
      expected = expected * matrices.back();
    }
    const whole got = chain_product(matrices);
    EXPECT_TRUE(got.a == expected.a && got.b == expected.b && got.c == expected.c &&
                got.d == expected.d)
        << n;
  }
  EXPECT_EQ(chain_product(std::vector<whole>{}).d, 1U);
}

TEST(examples, matrix_product_of_doubles) {
  using real = matrix<double>;
  const auto product = mf::bind_fold<real>(mf::ordered(std::multiplies<>{}));
  for (const std::size_t n : sizes) {
    std::vector<real> matrices;
    for (std::size_t i = 0; i < n; ++i) {
      const double t = inputs::unit_double(i) * 1e-3;
      matrices.push_back({1, t, -t, 1});  // almost rotations
    }
    const real expected = oracle::plan_state(product, matrices);
    for (const int threads : {1, 3, 16}) {
      const real got = mf::reduce(mf::cpu(threads), matrices, product);
      EXPECT_TRUE(inputs::same_bits(got.a, expected.a) && inputs::same_bits(got.b, expected.b) &&
                  inputs::same_bits(got.c, expected.c) && inputs::same_bits(got.d, expected.d))
          << n;
    }
  }
}

// [polynomial_hash]
struct polynomial_hash {
  struct state {
    std::uint64_t hash;
    std::uint64_t power;  // base to the number of characters
  };
  state lift(char c, std::int64_t) const { return {static_cast<unsigned char>(c), 1099511628211}; }
  state combine(state l, state r) const { return {l.hash * r.power + r.hash, l.power * r.power}; }
  state identity() const { return {0, 1}; }
  std::uint64_t finish(state s) const { return s.hash; }
};
// [/polynomial_hash]

TEST(examples, polynomial_hash) {
  for (const std::size_t n : sizes) {
    std::string text;
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      text += static_cast<char>(inputs::mixed(i + n));
      expected = expected * 1099511628211U + static_cast<unsigned char>(text.back());
    }
    EXPECT_EQ(mf::reduce(text, polynomial_hash{}), expected) << n;
  }
  EXPECT_EQ(mf::reduce(std::string(), polynomial_hash{}), 0U);
}

// [longest_run]
struct longest_run {
  struct state {
    int first, last;                         // the items at both ends
    std::int64_t prefix, suffix, best, all;  // runs at both ends, the best one, all items
  };
  state lift(int item, std::int64_t) const { return {item, item, 1, 1, 1, 1}; }
  state combine(const state& l, const state& r) const {
    const bool meet = l.last == r.first;
    return {l.first,
            r.last,
            l.prefix == l.all && meet ? l.all + r.prefix : l.prefix,
            r.suffix == r.all && meet ? l.suffix + r.all : r.suffix,
            std::max({l.best, r.best, meet ? l.suffix + r.prefix : 0}),
            l.all + r.all};
  }
  std::int64_t finish(const state& s) const { return s.best; }
};
// [/longest_run]

TEST(examples, longest_run) {
  for (const std::size_t n : sizes) {
    for (const unsigned kinds : {1U, 2U, 50U}) {
      std::vector<int> items;
      std::int64_t expected = 0;
      std::int64_t run = 0;
      for (std::size_t i = 0; i < n; ++i) {
        // One long stretch across many tiles, noise around it.
        const bool stretch = i > n / 3 && i < n / 2;
        items.push_back(stretch ? 7 : static_cast<int>(inputs::mixed(i) % kinds));
        run = i > 0 && items[i] == items[i - 1] ? run + 1 : 1;
        expected = std::max(expected, run);
      }
      EXPECT_EQ(mf::reduce(items, longest_run{}), expected) << n << " " << kinds;
    }
  }
  EXPECT_EQ(mf::try_reduce(std::vector<int>{}, longest_run{}).code(), mf::status::empty_input);
}

// [bracket_balance]
struct bracket_balance {
  struct state {
    std::int64_t unopened, unclosed;  // what is left after matching: ))) then (((
  };
  state lift(char c, std::int64_t) const { return {c == ')' ? 1 : 0, c == '(' ? 1 : 0}; }
  state combine(state l, state r) const {
    const std::int64_t matched = std::min(l.unclosed, r.unopened);
    return {l.unopened + r.unopened - matched, l.unclosed + r.unclosed - matched};
  }
  state identity() const { return {0, 0}; }
  bool finish(state s) const { return s.unopened == 0 && s.unclosed == 0; }
};
// [/bracket_balance]

TEST(examples, bracket_balance) {
  for (const std::size_t n : sizes) {
    const std::string nested = std::string(n, '(') + "x" + std::string(n, ')');
    EXPECT_TRUE(mf::reduce(nested, bracket_balance{}));
    EXPECT_TRUE(mf::reduce(nested + nested, bracket_balance{}));
    EXPECT_FALSE(mf::reduce("(" + nested, bracket_balance{}));
    EXPECT_FALSE(mf::reduce(std::string(n, ')') + std::string(n, '('), bracket_balance{}));
  }
  EXPECT_TRUE(mf::reduce(std::string(), bracket_balance{}));
}

// [crc32]
/// The CRC-32 of zlib and Ethernet. Bytes are polynomials over GF(2): the checksum of two pieces is
/// that of the left one, shifted past the right one, plus that of the right one.
struct crc32_fold {
  struct state {
    std::uint32_t crc;    // remainder of the bytes alone; bit 31 is the coefficient of x^0
    std::uint32_t shift;  // x^(8 n) for n bytes
  };
  static std::uint32_t times_x(std::uint32_t p) {
    return (p & 1) != 0 ? p >> 1 ^ 0xedb88320U : p >> 1;
  }
  static std::uint32_t multiply(std::uint32_t l, std::uint32_t r) {
    std::uint32_t product = 0;
    for (; l != 0; l <<= 1, r = times_x(r)) product ^= (l >> 31) != 0 ? r : 0;
    return product;
  }
  state lift(std::uint8_t byte, std::int64_t) const {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = times_x(crc);
    return {crc, 0x00800000U};  // x^8
  }
  state combine(state l, state r) const {
    return {multiply(l.crc, r.shift) ^ r.crc, multiply(l.shift, r.shift)};
  }
  state identity() const { return {0, 0x80000000U}; }  // x^0
  // The standard starts from all ones, which are shifted past every byte, and ends with a flip.
  std::uint32_t finish(state s) const { return ~(multiply(0xffffffffU, s.shift) ^ s.crc); }
};
// [/crc32]

TEST(examples, crc32_agrees_with_zlib) {
  for (const std::size_t n : sizes) {
    const auto bytes = inputs::integers<std::uint8_t>(n, n);
    const auto expected = crc32(crc32(0, nullptr, 0), bytes.data(), static_cast<uInt>(n));
    EXPECT_EQ(mf::reduce(bytes, crc32_fold{}), expected) << n;
  }
  EXPECT_EQ(mf::reduce(std::vector<std::uint8_t>{}, crc32_fold{}), crc32(0, nullptr, 0));
}

// [first_and_last]
constexpr auto first = mf::ordered([](const auto& l, const auto&) { return l; });
constexpr auto last = mf::ordered([](const auto&, const auto& r) { return r; });
// [/first_and_last]

TEST(examples, first_and_last) {
  for (const std::size_t n : sizes) {
    const auto items = inputs::integers<std::uint16_t>(n, n);
    EXPECT_EQ(mf::reduce(items, first), items.front());
    EXPECT_EQ(mf::reduce(items, last), items.back());
  }
}

// [min_by_key]
struct reading {
  double value;
  int sensor;
};
// Kept in order, so that the first of equal readings wins.
constexpr auto coldest =
    mf::ordered([](const reading& l, const reading& r) { return r.value < l.value ? r : l; });
// [/min_by_key]

TEST(examples, min_by_key) {
  for (const std::size_t n : sizes) {
    std::vector<reading> items;
    std::size_t expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      items.push_back({static_cast<double>(inputs::mixed(i) % 100), static_cast<int>(i)});
      if (items[i].value < items[expected].value) expected = i;
    }
    EXPECT_EQ(mf::reduce(items, coldest).sensor, static_cast<int>(expected)) << n;
  }
}

// [histogram]
/// How many items lie in each sixteenth of [0, 1).
struct histogram {
  using state = std::array<std::int64_t, 16>;
  static constexpr bool commutative = true;

  state lift(float item, std::int64_t) const {
    state bins{};
    bins[static_cast<std::size_t>(item * 16)] = 1;
    return bins;
  }
  void absorb(state& own, float item, std::int64_t) const {
    ++own[static_cast<std::size_t>(item * 16)];
  }
  state combine(state l, const state& r) const {
    for (std::size_t i = 0; i < l.size(); ++i) l[i] += r[i];
    return l;
  }
  state identity() const { return {}; }
};
// [/histogram]

TEST(examples, histogram) {
  for (const std::size_t n : sizes) {
    std::vector<float> items;
    std::array<std::int64_t, 16> expected{};
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t thousandths = inputs::mixed(i) % 1000;
      items.push_back(static_cast<float>(thousandths) / 1000);
      ++expected[thousandths * 16 / 1000];
    }
    EXPECT_EQ(mf::reduce(items, histogram{}), expected) << n;
  }
  EXPECT_EQ(mf::reduce(std::vector<float>{}, histogram{}), (std::array<std::int64_t, 16>{}));
}

}  // namespace
