/// bench/scaling: what several GPUs of a machine are worth. As many bytes on each of 1, 2, .. devices; one array cut for
/// them, whose answer must keep its bits; host memory that is brought to them.
///
/// Times are the host's, of calls that wait. Calls on 1, 2, .. devices and the peer's take turns.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "bench/gpu/check.cuh"
#include "bench/gpu/device.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/report.hpp"
#include "bench/harness/samples.hpp"
#include "bench/harness/suite_options.hpp"
#include "bench/scaling/shards.cuh"
#include "monofold/gpus.cuh"
#include "monofold/monofold.cuh"
#if defined(MONOFOLD_BENCH_NCCL)
#include "bench/scaling/nccl_peer.hpp"
#endif

namespace mf = monofold;

namespace bench {

namespace {

constexpr const char* usage =
    "usage: bench_scaling [option...]\n"
    "  --bytes MIB      on each device (4096)\n"
    "  --host MIB       in host memory, brought to all devices (4096)\n"
    "  --samples N      of each call that are counted (31; of 1 MiB ten times as many)\n"
    "  --json FILE      writes the rows as JSON lines\n"
    "  --machine NAME   what the rows call this machine\n";

struct options : suite_options {
  std::int64_t bytes = std::int64_t{4} << 30;
  std::int64_t host_bytes = std::int64_t{4} << 30;
};

options parse(const std::vector<std::string>& words) {
  options chosen{{{31, 300e6, 5}, "", "", "gpu"}};
  parse_words(
      words, usage, chosen, [](const std::string&) { return false; },
      [&](const std::string& name, const std::string& value) {
        const std::int64_t bytes = std::int64_t{std::max(1, std::atoi(value.c_str()))} << 20;
        if (name == "--bytes") {
          chosen.bytes = bytes;
        } else if (name == "--host") {
          chosen.host_bytes = bytes;
        } else {
          return false;
        }
        return true;
      });
  return chosen;
}

/// Modulo 2^32, with determinant 1: a product of any number of them says what all of them are, and in which order.
struct matrix {
  std::uint32_t a, b, c, d;
};
struct shear {
  MONOFOLD_HD matrix operator()(const matrix& m) const { return {1 + m.a * m.b, m.a, m.b, 1}; }
};
struct multiply {
  MONOFOLD_HD matrix operator()(const matrix& l, const matrix& r) const {
    return {l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c,
            l.c * r.b + l.d * r.d};
  }
};

template <class Value>
std::vector<double> values_of(const Value& value) {
  return {static_cast<double>(value)};
}
std::vector<double> values_of(const matrix& m) {
  return {static_cast<double>(m.a), static_cast<double>(m.b), static_cast<double>(m.c),
          static_cast<double>(m.d)};
}
template <class... Values>
std::vector<double> values_of(const std::tuple<Values...>& values) {
  return std::apply(
      [](const auto&... each) { return std::vector<double>{static_cast<double>(each)...}; },
      values);
}

struct operation {
  std::string name;
  std::string dtype;
  std::function<std::vector<double>(const shard_range&)> call;
};

template <class Item, class F>
operation on_gpus(const char* name, const char* dtype, const F& f) {
  return {name, dtype, [f](const shard_range& shards) {
            mf::gpus_engine engine;
            std::vector<std::span<const Item>> parts;
            for (std::size_t i = 0; i < shards.num_devices(); ++i) {
              engine.devices.push_back(shards.all[i]->device());
              parts.push_back(shards.items<Item>(i));
            }
            return values_of(mf::reduce(engine, parts, f));
          }};
}

std::vector<operation> operations() {
  return {on_gpus<float>("plain_sum", "float32", mf::plain_sum),
          on_gpus<float>("sum", "float32", mf::sum),
          on_gpus<matrix>("product", "matrix",
                          mf::ordered(multiply{}, matrix{1, 0, 0, 1}) | mf::map(shear{})),
          on_gpus<float>("stats", "float32",
                         mf::all(mf::count, mf::sum, mf::mean, mf::variance<>(), mf::min, mf::max,
                                 mf::argmin, mf::argmax))};
}

class suite {
 public:
  explicit suite(options chosen)
      : options_(std::move(chosen)), where_(describe_machine()), rows_(options_.json) {
    where_.machine = options_.machine;
    check(cudaGetDeviceCount(&num_devices_), "cudaGetDeviceCount");
    device_ = describe_device();
    for (int device = 0; device < num_devices_; ++device) {
      shards_.push_back(std::make_unique<device_shard>(device, options_.bytes / 4));
    }
  }

  int run() {
    std::printf("%d times %s; %s; %s\n", num_devices_, device_.c_str(), where_.commit.c_str(),
                where_.compiler.c_str());
    std::printf("%-10s %-8s %-9s %-20s %7s %8s %10s %10s %7s\n", "operation", "items", "memory",
                "by", "devices", "size", "median us", "GB/s", "times");
    for (const std::int64_t bytes : {options_.bytes, std::int64_t{1} << 20}) as_many_on_each(bytes);
    for (const operation& one : operations()) one_array(one);
    for (const bool is_pinned : {false, true}) from_host(is_pinned);
    return num_wrong_;
  }

 private:
  void as_many_on_each(std::int64_t bytes) {
    for (int i = 0; i < num_devices_; ++i)
      shards_[static_cast<std::size_t>(i)]->fill(i * bytes / 4);
    for (const operation& one : operations()) {
      group_of_calls calls;
      for (int count = 1; count <= num_devices_; ++count) {
        const shard_range shards{shards_, std::vector(static_cast<std::size_t>(count), bytes / 4)};
        calls.add({one.name, one.dtype, "gpus", bytes * count, "device"}, count,
                  [&one, shards] { return one.call(shards); });
        if (one.name == "plain_sum") add_peer(calls, shards, bytes);
      }
      finish(calls, bytes <= (1 << 20) ? 10 : 1);
    }
  }

  /// One array, of as many bytes as a device has, over 1, 2, .. devices: the same bits.
  void one_array(const operation& one) {
    const std::int64_t num_floats = options_.bytes / 4;
    std::vector<double> right;
    for (int count = 1; count <= num_devices_; ++count) {
      shard_range shards{shards_, {}};
      for (int i = 0; i < count; ++i) {
        const mf::item_range own = mf::tile_split(num_floats, count, i, 1024);
        shards_[static_cast<std::size_t>(i)]->fill(own.first);
        shards.num_floats.push_back(own.count);
      }
      group_of_calls calls;
      calls.add({one.name, one.dtype, "gpus, one array", options_.bytes, "device"}, count,
                [&one, &shards] { return one.call(shards); });
      const std::vector<double> got = finish(calls, 1);
      if (count == 1) right = got;
      if (got != right) complain(one.name + " of one array: other bits on other devices");
    }
  }

  void from_host(bool is_pinned) {
    const auto count = static_cast<std::size_t>(options_.host_bytes / 4);
    std::vector<float> pageable(is_pinned ? 0 : count);
    void* pinned = nullptr;
    if (is_pinned) {
      check(cudaHostAlloc(&pinned, count * sizeof(float), cudaHostAllocPortable), "cudaHostAlloc");
    }
    float* const items = is_pinned ? static_cast<float*>(pinned) : pageable.data();
    for (std::size_t i = 0; i < count; ++i) items[i] = static_cast<float>(i % 1021) * 0.125f;
    group_of_calls calls;
    for (int devices = 1; devices <= num_devices_; ++devices) {
      mf::gpus_engine engine;
      for (int i = 0; i < devices; ++i) engine.devices.push_back(i);
      calls.add(
          {"plain_sum", "float32", "gpus", options_.host_bytes, is_pinned ? "pinned" : "pageable"},
          devices, [engine, range = std::span<const float>(items, count)] {
            return values_of(mf::reduce(engine, range, mf::plain_sum));
          });
    }
    finish(calls, 1);
    if (calls.group.rows.front().values != calls.group.rows.back().values) {
      complain("host memory: other bits on other devices");
    }
    if (is_pinned) check(cudaFreeHost(pinned), "cudaFreeHost");
  }

  struct group_of_calls {
    report_group group;
    std::vector<subject> subjects;

    void add(report_row row, int num_devices, const std::function<std::vector<double>()>& call) {
      row.num_devices = num_devices;
      row.values = call();  // makes workspaces too
      subjects.push_back({row.path, timed(call)});
      group.rows.push_back(std::move(row));
    }
  };

  void add_peer([[maybe_unused]] group_of_calls& calls, [[maybe_unused]] const shard_range& shards,
                [[maybe_unused]] std::int64_t bytes) {
#if defined(MONOFOLD_BENCH_NCCL)
    const std::size_t count = shards.num_devices();
    const auto peer =
        std::make_shared<nccl_peer>(static_cast<int>(count), static_cast<std::size_t>(bytes / 4));
    std::vector<const float*> items;
    for (std::size_t i = 0; i < count; ++i) items.push_back(shards.items<float>(i).data());
    const std::vector<std::size_t> counts(count, static_cast<std::size_t>(bytes / 4));
    const double ours = calls.group.rows.back().values[0];
    calls.add({"plain_sum", "float32", nccl_peer::name(), bytes * static_cast<std::int64_t>(count),
               "device"},
              static_cast<int>(count),
              [=] { return std::vector<double>{peer->sum(items, counts)}; });
    if (!(std::abs(calls.group.rows.back().values[0] - ours) <= 1e-5 * ours)) {
      complain("NCCL's sum is another one");
    }
#endif
  }

  /// Times the calls in turn, sees that answers stay, prints and writes; the answer of the first.
  std::vector<double> finish(group_of_calls& calls, int times_as_many) {
    sampling how = options_.how;
    how.num_samples *= times_as_many;
    const std::vector<summary> times = sample_in_turn(calls.subjects, how);
    double gbps_of_one = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      report_row& row = calls.group.rows[i];
      row.time = times[i];
      if (calls.subjects[i].call().values != row.values && row.path.starts_with("gpus")) {
        complain(row.op + ": two calls differ");
      }
      if (row.num_devices == 1 && row.path.starts_with("gpus")) one_device_[key(row)] = row.time;
      gbps_of_one = gbps(row.bytes / row.num_devices, one_device_[key(row)]);
      if (row.path.ends_with("one array") || row.pages != "device") gbps_of_one *= row.num_devices;
      std::printf("%-10s %-8s %-9s %-20s %7d %8s %10.1f %10.1f %7.3f\n", row.op.c_str(),
                  row.dtype.c_str(), row.pages.c_str(), row.path.c_str(), row.num_devices,
                  size_text(row.bytes).c_str(), row.time.median_ns / 1e3, gbps(row.bytes, row.time),
                  gbps(row.bytes, row.time) / gbps_of_one);
      std::fflush(stdout);
      report_group alone;
      alone.rows = {row};
      rows_.write("scaling", alone, where_, device_);
    }
    return calls.group.rows.front().values;
  }

  static std::string key(const report_row& row) {
    const bool is_whole = row.path.ends_with("one array") || row.pages != "device";
    return row.op + row.pages + (is_whole ? "one" : std::to_string(row.bytes / row.num_devices));
  }

  void complain(const std::string& what) {
    std::printf("WRONG %s\n", what.c_str());
    ++num_wrong_;
  }

  options options_;
  provenance where_;
  json_rows rows_;
  std::string device_;
  int num_devices_ = 0;
  std::vector<std::unique_ptr<device_shard>> shards_;
  std::map<std::string, summary> one_device_;
  int num_wrong_ = 0;
};

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_suite("bench_scaling", argc, argv, [](const auto& words) {
    return bench::suite(bench::parse(words)).run();
  });
}
