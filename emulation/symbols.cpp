#include "emulation/symbols.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "emulation/address_space.hpp"

namespace monofold::emulation::detail {

namespace {

/// The bytes of a file. Only a few of tens of megabytes are looked at.
class file_bytes {
 public:
  explicit file_bytes(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat facts;
    if (fstat(file, &facts) == 0 && facts.st_size > 0) {
      const auto size = static_cast<std::size_t>(facts.st_size);
      void* const all = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
      if (all != MAP_FAILED) bytes_ = {static_cast<const char*>(all), size};
    }
    close(file);
  }
  file_bytes(const file_bytes&) = delete;
  file_bytes& operator=(const file_bytes&) = delete;
  ~file_bytes() {
    if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }

  /// Copies a T out; false past their end.
  template <class T>
  bool copy_out(std::size_t at, T& out) const {
    if (at + sizeof(T) > bytes_.size()) return false;
    std::memcpy(&out, bytes_.data() + at, sizeof(T));
    return true;
  }
  /// The text at a place, up to its 0; empty past their end.
  std::string text_at(std::size_t at) const {
    if (at >= bytes_.size()) return {};
    const std::string_view rest = bytes_.substr(at);
    return std::string(rest.substr(0, rest.find('\0')));
  }

 private:
  std::string_view bytes_;
};

/// Calls visit(symbol, name()) for what a file says of the thread-local variables and the functions that it holds.
template <class Visit>
void visit_symbols(const std::string& path, const Visit& visit) {
  const file_bytes bytes(path);
  ElfW(Ehdr) header;
  if (!bytes.copy_out(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
  for (int s = 0; s < header.e_shnum; ++s) {
    ElfW(Shdr) section, names;
    const auto at = [&](std::size_t number) {
      return header.e_shoff + number * header.e_shentsize;
    };
    if (!bytes.copy_out(at(static_cast<std::size_t>(s)), section)) break;
    if (section.sh_type != SHT_SYMTAB || !bytes.copy_out(at(section.sh_link), names)) continue;
    for (std::size_t i = 0; i < section.sh_size / sizeof(ElfW(Sym)); ++i) {
      ElfW(Sym) symbol;
      if (!bytes.copy_out(section.sh_offset + i * sizeof(symbol), symbol)) break;
      if (symbol.st_size == 0 || symbol.st_shndx == SHN_UNDEF) continue;
      visit(symbol, [&] { return bytes.text_at(names.sh_offset + symbol.st_name); });
    }
  }
}

constexpr int type_of(const ElfW(Sym) & symbol) { return symbol.st_info & 0xf; }

symbol_table read_symbols(const std::string& path) {
  symbol_table out{path, {}};
  visit_symbols(path, [&](const ElfW(Sym) & symbol, const auto& name) {
    if (type_of(symbol) == STT_TLS)
      out.variables.push_back({symbol.st_value, symbol.st_size, name()});
  });
  std::sort(out.variables.begin(), out.variables.end(),
            [](const variable& a, const variable& b) { return a.offset < b.offset; });
  return out;
}

/// What dl_iterate_phdr is asked for, and its answer.
struct search {
  std::uintptr_t function;
  module found;
  std::string path;
  std::size_t thread_local_module = 0;  // its number; 0: it has no thread-local memory
};

/// What `__tls_get_addr` takes.
struct thread_local_place {
  unsigned long module;
  unsigned long offset;
};
extern "C" void* __tls_get_addr(thread_local_place*);

int visit_module(dl_phdr_info* info, std::size_t, void* argument) {
  auto& wanted = *static_cast<search*>(argument);
  bool is_here = false;
  std::size_t thread_local_bytes = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_TLS) thread_local_bytes = part.p_memsz;
    if (part.p_type == PT_LOAD && wanted.function - begin < part.p_memsz) is_here = true;
  }
  if (!is_here) return 0;
  const bool is_program = info->dlpi_name[0] == '\0';
  wanted.path = is_program ? "/proc/self/exe" : info->dlpi_name;
  wanted.thread_local_module = info->dlpi_tls_modid;
  // An index may run past the last variable: a program's has the thread's own page behind it, a
  // loaded library's whatever the heap put there.
  wanted.found.thread_local_bytes = thread_local_bytes + (is_program ? page_bytes : 0);
  wanted.found.function_offset = wanted.function - info->dlpi_addr;
  return 1;
}

}  // namespace

module module_of(const void* function) {
  static std::map<std::string, symbol_table> tables;  // one kernel runs at a time
  search wanted{reinterpret_cast<std::uintptr_t>(function), {}, {}, 0};
  dl_iterate_phdr(visit_module, &wanted);
  if (wanted.thread_local_module != 0) {
    // A thread gets that of a loaded library when it asks for it: before its first kernel, so that
    // shared variables are watched from the first launch on.
    thread_local_place place{wanted.thread_local_module, 0};
    wanted.found.thread_local_memory = static_cast<char*>(__tls_get_addr(&place));
  }
  const auto [place, is_first] = tables.try_emplace(wanted.path);
  if (is_first) place->second = read_symbols(wanted.path);
  wanted.found.symbols = &place->second;
  return wanted.found;
}

std::string short_name(const std::string& mangled) {
  int failed = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &failed), &std::free);
  std::string name = failed == 0 ? demangled.get() : mangled;
  // A variable of a function comes after the function: f(int)::name.
  const std::string nameless = "(anonymous namespace)::";
  for (auto at = name.find(nameless); at != std::string::npos; at = name.find(nameless)) {
    name.erase(at, nameless.size());
  }
  std::size_t from = 0;
  int depth = 0;
  std::size_t end = name.size();
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (depth == 0 && c == '(' && name.find(")::", i) == std::string::npos) {
      end = std::min(end, i);
      break;
    }
    if (c == '<' || c == '(') {
      if (depth++ == 0) end = i;
    }
    if (c == '>' || c == ')') --depth;
    if (depth == 0 && (c == ':' || c == ' ')) {
      from = i + 1;
      end = name.size();
    }
  }
  return name.substr(from, end - from);
}

std::string kernel_name(const module& home) {
  static std::map<std::pair<const symbol_table*, std::size_t>, std::string> known;
  const auto [place, is_first] = known.try_emplace({home.symbols, home.function_offset});
  std::string& out = place->second;
  if (!is_first) return out;
  visit_symbols(home.symbols->path, [&](const ElfW(Sym) & symbol, const auto& name) {
    const bool is_it = type_of(symbol) == STT_FUNC && symbol.st_value == home.function_offset;
    if (is_it && out.empty()) out = short_name(name());
  });
  if (out.empty()) out = "at offset " + std::to_string(home.function_offset);
  return out;
}

}  // namespace monofold::emulation::detail
