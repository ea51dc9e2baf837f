// ranks: the bits of one call on all items, for any number of ranks and any split; the same errors everywhere.

#include "monofold/ranks.hpp"

#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "monofold/monofold.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/random.hpp"
#include "tests/inputs/same_answers.hpp"
#include "tests/mpi/check.hpp"

namespace mf = monofold;

namespace {

using checks::expect;
using checks::expect_error;

const auto world = [] { return mf::ranks(MPI_COMM_WORLD, mf::cpu(1)); };

template <class T>
std::string text(const mf::result<T>& answer) {
  return answer ? "a value" : mf::describe(answer.code());
}

template <class Answer>
void expect_same(const mf::result<Answer>& got, const mf::result<Answer>& want,
                 const std::string& what) {
  const bool same = got.code() == want.code() && (!want || inputs::same_answers(*got, *want));
  expect(same, what + ": " + text(got) + ", not " + text(want));
}

/// Each split of `all`, as part(first, count) gives parts of it.
template <class Item, class All, class Part, class F>
void expect_one_rank_bits(const All& all, std::int64_t n, const Part& part, const F& f,
                          const std::string& name) {
  const auto want = mf::try_reduce(mf::cpu(1), all, f);
  for (const std::string& split : checks::splits) {
    const mf::item_range own =
        checks::part_of(split, n, checks::num_ranks(), checks::own_rank(), mf::tile_items_v<Item>);
    const auto got = mf::try_reduce(world(), part(own.first, own.count), f);
    expect_same(got, want, name + ", " + std::to_string(n) + " items, " + split);
  }
}

template <class Item, class F>
void check(const std::vector<Item>& items, const F& f, const std::string& name) {
  const auto part = [&](std::int64_t first, std::int64_t count) {
    return mf::contiguous_view<Item>(items.data() + first, count);
  };
  expect_one_rank_bits<Item>(part(0, std::ssize(items)), std::ssize(items), part, f, name);
}

/// A matrix of which products depend on order, and whose floating-point entries depend on the tree.
struct matrix {
  double a, b, c, d;
};
const auto product_of_matrices = mf::ordered([](const matrix& l, const matrix& r) {
  return matrix{l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c,
                l.c * r.b + l.d * r.d};
});

bool same_matrix(const matrix& x, const matrix& y) {
  return inputs::same_answers(std::vector{x.a, x.b, x.c, x.d}, std::vector{y.a, y.b, y.c, y.d});
}

/// A user's exact fold, that needs indices: the places of items that are where a table says.
struct sum_of_places {
  using state = std::int64_t;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  state lift(double item, std::int64_t index) const { return item < 0 ? index : 0; }
  state combine(state left, state right) const { return left + right; }
};

void check_doubles(const std::vector<double>& items) {
  check(items, mf::sum, "sum");
  check(items, mf::all(mf::count, mf::mean, mf::extrema), "statistics and extrema");
  check(items, mf::plain_sum, "plain sum");
  check(items, mf::top(7), "top");
#if !defined(MONOFOLD_FEWER_FOLDS)  // for another MPI, one fold of each kind of state
  check(items, mf::all(mf::count, mf::mean, mf::variance(1), mf::norm2), "exact statistics");
  check(items, mf::sum_to<float> | mf::omit_nan, "sum without NaN");
  check(items, mf::sum | mf::raise_nan, "sum that raises");
  check(items, mf::all(mf::plain_mean, mf::plain_variance(0), mf::argmax), "plain statistics");
  check(items, mf::argmin, "argmin");
  check(items, mf::product, "product");
  check(items, mf::logsumexp, "logsumexp");
  check(items, sum_of_places{}, "places");
  check(items, mf::all(mf::plain_mean, mf::bottom(3)), "plain mean and bottom");
  check(items, mf::sum | mf::map([](double x) { return x * 0.5; }) | mf::where([](double x) {
                 return x > 0;
               }),
        "mapped sum");
#endif
}

void check_views(const std::vector<double>& items) {
  const std::int64_t n = std::ssize(items);
  const auto pairs = [&](std::int64_t first, std::int64_t count) {
    const mf::contiguous_view<double> left(items.data() + first, count);
    return mf::zip(left, mf::strided_view<double>(items.data() + (n - 1 - first), count, -1));
  };
  using pair = mf::item_pair<double, double>;
  expect_one_rank_bits<pair>(pairs(0, n), n, pairs, mf::dot, "dot");
  const auto squares = [](std::int64_t first, std::int64_t count) {
    return mf::generate(count, [first](std::int64_t i) { return (first + i) * (first + i); });
  };
  expect_one_rank_bits<std::int64_t>(squares(0, n), n, squares, mf::sum, "sum of int64");
#if !defined(MONOFOLD_FEWER_FOLDS)
  expect_one_rank_bits<pair>(pairs(0, n), n, pairs, mf::plain_dot, "plain dot");
  expect_one_rank_bits<std::int64_t>(squares(0, n), n, squares, mf::mean, "mean of int64");
  expect_one_rank_bits<std::int64_t>(squares(0, n), n, squares, mf::variance(0),
                                     "variance of int64");
  expect_one_rank_bits<std::int64_t>(squares(0, n), n, squares, mf::all(mf::bit_xor, mf::norm_inf),
                                     "bits of int64");
#endif
  std::vector<matrix> matrices;
  for (const double x : items) matrices.push_back({0.5, x * 0x1p-70, 0.25, 0.5});
  for (const std::string& split : checks::splits) {
    const auto own = checks::part_of(split, n, checks::num_ranks(), checks::own_rank(),
                                     mf::tile_items_v<matrix>);
    const mf::contiguous_view<matrix> part(matrices.data() + own.first, own.count);
    const auto got = mf::try_reduce(world(), part, product_of_matrices);
    const auto want = mf::try_reduce(mf::cpu(1), matrices, product_of_matrices);
    expect(got.code() == want.code() && (!want || same_matrix(*got, *want)),
           "matrices, " + std::to_string(n) + ", " + split);
  }
}

/// Thousands of fields at once, of several folds.
void check_fields() {
  const int ranks = checks::num_ranks();
  std::vector<std::vector<double>> whole;
  std::vector<std::vector<double>> own;
  for (std::uint64_t i = 0; i < 500; ++i) {
    whole.push_back(inputs::spread_doubles(i % 7 == 0 ? 0 : 20 + i, 40, i + 1));
    const auto range = checks::part_of(checks::splits[i % checks::splits.size()],
                                       std::ssize(whole.back()), ranks, checks::own_rank(), 512);
    const auto first = whole.back().begin() + range.first;
    own.emplace_back(first, first + range.count);
  }
  const auto all_of = [&](const auto& f, const std::string& name) {
    const auto got = mf::reduce_many(world(), own, f);
    expect(got.size() == whole.size(), name + ": an answer a field");
    for (std::size_t i = 0; i < whole.size(); ++i) {
      expect_same(got[i], mf::try_reduce(mf::cpu(1), whole[i], f), name + " " + std::to_string(i));
    }
  };
  all_of(mf::sum, "fields, sum");
  all_of(mf::all(mf::mean, mf::variance(1)), "fields, mean and variance");
  all_of(mf::max, "fields, max");
  all_of(mf::plain_sum, "fields, plain sum");
  all_of(mf::sum | mf::where([](double x) { return x > 0; }), "fields, masked");
}

/// What a rank throws, all throw.
void check_errors() {
  const int last = checks::num_ranks() - 1;
  const bool is_last = checks::own_rank() == last;
  const std::string who = "rank " + std::to_string(last) + ": ";
  const std::vector<double> items(1000, 1.5);
  const mf::contiguous_view<double> bad(nullptr, 5);
  const mf::contiguous_view<double> negative(items.data(), -1);
  const mf::contiguous_view<double> good(items.data(), 1000);
  const auto throws = mf::transform(items, [is_last](double x) {
    if (is_last) throw std::runtime_error("no such file");
    return x;
  });
  const auto fold_all = [&](const auto& f) {
    const auto call = [&](const auto& view) { mf::reduce(world(), view, f); };
    expect_error([&] { call(is_last ? bad : good); }, mf::status::invalid_argument, who + "null");
    expect_error([&] { call(is_last ? negative : good); }, mf::status::invalid_argument, who);
    expect_error([&] { call(throws); }, mf::status::internal, who + "no such file");
    expect(mf::try_reduce(world(), good, f).has_value(), "and a call after those has an answer");
  };
  fold_all(mf::sum);
  fold_all(mf::max);
  fold_all(mf::plain_sum);
  fold_all(mf::top(3));
  const std::vector<double> none;
  expect_error([&] { mf::reduce(world(), none, mf::mean); }, mf::status::empty_input, "no result");
  expect_error([&] { mf::reduce(world(), none, mf::max); }, mf::status::empty_input, "no result");
  const std::vector<std::int64_t> large(2, std::numeric_limits<std::int64_t>::max());
  expect_error([&] { mf::reduce(world(), large, mf::sum); }, mf::status::integer_overflow, "");
  expect_error([&] { mf::reduce(mf::ranks(MPI_COMM_NULL), none, mf::sum); },
               mf::status::invalid_argument, "MPI_COMM_NULL");
}

/// docs/ranks.md.
void check_page() {
  const std::vector<double> all_values = inputs::spread_doubles(30000, 60, 3);
  const std::vector<double> all_areas(all_values.size(), 0.3);
  const std::int64_t num_items = std::ssize(all_values);
  const int rank = checks::own_rank();
  const int num_ranks = checks::num_ranks();
  // [ranks_reduce]
  auto [first, count] = mf::tile_split<double>(num_items, num_ranks, rank);  // or any other split
  // [/ranks_reduce]
  const std::vector<double> values(all_values.begin() + first, all_values.begin() + first + count);
  const std::vector<double> areas(all_areas.begin() + first, all_areas.begin() + first + count);
  // [ranks_reduce]
  auto ranks = mf::ranks(MPI_COMM_WORLD);  // mf::ranks(comm, mf::cpu(4)), mf::ranks(comm, mf::gpu)
  double total = mf::reduce(ranks, values, mf::sum);  // on every rank, of the items of all
  auto [mean, top] = mf::reduce(ranks, values, mf::all(mf::mean, mf::extrema));
  auto place = top.argmax;  // counted through all ranks
  // [/ranks_reduce]
  expect(inputs::same_answers(total, mf::reduce(all_values, mf::sum)), "page: total");
  expect(inputs::same_answers(mean, mf::reduce(all_values, mf::mean)), "page: mean");
  expect(place == mf::reduce(all_values, mf::argmax), "page: place");
  // [ranks_many]
  std::vector fields{mf::zip(values, areas), mf::zip(areas, areas)};  // thousands, one message
  auto over_land = [](const auto& pair) { return pair.left > 0; };
  auto sums = mf::reduce_many(ranks, fields, mf::dot | mf::where(over_land));
  // [/ranks_many]
  const auto whole = mf::zip(all_values, all_areas);
  const auto want = mf::reduce(whole, mf::dot | mf::where(over_land));
  expect(inputs::same_answers(sums[0].value(), want), "page: fields");
}

}  // namespace

int main(int argc, char** argv) {
  checks::begin(argc, argv);
  const std::vector<std::size_t> all_sizes{0, 1, 3, 511, 512, 513, 2048, 5000, 40000};
  for (const std::size_t n : checks::few ? std::vector<std::size_t>{5000} : all_sizes) {
    check_doubles(inputs::spread_doubles(n, 60, n + 1));
    if (n > 0) check_views(inputs::spread_doubles(n, 30, n + 1));
  }
  std::vector<double> hard = inputs::cancelling(700, 3);
  if (!checks::few) check_doubles(hard);
  const std::vector<double> kinds = inputs::kinds_of_double();
  hard.insert(hard.end(), kinds.begin(), kinds.end());
  check_doubles(hard);
  check_fields();
  check_errors();
  check_page();
  return checks::end();
}
