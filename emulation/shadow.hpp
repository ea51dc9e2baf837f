#pragma once
/// emulation/shadow: what is known of every word of shared memory: who wrote it, who read it, when.

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulation/warp_clock.hpp"

namespace monofold::emulation::detail {

/// An access to a volatile word is one that others may make at the same time, as an atomic one.
enum class access_kind { read, write, atomic, volatile_read, volatile_write };

constexpr bool is_read(access_kind kind) {
  return kind == access_kind::read || kind == access_kind::volatile_read;
}
constexpr bool is_write(access_kind kind) {
  return kind == access_kind::write || kind == access_kind::volatile_write;
}
/// Two of these never clash.
constexpr bool is_strong(access_kind kind) {
  return kind != access_kind::read && kind != access_kind::write;
}

/// Who touches shared memory, and when.
struct toucher {
  int thread;               // rank in the block
  std::uint32_t epoch;      // counts block barriers, over all blocks
  const warp_clock* clock;  // of the thread's warp
};

/// What is wrong with an access.
struct clash {
  enum class kind { none, unwritten, race };
  kind what = kind::none;
  int other_thread = 0;
  bool other_wrote = false;
};

/// The record of one stretch of shared memory of one block.
///
/// Two accesses clash when a byte is in both, one is a write, one is plain (neither atomic nor
/// volatile), the threads differ, and neither a block barrier nor a warp barrier of both lanes is between them. A
/// record, of a word or where words were touched in part, of a byte, remembers the last write, and
/// the lanes of one warp that read since (that several warps did is remembered, not which; volatile
/// reads are not, so a plain write behind one goes unnoticed).
///
/// tested by  tests/emulation/shadow_test.cu
class shadow {
 public:
  /// A block starts, at the beginning of `epoch`: nothing is written.
  void begin(std::size_t bytes, std::uint32_t epoch);

  /// False where the access clashes: `found` says with what. No clash is returned, as that would be most of the time.
  bool touch(std::size_t offset, std::size_t bytes, access_kind kind, const toucher& who);
  const clash& found() const { return found_; }

 private:
  struct record {
    std::uint32_t written_in = 0;  // the first epoch of the block in which it was written last
    std::uint32_t write_epoch = 0;
    std::uint32_t write_time = 0;
    std::uint32_t read_epoch = 0;
    std::uint32_t read_time = 0;
    std::uint32_t readers = 0;  // lanes
    std::uint16_t writer = 0;   // thread
    std::uint16_t read_warp = 0;
    bool is_strong = false;  // the last write
    bool read_by_warps = false;
  };
  struct word {
    record whole;
    std::uint32_t split_in = 0;  // the first epoch of the block in which it was split last
  };

  bool touch_word(std::size_t at, access_kind kind, const toucher& who, bool is_asked) {
    record& own = words_[at].whole;
    if (is_asked && !is_written(own)) [[unlikely]]
      return refuse({clash::kind::unwritten});
    return touch_record(own, kind, who);
  }
  bool touch_bytes(std::size_t at, std::size_t first, std::size_t last, bool is_asked,
                   access_kind kind, const toucher& who);
  bool touch_record(record& own, access_kind kind, const toucher& who);
  bool touch_readers(const record& own, const toucher& who);
  bool refuse(const clash& found) {
    found_ = found;
    return false;
  }
  static void add_reader(record& own, const toucher& who);
  bool is_written(const record& own) const { return own.written_in == first_epoch_; }

  std::vector<word> words_;
  std::unordered_map<std::size_t, std::array<record, 4>> bytes_;  // of words that are split
  std::uint32_t first_epoch_ = 0;
  clash found_;
};

}  // namespace monofold::emulation::detail
