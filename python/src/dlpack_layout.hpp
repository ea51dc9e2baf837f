#pragma once
/// python/src/dlpack_layout: the structures of DLPack, versions 0.8 (unversioned capsules) and 1.x.

#include <cstdint>

namespace monofold::python {

// Laid out as in the protocol's own header.
enum device_kind : std::int32_t {
  on_cpu = 1,
  on_cuda = 2,
  in_pinned_memory = 3,
  in_managed_memory = 13
};

struct dl_device {
  std::int32_t kind;
  std::int32_t number;
};

struct dl_type {
  std::uint8_t code;  // 0 signed, 1 unsigned, 2 floating, 4 bfloat, 6 bool
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct dl_tensor {
  void* data;
  dl_device device;
  std::int32_t rank;
  dl_type type;
  std::int64_t* extents;
  std::int64_t* strides;  // in items; null: packed
  std::uint64_t byte_offset;
};

struct dl_managed {
  dl_tensor tensor;
  void* context;
  void (*release)(dl_managed*);
};

inline constexpr std::uint64_t dl_read_only = 1;  // of `flags`

struct dl_managed_versioned {
  std::uint32_t major;
  std::uint32_t minor;
  void* context;
  void (*release)(dl_managed_versioned*);
  std::uint64_t flags;
  dl_tensor tensor;
};

/// What a type offers by its attribute `__dlpack_c_exchange_api__`, from version 1.3 on.
struct dl_exchange {
  using say = void(void* to, const char* kind, const char* message);

  std::uint32_t major;
  std::uint32_t minor;
  dl_exchange* older;
  /// A new tensor of the shape, type and device of `like`, packed; not 0: `failed` was told.
  int (*allocate)(dl_tensor* like, dl_managed_versioned** out, void* to, say* failed);
  void* give;
  /// The library's object of a structure, which it takes over; not 0: an exception is set.
  int (*take)(dl_managed_versioned* tensor, void** out);
  /// A tensor whose memory, extents and strides stay the object's; not 0: an exception is set. May be null.
  int (*show)(void* object, dl_tensor* out);
  /// The stream that the library works in now, on a device; not 0: an exception is set. May be null.
  int (*current_stream)(std::int32_t kind, std::int32_t number, void** out);
};

}  // namespace monofold::python
