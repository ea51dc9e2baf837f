// docs/reference.md: the table of folds is what the headers say; the C++ of the page runs.
//
// Where a fold changed: MONOFOLD_UPDATE=1 test_docs --gtest_filter='reference.table*' writes the table.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.hpp"

namespace {

namespace mf = monofold;

/// The types of items that the columns of the table stand for; each is its group's others' like.
using floats = std::tuple<float, double, mf::float16, mf::bfloat16>;
using signed_items = std::tuple<std::int32_t, std::int64_t, std::int8_t, std::int16_t>;
using unsigned_items = std::tuple<std::uint32_t, std::uint64_t, std::uint8_t, std::uint16_t, bool>;

template <class Answer, class Item>
std::string type_name() {
  if constexpr (std::is_same_v<Answer, bool>) return "bool";
  if constexpr (std::is_same_v<Answer, double>) return "double";
  if constexpr (std::is_same_v<Answer, float>) return "float";
  if constexpr (std::is_same_v<Answer, std::int64_t>) return "int64";
  if constexpr (std::is_same_v<Answer, std::uint64_t>) return "uint64";
  if constexpr (std::is_same_v<Answer, mf::extrema_answer<Item>>) return "`extrema_answer`";
  if constexpr (std::is_same_v<Answer, mf::top_answer<Item>>) return "`top_answer`";
  if constexpr (std::is_same_v<Answer, typename mf::softmax_fold<Item>::state>)
    return "`softmax_scale`";
  return "?";
}

struct single {
  template <class Item>
  using item = Item;
};
struct pair {
  template <class Item>
  using item = mf::item_pair<Item, Item>;
};

/// The answer's type for the items of a group: `item` where it is theirs, else each name once.
template <class Items, class F, class... Group>
std::string answers(const std::tuple<Group...>*) {
  std::string found;
  bool is_item = true;
  const auto add = [&]<class Item>() {
    using whole = typename Items::template item<Item>;
    std::string name = "none";
    if constexpr (mf::fold_on<F, whole>) {
      using answer = mf::answer_t<mf::bound_fold_t<F, whole>>;
      name = type_name<answer, Item>();
      is_item = is_item && std::is_same_v<answer, Item>;
    } else {
      is_item = false;
    }
    if (found.find(name) == std::string::npos) found += (found.empty() ? "" : ", ") + name;
  };
  (add.template operator()<Group>(), ...);
  return is_item ? "item" : found;
}

template <class T>
std::string text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    std::ostringstream out;
    out << +value;
    return out.str() == "4294967295" ? "all ones" : out.str();
  } else {
    return "a value";
  }
}

template <class Items, class F>
std::string row(const std::string& name, const F& f) {
  using first = std::conditional_t<mf::fold_on<F, typename Items::template item<double>>, double,
                                   std::uint32_t>;
  using item = typename Items::template item<first>;
  using bound = mf::bound_fold_t<F, item>;
  const auto nothing = mf::finish_empty(mf::bind_fold<item>(f));
  std::string out = "| `" + name + "` | ";
  out += answers<Items, F>(static_cast<const floats*>(nullptr)) + " | ";
  out += answers<Items, F>(static_cast<const signed_items*>(nullptr)) + " | ";
  out += answers<Items, F>(static_cast<const unsigned_items*>(nullptr)) + " | ";
  out += std::string(mf::is_exact_v<bound> ? "yes" : "no") + " | ";
  out += (nothing ? text(*nothing) : "no result") + " | ";
  return out + std::to_string(sizeof(typename bound::state)) + " |\n";
}

std::string table() {
  std::string out =
      "| fold | of floats | of signed | of unsigned, bool | exact | no items | state, bytes |\n"
      "|---|---|---|---|---|---|---|\n";
  out += row<single>("count", mf::count);
  out += row<single>("sum", mf::sum);
  out += row<single>("sum_to<float>", mf::sum_to<float>);
  out += row<single>("mean", mf::mean);
  out += row<single>("variance(ddof)", mf::variance(0));
  out += row<single>("standard_deviation(ddof)", mf::standard_deviation(0));
  out += row<single>("norm1", mf::norm1);
  out += row<single>("norm2", mf::norm2);
  out += row<single>("sum_of_squares", mf::sum_of_squares);
  out += row<single>("mean_square", mf::mean_square);
  out += row<pair>("dot", mf::dot);
  out += row<single>("plain_sum", mf::plain_sum);
  out += row<single>("plain_sum_in<double>", mf::plain_sum_in<double>);
  out += row<single>("plain_mean", mf::plain_mean);
  out += row<single>("plain_variance(ddof)", mf::plain_variance());
  out += row<single>("plain_standard_deviation(ddof)", mf::plain_standard_deviation());
  out += row<single>("plain_norm1", mf::plain_norm1);
  out += row<single>("plain_norm2", mf::plain_norm2);
  out += row<pair>("plain_dot", mf::plain_dot);
  out += row<single>("logsumexp", mf::logsumexp);
  out += row<single>("softmax_denominator", mf::softmax_denominator);
  out += row<single>("product", mf::product);
  out += row<single>("norm_inf", mf::norm_inf);
  out += row<single>("min", mf::min);
  out += row<single>("max", mf::max);
  out += row<single>("argmin", mf::argmin);
  out += row<single>("argmax", mf::argmax);
  out += row<single>("extrema", mf::extrema);
  out += row<single>("top(k)", mf::top(1));
  out += row<single>("bottom(k)", mf::bottom(1));
  out += row<single>("any_of", mf::any_of);
  out += row<single>("all_of", mf::all_of);
  out += row<single>("nonzero", mf::nonzero);
  out += row<single>("bit_and", mf::bit_and);
  out += row<single>("bit_or", mf::bit_or);
  out += row<single>("bit_xor", mf::bit_xor);
  return out;
}

TEST(reference, table_of_folds_is_that_of_the_page) {
  // Not by __FILE__: a compiler cache may have made it relative to another folder.
  const char* const tree = std::getenv("MONOFOLD_TREE");
  const auto page = std::filesystem::path(tree != nullptr ? tree : ".") / "docs/reference.md";
  std::ifstream in(page);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  const std::string begin = "<!-- folds -->\n";
  const auto from = whole.find(begin) + begin.size();
  const auto to = whole.find("<!-- end of folds -->");
  ASSERT_NE(to, std::string::npos) << page;
  if (std::getenv("MONOFOLD_UPDATE") != nullptr) {
    std::ofstream(page) << whole.substr(0, from) << table() << whole.substr(to);
    return;
  }
  EXPECT_EQ(whole.substr(from, to - from), table());
}

TEST(reference, ranges) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  const double* const pointer = values.data();
  const std::deque<double> queue(values.begin(), values.end());
  const std::int64_t rows = 2;
  const std::int64_t columns = 3;
  // [ranges]
  auto a = mf::reduce(values, mf::sum);                                    // any contiguous range
  auto b = mf::reduce(queue, mf::sum);                                     // random access, sized
  auto c = mf::reduce(mf::contiguous_view<double>(pointer, 6), mf::sum);   // pointer and count
  auto d = mf::reduce(mf::strided_view(pointer, rows, columns), mf::sum);  // the first column
  auto e = mf::reduce(mf::transform(values, [](double x) { return 2 * x; }), mf::sum);
  auto f = mf::reduce(mf::generate(6, [](std::int64_t i) { return double(i); }), mf::sum);
  auto g = mf::reduce(mf::zip(values, values), mf::dot);  // pairs with the same index
  // [/ranges]
  EXPECT_EQ((std::array{a, b, c, d, e, f, g}), (std::array<double, 7>{21, 21, 21, 5, 42, 15, 91}));
}

TEST(reference, calls) {
  const std::vector<double> values{1, -2, 3};
  // [calls]
  double all = mf::reduce(values, mf::sum);                    // on all cores; throws mf::error
  double few = mf::reduce(mf::cpu(2), values, mf::sum);        // at most two threads, the same bits
  mf::result<double> maybe = mf::try_reduce(values, mf::max);  // a value, or a status
  auto positive = mf::sum | mf::where([](double x) { return x > 0; });
  auto squares = mf::max | mf::map([](double x) { return x * x; });
  auto [sum, most] = mf::reduce(values, mf::all(positive, squares));  // one pass
  // [/calls]
  EXPECT_EQ(all, 2);
  EXPECT_EQ(few, 2);
  EXPECT_EQ(maybe.value(), 3);
  EXPECT_EQ(sum, 4);
  EXPECT_EQ(most, 9);
}

TEST(reference, running_state) {
  const std::vector<float> first(5000, 1.0F);
  const std::vector<float> second(300, 2.0F);
  // [running_state]
  mf::running_state<float, decltype(mf::sum)> left(mf::sum);
  left.push(first);  // chunks of any sizes: the bits of one call on all items
  mf::running_state<float, decltype(mf::sum)> right(mf::sum, left.count());  // its first index
  right.push(second);
  left.merge(right);                              // right starts where left ends
  std::vector<unsigned char> file = left.save();  // goes on elsewhere by load(file)
  double total = left.finish();                   // more may be pushed afterwards
  // [/running_state]
  EXPECT_EQ(total, 5600);
  mf::running_state<float, decltype(mf::sum)> loaded(mf::sum);
  loaded.load(file);
  EXPECT_EQ(loaded.finish(), 5600);
}

}  // namespace
