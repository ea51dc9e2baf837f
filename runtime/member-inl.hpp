/// runtime/member-inl: a fold of the headers as a member, compiled for one instruction set.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_MEMBER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_MEMBER_INL
#undef MONOFOLD_RUNTIME_MEMBER_INL
#else
#define MONOFOLD_RUNTIME_MEMBER_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "monofold/fold/name.hpp"
#include "monofold/level/core.hpp"
#include "runtime/answers.hpp"
#include "runtime/member.hpp"
#include "runtime/shift_indices.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

template <class State>
class state_of final : public state_box {
 public:
  explicit state_of(State own) : value(std::move(own)) {}
  std::unique_ptr<state_box> clone() const override { return std::make_unique<state_of>(value); }

  State value;
};

/// What folds the blocks of a node: level/core, unless a source file knows something faster.
template <class Fold, class Item>
struct folder_choice {
  using type = node_folder<Fold, Item>;
};

/// Makes a state of what a GPU left of a fold whose states are not trivially copyable.
template <class Fold>
struct adopter;

/// The loops of level/core or its substitute, inlined here and so compiled for this instruction set.
template <class Fold, class Item>
class folder_of final : public member_folder {
 public:
  explicit folder_of(const Fold& fold) : folder_(fold) {}

  void add(const void* items, std::int64_t count, std::int64_t index) override {
    folder_.add(static_cast<const Item*>(items), count, index);
  }
  void lead() override {
    if constexpr (requires { folder_.lead(); }) folder_.lead();
  }
  std::unique_ptr<state_box> total() const override {
    return std::make_unique<state_of<typename Fold::state>>(folder_.total());
  }

 private:
  typename folder_choice<Fold, Item>::type folder_;
};

/// `Answers` has `static answer finish(op, const Fold&, const state*, const answer_context&)`.
template <class Fold, class Item, class Answers>
class member_of final : public member {
 public:
  using state = typename Fold::state;

  explicit member_of(Fold fold) : fold_(std::move(fold)) {}

  std::unique_ptr<member_folder> start() const override {
    return std::make_unique<folder_of<Fold, Item>>(fold_);
  }
  std::unique_ptr<state_box> combine(const state_box& left, const state_box& right) const override {
    return std::make_unique<state_of<state>>(fold_.combine(value_of(left), value_of(right)));
  }
  std::unique_ptr<state_box> adopt(const void* bytes, std::int64_t first_index) const override {
    if constexpr (std::is_trivially_copyable_v<state>) {
      state own;
      std::memcpy(&own, bytes, sizeof(own));
      shift_indices(own, first_index);
      return std::make_unique<state_of<state>>(own);
    } else {
      return std::make_unique<state_of<state>>(
          adopter<Fold>::state_from(fold_, bytes, first_index));
    }
  }
  void write(byte_writer& out, const state_box& box) const override {
    encode_state(out, fold_, value_of(box));
  }
  std::unique_ptr<state_box> read(byte_reader& in) const override {
    return std::make_unique<state_of<state>>(decoded<state>(in));
  }
  std::unique_ptr<state_box> moved(const state_box& box, std::int64_t offset) const override {
    state own = value_of(box);
    shift_indices(own, offset);
    return std::make_unique<state_of<state>>(std::move(own));
  }
  answer finish(operation op, const state_box* box, const answer_context& context) const override {
    return Answers::finish(op, fold_, box != nullptr ? &value_of(*box) : nullptr, context);
  }

 private:
  static const state& value_of(const state_box& box) {
    return static_cast<const state_of<state>&>(box).value;
  }

  Fold fold_;
};

template <class Answers, class Item, class Fold>
std::unique_ptr<member> member_for(Fold fold) {
  return std::make_unique<member_of<Fold, Item, Answers>>(std::move(fold));
}

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_MEMBER_INL
