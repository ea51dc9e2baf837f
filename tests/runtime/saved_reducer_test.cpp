/// runtime/reducer, save, load and append: every operation on every type goes on as if it had never
/// been saved, equal items give equal bytes, and files that are none are refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "monofold/fold/exact.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/logical.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/fold/product.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/fold/top.hpp"
#include "monofold/platform/sealed.hpp"
#include "monofold/running_state.hpp"
#include "runtime/families.hpp"
#include "runtime/reducer.hpp"
#include "tests/runtime/parity.hpp"

namespace {

using namespace parity;  // NOLINT: a test is made of it
using bytes = std::vector<unsigned char>;

/// Requests for every operation alone, and for many at once; of floats plain ones too.
std::vector<request> requests_for(mf::dtype type) {
  std::vector<request> all;
  for (const auto& entry : mf::runtime::operations) {
    if (!mf::runtime::is_defined(entry.op, type)) continue;
    request what;
    what.type = type;
    what.ops = {entry.op};
    what.k = 3;
    all.push_back(what);
  }
  request several = all.front();
  several.ops.assign(mf::runtime::stats_operations.begin(), mf::runtime::stats_operations.end());
  several.ops.push_back(operation::top);
  all.push_back(several);
  several.nan = nan_policy::omit;
  all.push_back(several);
  const std::size_t exact = all.size();
  for (std::size_t i = 0; i < exact && mf::info(type).is_floating; ++i) {
    all.push_back(all[i]);
    all.back().plain = true;
  }
  return all;
}

bool same_answers(const std::vector<answer>& a, const std::vector<answer>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_answer);
}

/// Items `from` to `to` of a sequence, of pairs with the items after them.
template <class Item>
void push(reducer& out, sequence<Item>& items, std::int64_t from, std::int64_t to) {
  const Item* const p = items.at(0);
  if (out.what().ops.front() == operation::dot) {
    out.push_pairs(p + from, items.rotated() + from, to - from);
  } else {
    out.push(p + from, to - from);
  }
}

template <class Item>
reducer made(const request& what, sequence<Item>& items, std::int64_t from, std::int64_t to,
             std::int64_t first_index) {
  reducer out(what, first_index);
  push(out, items, from, to);
  return out;
}

template <class Item>
void check(const request& what, pattern kind, std::int64_t n, std::int64_t cut) {
  sequence<Item> items(kind, n);
  const std::string label = std::string(mf::info(what.type).name) + " " +
                            std::string(mf::runtime::info(what.ops.front()).name) +
                            (what.plain ? ", plain" : "") + ", " + std::to_string(what.ops.size()) +
                            " operations, pattern " + std::to_string(static_cast<int>(kind)) +
                            ", cut " + std::to_string(cut);
  const reducer whole = made(what, items, 0, n, 0);
  const std::vector<answer> wanted = whole.finish();

  reducer part = made(what, items, 0, cut, 0);
  reducer read = reducer::load(part.save());
  EXPECT_EQ(read.count(), cut);
  push(read, items, cut, n);
  push(part, items, cut, n);
  EXPECT_TRUE(same_answers(read.finish(), part.finish())) << label;
  EXPECT_TRUE(same_answers(read.finish(), wanted)) << label;

  // What is held becomes one state, which nobody sees.
  reducer settled = made(what, items, 0, cut, 0);
  settled.settle();
  EXPECT_EQ(settled.save(), made(what, items, 0, cut, 0).save()) << label;
  push(settled, items, cut, n);
  EXPECT_TRUE(same_answers(settled.finish(), wanted)) << label;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_TRUE(same_answer(settled.finish_at(i), wanted[i])) << label << " " << i;
  }
  settled.settle();
  const bool any_split = !mf::runtime::depends_on_tree(what);
  if (any_split) {
    EXPECT_EQ(settled.save(), whole.save()) << label;
  }

  // What follows, saved by itself, with indices from where it belongs and from 0.
  for (const bool from_zero : {false, true}) {
    reducer left = reducer::load(made(what, items, 0, cut, 0).save());
    const reducer right = reducer::load(made(what, items, cut, n, from_zero ? 0 : cut).save());
    if (from_zero) {
      left.append(right);
    } else {
      left.merge(right);
    }
    EXPECT_EQ(left.count(), n) << label;
    const bool same_tree =
        !from_zero && cut % mf::tile_items_v<Item> == 0 && what.ops.front() != operation::dot;
    if (any_split || same_tree) {
      EXPECT_TRUE(same_answers(left.finish(), wanted)) << label << " " << from_zero;
    }
    if (any_split) {
      EXPECT_EQ(left.save(), whole.save()) << label << " " << from_zero;
    }
  }
}

template <class Item>
void check_type() {
  for (const request& what : requests_for(dtype_of<Item>())) {
    for (const pattern kind : {pattern::ordinary, pattern::ties, pattern::nan_inside}) {
      if (!mf::is_floating_v<Item> && kind == pattern::nan_inside) continue;
      check<Item>(what, kind, 10000, 8192);
      check<Item>(what, kind, 9001, 5003);
      check<Item>(what, kind, 5, 5);
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(saved_reducer, bool_goes_on) { check_type<bool>(); }
TEST(saved_reducer, int8_goes_on) { check_type<std::int8_t>(); }
TEST(saved_reducer, uint16_goes_on) { check_type<std::uint16_t>(); }
TEST(saved_reducer, int32_goes_on) { check_type<std::int32_t>(); }
TEST(saved_reducer, uint64_goes_on) { check_type<std::uint64_t>(); }
TEST(saved_reducer, float16_goes_on) { check_type<mf::float16>(); }
TEST(saved_reducer, bfloat16_goes_on) { check_type<mf::bfloat16>(); }
TEST(saved_reducer, float32_goes_on) { check_type<float>(); }
TEST(saved_reducer, float64_goes_on) { check_type<double>(); }

TEST(saved_reducer, nothing_is_saved_too) {
  request what;
  what.ops = {operation::sum, operation::min};
  const reducer read = reducer::load(reducer(what, 4711).save());
  EXPECT_EQ(read.count(), 0);
  EXPECT_EQ(read.first_index(), 4711);
  EXPECT_EQ(read.finish()[1].code, mf::status::empty_input);
}

TEST(saved_reducer, threads_are_the_reader_s_choice) {
  request what;
  what.ops = {operation::sum};
  what.num_threads = 3;
  EXPECT_EQ(reducer::load(reducer(what).save()).what().num_threads, 0);
  EXPECT_EQ(reducer::load(reducer(what).save(), 2).what().num_threads, 2);
  request other = what;
  other.num_threads = 1;
  EXPECT_EQ(reducer(what).save(), reducer(other).save());
}

std::string refusal(const bytes& file) {
  try {
    reducer::load(file);
  } catch (const mf::error& e) {
    EXPECT_EQ(e.code(), mf::status::malformed_state) << e.what();
    return e.what();
  }
  return {};
}

/// Bits that change what is sealed: refused, or a reducer that can be used.
TEST(saved_reducer, made_up_payloads_do_no_harm) {
  for (const bool plain : {false, true}) {
    request what;
    what.type = mf::dtype::float32;
    what.plain = plain;
    what.ops = {operation::var, operation::top, operation::argmin};
    sequence<float> items(pattern::ordinary, 3000);
    const bytes file = made(what, items, 0, 3000, 0).save();
    const mf::unsealed inside = mf::unseal(file);
    const bytes payload(inside.payload.begin(), inside.payload.end());
    for (std::size_t i = 0; i < std::min<std::size_t>(payload.size(), 200); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        bytes changed = payload;
        changed[i] = static_cast<unsigned char>(changed[i] ^ (1 << bit));
        const bytes sealed = mf::seal(inside.name, changed);
        if (!refusal(sealed).empty()) continue;
        reducer read = reducer::load(sealed);
        EXPECT_EQ(reducer::load(read.save()).count(), read.count());
      }
    }
    for (std::size_t length = 0; length < payload.size(); length += 7) {
      const bytes cut(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(length));
      EXPECT_NE(refusal(mf::seal(inside.name, cut)), "") << length;
    }
  }
}

TEST(saved_reducer, other_files_are_refused) {
  EXPECT_NE(refusal({}), "");
  EXPECT_NE(refusal(bytes(100, 'x')), "");
  EXPECT_NE(refusal(mf::seal("sum of float64", bytes{})), "");
  EXPECT_NE(refusal(mf::seal("reducer", bytes{})), "");
}

/// The payload of a running_state of the headers: what a reducer saves behind its request.
template <class F>
void check_run(const F& fold, const std::string& name, operation op, bool plain,
               std::int64_t first_index, std::int64_t count) {
  sequence<float> items(pattern::ordinary, count);
  mf::running_state<float, F> state(fold, first_index);
  state.push(items.at(0), count);
  const bytes own = state.save();
  request what;
  what.type = mf::dtype::float32;
  what.ops = {op};
  what.plain = plain;
  what.k = 3;
  const bytes file = made(what, items, 0, count, first_index).save();
  constexpr std::size_t request_bytes = 29 + 4;
  const mf::unsealed inside = mf::unseal(file);
  const auto run = inside.payload.subspan(request_bytes);
  const mf::unsealed other = mf::unseal(own);
  EXPECT_EQ(other.name, name + " of float32");
  EXPECT_EQ(bytes(run.begin(), run.end()), bytes(other.payload.begin(), other.payload.end()))
      << name;
}

/// As docs/format.md says.
TEST(saved_reducer, the_headers_save_the_same_runs) {
  for (const std::int64_t first : {0, 7, 2048}) {
    for (const std::int64_t count : {0, 5, 3077}) {
      check_run(mf::sum, "sum", operation::sum, false, first, count);
      check_run(mf::variance(), "moments", operation::var, false, first, count);
      check_run(mf::norm2, "sum of squares", operation::norm2, false, first, count);
      check_run(mf::mean_square, "sum of squares", operation::mean_square, false, first, count);
      check_run(mf::norm_inf, "norm_inf", operation::norminf, false, first, count);
      check_run(mf::argmin, "min", operation::argmin, false, first, count);
      check_run(mf::extrema, "extrema", operation::minmax, false, first, count);
      check_run(mf::top(3), "top 3", operation::top, false, first, count);
      check_run(mf::all_of, "nonzero", operation::all, false, first, count);
      check_run(mf::product, "product", operation::prod, false, first, count);
      check_run(mf::plain_sum, "plain sum in float32", operation::sum, true, first, count);
      check_run(mf::plain_variance(), "plain moments", operation::var, true, first, count);
      check_run(mf::plain_norm1, "plain norm1", operation::norm1, true, first, count);
      check_run(mf::plain_norm2, "plain norm2", operation::norm2, true, first, count);
      check_run(mf::logsumexp, "softmax", operation::logsumexp, false, first, count);
    }
  }
}

TEST(saved_reducer, different_reductions_are_not_joined) {
  request what;
  what.ops = {operation::sum};
  request other = what;
  other.ops = {operation::mean};
  reducer own(what);
  try {
    own.append(reducer(other));
    FAIL() << "joined";
  } catch (const mf::error& e) {
    EXPECT_EQ(e.code(), mf::status::invalid_argument);
  }
}

}  // namespace
