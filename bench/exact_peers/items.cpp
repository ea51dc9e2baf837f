#include "bench/exact_peers/items.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <thread>
#include <vector>

#include "monofold/fold/exact.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/numbers.hpp"

namespace bench {

namespace {

/// Calls body(part, first, end) for neighbouring ranges of [0, count), one a core.
template <class Body>
void in_parts(std::int64_t count, std::int64_t parts, const Body& body) {
  std::vector<std::jthread> threads;
  for (std::int64_t p = 0; p < parts; ++p) {
    threads.emplace_back([=, &body] { body(p, count * p / parts, count * (p + 1) / parts); });
  }
}

std::int64_t num_parts() { return std::max(1u, std::thread::hardware_concurrency()); }

/// splitmix64, Steele, Lea, Flood 2014: 64 random bits of an index.
std::uint64_t random_bits(std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// The item nearest to x, at most the largest finite one.
template <class Item>
Item rounded_item(double x) {
  using format = monofold::float_format<Item>;
  const auto p = monofold::parts_of(x);
  Item out = monofold::round_to<Item>(p.negative, p.significand, p.exponent, false);
  const auto bits = monofold::float_bits(out);
  if ((bits & (format::sign_bit - 1)) >= format::infinity) {
    out = monofold::float_from_bits<Item>(
        static_cast<typename format::bits>((bits & format::sign_bit) | (format::infinity - 1)));
  }
  return out;
}

/// Random sign and fraction with an exponent field.
template <class Item>
Item with_field(std::uint64_t random, std::uint64_t field) {
  using format = monofold::float_format<Item>;
  using bits = typename format::bits;
  const std::uint64_t fraction = random & ((std::uint64_t{1} << format::fraction_bits) - 1);
  const std::uint64_t sign = (random >> 63) != 0 ? format::sign_bit : bits{0};
  return monofold::float_from_bits<Item>(
      static_cast<bits>(sign | field << format::fraction_bits | fraction));
}

template <class Item>
Item item_at(std::uint64_t i, std::uint64_t period, items_kind kind) {
  constexpr std::uint64_t fields = 2 * monofold::float_format<Item>::max_exponent - 1;
  const std::uint64_t r = random_bits(2 * i);
  const std::uint64_t s = random_bits(2 * i + 1);
  if (kind == items_kind::any_exponent) return with_field<Item>(r, s % fields);
  if (kind == items_kind::growing) return with_field<Item>(r, i * fields / period);
  const double u = static_cast<double>(static_cast<std::int64_t>(r)) * 0x1p-63;
  if (kind == items_kind::uniform) return rounded_item<Item>(u);
  const double v = (static_cast<double>(s >> 11) + 1) * 0x1p-53;
  const double normal = std::sqrt(-2 * std::log(v)) * std::cos(std::numbers::pi * u);
  return rounded_item<Item>(kind == items_kind::normal ? normal : std::exp(10 * normal));
}

template <class Item>
void fill_period(void* out, std::int64_t bytes, items_kind kind) {
  constexpr std::int64_t period = items_period_bytes / sizeof(Item);
  const std::int64_t count = std::min(bytes, items_period_bytes) / std::int64_t{sizeof(Item)};
  in_parts(count, num_parts(), [&](std::int64_t, std::int64_t first, std::int64_t end) {
    for (std::int64_t i = first; i < end; ++i) {
      static_cast<Item*>(out)[i] = item_at<Item>(static_cast<std::uint64_t>(i), period, kind);
    }
  });
}

/// By `absorb`, one item after the other: nothing is shared with the fast ways of `absorb_run`.
template <class Item>
items_sum sum_of(const Item* items, std::int64_t bytes) {
  const auto fold = monofold::bind_fold<Item>(monofold::sum);
  using state = typename std::remove_cvref_t<decltype(fold)>::state;
  constexpr std::int64_t period = items_period_bytes / sizeof(Item);
  const std::int64_t all = bytes / std::int64_t{sizeof(Item)};
  const std::int64_t count = std::min(all, period);
  const auto parts = static_cast<std::size_t>(num_parts());
  std::vector<state> states(parts, fold.identity());
  std::vector<double> magnitudes(parts, 0.0);
  in_parts(count, num_parts(), [&](std::int64_t p, std::int64_t first, std::int64_t end) {
    state own = fold.identity();
    double magnitude = 0;
    for (std::int64_t i = first; i < end; ++i) {
      fold.absorb(own, items[i], i);
      const auto x = monofold::parts_of(items[i]);
      magnitude += std::ldexp(static_cast<double>(x.significand), x.exponent);
    }
    states[static_cast<std::size_t>(p)] = own;
    magnitudes[static_cast<std::size_t>(p)] = magnitude;
  });
  state once = fold.identity();
  for (const state& s : states) once = fold.combine(once, s);
  state total = fold.identity();
  for (std::int64_t at = 0; at < all; at += period) total = fold.combine(total, once);
  double magnitude = 0;
  for (const double m : magnitudes) magnitude += m;
  return {fold.finish(total), magnitude * static_cast<double>((all + period - 1) / period)};
}

/// Calls use(Item{}) with the type.
template <class Use>
auto with_type(monofold::dtype type, const Use& use) {
  switch (type) {
    case monofold::dtype::float16: return use(monofold::float16{});
    case monofold::dtype::bfloat16: return use(monofold::bfloat16{});
    case monofold::dtype::float32: return use(float{});
    default: return use(double{});
  }
}

}  // namespace

void fill_items(void* out, std::int64_t bytes, monofold::dtype type, items_kind kind) {
  with_type(type, [&]<class Item>(Item) { fill_period<Item>(out, bytes, kind); });
  for (std::int64_t at = items_period_bytes; at < bytes; at += items_period_bytes) {
    std::memcpy(static_cast<char*>(out) + at, out,
                static_cast<std::size_t>(std::min(items_period_bytes, bytes - at)));
  }
}

items_sum sum_of_items(const void* items, std::int64_t bytes, monofold::dtype type) {
  return with_type(
      type, [&]<class Item>(Item) { return sum_of(static_cast<const Item*>(items), bytes); });
}

}  // namespace bench
