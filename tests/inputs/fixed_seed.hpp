#pragma once
/// inputs/fixed_seed: RapidCheck draws the same cases in every run; RC_PARAMS says otherwise.

#include <cstdlib>

namespace inputs {

// RapidCheck reads RC_PARAMS at its first check, after this.
inline const int fixed_seed = ::setenv("RC_PARAMS", "seed=20260101", 0);

}  // namespace inputs
