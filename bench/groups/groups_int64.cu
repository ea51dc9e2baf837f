// Groups of float64 by int64, in both orders.

#include "bench/groups/cub_peers.cuh"
#include "bench/groups/ours.cuh"

namespace bench {

namespace {

using key = std::int64_t;
using item = double;

groups_family family_of(grouping kind, std::vector<groups_case> cases, const char* peer_op = "",
                        std::vector<groups_subject> peers = {}) {
  return {kind, gpu_items::int64, gpu_items::float64, std::move(cases), peer_op, std::move(peers)};
}

template <class Op>
std::vector<groups_subject> peers_by(Op op) {
  return {cub_groups<key, item>(op, false), cub_groups<key, item>(op, true)};
}

template <class F>
groups_case sorted(const char* op, F fold) {
  return groups_of<key, item>(op, fold, mf::key_order::sorted);
}
template <class F>
groups_case first(const char* op, F fold) {
  return groups_of<key, item>(op, fold, mf::key_order::first);
}

}  // namespace

std::vector<groups_family> groups_by_int64() {
  return {
      family_of(
          grouping::sorted,
          {sorted("plain_sum", mf::plain_sum), sorted("sum", mf::sum), sorted("mean", mf::mean)},
          "plain_sum", peers_by(cuda::std::plus<item>{})),
      family_of(grouping::sorted, {sorted("max", mf::max)}, "max", peers_by(cuda::maximum<item>{})),
      family_of(grouping::first, {first("plain_sum", mf::plain_sum), first("sum", mf::sum),
                                  first("mean", mf::mean), first("max", mf::max)}),
      family_of(grouping::sorted, {{"sum", our_groups_on_the_host<key, item>(mf::sum),
                                    groups_on_cpu<key, item>(mf::sum, mf::key_order::sorted)}})};
}

}  // namespace bench
