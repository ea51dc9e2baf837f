// Wrong results come without a report: then this is how to get the same order of threads.

#include <gtest/gtest.h>

#include <cstdio>

#include "emulation/random.hpp"

namespace {

class print_seed : public testing::Environment {
 public:
  void SetUp() override {
    std::printf("MONOFOLD_SEED=%llu\n",
                static_cast<unsigned long long>(monofold::emulation::seed()));
  }
};

const testing::Environment* const printer = testing::AddGlobalTestEnvironment(new print_seed);

}  // namespace
