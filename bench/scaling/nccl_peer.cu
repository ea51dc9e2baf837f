#include "bench/scaling/nccl_peer.hpp"

#include <cuda_runtime.h>
#include <nccl.h>

#include <cub/cub.cuh>
#include <numeric>
#include <stdexcept>

#include "bench/gpu/check.cuh"

namespace bench {

namespace {

void check_nccl(ncclResult_t code, const char* call) {
  if (code != ncclSuccess) {
    throw std::runtime_error(std::string(call) + ": " + ncclGetErrorString(code));
  }
}

struct place {
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  void* temporary = nullptr;
  std::size_t temporary_bytes = 0;
  float* sums = nullptr;  // this device's, and that of all
};

}  // namespace

struct nccl_peer::own {
  std::vector<place> places;
  float* total = nullptr;  // pinned
};

nccl_peer::nccl_peer(int num_devices, std::size_t num_floats) : own_(std::make_unique<own>()) {
  std::vector<int> devices(static_cast<std::size_t>(num_devices));
  std::iota(devices.begin(), devices.end(), 0);
  std::vector<ncclComm_t> comms(devices.size());
  check_nccl(ncclCommInitAll(comms.data(), num_devices, devices.data()), "ncclCommInitAll");
  check(cudaMallocHost(reinterpret_cast<void**>(&own_->total), sizeof(float)), "cudaMallocHost");
  for (const int device : devices) {
    place& one = own_->places.emplace_back();
    one.comm = comms[static_cast<std::size_t>(device)];
    check(cudaSetDevice(device), "cudaSetDevice");
    check(cudaStreamCreate(&one.stream), "cudaStreamCreate");
    check(cudaMalloc(reinterpret_cast<void**>(&one.sums), 2 * sizeof(float)), "cudaMalloc");
    check(cub::DeviceReduce::Sum(nullptr, one.temporary_bytes, static_cast<const float*>(nullptr),
                                 one.sums, static_cast<std::int64_t>(num_floats)),
          "cub::DeviceReduce::Sum");
    check(cudaMalloc(&one.temporary, one.temporary_bytes + 1), "cudaMalloc");
  }
}

nccl_peer::~nccl_peer() {
  for (place& one : own_->places) {
    static_cast<void>(ncclCommDestroy(one.comm));
    static_cast<void>(cudaStreamDestroy(one.stream));
    static_cast<void>(cudaFree(one.temporary));
    static_cast<void>(cudaFree(one.sums));
  }
  static_cast<void>(cudaFreeHost(own_->total));
}

std::string nccl_peer::name() {
  int version = 0;
  check_nccl(ncclGetVersion(&version), "ncclGetVersion");
  return "nccl " + std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) +
         " + cub " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION);
}

double nccl_peer::sum(const std::vector<const float*>& items,
                      const std::vector<std::size_t>& counts) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    place& one = own_->places[i];
    check(cudaSetDevice(static_cast<int>(i)), "cudaSetDevice");
    check(cub::DeviceReduce::Sum(one.temporary, one.temporary_bytes, items[i], one.sums,
                                 static_cast<std::int64_t>(counts[i]), one.stream),
          "cub::DeviceReduce::Sum");
  }
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (std::size_t i = 0; i < items.size(); ++i) {
    place& one = own_->places[i];
    check_nccl(ncclAllReduce(one.sums, one.sums + 1, 1, ncclFloat, ncclSum, one.comm, one.stream),
               "ncclAllReduce");
  }
  check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  place& first = own_->places.front();
  check(cudaSetDevice(0), "cudaSetDevice");
  check(cudaMemcpyAsync(own_->total, first.sums + 1, sizeof(float), cudaMemcpyDeviceToHost,
                        first.stream),
        "cudaMemcpyAsync");
  for (std::size_t i = 0; i < items.size(); ++i) {
    check(cudaStreamSynchronize(own_->places[i].stream), "cudaStreamSynchronize");
  }
  return *own_->total;
}

}  // namespace bench
