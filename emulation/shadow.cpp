#include "emulation/shadow.hpp"

#include <algorithm>

namespace monofold::emulation::detail {

void shadow::begin(std::size_t bytes, std::uint32_t epoch) {
  // Records of earlier blocks are recognised by their epochs.
  if (words_.size() < (bytes + 3) / 4) words_.resize((bytes + 3) / 4);
  bytes_.clear();
  first_epoch_ = epoch;
}

clash shadow::touch(std::size_t offset, std::size_t bytes, access_kind kind, const toucher& who) {
  const std::size_t end = offset + bytes;
  // A copy of a struct reads its padding, which nobody need have written. Padding is never first, and
  // what has up to 8 bytes is as likely a number: of that every word is asked for, of the rest one.
  const std::size_t asked = bytes <= 8 ? end : offset / 4 * 4 + 4;
  for (std::size_t at = offset / 4 * 4; at < end; at += 4) {
    const std::size_t first = std::max(at, offset) - at;
    const std::size_t last = std::min(at + 4, end) - at;
    const bool is_asked = !is_write(kind) && at < asked;
    word& here = words_[at / 4];
    clash found;
    if (here.split_in == first_epoch_ || last - first != 4) {
      found = touch_bytes(at / 4, first, last, is_asked, kind, who);
    } else if (is_asked && !is_written(here.whole)) {
      found = {clash::kind::unwritten};
    } else {
      found = touch_record(here.whole, kind, who);
    }
    if (found.what != clash::kind::none) return found;
  }
  return {};
}

clash shadow::touch_bytes(std::size_t at, std::size_t first, std::size_t last, bool is_asked,
                          access_kind kind, const toucher& who) {
  word& here = words_[at];
  auto& bytes = bytes_[at];
  if (here.split_in != first_epoch_) bytes.fill(here.whole);
  here.split_in = first_epoch_;
  const auto* const from = bytes.data();
  const auto written = [&](const record& own) { return is_written(own); };
  if (is_asked && std::none_of(from + first, from + last, written)) {
    return {clash::kind::unwritten};
  }
  for (std::size_t i = first; i < last; ++i) {
    const clash found = touch_record(bytes[i], kind, who);
    if (found.what != clash::kind::none) return found;
  }
  return {};
}

clash shadow::touch_record(record& own, access_kind kind, const toucher& who) const {
  const bool both_strong = own.is_strong && is_strong(kind);
  if (own.write_epoch == who.epoch && own.writer != who.thread && !both_strong) {
    const bool one_warp = own.writer / 32 == who.thread / 32;
    if (!one_warp || !who.clock->is_behind(who.thread % 32, own.writer % 32, own.write_time)) {
      return {clash::kind::race, own.writer, true};
    }
  }
  if (is_read(kind)) {
    if (!is_strong(kind)) add_reader(own, who);
    return {};
  }
  if (const clash found = clash_with_readers(own, who); found.what != clash::kind::none) {
    return found;
  }
  own.written_in = first_epoch_;
  own.write_epoch = who.epoch;
  own.write_time = who.clock->now();
  own.writer = static_cast<std::uint16_t>(who.thread);
  own.is_strong = is_strong(kind);
  // Whoever comes behind this write comes behind the reads before it.
  own.readers = 0;
  return {};
}

clash shadow::clash_with_readers(const record& own, const toucher& who) {
  if (own.read_epoch != who.epoch || own.readers == 0) return {};
  std::uint32_t others = own.readers;
  const bool one_warp = own.read_warp == who.thread / 32;
  if (one_warp) others &= ~(1u << who.thread % 32);
  for (; others != 0; others &= others - 1) {
    const int lane = __builtin_ctz(others);
    if (!one_warp || !who.clock->is_behind(who.thread % 32, lane, own.read_time)) {
      return {clash::kind::race, own.read_warp * 32 + lane, false};
    }
  }
  // A warp that is not remembered read it too.
  if (own.read_by_warps) return {clash::kind::race, -1, false};
  return {};
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
    for (std::uint32_t left = own.readers; left != 0; left &= left - 1) {
      const int other = __builtin_ctz(left);
      if (who.clock->is_behind(lane, other, own.read_time)) own.readers &= ~(1u << other);
    }
  }
  own.read_epoch = who.epoch;
  own.read_time = who.clock->now();
  own.read_warp = warp;
  own.readers |= 1u << lane;
}

}  // namespace monofold::emulation::detail
