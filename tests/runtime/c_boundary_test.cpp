// runtime/c_boundary: what a call throws is a status for C.

#include "runtime/c_boundary.hpp"

#include <new>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/platform/status.hpp"

namespace {

namespace mf = monofold;
using mf::runtime::c_boundary::guarded;

TEST(c_boundary, exceptions_become_statuses) {
  EXPECT_EQ(guarded([]() -> monofold_status { return MONOFOLD_NAN_FOUND; }), MONOFOLD_NAN_FOUND);
  EXPECT_EQ(guarded([]() -> monofold_status { throw mf::error(mf::status::unsupported, "this"); }),
            MONOFOLD_UNSUPPORTED);
  EXPECT_EQ(guarded([]() -> monofold_status { throw std::bad_alloc(); }), MONOFOLD_OUT_OF_MEMORY);
  EXPECT_EQ(guarded([]() -> monofold_status { throw std::bad_array_new_length(); }),
            MONOFOLD_OUT_OF_MEMORY);
  EXPECT_EQ(guarded([]() -> monofold_status { throw std::runtime_error("this"); }),
            MONOFOLD_INTERNAL);
  EXPECT_EQ(guarded([]() -> monofold_status { throw 1; }), MONOFOLD_INTERNAL);
}

TEST(c_boundary, a_vector_that_no_memory_holds_is_out_of_memory) {
  EXPECT_EQ(guarded([]() -> monofold_status {
              std::vector<double> all;
              all.reserve(all.max_size() + 1);
              return MONOFOLD_OK;
            }),
            MONOFOLD_OUT_OF_MEMORY);
}

}  // namespace
