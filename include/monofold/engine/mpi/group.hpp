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
    for_counts(words.size(), [&](std::size_t at, int count) {
      check(MPI_Allreduce(MPI_IN_PLACE, words.data() + at, count, MPI_INT64_T, MPI_SUM, comm_),
            "MPI_Allreduce");
    });
  }

  /// The same on one rank; what the others' become is nobody's business.
  void add_up(std::vector<std::int64_t>& words, int root) const {
    for_counts(words.size(), [&](std::size_t at, int count) {
      const void* const own = rank_ == root ? MPI_IN_PLACE : words.data() + at;
      check(MPI_Reduce(own, words.data() + at, count, MPI_INT64_T, MPI_SUM, root, comm_),
            "MPI_Reduce");
    });
  }

  /// The same while the caller goes on: words are there once `done` says so, or `finish` returns.
  MPI_Request start_adding(std::vector<std::int64_t>& words) const {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(MPI_IN_PLACE, words.data(),
                         narrow_bytes(static_cast<std::int64_t>(words.size())), MPI_INT64_T,
                         MPI_SUM, comm_, &request),
          "MPI_Iallreduce");
    return request;  // NOLINT: who has it waits
  }
  static bool done(MPI_Request& request) {
    int is_done = 0;
    check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    return is_done != 0;
  }
  static void finish(MPI_Request& request) {
    check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");  // NOLINT: started above
  }

  /// The sums of the words of all ranks before this one.
  std::vector<std::int64_t> sums_before(const std::vector<std::int64_t>& own) const {
    std::vector<std::int64_t> sums(own.size());
    check(MPI_Exscan(own.data(), sums.data(), narrow_bytes(static_cast<std::int64_t>(own.size())),
                     MPI_INT64_T, MPI_SUM, comm_),
          "MPI_Exscan");
    if (rank_ == 0) sums.assign(own.size(), 0);  // it was left alone
    return sums;
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

  /// What `root` has.
  std::int64_t share(std::int64_t value, int root) const {
    check(MPI_Bcast(&value, 1, MPI_INT64_T, root, comm_), "MPI_Bcast");
    return value;
  }
  void share(std::vector<unsigned char>& bytes, int root) const {
    check(MPI_Bcast(bytes.data(), narrow_bytes(static_cast<std::int64_t>(bytes.size())), MPI_BYTE,
                    root, comm_),
          "MPI_Bcast");
  }

  /// The length of a message that all ranks know: where it throws, it throws on all. If only the sender knows
  /// it, this is called where the others learn of a failure.
  static int narrow_bytes(std::int64_t bytes) {
    if (bytes > std::numeric_limits<int>::max()) {
      throw error(status::invalid_argument, "states of all ranks have more than 2 GiB together");
    }
    return static_cast<int>(bytes);
  }

  /// Messages from rank to rank, which no receive of the caller's can take.
  void send(const std::vector<unsigned char>& bytes, int to) const {
    check(MPI_Send(bytes.data(), narrow_bytes(static_cast<std::int64_t>(bytes.size())), MPI_BYTE,
                   to, 0, own_comm()),
          "MPI_Send");
  }
  std::vector<unsigned char> receive(int from) const {
    const MPI_Comm comm = own_comm();
    MPI_Status status;
    check(MPI_Probe(from, 0, comm, &status), "MPI_Probe");
    int count = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
    std::vector<unsigned char> bytes(static_cast<std::size_t>(count));
    check(MPI_Recv(bytes.data(), count, MPI_BYTE, from, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
    return bytes;
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

  /// Calls call(at, count) for parts of an array of a length that an int counts.
  template <class Call>
  static void for_counts(std::size_t size, const Call& call) {
    constexpr std::size_t most = std::size_t{1} << 28;
    for (std::size_t at = 0; at < size; at += most) {
      call(at, static_cast<int>(std::min(most, size - at)));
    }
  }

  /// A copy of the communicator, made by the first call that needs it, on all ranks, and kept with it.
  MPI_Comm own_comm() const {
    static int key = MPI_KEYVAL_INVALID;
    if (key == MPI_KEYVAL_INVALID) {
      const auto let_go = [](MPI_Comm, int, void* value, void*) {
        auto* const copy = static_cast<MPI_Comm*>(value);
        const int code = MPI_Comm_free(copy);
        delete copy;
        return code;
      };
      check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, let_go, &key, nullptr),
            "MPI_Comm_create_keyval");
    }
    void* found = nullptr;
    int is_there = 0;
    check(MPI_Comm_get_attr(comm_, key, static_cast<void*>(&found), &is_there),
          "MPI_Comm_get_attr");
    if (is_there != 0) return *static_cast<MPI_Comm*>(found);
    MPI_Comm copy = MPI_COMM_NULL;
    check(MPI_Comm_dup(comm_, &copy), "MPI_Comm_dup");
    check(MPI_Comm_set_attr(comm_, key, new MPI_Comm(copy)), "MPI_Comm_set_attr");
    return copy;
  }

  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace monofold::detail
