/// runtime/reducer: chooses members for a request, hands items to their tree and answers from its state.

#include "runtime/reducer.hpp"

#include <algorithm>
#include <limits>

#include "monofold/engine/fetched.hpp"
#include "monofold/platform/sealed.hpp"
#include "runtime/any_engine.hpp"
#include "runtime/asked_members.hpp"
#include "runtime/exact_answers.hpp"
#include "runtime/exact_bytes.hpp"
#include "runtime/exact_words.hpp"
#include "runtime/gpu/device_pass.hpp"
#include "runtime/gpu/devices.hpp"
#include "runtime/quick_crc32.hpp"
#include "runtime/raw_items.hpp"
#include "runtime/running_tree.hpp"
#include "runtime/saved_request.hpp"
#include "runtime/subtract_states.hpp"

namespace monofold::runtime {

namespace {

void check_array(const void* items, std::int64_t count) {
  if (count < 0 || (count > 0 && items == nullptr)) {
    throw error(status::invalid_argument, "null items");
  }
}

[[noreturn]] void refuse_items() {
  throw error(status::invalid_argument, "items that were not there are taken out");
}

}  // namespace

/// What it holds, and what its calls ask of that.
struct reducer::parts : asked_members {
  parts(const request& what, std::int64_t first_index)
      : asked_members(what),
        needs_tree(runtime::depends_on_tree(wanted)),
        layout(kinds.size() == 1 ? exact_layout_of(kinds.front(), wanted.type) : exact_layout()),
        gpus(what.gpus),
        engine(members, work, what.num_threads, what.on_gpu, gpus),
        tree(engine, members, item_bytes(), first_index) {
    if (what.on_gpu) need_gpu();
  }
  parts(const parts&) = delete;  // tree points at engine and members
  parts& operator=(const parts&) = delete;

  /// Pairs are for dot, and for nothing else.
  void need_pairs(bool are_given) const {
    if ((wanted.ops.front() == operation::dot) == are_given) return;
    throw error(status::invalid_argument, are_given ? "pairs" : "no pairs");
  }

  raw_items raw(const void* left, const void* right, std::int64_t count) const {
    return {static_cast<const char*>(left), static_cast<const char*>(right), count, item_bytes()};
  }

  /// Finds what the GPU does, once.
  void need_gpu() {
    if (!work.places.empty() || members.empty()) return;
    if (find_gpus().devices.empty()) {
      throw error(status::device_unavailable, find_gpus().why_none);
    }
    work = make_device_work(member_requests());
    const int there = static_cast<int>(find_gpus().devices.size()) - gpus.first;
    if (gpus.count == 0) gpus.count = there;
    if (gpus.count > there || gpus.count < 1)
      throw error(status::device_unavailable, "no such GPU");
  }

  void need_device_folds() {
    need_gpu();
    for (const std::int64_t place : work.places) {
      if (place == device_pass::nowhere) throw error(status::unsupported, "no fold for a GPU");
    }
  }

  /// The answers about `count` items by their states, or null where there are none.
  std::vector<answer> finish(const member_states* all, std::int64_t count, rounding how) const {
    std::vector<answer> answers;
    answers.reserve(wanted.ops.size());
    asked_members::finish(
        all, count, [how](std::size_t) { return how; },
        [&](answer one) { answers.push_back(std::move(one)); });
    return answers;
  }

  /// The state of member i for the items of `whole` without those of `taken`.
  std::unique_ptr<state_box> subtracted(std::size_t i, bool has_items, const state_box& whole,
                                        state_box& taken) const {
    if (const exact_layout own = exact_layout_of(kinds[i], wanted.type)) {
      std::unique_ptr<state_box> rest = whole.clone();
      if (!subtract_words(own, exact_words_of(own, *rest), exact_words_of(own, taken)))
        refuse_items();
      return rest;
    }
    byte_writer own, part;
    members[i]->write(own, whole);
    members[i]->write(part, taken);
    std::vector<unsigned char> bytes = std::move(own).take();
    if (!subtract_state(kinds[i], has_items, bytes, part.bytes())) {
      refuse_items();
    }
    byte_reader in(bytes);
    std::unique_ptr<state_box> rest = members[i]->read(in);
    if (wanted.nan == nan_policy::raise && kinds[i] == nan_family(wanted)) {
      const answer nan = members[i]->finish(operation::nan, rest.get(), {});
      if (nan.first_nan < 0 && std::get<std::int64_t>(nan.values.front()) > 0) {
        throw error(status::invalid_argument, "the first NaN is taken out, and others are left");
      }
    }
    return rest;
  }

  void push_device_items(const raw_items& items) {
    need_device_folds();
    const auto on_host = [](const char* from, std::int64_t bytes) {
      std::vector<char> held(static_cast<std::size_t>(bytes));
      if (from != nullptr) copy_from_device(held.data(), from, bytes);
      return held;
    };
    tree.push_by_tiles(
        items.count,
        [&](std::int64_t at, std::int64_t n, std::int64_t tile, std::int64_t index,
            any_engine::joiner& out) {
          engine.fold_on_device(items.part(at, n), tile, index, out);
        },
        [&](std::int64_t at, std::int64_t n) {
          const raw_items some = items.part(at, n);
          const std::vector<char> left = on_host(some.left, n * some.stride());
          const std::vector<char> right = on_host(some.right, n * some.stride());
          tree.push(raw(left.data(), some.right != nullptr ? right.data() : nullptr, n));
        });
  }

  /// The words of the state, where all is one that has words; else null.
  std::uint64_t* words() const {
    const member_states* const all = layout ? tree.settled() : nullptr;
    return all != nullptr ? exact_words_of(layout, *all->parts.front()) : nullptr;
  }

  bool needs_tree;
  exact_layout layout;  // of the only member's states
  device_work work;     // where a GPU was asked for
  gpu_span gpus;
  any_engine engine;
  running_tree tree;
};

reducer::reducer(const request& what, std::int64_t first_index)
    : own_(std::make_unique<parts>(what, first_index)) {}
reducer::reducer(reducer&&) noexcept = default;
reducer& reducer::operator=(reducer&&) noexcept = default;
reducer::~reducer() = default;

const request& reducer::what() const { return own_->wanted; }
bool reducer::depends_on_tree() const { return own_->needs_tree; }
std::int64_t reducer::first_index() const { return own_->tree.first_index(); }
std::int64_t reducer::count() const { return own_->tree.count(); }

void reducer::push(const void* items, std::int64_t count) {
  own_->need_pairs(false);
  check_array(items, count);
  own_->tree.push(own_->raw(items, nullptr, count));
}

void reducer::push_pairs(const void* left, const void* right, std::int64_t count) {
  own_->need_pairs(true);
  check_array(left, count);
  check_array(right, count);
  own_->tree.push(own_->raw(left, right, count));
}

void reducer::push_fetched(const item_source& from, std::int64_t count) {
  if (count < 0) throw error(status::invalid_argument, "negative count");
  const int item_bytes = own_->item_bytes();
  own_->tree.push_by_tiles(
      count,
      [&](std::int64_t at, std::int64_t n, std::int64_t tile, std::int64_t index,
          any_engine::joiner& out) {
        own_->engine.fold_fetched(from, at, n, item_bytes, tile, index, out);
      },
      [&](std::int64_t at, std::int64_t n) {
        const auto buffer = monofold::detail::make_aligned(n * item_bytes);
        own_->tree.push(own_->raw(from.fetch(at, n, buffer.get()), nullptr, n));
      });
}

void reducer::push_device(const void* items, std::int64_t count) {
  own_->need_pairs(false);
  check_array(items, count);
  own_->push_device_items(own_->raw(items, nullptr, count));
}

void reducer::push_device_pairs(const void* left, const void* right, std::int64_t count) {
  own_->need_pairs(true);
  check_array(left, count);
  check_array(right, count);
  own_->push_device_items(own_->raw(left, right, count));
}

void reducer::push_whole_device(const void* left, const void* right, std::int64_t count) {
  own_->need_pairs(right != nullptr);
  if (count < 0 || this->count() != 0) throw error(status::invalid_argument, "count");
  if (count == 0) return;
  own_->need_device_folds();
  own_->tree.append(own_->engine.fold_whole(own_->raw(left, right, count), first_index()), count);
}

void reducer::expect_device() { own_->need_device_folds(); }

std::vector<answer> reducer::answers_about_device(const void* items, std::int64_t count) const {
  own_->need_pairs(false);
  check_array(items, count);
  if (count == 0) return own_->finish(nullptr, 0, rounding::native);
  const member_states all =
      own_->engine.fold_whole(own_->raw(items, nullptr, count), first_index());
  return own_->finish(&all, count, rounding::native);
}

std::vector<answer> reducer::answers_about_pairs(const void* left, const void* right,
                                                 std::int64_t count, rounding how) const {
  own_->need_pairs(true);
  check_array(left, count);
  check_array(right, count);
  if (count == 0) return own_->finish(nullptr, 0, how);
  const member_states all = own_->engine.fold_node(own_->raw(left, right, count), first_index());
  return own_->finish(&all, count, how);
}

void reducer::merge(const reducer& next) {
  if (!is_same_reduction(next.what(), what())) {
    throw error(status::invalid_argument, "merge of different reductions");
  }
  const bool are_words = own_->words() != nullptr && next.own_->words() != nullptr;
  if (are_words && next.first_index() == first_index() + count()) return append(next);
  own_->tree.merge(next.own_->tree);
}

void reducer::append(const reducer& next) {
  if (!is_same_reduction(next.what(), what())) {
    throw error(status::invalid_argument, "append of a different reduction");
  }
  if (next.count() > std::numeric_limits<std::int64_t>::max() - first_index() - count()) {
    throw error(status::invalid_argument, "more items than can be counted");
  }
  settle();
  std::uint64_t* const words = own_->words();
  const std::uint64_t* const added = next.own_->words();
  if (words == nullptr || added == nullptr) return own_->tree.append(next.own_->tree);
  add_words(own_->layout, words, added);  // they hold no indices
  own_->tree.count_on(next.count());
}

void reducer::subtract(const reducer& part) {
  if (!is_same_reduction(part.what(), what())) {
    throw error(status::invalid_argument, "subtract of a different reduction");
  }
  for (const family kind : own_->kinds) {
    if (can_subtract(kind, what().type)) continue;
    throw error(status::unsupported, text_of(what()) + " cannot subtract");
  }
  const std::int64_t left = count() - part.count();
  if (left < 0) throw error(status::invalid_argument, "fewer items than are taken out");
  if (part.count() == 0) return;
  settle();
  std::uint64_t* const words = own_->words();
  const std::uint64_t* const removed = part.own_->words();
  if (words != nullptr && removed != nullptr && words != removed) {
    if (!subtract_words(own_->layout, words, removed)) refuse_items();
    return left > 0 ? own_->tree.count_on(-part.count()) : own_->tree.replace({}, 0);
  }
  member_states rest;
  rest.parts.reserve(own_->members.size());
  own_->tree.with_total([&](const member_states* whole) {
    part.own_->tree.with_total([&](const member_states* taken) {
      for (std::size_t i = 0; i < own_->members.size(); ++i) {
        rest.parts.push_back(own_->subtracted(i, left > 0, *whole->parts[i], *taken->parts[i]));
      }
    });
  });
  own_->tree.replace(std::move(rest), left);
}

reducer reducer::copy() const {
  reducer out(what(), first_index());
  out.own_->tree.assign(own_->tree);
  return out;
}

std::vector<answer> reducer::finish(rounding how) const {
  return own_->tree.with_total(
      [&](const member_states* all) { return own_->finish(all, count(), how); });
}

answer reducer::finish_at(std::size_t position, rounding how) const {
  return own_->tree.with_total([&](const member_states* all) {
    answer_context context = own_->context_of(count(), how);
    const answer nan = own_->look_for_nan(all, context);
    return own_->finish_op(what().ops[position], all, context, nan);
  });
}

bool reducer::find_exact_sum(std::size_t position, double& found) const {
  const operation op = what().ops[position];
  const exact_layout& layout = own_->layout;
  const std::uint64_t* const words = own_->words();
  if (words == nullptr || op == operation::count || layout.kind == family::moments) return false;
  const result<double> answer = exact_sum(op, counts_of(layout, words), leading_of(layout, words),
                                          own_->context_of(count(), rounding::native));
  if (answer) found = *answer;
  return static_cast<bool>(answer);
}

void reducer::settle() {
  if (!depends_on_tree()) own_->tree.settle();
}

std::vector<unsigned char> reducer::save() const {
  byte_writer out;
  encode_request(out, what());
  own_->tree.save(out, !depends_on_tree());
  return monofold::detail::seal_by(saved_reducer, out.bytes(), quick_crc32_of);
}

std::size_t reducer::save_into(std::span<unsigned char> out) const {
  const std::uint64_t* const words = own_->words();
  if (words == nullptr) return 0;
  const auto num_words = static_cast<std::size_t>(own_->layout.num_words());
  return save_words(what(), first_index(), count(), {words, num_words}, out);
}

reducer reducer::load(std::span<const unsigned char> bytes, int num_threads) {
  const unsealed saved = unseal(bytes);
  if (saved.name != saved_reducer) {
    // Not by its name: who knows what that holds.
    throw error(status::malformed_state, "that of another kind of reduction");
  }
  byte_reader in(saved.payload, saved.version);
  request what = decode_request(in);
  what.num_threads = num_threads;
  try {
    check_request(what);
  } catch (const error& wrong) {
    throw error(status::malformed_state, wrong.what());
  }
  reducer out(what);
  out.own_->tree.load(in);
  return out;
}

}  // namespace monofold::runtime
