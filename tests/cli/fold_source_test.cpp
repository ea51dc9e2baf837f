/// Files folded by several threads, and in pairs.
#include "cli/fold_source.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cli/same_answers.hpp"
#include "cli/sample_data.hpp"
#include "cli/verify_cases.hpp"
#include "monofold/platform/status.hpp"
#include "runtime/families.hpp"
#include "tests/cli/temporary_file.hpp"

namespace monofold::cli {
namespace {

using runtime::operation;
using runtime::reducer;

const on_bytes nobody = [](std::int64_t) {};

std::string raw_items(dtype type, std::int64_t count, std::uint64_t seed) {
  std::string bytes(static_cast<std::size_t>(count * info(type).size_bytes), '\0');
  fill_items(type, distribution::normal, seed, 0, count, bytes.data());
  return bytes;
}

read_options raw(dtype type) {
  read_options out;
  out.format = file_format::raw;
  out.type = type;
  return out;
}

TEST(fold_source, threads_give_the_bits_of_one_push) {
  for (const dtype type : {dtype::float64, dtype::float32, dtype::int16}) {
    for (const std::int64_t count : {0, 1, 4095, 4096, 4097, 1'000'003}) {
      const std::string bytes = raw_items(type, count, 3);
      const temporary_file file(bytes, ".bin");
      for (const int threads : {1, 2, 3, 7}) {
        const runtime::request what = everything(type, runtime::nan_policy::propagate, threads);
        reducer expected(what);
        expected.push(bytes.data(), count);
        reducer found(what);
        const auto in = open_source(file.path(), raw(type));
        fold_source(*in, found, nobody);
        EXPECT_EQ(found.count(), count);
        EXPECT_TRUE(same_answers(expected.finish(), found.finish())) << count << " " << threads;
      }
    }
  }
}

TEST(fold_source, dot_is_refused) {
  const temporary_file file(raw_items(dtype::float64, 10, 1), ".bin");
  runtime::request what;
  what.ops = {operation::dot};
  reducer out(what);
  const auto in = open_source(file.path(), raw(dtype::float64));
  EXPECT_THROW(fold_source(*in, out, nobody), monofold::error);
}

TEST(fold_source, indices_go_on_from_the_first) {
  const std::string bytes = raw_items(dtype::float64, 300'000, 5);
  const temporary_file file(bytes, ".bin");
  runtime::request what;
  what.ops = {operation::argmax, operation::top};
  what.num_threads = 3;
  constexpr std::int64_t offset = 12'345;
  reducer own(what, offset);
  const auto in = open_source(file.path(), raw(dtype::float64));
  fold_source(*in, own, nobody);
  reducer alone(what);
  alone.push(bytes.data(), 300'000);
  EXPECT_EQ(own.finish()[0].indices[0], alone.finish()[0].indices[0] + offset);
  EXPECT_EQ(own.finish()[1].indices[9], alone.finish()[1].indices[9] + offset);
}

TEST(fold_source, items_come_behind_those_that_are_there) {
  const std::string bytes = raw_items(dtype::float32, 300'000, 9);
  runtime::request what = everything(dtype::float32, runtime::nan_policy::propagate, 3);
  what.plain = true;
  reducer alone(what);
  alone.push(bytes.data(), 300'000);
  for (const std::int64_t before : {1, 1023, 1024, 100'000}) {
    reducer found(what);
    found.push(bytes.data(), before);
    const temporary_file file(bytes.substr(static_cast<std::size_t>(4 * before)), ".bin");
    fold_source(*open_source(file.path(), raw(dtype::float32)), found, nobody);
    EXPECT_TRUE(same_answers(alone.finish(), found.finish())) << before;
  }
}

TEST(fold_source, columns_that_are_fetched_by_16_MiB) {
  // Eight rows, which are one cache line of each column, are more than a node of the engine's.
  constexpr std::int64_t columns = 300'000;
  const std::string items = raw_items(dtype::float64, 8 * columns, 4);
  std::string stored(items.size(), '\0');
  for (std::int64_t i = 0; i < 8 * columns; ++i) {
    const std::int64_t place = i % columns * 8 + i / columns;
    std::memcpy(stored.data() + 8 * place, items.data() + 8 * i, 8);
  }
  const temporary_file file(npy(dictionary("<f8", "(8, 300000)", "True"), stored));
  for (const int threads : {1, 3}) {
    runtime::request what = everything(dtype::float64, runtime::nan_policy::propagate, threads);
    what.plain = true;
    reducer expected(what);
    expected.push(items.data(), 8 * columns);
    const auto in = open_source(file.path(), {});
    EXPECT_GT(in->fetch_items() * 8, 4 << 20);
    reducer found(what);
    fold_source(*in, found, nobody);
    EXPECT_TRUE(same_answers(expected.finish(), found.finish())) << threads;
  }
}

TEST(fold_source, pairs_of_chunks_of_different_sizes) {
  // One file is mapped in large chunks, the other is text and comes in small ones.
  constexpr std::int64_t count = 100'000;
  std::vector<std::int64_t> left(count);
  std::string text;
  std::int64_t expected = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    left[static_cast<std::size_t>(i)] = i % 1000 - 500;
    text += std::to_string(i % 77) + '\n';
    expected += (i % 1000 - 500) * (i % 77);
  }
  const temporary_file one({reinterpret_cast<const char*>(left.data()), count * 8}, ".bin");
  const temporary_file other(text, ".txt");
  runtime::request what;
  what.type = dtype::int64;
  what.ops = {operation::dot};
  read_options reading;
  reading.type = dtype::int64;
  const auto l = open_source(one.path(), reading);
  const auto r = open_source(other.path(), reading);
  reducer out(what);
  push_pairs(*l, *r, out, nobody);
  EXPECT_EQ(std::get<std::int64_t>(out.finish()[0].values[0]), expected);
}

TEST(fold_source, what_the_order_matters_to) {
  runtime::request what;
  what.ops = {operation::min, operation::max, operation::count};
  EXPECT_FALSE(depends_on_order(what));
  what.ops.push_back(operation::argmin);
  EXPECT_TRUE(depends_on_order(what));
  EXPECT_FALSE(depends_on_tree(what));
  what.ops = {operation::sum, operation::prod, operation::var};
  EXPECT_TRUE(depends_on_tree(what));
  what.ops = {operation::sum, operation::var};
  EXPECT_FALSE(depends_on_tree(what));  // exact
  what.plain = true;
  EXPECT_TRUE(depends_on_tree(what));
  what.type = dtype::int32;
  EXPECT_FALSE(depends_on_tree(what));
  EXPECT_FALSE(depends_on_order(what));
}

}  // namespace
}  // namespace monofold::cli
