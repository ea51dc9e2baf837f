#include "trace/trace.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

#include "trace/json_text.hpp"
#include "trace/source_pane.hpp"
#include "trace/traffic.hpp"

namespace monofold::trace {

using emulation::memory_space;
using emulation::step_kind;
using emulation::warp_step;

namespace {

const char* name_of(step_kind kind) {
  switch (kind) {
    case step_kind::read: return "read";
    case step_kind::write: return "write";
    case step_kind::atomic: return "atomic";
    case step_kind::arrive: return "arrive";
    case step_kind::warp_call: return "warp";
    case step_kind::block_barrier: return "block";
    case step_kind::cluster_barrier: return "cluster";
  }
  return "";
}

cell_type type_of_bytes(std::size_t bytes) {
  switch (bytes) {
    case 1: return number_cell<std::uint8_t>();
    case 2: return number_cell<std::int16_t>();
    case 4: return number_cell<std::int32_t>();
    case 8: return number_cell<std::int64_t>();
    default: return {"bytes", bytes, nullptr};
  }
}

std::string text_of(const cell_type& type, const char* bytes) {
  if (type.text != nullptr) return quote(type.text(bytes));
  std::string out;
  char text[4];
  for (std::size_t i = 0; i < std::min<std::size_t>(type.bytes, 16); ++i) {
    std::snprintf(text, sizeof(text), "%02x", static_cast<unsigned char>(bytes[i]));
    out += text;
  }
  return quote(out);
}

}  // namespace

/// One run on its way to JSON.
class run_writer {
 public:
  explicit run_writer(const tracer& of)
      : of_(of), found_(of.found()), pane_(make_source_pane(found_.stacks, of.sources_)) {}

  std::string text(const run_facts& facts) {
    json_list out('{', '}');
    out.add("name", quote(facts.name)).add("title", quote(facts.title));
    out.add("operation", quote(facts.operation)).add("note", quote(facts.note));
    out.add("mistake", quote(facts.mistake)).add("result", quote(facts.result));
    out.add("wanted", quote(facts.wanted)).add("items", static_cast<long>(facts.num_items));
    out.add("problem", problem()).add("sources", sources()).add("launches", launches());
    const std::string steps = all_steps();  // says which cells are used
    return out.add("spaces", spaces()).add("steps", steps).text();
  }

 private:
  std::string problem() const {
    if (!found_.problem) return "null";
    const emulation::report& own = *found_.problem;
    const auto& launch = found_.launches.back();
    const auto rank =
        own.thread.x + launch.block.x * (own.thread.y + launch.block.y * own.thread.z);
    const auto block = own.block.x + launch.grid.x * (own.block.y + launch.grid.y * own.block.z);
    return json_list('{', '}')
        .add("text", quote(own.text))
        .add("block", static_cast<long>(block))
        .add("thread", static_cast<long>(rank))
        .add("other", own.other)
        .text();
  }

  std::string sources() const {
    json_list out('[', ']');
    for (const source_piece& piece : pane_.pieces) {
      json_list lines('[', ']');
      for (const std::string& line : piece.lines) lines.add(quote(line));
      out.add(json_list('{', '}')
                  .add("file", quote(piece.name))
                  .add("first", piece.first)
                  .add("lines", lines.text())
                  .text());
    }
    return out.text();
  }

  std::string launches() const {
    json_list out('[', ']');
    for (const auto& launch : found_.launches) {
      const dim3& grid = launch.grid;
      const dim3& block = launch.block;
      out.add(json_list('{', '}')
                  .add("kernel", quote(launch.kernel))
                  .add("blocks", static_cast<long>(grid.x * grid.y * grid.z))
                  .add("threads", static_cast<long>(block.x * block.y * block.z))
                  .add("shared", static_cast<long>(launch.shared_bytes))
                  .add("step", static_cast<long>(launch.first_step))
                  .text());
    }
    return out.text();
  }

  /// What the user said of a space, if its cells have the size of that type.
  const tracer::named_cells* said_of(const memory_space& space) const {
    const auto& known = space.block < 0 ? of_.memory_ : of_.shared_;
    const tracer::named_cells* found = nullptr;
    for (const auto& own : known) {
      const bool is_other = space.block >= 0 && own.name.empty() && found == nullptr;
      if (own.type.bytes == space.cell_bytes && (own.name == space.name || is_other)) found = &own;
    }
    return found;
  }

  cell_type type_of(const memory_space& space) const {
    const auto* const said = said_of(space);
    return said == nullptr ? type_of_bytes(space.cell_bytes) : said->type;
  }

  std::string spaces() const {
    json_list out('[', ']');
    for (std::size_t i = 0; i < found_.spaces.size(); ++i) {
      const memory_space& space = found_.spaces[i];
      const auto* const said = said_of(space);
      const cell_type type = type_of(space);
      json_list own('{', '}');
      own.add("name", quote(space.name)).add("type", quote(type.name));
      own.add("bytes", static_cast<long>(space.cell_bytes));
      if (space.block >= 0) own.add("block", space.block).add("launch", space.launch);
      own.add("cells", quote(series({used_[i].begin(), used_[i].end()})));
      if (space.block < 0 && (said == nullptr || said->before == contents::set)) {
        json_list values('[', ']');
        for (const long cell : used_[i]) {
          const std::size_t at = static_cast<std::size_t>(cell) * space.cell_bytes;
          if (at + space.cell_bytes > space.before.size()) break;
          values.add(text_of(type, space.before.data() + at));
        }
        own.add("before", values.text());
      }
      out.add(own.text());
    }
    return out.text();
  }

  std::string all_steps() {
    used_.assign(found_.spaces.size(), {});
    json_list steps('[', ']');
    for (const auto& step : found_.steps) {
      json_list parts('[', ']');
      for (const warp_step& part : step) parts.add(text_of_part(part));
      steps.add(parts.text());
    }
    return steps.text();
  }

  void add_cells(const warp_step& part, json_list& out) {
    const auto number = static_cast<std::size_t>(part.space);
    const memory_space& space = found_.spaces[number];
    const std::size_t each = std::max<std::size_t>(1, part.bytes / space.cell_bytes);
    const cell_type type = type_of(space);
    std::vector<long> cells;
    json_list values('[', ']');
    for (const auto& lane : part.lanes) {
      const std::size_t first = lane.at / space.cell_bytes;
      cells.push_back(static_cast<long>(first));
      for (std::size_t i = 0; i < each; ++i) {
        used_[number].insert(static_cast<long>(first + i));
        if ((i + 1) * space.cell_bytes > lane.bytes.size()) break;
        values.add(text_of(type, lane.bytes.data() + i * space.cell_bytes));
      }
    }
    out.add("s", part.space).add("c", quote(series(cells))).add("v", values.text());
    if (each > 1) out.add("n", static_cast<long>(each));
    if (space.block < 0) {
      out.add("t", sectors_of(part));
    } else if (const int conflicts = bank_conflicts_of(part)) {
      out.add("x", conflicts);
    }
  }

  void add_answers(const warp_step& part, json_list& out) const {
    std::vector<long> from;
    json_list values('[', ']');
    bool has_values = false;
    const bool is_shuffle = part.lanes.front().from >= 0;
    for (const auto& lane : part.lanes) {
      from.push_back(lane.from);
      if (lane.bytes.empty()) continue;
      has_values = true;
      const bool is_typed = is_shuffle && lane.bytes.size() == of_.shuffled_.bytes;
      const cell_type type = is_typed ? of_.shuffled_ : type_of_bytes(lane.bytes.size());
      values.add(text_of(type, lane.bytes.data()));
    }
    if (is_shuffle) out.add("f", quote(series(from)));
    if (has_values) out.add("v", values.text());
  }

  std::string text_of_part(const warp_step& part) {
    json_list out('{', '}');
    out.add("k", quote(name_of(part.what))).add("b", part.block);
    if (part.warp >= 0) out.add("w", part.warp);
    const auto [piece, line] =
        part.stack < 0 ? std::pair(-1, 0) : pane_.places[static_cast<std::size_t>(part.stack)];
    if (piece >= 0) out.add("p", "[" + std::to_string(piece) + "," + std::to_string(line) + "]");
    if (part.is_split) out.add("d", 1);
    if (!part.name.empty()) out.add("m", quote(part.name));
    std::vector<long> lanes;
    for (const auto& lane : part.lanes) lanes.push_back(lane.lane);
    if (!lanes.empty()) out.add("l", quote(series(lanes)));
    if (part.space >= 0) add_cells(part, out);
    if (part.what == step_kind::warp_call) add_answers(part, out);
    add_items(part, out);
    return out.text();
  }

  void add_items(const warp_step& part, json_list& out) {
    bool has_items = false;
    json_list items('[', ']');
    for (std::size_t i = 0; i < part.lanes.size(); ++i, ++next_item_) {
      if (next_item_ >= of_.items_.size()) continue;
      has_items = has_items || !of_.items_[next_item_].empty();
      items.add(quote(of_.items_[next_item_]));
    }
    if (has_items) out.add("i", items.text());
  }

  const tracer& of_;
  const emulation::recording& found_;
  source_pane pane_;
  std::vector<std::set<long>> used_;  // cells of each space
  std::size_t next_item_ = 0;
};

void tracer::name_cells(const void* begin, std::size_t bytes, const std::string& name,
                        const cell_type& type, contents before) {
  recorder_.name_memory(begin, bytes, name, type.bytes);
  memory_.push_back({name, type, before});
}

void tracer::name_shared_cells(const std::string& variable, const cell_type& type) {
  recorder_.name_shared(variable, type.bytes);
  shared_.push_back({variable, type, contents::unset});
}

void tracer::set_shuffled(const cell_type& type) {
  recorder_.set_shuffled_bytes(type.bytes);
  shuffled_ = type;
}

void tracer::add_source(std::string_view file, std::string_view text) {
  sources_.emplace_back(file, text);
}

std::string tracer::json(const run_facts& facts) const { return run_writer(*this).text(facts); }

std::string document(const std::vector<std::string>& runs) {
  json_list all('[', ']');
  for (const std::string& run : runs) all.add(run);
  return json_list('{', '}')
             .add("format", quote("monofold trace"))
             .add("version", 1)
             .add("runs", all.text())
             .text() +
         '\n';
}

}  // namespace monofold::trace
