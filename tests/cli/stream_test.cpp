#include "cli/stream.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/array_source.hpp"
#include "cli/readers.hpp"
#include "cli/source.hpp"
#include "tests/cli/dribble.hpp"
#include "tests/cli/temporary_file.hpp"

namespace monofold::cli {
namespace {

constexpr std::size_t ring_bytes = std::size_t{8} << 20;  // what the class says it holds

struct open_pipe {
  descriptor reader{-1};
  descriptor writer{-1};
  open_pipe() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    reader.reset(ends[0]);
    writer.reset(ends[1]);
  }
};

void write_all(const descriptor& to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(to.get(), bytes.data(), bytes.size());
    ASSERT_GT(count, 0);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string read_bytes(byte_stream& in, std::size_t count) {
  std::string bytes(count, '\0');
  bytes.resize(in.read(std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

// The byte at this place of a long input.
char byte_at(std::size_t place) { return static_cast<char>(place * 2654435761u >> 24); }

template <class Step>
std::string message_of(const Step& step) {
  try {
    step();
    return "";
  } catch (const input_error& error) {
    return error.what();
  }
}

TEST(Stream, TakesWhatItPeeked) {
  open_pipe ends;
  byte_stream in(std::move(ends.reader));
  write_all(ends.writer, "abcdef");
  EXPECT_EQ(in.peek(3, 3), "abc");
  EXPECT_EQ(in.peek(6, 100), "abcdef");
  EXPECT_EQ(in.taken_bytes(), 0);
  EXPECT_EQ(read_bytes(in, 2), "ab");
  EXPECT_EQ(in.taken_bytes(), 2);
  EXPECT_EQ(in.peek(1, 2), "cd");
  ends.writer.reset(-1);
  EXPECT_EQ(in.peek(100, 100), "cdef") << "fewer only where the input ends";
  EXPECT_EQ(read_bytes(in, 100), "cdef");
  EXPECT_EQ(read_bytes(in, 100), "");
  EXPECT_EQ(in.peek(1, 1), "");
  EXPECT_EQ(in.taken_bytes(), 6);
}

TEST(Stream, GivesSomeBytesWithoutWaitingForAll) {
  open_pipe ends;
  byte_stream in(std::move(ends.reader));
  write_all(ends.writer, "ab");
  std::array<std::byte, 100> bytes{};
  EXPECT_EQ(in.peek(2, 2), "ab");
  EXPECT_EQ(in.read_some(bytes), 2u) << "the writer has not closed its end";
}

TEST(Stream, JoinsShortReads) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::to_string(i) + ' ';
  for (const std::size_t piece : {1u, 7u, 4096u}) {
    const std::string_view sent = std::string_view(text).substr(0, 100 * piece);
    dribble pieces(sent, piece);
    byte_stream in(pieces.take_reader());
    EXPECT_EQ(in.peek(50, 50), sent.substr(0, 50));
    EXPECT_EQ(read_bytes(in, text.size() + 1), sent);
  }
}

// 40 MiB pass through a ring of 8 MiB, taken in pieces that never fit it.
TEST(Stream, KeepsTheOrderAroundTheRing) {
  constexpr std::size_t total = 5 * ring_bytes + 12345;
  open_pipe ends;
  std::thread writer([to = std::move(ends.writer)] {
    std::string piece(99'991, '\0');
    for (std::size_t at = 0; at < total; at += piece.size()) {
      piece.resize(std::min(piece.size(), total - at));
      for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = byte_at(at + i);
      write_all(to, piece);
    }
  });
  byte_stream in(std::move(ends.reader));
  std::vector<std::byte> bytes(1'000'003);
  std::size_t at = 0;
  std::size_t wrong = 0;
  for (std::size_t got = 0; (got = in.read(bytes)) != 0; at += got) {
    for (std::size_t i = 0; i < got; ++i) wrong += bytes[i] != std::byte(byte_at(at + i));
  }
  writer.join();
  EXPECT_EQ(at, total);
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(in.taken_bytes(), static_cast<std::int64_t>(total));
}

// A writer that is faster than the consumer waits.
TEST(Stream, ReadsAheadNoFurtherThanTheRing) {
  open_pipe ends;
  byte_stream in(std::move(ends.reader));
  ASSERT_EQ(::fcntl(ends.writer.get(), F_SETFL, O_NONBLOCK), 0);
  const std::string piece(1 << 20, 'x');
  std::size_t written = 0;
  for (;;) {
    const ssize_t count = ::write(ends.writer.get(), piece.data(), piece.size());
    if (count > 0) written += static_cast<std::size_t>(count);
    ASSERT_LT(written, 4 * ring_bytes);
    pollfd end{ends.writer.get(), POLLOUT, 0};
    if (count < 0 && ::poll(&end, 1, 20) == 0 && written >= ring_bytes) break;
  }
  const int pipe_bytes = ::fcntl(ends.writer.get(), F_GETPIPE_SZ);
  EXPECT_LE(written, ring_bytes + static_cast<std::size_t>(pipe_bytes));
  EXPECT_EQ(in.peek(ring_bytes, 4), "xxxx");
  ends.writer.reset(-1);
  std::string rest(piece.size(), '\0');
  std::size_t taken = 0;
  while (const std::size_t got = in.read(std::as_writable_bytes(std::span(rest)))) taken += got;
  EXPECT_EQ(taken, written);
}

TEST(Stream, EndsWhileItWaitsForASilentPipe) {
  open_pipe ends;
  { const byte_stream in(std::move(ends.reader)); }
  open_pipe full;
  {
    byte_stream in(std::move(full.reader));
    write_all(full.writer, "abc");
    EXPECT_EQ(in.peek(1, 1), "a");
  }
}

TEST(Stream, WaitsWhereThePipeDoesNotBlock) {
  open_pipe ends;
  ASSERT_EQ(::fcntl(ends.reader.get(), F_SETFL, O_NONBLOCK), 0);
  byte_stream in(std::move(ends.reader));
  std::thread writer([to = std::move(ends.writer)] {
    for (const char* piece : {"ab", "cd"}) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      write_all(to, piece);
    }
  });
  EXPECT_EQ(read_bytes(in, 100), "abcd");
  writer.join();
}

TEST(Stream, SaysWhyItCannotRead) {
  byte_stream in(descriptor(::open("/", O_RDONLY | O_CLOEXEC)));
  EXPECT_EQ(message_of([&] { in.peek(1, 1); }), "cannot read: Is a directory");
  EXPECT_EQ(message_of([&] { read_bytes(in, 1); }), "cannot read: Is a directory");
  byte_stream out(descriptor(::open("/dev/null", O_WRONLY | O_CLOEXEC)));
  EXPECT_EQ(message_of([&] { read_bytes(out, 1); }), "cannot read: Bad file descriptor");
}

read_options raw(dtype type) {
  read_options options;
  options.format = file_format::raw;
  options.type = type;
  return options;
}

std::unique_ptr<source> open_pieces(dribble& pieces, const read_options& options) {
  return open_descriptor(pieces.take_reader(), "-", options);
}

std::string error_in_pieces(std::string_view bytes, const read_options& options = {}) {
  dribble pieces(bytes, bytes.size() / 5 + 1);
  return message_of([&] {
    const auto in = open_pieces(pieces, options);
    while (in->next().count != 0) continue;
  });
}

TEST(StreamedArray, ReadsItemsThatArriveInParts) {
  std::vector<std::int32_t> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * i);
  const std::string items = bytes_of(values);
  for (const std::size_t piece : {3u, 61u, 5000u}) {
    dribble plain(items, piece);
    const auto in = open_pieces(plain, raw(dtype::int32));
    EXPECT_FALSE(in->count() || in->total_bytes()) << "a pipe does not say how long it is";
    EXPECT_EQ(all_items<std::int32_t>(*in), values);
    EXPECT_EQ(in->next().count, 0) << "the end stays the end";
    EXPECT_EQ(in->fetch_items(), 0);
    EXPECT_THROW(in->fetch(0, 1, nullptr), input_error);

    const std::string whole = npy(dictionary("<i4", "(10, 100)"), items);
    dribble with_header(whole, piece);
    const auto known = open_pieces(with_header, {});
    EXPECT_EQ(known->count(), 1000);
    EXPECT_EQ(known->total_bytes(), static_cast<std::int64_t>(whole.size()));
    EXPECT_EQ(all_items<std::int32_t>(*known), values);
    EXPECT_EQ(known->consumed_bytes(), known->total_bytes());
  }
}

TEST(StreamedArray, SaysWhatAFileSays) {
  const std::string dict = dictionary("<f8", "(3,)");
  for (const std::string& bytes :
       {npy(dict, "").substr(0, 5), npy(dict, "").substr(0, 9), npy(dict, "").substr(0, 60),
        npy(dict, std::string(17, 'x')), npy(dict, std::string(30, 'x')),
        npy(dict, std::string(3'000'000, 'x')), npy(dictionary("<c8", "(3,)"), "")}) {
    EXPECT_NE(error_in(bytes), "");
    read_options options;
    options.format = file_format::npy;
    EXPECT_EQ(error_in_pieces(bytes, options), error_in(bytes, options));
  }
  EXPECT_EQ(error_in_pieces("1234567", raw(dtype::int32)),
            "found 7 bytes, expected a multiple of 4 (int32)");
  EXPECT_EQ(error_in_pieces(""), "the file is empty");
  EXPECT_EQ(error_in_pieces("", raw(dtype::int32)), "");
  // A size that no file has: the header is refused before a sum of sizes overflows.
  EXPECT_EQ(
      error_in_pieces(npy(dictionary("<f8", "(1152921504606846975,)"), "")),
      "bad .npy header: at byte 60: expected a shape of fewer than 2^63 bytes, found a larger "
      "one");
  EXPECT_EQ(error_in_pieces(npy(dictionary("<f8", "(1152921504606846959,)"), "12345678")),
            "found 8 bytes of items after the header, expected 9223372036854775672 "
            "(1152921504606846959 items of float64)");
}

TEST(StreamedArray, ReadsFortranOrderOnlyWhereItMakesNoDifference) {
  const std::string items = bytes_of<double>({1, 2, 3, 4});
  const auto bytes = [&](const std::string& shape) {
    return npy(dictionary("<f8", shape, "True"), items);
  };
  const std::string problem =
      "an array in Fortran order cannot be read from a pipe, only from a regular file";
  EXPECT_EQ(error_in_pieces(bytes("(2, 2)")), problem);
  EXPECT_EQ(error_in_pieces(bytes("(1, 4, 1)")), "");
  read_options stored;
  stored.order = item_order::stored;
  EXPECT_EQ(error_in_pieces(bytes("(2, 2)"), stored), "");
}

// The memory does not grow with the input: one buffer is used for every chunk.
TEST(StreamedArray, ALongPipePassesThroughOneBuffer) {
  array_layout layout;
  layout.type = dtype::float32;
  layout.num_items = std::int64_t{1} << 40;  // 4 TiB are announced
  auto stream =
      std::make_unique<byte_stream>(descriptor(::open("/dev/zero", O_RDONLY | O_CLOEXEC)));
  const auto in = streamed_array(std::move(stream), layout);
  const chunk first = in->next();
  std::int64_t count = first.count;
  while (count < 32 << 20) {
    const chunk part = in->next();
    ASSERT_EQ(part.items, first.items);
    ASSERT_EQ(part.count, first.count);
    count += part.count;
  }
  EXPECT_EQ(in->consumed_bytes(), 4 * count);
}

}  // namespace
}  // namespace monofold::cli
