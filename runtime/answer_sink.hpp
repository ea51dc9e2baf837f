#pragma once
/// runtime/answer_sink: who takes the answers of rows as they are found.

#include <cstdint>

#include "runtime/reducer.hpp"

namespace monofold::runtime {

class answer_sink {
 public:
  virtual ~answer_sink() = default;

  /// The answers of a row, in the order of `request.ops`. They are the caller's, and change afterwards.
  ///
  /// sync       any number of threads at once, each with rows of its own
  virtual void keep(std::int64_t row, const answer* answers) = 0;
};

}  // namespace monofold::runtime
