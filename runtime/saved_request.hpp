#pragma once
/// runtime/saved_request: a request as the beginning of a saved reducer.

#include <string>

#include "monofold/platform/encoding.hpp"
#include "runtime/reducer.hpp"

namespace monofold::runtime {

/// What saved reducers are called among other sealed bytes.
inline constexpr const char* saved_reducer = "reducer";

/// Writes what decides about states and answers: not the threads, nor the device.
void encode_request(byte_writer& out, const request& what);

/// errors     throws `error` malformed_state: a number that stands for nothing
request decode_request(byte_reader& in);

/// The operations in one word, as the tool takes them: "sum,mean".
std::string names_of(const request& what);

/// One line for a person: "sum,mean of float32".
std::string text_of(const request& what);

}  // namespace monofold::runtime
