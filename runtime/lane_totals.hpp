#pragma once
/// runtime/lane_totals: the states of rows from those of their tiles, and answers from those.

#include <cstdint>
#include <memory>

#include "monofold/platform/dtype.hpp"
#include "runtime/lane_request.hpp"
#include "runtime/lanes.hpp"

namespace monofold::runtime {

/// Where answers may be left, without room behind them, as they are or as float32; nulls: nowhere. `are_many`: no cache
/// holds all of them.
struct answer_place {
  void* wide = nullptr;
  float* narrow = nullptr;
  bool are_many = false;
};

/// States and answers of up to `width` rows side by side.
///
/// order      tiles of a row are pushed in order, and meet in the plan's tree
/// sync       all but plain sums: within a strict_arithmetic
class lane_totals {
 public:
  virtual ~lane_totals() = default;
  virtual void clear() = 0;
  /// The next tile of each row, whose states begin at `at`; its first item has this index.
  virtual void push(const lane_states& tiles, std::int64_t at, std::int64_t first_index) = 0;
  virtual lane_states total() = 0;
  /// The next part of the rows; all but the last have as many tiles, a power of two.
  virtual void join(lane_totals& part) { push(part.total(), 0, 0); }

  /// The answers for states of `count` rows of `length` items. False: some of exact sums or moments are not known, and
  /// NaN stands for them.
  virtual bool finish(const lane_states& states, std::int64_t count, std::int64_t length,
                      const answer_place& to) = 0;
  dtype type() const { return type_; }
  const void* values() const { return values_; }
  /// Exact sums and moments as doubles; NaN stands for those that are not known.
  const double* sums() const { return known_; }
  const std::int64_t* indices() const { return indices_; }

 protected:
  dtype type_ = dtype::float64;
  const void* values_ = nullptr;
  const double* known_ = nullptr;
  const std::int64_t* indices_ = nullptr;
};

std::unique_ptr<lane_totals> make_lane_totals(const lane_request& what, std::int64_t width);

}  // namespace monofold::runtime
