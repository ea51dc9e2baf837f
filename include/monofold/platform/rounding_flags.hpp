#pragma once
/// platform/rounding_flags: whether arithmetic of this thread has rounded a result, as the processor says.

#include <cstdint>

#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Where nobody asks.
struct no_flags {
  bool any() const { return false; }
  void clear() const {}
};

}  // namespace monofold::detail

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
#define MONOFOLD_ROUNDING_FLAGS 1

namespace monofold::detail {

/// The flags of exceptions of a thread whose arithmetic is strict (platform/strict_arithmetic).
///
/// sync       a register of this thread, which the destructor puts back. Results must be in memory or pass
///            `seen_by` before `any` is asked
/// cost       some 20 cycles where it is read: by the constructor and by `any`
/// tested by  tests/exact/environment_test.cpp, tests/exact/accumulator_test.cpp
class rounding_flags {
 public:
  MONOFOLD_INLINE rounding_flags() : before_(read()) { clear(); }
  MONOFOLD_INLINE ~rounding_flags() { write(before_); }
  rounding_flags(const rounding_flags&) = delete;
  rounding_flags& operator=(const rounding_flags&) = delete;

  MONOFOLD_INLINE void clear() const { write(before_ & ~every_flag); }
  /// Since they were cleared: a result was rounded, overflowed, or is NaN of what was none. Always true where no
  /// arithmetic raises them: emulators of processors may leave that out, as Valgrind does.
  MONOFOLD_INLINE bool any() const {
    return !are_raised() || (read() & (invalid | overflow | inexact)) != 0;
  }

 private:
  static constexpr std::uint32_t every_flag = 0x3f;
  static constexpr std::uint32_t invalid = 0x01, overflow = 0x08, inexact = 0x20;

  /// What a thread's flags are says nothing of who raised them, so arithmetic is asked, once.
  MONOFOLD_INLINE static bool are_raised() {
    const int known = __atomic_load_n(&known_, __ATOMIC_RELAXED);
    return known != 0 ? known > 0 : ask();
  }
  /// With all flags down; leaves them as they were then.
  __attribute__((noinline)) static bool ask() {
    volatile double one = 1.0, tiny = 0x1p-60;
    const std::uint32_t before = read();
    write(before & ~every_flag);
    volatile double rounded = one + tiny;
    static_cast<void>(rounded);
    const bool is_raised = (read() & inexact) != 0;
    write(before);
    __atomic_store_n(&known_, is_raised ? 1 : -1, __ATOMIC_RELAXED);
    return is_raised;
  }
  MONOFOLD_INLINE static std::uint32_t read() {
    std::uint32_t now;
    __asm__ volatile("stmxcsr %0" : "=m"(now) : : "memory");
    return now;
  }
  MONOFOLD_INLINE static void write(std::uint32_t next) {
    __asm__ volatile("ldmxcsr %0" : : "m"(next) : "memory");
  }

  static inline int known_ = 0;  // whether they are raised: 1 yes, -1 no, 0 not asked yet
  std::uint32_t before_;
};

#if !defined(__clang__)
// Where loops may name the vector instructions that round without a flag.
#define MONOFOLD_QUIET_VECTORS 1

/// The operation that made `x` comes before flags that are read from here on.
template <class Vector>
MONOFOLD_INLINE void seen_by(const rounding_flags&, Vector& x) {
  __asm__ volatile("" : "+v"(x));
}
#endif

}  // namespace monofold::detail

#endif
