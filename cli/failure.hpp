#pragma once
/// cli/failure: why a command ends, and with which exit code.

#include <stdexcept>
#include <string>
#include <system_error>

namespace monofold::cli {

namespace exit_code {
inline constexpr int ok = 0;
inline constexpr int internal = 1;  // also: the output could not be written, `verify` found a fault
inline constexpr int usage = 2;
inline constexpr int input = 3;      // missing, unreadable or malformed
inline constexpr int no_result = 4;  // the minimum of nothing, integer overflow, NaN under `raise`
inline constexpr int device = 5;     // the asked device is not there
inline constexpr int closed_pipe = 141;  // what a shell shows for a death by SIGPIPE
}  // namespace exit_code

/// What the system says of an errno.
inline std::string error_text(int code) { return std::system_category().message(code); }

/// The command line makes no sense.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The data is well-formed and the question has no answer.
class no_result_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class device_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Standard output takes no more; `closed` if its reader went away, which is no reason to complain.
class output_error : public std::runtime_error {
 public:
  output_error(const std::string& what, bool reader_closed)
      : std::runtime_error(what), closed(reader_closed) {}
  bool closed;
};

}  // namespace monofold::cli
