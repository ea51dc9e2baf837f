#include "python/src/packed_states.hpp"

#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include "monofold/platform/status.hpp"
#include "runtime/saved_request.hpp"

namespace monofold::python {

namespace {

constexpr const char* packed_name = "states of rows";

/// What a run of up to 64 words is: two bits of the byte before it; the others are how many words, less one.
enum class run_kind : std::uint8_t { zeros = 0, ones = 1, short_words = 2, words = 3 };
constexpr std::size_t most_words = 64;
constexpr std::uint64_t all_ones = ~std::uint64_t{0};

run_kind kind_of(std::uint64_t word) {
  if (word == 0) return run_kind::zeros;
  if (word == all_ones) return run_kind::ones;
  return word <= std::numeric_limits<std::uint16_t>::max() ? run_kind::short_words
                                                           : run_kind::words;
}

/// The word of eight bytes, least first.
std::uint64_t word_of(const unsigned char* bytes) {
  std::uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&word, bytes, sizeof word);
  } else {
    for (int i = 0; i < 8; ++i) word |= std::uint64_t{bytes[i]} << 8 * i;
  }
  return word;
}

[[noreturn]] void refuse() { throw error(status::malformed_state, "states of rows that are none"); }

}  // namespace

void row_state::append(const runtime::asked_members& by, row_state next) {
  if (next.count == 0) return;
  if (count > std::numeric_limits<std::int64_t>::max() - next.count) {
    throw error(status::invalid_argument, "more items than can be counted");
  }
  if (count == 0) {
    *this = std::move(next);
    return;
  }
  for (std::size_t i = 0; i < by.members.size(); ++i) {
    by.members[i]->combine(*all.parts[i], *next.all.parts[i]);
  }
  count += next.count;
}

states_packer::states_packer(const runtime::asked_members& by, std::int64_t num_rows) : by_(by) {
  runtime::encode_request(head_, by.wanted);
  encode(head_, num_rows);
}

void states_packer::put_number(std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) {
    rows_.push_back(static_cast<unsigned char>(0x80 | (number & 0x7f)));
  }
  rows_.push_back(static_cast<unsigned char>(number));
}

void states_packer::put_words(std::span<const unsigned char> bytes) {
  words_.assign(bytes.begin(), bytes.end());
  words_.resize((words_.size() + 7) / 8 * 8);
  const std::size_t end = words_.size();
  put_number(end / 8);
  for (std::size_t at = 0; at < end;) {
    const run_kind kind = kind_of(word_of(&words_[at]));
    std::size_t next = at + 8;
    while (next < end && next < at + 8 * most_words && kind_of(word_of(&words_[next])) == kind) {
      next += 8;
    }
    const std::size_t count = (next - at) / 8;
    rows_.push_back(static_cast<unsigned char>(static_cast<std::size_t>(kind) << 6 | (count - 1)));
    const unsigned char* const run = words_.data() + at;
    if (kind == run_kind::words) rows_.insert(rows_.end(), run, run + (next - at));
    for (std::size_t i = 0; kind == run_kind::short_words && i < count; ++i) {
      rows_.insert(rows_.end(), run + 8 * i, run + 8 * i + 2);
    }
    at = next;
  }
}

void states_packer::put(const row_state& row) {
  put_number(static_cast<std::uint64_t>(row.count));
  if (row.count == 0) return;
  byte_writer out;
  for (std::size_t i = 0; i < by_.members.size(); ++i) {
    by_.members[i]->write(out, *row.all.parts[i]);
  }
  put_words(out.bytes());
}

std::vector<unsigned char> states_packer::sealed() {
  std::vector<unsigned char> payload = head_.bytes();
  payload.insert(payload.end(), rows_.begin(), rows_.end());
  return seal(packed_name, payload);
}

states_reader::states_reader(std::span<const unsigned char> packed)
    : held_(unseal(packed)), in_(held_.payload, held_.version) {
  if (held_.name != packed_name) refuse();
  what_ = runtime::decode_request(in_);
  num_rows_ = decoded<std::int64_t>(in_);
  if (num_rows_ < 0) refuse();
}

std::uint64_t states_reader::next_number() {
  std::uint64_t number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const unsigned char byte = in_.take(1)[0];
    number |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return number;
  }
  refuse();
}

void states_reader::next_words() {
  words_.clear();
  for (std::uint64_t left = next_number(); left > 0;) {
    const unsigned char run = in_.take(1)[0];
    const std::size_t count = (run & 0x3fu) + 1u;
    if (count > left) refuse();
    left -= count;
    const auto kind = static_cast<run_kind>(run >> 6);
    if (kind == run_kind::zeros || kind == run_kind::ones) {
      words_.insert(words_.end(), 8 * count, kind == run_kind::ones ? 0xff : 0);
      continue;
    }
    const std::size_t width = kind == run_kind::words ? 8 : 2;
    for (std::size_t i = 0; i < count; ++i) {
      const auto bytes = in_.take(width);
      words_.insert(words_.end(), bytes.begin(), bytes.end());
      words_.insert(words_.end(), 8 - width, 0);
    }
  }
}

row_state states_reader::next(const runtime::asked_members& by) {
  row_state row;
  const std::uint64_t count = next_number();
  if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) refuse();
  row.count = static_cast<std::int64_t>(count);
  if (row.count == 0) return row;
  next_words();
  byte_reader states(words_, in_.version());
  for (const auto& one : by.members) row.all.parts.push_back(one->read(states));
  return row;
}

}  // namespace monofold::python
