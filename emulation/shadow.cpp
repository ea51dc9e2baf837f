#include "emulation/shadow.hpp"

#include <algorithm>

namespace monofold::emulation::detail {

void shadow::begin(std::size_t bytes, std::uint32_t epoch) {
  // Records of earlier blocks are recognised by their epochs.
  if (words_.size() < (bytes + 3) / 4) words_.resize((bytes + 3) / 4);
  bytes_.clear();
  first_epoch_ = epoch;
}

bool shadow::touch(std::size_t offset, std::size_t bytes, access_kind kind, const toucher& who) {
  const std::size_t end = offset + bytes;
  // A copy of a struct reads its padding, which nobody need have written. Padding is never first, and
  // what has up to 8 bytes is as likely a number: of that every word is asked for, of the rest one.
  const std::size_t asked = bytes <= 8 ? end : offset / 4 * 4 + 4;
  for (std::size_t at = offset / 4 * 4; at < end; at += 4) {
    const std::size_t first = std::max(at, offset) - at;
    const std::size_t last = std::min(at + 4, end) - at;
    const bool is_asked = !is_write(kind) && at < asked;
    const bool is_split = words_[at / 4].split_in == first_epoch_ || last - first != 4;
    if (!(is_split ? touch_bytes(at / 4, first, last, is_asked, kind, who)
                   : touch_word(at / 4, kind, who, is_asked))) {
      return false;
    }
  }
  return true;
}

bool shadow::touch_bytes(std::size_t at, std::size_t first, std::size_t last, bool is_asked,
                         access_kind kind, const toucher& who) {
  word& here = words_[at];
  auto& bytes = bytes_[at];
  if (here.split_in != first_epoch_) bytes.fill(here.whole);
  here.split_in = first_epoch_;
  const auto* const from = bytes.data();
  const auto written = [&](const record& own) { return is_written(own); };
  if (is_asked && std::none_of(from + first, from + last, written)) {
    return refuse({clash::kind::unwritten});
  }
  for (std::size_t i = first; i < last; ++i) {
    if (!touch_record(bytes[i], kind, who)) return false;
  }
  return true;
}

bool shadow::touch_record(record& own, access_kind kind, const toucher& who) {
  const bool both_strong = own.is_strong && is_strong(kind);
  if (own.write_epoch == who.epoch && own.writer != who.thread && !both_strong) {
    const bool one_warp = own.writer / 32 == who.thread / 32;
    if (!one_warp || !who.clock->is_behind(who.thread % 32, own.writer % 32, own.write_time)) {
      return refuse({clash::kind::race, own.writer, true});
    }
  }
  if (is_read(kind)) {
    if (!is_strong(kind)) add_reader(own, who);
    return true;
  }
  if (!touch_readers(own, who)) return false;
  own.written_in = first_epoch_;
  own.write_epoch = who.epoch;
  own.write_time = who.clock->now();
  own.writer = static_cast<std::uint16_t>(who.thread);
  own.is_strong = is_strong(kind);
  // Whoever comes behind this write comes behind the reads before it.
  own.readers = 0;
  return true;
}

/// What a write does to those who read before.
bool shadow::touch_readers(const record& own, const toucher& who) {
  if (own.read_epoch != who.epoch || own.readers == 0) return true;
  std::uint32_t others = own.readers;
  if (own.read_warp == who.thread / 32) {
    const int lane = who.thread % 32;
    others &= ~(1u << lane);
    others &= ~who.clock->behind(lane, others, own.read_time);
  }
  if (others != 0) {
    return refuse({clash::kind::race, own.read_warp * 32 + __builtin_ctz(others), false});
  }
  // A warp that is not remembered read it too.
  return !own.read_by_warps || refuse({clash::kind::race, -1, false});
}

void shadow::add_reader(record& own, const toucher& who) {
  const auto warp = static_cast<std::uint16_t>(who.thread / 32);
  const int lane = who.thread % 32;
  if (own.read_epoch != who.epoch || own.readers == 0) {
    own.read_by_warps = false;
    own.readers = 0;
  } else if (own.read_warp != warp) {
    own.read_by_warps = true;
    own.readers = 0;
  } else {
    // A reader that this one comes behind need not be remembered.
    own.readers &= ~who.clock->behind(lane, own.readers, own.read_time);
  }
  own.read_epoch = who.epoch;
  own.read_time = who.clock->now();
  own.read_warp = warp;
  own.readers |= 1u << lane;
}

}  // namespace monofold::emulation::detail
