// States that calls of segments and of axes leave: the host finishes them, or combines them first.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

// Before what kernels are made of: their names must not meet those of the CPU's ways.
#include "monofold/reduce_axis.hpp"

#include "monofold/reduce_axis.cuh"
#include "monofold/reduce_segments.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/place_hash.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::is_slow;

class gpu_segment_states : public gpu_tests::gpu_test {};

std::vector<float> items_of_states(std::size_t count) {
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(inputs::spread_double(i + 77, 12));
  }
  return out;
}

/// The items of each segment.
struct parts {
  std::vector<std::int64_t> begins, ends;

  std::int64_t count() const { return std::ssize(begins); }
  std::span<const float> of(const std::vector<float>& items, std::size_t s) const {
    return std::span<const float>(items).subspan(static_cast<std::size_t>(begins[s]),
                                                 static_cast<std::size_t>(ends[s] - begins[s]));
  }
};

/// Empty segments among short ones, and a few of several tiles; `few`: so many as go without a list.
parts hard_parts(bool few) {
  std::vector<std::int64_t> lengths{0, 1, 2, 31, 33, 0, 1023, 1024, 1025, 0, 5 * 1024 + 3};
  if (!few) lengths.push_back((is_slow ? 30 : 300) * 1024 + 7);
  const int more = few ? 20 : int{mf::max_few_segments};
  for (int i = 0; i < more; ++i) lengths.push_back(i % 6);
  lengths.push_back(0);
  parts out;
  std::int64_t at = 3;
  for (const std::int64_t length : lengths) {
    out.begins.push_back(at);
    out.ends.push_back(at += length);
  }
  return out;
}

bool is_untouched(const void* state, std::size_t bytes) {
  const std::string poison(bytes, '\xee');  // of device_array
  return std::memcmp(state, poison.data(), bytes) == 0;
}

/// Each state, finished here, has the bytes of `reduce` of its segment's items; nothing is left where there is none.
template <class F, class Segments>
void expect_segment_states(const char* what, const F& f, const std::vector<float>& items,
                           const device_array<float>& device, const parts& own,
                           const Segments& there) {
  using bound = mf::bound_fold_t<F, float>;
  using state = typename bound::state;
  const bound fold = mf::bind_fold<float>(f);
  const auto range = device.span(0, items.size());
  const device_array<state> states(own.begins.size());
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, there, f));
  mf::fold_segments_into(mf::gpu, range, there, f, states.data(), workspace);
  const mf::segment_faults faults = mf::read_segment_faults(mf::gpu, workspace);
  EXPECT_FALSE(faults.first_bad) << what;
  std::int64_t first_empty = -1;
  const auto found = states.host();
  for (std::size_t s = 0; s < found.size(); ++s) {
    const auto part = own.of(items, s);
    if (part.empty() && !mf::has_identity_v<bound>) {
      if (first_empty < 0) first_empty = static_cast<std::int64_t>(s);
      ASSERT_TRUE(is_untouched(&found[s], sizeof(state))) << what << ", segment " << s;
      continue;
    }
    ASSERT_EQ(inputs::bytes_of(mf::finish_state(fold, found[s])),
              inputs::bytes_of(mf::try_reduce(mf::cpu, part, f)))
        << what << ", segment " << s << " of " << part.size() << " items";
  }
  EXPECT_EQ(faults.first_empty.value_or(-1), first_empty) << what;
}

/// By offsets, and by starts and stops in the opposite order.
template <bool by_ranges, class F>
void compare_segment_states(const char* what, const F& f) {
  for (const bool few : {true, false}) {
    const parts own = hard_parts(few);
    const auto items = items_of_states(static_cast<std::size_t>(own.ends.back()) + 2);
    const device_array<float> device(items);
    std::vector<std::int64_t> offsets(own.begins);
    offsets.push_back(own.ends.back());
    const device_array<std::int64_t> bounds(offsets);
    expect_segment_states(what, f, items, device, own,
                          mf::offset_segments(bounds.data(), own.count()));
    if (testing::Test::HasFatalFailure()) return;
    if constexpr (by_ranges) {
      parts back{{own.begins.rbegin(), own.begins.rend()}, {own.ends.rbegin(), own.ends.rend()}};
      const device_array<std::int64_t> starts(back.begins);
      const device_array<std::int64_t> stops(back.ends);
      expect_segment_states(what, f, items, device, back,
                            mf::range_segments(starts.data(), stops.data(), back.count()));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Rows of one length.
template <class F>
void compare_states_of_rows(const char* what, const F& f) {
  for (const std::int64_t length : {1, 8, 100, 1500}) {
    parts own;
    for (std::int64_t r = 0; r < 40; ++r) {
      own.begins.push_back(r * length);
      own.ends.push_back((r + 1) * length);
    }
    const auto items = items_of_states(static_cast<std::size_t>(40 * length));
    const device_array<float> device(items);
    expect_segment_states(what, f, items, device, own, mf::fixed_segments(length, 40));
    if (testing::Test::HasFatalFailure()) return;
  }
}

const auto members_of_all = mf::all(mf::sum, mf::argmax, mf::plain_variance(1));

TEST_F(gpu_segment_states, of_trees) { compare_segment_states<true>("plain sum", mf::plain_sum); }
TEST_F(gpu_segment_states, of_exact_sums) {
  compare_segment_states<false>("sum", mf::sum);
  compare_states_of_rows("sum", mf::sum);
}
TEST_F(gpu_segment_states, of_several_folds) {
  compare_segment_states<true>("all", members_of_all);
  compare_states_of_rows("all", members_of_all);
}
TEST_F(gpu_segment_states, of_a_fold_without_identity_are_none_for_no_items) {
  compare_segment_states<false>("place hash", gpu_tests::place_hash{});
}

TEST_F(gpu_segment_states, have_indices_of_the_whole_range_on_request) {
  const auto items = items_of_states(9000);
  const device_array<float> device(items);
  const auto range = device.span(0, items.size());
  const mf::fixed_segments rows(90, 100);
  const auto fold = mf::bind_fold<float>(mf::argmax);
  const device_array<decltype(fold)::state> states(100);
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, rows, mf::argmax));
  mf::fold_segments_into(mf::gpu, range, rows, mf::argmax, states.data(), workspace,
                         mf::global_index);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const auto found = states.host();
  for (std::int64_t r = 0; r < 100; ++r) {
    const auto row = std::span<const float>(items).subspan(static_cast<std::size_t>(90 * r), 90);
    ASSERT_EQ(mf::finish_state(fold, found[static_cast<std::size_t>(r)]).value(),
              mf::reduce(mf::cpu, row, mf::argmax) + 90 * r);
  }
}

/// States of the pieces of rows, combined here, are those of rows that were never cut.
TEST_F(gpu_segment_states, of_pieces_combine_to_those_of_the_whole) {
  const auto items = items_of_states(30 * 1000);
  const device_array<float> device(items);
  const auto range = device.span(0, items.size());
  const auto fold = mf::bind_fold<float>(mf::sum);
  const mf::fixed_segments pieces(100, 300);
  const device_array<decltype(fold)::state> states(300);
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, pieces, mf::sum));
  mf::fold_segments_into(mf::gpu, range, pieces, mf::sum, states.data(), workspace);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const auto found = states.host();
  for (std::size_t r = 0; r < 30; ++r) {
    auto whole = found[10 * r];
    for (std::size_t i = 1; i < 10; ++i) whole = fold.combine(whole, found[10 * r + i]);
    const auto row = std::span<const float>(items).subspan(1000 * r, 1000);
    ASSERT_EQ(inputs::bytes_of(mf::finish_state(fold, whole)),
              inputs::bytes_of(mf::try_reduce(mf::cpu, row, mf::sum)))
        << "row " << r;
  }
}

/// States of rows along every axis, and along axes apart.
template <class F>
void compare_axis_states(const char* what, const F& f) {
  using bound = mf::bound_fold_t<F, float>;
  const bound fold = mf::bind_fold<float>(f);
  for (const mf::axis_numbers& extents :
       {mf::axis_numbers{3, 5, 130}, {2, 1100, 33}, {2500, 2, 3}}) {
    const auto items =
        items_of_states(static_cast<std::size_t>(extents[0] * extents[1] * extents[2]));
    const device_array<float> device(items);
    const mf::array_view<float> view(device.data(), extents);
    for (const mf::axis_numbers& axes :
         {mf::axis_numbers{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}, {0, 1, 2}}) {
      const auto want =
          mf::try_reduce_axis(mf::cpu, mf::array_view<float>(items.data(), extents), axes, f);
      const device_array<typename bound::state> states(want.values.size());
      const mf::gpu_workspace workspace(mf::workspace_bytes(view, axes, f));
      mf::fold_axis_into(mf::gpu, view, axes, f, states.data(), workspace);
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      const auto found = states.host();
      for (std::size_t r = 0; r < found.size(); ++r) {
        ASSERT_EQ(inputs::bytes_of(mf::finish_state(fold, found[r])),
                  inputs::bytes_of(want.values[r]))
            << what << ", row " << r << " of " << extents[0] << " x " << extents[1] << " x "
            << extents[2] << ", " << axes.size() << " axes from " << axes[0];
      }
    }
  }
}

TEST_F(gpu_segment_states, of_axes_by_trees) {
  compare_axis_states("place hash", gpu_tests::place_hash{});
}
TEST_F(gpu_segment_states, of_axes_by_exact_sums) { compare_axis_states("sum", mf::sum); }
TEST_F(gpu_segment_states, of_axes_by_several_folds) { compare_axis_states("all", members_of_all); }

TEST_F(gpu_segment_states, of_rows_without_items_are_identities_or_refused) {
  const mf::array_view<float> none(nullptr, {4, 0});
  const auto fold = mf::bind_fold<float>(mf::sum);
  const device_array<decltype(fold)::state> sums(4);
  const mf::gpu_workspace workspace(mf::workspace_bytes(none, {1}, mf::sum));
  mf::fold_axis_into(mf::gpu, none, {1}, mf::sum, sums.data(), workspace);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (const auto& state : sums.host()) {
    EXPECT_EQ(inputs::bytes_of(mf::finish_state(fold, state).value()), inputs::bytes_of(0.0));
  }
  const device_array<gpu_tests::place_hash::state> hashes(4);
  gpu_tests::expect_refused(
      [&] {
        mf::fold_axis_into(mf::gpu, none, {1}, gpu_tests::place_hash{}, hashes.data(), workspace);
      },
      "row 0", mf::status::empty_input);
}

}  // namespace
