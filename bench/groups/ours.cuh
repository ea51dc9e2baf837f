#pragma once
/// bench/groups/ours: this library's calls by key as subjects.

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/gpu/check.cuh"
#include "bench/gpu/ours.cuh"
#include "bench/groups/cases.hpp"
#include "monofold/group_by.cuh"

namespace bench {

template <class T>
double value_at(const char* bytes) {
  T own;
  std::memcpy(&own, bytes, sizeof(own));
  return static_cast<double>(own);
}

template <class T>
std::vector<char> bytes_of(const std::vector<T>& values) {
  const char* const first = reinterpret_cast<const char*>(values.data());
  return {first, first + values.size() * sizeof(T)};
}

/// The first `count` values of a list of the device.
template <class T>
std::vector<T> brought(const T* from, std::int64_t count) {
  std::vector<T> out(static_cast<std::size_t>(count));
  check(cudaMemcpy(out.data(), from, out.size() * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return out;
}

template <class Item, class F>
using group_answer = mf::answer_t<mf::bound_fold_t<F, Item>>;

/// What stays on the device, as the bytes that the public calls give.
template <class Answer, class Key, class Left>
void bring(const mf::detail::device_list<Key>& keys, const mf::detail::device_list<Left>& left,
           cudaStream_t stream, found_groups& out) {
  check(cudaStreamSynchronize(stream), "groups");
  out.count = keys.size();
  const std::int64_t asked = std::min(out.most, out.count);
  out.keys = bytes_of(brought(keys.data(), asked));
  std::vector<Answer> answers;
  for (const Left& own : brought(left.data(), asked)) {
    if constexpr (std::is_same_v<Left, Answer>) {
      answers.push_back(own);
    } else {
      answers.push_back(mf::result<Answer>(own).value());
    }
  }
  out.answers = bytes_of(answers);
}

/// The work of a public call up to where it brings keys and answers to the host. `group` gives `use` the keys of the
/// groups and what is left of each.
template <class Key, class Item, class F, class Group>
groups_subject on_the_device(F fold, Group group) {
  using answer = group_answer<Item, F>;
  groups_subject made{"gpu", sizeof(answer), {}, {}, value_at<answer>, true};
  made.prepare = [](std::int64_t, std::int64_t) {};
  made.call = [=](const keyed_range& range, void* stream, found_groups* found) {
    const auto keys = mf::view_of(span_of<Key>(range.keys, range.count));
    const auto items = mf::view_of(span_of<Item>(range.items, range.count));
    mf::detail::device_stream on{};
    if (!mf::detail::open_groups(mf::gpu(static_cast<cudaStream_t>(stream)), keys, items, on)) {
      return;
    }
    group(on, mf::bind_fold<Item>(fold), keys, items, [&](const auto& own_keys, const auto& left) {
      if (found != nullptr) bring<answer>(own_keys, left, on.stream, *found);
    });
  };
  return made;
}

template <class Key, class Item, class F>
groups_subject our_runs(F fold) {
  return on_the_device<Key, Item>(fold, [](const auto& on, const auto& f, const auto& keys,
                                           const auto& items, const auto& use) {
    const auto runs = mf::detail::fold_runs(on, f, items, keys);
    use(runs.keys, runs.left);
  });
}

template <class Key, class Item, class F>
groups_subject our_groups(F fold, mf::key_order order) {
  return on_the_device<Key, Item>(fold, [order](const auto& on, const auto& f, const auto& keys,
                                                const auto& items, const auto& use) {
    const mf::detail::key_sort sorted(on, keys, items, order);
    use(sorted.groups().keys, mf::detail::left_of_groups(on, f, sorted.items(), sorted.groups()));
  });
}

template <class Grouped>
found_groups found_of(const Grouped& all) {
  const auto count = static_cast<std::int64_t>(all.keys.size());
  return {count, count, bytes_of(all.keys), bytes_of(all.answers)};
}

/// The public call: keys and answers come to vectors of the host.
template <class Key, class Item, class F>
groups_subject our_groups_on_the_host(F fold) {
  using answer = group_answer<Item, F>;
  groups_subject made{"gpu, to the host", sizeof(answer), {}, {}, value_at<answer>, true};
  made.prepare = [](std::int64_t, std::int64_t) {};
  made.call = [=](const keyed_range& range, void* stream, found_groups* found) {
    const auto all = mf::group_by(
        mf::gpu(static_cast<cudaStream_t>(stream)), span_of<Key>(range.keys, range.count),
        span_of<Item>(range.items, range.count), fold, mf::key_order::sorted);
    if (found != nullptr) *found = found_of(all);
  };
  return made;
}

template <class Key, class Item, class F>
groups_case runs_of(const char* op, F fold) {
  return {op, our_runs<Key, Item>(fold), [=](const keyed_range& host) {
            return found_of(mf::reduce_by_key(mf::cpu, span_of<Key>(host.keys, host.count),
                                              span_of<Item>(host.items, host.count), fold));
          }};
}

template <class Key, class Item, class F>
auto groups_on_cpu(F fold, mf::key_order order) {
  return [=](const keyed_range& host) {
    return found_of(mf::group_by(mf::cpu, span_of<Key>(host.keys, host.count),
                                 span_of<Item>(host.items, host.count), fold, order));
  };
}

template <class Key, class Item, class F>
groups_case groups_of(const char* op, F fold, mf::key_order order) {
  return {op, our_groups<Key, Item>(fold, order), groups_on_cpu<Key, Item>(fold, order)};
}

}  // namespace bench
