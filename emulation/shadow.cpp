#include "emulation/shadow.hpp"

#include <algorithm>

namespace monofold::emulation::detail {

void shadow::begin(std::size_t bytes, std::uint32_t epoch) {
  // Records of earlier blocks are recognised by their epochs.
  if (words_.size() < (bytes + 3) / 4) words_.resize((bytes + 3) / 4);
  first_epoch_ = epoch;
}

clash shadow::touch(std::size_t offset, std::size_t bytes, access_kind kind, const toucher& who) {
  const std::size_t end = offset + bytes;
  // A copy of a struct reads its padding, which nobody need have written. Padding is never first, and
  // a copy of up to 8 bytes is as likely a number: of those every word is asked for, of others one.
  const std::size_t asked = bytes <= 8 ? end : offset / 4 * 4 + 4;
  for (std::size_t at = offset / 4 * 4; at < end; at += 4) {
    const std::size_t first = std::max(at, offset) - at;
    const std::size_t last = std::min(at + 4, end) - at;
    const auto mask = static_cast<std::uint8_t>((1u << last) - (1u << first));
    word& here = words_[at / 4];
    if (kind != access_kind::write && at < asked && !is_written(here)) {
      return {clash::kind::unwritten};
    }
    const clash found = touch_word(here, mask, kind, who);
    if (found.what != clash::kind::none) return found;
  }
  return {};
}

clash shadow::touch_word(word& at, std::uint8_t bytes, access_kind kind, const toucher& who) {
  const bool both_atomic = at.is_atomic && kind == access_kind::atomic;
  if (at.write_epoch == who.epoch && at.writer != who.thread && (at.write_bytes & bytes) != 0 &&
      !both_atomic) {
    const bool one_warp = at.writer / 32 == who.thread / 32;
    if (!one_warp || !who.clock->is_behind(who.thread % 32, at.writer % 32, at.write_time)) {
      return {clash::kind::race, at.writer, true};
    }
  }
  if (kind == access_kind::read) {
    add_reader(at, bytes, who);
    return {};
  }
  if (const clash found = clash_with_readers(at, bytes, who); found.what != clash::kind::none) {
    return found;
  }
  if (at.written_since != first_epoch_) at.written_bytes = 0;
  at.written_since = first_epoch_;
  at.written_bytes |= bytes;
  at.write_epoch = who.epoch;
  at.write_time = who.clock->now();
  at.write_bytes = bytes;
  at.writer = static_cast<std::uint16_t>(who.thread);
  at.is_atomic = kind == access_kind::atomic;
  // Whoever comes behind this write comes behind the reads before it.
  at.readers = 0;
  return {};
}

clash shadow::clash_with_readers(const word& at, std::uint8_t bytes, const toucher& who) {
  if (at.read_epoch != who.epoch || at.readers == 0 || (at.read_bytes & bytes) == 0) return {};
  std::uint32_t others = at.readers;
  const bool one_warp = at.read_warp == who.thread / 32;
  if (one_warp) others &= ~(1u << who.thread % 32);
  for (std::uint32_t left = others; left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    if (!one_warp || !who.clock->is_behind(who.thread % 32, lane, at.read_time)) {
      return {clash::kind::race, at.read_warp * 32 + lane, false};
    }
  }
  // A warp that is not remembered read it too.
  if (at.read_by_warps) return {clash::kind::race, -1, false};
  return {};
}

void shadow::add_reader(word& at, std::uint8_t bytes, const toucher& who) {
  const auto warp = static_cast<std::uint16_t>(who.thread / 32);
  const int lane = who.thread % 32;
  if (at.read_epoch != who.epoch || at.readers == 0) {
    at.read_by_warps = false;
    at.read_bytes = 0;
    at.readers = 0;
  } else if (at.read_warp != warp) {
    at.read_by_warps = true;
    at.readers = 0;
  } else {
    // A reader that this one comes behind need not be remembered.
    for (std::uint32_t left = at.readers; left != 0; left &= left - 1) {
      const int other = __builtin_ctz(left);
      if (who.clock->is_behind(lane, other, at.read_time)) at.readers &= ~(1u << other);
    }
  }
  at.read_epoch = who.epoch;
  at.read_time = who.clock->now();
  at.read_warp = warp;
  at.read_bytes |= bytes;
  at.readers |= 1u << lane;
}

}  // namespace monofold::emulation::detail
