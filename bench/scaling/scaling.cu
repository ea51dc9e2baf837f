// What several GPUs of a machine are worth: the same bytes a device on 1, 2, .. of them, one array cut for them (whose
// answers must be the same bytes), and host memory that is brought to them.
//
// usage: bench_scaling [BYTES_A_DEVICE [BYTES_OF_HOST]]     4 GiB each where not said; one JSON line a subject and number
// of devices: the host's time of a call that waits, and how many times one device's throughput that is

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/gpu/mixed.cuh"
#include "monofold/gpus.cuh"
#include "monofold/monofold.cuh"

namespace mf = monofold;

namespace {

void check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(code));
  std::exit(1);
}

/// Words of [0, 1) whose bits depend on their index among all items alone.
__global__ void fill_kernel(float* to, std::int64_t count, std::int64_t first) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    to[i] =
        static_cast<float>(bench::mixed(static_cast<std::uint64_t>(first + i)) >> 40) * 0x1p-24f;
  }
}

/// Memory of one device, for items from `first` on.
class shard {
 public:
  shard(int device, std::int64_t num_floats, std::int64_t first) : count_(num_floats) {
    check(cudaSetDevice(device), "cudaSetDevice");
    void* memory = nullptr;
    check(cudaMalloc(&memory, static_cast<std::size_t>(num_floats) * sizeof(float)), "cudaMalloc");
    memory_ = static_cast<float*>(memory);
    fill(first);
  }
  shard(const shard&) = delete;
  shard& operator=(const shard&) = delete;
  ~shard() { static_cast<void>(cudaFree(memory_)); }

  /// The device is current.
  void fill(std::int64_t first) {
    cudaLaunchConfig_t how{};
    how.gridDim = dim3(1024);
    how.blockDim = dim3(256);
    check(cudaLaunchKernelEx(&how, fill_kernel, memory_, count_, first), "fill_kernel");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  template <class Item>
  std::span<const Item> items(std::int64_t num_floats) const {
    return {reinterpret_cast<const Item*>(memory_),
            static_cast<std::size_t>(num_floats) * sizeof(float) / sizeof(Item)};
  }

 private:
  float* memory_ = nullptr;
  std::int64_t count_;
};

/// Modulo 2^32, with determinant 1: a product of any number of them says what all of them are, and in which order.
struct matrix {
  std::uint32_t a, b, c, d;
};
struct shear {
  __host__ __device__ matrix operator()(const matrix& m) const {
    return {1 + m.a * m.b, m.a, m.b, 1};
  }
};
struct multiply {
  __host__ __device__ matrix operator()(const matrix& l, const matrix& r) const {
    return {l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c,
            l.c * r.b + l.d * r.d};
  }
};

std::string bits_of(const void* value, std::size_t bytes) {
  const auto* const from = static_cast<const unsigned char*>(value);
  std::string out;
  char two[3];
  for (std::size_t i = 0; i < bytes; ++i) {
    std::snprintf(two, sizeof two, "%02x", from[i]);
    out += two;
  }
  return out;
}
template <class Value>
std::string bits(const Value& value) {
  return bits_of(&value, sizeof value);
}
template <class... Values>
std::string bits(const std::tuple<Values...>& values) {
  return std::apply([](const auto&... each) { return (bits(each) + ...); }, values);
}

/// A call over so many floats of each of some devices, and the bits of its answer.
using call =
    std::function<std::string(const std::vector<int>&, const std::vector<std::unique_ptr<shard>>&,
                              const std::vector<std::int64_t>&)>;

template <class Item, class F>
call reduce(const F& f) {
  return [f](const std::vector<int>& devices, const auto& shards, const auto& num_floats) {
    std::vector<std::span<const Item>> parts;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      parts.push_back(shards[i]->template items<Item>(num_floats[i]));
    }
    return bits(mf::reduce(mf::gpus(devices), parts, f));
  };
}

struct subject {
  std::string name;
  call make;
};

std::vector<subject> subjects() {
  return {{"plain sum of float32", reduce<float>(mf::plain_sum)},
          {"sum of float32", reduce<float>(mf::sum)},
          {"product of 2x2 matrices",
           reduce<matrix>(mf::ordered(multiply{}, matrix{1, 0, 0, 1}) | mf::map(shear{}))},
          {"eight statistics of float32",
           reduce<float>(mf::all(mf::count, mf::sum, mf::mean, mf::variance<>(), mf::min, mf::max,
                                 mf::argmin, mf::argmax))}};
}

/// Median time of a call, and the bits that all calls gave; says so where they differ.
double time_us(int samples, const std::function<std::string()>& once, std::string& answer) {
  answer = once();  // makes workspaces
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (once() != answer) std::printf("{\"error\":\"two calls differ\"}\n");
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
            .count());
  }
  std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
  return times[static_cast<std::size_t>(samples / 2)];
}

class suite {
 public:
  suite(std::int64_t bytes_a_device, std::int64_t host_bytes)
      : num_floats_(bytes_a_device / 4), host_floats_(host_bytes / 4) {
    int count = 0;
    check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    for (int device = 0; device < count; ++device) {
      all_.push_back(device);
      shards_.push_back(std::make_unique<shard>(device, num_floats_, device * num_floats_));
    }
  }

  void run() {
    for (const subject& one : subjects()) {
      weak(one, num_floats_, 15);
      weak(one, std::min<std::int64_t>(num_floats_, 1 << 18), 300);  // 1 MiB: what a call costs
    }
    for (const subject& one : subjects()) strong(one);
    host(false);
    host(true);
  }

 private:
  std::vector<int> first_devices(std::size_t count) const {
    return {all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(count)};
  }

  void print(const std::string& name, std::size_t devices, std::int64_t bytes, double us,
             const std::string& answer) {
    const double gbps = static_cast<double>(bytes) / us * 1e-3;
    if (devices == 1) gbps_of_one_[name] = gbps;
    std::printf(
        "{\"subject\":\"%s\",\"devices\":%zu,\"bytes\":%lld,\"median_us\":%.1f,\"gbps\":%.1f,"
        "\"times_one\":%.3f,\"bits\":\"%s\"}\n",
        name.c_str(), devices, static_cast<long long>(bytes), us, gbps, gbps / gbps_of_one_[name],
        answer.c_str());
    std::fflush(stdout);
  }

  /// As many bytes on each device.
  void weak(const subject& one, std::int64_t num_floats, int samples) {
    for (std::size_t count = 1; count <= all_.size(); ++count) {
      const std::vector<int> devices = first_devices(count);
      const std::vector<std::int64_t> sizes(count, num_floats);
      std::string answer;
      const double us = time_us(
          samples, [&] { return one.make(devices, shards_, sizes); }, answer);
      print(one.name + ", " + std::to_string(num_floats * 4) + " bytes a device", count,
            num_floats * 4 * static_cast<std::int64_t>(count), us, answer);
    }
  }

  /// One array, of as many bytes as a device has, over 1, 2, .. devices: the same bits.
  void strong(const subject& one) {
    std::string want;
    for (std::size_t count = 1; count <= all_.size(); ++count) {
      std::vector<std::int64_t> sizes;
      for (std::size_t i = 0; i < count; ++i) {
        const mf::item_range own = mf::tile_split(num_floats_, static_cast<std::int64_t>(count),
                                                  static_cast<std::int64_t>(i), 1024);
        check(cudaSetDevice(all_[i]), "cudaSetDevice");
        shards_[i]->fill(own.first);
        sizes.push_back(own.count);
      }
      std::string answer;
      const double us = time_us(
          15, [&] { return one.make(first_devices(count), shards_, sizes); }, answer);
      if (count == 1) want = answer;
      print(one.name + ", one array", count, num_floats_ * 4, us, answer);
      if (answer != want) std::printf("{\"error\":\"%s: other bits\"}\n", one.name.c_str());
    }
  }

  void host(bool is_pinned) {
    const auto count = static_cast<std::size_t>(host_floats_);
    std::vector<float> pageable(is_pinned ? 0 : count);
    void* pinned = nullptr;
    if (is_pinned) {
      check(cudaHostAlloc(&pinned, count * sizeof(float), cudaHostAllocPortable), "cudaHostAlloc");
    }
    float* const items = is_pinned ? static_cast<float*>(pinned) : pageable.data();
    for (std::size_t i = 0; i < count; ++i) items[i] = static_cast<float>(i % 1021) * 0.125f;
    const std::span<const float> range(items, count);
    std::string want;
    for (std::size_t devices = 1; devices <= all_.size(); ++devices) {
      std::string answer;
      const double us = time_us(
          5,
          [&] { return bits(mf::reduce(mf::gpus(first_devices(devices)), range, mf::plain_sum)); },
          answer);
      if (devices == 1) want = answer;
      print(is_pinned ? "plain sum of pinned memory" : "plain sum of host memory", devices,
            host_floats_ * 4, us, answer);
      if (answer != want) std::printf("{\"error\":\"host memory: other bits\"}\n");
    }
    if (is_pinned) check(cudaFreeHost(pinned), "cudaFreeHost");
  }

  std::int64_t num_floats_;
  std::int64_t host_floats_;
  std::vector<int> all_;
  std::vector<std::unique_ptr<shard>> shards_;
  std::map<std::string, double> gbps_of_one_;
};

std::int64_t bytes_said(int argc, char** argv, int at) {
  return argc > at ? std::atoll(argv[at]) : std::int64_t{4} << 30;
}

}  // namespace

int main(int argc, char** argv) {
  suite(bytes_said(argc, argv, 1), bytes_said(argc, argv, 2)).run();
}
