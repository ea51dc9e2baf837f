/// runtime/reducer: chooses members for a request, hands items to their tree and answers from its state.

#include "runtime/reducer.hpp"

#include <algorithm>
#include <limits>

#include "monofold/engine/fetched.hpp"
#include "monofold/platform/sealed.hpp"
#include "runtime/answers.hpp"
#include "runtime/any_engine.hpp"
#include "runtime/families.hpp"
#include "runtime/gpu/device_pass.hpp"
#include "runtime/gpu/devices.hpp"
#include "runtime/member.hpp"
#include "runtime/raw_items.hpp"
#include "runtime/request_rules.hpp"
#include "runtime/running_tree.hpp"
#include "runtime/saved_request.hpp"

namespace monofold::runtime {

namespace {

void check_array(const void* items, std::int64_t count) {
  if (count < 0 || (count > 0 && items == nullptr)) {
    throw error(status::invalid_argument, "null items");
  }
}

}  // namespace

class reducer::implementation {
 public:
  implementation(const request& what, std::int64_t first_index)
      : request_((check_request(what), exact_where_integer(what))),
        kinds_(families_of(request_)),
        members_(make_members()),
        engine_(members_, device_work_, what.num_threads, what.on_gpu),
        tree_(engine_, members_, item_bytes(), first_index) {
    if (what.on_gpu) need_gpu();
  }
  implementation(const implementation&) = delete;  // tree_ points at engine_ and members_
  implementation& operator=(const implementation&) = delete;

  void push(const void* items, std::int64_t count) {
    need_pairs(false);
    check_array(items, count);
    tree_.push(raw(items, nullptr, count));
  }

  void push_pairs(const void* left, const void* right, std::int64_t count) {
    need_pairs(true);
    check_array(left, count);
    check_array(right, count);
    tree_.push(raw(left, right, count));
  }

  void push_fetched(const item_source& from, std::int64_t count) {
    need_pairs(false);
    if (count < 0) throw error(status::invalid_argument, "negative count");
    tree_.push_by_tiles(
        count,
        [&](std::int64_t at, std::int64_t n, std::int64_t tile, std::int64_t index,
            any_engine::joiner& out) {
          engine_.fold_fetched(from, at, n, item_bytes(), tile, index, out);
        },
        [&](std::int64_t at, std::int64_t n) {
          const auto buffer = monofold::detail::make_aligned(n * item_bytes());
          tree_.push(raw(from.fetch(at, n, buffer.get()), nullptr, n));
        });
  }

  void push_device(const void* items, std::int64_t count) {
    need_pairs(false);
    check_array(items, count);
    push_device_items(raw(items, nullptr, count));
  }

  void push_device_pairs(const void* left, const void* right, std::int64_t count) {
    need_pairs(true);
    check_array(left, count);
    check_array(right, count);
    push_device_items(raw(left, right, count));
  }

  void push_whole_device(const void* left, const void* right, std::int64_t count) {
    need_pairs(right != nullptr);
    if (count < 0 || this->count() != 0) throw error(status::invalid_argument, "count");
    if (count == 0) return;
    need_device_folds();
    tree_.append(engine_.fold_whole(raw(left, right, count), first_index()), count);
  }

  void merge(const implementation& next) {
    if (!is_same_reduction(next.request_, request_)) {
      throw error(status::invalid_argument, "merge of different reductions");
    }
    tree_.merge(next.tree_);
  }

  void append(const implementation& next) {
    if (!is_same_reduction(next.request_, request_)) {
      throw error(status::invalid_argument, "append of a different reduction");
    }
    if (next.count() > std::numeric_limits<std::int64_t>::max() - first_index() - count()) {
      throw error(status::invalid_argument, "more items than can be counted");
    }
    const result<member_states> all = next.tree_.total();
    if (!all) return;
    const std::int64_t offset = first_index() + count() - next.first_index();
    member_states moved;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      moved.parts.push_back(members_[i]->moved(*all->parts[i], offset));
    }
    tree_.append(moved, next.count());
  }

  std::vector<unsigned char> save() const {
    byte_writer out;
    encode_request(out, request_);
    tree_.save(out, !depends_on_tree(request_));
    return seal(saved_reducer, out.bytes());
  }

  void load(byte_reader& in) { tree_.load(in); }

  const request& what() const { return request_; }
  std::int64_t first_index() const { return tree_.first_index(); }
  std::int64_t count() const { return tree_.count(); }

  std::vector<answer> finish() const {
    const result<member_states> total = tree_.total();
    const member_states* const all = total ? &*total : nullptr;
    answer_context context{request_.ddof, count(), request_.nan == nan_policy::omit};
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
  /// Pairs are for dot, and for nothing else.
  void need_pairs(bool are_given) const {
    if ((request_.ops.front() == operation::dot) == are_given) return;
    throw error(status::invalid_argument, are_given ? "pairs" : "no pairs");
  }

  raw_items raw(const void* left, const void* right, std::int64_t count) const {
    return {static_cast<const char*>(left), static_cast<const char*>(right), count, item_bytes()};
  }

  /// Finds what the GPU does, once.
  void need_gpu() {
    if (!device_work_.places.empty() || members_.empty()) return;
    if (find_gpus().devices.empty()) {
      throw error(status::device_unavailable, find_gpus().why_none);
    }
    device_work_ = make_device_work(member_requests());
  }

  void need_device_folds() {
    need_gpu();
    for (const std::int64_t place : device_work_.places) {
      if (place == device_pass::nowhere) throw error(status::unsupported, "no fold for a GPU");
    }
  }

  void push_device_items(const raw_items& items) {
    need_device_folds();
    const auto on_host = [](const char* from, std::int64_t bytes) {
      std::vector<char> held(static_cast<std::size_t>(bytes));
      if (from != nullptr) copy_from_device(held.data(), from, bytes);
      return held;
    };
    tree_.push_by_tiles(
        items.count,
        [&](std::int64_t at, std::int64_t n, std::int64_t tile, std::int64_t index,
            any_engine::joiner& out) {
          engine_.fold_on_device(items.part(at, n), tile, index, out);
        },
        [&](std::int64_t at, std::int64_t n) {
          const raw_items some = items.part(at, n);
          const std::vector<char> left = on_host(some.left, n * some.stride());
          const std::vector<char> right = on_host(some.right, n * some.stride());
          tree_.push(raw(left.data(), some.right != nullptr ? right.data() : nullptr, n));
        });
  }

  int item_bytes() const {
    const int bytes = monofold::info(request_.type).size_bytes;
    return request_.ops.front() == operation::dot ? 2 * bytes : bytes;
  }

  std::vector<member_request> member_requests() const {
    std::vector<member_request> all;
    for (const family kind : kinds_) {
      all.push_back({kind, request_.type, request_.nan == nan_policy::omit, request_.k});
    }
    return all;
  }

  member_list make_members() const {
    member_list members;
    for (const member_request& one : member_requests()) members.push_back(make_member(one));
    return members;
  }

  bool has(family kind) const {
    return std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end();
  }

  answer finish_one(operation op, family kind, const member_states* all,
                    const answer_context& context) const {
    const auto at =
        static_cast<std::size_t>(std::find(kinds_.begin(), kinds_.end(), kind) - kinds_.begin());
    return members_[at]->finish(op, all != nullptr ? all->parts[at].get() : nullptr, context);
  }

  answer finish_op(operation op, const member_states* all, const answer_context& context,
                   const answer& nan) const {
    const bool counts = op == operation::count || op == operation::nan;
    if (request_.nan == nan_policy::raise && nan.first_nan >= 0 && !counts) {
      answer out = failed(op, status::nan_found);
      out.first_nan = nan.first_nan;
      return out;
    }
    if (op == operation::count) return one_number(op, context.count);
    if (op == operation::mean && context.count == 0) return failed(op, status::empty_input);
    return finish_one(op, answering_family(op, request_.plain, kinds_), all, context);
  }

  request request_;
  std::vector<family> kinds_;
  member_list members_;
  device_work device_work_;  // where a GPU was asked for
  any_engine engine_;
  running_tree tree_;
};

reducer::reducer(const request& what, std::int64_t first_index)
    : implementation_(std::make_unique<implementation>(what, first_index)) {}
reducer::reducer(reducer&&) noexcept = default;
reducer& reducer::operator=(reducer&&) noexcept = default;
reducer::~reducer() = default;

void reducer::push(const void* items, std::int64_t count) { implementation_->push(items, count); }
void reducer::push_fetched(const item_source& from, std::int64_t count) {
  implementation_->push_fetched(from, count);
}
void reducer::push_pairs(const void* left, const void* right, std::int64_t count) {
  implementation_->push_pairs(left, right, count);
}
void reducer::push_device(const void* items, std::int64_t count) {
  implementation_->push_device(items, count);
}
void reducer::push_device_pairs(const void* left, const void* right, std::int64_t count) {
  implementation_->push_device_pairs(left, right, count);
}
void reducer::push_whole_device(const void* left, const void* right, std::int64_t count) {
  implementation_->push_whole_device(left, right, count);
}
void reducer::merge(const reducer& next) { implementation_->merge(*next.implementation_); }
void reducer::append(const reducer& next) { implementation_->append(*next.implementation_); }
const request& reducer::what() const { return implementation_->what(); }
std::int64_t reducer::first_index() const { return implementation_->first_index(); }
std::int64_t reducer::count() const { return implementation_->count(); }
std::vector<unsigned char> reducer::save() const { return implementation_->save(); }

reducer reducer::load(std::span<const unsigned char> bytes, int num_threads) {
  const unsealed saved = unseal(bytes);
  if (saved.name != saved_reducer) {
    // Not by its name: who knows what that holds.
    throw error(status::malformed_state, "that of another kind of reduction");
  }
  byte_reader in(saved.payload);
  request what = decode_request(in);
  what.num_threads = num_threads;
  try {
    check_request(what);
  } catch (const error& wrong) {
    throw error(status::malformed_state, wrong.what());
  }
  reducer out(what);
  out.implementation_->load(in);
  return out;
}
std::vector<answer> reducer::finish() const { return implementation_->finish(); }

}  // namespace monofold::runtime
