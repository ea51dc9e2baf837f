#pragma once
/// bench/harness/samples: times subjects in turn and says what the times mean.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// What a call gives: its answer as doubles, in the order that the operation states, and how long
/// it took.
struct outcome {
  double ns;
  std::vector<double> values;
};

/// One implementation of one operation on one piece of data.
struct subject {
  std::string path;  // "runtime", "header", "numpy", ...
  std::function<outcome()> call;
};

/// Calls `work`, which returns the values, and times it.
template <class Work>
std::function<outcome()> timed(Work work);

/// Median with the 5th and the 95th percentile.
struct summary {
  double median_ns = 0;
  double p05_ns = 0;
  double p95_ns = 0;
  int num_samples = 0;
};

summary summarise(std::vector<double> samples_ns);

struct sampling {
  int num_samples = 31;
  /// A subject whose call takes longer than this is called `slow_samples` times only: it is far
  /// behind, and exactly how far is not worth minutes.
  double slow_ns = 300e6;
  int slow_samples = 5;
};

/// Calls the subjects in turn, one call each a round, so that noise of the machine hits all alike.
///
/// order      one round that is not counted (it warms caches and pages, and finds the slow ones);
///            every other round runs backwards, so that no subject always follows the same one
/// errors     what a call throws passes through
std::vector<summary> sample_in_turn(const std::vector<subject>& subjects, const sampling& how);

enum class verdict { faster, same, slower, unclear };

/// FASTER or SLOWER where the intervals from the 5th to the 95th percentile do not overlap and the
/// medians differ by 2 % or more; SAME where the medians differ by less; else UNCLEAR.
verdict compare(const summary& ours, const summary& peer);
const char* name_of(verdict v);

double now_ns();

template <class Work>
std::function<outcome()> timed(Work work) {
  return [work] {
    const double start = now_ns();
    std::vector<double> values = work();
    return outcome{now_ns() - start, std::move(values)};
  };
}

}  // namespace bench
