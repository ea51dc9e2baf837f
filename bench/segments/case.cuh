#pragma once
/// bench/segments/case: this library's reductions of segments, and CUB's, as subjects.

#include <memory>
#include <utility>

#include "bench/gpu/cub_peer.cuh"
#include "bench/gpu/ours.cuh"
#include "bench/segments/cases.hpp"
#include "monofold/reduce_segments.cuh"

namespace bench {

/// Calls `use` with the list as this library knows it.
template <class Use>
void use_list(const segment_list& list, const Use& use) {
  if (list.kind == list_kind::fixed) {
    use(mf::fixed_segments(list.length, list.count));
  } else {
    use(mf::offset_segments<std::int64_t>(list.offsets, list.count));
  }
}

/// `reduce_segments_into` with a workspace made beforehand.
template <class Item, class F>
segments_case segments_of(const char* op, F fold) {
  using answer = mf::finished_t<F, Item>;
  const auto workspace = std::make_shared<mf::gpu_workspace>();
  segments_case made{op,
                     {"gpu", sizeof(answer), {}, {}, {}},
                     {"gpu, whole array", sizeof(answer), {}, {}, {}},
                     on_cpu<Item>(fold)};
  made.subject.prepare = [=](const gpu_range& range, const segment_list& list) {
    use_list(list, [&](const auto& segments) {
      *workspace = mf::gpu_workspace(
          mf::workspace_bytes(span_of<Item>(range.items, range.count), segments, fold));
    });
  };
  made.subject.start = [=](const gpu_range& range, const segment_list& list, void* out,
                           void* stream) {
    use_list(list, [&](const auto& segments) {
      mf::reduce_segments_into(mf::gpu(static_cast<cudaStream_t>(stream)),
                               span_of<Item>(range.items, range.count), segments, fold,
                               static_cast<answer*>(out), *workspace);
    });
  };
  const gpu_subject whole = our_answer<Item>(fold);
  made.whole.prepare = [=](const gpu_range& range, const segment_list&) {
    whole.prepare(range.count);
  };
  made.whole.start = [=](const gpu_range& range, const segment_list&, void* out, void* stream) {
    whole.start(range, out, stream);
  };
  made.whole.value = made.subject.value = [](const void* at) {
    const answer& own = *static_cast<const answer*>(at);
    if constexpr (requires { own.has_value(); }) {
      return own.has_value() ? doubles_of(*own) : std::vector<double>{};
    } else {
      return doubles_of(own);
    }
  };
  return made;
}

/// `call` is one of CUB's: (temporary, bytes, items, out, list, stream).
template <class Item, class Out, class Call, class Value>
segments_subject cub_segments(const char* form, Call call, Value value) {
  const auto memory = std::make_shared<cub_memory>();
  segments_subject made{cub_name() + " " + form, sizeof(Out), {}, {}, {}};
  made.prepare = [=](const gpu_range& range, const segment_list& list) {
    std::size_t bytes = 0;
    check(call(nullptr, bytes, static_cast<const Item*>(range.items), static_cast<Out*>(nullptr),
               list, cudaStream_t{}),
          "CUB");
    memory->reserve(bytes);
  };
  made.start = [=](const gpu_range& range, const segment_list& list, void* out, void* stream) {
    std::size_t bytes = memory->bytes;
    check(call(memory->data, bytes, static_cast<const Item*>(range.items), static_cast<Out*>(out),
               list, static_cast<cudaStream_t>(stream)),
          "CUB");
  };
  made.value = [=](const void* at) {
    return std::vector<double>{static_cast<double>(value(*static_cast<const Out*>(at)))};
  };
  return made;
}

/// CUB joins `Item`s by `Op` as `Total`s, from `first` on.
template <class Item, class Total, class Op>
std::vector<segments_subject> cub_segments_by(Op op, Total first) {
  const auto value = [](Total own) { return own; };
  return {
    cub_segments<Item, Total>(
        "offsets",
        [=](void* memory, std::size_t& bytes, const Item* items, Total* out,
            const segment_list& list, cudaStream_t stream) {
          return cub::DeviceSegmentedReduce::Reduce(memory, bytes, items, out, list.count,
                                                    list.offsets, list.offsets + 1, op, first,
                                                    stream);
        },
        value),
#if CUB_VERSION >= 300100
        cub_segments<Item, Total>(
            "fixed",
            [=](void* memory, std::size_t& bytes, const Item* items, Total* out,
                const segment_list& list, cudaStream_t stream) {
              return cub::DeviceSegmentedReduce::Reduce(memory, bytes, items, out, list.count,
                                                        static_cast<int>(list.length), op, first,
                                                        stream);
            },
            value)
#endif
  };
}

template <class Item, class Total>
std::vector<segments_subject> cub_segment_sums() {
  return cub_segments_by<Item, Total>(cuda::std::plus<Total>{}, Total{});
}

}  // namespace bench
