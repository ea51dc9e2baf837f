#include "emulation/report.hpp"

#include <cstdio>
#include <mutex>
#include <utility>

namespace monofold::emulation {

namespace {

std::mutex guard;
std::vector<report> filed;

std::string text_of(finding what) {
  switch (what) {
    case finding::barrier_not_reached: return "barrier not reached by all";
    case finding::absent_lanes: return "mask names absent lanes";
    case finding::shared_out_of_range: return "shared memory out of range";
    case finding::shared_race: return "race in shared memory";
    case finding::shared_unwritten: return "unwritten shared memory is used";
    case finding::device_out_of_range: return "device memory out of range";
    case finding::device_misaligned: return "misaligned address";
    case finding::waits_forever: return "kernel waits for ever";
    case finding::trap: return "trap";
    case finding::unsupported: return "launch that cannot be emulated";
  }
  return "?";
}

std::string to_text(const uint3& at) {
  return "(" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " + std::to_string(at.z) +
         ")";
}

}  // namespace

std::string to_text(const report& found) {
  return "monofold emulation: " + text_of(found.what) + ": " + found.text + "\n  kernel " +
         found.kernel + ", block " + to_text(found.block) + ", thread " + to_text(found.thread) +
         "\n  the same order of threads again: MONOFOLD_SEED=" + std::to_string(found.seed) + "\n";
}

std::vector<report> take_reports() {
  const std::lock_guard lock(guard);
  return std::exchange(filed, {});
}

namespace detail {

void file_report(const report& found, echo prints) {
  const std::lock_guard lock(guard);
  if (prints == echo::on) std::fputs(to_text(found).c_str(), stderr);
  filed.push_back(found);
}

bool has_reports() {
  const std::lock_guard lock(guard);
  return !filed.empty();
}

std::string first_report() {
  const std::lock_guard lock(guard);
  if (filed.empty()) return {};
  const report& found = filed.front();
  return text_of(found.what) + ": " + found.text + " (kernel " + found.kernel + ", block " +
         to_text(found.block) + ", thread " + to_text(found.thread) +
         ", MONOFOLD_SEED=" + std::to_string(found.seed) + ")";
}

}  // namespace detail

}  // namespace monofold::emulation
