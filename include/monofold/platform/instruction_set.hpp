#pragma once
/// platform/instruction_set: which vector instructions the loops of this process use: one switch for all.

namespace monofold {

/// Each has what those before it have.
enum class instruction_set : int { baseline, avx2, avx512 };

namespace detail {

/// The widest set that loops may use; what the processor lacks they don't. Read and written atomically, by
/// the compiler's own words: <atomic> costs each source that includes this 0.06 s.
inline int widest_allowed = static_cast<int>(instruction_set::avx512);

inline instruction_set widest_of_processor() {
#if defined(__GNUC__) && defined(__x86_64__)
  // What the loops of fold/exact/accumulator are compiled for.
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi2");
  if (!has_avx2) return instruction_set::baseline;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has_avx512 ? instruction_set::avx512 : instruction_set::avx2;
#else
  return instruction_set::baseline;
#endif
}

/// Whether one stream of lines, in order of addresses, is what this processor fetches ahead best. Four streams
/// have half of its speed on AMD's, from memory; one has three quarters of that of four on Intel's.
inline bool fetches_in_line() {
#if defined(__GNUC__) && defined(__x86_64__)
  return __builtin_cpu_is("amd");
#else
  return false;
#endif
}

}  // namespace detail

/// The set in use: the processor's widest, unless `limit_instruction_set` asked for less. It changes no bit.
inline instruction_set instruction_set_in_use() {
  const auto allowed =
      static_cast<instruction_set>(__atomic_load_n(&detail::widest_allowed, __ATOMIC_RELAXED));
  const instruction_set there = detail::widest_of_processor();
  return there < allowed ? there : allowed;
}

/// Loops that begin from now on use no wider set.
inline void limit_instruction_set(instruction_set widest) {
  __atomic_store_n(&detail::widest_allowed, static_cast<int>(widest), __ATOMIC_RELAXED);
}

}  // namespace monofold
