#include "cli/part_source.hpp"

#include <algorithm>
#include <utility>

#include "cli/array_source.hpp"

namespace monofold::cli {
namespace {

class part_source final : public source {
 public:
  part_source(std::unique_ptr<source> whole, std::int64_t first, std::int64_t count)
      : whole_(std::move(whole)), first_(first), count_(count) {}

  dtype type() const override { return whole_->type(); }
  std::optional<std::int64_t> count() const override { return count_; }
  std::optional<std::int64_t> total_bytes() const override { return count_ * item_bytes(); }
  std::int64_t consumed_bytes() const override { return whole_->consumed_bytes(); }
  bool reorders() const override { return whole_->reorders(); }
  std::vector<std::string> remarks() const override { return whole_->remarks(); }

  chunk next() override {
    const std::int64_t count = std::min(whole_->fetch_items(), count_ - taken_);
    if (count == 0) return {};
    if (buffer_ == nullptr) buffer_ = make_buffer(whole_->fetch_items() * item_bytes());
    const void* const items = fetch(taken_, count, buffer_.get());
    taken_ += count;
    return {items, count};
  }

  std::int64_t fetch_items() const override { return whole_->fetch_items(); }
  void copy_items() override { whole_->copy_items(); }
  const void* fetch(std::int64_t first, std::int64_t num_items, void* buffer) const override {
    return whole_->fetch(first_ + first, num_items, buffer);
  }
  void check() const override { whole_->check(); }

 private:
  std::int64_t item_bytes() const { return info(type()).size_bytes; }

  std::unique_ptr<source> whole_;
  std::int64_t first_;
  std::int64_t count_;
  std::int64_t taken_ = 0;
  aligned_buffer buffer_;
};

}  // namespace

std::unique_ptr<source> part_of(std::unique_ptr<source> whole, std::int64_t first,
                                std::int64_t count) {
  return std::make_unique<part_source>(std::move(whole), first, count);
}

}  // namespace monofold::cli
