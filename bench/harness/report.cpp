#include "bench/harness/report.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace bench {

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    if (static_cast<unsigned char>(c) >= 0x20) out.push_back(c);
  }
  return out + '"';
}

/// The shortest text that reads back to the same bits.
std::string exact_text(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  const std::string out(text.data(), end);
  return std::isfinite(value) ? out : quoted(out);  // JSON has no infinities
}

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits)
          .ptr;
  return {text.data(), end};
}

/// The fields of one JSON object.
class json_line {
 public:
  void text(const std::string& name, const std::string& value) { raw(name, quoted(value)); }
  void number(const std::string& name, double value, int digits) {
    raw(name, fixed(value, digits));
  }
  void raw(const std::string& name, const std::string& value) {
    fields_ += (fields_.empty() ? "" : ", ") + quoted(name) + ": " + value;
  }
  std::string object() const { return "{" + fields_ + "}"; }

 private:
  std::string fields_;
};

}  // namespace

double gbps(std::int64_t bytes, const summary& time) {
  return static_cast<double>(bytes) / time.median_ns;
}

double share(const report_group& group, const report_row& row) {
  // The limit was read in the same rounds on data of the same length.
  return group.limit.median_ns / row.time.median_ns;
}

double undisturbed_share(const report_group& group, const report_row& row) {
  return group.limit.p05_ns / row.time.p05_ns;
}

bool is_ours(const std::string& path) {
  return path.starts_with("gpu") || path.starts_with("runtime") || path.starts_with("header") ||
         path.starts_with("tool");
}

void time_rows(report_group& group, const std::vector<subject>& subjects, const sampling& how) {
  const std::vector<summary> times = sample_in_turn(subjects, how);
  group.limit = times[0];
  for (std::size_t i = 0; i < group.rows.size(); ++i) group.rows[i].time = times[i + 1];
}

void print_machine(const provenance& where, const std::string& instruction_set) {
  std::printf("%s, %d cores, load %.2f; %s; compiled library: %s; %s %s\n", where.processor.c_str(),
              where.num_cores, where.load, where.commit.c_str(), instruction_set.c_str(),
              where.compiler.c_str(), where.flags.c_str());
}

std::string size_text(std::int64_t bytes) {
  if (bytes >= 1 << 30) return std::to_string(bytes >> 30) + "G";
  if (bytes >= 1 << 20) return std::to_string(bytes >> 20) + "M";
  return std::to_string(bytes >> 10) + "K";
}

json_rows::json_rows(const std::string& file)
    : out_(file.empty() ? nullptr : std::fopen(file.c_str(), "w"), &std::fclose) {
  if (out_ == nullptr && !file.empty()) throw std::runtime_error("cannot write " + file);
}

void json_rows::write(const std::string& suite, const report_group& group, const provenance& where,
                      const std::string& instruction_set) const {
  if (out_ == nullptr) return;
  for (const report_row& row : group.rows) {
    json_line line;
    line.text("suite", suite);
    line.text("op", row.op);
    line.text("dtype", row.dtype);
    line.text("path", row.path);
    line.raw("bytes", std::to_string(row.bytes));
    line.text("pages", row.pages);
    if (row.num_devices > 0) line.raw("num_devices", std::to_string(row.num_devices));
    if (!row.segments.kind.empty()) {
      line.text("kind", row.segments.kind);
      line.raw("length", std::to_string(row.segments.length));
      line.raw("num_segments", std::to_string(row.segments.count));
      line.raw("moved_bytes", std::to_string(row.segments.moved_bytes));
      if (!row.segments.keys.empty()) line.text("keys", row.segments.keys);
    }
    line.raw("num_samples", std::to_string(row.time.num_samples));
    line.number("median_ns", row.time.median_ns, 0);
    line.number("p05_ns", row.time.p05_ns, 0);
    line.number("p95_ns", row.time.p95_ns, 0);
    if (row.isolated.num_samples > 0) {
      line.number("isolated_ns", row.isolated.median_ns, 0);
      line.number("isolated_p05_ns", row.isolated.p05_ns, 0);
      line.number("isolated_p95_ns", row.isolated.p95_ns, 0);
      line.number("read_limit_isolated_ns", group.isolated_limit.median_ns, 0);
    }
    if (row.launched.num_samples > 0) line.number("launched_ns", row.launched.median_ns, 0);
    line.number("gbps", gbps(row.bytes, row.time), 3);
    if (group.limit.num_samples > 0) {
      line.number("read_limit_gbps", gbps(row.bytes, group.limit), 3);
      line.text("read_limit_variant", group.limit_variant);
      line.number("share", share(group, row), 4);
      line.number("undisturbed_share", undisturbed_share(group, row), 4);
    }
    if (is_ours(row.path)) {
      if (row.target > 0) line.number("target", row.target, 2);
      json_line verdicts;
      json_line ratios;
      for (const report_row& peer : group.rows) {
        if (is_ours(peer.path)) continue;
        verdicts.text(peer.path, name_of(compare(row.time, peer.time)));
        ratios.number(peer.path, peer.time.median_ns / row.time.median_ns, 3);
      }
      line.raw("verdict", verdicts.object());
      line.raw("times_as_fast", ratios.object());
    }
    std::string values;
    for (const double value : row.values) {
      values += (values.empty() ? "" : ", ") + exact_text(value);
    }
    line.raw("values", "[" + values + "]");
    line.text("machine", where.machine);
    line.text("processor", where.processor);
    line.raw("num_cores", std::to_string(where.num_cores));
    line.text("instruction_set", instruction_set);
    line.text("compiler", where.compiler);
    line.text("flags", where.flags);
    line.text("commit", where.commit);
    line.number("load", where.load, 2);
    std::fprintf(out_.get(), "%s\n", line.object().c_str());
  }
  std::fflush(out_.get());
}

void print_group(const report_group& group, bool first) {
  if (first) {
    std::printf("%-12s %-8s %-15s %9s %9s %9s %8s %6s %6s  %s\n", "operation", "items", "path",
                "median ms", "p05", "p95", "GB/s", "share", "at p05", "against peers");
  }
  const report_row& head = group.rows.front();
  std::printf("%-12s %-8s %-15s %9.2f %9.2f %9.2f %8.2f %6.2f %6.2f  %s pages\n", head.op.c_str(),
              head.dtype.c_str(), "read loop", group.limit.median_ns / 1e6,
              group.limit.p05_ns / 1e6, group.limit.p95_ns / 1e6, gbps(head.bytes, group.limit),
              1.0, 1.0, head.pages.c_str());
  for (const report_row& row : group.rows) {
    std::string remarks;
    if (is_ours(row.path)) {
      if (row.target > 0 && share(group, row) < row.target) {
        remarks += "below " + fixed(row.target, 1) + "; ";
      }
      for (const report_row& peer : group.rows) {
        if (is_ours(peer.path)) continue;
        remarks += std::string(name_of(compare(row.time, peer.time))) + " " + peer.path + " x" +
                   fixed(peer.time.median_ns / row.time.median_ns, 2) + "; ";
      }
    }
    std::printf("%-12s %-8s %-15s %9.2f %9.2f %9.2f %8.2f %6.2f %6.2f  %s\n", row.op.c_str(),
                row.dtype.c_str(), row.path.c_str(), row.time.median_ns / 1e6,
                row.time.p05_ns / 1e6, row.time.p95_ns / 1e6, gbps(row.bytes, row.time),
                share(group, row), undisturbed_share(group, row), remarks.c_str());
  }
  std::fflush(stdout);
}

}  // namespace bench
