#pragma once
/// fold/exact/quick_tries: when a quick way is tried that not all data take.

#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Whoever has a next block, or call, asks whether to try the way, and says when it worked.
///
/// cost       of data that never take the way: 2 tries in 16
class quick_tries {
 public:
  /// False 14 times after two tries in succession that failed.
  MONOFOLD_INLINE bool next() {
    if (--untried_ >= 0) return false;
    if (untried_ == -2) untried_ = 14;
    return true;
  }
  MONOFOLD_INLINE void succeeded() { untried_ = 0; }

 private:
  int untried_ = 0;
};

}  // namespace monofold::detail
