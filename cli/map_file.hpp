#pragma once
/// cli/map_file: the bytes of a regular file in a map, read by many threads at once.

#include <cstddef>
#include <cstdint>

#include "cli/regular_file.hpp"

namespace monofold::cli {

/// A regular file mapped for reading.
///
/// A page of the map that the file no longer has (it shrank) raises SIGBUS in the thread that
/// touches it. A handler puts zeros in the place of the rest of the map and notes the loss, so that
/// the thread goes on and `check` throws.
///
/// sync       any thread may read the map
/// errors     `input_error`: the file cannot be mapped, or 64 files are mapped
/// tested by  tests/cli/map_file_test.cpp
class mapped_file final : public regular_file {
 public:
  /// Maps the first `num_bytes` > 0 bytes of `file`.
  mapped_file(descriptor file, std::int64_t num_bytes);
  ~mapped_file() override;

  const std::byte* data() const { return data_; }

  /// Throws `input_error` if the file is shorter than the map, or was when a page was touched.
  void check() const override;

 private:
  const std::byte* data_ = nullptr;
  int slot_ = -1;  // the place of this map in the handler's registry
};

}  // namespace monofold::cli
