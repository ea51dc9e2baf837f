#pragma once
/// cli/output: the answer on standard output, everything else on standard error.

#include <string>
#include <string_view>

namespace monofold::cli {

/// Writes text to standard output and sees to it that it is out.
///
/// errors     `output_error`: the disk is full, the reader of the pipe has gone
void write_out(std::string_view text);

/// One line on standard error: "monofold: " and the text.
void complain(std::string_view text);

/// What was kept, to standard error as it is.
void pass_on(std::string_view lines);

/// While one of these lives complaints are appended to a string instead.
class complaints_kept {
 public:
  explicit complaints_kept(std::string& lines);
  complaints_kept(const complaints_kept&) = delete;
  complaints_kept& operator=(const complaints_kept&) = delete;
  ~complaints_kept();

 private:
  std::string* before_;
};

/// One line on standard error: "monofold: FILE: " and the text.
void complain_about(const std::string& file, std::string_view text);

/// A name that can be shown: one with control characters is quoted.
std::string escaped_name(const std::string& file);

/// How a message names a file: `-` is standard input, else `escaped_name`.
std::string shown_name(const std::string& file);

}  // namespace monofold::cli
