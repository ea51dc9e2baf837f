#pragma once
/// cli/output_file: a file that is written from its start to its end.

#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

namespace monofold::cli {

/// Writes to a file, made new; `-` is standard output.
///
/// errors     `output_error` with the name `shown`: it cannot be made, the disk is full
class output_file {
 public:
  explicit output_file(const std::string& path) : output_file(path, path) {}
  output_file(const std::string& path, std::string shown);

  void write(const void* bytes, std::size_t count);
  /// Sees to it that all is out. Without this call what failed late is not known.
  void close();

 private:
  struct closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string shown_;
  std::unique_ptr<std::FILE, closer> own_;  // none: standard output
  std::FILE* out_;
};

/// Writes a file that is there as a whole or not at all: what `fill` writes goes to a file beside it, which then
/// takes its name. Devices and pipes are written as they are.
///
/// errors     `output_error`, as output_file; an older file of the name stays then
void replace_file(const std::string& path, const std::function<void(output_file&)>& fill);

}  // namespace monofold::cli
