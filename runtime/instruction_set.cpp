/// runtime/instruction_set: which instruction set the loops use, by name.

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/reducer.hpp"

namespace monofold::runtime {

namespace {

/// The targets that this library has code for and this processor has instructions for.
std::vector<std::int64_t> available() {
  hwy::SetSupportedTargetsForTest(0);  // undo an earlier choice
  std::vector<std::int64_t> targets;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) targets.push_back(target);
  return targets;
}

std::string name_of(std::int64_t target) {
  // Highway calls its portable target by how it works; to a reader it is the compiler's baseline.
  return target == HWY_EMU128 || target == HWY_SCALAR ? "baseline" : hwy::TargetName(target);
}

std::int64_t& chosen() {
  static std::int64_t target = available().front();
  return target;
}

}  // namespace

std::string instruction_set() { return name_of(chosen()); }

std::vector<std::string> instruction_sets() {
  const std::int64_t now = chosen();
  std::vector<std::string> names;
  for (const std::int64_t target : available()) names.push_back(name_of(target));
  use_instruction_set(name_of(now));
  return names;
}

bool use_instruction_set(const std::string& name) {
  for (const std::int64_t target : available()) {
    if (name_of(target) != name) continue;
    chosen() = target;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return true;
  }
  return false;
}

}  // namespace monofold::runtime
