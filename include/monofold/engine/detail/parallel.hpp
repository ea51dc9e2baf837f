#pragma once
/// engine/detail/parallel: independent pieces of work on some threads, nothing else.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace monofold::detail {

/// How many threads `num_threads` means (0: all there are).
inline int concurrency(int num_threads) {
#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
  return num_threads > 0 ? num_threads : oneapi::tbb::info::default_concurrency();
#else
  static_cast<void>(num_threads);
  return 1;
#endif
}

#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
/// Calls `work` where up to `num_threads` threads may take part.
///
/// oneTBB hands out no more threads than there are cores, and says so on standard error, unless its
/// limit is raised; the limit in force is the lowest that anyone set, so a program's own lower one
/// stays.
template <class Work>
void with_threads(int num_threads, const Work& work) {
  namespace tbb = oneapi::tbb;
  constexpr auto limit = tbb::global_control::max_allowed_parallelism;
  std::optional<tbb::global_control> raised;
  const auto wanted = static_cast<std::size_t>(num_threads);
  if (num_threads > tbb::info::default_concurrency()) raised.emplace(limit, wanted);
  tbb::task_arena arena(
      static_cast<int>(std::min(wanted, tbb::global_control::active_value(limit))));
  arena.execute(work);
}
#endif

#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
/// body(i) for a range of i, whatever the type of the body: oneTBB's templates, some kilobytes of code
/// for each type, are instantiated for this one.
class any_body {
 public:
  template <class Body>
  explicit any_body(const Body& body)
      : body_(&body), call_([](const void* of, std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i != end; ++i) (*static_cast<const Body*>(of))(i);
        }) {}
  void operator()(const oneapi::tbb::blocked_range<std::int64_t>& some) const {
    call_(body_, some.begin(), some.end());
  }

 private:
  const void* body_;
  void (*call_)(const void*, std::int64_t, std::int64_t);
};

inline void parallel_for_any(int num_threads, std::int64_t count, const any_body& body) {
  namespace tbb = oneapi::tbb;
  const auto run = [&] { tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, count), body); };
  if (num_threads <= 0) {
    run();
  } else {
    // No more threads than pieces: an arena takes memory for each.
    with_threads(static_cast<int>(std::min<std::int64_t>(num_threads, count)), run);
  }
}
#endif

/// Calls body(i) for 0 <= i < count, in any order, on up to `num_threads` threads (0: all there
/// are). Without oneTBB the caller's thread does everything.
template <class Body>
void parallel_for(int num_threads, std::int64_t count, const Body& body) {
#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
  if (num_threads != 1 && count > 1) {
    parallel_for_any(num_threads, count, any_body(body));
    return;
  }
#else
  static_cast<void>(num_threads);
#endif
  for (std::int64_t i = 0; i < count; ++i) body(i);
}

}  // namespace monofold::detail
