#pragma once
/// emulation/shared_memory: the shared memory of one block, dynamic and static.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulation/address_space.hpp"
#include "emulation/random.hpp"
#include "emulation/recording.hpp"
#include "emulation/shadow.hpp"
#include "emulation/symbols.hpp"

namespace monofold::emulation::detail {

/// What is wrong with an access to shared memory; `where` names the place.
struct shared_problem {
  enum class kind { out_of_range, unwritten, race };
  kind what = kind::race;
  std::string where;
  clash with;
};

/// Dynamic shared memory is a buffer of the block. Static shared variables are thread_local variables
/// of the program: each block that touches one has an image of it, which is in the variable's place
/// while the block runs. Both begin with bytes that depend on the seed.
class shared_memory {
 public:
  static constexpr std::size_t max_dynamic_bytes = 227 * 1024;  // of sm_90

  void begin(const module& home, std::size_t dynamic_bytes, std::uint32_t epoch, random& numbers);

  char* dynamic() const { return dynamic_.get() + page_bytes; }
  bool holds(const void* address) const {
    return is_within(address, dynamic_.get(), max_dynamic_bytes + 2 * page_bytes) ||
           is_static(address);
  }
  /// Records an access to an address that it `holds`. False where it is wrong: `problem` says how.
  bool touch(const void* address, std::size_t bytes, access_kind kind, const toucher& who);
  const shared_problem& problem() const { return problem_; }

  /// The variable that an address lies in, or the dynamic bytes; begin is null where there is none.
  memory_space space_at(const void* address) const;

  /// The block goes on, or stops: its images go to the variables' places and back.
  void enter();
  void leave();

  /// Where this block, which is not running, has what is at `address` in the running block `there`.
  void* image_of(shared_memory& there, const void* address);

 private:
  bool is_static(const void* address) const {
    return home_.thread_local_memory != nullptr &&
           is_within(address, home_.thread_local_memory, home_.thread_local_bytes);
  }

  struct static_variable {
    const variable* symbol;
    std::unique_ptr<char[]> image;
    shadow record;
    bool is_used = false;  // by this block
  };

  /// What an address lies in; no record between static variables.
  struct place {
    shadow* record = nullptr;
    const variable* symbol = nullptr;  // null of dynamic memory
    std::ptrdiff_t offset = 0;
    std::size_t bytes = 0;

    bool holds(std::size_t count) const {
      return record != nullptr && offset >= 0 && static_cast<std::size_t>(offset) + count <= bytes;
    }
  };

  place place_at(const void* address);
  shared_problem problem_at(const place& at, std::size_t bytes, const clash& found) const;
  static_variable* find(std::size_t offset);
  static_variable& use(const variable& symbol);
  char* place_of(const static_variable& own) const {
    return home_.thread_local_memory + own.symbol->offset;
  }
  void fill(char* from, std::size_t bytes) const;

  module home_;
  std::unique_ptr<char[]> dynamic_{new char[max_dynamic_bytes + 2 * page_bytes]};
  std::size_t dynamic_bytes_ = 0;
  shadow dynamic_record_;
  std::vector<static_variable> variables_;  // few: a kernel has a handful
  std::uint32_t epoch_ = 0;
  std::uint64_t filler_ = 0;
  bool is_running_ = false;
  shared_problem problem_;
};

}  // namespace monofold::emulation::detail
