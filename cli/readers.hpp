#pragma once
/// cli/readers: which readers there are; `open_source` picks one.

#include <memory>
#include <optional>
#include <string>

#include "cli/regular_file.hpp"
#include "cli/source.hpp"
#include "cli/stream.hpp"

namespace monofold::cli {

/// The input once it is open: one of the two. A regular file with bytes in it has a size.
struct opened_input {
  std::unique_ptr<regular_file> file;
  std::unique_ptr<byte_stream> stream;
};

/// .npy of any version, order and byte order. From a stream, Fortran order of two dimensions or
/// more is an error, since its first row ends in its last bytes.
std::unique_ptr<source> open_npy(opened_input input, const read_options& options);

/// Items in this machine's byte order without a header; `options.type` says which.
std::unique_ptr<source> open_raw(opened_input input, const read_options& options);

/// Numbers in text; see text_table.hpp for the two layouts. `name` serves for its extension only.
std::unique_ptr<source> open_text(std::unique_ptr<byte_stream> stream, const std::string& name,
                                  const read_options& options);

/// Throws `input_error` where a delimiter cannot be one.
void check_delimiter(const read_options& options);

/// The bytes of a text.
///
/// errors     `input_error`: not text
std::unique_ptr<byte_stream> open_text_stream(const std::string& path, const read_options& options);

/// The same as `open_source` for a descriptor that is open.
std::unique_ptr<source> open_descriptor(descriptor file, const std::string& name,
                                        const read_options& options);

/// The format that the options or the extension (".csv") decide; none: the content does.
std::optional<file_format> format_said(const std::string& extension, const read_options& options);

/// The extension of a file name in lower case, with its point: ".csv"; empty if there is none.
std::string extension_of(const std::string& name);

}  // namespace monofold::cli
