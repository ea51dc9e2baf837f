#pragma once
/// engine/mpi/neighbours: a tree of messages in which ranks that stand side by side join what they have.

#include <cstdint>
#include <utility>
#include <vector>

#include "monofold/engine/mpi/group.hpp"
#include "monofold/platform/encoding.hpp"

namespace monofold::detail {

/// In round k, rank (2 j + 1) 2^k hands what it has to rank 2 j 2^k, which has all that lies before it: after
/// log2(ranks) rounds rank 0 has everything, joined in the order of the ranks.
class neighbours {
 public:
  /// `root`: who is told the outcome; -1: all.
  neighbours(const rank_group& group, int root) : group_(group), root_(root) {}

  /// put(out) writes what this rank has, take(in) appends what the next ranks have; put_all(out) writes the outcome
  /// on rank 0, and take_all(in) reads it where it is told.
  ///
  /// sync       collective, also for a rank in trouble: its neighbours learn of it by its message
  /// errors     the same trouble on all ranks; take_all is not called then
  template <class Put, class Take, class PutAll, class TakeAll>
  rank_trouble join(rank_trouble own, const Put& put, const Take& take, const PutAll& put_all,
                    const TakeAll& take_all) const {
    bool is_good = !own;
    const auto attempt = [&](const auto& work) {
      if (!is_good) return;
      own = attempt_part(work);
      if (own) is_good = false;
    };
    for (int step = 1; step < group_.size(); step *= 2) {
      if ((group_.rank() & step) != 0) {
        group_.send(message(is_good, attempt, put), group_.rank() - step);
        break;
      }
      if (group_.rank() + step >= group_.size()) continue;
      const std::vector<unsigned char> got = group_.receive(group_.rank() + step);
      attempt([&] {
        byte_reader in(got);
        if (decoded<bool>(in)) {
          take(in);
        } else {
          is_good = false;  // the other rank knows why
        }
      });
    }
    std::vector<unsigned char> all;
    if (group_.rank() == 0) all = message(is_good, attempt, put_all);
    const std::int64_t size =
        group_.share(is_good ? static_cast<std::int64_t>(all.size()) : std::int64_t{-1}, 0);
    if (size < 0) return group_.agree(own);
    if (hand_out(all, size)) {
      byte_reader in(all);
      decoded<bool>(in);
      take_all(in);
    }
    return {};
  }

 private:
  /// Whether there is anything, and what there is.
  template <class Attempt, class Put>
  static std::vector<unsigned char> message(const bool& is_good, const Attempt& attempt,
                                            const Put& put) {
    byte_writer out;
    attempt([&] {
      encode(out, true);
      put(out);
      rank_group::narrow_bytes(
          static_cast<std::int64_t>(out.bytes().size()));  // here, so that all learn of it
    });
    if (is_good) return out.bytes();
    return {0};
  }

  /// Brings the bytes of rank 0 to where they are wanted; whether that is here.
  bool hand_out(std::vector<unsigned char>& bytes, std::int64_t size) const {
    if (root_ < 0) {
      bytes.resize(static_cast<std::size_t>(size));
      group_.share(bytes, 0);
    } else if (root_ > 0) {
      if (group_.rank() == 0) group_.send(bytes, root_);
      if (group_.rank() == root_) bytes = group_.receive(0);
    }
    return root_ < 0 || root_ == group_.rank();
  }

  const rank_group& group_;
  int root_;
};

}  // namespace monofold::detail
