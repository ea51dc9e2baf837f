/// runtime/families: from operations to folds.

#include "runtime/families.hpp"

#include <algorithm>

#include "monofold/platform/dtype.hpp"

namespace monofold::runtime {

namespace {

/// Replaces families by `summary` where that saves a look at the items.
void summarise(std::vector<family>& kinds, bool is_floating) {
  const auto has = [&](family kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  const bool ends = has(family::minimum) || has(family::maximum) || has(family::extrema);
  if (!has(is_floating ? family::plain_moments : family::moments)) return;
  if (!ends && !has(family::sum)) return;
  for (const family kind : summarised) std::erase(kinds, kind);
  kinds.push_back(family::summary);
}

}  // namespace

std::optional<family> family_of(operation op, bool plain) {
  switch (op) {
    case operation::count: return std::nullopt;
    case operation::sum:
    case operation::mean: return plain ? family::plain_sum : family::sum;
    case operation::prod: return family::product;
    case operation::var:
    case operation::std: return plain ? family::plain_moments : family::moments;
    case operation::min:
    case operation::argmin: return family::minimum;
    case operation::max:
    case operation::argmax: return family::maximum;
    case operation::minmax: return family::extrema;
    case operation::top: return family::largest;
    case operation::bottom: return family::smallest;
    case operation::any:
    case operation::all:
    case operation::nonzero: return family::logical;
    case operation::norm1: return plain ? family::plain_norm1 : family::norm1;
    case operation::norm2:
    case operation::mean_square: return plain ? family::plain_norm2 : family::norm2;
    case operation::norminf: return family::norm_inf;
    case operation::dot: return plain ? family::plain_dot : family::dot;
    case operation::logsumexp:
    case operation::softmax_denominator: return family::logsumexp;
    case operation::bit_and: return family::bit_and;
    case operation::bit_or: return family::bit_or;
    case operation::bit_xor: return family::bit_xor;
    case operation::nan: break;
  }
  return family::nan_count;
}

bool depends_on_tree(const request& what) {
  if (!monofold::info(what.type).is_floating) return false;
  const std::vector<family> kinds = families_of(what);
  return std::any_of(kinds.begin(), kinds.end(), [](family kind) {
    switch (kind) {
      case family::plain_sum:
      case family::product:
      case family::plain_moments:
      case family::summary:
      case family::plain_norm1:
      case family::plain_norm2:
      case family::plain_dot:
      case family::logsumexp: return true;
      default: return false;
    }
  });
}

family nan_family(const request& what) {
  return what.ops.front() == operation::dot ? family::pair_nan_count : family::nan_count;
}

std::vector<family> families_of(const request& what) {
  std::vector<family> kinds;
  for (const operation op : what.ops) {
    if (const auto kind = family_of(op, what.plain)) kinds.push_back(*kind);
  }
  const auto has = [&](family kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  // Both ends together read the items once.
  if (has(family::extrema) || (has(family::minimum) && has(family::maximum))) {
    std::erase(kinds, family::minimum);
    std::erase(kinds, family::maximum);
    kinds.push_back(family::extrema);
  }
  // The moments hold the sum.
  if (has(family::moments)) std::erase(kinds, family::sum);
  // Whether there are NaN decides about errors under `raise` and about counts under `omit`.
  if (what.nan != nan_policy::propagate && monofold::info(what.type).is_floating) {
    kinds.push_back(nan_family(what));
  }
  if (what.nan != nan_policy::omit) summarise(kinds, monofold::info(what.type).is_floating);
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  return kinds;
}

family substitute_for(family kind, const std::vector<family>& kinds) {
  const auto has = [](const auto& list, family one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  };
  if (has(kinds, family::summary) && has(summarised, kind)) return family::summary;
  if (kind == family::minimum || kind == family::maximum) return family::extrema;
  return family::moments;
}

family answering_family(operation op, bool plain, const std::vector<family>& kinds) {
  const family kind = *family_of(op, plain);
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end() ? kind
                                                                    : substitute_for(kind, kinds);
}

}  // namespace monofold::runtime
