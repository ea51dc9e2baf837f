#pragma once
/// traced/cells: how items and states of the traced operators read as text.

#include <cstring>
#include <string>

#include "ladder/operators.hpp"
#include "ladder/traced/letters.hpp"
#include "trace/cell_type.hpp"

namespace monofold::ladder {

template <class T>
T read_as(const void* bytes) {
  T out;
  std::memcpy(&out, bytes, sizeof(T));
  return out;
}

/// The types of a fold's items and states; lifted ones are the states of `joined` folds too.
template <class F>
struct cells_of {
  static trace::cell_type item() { return trace::number_cell<typename F::item>(); }
  static trace::cell_type state() { return trace::number_cell<typename F::state>(); }
};

template <class T>
struct cells_of<product_of<T>> {
  using matrix = matrix2<T>;
  static trace::cell_type item() {
    return {"2 x 2 matrix", sizeof(matrix), [](const void* bytes) {
              const auto own = read_as<matrix>(bytes);
              return std::to_string(own.a) + " " + std::to_string(own.b) + " / " +
                     std::to_string(own.c) + " " + std::to_string(own.d);
            }};
  }
  static trace::cell_type state() { return item(); }
};

template <class T>
struct cells_of<two_largest_of<T>> {
  using pair = typename two_largest_of<T>::state;
  static trace::cell_type item() { return trace::number_cell<T>(); }
  static trace::cell_type state() {
    return {"pair", sizeof(pair), [](const void* bytes) {
              const auto own = read_as<pair>(bytes);
              const auto text = [](T x) { return x == lowest_v<T> ? "-" : std::to_string(x); };
              return text(own.first) + " " + text(own.second);
            }};
  }
};

template <class T>
struct cells_of<max_of<T>> {
  static trace::cell_type item() {
    return {trace::number_name<T>(), sizeof(T), [](const void* bytes) {
              const T own = read_as<T>(bytes);
              return own == lowest_v<T> ? std::string("low") : std::to_string(own);
            }};
  }
  static trace::cell_type state() { return item(); }
};

template <class T>
struct cells_of<letters_of<T>> {
  static trace::cell_type item() {
    return {"letter", sizeof(T),
            [](const void* bytes) { return std::string(1, static_cast<char>(read_as<T>(bytes))); }};
  }
  static trace::cell_type state() {
    return {"letters", 64, [](const void* bytes) {
              const auto own = read_as<typename letters_of<T>::state>(bytes);
              std::string out;
              for (const char c : own.text) {
                if (c == 0) break;
                // Memory that nobody wrote may hold anything.
                out += alphabet.find(c) == std::string_view::npos ? '?' : c;
              }
              return out;
            }};
  }
};

}  // namespace monofold::ladder
