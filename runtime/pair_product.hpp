#pragma once
/// runtime/pair_product: the product of a pair, as a function object.

// Outside highway's regions, for the reason given in slow_ways.hpp.

#include "monofold/fold/dot.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::runtime {

template <class Item>
struct product_of {
  MONOFOLD_HD double operator()(const item_pair<Item, Item>& pair) const {
    return float_dot_fold<item_pair<Item, Item>>{}.lift(pair, 0);
  }
};

}  // namespace monofold::runtime
