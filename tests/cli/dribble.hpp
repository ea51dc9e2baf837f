#pragma once
/// tests/cli/dribble: an input that arrives in pieces.

#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "cli/map_file.hpp"

namespace monofold::cli {

/// A thread that sends `bytes` through a socket in pieces, with a pause behind each, in which the
/// reader takes it and asks for more. No result may depend on whether it does.
class dribble {
 public:
  dribble(std::string_view bytes, std::size_t piece_bytes) : reader_(-1), writer_(-1) {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw std::runtime_error("socketpair");
    }
    reader_.reset(ends[0]);
    writer_.reset(ends[1]);
    sender_ = std::thread([this, bytes, piece_bytes] { send(bytes, piece_bytes); });
  }
  dribble(const dribble&) = delete;
  dribble& operator=(const dribble&) = delete;
  ~dribble() {
    reader_.reset(-1);
    sender_.join();
  }

  /// The end to read from; to be closed before this is destroyed.
  descriptor take_reader() { return std::move(reader_); }

 private:
  void send(std::string_view bytes, std::size_t piece_bytes) {
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, piece_bytes);
      // A reader that finds an error goes away before the end.
      const auto sent = ::send(writer_.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    writer_.reset(-1);
  }

  descriptor reader_;
  descriptor writer_;
  std::thread sender_;
};

}  // namespace monofold::cli
