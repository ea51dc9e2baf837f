#pragma once
/// python/src/stoppable: long calls of the C interface that end where a signal's handler raises.

#include <cstdint>
#include <functional>

#include "monofold/monofold.h"

namespace monofold::python {

/// Calls call(), which reads so many bytes of items: where they are more than a piece's on another thread, while this
/// one looks at signals. What a handler raises ends the call, as soon as its threads look, and is thrown.
///
/// sync       without the interpreter's lock
monofold_status call_stoppably(std::int64_t bytes, const std::function<monofold_status()>& call);

}  // namespace monofold::python
