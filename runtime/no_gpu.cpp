/// runtime/no_gpu: what stands in for runtime/gpu where no CUDA compiler was found.

#include "monofold/platform/status.hpp"
#include "runtime/gpu/device_member.hpp"
#include "runtime/gpu/devices.hpp"

namespace monofold::runtime {

namespace {

[[noreturn]] void refuse() {
  throw error(status::device_unavailable, "this build has no GPU engine");
}

}  // namespace

const gpu_devices& find_gpus() {
  static const gpu_devices none{{}, "this build has no GPU engine"};
  return none;
}

bool is_gpu_emulated() { return false; }

bool is_device_memory(const void* /*pointer*/) { refuse(); }

std::shared_ptr<void> make_pinned(std::int64_t /*bytes*/) { refuse(); }

void copy_from_device(void* /*to*/, const void* /*from*/, std::int64_t /*bytes*/) { refuse(); }

std::unique_ptr<device_member> make_device_member(const member_request& /*what*/) {
  return nullptr;
}

void fold_pieces(const std::vector<const device_member*>& /*members*/,
                 const device_items& /*items*/, std::int64_t /*item_bytes*/,
                 const std::vector<device_piece>& /*pieces*/, piece_reader& /*reader*/) {
  refuse();
}

}  // namespace monofold::runtime
