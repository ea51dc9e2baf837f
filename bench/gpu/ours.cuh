#pragma once
/// bench/gpu/ours: this library's reductions as subjects.

#include <cuda_runtime.h>

#include <memory>
#include <span>
#include <type_traits>

#include "bench/gpu/cases.hpp"
#include "monofold/monofold.cuh"

namespace bench {

namespace mf = monofold;

template <class Item>
std::span<const Item> span_of(const void* items, std::int64_t count) {
  return {static_cast<const Item*>(items), static_cast<std::size_t>(count)};
}

/// Answers as doubles.
template <class Answer>
void append(std::vector<double>& out, const Answer& answer) {
  if constexpr (requires { answer.argmin; }) {
    out.push_back(static_cast<double>(answer.min));
    out.push_back(static_cast<double>(answer.max));
    out.push_back(static_cast<double>(answer.argmin));
    out.push_back(static_cast<double>(answer.argmax));
  } else if constexpr (requires { std::tuple_size<Answer>::value; }) {
    std::apply([&](const auto&... each) { (append(out, each), ...); }, answer);
  } else if constexpr (requires { answer.d; }) {
    out.push_back(answer.a);
    out.push_back(answer.b);
    out.push_back(answer.c);
    out.push_back(answer.d);
  } else {
    out.push_back(static_cast<double>(answer));
  }
}
template <class Answer>
std::vector<double> doubles_of(const Answer& answer) {
  std::vector<double> out;
  append(out, answer);
  return out;
}

/// A subject that start(engine, view, out, workspace) starts on what view_of(range) makes of a range, with a workspace
/// made beforehand.
template <class F, class ViewOf, class Start>
gpu_subject subject_of(F fold, ViewOf view_of, Start start) {
  const auto workspace = std::make_shared<mf::gpu_workspace>();
  gpu_subject made;
  made.path = "gpu";
  made.prepare = [=](std::int64_t count) {
    *workspace = mf::gpu_workspace(mf::workspace_bytes(view_of({nullptr, count}), fold));
  };
  made.start = [=](const gpu_range& range, void* out, void* stream) {
    start(mf::gpu(static_cast<cudaStream_t>(stream)), view_of(range), out, *workspace);
  };
  return made;
}

/// A range as `count` items.
template <class Item>
struct as_items {
  std::span<const Item> operator()(const gpu_range& range) const {
    return span_of<Item>(range.items, range.count);
  }
};

/// `fold_into`, on the items that view_of(range) has.
template <class Item, class F, class ViewOf = as_items<Item>>
gpu_subject ours(F fold, ViewOf view_of = {}) {
  using state = typename mf::bound_fold_t<F, Item>::state;
  static_assert(sizeof(state) <= 2048);  // the room for results
  gpu_subject made = subject_of(
      fold, view_of, [=](const auto& engine, const auto& items, void* out, const auto& workspace) {
        mf::fold_into(engine, items, fold, static_cast<state*>(out), workspace);
      });
  made.values = [=](const void* out) {
    const auto answer =
        mf::finish_state(mf::bind_fold<Item>(fold), *static_cast<const state*>(out));
    return answer ? doubles_of(*answer) : std::vector<double>{};
  };
  return made;
}

/// `reduce_into`: the answer, as CUB leaves it.
template <class Item, class F>
gpu_subject our_answer(F fold) {
  using answer = mf::finished_t<F, Item>;
  gpu_subject made =
      subject_of(fold, as_items<Item>{},
                 [=](const auto& engine, const auto& items, void* out, const auto& workspace) {
                   mf::reduce_into(engine, items, fold, static_cast<answer*>(out), workspace);
                 });
  made.values = [](const void* out) {
    const answer& own = *static_cast<const answer*>(out);
    if constexpr (requires { *own; }) {
      return own ? doubles_of(*own) : std::vector<double>{};
    } else {
      return doubles_of(own);
    }
  };
  return made;
}

/// The CPU engine, on the same items.
template <class Item, class F, class ViewOf = as_items<Item>>
auto on_cpu(F fold, ViewOf view_of = {}) {
  return [=](const void* items, std::int64_t count) {
    const auto answer = mf::try_reduce(mf::cpu, view_of({items, count}), fold);
    return answer ? doubles_of(*answer) : std::vector<double>{};
  };
}

template <class Item, class F>
gpu_waiting_subject ours_waiting(F fold) {
  return {"gpu", [=](const gpu_range& range) {
            return static_cast<double>(
                mf::reduce(mf::gpu, span_of<Item>(range.items, range.count), fold));
          }};
}

/// 1 KiB, 4 KiB, 16 KiB, .. 16 GiB.
inline std::vector<std::int64_t> all_sizes() {
  std::vector<std::int64_t> sizes;
  for (std::int64_t bytes = 1 << 10; bytes <= std::int64_t{16} << 30; bytes *= 4) {
    sizes.push_back(bytes);
  }
  return sizes;
}
inline std::vector<std::int64_t> large_sizes() {
  return {std::int64_t{1} << 20, std::int64_t{256} << 20, std::int64_t{4} << 30};
}

}  // namespace bench
