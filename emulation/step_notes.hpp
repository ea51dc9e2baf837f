#pragma once
/// emulation/step_notes: takes down what threads do while a recorder lives.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulation/block.hpp"
#include "emulation/recording.hpp"
#include "emulation/shadow.hpp"

namespace monofold::emulation::detail {

class step_notes {
 public:
  recording found;

  void name_memory(const char* begin, std::size_t bytes, const std::string& name,
                   std::size_t cell_bytes) {
    named_.push_back({name, 0, -1, begin, bytes, cell_bytes, {}});
  }
  void name_shared(const std::string& name, std::size_t cell_bytes) {
    shared_cells_[name] = cell_bytes;
  }
  void set_shuffled_bytes(std::size_t bytes) { shuffled_bytes_ = bytes; }

  void begin_launch(const launch& of);
  void begin_step() { found.steps.emplace_back(); }
  /// False where nothing was done: it is no step then.
  bool end_step();
  /// What comes until the next call is one instruction of this warp, and whether lanes part at it.
  void begin_instruction(const block& of, int warp, bool is_split);

  // On a fiber. The first part waits for the turn of the thread's lanes.
  void before_access(block& of, const void* address, std::size_t bytes, access_kind kind);
  void before_call(block& of, const std::string& name, const warp_call* call);

  // By who runs the fibers.
  /// A thread has done its part: what it wrote lies in memory.
  void settle();
  void met(const block& of, int warp, std::uint32_t lanes, const warp_call* calls);
  void synced(const block& of, step_kind what, const char* name);

 private:
  struct copied {
    int space;
    const void* address;
    std::size_t bytes;
  };

  void note_access(step_kind what, int space, const void* address, std::size_t bytes);
  std::optional<copied> take_back_write();
  int stack_here();
  int space_of(block& of, const void* address, std::size_t bytes);
  lane_step& add(step_kind what, int stack, int space, std::size_t bytes, const std::string& name);
  void drop_arrivals(int block, int warp);

  std::vector<memory_space> named_;
  std::map<std::string, std::size_t> shared_cells_;
  std::size_t shuffled_bytes_ = 4;
  std::map<std::vector<std::uintptr_t>, int> stacks_;
  std::map<std::pair<const char*, int>, int> spaces_;  // by begin and block, of this launch
  struct write {
    const char* to;
    int lane;
  };
  std::vector<write> unsettled_;
  std::size_t lane_steps_ = 0;
  std::size_t instruction_ = 0;  // where its parts begin in this step
  int block_ = 0;
  int warp_ = 0;
  bool is_split_ = false;
  std::map<std::pair<int, int>, std::pair<std::size_t, std::size_t>> last_call_;  // of a warp
};

/// The lane that a shuffle reads; its own where there is none.
int source_of(const warp_call& own, int lane);

/// Null: nobody records.
extern step_notes* notes;

}  // namespace monofold::emulation::detail
