/// runtime/instruction_set: which instruction set the loops use, by name.

#include "monofold/platform/instruction_set.hpp"

#include <hwy/highway.h>

#include <string>
#include <vector>

#include "runtime/reducer.hpp"

namespace monofold::runtime {

namespace {

using set = monofold::instruction_set;

/// As Highway calls it; its portable target is called by how it works, and is to a reader the compiler's baseline.
std::string name_of(set which) {
  return which == set::avx512 ? "AVX3" : which == set::avx2 ? "AVX2" : "baseline";
}

/// Those that this library has code for and this processor has instructions for, best first.
std::vector<set> available() {
  const set widest = monofold::detail::widest_of_processor();
  std::vector<set> sets;
  if (widest >= set::avx512 && (HWY_TARGETS & HWY_AVX3) != 0) sets.push_back(set::avx512);
  if (widest >= set::avx2 && (HWY_TARGETS & HWY_AVX2) != 0) sets.push_back(set::avx2);
  sets.push_back(set::baseline);
  return sets;
}

}  // namespace

std::string instruction_set() {
  for (const set which : available()) {
    if (which <= instruction_set_in_use()) return name_of(which);
  }
  return name_of(set::baseline);
}

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const set which : available()) names.push_back(name_of(which));
  return names;
}

bool use_instruction_set(const std::string& name) {
  for (const set which : available()) {
    if (name_of(which) != name) continue;
    limit_instruction_set(which);
    return true;
  }
  return false;
}

}  // namespace monofold::runtime
