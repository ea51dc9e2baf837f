#pragma once
/// bench/harness/machine: where and how a run was made.

#include <string>

namespace bench {

struct provenance {
  std::string machine;    // a name for a folder: "epyc-2core"
  std::string processor;  // as the processor calls itself
  int num_cores;
  std::string compiler;
  std::string flags;
  std::string commit;  // with "-dirty" where the tree has changes; "unknown" outside of a tree
  double load;         // mean number of running programs over the minute before
};

provenance describe_machine();

}  // namespace bench
