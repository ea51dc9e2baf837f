#include "bench/baselines/file_loops.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace bench {

namespace {

#ifdef MADV_POPULATE_READ
constexpr int populate = MADV_POPULATE_READ;
#else
constexpr int populate = 22;  // of the kernel, since 5.14
#endif

[[noreturn]] void fail(const std::string& file) { throw std::runtime_error("cannot read " + file); }

std::uint64_t add_words(const char* bytes, std::int64_t count) {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(bytes);
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < count / 8; ++i) sum += words[i];
  return sum;
}

class open_file {
 public:
  open_file(const std::string& name, bool is_mapped) : fd_(::open(name.c_str(), O_RDONLY)) {
    struct stat facts {};
    if (fd_ < 0 || ::fstat(fd_, &facts) != 0) fail(name);
    bytes_ = facts.st_size;
    if (!is_mapped) return;
    map_ = ::mmap(nullptr, static_cast<std::size_t>(bytes_), PROT_READ, MAP_SHARED, fd_, 0);
    if (map_ == MAP_FAILED) fail(name);
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() {
    if (map_ != nullptr) ::munmap(map_, static_cast<std::size_t>(bytes_));
    ::close(fd_);
  }
  int fd() const { return fd_; }
  std::int64_t bytes() const { return bytes_; }
  char* map() const { return static_cast<char*>(map_); }

 private:
  int fd_;
  std::int64_t bytes_ = 0;
  void* map_ = nullptr;
};

}  // namespace

std::function<outcome()> file_loop_call(file_loop kind, std::int64_t piece_bytes, int num_threads,
                                        const std::string& file) {
  return [=] {
    const double start = now_ns();
    std::atomic<std::uint64_t> sum{0};
    std::atomic<bool> failed{false};
    {
      const open_file from(file, kind != file_loop::read);
      std::atomic<std::int64_t> next{0};
      const auto work = [&] {
        const std::unique_ptr<void, void (*)(void*)> buffer(
            std::aligned_alloc(4096, static_cast<std::size_t>(piece_bytes)), std::free);
        std::uint64_t own = 0;
        for (;;) {
          const std::int64_t at = next.fetch_add(piece_bytes);
          if (at >= from.bytes()) break;
          const std::int64_t count = std::min(piece_bytes, from.bytes() - at);
          const auto length = static_cast<std::size_t>(count);
          const char* bytes = static_cast<const char*>(buffer.get());
          if (kind == file_loop::read) {
            if (::pread(from.fd(), buffer.get(), length, at) != count) failed = true;
          } else {
            bytes = from.map() + at;
            if (kind == file_loop::populated) ::madvise(from.map() + at, length, populate);
          }
          own += add_words(bytes, count);
        }
        sum += own;
      };
      std::vector<std::thread> threads;
      for (int i = 1; i < num_threads; ++i) threads.emplace_back(work);
      work();
      for (std::thread& thread : threads) thread.join();
    }
    if (failed) fail(file);
    return outcome{now_ns() - start, {static_cast<double>(sum.load())}};
  };
}

}  // namespace bench
