#pragma once
/// cli/operation_pages: what help says about each operation beyond runtime/operation.hpp.

#include <array>
#include <cstddef>
#include <string_view>

#include "runtime/operation.hpp"

namespace monofold::cli {

enum class operation_group { sums, extrema, counts, bits };

constexpr std::string_view title(operation_group group) {
  switch (group) {
    case operation_group::sums: return "Sums, products and norms";
    case operation_group::extrema: return "Extrema";
    case operation_group::counts: return "Counts and tests";
    case operation_group::bits: break;
  }
  return "Bits (whole numbers only)";
}

struct operation_page {
  runtime::operation op;
  operation_group group;
  std::string_view nan;      // what a NaN does under --nan propagate
  std::string_view note;     // ties, rounding, order; may be empty
  std::string_view options;  // the options that matter to it
  std::string_view example;  // what follows "monofold "
};

/// In the order of runtime::operations.
inline constexpr std::array<operation_page, runtime::operations.size()> operation_pages{{
    {runtime::operation::count, operation_group::counts, "counts like any item",
     "Under --nan omit only items that are not NaN are counted.", "--nan", "count a.npy"},
    {runtime::operation::sum, operation_group::sums, "makes the sum NaN",
     "Exact, rounded once: the same bits for every order, split and number of threads. A sum of "
     "whole numbers that does not fit 64 bits is an error, never wrapped.",
     "--nan --plain", "sum prices.csv --column price"},
    {runtime::operation::prod, operation_group::sums, "makes the product NaN",
     "The product of whole numbers is taken modulo 2^64.", "--nan", "prod factors.txt"},
    {runtime::operation::mean, operation_group::sums, "makes the mean NaN",
     "The exact sum over the count, rounded once.", "--nan --plain", "mean a.npy"},
    {runtime::operation::var, operation_group::sums, "makes the variance NaN",
     "Exact, rounded once. --ddof 0, the default, is the variance of a population, 1 that "
     "estimated from a sample.",
     "--ddof --nan --plain", "var a.npy --ddof 1"},
    {runtime::operation::std, operation_group::sums, "makes the standard deviation NaN",
     "The square root of the exact variance, rounded once.", "--ddof --nan --plain",
     "std a.npy --ddof 1"},
    {runtime::operation::min, operation_group::extrema, "makes the minimum NaN",
     "-0 lies below +0.", "--nan", "min a.npy"},
    {runtime::operation::max, operation_group::extrema, "makes the maximum NaN",
     "-0 lies below +0.", "--nan", "max a.npy b.npy"},
    {runtime::operation::minmax, operation_group::extrema, "makes both NaN",
     "Prints the minimum, a blank and the maximum. -0 lies below +0.", "--nan", "minmax a.npy"},
    {runtime::operation::argmin, operation_group::extrema, "is the answer: the index of the first",
     "Counts from 0 in row-major order. Of equal items the first one.", "--nan", "argmin a.npy"},
    {runtime::operation::argmax, operation_group::extrema, "is the answer: the index of the first",
     "Counts from 0 in row-major order. Of equal items the first one.", "--nan", "argmax a.npy"},
    {runtime::operation::top, operation_group::extrema, "comes last",
     "A line each: the item, a blank and its index, the largest first. Of equal items the lower "
     "index comes first.",
     "-k --nan", "top -k 3 a.npy"},
    {runtime::operation::bottom, operation_group::extrema, "comes last",
     "A line each: the item, a blank and its index, the smallest first. Of equal items the lower "
     "index comes first.",
     "-k --nan", "bottom -k 3 a.npy"},
    {runtime::operation::any, operation_group::counts, "is not zero, so it counts as true", "",
     "--nan", "any mask.npy"},
    {runtime::operation::all, operation_group::counts, "is not zero, so it counts as true", "",
     "--nan", "all mask.npy"},
    {runtime::operation::nonzero, operation_group::counts, "is not zero, so it is counted", "",
     "--nan", "nonzero mask.npy"},
    {runtime::operation::norm1, operation_group::sums, "makes the norm NaN", "Exact, rounded once.",
     "--nan --plain", "norm1 a.npy"},
    {runtime::operation::norm2, operation_group::sums, "makes the norm NaN",
     "The square root of the exact sum of squares, rounded once.", "--nan --plain", "norm2 a.npy"},
    {runtime::operation::norminf, operation_group::sums, "makes the norm NaN", "", "--nan",
     "norminf a.npy"},
    {runtime::operation::dot, operation_group::sums, "makes the product NaN",
     "Exact, rounded once. Takes two files of one element type and as many items each, and no "
     "other operation.",
     "--nan --plain", "dot a.npy b.npy"},
    {runtime::operation::bit_and, operation_group::bits, "does not occur", "", "", "and flags.npy"},
    {runtime::operation::bit_or, operation_group::bits, "does not occur", "", "", "or flags.npy"},
    {runtime::operation::bit_xor, operation_group::bits, "does not occur", "", "", "xor flags.npy"},
    {runtime::operation::nan, operation_group::counts, "is counted", "", "", "nan a.npy"},
    {runtime::operation::mean_square, operation_group::sums, "makes the mean NaN",
     "The exact sum of squares over the count, rounded once: its root is what an RMS norm divides "
     "by.",
     "--nan --plain", "mean_square a.npy --axis -1"},
    {runtime::operation::logsumexp, operation_group::sums, "makes the answer NaN",
     "The largest item plus the logarithm of the sum of exp(x - largest), so that nothing "
     "overflows; in "
     "one pass, by one tree, in float32 for items of up to 32 bits.",
     "--nan", "logsumexp logits.npy --axis -1"},
    {runtime::operation::softmax_denominator, operation_group::sums, "makes the largest item NaN",
     "Prints the largest item, a blank and the sum of exp(x - largest): softmax of x is exp(x - "
     "largest) over that. In one pass, by one tree, in float32 for items of up to 32 bits.",
     "--nan", "softmax_denominator logits.npy --axis -1"},
}};

constexpr bool pages_are_in_order() {
  for (std::size_t i = 0; i < operation_pages.size(); ++i) {
    if (operation_pages[i].op != runtime::operations[i].op) return false;
  }
  return true;
}
static_assert(pages_are_in_order());

/// Beside the operations of the library: a name for several of them.
inline constexpr std::string_view stats_name = "stats";
inline constexpr std::string_view stats_summary =
    "count, nan, sum, mean, var, std, min, max, argmin and argmax";

}  // namespace monofold::cli
