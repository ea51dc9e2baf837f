// ranks: answers on one rank, states that neighbours join, and answers that are waited for later: the bits of one call
// on all items, and the same errors everywhere.

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "monofold/monofold.hpp"
#include "monofold/ranks.hpp"
#include "tests/inputs/random.hpp"
#include "tests/inputs/same_answers.hpp"
#include "tests/mpi/check.hpp"

namespace mf = monofold;

namespace {

using checks::expect;
using checks::expect_error;

/// Ranks that gather from no more than so many.
mf::ranks_engine<> world(int most_gathered = 1) {
  return {MPI_COMM_WORLD, mf::cpu(1), most_gathered};
}

std::vector<double> own_of(const std::vector<double>& all, const std::string& split) {
  const mf::item_range own = checks::part_of(split, std::ssize(all), checks::num_ranks(),
                                             checks::own_rank(), mf::tile_items_v<double>);
  const auto first = all.begin() + own.first;
  return {first, first + own.count};
}

template <class F>
void check(const std::vector<double>& items, const F& f, const std::string& name) {
  const auto want = mf::try_reduce(mf::cpu(1), items, f);
  int root = 0;
  for (const std::string& split : checks::splits) {
    const std::vector<double> own = own_of(items, split);
    std::string where = name;
    where.append(", ").append(std::to_string(items.size())).append(" items, ").append(split);
    const auto got = mf::try_reduce(world(), own, f);
    expect(got.code() == want.code() && (!want || inputs::same_answers(*got, *want)),
           "by a tree, " + where);
    if (!want) continue;
    const auto on_root = mf::reduce_to(root, world(), own, f);
    const bool is_root = checks::own_rank() == root;
    expect(on_root.has_value() == is_root && (!is_root || inputs::same_answers(*on_root, *want)),
           "on rank " + std::to_string(root) + ", " + where);
    root = (root + 1) % checks::num_ranks();
  }
}

const auto weighted = mf::ordered([](double l, double r) { return l * 0.75 + r; });

void check_folds(const std::vector<double>& items) {
  check(items, mf::sum, "sum");
  check(items, mf::all(mf::count, mf::extrema), "count and extrema");
  check(items, mf::top(7), "top");
  check(items, mf::all(mf::plain_mean, mf::argmax), "plain mean and argmax");
  check(items, weighted, "an ordered fold");
}

void check_fields() {
  std::vector<std::vector<double>> whole;
  std::vector<std::vector<double>> own;
  for (std::uint64_t i = 0; i < 40; ++i) {
    whole.push_back(inputs::spread_doubles(i % 7 == 0 ? 0 : 60 * i, 40, i + 1));
    own.push_back(own_of(whole.back(), checks::splits[i % checks::splits.size()]));
  }
  const auto all_of = [&](const auto& f, const std::string& name) {
    const auto got = mf::reduce_many(world(), own, f);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const auto want = mf::try_reduce(mf::cpu(1), whole[i], f);
      expect(got[i].code() == want.code() && (!want || inputs::same_answers(*got[i], *want)),
             name + ", field " + std::to_string(i));
    }
  };
  all_of(mf::max, "max");
  all_of(weighted, "an ordered fold");
}

void check_later() {
  const std::vector<double> items = inputs::spread_doubles(5000, 60, 8);
  const auto each = mf::all(mf::mean, mf::variance(1));
  for (const std::string& split : checks::splits) {
    std::vector<double> own = own_of(items, split);
    auto first = mf::reduce_async(world(), own, mf::sum);
    auto second = mf::reduce_async(world(), own, each);
    own.assign(own.size(), 0);  // it was folded
    while (!second.test()) continue;
    expect(inputs::same_answers(second.wait(), mf::reduce(items, each)), "later, " + split);
    auto moved = std::move(first);
    expect(inputs::same_answers(moved.wait(), mf::reduce(items, mf::sum)), "later, " + split);
  }
  const auto dropped = mf::reduce_async(world(), items, mf::sum);  // waits by itself
}

/// Many fields, of which some have no answer, while other messages are on their way.
void check_many_later() {
  std::vector<std::vector<double>> whole;
  std::vector<std::vector<double>> own;
  for (std::uint64_t i = 0; i < 300; ++i) {
    whole.push_back(inputs::spread_doubles(i % 7 == 0 ? 0 : 3 * i, 40, i + 1));
    own.push_back(own_of(whole.back(), checks::splits[i % checks::splits.size()]));
  }
  auto means = mf::reduce_many_async(world(), own, mf::mean);
  auto other = mf::reduce_async(world(), own.back(), mf::sum);
  auto spreads = mf::reduce_many_async(world(), own, mf::all(mf::count, mf::variance(1)));
  for (auto& field : own) field.assign(field.size(), 0);  // they were folded
  const auto expect_all = [&](const auto& got, const auto& f, const std::string& name) {
    expect(got.size() == whole.size(), name + ": an answer a field");
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const auto want = mf::try_reduce(mf::cpu(1), whole[i], f);
      expect(got[i].code() == want.code() && (!want || inputs::same_answers(*got[i], *want)),
             name + ", field " + std::to_string(i));
    }
  };
  while (!means.test()) continue;
  auto moved = std::move(means);
  expect_all(moved.wait(), mf::mean, "later, means");
  expect(inputs::same_answers(other.wait(), mf::reduce(whole.back(), mf::sum)), "later, between");
  expect_all(spreads.wait(), mf::all(mf::count, mf::variance(1)), "later, variances");
  expect_error([&] { moved.wait(); }, mf::status::invalid_argument, "taken");
}

/// docs/ranks.md.
void check_page() {
  const std::vector<double> values(1000, 0.1);
  const auto ranks = world();
  const auto do_other_work = [] {};
  // [ranks_later]
  std::optional<double> here = mf::reduce_to(0, ranks, values, mf::mean);  // none on others
  auto pending = mf::reduce_async(ranks, values, mf::sum);                 // on its way
  while (!pending.test()) do_other_work();
  double later = pending.wait();  // on every rank; throws what reduce throws
  // [/ranks_later]
  expect(here.value_or(0.1) == 0.1, "page: mean");
  expect(later == 100.0 * checks::num_ranks(), "page: sum");
}

/// What rank `bad` throws, all throw.
void check_errors(int bad) {
  const std::string who = "rank " + std::to_string(bad) + ": ";
  const bool is_bad = checks::own_rank() == bad;
  const std::vector<double> items(1000, 1.5);
  const mf::contiguous_view<double> good(items.data(), 1000);
  const mf::contiguous_view<double> view(is_bad ? nullptr : items.data(), is_bad ? 5 : 1000);
  const mf::contiguous_view<double> negative(items.data(), is_bad ? -1 : 1000);
  const auto throws = mf::transform(items, [is_bad](double x) {
    if (is_bad) throw std::runtime_error("no such file");
    return x;
  });
  const auto fold_all = [&](const auto& f) {
    const auto call = [&](const auto& range) { return [&] { mf::reduce(world(), range, f); }; };
    const auto call_root = [&](const auto& range) {
      return [&] { mf::reduce_to(0, world(), range, f); };
    };
    expect_error(call(view), mf::status::invalid_argument, who + "null");
    expect_error(call(negative), mf::status::invalid_argument, who);
    expect_error(call_root(view), mf::status::invalid_argument, who + "null");
    expect_error(call(throws), mf::status::internal, who + "no such file");
    expect(mf::try_reduce(world(), good, f).has_value(), "and a call after those has an answer");
  };
  fold_all(mf::sum);
  fold_all(mf::max);
  fold_all(weighted);
  expect_error([&] { mf::reduce_async(world(), view, mf::sum).wait(); },
               mf::status::invalid_argument, who + "null");
  expect_error(
      [&] {
        mf::reduce_many_async(world(), std::vector{good, view}, mf::sum).wait();
      },
      mf::status::invalid_argument, who + "null");
  expect_error([&] { mf::reduce_to(checks::num_ranks(), world(), good, mf::sum); },
               mf::status::invalid_argument, "no rank");
}

}  // namespace

int main(int argc, char** argv) {
  checks::begin(argc, argv);
  const std::vector<std::size_t> all_sizes{0, 3, 511, 5000, 40000};
  for (const std::size_t n : checks::few ? std::vector<std::size_t>{5000} : all_sizes) {
    check_folds(inputs::spread_doubles(n, 60, n + 1));
  }
  check_fields();
  check_later();
  check_many_later();
  check_page();
  check_errors(0);
  if (checks::num_ranks() > 1) check_errors(checks::num_ranks() - 1);
  return checks::end();
}
