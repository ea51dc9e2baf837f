// Replays a corpus through a fuzz target without libFuzzer: every file named, and every file in
// every folder named. Finding no file is a failure, so that a lost corpus does not pass.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t num_bytes);

namespace {

void replay(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  // libFuzzer owns what it passes at its exact size; so does the vector, so an address sanitizer
  // sees a read one past the end.
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  int num_inputs = 0;
  for (int i = 1; i < argc; ++i) {
    const std::filesystem::path path = argv[i];
    if (!std::filesystem::is_directory(path)) {
      replay(path);
      ++num_inputs;
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (!entry.is_regular_file()) continue;
      std::printf("%s\n", entry.path().c_str());  // the last line names the input that crashed
      std::fflush(stdout);
      replay(entry.path());
      ++num_inputs;
    }
  }
  const std::uint8_t nothing = 0;
  LLVMFuzzerTestOneInput(&nothing, 0);
  std::printf("%d inputs\n", num_inputs);
  return num_inputs == 0 ? 1 : 0;
}
