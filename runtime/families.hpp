#pragma once
/// runtime/families: which folds a request needs.

#include <array>
#include <optional>
#include <vector>

#include "runtime/family.hpp"
#include "runtime/reducer.hpp"

namespace monofold::runtime {

/// The family that answers an operation; none for the count, which the reducer knows itself.
std::optional<family> family_of(operation op, bool plain);

/// The family that counts NaN: of pairs it is the products that count.
family nan_family(const request& what);

/// What `family::summary` computes in one loop.
inline constexpr std::array summarised{family::sum,      family::moments, family::plain_moments,
                                       family::minimum,  family::maximum, family::extrema,
                                       family::nan_count};

/// The families that a request needs, each once, in ascending order. Where one is left out because
/// another answers for it, `substitute_for` says which.
std::vector<family> families_of(const request& what);

/// The family that answers in place of `kind`, which is not among `kinds`.
family substitute_for(family kind, const std::vector<family>& kinds);

/// The family among `kinds` that answers an operation; not for the count.
family answering_family(operation op, bool plain, const std::vector<family>& kinds);

/// Whether bits of states and answers depend on where the items lie in the plan's tree: there is
/// floating-point arithmetic that rounds on the way.
bool depends_on_tree(const request& what);

}  // namespace monofold::runtime
