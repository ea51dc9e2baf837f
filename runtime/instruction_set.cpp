/// runtime/instruction_set: which instruction set the loops use, by name.

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdint>
#include <string>
#include <vector>

#include "monofold/platform/instruction_set.hpp"
#include "runtime/reducer.hpp"

namespace monofold::runtime {

namespace {

/// The targets that this library has code for and this processor has instructions for, best first.
const std::vector<std::int64_t>& available() {
  // Asked once: a virtual machine takes tens of microseconds to say what its processor can do.
  static const std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  return targets;
}

std::string name_of(std::int64_t target) {
  // Highway calls its portable target by how it works; to a reader it is the compiler's baseline.
  return target == HWY_EMU128 || target == HWY_SCALAR ? "baseline" : hwy::TargetName(target);
}

/// That of the header's loops, which choose by themselves.
monofold::instruction_set set_of(std::int64_t target) {
  if (target == HWY_EMU128 || target == HWY_SCALAR) return monofold::instruction_set::baseline;
  return target == HWY_AVX2 ? monofold::instruction_set::avx2 : monofold::instruction_set::avx512;
}

std::int64_t& chosen() {
  static std::int64_t target = available().front();
  return target;
}

}  // namespace

std::string instruction_set() { return name_of(chosen()); }

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const std::int64_t target : available()) names.push_back(name_of(target));
  return names;
}

bool use_instruction_set(const std::string& name) {
  for (const std::int64_t target : available()) {
    if (name_of(target) != name) continue;
    chosen() = target;
    // And those below, where a source file has no loops for this one. Better targets have lower bits.
    std::int64_t usable = 0;
    for (const std::int64_t other : available()) usable |= other >= target ? other : 0;
    hwy::SetSupportedTargetsForTest(usable);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    limit_instruction_set(set_of(target));
    return true;
  }
  return false;
}

}  // namespace monofold::runtime
