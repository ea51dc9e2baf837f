/// bench/baselines/numpy_peer: the pipes to and from the NumPy process.

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <stdexcept>

#include "bench/baselines/peers.hpp"

extern char** environ;

namespace bench {

numpy_peer::numpy_peer(const std::string& python, const std::string& script,
                       const std::string& npy_file) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (pipe(in.data()) != 0 || pipe(out.data()) != 0) throw std::runtime_error("no pipe for NumPy");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  for (const int end : {in[0], in[1], out[0], out[1]}) {
    posix_spawn_file_actions_addclose(&actions, end);
  }
  std::array<std::string, 3> words{python, script, npy_file};
  std::array<char*, 4> argv{words[0].data(), words[1].data(), words[2].data(), nullptr};
  const int failure = posix_spawnp(&child_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  to_ = fdopen(in[1], "w");
  from_ = fdopen(out[0], "r");
  if (failure != 0) {
    child_ = -1;
    std::fclose(to_);
    std::fclose(from_);
    throw std::runtime_error("cannot start " + python);
  }
  signal(SIGPIPE, SIG_IGN);  // a child that died is seen when its answer is read
  version_ = read_line();
}

numpy_peer::~numpy_peer() {
  std::fclose(to_);  // the end of its input ends the process
  std::fclose(from_);
  waitpid(child_, nullptr, 0);
}

std::string numpy_peer::read_line() {
  std::string line;
  for (int c = std::fgetc(from_); c != '\n'; c = std::fgetc(from_)) {
    if (c == EOF) throw std::runtime_error("NumPy stopped answering");
    line.push_back(static_cast<char>(c));
  }
  return line;
}

std::string numpy_peer::ask(const std::string& line) {
  std::fputs((line + "\n").c_str(), to_);
  std::fflush(to_);
  return read_line();
}

std::function<outcome()> numpy_peer::call(operation op) {
  if (is_ordered(op)) return {};
  return call(std::string(row_of(op).name));
}

std::function<outcome()> numpy_peer::call(const std::string& name) {
  return [this, name] {
    std::istringstream words(ask(name));
    outcome answer{};
    words >> answer.ns;
    for (std::string value; words >> value;) answer.values.push_back(std::stod(value));
    return answer;
  };
}

std::unique_ptr<numpy_peer> start_numpy(std::string& python, const std::string& npy_file,
                                        const dataset* data) {
  if (python.empty()) return nullptr;
  try {
    if (data != nullptr) write_npy(*data, npy_file);
    return std::make_unique<numpy_peer>(python, MONOFOLD_BENCH_NUMPY_PEER, npy_file);
  } catch (const std::runtime_error& failure) {
    std::printf("without NumPy: %s\n", failure.what());
    python.clear();
    return nullptr;
  }
}

}  // namespace bench
