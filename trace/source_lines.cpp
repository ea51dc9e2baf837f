#include "trace/source_lines.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

namespace monofold::trace {

namespace {

/// Where an address lies in a file of code.
struct code_place {
  std::string file;
  std::uintptr_t offset = 0;
};

code_place place_of(std::uintptr_t address) {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<void*>(address), &info, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0 ||
      map == nullptr) {
    return {};
  }
  const bool is_program = map->l_name[0] == '\0';
  return {is_program ? "/proc/" + std::to_string(getpid()) + "/exe" : map->l_name,
          address - map->l_addr};
}

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + '\'';
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string out;
  std::array<char, 4096> part;
  while (pipe != nullptr) {
    const std::size_t count = std::fread(part.data(), 1, part.size(), pipe.get());
    if (count == 0) break;
    out.append(part.data(), count);
  }
  return out;
}

/// FILE:LINE, behind which may come " (discriminator 2)".
source_line parse_line(const std::string& text) {
  const std::size_t colon = text.rfind(':', text.find(" (") - 1);
  if (text[0] == '?' || colon == std::string::npos) return {};
  return {text.substr(0, colon), std::atoi(text.c_str() + colon + 1)};
}

/// What addr2line says: a line of the address, then those of source.
void take_answers(const std::string& text, const std::vector<std::size_t>& asked,
                  std::vector<std::vector<source_line>>& out) {
  std::size_t next = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string line = text.substr(from, end - from);
    from = end + 1;
    if (line.rfind("0x", 0) == 0) {
      ++next;
    } else if (next > 0 && next <= asked.size()) {
      const source_line found = parse_line(line);
      if (!found.file.empty() && found.line > 0) out[asked[next - 1]].push_back(found);
    }
  }
}

}  // namespace

std::vector<std::vector<source_line>> lines_of(const std::vector<std::uintptr_t>& addresses) {
  std::vector<std::vector<source_line>> out(addresses.size());
  std::map<std::string, std::vector<std::size_t>> by_file;
  std::vector<code_place> places;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    // The call lies in front of where it returns to.
    places.push_back(place_of(addresses[i] - 1));
    if (!places[i].file.empty()) by_file[places[i].file].push_back(i);
  }
  for (const auto& [file, asked] : by_file) {
    std::string command = "addr2line -a -i -e " + quoted(file);
    char text[32];
    for (const std::size_t i : asked) {
      std::snprintf(text, sizeof(text), " 0x%lx", static_cast<unsigned long>(places[i].offset));
      command += text;
    }
    take_answers(output_of(command + " 2>/dev/null"), asked, out);
  }
  return out;
}

}  // namespace monofold::trace
