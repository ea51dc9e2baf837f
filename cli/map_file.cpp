#include "cli/map_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <mutex>
#include <string>

#include "cli/failure.hpp"
#include "cli/source.hpp"

namespace monofold::cli {
namespace {

constexpr std::int64_t probe_bytes = 512 << 10;       // some large folios
constexpr std::int64_t probe_least_bytes = 32 << 20;  // below: reading takes less than the probe

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

// Reads one word of every cache line, so that the bytes come as far as a reduction needs them.
std::uint64_t touch(const std::byte* bytes, std::int64_t num_bytes) {
  std::uint64_t seen = 0;
  for (std::int64_t i = 0; i < num_bytes; i += 64) seen += static_cast<std::uint64_t>(bytes[i]);
  return seen;
}

}  // namespace

descriptor open_for_reading(const std::string& path) {
  descriptor file(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                              : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw input_error("cannot open: " + error_text(errno));
  struct stat facts {};
  if (::fstat(file.get(), &facts) == 0 && S_ISDIR(facts.st_mode)) {
    throw input_error("cannot read: " + error_text(EISDIR));
  }
  return file;
}

void descriptor::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

mapped_file::mapped_file(descriptor file, std::int64_t num_bytes)
    : file_(std::move(file)), num_bytes_(num_bytes) {
  install_handler();
  const auto length = static_cast<std::size_t>(num_bytes);
  void* data = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, file_.get(), 0);
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
  ::munmap(const_cast<std::byte*>(data_), static_cast<std::size_t>(num_bytes_));
}

void mapped_file::check() const {
  struct stat facts {};
  if (::fstat(file_.get(), &facts) != 0) throw input_error("cannot stat: " + error_text(errno));
  if (facts.st_size < num_bytes_) {
    throw input_error("the file shrank while it was read: from " + std::to_string(num_bytes_) +
                      " to " + std::to_string(facts.st_size) + " bytes");
  }
  if (slots[static_cast<std::size_t>(slot_)].lost.load(std::memory_order_acquire)) {
    throw input_error("part of the file was lost while it was read: it shrank, or its disk failed");
  }
}

void mapped_file::will_need(std::int64_t offset, std::int64_t num_bytes) const {
  offset -= offset % static_cast<std::int64_t>(page_bytes);
  if (offset >= num_bytes_) return;
  const auto length = static_cast<std::size_t>(std::min(num_bytes, num_bytes_ - offset));
  // Walking through pages that are all there costs an eighth of the time of a sum: ask whether the
  // last byte can be read without waiting, which says the same in most cases.
  char last = 0;
  iovec one{&last, 1};
  if (::preadv2(file_.get(), &one, 1, offset + static_cast<std::int64_t>(length) - 1, RWF_NOWAIT) ==
      1) {
    return;
  }
  // A hint: what it returns changes nothing.
  ::madvise(const_cast<std::byte*>(data_) + offset, length, MADV_WILLNEED);
}

void mapped_file::copy(std::int64_t offset, std::int64_t num_bytes, void* out) const {
  auto* target = static_cast<std::byte*>(out);
  while (num_bytes > 0) {
    const ssize_t got = ::pread(file_.get(), target, static_cast<std::size_t>(num_bytes), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw input_error("cannot read: " + error_text(errno));
    if (got == 0) {
      check();
      throw input_error("the file shrank while it was read: it ended at byte " +
                        std::to_string(offset));
    }
    target += got;
    offset += got;
    num_bytes -= got;
  }
}

file_access mapped_file::faster_access() const {
  if (num_bytes_ < probe_least_bytes) return file_access::mapped;
  using clock = std::chrono::steady_clock;
  const std::unique_ptr<std::byte[]> buffer(new std::byte[probe_bytes]);
  auto copied = clock::duration::zero();
  auto mapped = clock::duration::zero();
  volatile std::uint64_t sink = 0;
  for (std::int64_t third = 1; third < 3; ++third) {
    const std::int64_t offset = num_bytes_ / 3 * third / probe_bytes * probe_bytes;
    copy(offset, probe_bytes, buffer.get());  // now the window is in the page cache
    const auto start = clock::now();
    copy(offset, probe_bytes, buffer.get());
    sink = sink + touch(buffer.get(), probe_bytes);
    const auto middle = clock::now();
    // A map of its own, so that the cost of taking pages out of a map counts as well.
    void* window = ::mmap(nullptr, probe_bytes, PROT_READ, MAP_SHARED, file_.get(), offset);
    if (window == MAP_FAILED) return file_access::mapped;
    const int slot = enter_map(window, probe_bytes);
    if (slot >= 0) {
      sink = sink + touch(static_cast<const std::byte*>(window), probe_bytes);
      leave_map(slot);
    }
    ::munmap(window, probe_bytes);
    copied += middle - start;
    mapped += clock::now() - middle;
  }
  return mapped < copied ? file_access::mapped : file_access::copied;
}

}  // namespace monofold::cli
