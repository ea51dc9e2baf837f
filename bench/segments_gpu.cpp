/// bench/segments_gpu: segments of a range on a GPU, of every length, beside CUB's.
///
/// Times are device times of graphs of calls, by events. All subjects of a list of segments take turns, the
/// read kernels among them. Our answers for some 200 segments of each list have the CPU engine's bits, and
/// CUB's are near them.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu/device.hpp"
#include "bench/gpu/turns.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/report.hpp"
#include "bench/harness/samples.hpp"
#include "bench/harness/suite_options.hpp"
#include "bench/segments/cases.hpp"

namespace bench {

namespace {

constexpr const char* usage =
    "usage: bench_segments_gpu [option...]\n"
    "  --items N        float32 in the range; other types have as many bytes (268435456)\n"
    "  --lengths NS     of segments, with commas (1,2,3,8,.. 268435456)\n"
    "  --samples N      replays of each subject that are counted (11)\n"
    "  --only WORDS     types and kinds of lists, with commas: float32,fixed,mixed (all)\n"
    "  --json FILE      writes the rows as JSON lines\n"
    "  --machine NAME   what the rows call this machine\n";

struct options : suite_options {
  std::int64_t items = std::int64_t{1} << 28;
  std::vector<std::int64_t> lengths{1, 2, 3, 8, 32, 100, 512, 1000, 4096, 65537, 1 << 20, 1 << 28};

  /// Whether --only has one of the words, or none of those in `all`.
  template <class Words>
  bool asks_for(const char* word, const Words& all) const {
    return names(word) || std::none_of(std::begin(all), std::end(all),
                                       [&](const auto& each) { return names(name_of(each)); });
  }
};

options parse(const std::vector<std::string>& words) {
  options chosen{{{11, 10e6, 3}, "", "", "gpu"}};
  parse_words(
      words, usage, chosen, [](const std::string&) { return false; },
      [&](const std::string& name, const std::string& value) {
        if (name == "--items") {
          chosen.items = std::max<std::int64_t>(1024, std::atoll(value.c_str()) / 4 * 4);
        } else if (name == "--lengths") {
          chosen.lengths.clear();
          for (const char* at = value.c_str(); *at != 0;) {
            char* end = nullptr;
            chosen.lengths.push_back(std::max(1ll, std::strtoll(at, &end, 10)));
            at = *end == ',' ? end + 1 : end + std::strlen(end);
          }
        } else {
          return false;
        }
        return true;
      });
  return chosen;
}

/// Types other than float32 have these lengths alone; giants lie amid segments of one.
constexpr std::int64_t lengths_of_others[] = {3, 32, 100, 1000, 65537};
constexpr std::int64_t length_amid_giants = 3;
/// CUB gives each segment of a list a block: of tiny ones a call takes a tenth of a second.
constexpr std::int64_t least_length_of_peers = 32;
constexpr int num_checked = 200;
constexpr std::int64_t max_items_checked = 1 << 26;
constexpr std::int64_t max_answer_bytes = 16;
constexpr gpu_items types[] = {gpu_items::float32, gpu_items::float64, gpu_items::bfloat16};

/// A segment whose answers are compared: its place, and its items on the host.
struct checked_segment {
  std::int64_t segment;
  std::int64_t begin;
  std::int64_t count;
};

std::vector<checked_segment> checked_of(const segment_list& list) {
  std::vector<checked_segment> out;
  std::int64_t items = 0;
  std::uint64_t random = 1;
  for (int i = 0; i < num_checked && (i == 0 || items < max_items_checked); ++i) {
    std::int64_t segment = i / 3;  // the first ones, the last ones, any
    if (i % 3 == 1) segment = list.count - 1 - i / 3;
    if (i % 3 == 2) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      segment = static_cast<std::int64_t>((random >> 16) % static_cast<std::uint64_t>(list.count));
    }
    if (i == num_checked - 1) segment = list.count / 2;  // the giant
    if (segment < 0 || segment >= list.count) continue;
    const auto [begin, end] = ends_of(list, segment);
    out.push_back({segment, begin, end - begin});
    items += end - begin;
  }
  return out;
}

bool has_bits_of(const std::vector<double>& got, const std::vector<double>& right) {
  return got.size() == right.size() &&
         std::memcmp(got.data(), right.data(), got.size() * sizeof(double)) == 0;
}

/// CUB adds in another order, and has an answer for no items; an index must be right.
bool agrees(const std::string& op, const std::vector<double>& peer,
            const std::vector<double>& right, std::int64_t count) {
  if (right.empty()) return count == 0;
  if (op != "plain_sum") return has_bits_of(peer, right);
  return std::abs(peer[0] - right[0]) <=
         1e-3 * std::abs(right[0]) + 1e-6 * static_cast<double>(count);
}

class suite {
 public:
  explicit suite(options chosen)
      : options_(std::move(chosen)),
        where_(describe_machine()),
        items_(4 * options_.items),
        out_(std::max<std::int64_t>(max_answer_bytes * options_.items, 4096)),
        host_(static_cast<std::size_t>(4 * options_.items)),
        offsets_(options_.items),
        rows_(options_.json) {
    where_.machine = options_.machine;
    device_ = describe_device();
  }

  int run() {
    std::printf("%s; %s; %s\n", device_.c_str(), where_.commit.c_str(), where_.compiler.c_str());
    std::printf("%-8s %-7s %9s %9s %-12s %9s %7s %6s  %s\n", "items", "kind", "length", "segments",
                "operation", "us", "GB/s", "share", "against peers");
    for (const gpu_items type : types) {
      if (options_.asks_for(name_of(type), types)) run_type(type);
    }
    std::printf("%d of %d answers are wrong\n", num_wrong_, num_compared_);
    return num_wrong_;
  }

 private:
  static std::vector<segments_family> families_of(gpu_items type) {
    if (type == gpu_items::float64) return {segments_float64()};
    if (type == gpu_items::bfloat16) return {segments_bfloat16()};
    segments_family sums = segments_float32_sums();
    for (segments_case& each : segments_float32_means().cases) {
      sums.cases.push_back(std::move(each));
    }
    return {std::move(sums), segments_float32_max(), segments_float32_argmax()};
  }

  void run_type(gpu_items type) {
    const auto families = families_of(type);
    items_.fill(type);
    items_.copy_to_host(host_.data(), items_.size_bytes());
    const std::int64_t num_items = items_.size_bytes() / size_of(type);
    for (const list_kind kind : all_list_kinds) {
      if (!options_.asks_for(name_of(kind), all_list_kinds)) continue;
      for (const std::int64_t length : options_.lengths) {
        if (kind == list_kind::giant && length != length_amid_giants) continue;
        if (type != gpu_items::float32 &&
            std::find(std::begin(lengths_of_others), std::end(lengths_of_others), length) ==
                std::end(lengths_of_others)) {
          continue;
        }
        const segment_list list = offsets_.list_of(kind, length, num_items);
        if (list.count > 0) run_list(families, list);
      }
    }
  }

  /// A subject on one list, as the harness times it.
  static gpu_subject bound(const segments_subject& one, const segment_list& list) {
    gpu_subject out;
    out.path = one.path;
    out.start = [&one, list](const gpu_range& range, void* answers, void* stream) {
      one.start(range, list, answers, stream);
    };
    return out;
  }

  static bool is_asked(const segments_subject& peer, const segment_list& list) {
    if (peer.path.ends_with("fixed")) return list.kind == list_kind::fixed;
    return list.length >= least_length_of_peers || list.kind == list_kind::giant;
  }

  void run_list(const std::vector<segments_family>& families, const segment_list& list) {
    const gpu_items type = families.front().type;
    const gpu_range range{items_.data(), list.num_items};
    const std::int64_t bytes = list.num_items * size_of(type);
    const auto checked = checked_of(list);
    report_group all;
    std::vector<gpu_subject> bound_ones;
    std::vector<std::ptrdiff_t> num_rows;  // of each family
    const auto add = [&](const std::string& op, const segments_subject& one) {
      one.prepare(range, list);
      report_row row{op, name_of(type), one.path, bytes, "device"};
      const std::int64_t ends = list.kind == list_kind::fixed && is_ours(one.path) ? 0 : 8;
      row.segments = {name_of(list.kind), list.length, list.count,
                      bytes + list.count * (ends + one.answer_bytes)};
      all.rows.push_back(std::move(row));
      bound_ones.push_back(bound(one, list));
    };
    for (const segments_family& family : families) {
      const auto before = std::ssize(all.rows);
      std::vector<std::vector<double>> first;
      for (const segments_case& each : family.cases) {
        const auto right = right_of(each, checked, size_of(type));
        add(each.op, each.subject);
        check(all.rows.back(), each.subject, bound_ones.back(), range, checked, right);
        if (first.empty()) first = right;
        if (list.count > 1) continue;
        add(each.op, each.whole);
        check(all.rows.back(), each.whole, bound_ones.back(), range, checked, right);
      }
      for (const segments_subject& peer : family.peers) {
        if (!is_asked(peer, list)) continue;
        add(family.peer_op, peer);
        check(all.rows.back(), peer, bound_ones.back(), range, checked, first);
      }
      num_rows.push_back(std::ssize(all.rows) - before);
    }
    std::vector<const gpu_subject*> subjects;
    for (const gpu_subject& each : bound_ones) subjects.push_back(&each);
    const int calls = list.kind == list_kind::giant ? 1 : 2;
    time_in_turn(all, subjects, items_, out_, bytes, list.num_items, calls, options_.how);
    auto row = all.rows.begin();
    for (const std::ptrdiff_t number : num_rows) {
      report_group group = all;
      group.rows.assign(row, row + number);
      row += number;
      for (const report_row& each : group.rows) print(group, each);
      rows_.write("segments_gpu", group, where_, device_);
    }
    std::fflush(stdout);
  }

  /// The CPU's answers.
  std::vector<std::vector<double>> right_of(const segments_case& one,
                                            const std::vector<checked_segment>& checked,
                                            std::int64_t item_bytes) const {
    std::vector<std::vector<double>> out;
    for (const checked_segment& each : checked) {
      out.push_back(one.right(host_.data() + each.begin * item_bytes, each.count));
    }
    return out;
  }

  /// Runs a subject once, and compares its answers; the first of them become the row's values.
  void check(report_row& row, const segments_subject& one, const gpu_subject& start,
             const gpu_range& range, const std::vector<checked_segment>& checked,
             const std::vector<std::vector<double>>& right) {
    out_.poison();
    timed_graph once(1, [&](int, void* stream) { start.start(range, out_.data(), stream); });
    once.replay_ns();
    int num_wrong = 0;
    for (std::size_t i = 0; i < checked.size(); ++i) {
      const auto got =
          one.value(answer_of(out_.data(), checked[i].segment, one.answer_bytes).data());
      const bool is_right = is_ours(row.path) ? has_bits_of(got, right[i])
                                              : agrees(row.op, got, right[i], checked[i].count);
      if (!is_right) ++num_wrong;
      if (row.values.size() < 3 && !got.empty()) row.values.push_back(got[0]);
    }
    num_compared_ += static_cast<int>(checked.size());
    num_wrong_ += num_wrong;
    if (num_wrong == 0) return;
    std::printf("WRONG %s of %s, %s, length %lld, %s: %d of %zu answers\n", row.op.c_str(),
                row.dtype.c_str(), row.segments.kind.c_str(),
                static_cast<long long>(row.segments.length), row.path.c_str(), num_wrong,
                checked.size());
  }

  static void print(const report_group& group, const report_row& row) {
    std::string remarks = is_ours(row.path) ? "" : row.path;
    for (const report_row& peer : group.rows) {
      if (!is_ours(row.path) || is_ours(peer.path)) continue;
      char ratio[16];
      std::snprintf(ratio, sizeof(ratio), " %.2f", row.time.median_ns / peer.time.median_ns);
      remarks += (remarks.empty() ? "over " : "; ") + peer.path + ratio;
    }
    const double moved = static_cast<double>(row.segments.moved_bytes);
    std::printf("%-8s %-7s %9lld %9lld %-12s %9.1f %7.0f %6.3f  %s\n", row.dtype.c_str(),
                row.segments.kind.c_str(), static_cast<long long>(row.segments.length),
                static_cast<long long>(row.segments.count), row.op.c_str(),
                row.time.median_ns / 1e3, moved / row.time.median_ns,
                share(group, row) * moved / static_cast<double>(row.bytes), remarks.c_str());
  }

  options options_;
  provenance where_;
  device_buffer items_;
  device_buffer out_;
  std::vector<char> host_;
  offset_memory offsets_;
  json_rows rows_;
  std::string device_;
  int num_wrong_ = 0;
  int num_compared_ = 0;
};

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_suite("bench_segments_gpu", argc, argv, [](const auto& words) {
    return bench::suite(bench::parse(words)).run();
  });
}
