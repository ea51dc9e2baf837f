/// engine: the child of a fork reduces, whatever the pool's threads were at when it was made.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.hpp"

namespace mf = monofold;

namespace {

TEST(fork, a_child_reduces) {
  const std::vector<double> items(200'000, 0.1);
  const double wanted = mf::reduce(mf::cpu, items, mf::sum);
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(mf::reduce(mf::cpu, items, mf::sum), wanted);
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // a child that waits for a thread of its parent ends by it
      _exit(mf::reduce(mf::cpu, items, mf::sum) == wanted ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "child " << i << ": " << status;
  }
}

}  // namespace
