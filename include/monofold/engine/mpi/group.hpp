#pragma once
/// engine/mpi/group: the ranks of a communicator: the MPI calls in use, and how ranks agree on a failure.

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "monofold/platform/status.hpp"

namespace monofold::detail {

/// What keeps a rank from its part of the work.
struct rank_trouble {
  status code = status::ok;
  std::string why;

  explicit operator bool() const { return code != status::ok; }
};

/// Does a rank's own part; what it throws must not keep the others waiting.
template <class Work>
rank_trouble attempt_part(const Work& work) {
  try {
    work();
    return {};
  } catch (const error& failed) {
    // Without what the others' `error` says again.
    std::string_view why = failed.what();
    why.remove_prefix(std::min(why.size(), std::strlen(describe(failed.code()))));
    if (why.substr(0, 2) == ": ") why.remove_prefix(2);
    return {failed.code(), std::string(why)};
  } catch (const std::bad_alloc&) {
    return {status::out_of_memory, {}};
  } catch (const std::exception& other) {
    return {status::internal, other.what()};
  } catch (...) {
    return {status::internal, "an exception of no known type"};
  }
}

/// The ranks of a communicator of the caller, who has called MPI_Init and keeps it.
///
/// sync       each call but the constructor is collective; MPI_THREAD_FUNNELED is enough
/// errors     throws `error` on this rank alone: invalid_argument (no communicator, or one of two groups),
///            internal (an MPI call that fails and returns; by default MPI ends the job)
class rank_group {
 public:
  explicit rank_group(MPI_Comm comm) : comm_(comm) {
    int is_up = 0;
    MPI_Initialized(&is_up);
    if (is_up == 0) throw error(status::invalid_argument, "MPI_Init has not been called");
    if (comm == MPI_COMM_NULL) throw error(status::invalid_argument, "MPI_COMM_NULL");
    int is_inter = 0;
    check(MPI_Comm_test_inter(comm, &is_inter), "MPI_Comm_test_inter");
    if (is_inter != 0) throw error(status::invalid_argument, "an inter-communicator");
    check(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
  }

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Adds up the words of all ranks, place by place.
  void add_up(std::vector<std::int64_t>& words) const {
    constexpr std::size_t most = std::size_t{1} << 28;  // MPI counts by int
    for (std::size_t at = 0; at < words.size(); at += most) {
      const auto count = static_cast<int>(std::min(most, words.size() - at));
      check(MPI_Allreduce(MPI_IN_PLACE, words.data() + at, count, MPI_INT64_T, MPI_SUM, comm_),
            "MPI_Allreduce");
    }
  }

  std::int64_t least(std::int64_t own) const {
    check(MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_INT64_T, MPI_MIN, comm_), "MPI_Allreduce");
    return own;
  }

  /// The bytes, or int64, of all ranks in their order, as many of each.
  template <class T>
  std::vector<T> gather(const std::vector<T>& own) const {
    static_assert(std::is_same_v<T, unsigned char> || std::is_same_v<T, std::int64_t>);
    const MPI_Datatype type = sizeof(T) == 1 ? MPI_BYTE : MPI_INT64_T;
    std::vector<T> all(own.size() * static_cast<std::size_t>(size_));
    const int count = narrow_bytes(static_cast<std::int64_t>(own.size()));
    check(MPI_Allgather(own.data(), count, type, all.data(), count, type, comm_), "MPI_Allgather");
    return all;
  }

  /// The same of as many bytes as `sizes` says of each rank.
  std::vector<unsigned char> gather(const std::vector<unsigned char>& own,
                                    const std::vector<std::int64_t>& sizes) const {
    std::vector<int> counts;
    std::vector<int> places;
    std::int64_t total = 0;
    for (const std::int64_t size : sizes) {
      counts.push_back(narrow_bytes(size));
      places.push_back(narrow_bytes(total));
      total += size;
    }
    std::vector<unsigned char> all(static_cast<std::size_t>(total));
    check(MPI_Allgatherv(own.data(), counts[static_cast<std::size_t>(rank_)], MPI_BYTE, all.data(),
                         counts.data(), places.data(), MPI_BYTE, comm_),
          "MPI_Allgatherv");
    return all;
  }

  /// What all ranks throw or return, where there is trouble on one of them or more: the lowest one's.
  rank_trouble agree(const rank_trouble& own) const {
    const std::int64_t first = least(own ? rank_ : size_);
    if (first == size_) return {};
    struct {
      std::int32_t code;
      char why[508];
    } message{};
    message.code = static_cast<std::int32_t>(own.code);
    const std::string why =
        "rank " + std::to_string(rank_) + (own.why.empty() ? "" : ": ") + own.why;
    why.copy(message.why, sizeof message.why - 1);
    check(MPI_Bcast(&message, sizeof message, MPI_BYTE, static_cast<int>(first), comm_),
          "MPI_Bcast");
    return {static_cast<status>(message.code), message.why};
  }

 private:
  static void check(int code, const char* call) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw error(status::internal, std::string(call) + ": " + text);
  }

  /// The same on all ranks: where it throws, it throws on all.
  static int narrow_bytes(std::int64_t bytes) {
    if (bytes > std::numeric_limits<int>::max()) {
      throw error(status::invalid_argument, "states of all ranks have more than 2 GiB together");
    }
    return static_cast<int>(bytes);
  }

  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace monofold::detail
