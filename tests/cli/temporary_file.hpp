#pragma once
/// tests/cli/temporary_file: a file made byte by byte, and the items that a source finds in it.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/source.hpp"

namespace monofold::cli {

/// A file that is deleted at the end.
class temporary_file {
 public:
  explicit temporary_file(std::string_view bytes, const std::string& extension = "") {
    std::string pattern = (std::filesystem::temp_directory_path() / "monofold_XXXXXX").string();
    const std::string whole = pattern + extension;
    std::vector<char> name(whole.begin(), whole.end());
    name.push_back('\0');
    const int fd = ::mkstemps(name.data(), static_cast<int>(extension.size()));
    if (fd < 0) throw std::runtime_error("mkstemps");
    ::close(fd);
    path_ = name.data();
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { std::filesystem::remove(path_); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The bytes of values as they lie in memory.
template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// A .npy file of version 1.0 with this dictionary, and bytes behind it. NumPy pads the header to
/// a multiple of 64 bytes; `pad` 1 leaves the items unaligned.
inline std::string npy(const std::string& dictionary, std::string_view items,
                       std::size_t pad = 64) {
  std::string header = dictionary;
  while ((10 + header.size() + 1) % pad != 0) header += ' ';
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes.append(header).append(items);
}

/// The dictionary of an array.
inline std::string dictionary(const std::string& descr, const std::string& shape,
                              const std::string& fortran_order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape +
         ", }";
}

/// All items by `next`. Checks what every source promises about its chunks.
template <class T>
std::vector<T> all_items(source& in) {
  std::vector<T> items;
  bool short_chunk = false;
  for (;;) {
    const chunk part = in.next();
    if (part.count == 0) break;
    EXPECT_FALSE(short_chunk) << "a chunk that is no multiple of 4096 items was not the last";
    short_chunk = part.count % 4096 != 0;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(part.items) % alignof(T), 0u);
    const std::size_t size = items.size();
    items.resize(size + static_cast<std::size_t>(part.count));
    std::memcpy(items.data() + size, part.items, static_cast<std::size_t>(part.count) * sizeof(T));
  }
  return items;
}

template <class T>
std::vector<T> read_file(const std::string& path, const read_options& options = {}) {
  const auto in = open_source(path, options);
  return all_items<T>(*in);
}

/// The message of the `input_error` that reading this file gives; empty if there is none.
inline std::string error_of(const std::string& path, const read_options& options = {}) {
  try {
    const auto in = open_source(path, options);
    while (in->next().count != 0) continue;
    return "";
  } catch (const input_error& problem) {
    return problem.what();
  }
}

inline std::string error_in(std::string_view bytes, const read_options& options = {},
                            const std::string& extension = "") {
  const temporary_file file(bytes, extension);
  return error_of(file.path(), options);
}

}  // namespace monofold::cli
