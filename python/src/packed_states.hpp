#pragma once
/// python/src/packed_states: the states of many rows as bytes, which travel between processes.

#include <cstdint>
#include <span>
#include <vector>

#include "monofold/platform/encoding.hpp"
#include "monofold/platform/sealed.hpp"
#include "runtime/asked_members.hpp"

namespace monofold::python {

/// What a row has seen: how many items, and the states of members where there were some.
struct row_state {
  std::int64_t count = 0;
  runtime::member_states all{};

  /// Appends the items of `next`, whose places are counted already.
  void append(const runtime::asked_members& by, row_state next);
  const runtime::member_states* states() const { return count > 0 ? &all : nullptr; }
};

/// Packs the states of rows, one after the other.
///
/// shape      of a row: its count of items, and the encoded states of its members as words of 8 bytes. Runs of words
///            that are all zeros or all ones take a byte, and words below 2^16 two: an exact sum of doubles of like
///            size takes about 30 bytes of its 312
/// tested by  python/tests/test_dask_rows.py
class states_packer {
 public:
  explicit states_packer(const runtime::asked_members& by, std::int64_t num_rows);

  void put(const row_state& row);
  /// What `states_reader` takes, sealed: with a version, and a checksum.
  std::vector<unsigned char> sealed();

 private:
  void put_number(std::uint64_t number);
  void put_words(std::span<const unsigned char> bytes);

  const runtime::asked_members& by_;
  byte_writer head_{};
  std::vector<unsigned char> rows_{};
  std::vector<unsigned char> words_{};  // of the row at hand
};

/// Hands out the states of packed rows, in their order.
///
/// errors     throws `error` malformed_state: bytes that are none of these, or damaged
class states_reader {
 public:
  /// `packed` outlives the reader.
  explicit states_reader(std::span<const unsigned char> packed);

  const runtime::request& what() const { return what_; }
  std::int64_t num_rows() const { return num_rows_; }
  row_state next(const runtime::asked_members& by);

 private:
  std::uint64_t next_number();
  void next_words();

  unsealed held_;
  byte_reader in_;
  runtime::request what_;
  std::int64_t num_rows_;
  std::vector<unsigned char> words_{};  // of the row at hand, as members wrote them
};

}  // namespace monofold::python
