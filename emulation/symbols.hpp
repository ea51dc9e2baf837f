#pragma once
/// emulation/symbols: what the program's file says about a kernel: its name, its shared variables.

#include <cstddef>
#include <string>
#include <vector>

namespace monofold::emulation::detail {

/// A thread_local variable, which is what `__shared__` makes of a variable here.
struct variable {
  std::size_t offset;  // from the beginning of the thread-local memory of its module
  std::size_t bytes;
  std::string name;
};

/// What one file (the program, or a library that it loaded) holds.
///
/// shape      variables in ascending order of their offsets; nothing where symbols were stripped
struct symbol_table {
  std::string path;
  std::vector<variable> variables;
};

/// Where a function's code lies, as this thread sees it.
struct module {
  const symbol_table* symbols = nullptr;
  char* thread_local_memory = nullptr;
  std::size_t thread_local_bytes = 0;  // and what belongs to them behind the last variable
  std::size_t function_offset = 0;
};

module module_of(const void* function);

/// `fold_tiles_kernel` for a mangled monofold::detail::fold_tiles_kernel<...>(...).
std::string short_name(const std::string& mangled);

/// The name of a kernel, or its offset in the file. Read once for each kernel: a file has 100 000 functions.
std::string kernel_name(const module& home);

}  // namespace monofold::emulation::detail
