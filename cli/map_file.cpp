#include "cli/map_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <string>

#include "cli/failure.hpp"
#include "cli/source.hpp"

namespace monofold::cli {
namespace {

// What the signal handler knows. It only loads and stores atomics that need no lock, so it is safe
// at any point of any thread. `begin` is written last when a map is entered and first when it
// leaves: a slot that is half written matches no address.
struct map_slot {
  std::atomic<bool> used{false};
  std::atomic<bool> lost{false};
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);

std::array<map_slot, 64> slots;
struct sigaction previous_action;
std::uintptr_t page_bytes = 4096;  // both are written before the handler is installed

// The zeros replace the map from the faulting page to its end, not that page alone: a file cut to
// nothing would else need one mapping a page, and a process may have only 65530.
void on_bus_error(int, siginfo_t* details, void*) {
  const int saved_errno = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(details->si_addr);
  for (map_slot& slot : slots) {
    const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    const std::uintptr_t end = slot.end.load(std::memory_order_acquire);
    if (begin == 0 || address < begin || address >= end) continue;
    const std::uintptr_t page = address & ~(page_bytes - 1);
    void* zeros = ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (zeros == MAP_FAILED) break;
    slot.lost.store(true, std::memory_order_release);
    errno = saved_errno;
    return;
  }
  // Not ours: the access is repeated under the action that was there before us.
  ::sigaction(SIGBUS, &previous_action, nullptr);
  errno = saved_errno;
}

void install_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &previous_action);
  });
}

int enter_map(const void* data, std::int64_t num_bytes) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    map_slot& slot = slots[i];
    if (slot.used.exchange(true)) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const auto length = static_cast<std::uintptr_t>(num_bytes);
    slot.lost.store(false);
    slot.end.store((begin + length + page_bytes - 1) / page_bytes * page_bytes);
    slot.begin.store(begin, std::memory_order_release);
    return static_cast<int>(i);
  }
  return -1;
}

void leave_map(int index) {
  map_slot& slot = slots[static_cast<std::size_t>(index)];
  slot.begin.store(0);
  slot.end.store(0);
  slot.used.store(false);
}

}  // namespace

mapped_file::mapped_file(descriptor file, std::int64_t num_bytes)
    : regular_file(std::move(file), num_bytes) {
  install_handler();
  const auto length = static_cast<std::size_t>(num_bytes);
  void* data = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, regular_file::file().get(), 0);
  if (data == MAP_FAILED) throw input_error("cannot map the file: " + error_text(errno));
  slot_ = enter_map(data, num_bytes);
  if (slot_ < 0) {
    ::munmap(data, length);
    throw input_error("cannot map the file: 64 files are mapped already");
  }
  data_ = static_cast<const std::byte*>(data);
}

mapped_file::~mapped_file() {
  leave_map(slot_);
  ::munmap(const_cast<std::byte*>(data_), static_cast<std::size_t>(num_bytes()));
}

void mapped_file::check() const {
  regular_file::check();
  if (slots[static_cast<std::size_t>(slot_)].lost.load(std::memory_order_acquire)) {
    throw input_error("part of the file was lost while it was read: it shrank, or its disk failed");
  }
}

}  // namespace monofold::cli
