// Kernels end themselves where the host's compiler lays out what it hands to them otherwise than nvcc does. Handed are
// layouts that are wrong: on the emulated device, since a real one is lost to its process after a trap.

#include <cstdint>
#include <type_traits>
#include <vector>

#include "monofold/gpus.cuh"
#include "monofold/reduce_axis.cuh"
#include "monofold/reduce_segments.cuh"
#include "monofold/running_state.cuh"
#include "tests/gpu/device.cuh"

#if defined(MONOFOLD_EMULATED)

namespace {

namespace mf = monofold;
using mf::detail::handed_layout;

class gpu_layouts : public gpu_tests::gpu_test {};

struct largest {
  struct state {
    float value;
    float again;
  };
  MONOFOLD_HD state lift(float x, std::int64_t) const { return {x, x}; }
  MONOFOLD_HD state combine(const state& l, const state& r) const {
    return l.value < r.value ? r : l;
  }
};
using view = mf::contiguous_view<float>;
using state_sinks = mf::detail::segment_states<largest::state>;
using state_sink = mf::detail::state_sink<largest::state>;

struct twice {
  MONOFOLD_HD float operator()(float x) const { return 2 * x; }
};

/// Layouts that differ in one size from that of a fold of a view.
template <class F, class View>
std::vector<handed_layout> wrong_layouts() {
  const auto right = mf::detail::handed_layout_of<F, View>();
  std::vector<handed_layout> out(6, right);
  for (const int by : {-1, 8}) {
    out[by < 0 ? 0 : 3].fold_bytes += by;
    out[by < 0 ? 1 : 4].view_bytes += by;
    out[by < 0 ? 2 : 5].state_bytes += by;
  }
  return out;
}

/// The kernel traps, and does nothing else that is wrong.
template <class... Parameters, class... Arguments>
void expect_trap(const char* name, void (*kernel)(Parameters...), int threads,
                 const Arguments&... arguments) {
  const mf::detail::device_stream on{nullptr, 0};
  const auto failed =
      mf::detail::launch_early(kernel, 1, threads, mf::max_shared_bytes, on, arguments...);
  EXPECT_EQ(failed.code, mf::status::internal) << name;
  const auto found = mf::emulation::take_reports();
  ASSERT_EQ(found.size(), 1u) << name;
  EXPECT_EQ(found[0].what, mf::emulation::finding::trap) << name << ": " << found[0].text;
}

TEST_F(gpu_layouts, kernels_of_segments_refuse_others) {
  using job = mf::detail::segment_job<largest, view, mf::fixed_segments, state_sinks, false>;
  const mf::segment_launch plan{};
  const mf::detail::work_list list{};
  largest::state* const states = nullptr;
  std::uint64_t* const report = nullptr;
  for (const handed_layout& layout : wrong_layouts<largest, view>()) {
    const job own{layout, 0, {nullptr}, mf::fixed_segments(3, 1), view(nullptr, 0), largest{}};
    expect_trap("short", mf::detail::fold_short_segments_kernel<job>,
                mf::detail::short_warp<job>::warps * mf::warp_lanes, own, plan, list);
    expect_trap("listed", mf::detail::fold_listed_segments_kernel<job>,
                mf::detail::long_block<job>::warps * mf::warp_lanes, own, plan, list, states,
                report);
    expect_trap("unlisted", mf::detail::fold_unlisted_segments_kernel<job>,
                mf::detail::long_block<job>::warps * mf::warp_lanes, own, plan, list, states,
                report);
  }
}

TEST_F(gpu_layouts, kernels_of_rows_refuse_others) {
  using fold = mf::bound_fold_t<decltype(mf::plain_sum), float>;
  using job = mf::detail::segment_job<fold, view, mf::fixed_segments,
                                      mf::detail::segment_answers<float>, false>;
  for (const handed_layout& layout : wrong_layouts<fold, view>()) {
    const job own{layout, 0, {nullptr}, mf::fixed_segments(3, 1), view(nullptr, 0), fold{}};
    expect_trap("rows", mf::detail::fold_rows_kernel<job>,
                mf::detail::row_block_warps * mf::warp_lanes, own, mf::detail::row_launch{});
    expect_trap("slots", mf::detail::fold_slots_kernel<job>,
                mf::detail::slot_warp<job>::warps * mf::warp_lanes, own, mf::segment_launch{},
                mf::detail::work_list{});
  }
}

template <class F, class Sinks>
auto across_job_of(const handed_layout& layout, const F& f) {
  mf::detail::across_job<F, float, Sinks, true> own{};
  own.layout = layout;
  own.f = f;
  return own;
}

TEST_F(gpu_layouts, kernels_of_columns_refuse_others) {
  for (const handed_layout& layout : wrong_layouts<largest, view>()) {
    const auto own = across_job_of<largest, state_sinks>(layout, largest{});
    using job = std::remove_const_t<decltype(own)>;
    expect_trap("across", mf::detail::fold_across_kernel<job>, mf::detail::across_threads, own);
  }
  using exact = mf::bound_fold_t<decltype(mf::sum), float>;
  for (const handed_layout& layout : wrong_layouts<exact, view>()) {
    const auto own =
        across_job_of<exact, mf::detail::segment_states<typename exact::state>>(layout, exact{});
    using job = std::remove_const_t<decltype(own)>;
    expect_trap("across, exactly", mf::detail::add_across_kernel<job>,
                mf::detail::add_across_warps * mf::warp_lanes, own);
  }
}

TEST_F(gpu_layouts, kernels_of_the_tree_refuse_others) {
  const mf::tile_launch plan{1, 1, 32, 0, true, false};
  const mf::grid_storage<largest::state> storage{};
  for (const handed_layout& layout : wrong_layouts<largest, view>()) {
    expect_trap("tiles", mf::detail::fold_tiles_kernel<largest, view, state_sink>, 32, largest{},
                view(nullptr, 1), std::int64_t{1}, plan, layout, storage,
                mf::detail::mailbox_storage{}, state_sink{nullptr});
  }
}

/// Each bit of what few tiles are handed of a layout counts.
TEST_F(gpu_layouts, the_kernel_of_few_tiles_refuses_others) {
  using mf::detail::no_mailbox_storage;
  const mf::tile_launch plan{1, 1, 32, 0, true, false};
  const auto right = mf::detail::few_launch_of<largest, view>(plan);
  for (int bit = 8; bit < 32; ++bit) {
    auto wrong = right;
    wrong.layout_and_level ^= 1u << bit;
    expect_trap("few",
                mf::detail::fold_few_tiles_kernel<largest, view, no_mailbox_storage, state_sink>,
                32, wrong, mf::detail::sized(view(nullptr, 1)), no_mailbox_storage{},
                state_sink{nullptr}, largest{});
  }
}

/// A fold, a view and a state of so many bytes.
template <int bytes>
struct sized_bytes {
  unsigned char own[bytes];
};
template <int fold_bytes, int state_bytes>
struct sized_fold : sized_bytes<fold_bytes> {
  using state = sized_bytes<state_bytes>;
};

TEST_F(gpu_layouts, few_tiles_tell_all_from_each_other_that_compilers_may_make) {
  using mf::detail::few_layout_of;
  std::vector<std::uint32_t> seen;
  const auto add = [&]<int fold, int of_view>() {
    seen.push_back(few_layout_of<sized_fold<fold, 8>, sized_bytes<of_view>>());
    seen.push_back(few_layout_of<sized_fold<fold, 9>, sized_bytes<of_view>>());
    seen.push_back(few_layout_of<sized_fold<fold, 16>, sized_bytes<of_view>>());
    seen.push_back(few_layout_of<sized_fold<fold, 24>, sized_bytes<of_view>>());
  };
  // What one has less of, another has more of: weighted sums of few bits may be alike.
  add.operator()<24, 16>();
  add.operator()<48, 8>();
  add.operator()<8, 8>();
  add.operator()<1, 16>();
  add.operator()<264, 16>();
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(seen[i], seen[j]) << i << ", " << j;
  }
}

TEST_F(gpu_layouts, kernels_of_exact_sums_refuse_others) {
  namespace in = mf::detail;
  using fold = mf::bound_fold_t<decltype(mf::sum), float>;
  const auto computed = mf::transform(view(nullptr, 1), twice{});
  using computed_view = std::remove_const_t<decltype(computed)>;
  using term = in::view_term_t<fold, computed_view>;
  using sink = in::state_sink<typename fold::state>;
  const auto range = in::range_for<term>(computed);
  using range_type = std::remove_const_t<decltype(range)>;
  for (int which = 0; which < 3; ++which) {
    auto layout = in::exact_layout_of<fold, range_type, sink>();
    (which == 0 ? layout.fold_bytes : which == 1 ? layout.range_bytes : layout.sink_bytes) += 8;
    expect_trap("exactly", in::add_exactly_kernel<term, in::no_companion, fold, sink>,
                mf::exact_threads, layout, fold{}, range, in::exact_scratch{}, sink{nullptr});
  }
}

TEST_F(gpu_layouts, kernels_of_the_best_and_of_pieces_refuse_others) {
  namespace in = mf::detail;
  using word = std::uint32_t;
  in::top_job<word, mf::fixed_segments> own{
      0, 1, 1, false, nullptr, 0, {}, {nullptr, nullptr, nullptr}, mf::fixed_segments(3, 1)};
  using job = decltype(own);
  own.bytes = static_cast<std::int32_t>(sizeof(job)) + 8;
  expect_trap("best, short", in::find_short_tops_kernel<job>, mf::top_row_warps * mf::warp_lanes,
              own, mf::segment_launch{}, in::work_list{});
  expect_trap("items", in::copy_items_kernel<view, float>, 256, view(nullptr, 1), std::int64_t{1},
              static_cast<int>(sizeof(view)) + 8, in::awaited_sink<float>{});
}

}  // namespace

#endif
