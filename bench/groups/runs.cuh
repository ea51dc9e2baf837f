#pragma once
/// bench/groups/runs: the cases of runs of float32, for a type of keys.

#include <utility>
#include <vector>

#include "bench/groups/cub_peers.cuh"
#include "bench/groups/ours.cuh"

namespace bench {

template <class Key>
std::vector<groups_family> runs_by(gpu_items keys) {
  return {{grouping::runs,
           keys,
           gpu_items::float32,
           {runs_of<Key, float>("plain_sum", mf::plain_sum), runs_of<Key, float>("sum", mf::sum),
            runs_of<Key, float>("mean", mf::mean)},
           "plain_sum",
           {cub_runs<Key, float>(cuda::std::plus<float>{}, false),
            cub_runs<Key, float>(cuda::std::plus<float>{}, true)}},
          {grouping::runs,
           keys,
           gpu_items::float32,
           {runs_of<Key, float>("max", mf::max)},
           "max",
           {cub_runs<Key, float>(cuda::maximum<float>{}, false),
            cub_runs<Key, float>(cuda::maximum<float>{}, true)}}};
}

}  // namespace bench
