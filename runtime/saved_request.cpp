#include "runtime/saved_request.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace monofold::runtime {

namespace {

std::int32_t enumerator(byte_reader& in, std::int32_t count) {
  const auto value = decoded<std::int32_t>(in);
  if (value < 0 || value >= count) {
    throw error(status::malformed_state, "a number that stands for nothing");
  }
  return value;
}

}  // namespace

void encode_request(byte_writer& out, const request& what) {
  encode(out, static_cast<std::int32_t>(what.type));
  encode(out, static_cast<std::int32_t>(what.nan));
  encode(out, what.plain);
  encode(out, what.ddof);
  encode(out, what.k);
  encode(out, static_cast<std::uint32_t>(what.ops.size()));
  for (const operation op : what.ops) encode(out, static_cast<std::int32_t>(op));
}

request decode_request(byte_reader& in) {
  request what;
  what.type = static_cast<dtype>(enumerator(in, static_cast<std::int32_t>(dtypes.size())));
  what.nan = static_cast<nan_policy>(enumerator(in, 3));
  decode(in, what.plain);
  decode(in, what.ddof);
  decode(in, what.k);
  const auto num_ops = decoded<std::uint32_t>(in);
  for (std::uint32_t i = 0; i < num_ops; ++i) {
    const auto op = enumerator(in, static_cast<std::int32_t>(operations.size()));
    what.ops.push_back(static_cast<operation>(op));
  }
  return what;
}

std::string names_of(const request& what) {
  std::string names;
  for (const operation op : what.ops) {
    names += (names.empty() ? "" : ",") + std::string(info(op).name);
  }
  return names;
}

std::string text_of(const request& what) {
  std::string text = what.plain ? "plain " : "";
  text += names_of(what) + " of " + std::string(monofold::info(what.type).name);
  const auto asks = [&](auto... ops) {
    return ((std::find(what.ops.begin(), what.ops.end(), ops) != what.ops.end()) || ...);
  };
  if (asks(operation::top, operation::bottom)) text += ", k " + std::to_string(what.k);
  if (asks(operation::var, operation::std)) text += ", ddof " + std::to_string(what.ddof);
  if (what.nan != nan_policy::propagate && monofold::info(what.type).is_floating) {
    text += what.nan == nan_policy::omit ? ", NaN omitted" : ", NaN an error";
  }
  return text;
}

}  // namespace monofold::runtime
