#include "cli/reduce_ranks.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/attempt.hpp"
#include "cli/execute.hpp"
#include "cli/failure.hpp"
#include "cli/file_steps.hpp"
#include "cli/fold_source.hpp"
#include "cli/output.hpp"
#include "cli/part_source.hpp"
#include "cli/progress.hpp"
#include "cli/rank_team.hpp"
#include "cli/state_file.hpp"
#include "monofold/plan/split.hpp"
#include "monofold/platform/encoding.hpp"
#include "runtime/gpu/devices.hpp"

namespace monofold::cli {
namespace {

using runtime::operation;
using runtime::reducer;

// What neighbouring ranks have to tell.
struct rank_outcome {
  int code = exit_code::ok;  // of the first one in trouble
  std::string complaints;    // lines for standard error, and notes: that one's, or the first rank's
  std::vector<unsigned char> state;  // none where the code is not ok
  std::int64_t num_bytes = 0;        // of the files
};

mpi::bytes encoded(const rank_outcome& outcome) {
  byte_writer out;
  encode(out, std::int32_t{outcome.code});
  encode(out, mpi::bytes(outcome.complaints.begin(), outcome.complaints.end()));
  encode(out, outcome.state);
  encode(out, outcome.num_bytes);
  return out.bytes();
}

rank_outcome decoded_outcome(const mpi::bytes& bytes) {
  byte_reader in(bytes);
  rank_outcome out;
  out.code = decoded<std::int32_t>(in);
  const auto text = decoded<mpi::bytes>(in);
  out.complaints.assign(text.begin(), text.end());
  decode(in, out.state);
  decode(in, out.num_bytes);
  return out;
}

class ranked_reduction {
 public:
  ranked_reduction(const reduce_command& command, const rank_team& team)
      : command_(command),
        what_(command.what),
        team_(team),
        is_dot_(command.what.ops.front() == operation::dot) {
    if (!what_.on_gpu || command.device == "gpus") return;
    what_.gpus = gpus_of_rank(team.rank_here(), runtime::find_gpus().devices.size());
  }

  int run() {
    rank_outcome own;
    {
      const complaints_kept kept(own.complaints);
      own.code = code_of([&] { return attempt_files(own); });
    }
    const mpi::bytes all =
        team_.join(encoded(own), [&](const mpi::bytes& left, const mpi::bytes& right) {
          return encoded(joined(decoded_outcome(left), decoded_outcome(right)));
        });
    const int code =
        team_.rank() == 0 ? code_of([&] { return answer(decoded_outcome(all)); }) : exit_code::ok;
    return team_.share(code);
  }

 private:
  // The part of a file that this rank reads.
  std::unique_ptr<source> own_part(std::unique_ptr<source> whole, std::int64_t pair_size,
                                   item_range& part) const {
    if (whole->fetch_items() == 0 || !whole->count()) {
      throw input_error("--mpi needs an array in a regular file, .npy or raw");
    }
    const std::int64_t tile = 4096 / (info(whole->type()).size_bytes * pair_size);
    part = tile_split(*whole->count(), team_.size(), team_.rank(), tile);
    return part_of(std::move(whole), part.first, part.count);
  }

  int attempt_files(rank_outcome& own) {
    runtime::request what = what_;
    if (is_dot_) return fold_pairs(what, own);
    const std::string& file = command_.files[0];
    return attempt(file, [&] {
      std::unique_ptr<source> whole = open_for(command_, file, what);
      own.num_bytes = whole->total_bytes().value_or(0);
      item_range part{};
      const std::unique_ptr<source> in = own_part(std::move(whole), 1, part);
      fit_threads(command_, what, *in);
      progress shown(file, in->total_bytes(), remarks_here());
      reducer done(what, part.first);
      fold_source(*in, done, [&](std::int64_t bytes) { shown.update(bytes); });
      own.state = done.save();
    });
  }

  int fold_pairs(runtime::request& what, rank_outcome& own) {
    std::unique_ptr<source> in[2];
    item_range parts[2];
    std::int64_t counts[2] = {0, 0};
    for (const std::size_t side : {0, 1}) {
      const int code = attempt(command_.files[side], [&] {
        std::unique_ptr<source> whole = open_source(command_.files[side], command_.reading);
        own.num_bytes += whole->total_bytes().value_or(0);
        counts[side] = whole->count().value_or(0);
        in[side] = own_part(std::move(whole), 2, parts[side]);
      });
      if (code != exit_code::ok) return code;
    }
    return attempt(command_.files[0], [&] {
      check_pair(*in[0], *in[1], command_.files[1]);
      if (counts[0] != counts[1]) {
        throw input_error(
            fmt::format("dot needs as many items in both files: {} and {}", counts[0], counts[1]));
      }
      what.type = in[0]->type();
      fit_threads(command_, what, *in[0]);
      progress shown(command_.files[0], std::nullopt, remarks_here());
      reducer done(what, parts[0].first);
      push_pairs(*in[0], *in[1], done, [&](std::int64_t bytes) { shown.update(bytes); });
      own.state = done.save();
    });
  }

  rank_outcome joined(rank_outcome left, const rank_outcome& right) const {
    if (left.code != exit_code::ok) return left;
    if (right.code != exit_code::ok) return right;
    const complaints_kept kept(left.complaints);
    left.code = attempt(command_.files[0], [&] {
      reducer total = reducer::load(left.state, command_.what.num_threads);
      total.merge(reducer::load(right.state));
      left.state = total.save();
    });
    return left;
  }

  notes remarks_here() const { return team_.rank() == 0 ? command_.remarks : notes::hidden; }

  // On rank 0: the answer, or what the first rank in trouble complains of.
  int answer(const rank_outcome& all) const {
    pass_on(all.complaints);
    if (all.code != exit_code::ok) return all.code;
    return attempt(command_.files[0], [&] {
      const reducer total = reducer::load(all.state, command_.what.num_threads);
      if (!command_.save_state.empty()) write_state(command_.save_state, total.save());
      report_row row;
      row.file = command_.files[0];
      if (is_dot_) row.other = command_.files[1];
      row.bytes = all.num_bytes;
      row.seconds = std::chrono::duration<double>(clock::now() - start_).count();
      report shown({command_.label, command_.what.ops, command_.form, command_.base, true,
                    command_.what.on_gpu ? command_.device : "cpu"});
      const std::string text = shown.add(finished(std::move(row), total, total.what(), 0));
      write_out(text + shown.finish());
    });
  }

  using clock = std::chrono::steady_clock;

  const reduce_command& command_;
  runtime::request what_;
  const rank_team& team_;
  bool is_dot_;
  clock::time_point start_ = clock::now();
};

}  // namespace

int reduce_ranks(const reduce_command& command) {
  const rank_team team;
  return ranked_reduction(command, team).run();
}

}  // namespace monofold::cli
