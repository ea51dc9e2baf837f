#pragma once
/// cli/text_rounding: notices that a whole number in text was rounded to float64.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace monofold::cli {

/// Watches the tokens that were read as float64 until one is a whole number that float64 does not
/// hold. Every whole number up to 2^53, which has 16 digits, is held.
///
/// cost       one comparison for a shorter token; for a longer one a look at the characters up to the
///            first that is no digit
/// tested by  tests/cli/text_rounding_test.cpp
class rounding_watch {
 public:
  enum class state { off, on };

  explicit rounding_watch(state start) : on_(start == state::on) {}

  /// A token that is a number.
  void look(const char* first, const char* last) {
    constexpr std::ptrdiff_t least_digits = 16;
    if (last - first < least_digits) return;
    // Most long fractions have their point here, and are done with before the call.
    if (first[1] != '.' && first[2] != '.' && on_) check({first, last});
  }

  /// What to tell the user, if a number was rounded.
  std::optional<std::string> remark() const;

 private:
  void check(std::string_view token);

  bool on_;
  bool rounded_ = false;
  std::string_view kept_by_;  // the type that holds the number; empty if none does
};

}  // namespace monofold::cli
