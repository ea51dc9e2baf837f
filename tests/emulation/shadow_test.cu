// Who touched which word of shared memory when, and which accesses clash.

#include "emulation/shadow.hpp"

#include <gtest/gtest.h>

#include "emulation/symbols.hpp"
#include "emulation/warp_clock.hpp"

namespace {

using monofold::emulation::detail::access_kind;
using monofold::emulation::detail::clash;
using monofold::emulation::detail::shadow;
using monofold::emulation::detail::short_name;
using monofold::emulation::detail::toucher;
using monofold::emulation::detail::warp_clock;

class emulation_shadow : public testing::Test {
 protected:
  void SetUp() override { words.begin(64, 1); }

  clash::kind touch(int thread, access_kind kind, std::size_t at = 0, std::size_t bytes = 4) {
    const bool is_right = words.touch(at, bytes, kind, {thread, epoch, &clocks[thread / 32]});
    return is_right ? clash::kind::none : words.found().what;
  }
  clash::kind read(int thread, std::size_t at = 0, std::size_t bytes = 4) {
    return touch(thread, access_kind::read, at, bytes);
  }
  clash::kind write(int thread, std::size_t at = 0, std::size_t bytes = 4) {
    return touch(thread, access_kind::write, at, bytes);
  }

  shadow words;
  warp_clock clocks[2];
  std::uint32_t epoch = 1;
};

TEST_F(emulation_shadow, a_word_is_written_before_it_is_read) {
  EXPECT_EQ(read(0), clash::kind::unwritten);
  EXPECT_EQ(write(0), clash::kind::none);
  EXPECT_EQ(read(0), clash::kind::none);
  EXPECT_EQ(read(0, 4), clash::kind::unwritten);
  EXPECT_EQ(read(0, 0, 8), clash::kind::unwritten);
  EXPECT_EQ(read(0, 0, 16), clash::kind::none);  // the rest may be padding
  words.begin(64, 2);
  epoch = 2;
  EXPECT_EQ(read(0), clash::kind::unwritten);
}

TEST_F(emulation_shadow, a_block_barrier_orders_all) {
  EXPECT_EQ(write(0), clash::kind::none);
  ++epoch;
  EXPECT_EQ(read(1), clash::kind::none);
  EXPECT_EQ(read(40), clash::kind::none);
  EXPECT_EQ(write(2), clash::kind::race);
  ++epoch;
  EXPECT_EQ(write(2), clash::kind::none);
  EXPECT_EQ(write(2), clash::kind::none);
  EXPECT_EQ(write(3), clash::kind::race);
}

TEST_F(emulation_shadow, a_warp_barrier_orders_its_lanes_only) {
  EXPECT_EQ(write(0), clash::kind::none);
  clocks[0].sync(0x3, 0xffffffffu);
  EXPECT_EQ(read(1), clash::kind::none);
  EXPECT_EQ(read(2), clash::kind::race);
  clocks[0].sync(0x6, 0xffffffffu);  // lane 1 tells lane 2 of lane 0
  EXPECT_EQ(read(2), clash::kind::none);
  EXPECT_EQ(read(32), clash::kind::race);
  clocks[0].sync(0xffffffffu, 0xffffffffu);
  EXPECT_EQ(write(31), clash::kind::none);
}

TEST_F(emulation_shadow, all_readers_count_for_a_write) {
  EXPECT_EQ(write(0), clash::kind::none);
  ++epoch;
  EXPECT_EQ(read(1), clash::kind::none);
  EXPECT_EQ(read(2), clash::kind::none);
  clocks[0].sync(0x5, 0xffffffffu);  // lanes 0 and 2
  EXPECT_EQ(write(0), clash::kind::race);
  clocks[0].sync(0x7, 0xffffffffu);
  EXPECT_EQ(write(0), clash::kind::none);
}

TEST_F(emulation_shadow, readers_of_several_warps_count) {
  EXPECT_EQ(write(0), clash::kind::none);
  ++epoch;
  EXPECT_EQ(read(33), clash::kind::none);
  EXPECT_EQ(read(0), clash::kind::none);
  EXPECT_EQ(write(0), clash::kind::race);
}

TEST_F(emulation_shadow, bytes_of_a_word_are_apart) {
  EXPECT_EQ(write(0, 0, 1), clash::kind::none);
  EXPECT_EQ(write(40, 1, 1), clash::kind::none);
  EXPECT_EQ(read(0, 0, 1), clash::kind::none);
  EXPECT_EQ(read(0, 2, 2), clash::kind::unwritten);
  EXPECT_EQ(read(0, 1, 1), clash::kind::race);
  EXPECT_EQ(write(3, 0, 4), clash::kind::race);
}

TEST_F(emulation_shadow, atomics_clash_with_plain_accesses_only) {
  EXPECT_EQ(write(0), clash::kind::none);
  ++epoch;
  EXPECT_EQ(touch(1, access_kind::atomic), clash::kind::none);
  EXPECT_EQ(touch(50, access_kind::atomic), clash::kind::none);
  EXPECT_EQ(read(1), clash::kind::race);
  EXPECT_EQ(write(1), clash::kind::race);
}

TEST_F(emulation_shadow, volatile_accesses_clash_with_plain_ones_only) {
  EXPECT_EQ(write(0), clash::kind::none);
  ++epoch;
  EXPECT_EQ(touch(1, access_kind::volatile_read), clash::kind::none);
  EXPECT_EQ(touch(50, access_kind::volatile_write), clash::kind::none);
  EXPECT_EQ(touch(1, access_kind::volatile_read), clash::kind::none);
  EXPECT_EQ(touch(2, access_kind::atomic), clash::kind::none);
  EXPECT_EQ(read(1), clash::kind::race);
  EXPECT_EQ(write(1), clash::kind::race);
  ++epoch;
  EXPECT_EQ(read(1), clash::kind::none);
  EXPECT_EQ(touch(50, access_kind::volatile_write), clash::kind::race);
}

TEST(emulation_symbols, short_names_of_kernels_and_variables) {
  EXPECT_EQ(short_name("_Z12plain_kernelPi"), "plain_kernel");
  EXPECT_EQ(short_name("_ZN12_GLOBAL__N_112block_kernelEPKjPm"), "block_kernel");
  EXPECT_EQ(short_name("_ZN8monofold6detail17fold_tiles_kernelIiSt4pairIifEEEvT_T0_"),
            "fold_tiles_kernel");
  EXPECT_EQ(short_name("_ZZN12_GLOBAL__N_112block_kernelEPKjPmE7storage"), "storage");
  EXPECT_EQ(short_name("_ZZN1n1kIiEEvT_E5cells"), "cells");
}

}  // namespace
