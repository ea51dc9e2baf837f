#pragma once
/// emulation/shadow: what is known of every word of shared memory: who wrote it, who read it, when.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulation/warp_clock.hpp"

namespace monofold::emulation::detail {

enum class access_kind { read, write, atomic };

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
/// Two accesses clash when a byte is in both, one is a plain write (or one atomic, one not), the
/// threads differ, and neither a block barrier nor a warp barrier of both lanes is between them. A
/// word remembers its last write, and the lanes of one warp that read it since (that several warps
/// did is remembered without saying which). Bytes that different threads write in one word take
/// each other's place, so that a clash with the one before can go unseen.
///
/// tested by  tests/emulation/shadow_test.cpp
class shadow {
 public:
  /// A block starts, at the beginning of `epoch`: nothing is written.
  void begin(std::size_t bytes, std::uint32_t epoch);

  clash touch(std::size_t offset, std::size_t bytes, access_kind kind, const toucher& who);

 private:
  struct word {
    std::uint32_t written_since =
        0;  // the block's first epoch, where written_bytes is of this block
    std::uint32_t write_epoch = 0;
    std::uint32_t write_time = 0;
    std::uint32_t read_epoch = 0;
    std::uint32_t read_time = 0;
    std::uint32_t readers = 0;  // lanes
    std::uint16_t writer = 0;   // thread
    std::uint16_t read_warp = 0;
    std::uint8_t written_bytes = 0;
    std::uint8_t write_bytes = 0;  // of the last write
    std::uint8_t read_bytes = 0;
    bool is_atomic = false;
    bool read_by_warps = false;
  };

  clash touch_word(word& at, std::uint8_t bytes, access_kind kind, const toucher& who);
  static clash clash_with_readers(const word& at, std::uint8_t bytes, const toucher& who);
  static void add_reader(word& at, std::uint8_t bytes, const toucher& who);
  bool is_written(const word& at) const {
    return at.written_since == first_epoch_ && at.written_bytes != 0;
  }

  std::vector<word> words_;
  std::uint32_t first_epoch_ = 0;
};

}  // namespace monofold::emulation::detail
