#include "cli/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/array_source.hpp"
#include "cli/failure.hpp"
#include "cli/source.hpp"

namespace monofold::cli {
namespace {

// What O_DIRECT wants offsets, sizes and addresses to be a multiple of: the largest block of a disk.
constexpr std::int64_t block_bytes = 4096;
// A request: a MiB from any place in a block. Larger ones, and more at once, are no faster.
constexpr std::int64_t direct_bytes = (1 << 20) + block_bytes;

// Room for a request, at a multiple of block_bytes: kept, since a page that is new costs a fault.
std::byte* direct_room() {
  thread_local const aligned_buffer room = make_buffer(direct_bytes, block_bytes);
  return static_cast<std::byte*>(room.get());
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

descriptor duplicate(const descriptor& file) {
  descriptor copy(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
  if (copy.get() < 0) throw input_error("cannot open: " + error_text(errno));
  return copy;
}

void descriptor::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

void regular_file::check() const {
  struct stat facts {};
  if (::fstat(file_.get(), &facts) != 0) throw input_error("cannot stat: " + error_text(errno));
  if (facts.st_size < num_bytes_) {
    throw input_error("the file shrank while it was read: from " + std::to_string(num_bytes_) +
                      " to " + std::to_string(facts.st_size) + " bytes");
  }
}

void regular_file::will_need(std::int64_t offset, std::int64_t num_bytes) const {
  if (direct_.get() >= 0 || offset >= num_bytes_) return;
  num_bytes = std::min(num_bytes, num_bytes_ - offset);
  // Walking through pages that are all there costs an eighth of the time of a sum: ask whether the
  // last byte can be read without waiting, which says the same in most cases.
  char last = 0;
  iovec one{&last, 1};
  if (::preadv2(file_.get(), &one, 1, offset + num_bytes - 1, RWF_NOWAIT) == 1) return;
  // A hint: what it returns changes nothing.
  ::posix_fadvise(file_.get(), offset, num_bytes, POSIX_FADV_WILLNEED);
}

void regular_file::copy(std::int64_t offset, std::int64_t num_bytes, void* out) const {
  auto* target = static_cast<std::byte*>(out);
  while (num_bytes > 0) {
    const std::int64_t got = read_at(offset, num_bytes, target);
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

// Some of these bytes; 0: the file ends at `offset` or before it.
std::int64_t regular_file::read_at(std::int64_t offset, std::int64_t num_bytes, void* out) const {
  const bool direct = direct_.get() >= 0;
  const std::int64_t skipped = direct ? offset % block_bytes : 0;
  void* const to = direct ? direct_room() : out;
  const std::int64_t wanted =
      direct ? std::min((skipped + num_bytes + block_bytes - 1) / block_bytes * block_bytes,
                        direct_bytes)
             : num_bytes;
  const int from = direct ? direct_.get() : file_.get();
  ssize_t got = 0;
  do {
    got = ::pread(from, to, static_cast<std::size_t>(wanted), offset - skipped);
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw input_error("cannot read: " + error_text(errno));
  if (!direct) return got;
  const std::int64_t found = std::clamp(got - skipped, std::int64_t{0}, num_bytes);
  std::memcpy(out, direct_room() + skipped, static_cast<std::size_t>(found));
  return found;
}

void regular_file::read_directly() {
  // Opened anew: the flag of a duplicate would be that of whoever else holds standard input.
  const std::string name = "/proc/self/fd/" + std::to_string(file_.get());
  direct_.reset(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT));
  if (direct_.get() < 0) throw input_error("cannot be read directly: " + error_text(errno));
}

}  // namespace monofold::cli
