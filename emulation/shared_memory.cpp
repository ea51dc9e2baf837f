#include "emulation/shared_memory.hpp"

#include <algorithm>
#include <cstring>

namespace monofold::emulation::detail {

namespace {

std::string text_of(std::size_t bytes, const std::string& name, std::ptrdiff_t at,
                    std::size_t size) {
  return std::to_string(bytes) + " bytes at byte " + std::to_string(at) + " of " + name +
         ", which has " + std::to_string(size);
}

}  // namespace

void shared_memory::begin(const module& home, std::size_t dynamic_bytes, std::uint32_t epoch,
                          random& numbers) {
  if (home.symbols != home_.symbols) variables_.clear();
  home_ = home;
  epoch_ = epoch;
  filler_ = numbers.next();
  for (auto& own : variables_) own.is_used = false;
  dynamic_bytes_ = dynamic_bytes;
  dynamic_record_.begin(dynamic_bytes, epoch);
  fill(dynamic(), dynamic_bytes);
}

void shared_memory::fill(char* from, std::size_t bytes) const {
  std::size_t at = 0;
  for (; at + sizeof(filler_) <= bytes; at += sizeof(filler_)) {
    std::memcpy(from + at, &filler_, sizeof(filler_));
  }
  std::memcpy(from + at, &filler_, bytes - at);
}

shared_memory::place shared_memory::place_at(const void* address) {
  const auto* const at = static_cast<const char*>(address);
  if (!is_static(address)) return {&dynamic_record_, nullptr, at - dynamic(), dynamic_bytes_};
  const std::ptrdiff_t offset = at - home_.thread_local_memory;
  static_variable* const own = find(static_cast<std::size_t>(offset));
  if (own == nullptr) return {};
  return {&own->record, own->symbol, offset - static_cast<std::ptrdiff_t>(own->symbol->offset),
          own->symbol->bytes};
}

bool shared_memory::touch(const void* address, std::size_t bytes, access_kind kind,
                          const toucher& who) {
  const place at = place_at(address);
  const bool is_held = at.holds(bytes);
  if (is_held && at.record->touch(static_cast<std::size_t>(at.offset), bytes, kind, who)) [[likely]]
    return true;
  problem_ = problem_at(at, bytes, is_held ? at.record->found() : clash{});
  return false;
}

shared_problem shared_memory::problem_at(const place& at, std::size_t bytes,
                                         const clash& found) const {
  if (at.record == nullptr) {
    const char* const why =
        home_.symbols->variables.empty()
            ? " behind static shared variables, whose bounds are not known: the "
              "program was stripped of its symbols"
            : " between static shared variables";
    return {shared_problem::kind::out_of_range, std::to_string(bytes) + " bytes" + why, {}};
  }
  const std::string where = text_of(
      bytes, at.symbol == nullptr ? "the dynamic shared memory" : short_name(at.symbol->name),
      at.offset, at.bytes);
  if (!at.holds(bytes)) return {shared_problem::kind::out_of_range, where, {}};
  if (found.what == clash::kind::unwritten) return {shared_problem::kind::unwritten, where, found};
  return {shared_problem::kind::race, where, found};
}

shared_memory::static_variable* shared_memory::find(std::size_t offset) {
  for (auto& own : variables_) {
    if (offset - own.symbol->offset < own.symbol->bytes) {
      return own.is_used ? &own : &use(*own.symbol);
    }
  }
  for (const auto& symbol : home_.symbols->variables) {
    if (offset - symbol.offset < symbol.bytes) return &use(symbol);
  }
  return nullptr;
}

shared_memory::static_variable& shared_memory::use(const variable& symbol) {
  auto own = std::find_if(variables_.begin(), variables_.end(),
                          [&](const static_variable& v) { return v.symbol == &symbol; });
  if (own == variables_.end()) {
    variables_.push_back({&symbol, std::unique_ptr<char[]>(new char[symbol.bytes]), {}, false});
    own = variables_.end() - 1;
  }
  own->is_used = true;
  own->record.begin(symbol.bytes, epoch_);
  fill(is_running_ ? place_of(*own) : own->image.get(), symbol.bytes);
  return *own;
}

memory_space shared_memory::space_at(const void* address) const {
  memory_space out;
  if (is_within(address, dynamic(), dynamic_bytes_)) {
    out.name = "dynamic shared memory";
    out.begin = dynamic();
    out.bytes = dynamic_bytes_;
  } else if (is_static(address)) {
    const auto offset =
        static_cast<std::size_t>(static_cast<const char*>(address) - home_.thread_local_memory);
    for (const variable& own : home_.symbols->variables) {
      if (offset - own.offset >= own.bytes) continue;
      out.name = short_name(own.name);
      out.begin = home_.thread_local_memory + own.offset;
      out.bytes = own.bytes;
    }
  }
  return out;
}

void shared_memory::enter() {
  for (const auto& own : variables_) {
    if (own.is_used) std::memcpy(place_of(own), own.image.get(), own.symbol->bytes);
  }
  is_running_ = true;
}

void shared_memory::leave() {
  for (const auto& own : variables_) {
    if (own.is_used) std::memcpy(own.image.get(), place_of(own), own.symbol->bytes);
  }
  is_running_ = false;
}

void* shared_memory::image_of(shared_memory& there, const void* address) {
  const auto* const at = static_cast<const char*>(address);
  if (is_within(address, there.dynamic(), there.dynamic_bytes_)) {
    return dynamic() + (at - there.dynamic());
  }
  if (!is_static(address)) return nullptr;
  const auto offset = static_cast<std::size_t>(at - home_.thread_local_memory);
  const static_variable* const own = find(offset);
  return own == nullptr ? nullptr : own->image.get() + (offset - own->symbol->offset);
}

}  // namespace monofold::emulation::detail
