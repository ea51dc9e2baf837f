/// Which word was meant.
#include "cli/suggest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace monofold::cli {
namespace {

TEST(suggest, counts_edits) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("sum", "sum"), 0);
  EXPECT_EQ(edit_distance("", "sum"), 3);
  EXPECT_EQ(edit_distance("sum", ""), 3);
  EXPECT_EQ(edit_distance("sum", "sums"), 1);
  EXPECT_EQ(edit_distance("sum", "sm"), 1);
  EXPECT_EQ(edit_distance("sum", "sun"), 1);
  EXPECT_EQ(edit_distance("smu", "sum"), 1);  // a swap of neighbours is one edit
  EXPECT_EQ(edit_distance("ca", "abc"), 3);   // no character is edited twice
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("sitting", "kitten"), 3);
}

const std::vector<std::string> words{"sum", "std", "min", "minmax", "argmin", "argmax", "nonzero"};

TEST(suggest, finds_what_is_near) {
  EXPECT_EQ(nearest("smu", words), "sum");
  EXPECT_EQ(nearest("sdt", words), "std");
  EXPECT_EQ(nearest("armgin", words), "argmin");
  EXPECT_EQ(nearest("nonzeros", words), "nonzero");
  EXPECT_EQ(nearest("minmx", words), "minmax");
  EXPECT_EQ(suggestion("summ", words), " (did you mean 'sum'?)");
}

TEST(suggest, says_nothing_of_what_is_far) {
  EXPECT_EQ(nearest("median", words), std::nullopt);
  EXPECT_EQ(nearest("", words), std::nullopt);
  EXPECT_EQ(nearest("x", words), std::nullopt);  // every letter would change
  EXPECT_EQ(nearest("sum", {}), std::nullopt);
  EXPECT_EQ(suggestion("quantile", words), "");
}

}  // namespace
}  // namespace monofold::cli
