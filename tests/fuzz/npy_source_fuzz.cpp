// A whole .npy file through the reader of the tool: as a mapped file and as a stream, in both
// orders, against items that are picked out of the bytes one by one.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/array_source.hpp"
#include "cli/npy_header.hpp"
#include "cli/readers.hpp"
#include "tests/fuzz/properties.hpp"

namespace {

using fuzz::reading;
using fuzz::require;
using monofold::dtype;
using monofold::cli::item_order;
using monofold::cli::npy_header;
using monofold::cli::read_options;
using monofold::cli::source;

std::unique_ptr<source> open_file(std::string_view input, const read_options& options) {
  return monofold::cli::open_descriptor(fuzz::memory_file(input), "", options);
}

std::unique_ptr<source> open_stream(std::string_view input, const read_options& options) {
  monofold::cli::opened_input opened;
  opened.stream = std::make_unique<monofold::cli::byte_stream>(fuzz::memory_file(input));
  return monofold::cli::open_npy(std::move(opened), options);
}

// Where item `index` of the row-major order lies in a file in column-major order.
std::int64_t place_in_file(std::int64_t index, const std::vector<std::int64_t>& shape) {
  std::int64_t place = 0;
  std::int64_t stride =
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  for (std::size_t k = shape.size(); k-- > 0; index /= shape[k]) {
    stride /= shape[k];
    place += index % shape[k] * stride;
  }
  return place;
}

std::string expected_items(std::string_view input, const npy_header& header, item_order order) {
  const auto item_bytes = static_cast<std::size_t>(monofold::info(header.type).size_bytes);
  const std::string_view stored = input.substr(static_cast<std::size_t>(header.data_offset));
  std::string items;
  for (std::int64_t i = 0; i < header.num_items; ++i) {
    const bool moved = header.fortran_order && order == item_order::logical;
    const auto place = static_cast<std::size_t>(moved ? place_in_file(i, header.shape) : i);
    std::string item(stored.substr(place * item_bytes, item_bytes));
    if (header.swapped) std::reverse(item.begin(), item.end());
    if (header.type == dtype::boolean) item[0] = static_cast<char>(item[0] != 0);
    items += item;
  }
  return items;
}

// The items in two ranges, the later one first.
void check_fetch(const source& in, const std::string& items) {
  const std::int64_t item_bytes = monofold::info(in.type()).size_bytes;
  const std::int64_t count = in.count().value();
  const auto buffer = monofold::cli::make_buffer((count + 1) * item_bytes);
  const auto range = [&](std::int64_t first, std::int64_t end) {
    if (first == end) return;
    const void* found = in.fetch(first, end - first, buffer.get());
    require(std::memcmp(found, items.data() + first * item_bytes,
                        static_cast<std::size_t>((end - first) * item_bytes)) == 0,
            "a fetched range holds the items of the whole");
  };
  require(in.fetch_items() > 0 && in.fetch_items() % 4096 == 0, "a mapped file can be fetched");
  range(count / 3, count);
  range(0, count / 3);
  in.check();
}

void check(std::string_view input, std::optional<dtype> type, item_order order) {
  read_options options;
  options.format = monofold::cli::file_format::npy;
  options.type = type;
  options.order = order;
  const reading mapped = fuzz::read_all([&] { return open_file(input, options); });
  const reading streamed = fuzz::read_all([&] { return open_stream(input, options); });
  if (mapped.problem.empty()) {
    const auto bytes = std::as_bytes(std::span(input.data(), input.size()));
    const npy_header header = monofold::cli::parse_npy_header(bytes, type);
    const auto item_bytes = static_cast<std::size_t>(monofold::info(header.type).size_bytes);
    require(input.size() == static_cast<std::size_t>(header.data_offset) +
                                static_cast<std::size_t>(header.num_items) * item_bytes,
            "an accepted file is a header and its items");
    require(mapped.items == expected_items(input, header, order), "the items are those stored");
    check_fetch(*open_file(input, options), mapped.items);
  }
  if (streamed.problem.starts_with("an array in Fortran order")) {
    require(order == item_order::logical, "an order that does not matter is no error");
  } else {
    require(mapped == streamed, "a stream gives what a mapped file gives",
            mapped.problem + "\n" + streamed.problem);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t num_bytes) {
  const std::string_view input = fuzz::text_of(bytes, num_bytes);
  if (input.empty()) return 0;  // `open_descriptor` says so before it asks what format it is
  for (const item_order order : {item_order::logical, item_order::stored}) {
    check(input, std::nullopt, order);
    if (input.find("V2") != std::string_view::npos) check(input, dtype::bfloat16, order);
  }
  return 0;
}
