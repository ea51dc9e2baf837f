/// runtime/gpu/told_passes: products and logsumexp of floats, whose kernels are told at run time what becomes of NaN.

#include <cstdint>
#include <memory>
#include <type_traits>

#include "monofold/fold/nan.hpp"
#include "monofold/fold/product.hpp"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/view.hpp"
#include "runtime/gpu/device_pass.hpp"
#include "runtime/gpu/halves_fold.cuh"
#include "runtime/gpu/start_fold.cuh"
#include "runtime/logsumexp_fold.hpp"

namespace monofold::runtime {

template <class Item>
struct told_product_fold : float_product_fold<Item> {
  using state = double;

  bool omits_nan;

  MONOFOLD_HD explicit told_product_fold(bool omits) : omits_nan(omits) {}
  MONOFOLD_HD state lift(Item item, std::int64_t) const {
    const auto x = static_cast<double>(item);
    return omits_nan && is_nan(x) ? 1.0 : x;
  }
};

namespace {

template <class Fold, class Item>
class told_device_pass final : public device_pass {
 public:
  using state = typename Fold::state;

  told_device_pass(family served, const Fold& fold) : served_(served), fold_(fold) {}
  std::int64_t out_bytes() const override { return sizeof(state); }
  std::int64_t offset_of(family asked) const override { return asked == served_ ? 0 : nowhere; }
  void start(staging_stream& staging, const device_items& items, void* out) const override {
    start_view(staging, fold_, view_of_items(items, std::type_identity<Item>{}),
               static_cast<state*>(out));
  }

 private:
  family served_;
  Fold fold_;
};

template <template <class> class Fold>
std::unique_ptr<device_pass> told_pass(const member_request& what) {
  const auto pass_of = [&]<class Item>(std::type_identity<Item>, const auto& fold) {
    using own = std::remove_cvref_t<decltype(fold)>;
    return std::make_unique<told_device_pass<own, Item>>(what.kind, fold);
  };
  const Fold<float> of_floats(what.omit_nan);
  switch (what.type) {
    case dtype::float64: return pass_of(std::type_identity<double>{}, Fold<double>(what.omit_nan));
    case dtype::float32: return pass_of(std::type_identity<float>{}, of_floats);
    default: return pass_of(std::type_identity<std::uint16_t>{}, halves_fold(of_floats, what.type));
  }
}

}  // namespace

std::unique_ptr<device_pass> make_told_pass(const member_request& what) {
  if (!monofold::info(what.type).is_floating) return nullptr;
  if (what.kind == family::product) return told_pass<told_product_fold>(what);
  if (what.kind == family::logsumexp) return told_pass<lifted_logsumexp_fold>(what);
  return nullptr;
}

}  // namespace monofold::runtime
