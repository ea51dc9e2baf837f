#pragma once
/// cli/map_file: the bytes of a regular file in a map, read by many threads at once.

#include <cstddef>
#include <cstdint>

#include "cli/regular_file.hpp"

namespace monofold::cli {

/// How the bytes of a file in the page cache are reached fastest.
enum class file_access { mapped, copied };

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

  /// Which of the two is faster for this file, measured on a MiB of it. A cached file that lies
  /// in large folios is read fastest through the map (one fault maps much); one that lies in single
  /// 4 KiB pages is faster copied into a buffer that stays in the cache.
  ///
  /// cost       about 0.3 ms, and 1 MiB of the file is read if it was not cached; nothing for
  ///            files below 32 MiB, which are `mapped`
  file_access faster_access() const;

 private:
  const std::byte* data_ = nullptr;
  int slot_ = -1;  // the place of this map in the handler's registry
};

}  // namespace monofold::cli
