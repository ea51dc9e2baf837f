#include "bench/gpu/device.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "bench/gpu/check.cuh"
#include "bench/gpu/mixed.cuh"

namespace bench {

namespace {

__device__ double unit(std::uint64_t i) {
  return static_cast<double>(static_cast<std::int64_t>(mixed(i))) * 0x1p-63;
}
__device__ std::uint16_t half_bits(std::uint64_t i) {
  // Sign, exponent below 0, fraction: log-uniform in (-1, 1) with few subnormals.
  const auto r = static_cast<std::uint32_t>(mixed(i));
  return static_cast<std::uint16_t>((r & 0x83ffu) | ((r >> 16) % 15u) << 10);
}
__device__ std::uint16_t bfloat_bits(std::uint64_t i) {
  return static_cast<std::uint16_t>(__float_as_uint(static_cast<float>(unit(i))) >> 16);
}

/// Sixteen bytes of items at a time.
__global__ void fill_kernel(gpu_items type, uint4* out, std::uint64_t chunks) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t c = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; c < chunks;
       c += step) {
    union {
      uint4 all;
      float f32[4];
      double f64[2];
      std::uint16_t u16[8];
      std::uint64_t u64[2];
    } chunk;
    if (type == gpu_items::float32) {
      for (int i = 0; i < 4; ++i) chunk.f32[i] = static_cast<float>(unit(c * 4 + i));
    } else if (type == gpu_items::float64) {
      for (int i = 0; i < 2; ++i) chunk.f64[i] = unit(c * 2 + i);
    } else if (type == gpu_items::float16) {
      for (int i = 0; i < 8; ++i) chunk.u16[i] = half_bits(c * 8 + i);
    } else if (type == gpu_items::bfloat16) {
      for (int i = 0; i < 8; ++i) chunk.u16[i] = bfloat_bits(c * 8 + i);
    } else if (type == gpu_items::ascending_float32) {
      // Patterns of positive floats ascend as integers do.
      for (int i = 0; i < 4; ++i) {
        chunk.f32[i] = __uint_as_float(static_cast<std::uint32_t>(c * 4 + i) & 0x3fffffffu);
      }
    } else if (type == gpu_items::ascending_bfloat16) {
      for (int i = 0; i < 8; ++i) {
        chunk.u16[i] = static_cast<std::uint16_t>(((c * 8 + i) & 0x7fffffffu) * 0x7f00u >> 31);
      }
    } else if (type == gpu_items::matrix) {
      float sine;
      float cosine;
      sincospif(static_cast<float>(unit(c)), &sine, &cosine);
      chunk.f32[0] = cosine;
      chunk.f32[1] = -sine;
      chunk.f32[2] = sine;
      chunk.f32[3] = cosine;
    } else {
      for (int i = 0; i < 2; ++i) chunk.u64[i] = mixed(c * 2 + i);
    }
    out[c] = chunk.all;
  }
}

/// Holds the stream until the host opens the gate.
__global__ void gate_kernel(const volatile int* is_open) {
  while (*is_open == 0) {
  }
}

/// In pinned memory, which the device reads.
volatile int& gate() {
  static volatile int* const place = [] {
    void* made = nullptr;
    check(cudaHostAlloc(&made, sizeof(int), cudaHostAllocMapped), "cudaHostAlloc");
    return static_cast<volatile int*>(made);
  }();
  return *place;
}

cudaStream_t graph_stream() {
  static cudaStream_t stream = [] {
    cudaStream_t made = nullptr;
    check(cudaStreamCreate(&made), "cudaStreamCreate");
    return made;
  }();
  return stream;
}

std::array<cudaEvent_t, 2>& events() {
  static std::array<cudaEvent_t, 2> pair = [] {
    std::array<cudaEvent_t, 2> made{};
    for (auto& event : made) check(cudaEventCreate(&event), "cudaEventCreate");
    return made;
  }();
  return pair;
}

/// Device time of each of `calls` calls that start() puts into the stream; opens the gate behind them.
template <class Start>
double timed_ns(int calls, const Start& start) {
  cudaStream_t stream = graph_stream();
  const auto [before, after] = events();
  check(cudaEventRecord(before, stream), "cudaEventRecord");
  start();
  check(cudaEventRecord(after, stream), "cudaEventRecord");
  gate() = 1;
  check(cudaEventSynchronize(after), "timed calls");
  float ms = 0;
  check(cudaEventElapsedTime(&ms, before, after), "cudaEventElapsedTime");
  return 1e6 * static_cast<double>(ms) / calls;
}

}  // namespace

const char* name_of(gpu_items type) {
  static constexpr std::array names{"int8",          "int32",         "int64",   "float16",
                                    "bfloat16",      "float32",       "float64", "matrix",
                                    "ascending_f32", "ascending_bf16"};
  return names[static_cast<std::size_t>(type)];
}

std::int64_t size_of(gpu_items type) {
  static constexpr std::array sizes{1, 4, 8, 2, 2, 4, 8, 16, 4, 2};
  return sizes[static_cast<std::size_t>(type)];
}

std::string describe_device() {
  cudaDeviceProp facts{};
  check(cudaGetDeviceProperties(&facts, 0), "cudaGetDeviceProperties");
  int driver = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  return std::string(facts.name) + ", " + std::to_string(facts.multiProcessorCount) +
         " multiprocessors, driver for CUDA " + std::to_string(driver / 1000) + "." +
         std::to_string(driver % 1000 / 10);
}

device_buffer::device_buffer(std::int64_t bytes) : bytes_(bytes) {
  check(cudaMalloc(&data_, static_cast<std::size_t>(bytes)), "cudaMalloc");
}
device_buffer::~device_buffer() { static_cast<void>(cudaFree(data_)); }

void device_buffer::fill(gpu_items type) {
  fill_kernel<<<2048, 256>>>(type, static_cast<uint4*>(data_),
                             static_cast<std::uint64_t>(bytes_) / sizeof(uint4));
  check(cudaDeviceSynchronize(), "filling the buffer");
}

void device_buffer::copy_to_host(void* host, std::int64_t bytes) const {
  check(cudaMemcpy(host, data_, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost),
        "cudaMemcpy");
}

void device_buffer::poison() const {
  check(cudaMemset(data_, 0xee, static_cast<std::size_t>(bytes_)), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaMemset");
}

timed_graph::timed_graph(int calls, const std::function<void(int, void*)>& start) : calls_(calls) {
  cudaStream_t stream = graph_stream();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t made = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  for (int i = 0; i < calls; ++i) start(i, stream);
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  check(cudaGraphInstantiate(&made, graph, 0), "cudaGraphInstantiate");
  check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  graph_ = made;
}

timed_graph::~timed_graph() {
  static_cast<void>(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph_)));
}

launched_calls::launched_calls(int calls, std::function<void(int, void*)> start)
    : calls_(calls), start_(std::move(start)) {}

double launched_calls::run_ns() {
  cudaStream_t stream = graph_stream();
  gate() = 0;
  gate_kernel<<<1, 1, 0, stream>>>(&gate());
  return timed_ns(calls_, [&] {
    for (int i = 0; i < calls_; ++i) start_(i, stream);
  });
}

double waiting_call_ns(const std::function<void(void*)>& call) {
  return timed_ns(1, [&] { call(graph_stream()); });
}

double timed_graph::replay_ns() {
  return timed_ns(calls_, [&] {
    check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph_), graph_stream()), "cudaGraphLaunch");
  });
}

}  // namespace bench
