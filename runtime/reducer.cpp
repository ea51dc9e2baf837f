/// runtime/reducer: chooses members for a request and runs them on the CPU engine.

#include "runtime/reducer.hpp"

#include <algorithm>
#include <limits>
#include <variant>

#include "monofold/engine/cpu.hpp"
#include "monofold/running_state.hpp"
#include "runtime/answers.hpp"
#include "runtime/any_engine.hpp"
#include "runtime/erased_fold.hpp"
#include "runtime/families.hpp"
#include "runtime/fetched_items.hpp"
#include "runtime/gpu/device_member.hpp"
#include "runtime/gpu/devices.hpp"
#include "runtime/member.hpp"
#include "runtime/push_by_tiles.hpp"
#include "runtime/request_rules.hpp"
#include "runtime/saved_request.hpp"

namespace monofold::runtime {

namespace {

template <int bytes>
using running = running_state<raw_item<bytes>, erased_fold<raw_item<bytes>>, any_engine>;
using any_running = std::variant<running<1>, running<2>, running<4>, running<8>, running<16>>;

void check_array(const void* items, std::int64_t count) {
  if (count < 0 || (count > 0 && items == nullptr)) {
    throw error(status::invalid_argument, "null items");
  }
}

any_running make_running(int item_bytes, const std::vector<std::unique_ptr<member>>* members,
                         std::int64_t first_index, const any_engine& engine) {
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
      : request_((check_request(what), exact_where_integer(what))),
        kinds_(families_of(request_)),
        members_(make_members()),
        engine_{cpu(what.num_threads), what.on_gpu, false, &device_members_},
        state_(make_running(item_bytes(), &members_, first_index, engine_)) {
    if (what.on_gpu) need_gpu();
  }
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

  void push_fetched(const item_source& from, std::int64_t count) {
    if (request_.ops.front() == operation::dot) throw error(status::invalid_argument, "no pairs");
    if (count < 0) throw error(status::invalid_argument, "negative count");
    std::visit(
        [&](auto& state) {
          using item = typename std::remove_cvref_t<decltype(state)>::item_type;
          push_by_tiles(
              state, count,
              [&](std::int64_t at, std::int64_t n) {
                state.push(fetched_items<item>(from, at, n));
              },
              [&](std::int64_t at, std::int64_t n) {
                const auto buffer = monofold::detail::make_aligned(n * std::int64_t{sizeof(item)});
                state.push(static_cast<const item*>(from.fetch(at, n, buffer.get())), n);
              });
        },
        state_);
  }

  void push_device(const void* items, std::int64_t count) {
    if (request_.ops.front() == operation::dot) throw error(status::invalid_argument, "no pairs");
    check_array(items, count);
    need_device_members();
    std::visit(
        [&](auto& state) {
          using item = typename std::remove_cvref_t<decltype(state)>::item_type;
          const auto* const all = static_cast<const item*>(items);
          push_device_to(
              state, count,
              [&](std::int64_t at, std::int64_t n) { return contiguous_view<item>(all + at, n); },
              [&](std::int64_t at, std::int64_t n) {
                const std::vector<item> held = on_host(all + at, n);
                state.push(held.data(), n);
              });
        },
        state_);
  }

  void push_device_pairs(const void* left, const void* right, std::int64_t count) {
    if (request_.ops.front() != operation::dot) throw error(status::invalid_argument, "pairs");
    check_array(left, count);
    check_array(right, count);
    need_device_members();
    std::visit(
        [&](auto& state) {
          using pair = typename std::remove_cvref_t<decltype(state)>::item_type;
          if constexpr (sizeof(pair) > 1) {
            using half = typename raw_pairs<pair>::half;
            const auto* const l = static_cast<const half*>(left);
            const auto* const r = static_cast<const half*>(right);
            push_device_to(
                state, count,
                [&](std::int64_t at, std::int64_t n) { return raw_pairs<pair>(l + at, r + at, n); },
                [&](std::int64_t at, std::int64_t n) {
                  const std::vector<half> held_l = on_host(l + at, n);
                  const std::vector<half> held_r = on_host(r + at, n);
                  state.push(raw_pairs<pair>(held_l.data(), held_r.data(), n));
                });
          }
        },
        state_);
  }

  void push_whole_device(const void* left, const void* right, std::int64_t count) {
    if ((request_.ops.front() == operation::dot) != (right != nullptr)) {
      throw error(status::invalid_argument, "pairs");
    }
    if (count < 0 || this->count() != 0) throw error(status::invalid_argument, "count");
    if (count == 0) return;
    need_device_members();
    std::visit(
        [&](auto& state) {
          using item = typename std::remove_cvref_t<decltype(state)>::item_type;
          state.append(fold_whole(device_engine(), erased_fold<item>{&members_}, left, right, count,
                                  monofold::info(request_.type).size_bytes, state.first_index()),
                       count);
        },
        state_);
  }

  void push_pairs(const void* left, const void* right, std::int64_t count) {
    if (request_.ops.front() != operation::dot) throw error(status::invalid_argument, "pairs");
    check_array(left, count);
    check_array(right, count);
    std::visit(
        [&](auto& state) {
          using pair = typename std::remove_cvref_t<decltype(state)>::item_type;
          if constexpr (sizeof(pair) > 1) {
            using half = raw_item<static_cast<int>(sizeof(pair) / 2)>;
            const auto* const l = static_cast<const half*>(left);
            const auto* const r = static_cast<const half*>(right);
            state.push(raw_pairs<pair>(l, r, count));
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

  void append(const implementation& next) {
    if (!is_same_reduction(next.request_, request_)) {
      throw error(status::invalid_argument, "append of a different reduction");
    }
    if (next.count() > std::numeric_limits<std::int64_t>::max() - first_index() - count()) {
      throw error(status::invalid_argument, "more items than can be counted");
    }
    std::visit(
        [&](auto& state) {
          const auto& other = std::get<std::remove_cvref_t<decltype(state)>>(next.state_);
          const result<erased_state> all = other.total();
          if (!all) return;
          const std::int64_t offset = state.first_index() + state.count() - other.first_index();
          erased_state moved;
          for (std::size_t i = 0; i < members_.size(); ++i) {
            moved.parts.push_back(members_[i]->moved(*all->parts[i], offset));
          }
          state.append(moved, other.count());
        },
        state_);
  }

  std::vector<unsigned char> save() const {
    byte_writer out;
    encode_request(out, request_);
    std::visit(
        [&](const auto& state) {
          state.save_parts(out, !depends_on_tree(request_),
                           [&](byte_writer& to, const erased_state& value) {
                             for (std::size_t i = 0; i < members_.size(); ++i) {
                               members_[i]->write(to, *value.parts[i]);
                             }
                           });
        },
        state_);
    return seal(saved_reducer, out.bytes());
  }

  void load(byte_reader& in) {
    std::visit(
        [&](auto& state) {
          state.load_parts(in, [&](byte_reader& from) {
            erased_state value;
            for (const auto& one : members_) value.parts.push_back(one->read(from));
            return value;
          });
        },
        state_);
  }

  const request& what() const { return request_; }
  std::int64_t first_index() const {
    return std::visit([](const auto& state) { return state.first_index(); }, state_);
  }
  std::int64_t count() const {
    return std::visit([](const auto& state) { return state.count(); }, state_);
  }

  std::vector<answer> finish() const {
    const result<erased_state> total =
        std::visit([](const auto& state) { return state.total(); }, state_);
    const erased_state* const all = total ? &*total : nullptr;
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
  /// For items in memory of a GPU.
  any_engine device_engine() const { return {engine_.cpu, true, true, &device_members_}; }

  /// Makes the folds of the GPU, once.
  void need_gpu() {
    if (!device_members_.empty() || members_.empty()) return;
    if (find_gpus().devices.empty()) {
      throw error(status::device_unavailable, find_gpus().why_none);
    }
    for (const family kind : kinds_) {
      device_members_.push_back(
          make_device_member({kind, request_.type, request_.nan == nan_policy::omit, request_.k}));
    }
  }

  void need_device_members() {
    need_gpu();
    for (const auto& one : device_members_) {
      if (one == nullptr) throw error(status::unsupported, "no fold for a GPU");
    }
  }

  template <class State, class ViewOf, class PushHost>
  void push_device_to(State& state, std::int64_t count, const ViewOf& view_of,
                      const PushHost& push_host) {
    const auto push_whole = [&](std::int64_t at, std::int64_t n) {
      const engine_while in_use(state, device_engine(), engine_);
      state.push(view_of(at, n));
    };
    push_by_tiles(state, count, push_whole, push_host);
  }

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
    if (!has(kind)) kind = substitute_for(kind, kinds_);
    if (op == operation::mean && context.count == 0) return failed(op, status::empty_input);
    return finish_one(op, kind, all, context);
  }

  request request_;
  std::vector<family> kinds_;
  std::vector<std::unique_ptr<member>> members_;
  std::vector<std::unique_ptr<device_member>> device_members_;  // where a GPU was asked for
  any_engine engine_;
  any_running state_;
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
