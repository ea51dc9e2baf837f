/// Extrema and counts do not depend on how the caller's arithmetic rounds, nor on whether it takes subnormal numbers
/// for 0: of rows and columns, of whole arrays, and by the headers.

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.hpp"
#include "runtime/axis_reducer.hpp"
#include "runtime/reducer.hpp"
#include "tests/runtime/parity.hpp"

namespace {

namespace mf = monofold;
namespace rt = monofold::runtime;

#if defined(__x86_64__)

/// Sets bits of the control register of this thread while it lives.
class changed_arithmetic {
 public:
  explicit changed_arithmetic(unsigned int bits) : before_(__builtin_ia32_stmxcsr()) {
    __builtin_ia32_ldmxcsr((before_ & ~0x6000u) | bits);
  }
  ~changed_arithmetic() { __builtin_ia32_ldmxcsr(before_); }
  changed_arithmetic(const changed_arithmetic&) = delete;
  changed_arithmetic& operator=(const changed_arithmetic&) = delete;

 private:
  unsigned int before_;
};

/// To flush results, operands, both, and to round toward zero; to round upwards.
constexpr unsigned int some_controls[] = {0x8000u, 0x0040u, 0x8040u, 0xe040u, 0x4000u};

/// Items whose bits are small: subnormal numbers of either sign, zeros, and few that are normal.
template <class Item>
std::vector<Item> small_items(std::int64_t count) {
  using bits =
      std::conditional_t<sizeof(Item) == 2, std::uint16_t,
                         std::conditional_t<sizeof(Item) == 4, std::uint32_t, std::uint64_t>>;
  std::mt19937_64 random(sizeof(Item));
  std::vector<Item> items;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto sign = static_cast<bits>(bits{random() % 2 != 0} << (8 * sizeof(Item) - 1));
    items.push_back(mf::bits_as<Item>(static_cast<bits>(sign | random() % 120)));
  }
  return items;
}

template <class Item>
std::vector<std::byte> answers(rt::operation op, const std::vector<Item>& items, std::int64_t rows,
                               int axis) {
  const auto columns = static_cast<std::int64_t>(items.size()) / rows;
  rt::request what;
  what.type = parity::dtype_of<Item>();
  what.ops = {op};
  const rt::axis_answers got = rt::reduce_axis(
      what, {items.data(), {rows, columns}, {columns, 1}, {axis}, mf::keepdims::no});
  std::vector<std::byte> all;
  for (const rt::answer_array& part : got.arrays) {
    const auto* const first = reinterpret_cast<const std::byte*>(part.bytes.data());
    all.insert(all.end(), first, first + part.bytes.size());
  }
  return all;
}

template <class Item>
void check(rt::operation op, const std::vector<Item>& items, std::int64_t rows, int axis) {
  const std::vector<std::byte> wanted = answers(op, items, rows, axis);
  ASSERT_FALSE(wanted.empty());
  for (const unsigned int bits : some_controls) {
    const changed_arithmetic changed(bits);
    EXPECT_TRUE(answers(op, items, rows, axis) == wanted)
        << "operation " << static_cast<int>(op) << ", type "
        << static_cast<int>(parity::dtype_of<Item>()) << ", " << rows << " rows, axis " << axis
        << ", control " << bits;
  }
}

template <class Item>
void check_extrema() {
  constexpr std::int64_t count = 7 * 360;
  const std::vector<Item> items = small_items<Item>(count);
  for (const rt::operation op : {rt::operation::min, rt::operation::max, rt::operation::argmin,
                                 rt::operation::argmax, rt::operation::norminf}) {
    for (const std::int64_t rows : {3, 7, 30, 84, 280, 504}) {
      for (const int axis : {0, 1}) check(op, items, rows, axis);
    }
  }
}

/// The numbers of all operations, and with `is_plain` those that plain sums have no part in.
template <class Item>
std::vector<rt::answer> whole_answers(const std::vector<Item>& items, bool is_plain) {
  rt::request what;
  what.type = parity::dtype_of<Item>();
  what.plain = is_plain;
  what.k = 5;
  what.ops = {rt::operation::min, rt::operation::max, rt::operation::argmin, rt::operation::argmax};
  if (is_plain) {
    what.ops.push_back(rt::operation::mean);
    what.ops.push_back(rt::operation::var);
  } else {
    what.ops.insert(what.ops.end(), {rt::operation::norminf, rt::operation::nonzero,
                                     rt::operation::top, rt::operation::bottom});
  }
  rt::reducer own(what);
  own.push(items.data(), static_cast<std::int64_t>(items.size()));
  std::vector<rt::answer> out = own.finish();
  if (is_plain) out.resize(4);
  return out;
}

template <class Item>
void check_whole_arrays() {
  for (const std::int64_t count : {1, 3, 255, 256, 1300, 40000}) {
    const std::vector<Item> items = small_items<Item>(count);
    for (const bool is_plain : {false, true}) {
      const std::vector<rt::answer> wanted = whole_answers(items, is_plain);
      for (const unsigned int bits : some_controls) {
        std::vector<rt::answer> got;
        {
          const changed_arithmetic changed(bits);
          got = whole_answers(items, is_plain);
        }
        ASSERT_EQ(got.size(), wanted.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
          EXPECT_TRUE(got[i].values == wanted[i].values && got[i].indices == wanted[i].indices)
              << "operation " << static_cast<int>(wanted[i].op) << ", type "
              << static_cast<int>(parity::dtype_of<Item>()) << ", " << count << " items, control "
              << bits << (is_plain ? ", plain" : "");
        }
      }
    }
  }
}

/// By bits, where a comparison of numbers could itself flush.
template <class Item>
auto header_answers(const std::vector<Item>& items) {
  const std::span<const Item> all(items);
  return std::tuple{mf::float_bits(mf::reduce(mf::cpu, all, mf::min)),
                    mf::float_bits(mf::reduce(mf::cpu, all, mf::max)),
                    mf::reduce(mf::cpu, all, mf::argmin),
                    mf::reduce(mf::cpu, all, mf::argmax),
                    mf::float_bits(mf::reduce(mf::cpu, all, mf::norm_inf)),
                    mf::reduce(mf::cpu, all, mf::nonzero)};
}

template <class Item>
void check_headers() {
  for (const std::int64_t count : {1, 100, 5000}) {
    const std::vector<Item> items = small_items<Item>(count);
    const auto wanted = header_answers(items);
    for (const unsigned int bits : some_controls) {
      const changed_arithmetic changed(bits);
      EXPECT_TRUE(header_answers(items) == wanted) << sizeof(Item) << ' ' << count << ' ' << bits;
    }
  }
}

TEST(extrema_environment, rows_and_columns) {
  check_extrema<mf::bfloat16>();
  check_extrema<mf::float16>();
  check_extrema<float>();
  check_extrema<double>();
}

TEST(extrema_environment, whole_arrays) {
  check_whole_arrays<mf::bfloat16>();
  check_whole_arrays<mf::float16>();
  check_whole_arrays<float>();
  check_whole_arrays<double>();
}

TEST(extrema_environment, headers) {
  check_headers<mf::bfloat16>();
  check_headers<mf::float16>();
  check_headers<float>();
  check_headers<double>();
}

#endif

}  // namespace
