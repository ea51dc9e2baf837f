#pragma once
/// fold/exact: sums, means, products, norms and variances of floating-point items, rounded once.

#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/products.hpp"
#include "monofold/fold/exact/sum.hpp"
