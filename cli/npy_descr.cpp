#include "cli/npy_descr.hpp"

#include <array>
#include <bit>

#include "cli/quote.hpp"

namespace monofold::cli {
namespace {

struct descr_entry {
  std::string_view code;
  dtype type;
};

constexpr std::array<descr_entry, 13> supported{{
    {"?", dtype::boolean},
    {"b1", dtype::boolean},
    {"i1", dtype::int8},
    {"i2", dtype::int16},
    {"i4", dtype::int32},
    {"i8", dtype::int64},
    {"u1", dtype::uint8},
    {"u2", dtype::uint16},
    {"u4", dtype::uint32},
    {"u8", dtype::uint64},
    {"f2", dtype::float16},
    {"f4", dtype::float32},
    {"f8", dtype::float64},
}};

// What NumPy calls the kinds that have no reduction here.
std::string_view kind_name(std::string_view code) {
  if (code == "f12" || code == "f16") return "extended precision";
  switch (code.empty() ? '\0' : code[0]) {
    case 'c': return "complex";
    case 'S':
    case 'a': return "byte string";
    case 'U': return "string";
    case 'O': return "Python object";
    case 'M': return "datetime64";
    case 'm': return "timedelta64";
    case 'V': return "raw bytes";
    default: return "";
  }
}

}  // namespace

npy_descr parse_npy_descr(std::string_view descr, std::optional<dtype> type) {
  constexpr bool little = std::endian::native == std::endian::little;
  npy_descr out;
  std::string_view code = descr;
  const char order = code.empty() ? '\0' : code[0];
  if (order == '<' || order == '>' || order == '=' || order == '|') code.remove_prefix(1);
  out.swapped = order == (little ? '>' : '<');
  for (const descr_entry& entry : supported) {
    if (code != entry.code) continue;
    out.type = entry.type;
    return out;
  }
  if (code == "V2" && type == dtype::bfloat16) {
    out.type = dtype::bfloat16;
    return out;
  }
  const std::string_view kind = kind_name(code);
  if (kind.empty()) {
    out.problem = "expected a dtype such as '<f8', found " + quote(descr);
  } else {
    out.problem = "dtype " + quote(descr) + " (" + std::string(kind) + ") is not supported";
    if (code == "V2") out.problem += "; if it is bfloat16, say --dtype bf16";
  }
  return out;
}

}  // namespace monofold::cli
