#pragma once
/// bench/baselines/peers: what ours is compared with.

#include <sys/types.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/harness/dataset.hpp"
#include "bench/harness/operations.hpp"
#include "bench/harness/samples.hpp"

namespace bench {

// Each gives an empty function where the peer has nothing for the operation and the items.

/// The standard library's parallel algorithms with std::execution::par, or with par_unseq.
std::function<outcome()> std_par_call(operation op, const dataset& data);
std::function<outcome()> std_unseq_call(operation op, const dataset& data);

/// oneTBB's parallel_reduce with a loop by hand, which OpenMP's simd vectorises.
std::function<outcome()> tbb_call(operation op, const dataset& data);

/// One thread, one loop, for ordered folds.
std::function<outcome()> serial_call(operation op, const dataset& data);

/// The values of operations by the plainest loops, in at least double precision.
class reference {
 public:
  explicit reference(const dataset& data);
  std::vector<double> values(operation op);

 private:
  dataset data_;
  std::vector<double> statistics_;  // of operation::stats, once they were asked for
};

/// NumPy in a process of its own, which reads the data from a .npy file into its memory once and
/// then waits for names of operations; it times itself.
///
/// errors     throws std::runtime_error where the process does not start or does not answer
class numpy_peer {
 public:
  numpy_peer(const std::string& python, const std::string& script, const std::string& npy_file);
  numpy_peer(const numpy_peer&) = delete;
  numpy_peer& operator=(const numpy_peer&) = delete;
  ~numpy_peer();

  std::function<outcome()> call(operation op);
  /// The same of any name that the script knows.
  std::function<outcome()> call(const std::string& name);
  const std::string& version() const { return version_; }

 private:
  std::string ask(const std::string& line);
  std::string read_line();

  pid_t child_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  std::string version_;
};

/// The peer, where `python` is given and has NumPy; else a line says why not, and `python` is empty
/// from then on. `data`, where given, becomes the file first.
std::unique_ptr<numpy_peer> start_numpy(std::string& python, const std::string& npy_file,
                                        const dataset* data = nullptr);

}  // namespace bench
