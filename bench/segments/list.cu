#include "bench/segments/list.hpp"

#include "bench/gpu/check.cuh"
#include "bench/gpu/mixed.cuh"

namespace bench {

namespace {

__global__ void offsets_kernel(segment_list list, std::int64_t* out) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t s = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; s <= list.count;
       s += step) {
    std::int64_t at = s * list.length;
    if (list.kind == list_kind::mixed && s > 0) {
      // Ends that are off by up to a length: neighbours of them stay in order.
      at += static_cast<std::int64_t>(mixed(static_cast<std::uint64_t>(s)) %
                                      static_cast<std::uint64_t>(list.length + 1));
    }
    if (list.kind == list_kind::giant && s > list.count / 2) {
      at += list.num_items - list.count * list.length;
    }
    out[s] = s < list.count ? at : list.num_items;
  }
}

}  // namespace

const char* name_of(list_kind kind) {
  static constexpr const char* names[] = {"fixed", "offsets", "mixed", "giant"};
  return names[static_cast<int>(kind)];
}

offset_memory::offset_memory(std::int64_t max_segments)
    : max_segments_(max_segments), memory_(8 * (max_segments + 1)) {}

segment_list offset_memory::list_of(list_kind kind, std::int64_t length, std::int64_t num_items) {
  auto* const offsets = reinterpret_cast<std::int64_t*>(memory_.data());
  segment_list out{kind, length, num_items / length, num_items, offsets};
  if (kind == list_kind::giant) out.count = num_items / 2 / length;
  if (kind == list_kind::fixed || kind == list_kind::offsets) out.num_items = out.count * length;
  if (kind == list_kind::mixed && out.count < 8) out.count = 0;
  if (out.count > max_segments_) out.count = 0;
  if (out.count == 0) return out;
  offsets_kernel<<<2048, 256>>>(out, offsets);
  check(cudaDeviceSynchronize(), "filling the offsets");
  return out;
}

std::pair<std::int64_t, std::int64_t> ends_of(const segment_list& list, std::int64_t segment) {
  std::int64_t ends[2] = {};
  check(cudaMemcpy(ends, list.offsets + segment, sizeof(ends), cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  return {ends[0], ends[1]};
}

std::vector<char> answer_of(const void* answers, std::int64_t segment, std::int64_t bytes) {
  std::vector<char> out(static_cast<std::size_t>(bytes));
  check(cudaMemcpy(out.data(), static_cast<const char*>(answers) + segment * bytes, out.size(),
                   cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  return out;
}

}  // namespace bench
