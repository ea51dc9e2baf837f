/// compile_fail/running_state_of_strings: a running state folds items for which its fold is defined.
// EXPECT: fold_or_family_for.*mean_family.*string

#include <string>

#include "monofold/monofold.hpp"

monofold::running_state<std::string, decltype(monofold::mean)> state(monofold::mean);
