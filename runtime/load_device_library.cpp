/// runtime/load_device_library: finds and loads libraries of kernels, and asks the one in use.
///
/// A program that asks for no device loads none. Where a library is not here the reason is one line.

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "monofold/platform/status.hpp"
#include "runtime/gpu/device_library.hpp"
#include "runtime/gpu/load_device_library.hpp"
#include "runtime/gpu/rows/row_library.hpp"

namespace monofold::runtime {

namespace {

/// A library that was looked for: the table of what it has, or why there is none.
struct loaded_library {
  void* handle = nullptr;
  const device_library* table = nullptr;
  gpu_devices none{};  // with the reason, where there is no table
};

std::string folder_of(const std::string& path) {
  const std::size_t end = path.rfind('/');
  return end == std::string::npos ? "." : path.substr(0, end);
}

/// Where this code lies: a program, or the shared libmonofold.
std::string own_folder() {
  Dl_info facts{};
  if (dladdr(reinterpret_cast<const void*>(&folder_of), &facts) == 0) return ".";
  std::array<char, 4096> resolved;  // PATH_MAX
  if (realpath(facts.dli_fname, resolved.data()) != nullptr) return folder_of(resolved.data());
  return folder_of(facts.dli_fname);
}

bool has_driver() {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver != nullptr) dlclose(driver);
  return driver != nullptr;
}

/// Opens a library of kernels; null, and why.
void* open_kernels(const std::string& name, std::string& why) {
  void* const handle = open_library(name + ".so", why);
  if (handle == nullptr && why.empty()) why = name + " is not installed";
  return handle;
}

/// The table that a library exports by a function of this name, or null: it is of another version.
template <class Table>
const Table* table_of(void* handle, const char* symbol) {
  using function = const Table* (*)();
  const auto table = reinterpret_cast<function>(dlsym(handle, symbol));
  if (table == nullptr || std::string_view(table()->version) != version) return nullptr;
  return table();
}

loaded_library load(device_kind which) {
  loaded_library out;
  const bool is_gpu = which == device_kind::gpu;
  const std::string name = is_gpu ? "libmonofold_gpu" : "libmonofold_emulated";
  if (is_gpu && !has_driver()) {
    out.none.why_none = "no NVIDIA driver is here";
    return out;
  }
  out.handle = open_kernels(name, out.none.why_none);
  if (out.handle == nullptr) return out;
  out.table = table_of<device_library>(out.handle, device_library_symbol);
  if (out.table == nullptr) out.none.why_none = name + " is of another version";
  return out;
}

device_kind chosen = device_kind::gpu;

/// Looks once for each kind, the first time. The libraries stay: the driver may call back until the
/// process ends.
const loaded_library& library_of(device_kind which) {
  if (which == device_kind::emulated) {
    static const loaded_library emulated = load(device_kind::emulated);
    return emulated;
  }
  static const loaded_library gpu = load(device_kind::gpu);
  return gpu;
}

const device_library& table() {
  const loaded_library& found = library_of(chosen);
  if (found.table == nullptr) throw error(status::device_unavailable, found.none.why_none);
  return *found.table;
}

/// The kernels for rows: of GPUs in a library of their own.
const row_library* load_rows(bool is_gpu) {
  const std::string name = is_gpu ? "libmonofold_gpu_rows" : "libmonofold_emulated";
  std::string why;
  void* const handle = is_gpu ? open_kernels(name, why) : library_of(device_kind::emulated).handle;
  if (handle == nullptr) throw error(status::device_unavailable, why);
  const auto* const table = table_of<row_library>(handle, row_library_symbol);
  if (table == nullptr) throw error(status::device_unavailable, name + " is of another version");
  return table;
}

const row_library& row_table() {
  const gpu_devices& found = find_gpus();
  if (found.devices.empty()) throw error(status::device_unavailable, found.why_none);
  if (chosen == device_kind::emulated) {
    static const row_library* const emulated = load_rows(false);
    return *emulated;
  }
  static const row_library* const gpu = load_rows(true);
  return *gpu;
}

}  // namespace

void* open_library(const std::string& file, std::string& why) {
  std::vector<std::string> places;
  if (const char* const asked = std::getenv("MONOFOLD_LIBRARY_PATH")) {
    places.push_back(std::string(asked) + "/");
  }
  // Beside libmonofold, and from bin/ to lib/.
  for (const char* const folder : {"/", "/../lib/", "/../" MONOFOLD_LIBRARY_FOLDER "/"}) {
    places.push_back(own_folder() + folder);
  }
  for (const std::string& place : places) {
    if (void* const handle = dlopen((place + file).c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    if (access((place + file).c_str(), F_OK) == 0) why = dlerror();
  }
  return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // where the system looks
}

void use_devices(device_kind which) { chosen = which; }

const gpu_devices& find_devices(device_kind which) {
  const loaded_library& found = library_of(which);
  return found.table == nullptr ? found.none : found.table->find_gpus();
}

void* ladder_symbol(device_kind which, const char* name, const char* version_name,
                    std::string& why) {
  if (which == device_kind::gpu) {
    const loaded_library& found = library_of(which);
    why = found.none.why_none;
    return found.table == nullptr ? nullptr : dlsym(found.handle, name);
  }
  const std::string file = "libmonofold_emulated_ladder";
  void* const handle = open_kernels(file, why);
  if (handle == nullptr) return nullptr;
  using function = const char* (*)();
  const auto own_version = reinterpret_cast<function>(dlsym(handle, version_name));
  if (own_version != nullptr && std::string_view(own_version()) == version) {
    return dlsym(handle, name);
  }
  why = file + " is of another version";
  return nullptr;
}

const gpu_devices& find_gpus() { return find_devices(chosen); }

int use_gpu(int device) { return table().use_gpu(device); }

bool is_device_memory(const void* pointer) { return table().is_device_memory(pointer); }

std::shared_ptr<void> make_pinned(std::int64_t bytes) { return table().make_pinned(bytes); }

void copy_from_device(void* to, const void* from, std::int64_t bytes) {
  table().copy_from_device(to, from, bytes);
}

device_work make_device_work(const std::vector<member_request>& what) {
  return table().make_device_work(what);
}

void fold_pieces(const device_work& work, const device_items& items, std::int64_t item_bytes,
                 const std::vector<device_piece>& pieces, piece_reader& reader) {
  table().fold_pieces(work, items, item_bytes, pieces, reader);
}

bool has_device_rows(const row_question& what) { return row_table().has_device_rows(what); }

row_failure start_device_rows(const row_question& what, const device_row_items& items,
                              const device_row_outputs& out, void* stream, bool waits) {
  return row_table().start_device_rows(what, items, out, stream, waits);
}

std::shared_ptr<void> make_device_memory(std::int64_t bytes) {
  return row_table().make_device_memory(bytes);
}

std::unique_ptr<key_groups> group_keys(const device_keys& keys) {
  return row_table().group_keys(keys);
}

}  // namespace monofold::runtime
