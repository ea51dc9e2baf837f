#include "runtime/rolling_keys.hpp"

#include <limits>
#include <type_traits>

#include "monofold/fold/nan.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/fold/order_key.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

namespace monofold::runtime {

namespace {

/// NaN come first, or last, once the keys of the largest are complements; no number has the key that stands for them.
bool is_nan_low(const key_rule& how) { return how.largest == how.omit_nan; }

template <class T>
std::int64_t key_of(T item, bool nan_low) {
  const auto key = nan_low ? order_key<T>::nan_low(item) : order_key<T>::nan_high(item);
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    return static_cast<std::int64_t>(key ^ std::uint64_t{1} << 63);
  } else {
    return static_cast<std::int64_t>(key);
  }
}

template <class T>
void load_keys(const key_rule& how, const T* items, std::int64_t count, std::int64_t* keys) {
  const std::int64_t flips = how.largest ? -1 : 0;
  const std::int64_t nan = how.nan_key();
  const bool nan_low = is_nan_low(how);
  for (std::int64_t i = 0; i < count; ++i) {
    keys[i] = is_nan(items[i]) ? nan : key_of(items[i], nan_low) ^ flips;
  }
}

template <class T>
void store_keys(const key_rule& how, const std::int64_t* keys, std::int64_t count, T* items) {
  const std::int64_t flips = how.largest ? -1 : 0;
  const std::int64_t nan = how.nan_key();
  const bool nan_low = is_nan_low(how);
  for (std::int64_t i = 0; i < count; ++i) {
    auto key = static_cast<std::uint64_t>(keys[i] ^ flips);
    if constexpr (std::is_same_v<T, std::uint64_t>) key ^= std::uint64_t{1} << 63;
    const auto own = static_cast<typename order_key<T>::type>(key);
    items[i] = nan_low ? order_key<T>::from_nan_low(own) : order_key<T>::from_nan_high(own);
    if constexpr (is_floating_v<T>) {
      if (keys[i] == nan) items[i] = float_from_bits<T>(float_format<T>::quiet_nan);
    }
  }
}

}  // namespace

void key_rule::load(const void* items, std::int64_t count, std::int64_t* keys) const {
  visit_dtype(type,
              [&]<class T>() { load_keys(*this, static_cast<const T*>(items), count, keys); });
}

void key_rule::store(const std::int64_t* keys, std::int64_t count, void* items) const {
  visit_dtype(type, [&]<class T>() { store_keys(*this, keys, count, static_cast<T*>(items)); });
}

void load_terms(dtype type, rolled_kind kind, const void* items, std::int64_t count,
                double* terms) {
  const strict_arithmetic arithmetic;
  visit_dtype(type, [&]<class T>() {
    const auto* const from = static_cast<const T*>(items);
    for (std::int64_t i = 0; i < count; ++i) terms[i] = static_cast<double>(from[i]);
  });
  if (kind == rolled_kind::magnitude) {
    for (std::int64_t i = 0; i < count; ++i) terms[i] = monofold::detail::absolute(terms[i]);
  }
  if (kind == rolled_kind::square) {
    for (std::int64_t i = 0; i < count; ++i) terms[i] *= terms[i];
  }
}

}  // namespace monofold::runtime
