#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "cli/array_source.hpp"

namespace monofold::cli {
namespace {

constexpr std::int64_t chunk_bytes = 1 << 20;  // 4096 items or more of every type

class streamed_array_source final : public source {
 public:
  streamed_array_source(std::unique_ptr<byte_stream> stream, array_layout layout)
      : stream_(std::move(stream)),
        layout_(std::move(layout)),
        item_bytes_(info(layout_.type).size_bytes),
        buffer_(make_buffer(chunk_bytes)) {}

  dtype type() const override { return layout_.type; }
  std::optional<std::int64_t> count() const override {
    if (layout_.num_items == unknown_count) return std::nullopt;
    return layout_.num_items;
  }
  std::optional<std::int64_t> total_bytes() const override {
    if (layout_.num_items == unknown_count) return std::nullopt;
    return layout_.data_offset + layout_.num_items * item_bytes_;
  }
  std::optional<array_shape> shape() const override { return layout_.shape; }
  std::int64_t consumed_bytes() const override { return stream_->taken_bytes(); }

  chunk next() override {
    const bool known = layout_.num_items != unknown_count;
    std::int64_t wanted = chunk_bytes;
    if (known) wanted = std::min(wanted, (layout_.num_items - delivered_) * item_bytes_);
    const std::int64_t got = read(wanted);
    const std::int64_t count = got / item_bytes_;
    if (known && got < wanted) {
      throw input_error(wrong_item_bytes(layout_, delivered_ * item_bytes_ + got));
    }
    if (got % item_bytes_ != 0) {
      throw input_error(partial_item_bytes(layout_.type, delivered_ * item_bytes_ + got));
    }
    if (known && wanted == 0) expect_end();
    delivered_ += count;
    make_native(buffer_.get(), count, item_bytes_, layout_.fixes);
    return {buffer_.get(), count};
  }

 private:
  std::int64_t read(std::int64_t num_bytes) {
    auto* bytes = static_cast<std::byte*>(buffer_.get());
    return static_cast<std::int64_t>(
        stream_->read(std::span(bytes, static_cast<std::size_t>(num_bytes))));
  }

  // Counts what lies behind the last item; the message of a file says how much it is, so does this.
  void expect_end() {
    std::int64_t surplus = 0;
    for (std::int64_t got = 0; (got = read(chunk_bytes)) != 0;) surplus += got;
    if (surplus == 0) return;
    throw input_error(wrong_item_bytes(layout_, delivered_ * item_bytes_ + surplus));
  }

  std::unique_ptr<byte_stream> stream_;
  array_layout layout_;
  int item_bytes_;
  aligned_buffer buffer_;
  std::int64_t delivered_ = 0;
};

}  // namespace

std::string wrong_item_bytes(const array_layout& layout, std::int64_t found_bytes) {
  const dtype_info& type = info(layout.type);
  return "found " + std::to_string(found_bytes) + " bytes of items after the header, expected " +
         std::to_string(layout.num_items * type.size_bytes) + " (" +
         std::to_string(layout.num_items) + " items of " + std::string(type.name) + ")";
}

std::string partial_item_bytes(dtype type, std::int64_t found_bytes) {
  return "found " + std::to_string(found_bytes) + " bytes, expected a multiple of " +
         std::to_string(info(type).size_bytes) + " (" + std::string(info(type).name) + ")";
}

std::unique_ptr<source> streamed_array(std::unique_ptr<byte_stream> stream, array_layout layout) {
  return std::make_unique<streamed_array_source>(std::move(stream), std::move(layout));
}

}  // namespace monofold::cli
