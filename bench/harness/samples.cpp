#include "bench/harness/samples.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

namespace bench {

namespace {

/// Linear between neighbours, as NumPy does it. `sorted` is not empty.
double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

}  // namespace

double now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::nano>(now).count();
}

summary summarise(std::vector<double> samples_ns) {
  if (samples_ns.empty()) return {};
  std::sort(samples_ns.begin(), samples_ns.end());
  return {percentile(samples_ns, 0.5), percentile(samples_ns, 0.05), percentile(samples_ns, 0.95),
          static_cast<int>(samples_ns.size())};
}

std::vector<summary> sample_in_turn(const std::vector<subject>& subjects, const sampling& how) {
  std::vector<std::vector<double>> samples(subjects.size());
  std::vector<int> wanted;
  for (const subject& s : subjects) {
    wanted.push_back(s.call().ns > how.slow_ns ? std::min(how.slow_samples, how.num_samples)
                                               : how.num_samples);
  }
  for (int round = 0; round < how.num_samples; ++round) {
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      const std::size_t at = round % 2 == 0 ? i : subjects.size() - 1 - i;
      // The few samples of a slow subject are spread over all rounds.
      const int due = (round + 1) * wanted[at] / how.num_samples;
      if (static_cast<int>(samples[at].size()) < due) {
        samples[at].push_back(subjects[at].call().ns);
      }
    }
  }
  std::vector<summary> summaries;
  for (auto& some : samples) summaries.push_back(summarise(std::move(some)));
  return summaries;
}

verdict compare(const summary& ours, const summary& peer) {
  constexpr double least_effect = 0.02;
  const double ratio = peer.median_ns / ours.median_ns;
  if (std::abs(ratio - 1) < least_effect) return verdict::same;
  if (ratio > 1 && ours.p95_ns < peer.p05_ns) return verdict::faster;
  if (ratio < 1 && ours.p05_ns > peer.p95_ns) return verdict::slower;
  return verdict::unclear;
}

const char* name_of(verdict v) {
  switch (v) {
    case verdict::faster: return "FASTER";
    case verdict::same: return "SAME";
    case verdict::slower: return "SLOWER";
    case verdict::unclear: break;
  }
  return "UNCLEAR";
}

}  // namespace bench
