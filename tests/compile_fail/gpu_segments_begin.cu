/// compile_fail/gpu_segments_begin: a kernel calls the beginnings of segments, which are for the host alone.
// EXPECT: calling a __host__ function\("pairs::begin

#include <cstddef>

#include "monofold/monofold.cuh"
#include "monofold/reduce_segments.cuh"

struct pairs {
  std::size_t size() const { return 4; }
  std::size_t begin(std::int64_t s) const { return 2 * static_cast<std::size_t>(s); }
  std::size_t end(std::int64_t s) const { return begin(s) + 2; }
};

auto answers(const monofold::contiguous_view<float>& items) {
  return monofold::reduce_segments(monofold::gpu, items, pairs{}, monofold::plain_sum);
}
