// Calls of rows, columns and axes apart in a graph: each replay reads the items that are there then.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Before what kernels are made of: their names must not meet those of the CPU's ways.
#include "monofold/reduce_axis.hpp"

#include "monofold/reduce_axis.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/replayed.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::overwrite;
using gpu_tests::poison;
using gpu_tests::replayed;

class gpu_captured_axes : public gpu_tests::gpu_test {
 protected:
  static std::vector<float> numbers(const mf::axis_numbers& extents, std::uint64_t seed) {
    std::vector<float> out(static_cast<std::size_t>(extents[0] * extents[1] * extents[2]));
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<float>(inputs::spread_double(i + seed, 12));
    }
    return out;
  }
  static std::string name_of(const mf::axis_numbers& extents, const mf::axis_numbers& axes) {
    std::string out = "axes";
    for (const std::int64_t axis : axes) out += " " + std::to_string(axis);
    out += " of";
    for (const std::int64_t extent : extents) out += " " + std::to_string(extent);
    return out;
  }
  /// Rows and columns, short and of several tiles, and axes apart.
  template <class Compare>
  static void for_each_shape(const Compare& compare) {
    for (const mf::axis_numbers& extents :
         {mf::axis_numbers{4, 70, 33}, {2, 3, 2500}, {2500, 2, 5}}) {
      for (const mf::axis_numbers& axes :
           {mf::axis_numbers{2}, {0}, {1}, {0, 2}, {0, 1}, {0, 1, 2}}) {
        SCOPED_TRACE(name_of(extents, axes));
        compare(extents, axes);
        if (HasFatalFailure()) return;
      }
    }
  }

  template <class F>
  static void compare(const F& f) {
    for_each_shape([&](const mf::axis_numbers& extents, const mf::axis_numbers& axes) {
      const device_array<float> there(numbers(extents, 0));
      const mf::array_view<float> view(there.data(), extents);
      using left = mf::finished_t<F, float>;
      std::vector<left> want(rows_in(extents, axes), left{});
      const device_array<left> out(want.size());
      const mf::gpu_workspace workspace(mf::workspace_bytes(view, axes, f));
      const replayed call([&](cudaStream_t stream) {
        mf::reduce_axis_into(mf::gpu(stream), view, axes, f, out.data(), workspace);
      });
      for (std::uint64_t round = 0; round < 3; ++round) {
        const auto host = numbers(extents, 1000 * round);
        overwrite(there, host);
        poison(out);
        call.run();
        mf::reduce_axis_into(mf::cpu, mf::array_view<float>(host.data(), extents), axes, f,
                             want.data());
        ASSERT_EQ(inputs::bytes_of(out.host()), inputs::bytes_of(want)) << "round " << round;
      }
    });
  }
  static std::size_t rows_in(const mf::axis_numbers& extents, const mf::axis_numbers& axes) {
    std::int64_t rows = extents[0] * extents[1] * extents[2];
    for (const std::int64_t axis : axes) rows /= extents[static_cast<int>(axis)];
    return static_cast<std::size_t>(rows);
  }
};

TEST_F(gpu_captured_axes, exact_sums) { compare(mf::sum); }
TEST_F(gpu_captured_axes, plain_sums) { compare(mf::plain_sum); }
TEST_F(gpu_captured_axes, maxima) { compare(mf::max); }

TEST_F(gpu_captured_axes, states) {
  const auto several = mf::all(mf::sum, mf::argmax, mf::plain_variance(1));
  const auto bound = mf::bind_fold<float>(several);
  for_each_shape([&](const mf::axis_numbers& extents, const mf::axis_numbers& axes) {
    const device_array<float> there(numbers(extents, 0));
    const mf::array_view<float> view(there.data(), extents);
    const device_array<decltype(bound)::state> states(rows_in(extents, axes));
    const mf::gpu_workspace workspace(mf::workspace_bytes(view, axes, several));
    const replayed call([&](cudaStream_t stream) {
      mf::fold_axis_into(mf::gpu(stream), view, axes, several, states.data(), workspace);
    });
    for (std::uint64_t round = 0; round < 2; ++round) {
      const auto host = numbers(extents, 1000 * round);
      overwrite(there, host);
      poison(states);
      call.run();
      const auto found = states.host();
      const auto want =
          mf::try_reduce_axis(mf::cpu, mf::array_view<float>(host.data(), extents), axes, several);
      for (std::size_t r = 0; r < found.size(); ++r) {
        ASSERT_EQ(inputs::bytes_of(mf::finish_state(bound, found[r])),
                  inputs::bytes_of(want.values[r]))
            << "row " << r << ", round " << round;
      }
    }
  });
}

}  // namespace
