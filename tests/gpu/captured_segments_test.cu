// Calls of segments in a graph: each replay reads the ends of segments and the items that are there then.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "monofold/reduce_segments.cuh"
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

class gpu_captured_segments : public gpu_tests::gpu_test {
 protected:
  static constexpr std::int64_t items = 60000;

  static std::vector<float> numbers(std::uint64_t seed) {
    std::vector<float> out(items);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<float>(inputs::spread_double(i + seed, 12));
    }
    return out;
  }
  /// Offsets of so many segments: none, short ones, and those of `giants` with most of the items.
  static std::vector<std::int64_t> offsets(std::int64_t count,
                                           const std::vector<std::int64_t>& giants) {
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(count));
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      lengths[s] = static_cast<std::int64_t>(inputs::mixed(s + giants.size()) % 7);
    }
    for (const std::int64_t giant : giants) lengths[static_cast<std::size_t>(giant)] = 5000;
    std::vector<std::int64_t> out{3};
    for (const std::int64_t length : lengths) out.push_back(out.back() + length);
    EXPECT_LE(out.back(), items);
    return out;
  }

  /// `giants`: the long segments of each replay.
  template <class F>
  static void compare(const char* what, const F& f, std::int64_t count,
                      const std::vector<std::vector<std::int64_t>>& giants) {
    const device_array<float> there(numbers(0));
    const device_array<std::int64_t> bounds(offsets(count, giants[0]));
    const auto range = there.span(0, items);
    const mf::offset_segments segments(bounds.data(), count);
    const device_array<mf::finished_t<F, float>> out(static_cast<std::size_t>(count));
    const mf::gpu_workspace workspace(mf::workspace_bytes(range, segments, f));
    const replayed call([&](cudaStream_t stream) {
      mf::reduce_segments_into(mf::gpu(stream), range, segments, f, out.data(), workspace);
    });
    for (std::size_t round = 0; round < giants.size(); ++round) {
      const auto host = numbers(round * 1000);
      const auto ends = offsets(count, giants[round]);
      overwrite(there, host);
      overwrite(bounds, ends);
      poison(out);
      call.run();
      const auto got = out.host();
      for (std::size_t s = 0; s < got.size(); ++s) {
        ASSERT_EQ(inputs::bytes_of(got[s]), wanted(host, ends[s], ends[s + 1], f))
            << what << ": segment " << s << " of " << ends[s + 1] - ends[s] << " items, round "
            << round;
      }
    }
  }

  /// By starts and stops, which overlap and have gaps; `few`: so many as go without a list.
  template <class F>
  static void compare_ranges(const char* what, const F& f, std::int64_t count) {
    const device_array<float> there(numbers(0));
    const std::vector<std::int64_t> none(static_cast<std::size_t>(count));
    const device_array<std::int64_t> starts(none);
    const device_array<std::int64_t> stops(none);
    const auto range = there.span(0, items);
    const mf::range_segments segments(starts.data(), stops.data(), count);
    const device_array<mf::finished_t<F, float>> out(none.size());
    const mf::gpu_workspace workspace(mf::workspace_bytes(range, segments, f));
    const replayed call([&](cudaStream_t stream) {
      mf::reduce_segments_into(mf::gpu(stream), range, segments, f, out.data(), workspace);
    });
    for (std::uint64_t round = 0; round < 3; ++round) {
      const auto host = numbers(round * 1000);
      std::vector<std::int64_t> begins, ends;
      for (std::uint64_t s = 0; s < none.size(); ++s) {
        const std::uint64_t random = inputs::mixed(s + 7777 * round);
        const bool is_giant = random % 41 == round;
        begins.push_back(static_cast<std::int64_t>(random % (items - 6000)));
        ends.push_back(begins.back() + static_cast<std::int64_t>(is_giant ? 5000 : random % 9));
      }
      overwrite(there, host);
      overwrite(starts, begins);
      overwrite(stops, ends);
      poison(out);
      call.run();
      const auto got = out.host();
      for (std::size_t s = 0; s < got.size(); ++s) {
        ASSERT_EQ(inputs::bytes_of(got[s]), wanted(host, begins[s], ends[s], f))
            << what << ": segment " << s << " of " << ends[s] - begins[s] << " items, round "
            << round;
      }
    }
  }

  /// Rows of one length, with gaps or without.
  template <class F>
  static void compare_rows(const char* what, const F& f, const mf::fixed_segments& rows) {
    const device_array<float> there(numbers(0));
    const auto range = there.span(0, items);
    const device_array<mf::finished_t<F, float>> out(static_cast<std::size_t>(rows.size()));
    const mf::gpu_workspace workspace(mf::workspace_bytes(range, rows, f));
    const replayed call([&](cudaStream_t stream) {
      mf::reduce_segments_into(mf::gpu(stream), range, rows, f, out.data(), workspace);
    });
    for (std::uint64_t round = 0; round < 3; ++round) {
      const auto host = numbers(round * 1000);
      overwrite(there, host);
      poison(out);
      call.run();
      const auto got = out.host();
      for (std::int64_t r = 0; r < rows.size(); ++r) {
        ASSERT_EQ(inputs::bytes_of(got[static_cast<std::size_t>(r)]),
                  wanted(host, rows.begin(r), rows.end(r), f))
            << what << ": row " << r << " of " << rows.length() << " items, round " << round;
      }
    }
  }

  /// What the call leaves for the items [begin, end): a value, or a `result`.
  template <class F>
  static std::string wanted(const std::vector<float>& host, std::int64_t begin, std::int64_t end,
                            const F& f) {
    const auto own = std::span<const float>(host).subspan(static_cast<std::size_t>(begin),
                                                          static_cast<std::size_t>(end - begin));
    const auto answer = mf::try_reduce(mf::cpu, own, f);
    using left = mf::finished_t<F, float>;
    if constexpr (std::is_same_v<left, std::remove_const_t<decltype(answer)>>) {
      return inputs::bytes_of(answer);
    } else {
      return inputs::bytes_of(*answer);
    }
  }
};

TEST_F(gpu_captured_segments, few_of_them) {
  compare("count", mf::count, 10, {{3}, {0, 9}, {}});
  compare("sum", mf::sum, 10, {{3}, {0, 9}, {}});
}

TEST_F(gpu_captured_segments, more_than_a_block_looks_at) {
  compare("sum", mf::sum, 2100, {{7, 1500}, {}, {0, 1, 2, 1023, 2099}});
  compare("plain sum", mf::plain_sum, 2100, {{}, {7, 1500}, {2099}});
}

TEST_F(gpu_captured_segments, by_starts_and_stops) {
  compare_ranges("sum", mf::sum, 40);
  compare_ranges("sum", mf::sum, 1500);
  compare_ranges("plain sum", mf::plain_sum, 1500);
  compare_ranges("max", mf::max, 40);
}

TEST_F(gpu_captured_segments, of_one_length) {
  for (const mf::fixed_segments& rows :
       {mf::fixed_segments(8, 2000), mf::fixed_segments(100, 300, 190),
        mf::fixed_segments(1500, 40), mf::fixed_segments(19000, 3, 20000)}) {
    compare_rows("sum", mf::sum, rows);
    compare_rows("plain sum", mf::plain_sum, rows);
    compare_rows("max", mf::max, rows);
  }
}

TEST_F(gpu_captured_segments, states_of_several_folds) {
  const auto several = mf::all(mf::sum, mf::argmin, mf::count);
  const auto bound = mf::bind_fold<float>(several);
  constexpr std::int64_t count = 1500;
  const device_array<float> there(numbers(0));
  const device_array<std::int64_t> bounds(offsets(count, {}));
  const auto range = there.span(0, items);
  const mf::offset_segments segments(bounds.data(), count);
  const device_array<decltype(bound)::state> states(count);
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, segments, several));
  const replayed call([&](cudaStream_t stream) {
    mf::fold_segments_into(mf::gpu(stream), range, segments, several, states.data(), workspace);
  });
  const std::vector<std::vector<std::int64_t>> giants{{3}, {}, {0, 1499}};
  for (std::size_t round = 0; round < giants.size(); ++round) {
    const auto host = numbers(round * 1000);
    const auto ends = offsets(count, giants[round]);
    overwrite(there, host);
    overwrite(bounds, ends);
    poison(states);
    call.run();
    const auto got = states.host();
    for (std::size_t s = 0; s < got.size(); ++s) {
      const auto own = std::span<const float>(host).subspan(
          static_cast<std::size_t>(ends[s]), static_cast<std::size_t>(ends[s + 1] - ends[s]));
      if (own.empty()) continue;  // argmin has no state of no items
      ASSERT_EQ(inputs::bytes_of(mf::finish_state(bound, got[s])),
                inputs::bytes_of(mf::try_reduce(mf::cpu, own, several)))
          << "segment " << s << ", round " << round;
    }
  }
}

/// Each replay reports what it found, and nothing of the replay before.
TEST_F(gpu_captured_segments, that_are_wrong_in_one_replay) {
  for (const std::int64_t count : {10, 2100}) {
    const device_array<float> there(numbers(0));
    const auto good = offsets(count, {});
    const device_array<std::int64_t> bounds(good);
    const auto range = there.span(0, items);
    const mf::offset_segments segments(bounds.data(), count);
    const device_array<double> sums(static_cast<std::size_t>(count));
    const mf::gpu_workspace workspace(mf::workspace_bytes(range, segments, mf::sum));
    const replayed call([&](cudaStream_t stream) {
      mf::reduce_segments_into(mf::gpu(stream), range, segments, mf::sum, sums.data(), workspace);
    });
    const auto found_bad = [&](std::size_t at, std::int64_t offset) {
      auto ends = good;
      ends[at] = offset;
      overwrite(bounds, ends);
      call.run();
      return mf::read_segment_faults(mf::gpu, workspace).first_bad.value_or(-1);
    };
    EXPECT_EQ(found_bad(1, good[1]), -1);
    EXPECT_EQ(found_bad(5, -1), 4);
    EXPECT_EQ(found_bad(2, items + 1), 1);
    EXPECT_EQ(found_bad(0, good[0]), -1);
  }
}

}  // namespace
