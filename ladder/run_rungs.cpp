#include "ladder/run_rungs.hpp"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "ladder/data.hpp"
#include "ladder/reference.hpp"

namespace monofold::ladder {

namespace {

/// Runs rungs on the items of one operator, which lie on a device and on the host, and compares their results with
/// the reference.
class task_runner {
 public:
  task_runner(rung_runner_maker make, const task& what)
      : what_(what), items_(make_items(what)), runner_(make(what, items_.data())) {}

  void run(timing how, rung_row& row) {
    const rung& facts = info(row.which);
    const outcome found = runner_->run(row.which, how);
    row.failed = found.failed;
    row.launches = found.launches;
    row.seconds = found.seconds;
    if (!row.failed.empty()) return;
    row.ok = same(found.results, wanted(row.n, facts.needs.items_per_result));
    if (how == timing::none) return;
    row.gbps = gbps(row.n, row.seconds);
    row.read_limit_gbps = read_limit();
  }

 private:
  double gbps(std::int64_t n, double seconds) const {
    const auto bytes = static_cast<double>(n * item_bytes(what_.op, what_.type));
    return seconds > 0 ? bytes / seconds * 1e-9 : 0;
  }
  double read_limit() {
    if (read_limit_ == 0) read_limit_ = gbps(what_.n, runner_->read_seconds());
    return read_limit_;
  }
  const std::vector<answer>& wanted(std::int64_t n, int each) {
    const auto [place, is_first] = wanted_.try_emplace(std::pair{n, each});
    if (is_first) place->second = reference(what_, items_, n, each);
    return place->second;
  }

  task what_;
  std::vector<std::byte> items_;
  std::unique_ptr<rung_runner> runner_;
  std::map<std::pair<std::int64_t, int>, std::vector<answer>> wanted_;
  double read_limit_ = 0;
};

}  // namespace

std::int64_t item_bytes(operation op, element_type type) {
  const bool short_type = type == element_type::int32 || type == element_type::float32;
  return (short_type ? 4 : 8) * (op == operation::matmul ? 4 : 1);
}

void run_rungs(const rungs_request& what, const std::function<void(const rung_row&)>& take) {
  std::unique_ptr<task_runner> runner;
  std::optional<operation> runner_op;
  double before = 0;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    const auto which = static_cast<rung_id>(i);
    if (what.only && *what.only != which) continue;
    const operation op = what.op.value_or(first_operator(rungs[i]));
    rung_row row{which, op, items_taken(rungs[i], what.n), {}, {}};
    row.refused = why_not(rungs[i], op, what.type, row.n);
    if (row.refused.empty()) {
      if (runner_op != op) {
        runner.reset();  // the memory of the old items first
        runner = std::make_unique<task_runner>(what.make, task{op, what.type, what.n});
        runner_op = op;
      }
      runner->run(what.how, row);
      if (before > 0) row.gain = row.gbps / before;
      if (row.gbps > 0) before = row.gbps;
    }
    take(row);
  }
}

}  // namespace monofold::ladder
