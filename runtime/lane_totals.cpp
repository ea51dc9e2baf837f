#include "runtime/lane_totals.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "monofold/fold/sum.hpp"
#include "monofold/platform/float_format.hpp"

namespace monofold::runtime {

namespace {

[[gnu::noinline]] std::unique_ptr<char[]> room_for(std::int64_t bytes) {
  return std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
}

/// Numbers of rows, for which room is made when they come: many arrays are not used.
template <class T>
class lane_array {
 public:
  bool is_made() const { return room_ != nullptr; }
  void make(std::int64_t width) {
    room_ = room_for((width + lane_padding) * static_cast<std::int64_t>(sizeof(T)));
  }
  T* get() const { return reinterpret_cast<T*>(room_.get()); }
  T& operator[](std::size_t i) const { return get()[i]; }

 private:
  std::unique_ptr<char[]> room_;
};

/// Where answers go: a place for them, or an array that is made then.
template <class T>
T* place_for(void* place, lane_array<T>& own, std::int64_t width) {
  if (place != nullptr) return static_cast<T*>(place);
  if (!own.is_made()) own.make(width);
  return own.get();
}

/// As `one_nan`, by a comparison, which compilers make vectors of.
template <class Real>
Real one_nan_of(Real value) {
  return value == value ? value : std::numeric_limits<Real>::quiet_NaN();
}

/// Plain sums: those that wait for a right neighbour, as in `node_joiner`.
template <class Real>
class plain_lane_totals final : public lane_totals {
 public:
  plain_lane_totals(operation op, std::int64_t width)
      : is_mean_(op == operation::mean), width_(width) {
    constexpr dtype own = sizeof(Real) == 8 ? dtype::float64 : dtype::float32;
    type_ = is_mean_ ? dtype::float64 : own;
    copy_ = find_lane_copy(own, own);
  }

  void clear() override { count_ = 0; }
  void push(const lane_states& tiles, std::int64_t at, std::int64_t) override {
    int d = std::popcount(count_);
    levels_.resize(std::max(levels_.size(), static_cast<std::size_t>((d + 1) * width_)));
    std::copy_n(static_cast<const Real*>(tiles.first) + at, width_, level(d));
    for (std::uint64_t carry = count_++; (carry & 1) != 0; carry >>= 1) join(--d);
  }
  lane_states total() override {
    for (int d = std::popcount(count_) - 1; d > 0;) join(--d);
    return {level(0), nullptr, nullptr};
  }
  bool finish(const lane_states& states, std::int64_t count, std::int64_t length,
              const answer_place& to) override {
    auto* const sums = static_cast<Real*>(states.first);
    if (is_mean_) {
      const auto divisor = static_cast<double>(length);
      double* const means = place_for(to.wide, means_, width_);
      for (std::int64_t i = 0; i < count; ++i) {
        means[i] = one_nan_of(static_cast<double>(sums[i]) / divisor);
      }
      values_ = means;
    } else {
      void* const out = to.wide != nullptr ? to.wide : sums;
      copy_(sums, count, out, to.are_many && out != sums);
      values_ = out;
    }
    return true;
  }

 private:
  Real* level(int d) { return levels_.data() + d * width_; }
  void join(int d) {
    Real* const left = level(d);
    const Real* const right = level(d + 1);
    for (std::int64_t c = 0; c < width_; ++c) left[c] = left[c] + right[c];
  }

  bool is_mean_;
  std::int64_t width_;
  lane_copy copy_;
  std::vector<Real> levels_;
  lane_array<double> means_;
  std::uint64_t count_ = 0;
};

/// a + b, and what its rounding left out.
struct lane_sum {
  double sum, rest;
  lane_sum(double a, double b) : sum(a + b) {
    const double b_part = sum - a;
    rest = (a - (sum - b_part)) + (b - b_part);
  }
};

/// Sums in two doubles each, and the magnitudes of what those do not hold.
class pair_totals {
 public:
  explicit pair_totals(std::int64_t width)
      : width_(width), join_(find_lane_answers(dtype::float64).join) {}

  /// lost       null: nothing
  void push(bool is_first, const double* high, const double* low, const double* lost) {
    if (!high_.is_made()) {  // rows of one tile need none
      for (auto* const one : {&high_, &low_, &lost_}) one->make(width_);
    }
    if (is_first) {
      std::copy_n(high, width_, high_.get());
      std::copy_n(low, width_, low_.get());
      std::fill_n(lost_.get(), width_, 0.0);
    }
    if (!is_first) join_(high, low, width_, {high_.get(), low_.get(), lost_.get()});
    for (std::int64_t c = 0; lost != nullptr && c < width_; ++c) {
      lost_[static_cast<std::size_t>(c)] += lost[c];
    }
  }
  /// The low part is at most half a unit of the high one.
  void settle() {
    for (std::size_t c = 0; c < static_cast<std::size_t>(width_); ++c) {
      const lane_sum all(high_[c], low_[c]);
      high_[c] = low_[c] == 0 ? high_[c] : all.sum;  // -0 stays it
      low_[c] = low_[c] == 0 ? 0 : all.rest;
    }
  }
  /// The same where high is NaN if anything is lost.
  void settle_exactly() {
    for (std::size_t c = 0; c < static_cast<std::size_t>(width_); ++c) {
      if (!(lost_[c] == 0)) high_[c] = std::numeric_limits<double>::quiet_NaN();
    }
    settle();
  }
  double* high() { return high_.get(); }
  double* low() { return low_.get(); }
  double* lost() { return lost_.get(); }

 private:
  std::int64_t width_;
  decltype(lane_answers::join) join_;
  lane_array<double> high_;
  lane_array<double> low_;
  lane_array<double> lost_;
};

class exact_lane_totals final : public lane_totals {
 public:
  exact_lane_totals(const lane_request& what, std::int64_t width)
      : is_mean_(what.op == operation::mean),
        to_odd_(what.to_odd),
        width_(width),
        sums_(width),
        how_(find_lane_answers(dtype::float64)) {
    type_ = what.sum_type;
  }

  void clear() override { is_empty_ = true; }
  void push(const lane_states& tiles, std::int64_t at, std::int64_t) override {
    sums_.push(is_empty_, static_cast<const double*>(tiles.first) + at,
               static_cast<const double*>(tiles.second) + at, nullptr);
    is_empty_ = false;
  }
  lane_states total() override {
    sums_.settle_exactly();
    return {sums_.high(), sums_.low(), nullptr};
  }
  bool finish(const lane_states& states, std::int64_t count, std::int64_t length,
              const answer_place& to) override {
    const auto* const high = static_cast<const double*>(states.first);
    const auto* const low = static_cast<const double*>(states.second);
    if (type_ != dtype::float64) {
      std::int64_t* const sums = place_for(to.wide, integers_, width_);
      values_ = sums;
      known_ = high;
      return how_.add(high, low, count, sums);
    }
    const std::int64_t divisor = is_mean_ ? length : 1;
    values_ = to.narrow;
    if (to.narrow != nullptr && how_.divide_to_floats(high, low, count, divisor, to.narrow)) {
      return true;
    }
    double* const answers = place_for(to.wide, answers_, width_);
    values_ = known_ = answers;
    return how_.divide(high, low, count, divisor, to_odd_, answers,
                       to.are_many && to.wide != nullptr);
  }

 private:
  bool is_mean_;
  bool to_odd_;
  std::int64_t width_;
  pair_totals sums_;
  lane_array<double> answers_;
  lane_array<std::int64_t> integers_;
  lane_answers how_;
  bool is_empty_ = true;
};

/// Variances and deviations.
class spread_lane_totals final : public lane_totals {
 public:
  spread_lane_totals(const lane_request& what, std::int64_t width)
      : what_{0, what.ddof, what.op == operation::std, what.to_odd},
        width_(width),
        sums_(width),
        squares_(width),
        how_(find_lane_answers(dtype::float64)) {}

  void clear() override { is_empty_ = true; }
  void push(const lane_states& tiles, std::int64_t at, std::int64_t) override {
    sums_.push(is_empty_, static_cast<const double*>(tiles.first) + at,
               static_cast<const double*>(tiles.second) + at, nullptr);
    squares_.push(is_empty_, tiles.squares_high + at, tiles.squares_low + at,
                  tiles.squares_lost + at);
    is_empty_ = false;
  }
  lane_states total() override {
    sums_.settle_exactly();
    squares_.settle();
    return {sums_.high(), sums_.low(), nullptr, squares_.high(), squares_.low(), squares_.lost()};
  }
  bool finish(const lane_states& states, std::int64_t count, std::int64_t length,
              const answer_place& to) override {
    what_.length = length;
    double* const answers = place_for(to.wide, answers_, width_);
    values_ = known_ = answers;
    return how_.spread(states, count, what_, answers);
  }

 private:
  spread_request what_;
  std::int64_t width_;
  pair_totals sums_;
  pair_totals squares_;
  lane_array<double> answers_;
  lane_answers how_;
  bool is_empty_ = true;
};

/// Numbers of a narrower type, which lanes took as float32; NaN have the bits of a quiet one.
template <class Item>
void narrow_all(const void* from, std::int64_t count, void* to) {
  for (std::int64_t i = 0; i < count; ++i) {
    float wide = 0;
    std::memcpy(&wide, static_cast<const float*>(from) + i, sizeof wide);
    static_cast<Item*>(to)[i] = static_cast<Item>(wide);
  }
}
const void* narrowed(dtype type, const void* from, std::int64_t count, void* to) {
  switch (type) {
    case dtype::boolean:
    case dtype::uint8: narrow_all<std::uint8_t>(from, count, to); break;
    case dtype::int8: narrow_all<std::int8_t>(from, count, to); break;
    case dtype::uint16: narrow_all<std::uint16_t>(from, count, to); break;
    case dtype::int16: narrow_all<std::int16_t>(from, count, to); break;
    case dtype::float16: narrow_all<float16>(from, count, to); break;
    default: narrow_all<bfloat16>(from, count, to); break;
  }
  return to;
}

template <class Word>
class best_lane_totals final : public lane_totals {
 public:
  best_lane_totals(const lane_request& what, std::int64_t width)
      : order_(what.order),
        indexed_(what.fold == lane_fold::first_best),
        width_(width),
        is_narrow_(what.item != what.type),
        how_(find_lane_answers(what.type)) {
    type_ = what.item;
    if (is_narrow_) narrow_.make(2 * width);
    if (!indexed_) return;
    indices_of_.make(width);
    indices_ = indices_of_.get();
  }

  void clear() override { is_empty_ = true; }
  void push(const lane_states& tiles, std::int64_t at, std::int64_t first_index) override {
    const auto* const keys = static_cast<const Word*>(tiles.first) + at;
    const auto* const places = static_cast<const Word*>(tiles.second) + at;
    // By modulo: lanes behind the last column have no item, and the highest place.
    take_better(keys, [&](std::int64_t c) {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(first_index) +
                                       static_cast<std::uint64_t>(places[c]));
    });
  }
  void join(lane_totals& part) override {
    const auto* const keys = static_cast<const Word*>(part.total().first);
    take_better(keys, [&](std::int64_t c) { return part.indices()[c]; });
  }
  lane_states total() override { return {keys_.get(), nullptr, nullptr}; }
  bool finish(const lane_states& states, std::int64_t count, std::int64_t,
              const answer_place& to) override {
    void* const items = is_narrow_ || to.wide == nullptr ? states.first : to.wide;
    how_.to_items(order_, count, states.first, items, to.are_many && items == to.wide);
    values_ = is_narrow_ ? narrowed(type_, items, count, narrow_.get()) : items;
    if (!indexed_ || states.second == nullptr) return true;
    const auto* const places = static_cast<const Word*>(states.second);
    std::copy_n(places, count, indices_of_.get());
    return true;
  }

 private:
  template <class IndexOf>
  void take_better(const Word* keys, const IndexOf& index_of) {
    if (!keys_.is_made()) keys_.make(width_);
    for (std::int64_t c = 0; c < width_; ++c) {
      const auto i = static_cast<std::size_t>(c);
      // An equal key came earlier.
      if (!is_empty_ && keys[c] <= keys_[i]) continue;
      keys_[i] = keys[c];
      if (indexed_) indices_of_[i] = index_of(c);
    }
    is_empty_ = false;
  }

  lane_order order_;
  bool indexed_;
  std::int64_t width_;
  lane_array<Word> keys_;
  lane_array<std::int64_t> indices_of_;
  bool is_narrow_;
  lane_array<char> narrow_;
  lane_answers how_;
  bool is_empty_ = true;
};

}  // namespace

std::unique_ptr<lane_totals> make_lane_totals(const lane_request& what, std::int64_t width) {
  const int bytes = monofold::info(what.type).size_bytes;
  switch (what.fold) {
    case lane_fold::plain_sum:
      if (bytes == 8) return std::make_unique<plain_lane_totals<double>>(what.op, width);
      return std::make_unique<plain_lane_totals<float>>(what.op, width);
    case lane_fold::exact_sum: return std::make_unique<exact_lane_totals>(what, width);
    case lane_fold::moments: return std::make_unique<spread_lane_totals>(what, width);
    default: break;
  }
  switch (bytes) {
    case 1: return std::make_unique<best_lane_totals<std::int8_t>>(what, width);
    case 2: return std::make_unique<best_lane_totals<std::int16_t>>(what, width);
    case 4: return std::make_unique<best_lane_totals<std::int32_t>>(what, width);
    default: return std::make_unique<best_lane_totals<std::int64_t>>(what, width);
  }
}

}  // namespace monofold::runtime
