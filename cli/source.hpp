#pragma once
/// cli/source: an array in a file or on standard input, seen as chunks of native items in order.

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "monofold/platform/dtype.hpp"

namespace monofold::cli {

/// The input is missing, unreadable or malformed (exit code 3). The message has no file name in
/// it; whoever prints it puts `monofold: FILE: ` in front.
class input_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class file_format { detect, npy, raw, text };

/// The order in which items are handed out. `stored` is for folds whose result depends neither on
/// the order of the items nor on their indices: a Fortran-ordered file is then read straight on.
enum class item_order { logical, stored };

/// --header: whether the first row of a table holds names. `detect`: the row and the next one tell.
enum class header_rule { detect, present, absent };

/// --io: how the bytes of a regular file come. An array whose order is not that of the file is always
/// read through a map.
///
/// automatic  a map or read calls, whichever is faster
/// direct     read calls that leave the page cache alone
enum class io_mode { automatic, map, read, direct };

/// How the user said the file is to be read.
struct read_options {
  file_format format = file_format::detect;  // detect: by content, then by the options below
  std::optional<dtype> type;                 // --dtype: required for raw, optional for text
  std::optional<std::string> column;         // --column NAME|N (1-based); means CSV
  std::vector<std::string> by;               // --by: columns whose cells are the key of a row
  std::optional<char> delimiter;             // --delimiter; default: comma, else tab, else blanks
  std::vector<std::string> missing;          // --na TEXT: these tokens are skipped and counted
  header_rule header = header_rule::detect;  // --header
  item_order order = item_order::logical;
  io_mode io = io_mode::automatic;
};

/// Extents of an array, and which axis moves fastest in the file: the last one, or the first.
struct array_shape {
  std::vector<std::int64_t> extents;
  bool column_major = false;
};

/// Items in native byte order at an address aligned for their type, valid until the next call.
struct chunk {
  const void* items = nullptr;
  std::int64_t count = 0;  // 0: the end
};

/// shape      the items of the array in C (row-major) order, whatever the order in the file
/// errors     `input_error` from any call: the file is malformed, was cut short, or shrank
class source {
 public:
  virtual ~source() = default;
  virtual dtype type() const = 0;
  /// The number of items, where it is known before the end (not for text and pipes).
  virtual std::optional<std::int64_t> count() const = 0;
  /// The number of bytes that will be read, where it is known (for progress).
  virtual std::optional<std::int64_t> total_bytes() const = 0;
  /// Bytes consumed so far.
  virtual std::int64_t consumed_bytes() const = 0;
  /// The next items; every chunk but the last holds a multiple of 4096 items.
  virtual chunk next() = 0;
  /// Whether items come in another order than that of the file, which costs time.
  virtual bool reorders() const { return false; }
  /// Tokens skipped because they matched `read_options::missing`.
  virtual std::int64_t missing_count() const { return 0; }
  /// What the user should know of how the input was read; complete once all of it has been.
  virtual std::vector<std::string> remarks() const { return {}; }

  /// The array's shape, where the input has one (.npy).
  virtual std::optional<array_shape> shape() const { return std::nullopt; }
  /// Where all items lie in the order of the file, native and aligned, if they lie anywhere; `check` as for
  /// `fetch`.
  virtual const void* items_in_place() { return nullptr; }

  /// How many items a call of `fetch` should ask for (a multiple of 4096), or 0 where only `next`
  /// works. Whoever fetches does not call `next`.
  virtual std::int64_t fetch_items() const { return 0; }
  /// Asks that `fetch` always copies into its buffer. Called before the first fetch.
  virtual void copy_items() {}
  /// Items [first, first + num_items), for threads that read the file together.
  ///
  /// shape      native items: in `buffer` (aligned to 64 bytes, room for all of them), or where the
  ///            file is mapped; valid until the next fetch into that buffer
  /// sync       any number of threads at once, each with its own buffer
  /// errors     `input_error`: the file is shorter than it was. Not every loss is seen at once:
  ///            call `check` after the last fetch
  virtual const void* fetch(std::int64_t first, std::int64_t num_items, void* buffer) const {
    (void)first, (void)num_items, (void)buffer;
    throw input_error("this input can be read from start to end only");
  }
  /// Throws `input_error` if items handed out by `fetch` may not have been those of the file.
  virtual void check() const {}
};

/// Opens `path` (`-` is standard input).
std::unique_ptr<source> open_source(const std::string& path, const read_options& options);

}  // namespace monofold::cli
