// Saved reducers: the bytes of a file, and a payload that is sealed as if it were whole.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "monofold/platform/sealed.hpp"
#include "runtime/reducer.hpp"
#include "tests/fuzz/properties.hpp"

namespace {

using fuzz::require;
using monofold::runtime::reducer;
using bytes = std::vector<unsigned char>;

std::optional<reducer> loaded(const bytes& file) {
  try {
    return reducer::load(file);
  } catch (const monofold::error& wrong) {
    require(wrong.code() == monofold::status::malformed_state, "a refusal is one of the file");
    fuzz::require_message(wrong.what());
  }
  return std::nullopt;
}

// What can be read can be used, and is read again as it is.
void check(const bytes& file) {
  const std::optional<reducer> read = loaded(file);
  if (!read) return;
  const std::size_t num_answers = read->finish().size();
  require(num_answers == read->what().ops.size(), "every operation has an answer");
  const bytes saved = read->save();
  const std::optional<reducer> again = loaded(saved);
  require(again.has_value(), "what is written can be read");
  require(again->count() == read->count(), "no item gets lost");
  require(again->save() == saved, "what is read is written as it was");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const unsigned char> input(data, size);
  check(bytes(input.begin(), input.end()));
  check(monofold::seal("reducer", input));
  return 0;
}
