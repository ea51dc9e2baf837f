/// runtime/reducer: chooses members for a request and runs them on the CPU engine.

#include "runtime/reducer.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <variant>

#include "monofold/engine/cpu.hpp"
#include "monofold/running_state.hpp"
#include "runtime/answers.hpp"
#include "runtime/erased_fold.hpp"
#include "runtime/member.hpp"

namespace monofold::runtime {

namespace {

template <int bytes>
using running = running_state<raw_item<bytes>, erased_fold<raw_item<bytes>>>;
using any_running = std::variant<running<1>, running<2>, running<4>, running<8>, running<16>>;

/// The family that answers an operation; none for the count, which the reducer knows itself.
std::optional<family> family_of(operation op, bool plain) {
  switch (op) {
    case operation::count: return std::nullopt;
    case operation::sum:
    case operation::mean: return plain ? family::plain_sum : family::sum;
    case operation::prod: return family::product;
    case operation::var:
    case operation::std: return family::moments;
    case operation::min:
    case operation::argmin: return family::minimum;
    case operation::max:
    case operation::argmax: return family::maximum;
    case operation::minmax: return family::extrema;
    case operation::top: return family::largest;
    case operation::bottom: return family::smallest;
    case operation::any:
    case operation::all:
    case operation::nonzero: return family::logical;
    case operation::norm1: return family::norm1;
    case operation::norm2: return family::norm2;
    case operation::norminf: return family::norm_inf;
    case operation::dot: return family::dot;
    case operation::bit_and: return family::bit_and;
    case operation::bit_or: return family::bit_or;
    case operation::bit_xor: return family::bit_xor;
    case operation::nan: break;
  }
  return family::nan_count;
}

void check(const request& what) {
  if (what.ops.empty()) throw error(status::invalid_argument, "no operation");
  if (what.ddof < 0) throw error(status::invalid_argument, "ddof is negative");
  if (what.num_threads < 0) throw error(status::invalid_argument, "num_threads is negative");
  for (const operation op : what.ops) {
    const std::string name(info(op).name);
    if (!is_defined(op, what.type)) {
      throw error(status::unsupported, name + " of " + std::string(monofold::info(what.type).name));
    }
    if (op == operation::dot && what.ops.size() > 1) {
      throw error(status::unsupported, "dot together with other operations");
    }
    if ((op == operation::top || op == operation::bottom) && what.k < 1) {
      throw error(status::invalid_argument, "k is less than 1");
    }
  }
}

/// Sums of integers are exact, plain or not.
request exact_where_integer(request what) {
  what.plain = what.plain && monofold::info(what.type).is_floating;
  return what;
}

/// Whether two requests have the same states and answers: threads change neither.
bool is_same_reduction(const request& left, const request& right) {
  return left.type == right.type && left.ops == right.ops && left.nan == right.nan &&
         left.ddof == right.ddof && left.k == right.k && left.plain == right.plain;
}

/// The family that counts NaN: of pairs it is the products that count.
family nan_family(const request& what) {
  return what.ops.front() == operation::dot ? family::pair_nan_count : family::nan_count;
}

/// What `family::summary` computes in one loop.
constexpr std::array summarised{family::sum,     family::moments, family::minimum,
                                family::maximum, family::extrema, family::nan_count};

/// Replaces families by `summary` where that saves a look at the items.
void summarise(std::vector<family>& kinds) {
  const auto has = [&](family kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  const bool ends = has(family::minimum) || has(family::maximum) || has(family::extrema);
  if (!has(family::moments) || !(ends || has(family::sum))) return;
  for (const family kind : summarised) std::erase(kinds, kind);
  kinds.push_back(family::summary);
}

/// The families that a request needs, each once.
std::vector<family> families_of(const request& what) {
  std::vector<family> kinds;
  for (const operation op : what.ops) {
    if (const auto kind = family_of(op, what.plain)) kinds.push_back(*kind);
  }
  const auto has = [&](family kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  // Both ends together read the items once.
  if (has(family::extrema) || (has(family::minimum) && has(family::maximum))) {
    std::erase(kinds, family::minimum);
    std::erase(kinds, family::maximum);
    kinds.push_back(family::extrema);
  }
  // The moments of integers hold the exact sum.
  if (has(family::moments) && !monofold::info(what.type).is_floating) {
    std::erase(kinds, family::sum);
  }
  // Whether there are NaN decides about errors under `raise` and about counts under `omit`.
  if (what.nan != nan_policy::propagate && monofold::info(what.type).is_floating) {
    kinds.push_back(nan_family(what));
  }
  if (what.nan != nan_policy::omit) summarise(kinds);
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  return kinds;
}

any_running make_running(int item_bytes, const std::vector<std::unique_ptr<member>>* members,
                         std::int64_t first_index, int num_threads) {
  const cpu_engine engine = cpu(num_threads);
  switch (item_bytes) {
    case 1: return running<1>(erased_fold<raw_item<1>>{members}, first_index, engine);
    case 2: return running<2>(erased_fold<raw_item<2>>{members}, first_index, engine);
    case 4: return running<4>(erased_fold<raw_item<4>>{members}, first_index, engine);
    case 8: return running<8>(erased_fold<raw_item<8>>{members}, first_index, engine);
    default: return running<16>(erased_fold<raw_item<16>>{members}, first_index, engine);
  }
}

}  // namespace

class reducer::implementation {
 public:
  implementation(const request& what, std::int64_t first_index)
      : request_((check(what), exact_where_integer(what))),
        kinds_(families_of(request_)),
        members_(make_members()),
        state_(make_running(item_bytes(), &members_, first_index, what.num_threads)) {}
  implementation(const implementation&) = delete;  // state_ points at members_
  implementation& operator=(const implementation&) = delete;

  void push(const void* items, std::int64_t count) {
    if (request_.ops.front() == operation::dot) throw error(status::invalid_argument, "no pairs");
    std::visit(
        [&](auto& state) {
          using item = typename std::remove_cvref_t<decltype(state)>::item_type;
          state.push(static_cast<const item*>(items), count);
        },
        state_);
  }

  void push_pairs(const void* left, const void* right, std::int64_t count) {
    if (request_.ops.front() != operation::dot) throw error(status::invalid_argument, "pairs");
    if (count < 0 || (count > 0 && (left == nullptr || right == nullptr))) {
      throw error(status::invalid_argument, "null items");
    }
    std::visit(
        [&](auto& state) {
          using pair = typename std::remove_cvref_t<decltype(state)>::item_type;
          if constexpr (sizeof(pair) > 1) {
            using half = raw_item<static_cast<int>(sizeof(pair) / 2)>;
            const auto* const l = static_cast<const half*>(left);
            const auto* const r = static_cast<const half*>(right);
            state.push(generate(count, [l, r](std::int64_t i) {
              return std::bit_cast<pair>(std::array<half, 2>{l[i], r[i]});
            }));
          }
        },
        state_);
  }

  void merge(const implementation& next) {
    if (!is_same_reduction(next.request_, request_)) {
      throw error(status::invalid_argument, "merge of different reductions");
    }
    std::visit(
        [&](auto& state) {
          state.merge(std::get<std::remove_cvref_t<decltype(state)>>(next.state_));
        },
        state_);
  }

  std::int64_t count() const {
    return std::visit([](const auto& state) { return state.count(); }, state_);
  }

  std::vector<answer> finish() const {
    const result<erased_state> total =
        std::visit([](const auto& state) { return state.total(); }, state_);
    const erased_state* const all = total ? &*total : nullptr;
    answer_context context{request_.ddof, count()};
    answer nan{operation::nan};
    const family nans = has(family::summary) ? family::summary : nan_family(request_);
    if (has(nans)) {
      nan = finish_one(operation::nan, nans, all, context);
      if (request_.nan == nan_policy::omit) {
        context.count -= std::get<std::int64_t>(nan.values.front());
      }
    }
    std::vector<answer> answers;
    for (const operation op : request_.ops) {
      answers.push_back(finish_op(op, all, context, nan));
    }
    return answers;
  }

 private:
  int item_bytes() const {
    const int bytes = monofold::info(request_.type).size_bytes;
    return request_.ops.front() == operation::dot ? 2 * bytes : bytes;
  }

  std::vector<std::unique_ptr<member>> make_members() const {
    std::vector<std::unique_ptr<member>> members;
    for (const family kind : kinds_) {
      members.push_back(
          make_member({kind, request_.type, request_.nan == nan_policy::omit, request_.k}));
    }
    return members;
  }

  bool has(family kind) const {
    return std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end();
  }

  answer finish_one(operation op, family kind, const erased_state* all,
                    const answer_context& context) const {
    const auto at =
        static_cast<std::size_t>(std::find(kinds_.begin(), kinds_.end(), kind) - kinds_.begin());
    return members_[at]->finish(op, all != nullptr ? all->parts[at].get() : nullptr, context);
  }

  /// The family that answers in place of one that was left out: see `families_of`.
  family substitute_of(family kind) const {
    const bool is_in_summary =
        std::find(summarised.begin(), summarised.end(), kind) != summarised.end();
    if (has(family::summary) && is_in_summary) return family::summary;
    if (kind == family::minimum || kind == family::maximum) return family::extrema;
    return family::moments;
  }

  answer finish_op(operation op, const erased_state* all, const answer_context& context,
                   const answer& nan) const {
    const bool counts = op == operation::count || op == operation::nan;
    if (request_.nan == nan_policy::raise && nan.first_nan >= 0 && !counts) {
      answer out = failed(op, status::nan_found);
      out.first_nan = nan.first_nan;
      return out;
    }
    if (op == operation::count) return one_number(op, context.count);
    family kind = *family_of(op, request_.plain);
    if (!has(kind)) kind = substitute_of(kind);
    if (op == operation::mean && context.count == 0) return failed(op, status::empty_input);
    return finish_one(op, kind, all, context);
  }

  request request_;
  std::vector<family> kinds_;
  std::vector<std::unique_ptr<member>> members_;
  any_running state_;
};

reducer::reducer(const request& what, std::int64_t first_index)
    : implementation_(std::make_unique<implementation>(what, first_index)) {}
reducer::reducer(reducer&&) noexcept = default;
reducer& reducer::operator=(reducer&&) noexcept = default;
reducer::~reducer() = default;

void reducer::push(const void* items, std::int64_t count) { implementation_->push(items, count); }
void reducer::push_pairs(const void* left, const void* right, std::int64_t count) {
  implementation_->push_pairs(left, right, count);
}
void reducer::merge(const reducer& next) { implementation_->merge(*next.implementation_); }
std::int64_t reducer::count() const { return implementation_->count(); }
std::vector<answer> reducer::finish() const { return implementation_->finish(); }

}  // namespace monofold::runtime
