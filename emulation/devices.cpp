#include "emulation/devices.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace monofold::emulation {

namespace {

constexpr int most_devices = 64;

int in_range(int count) { return std::clamp(count, 1, most_devices); }

std::atomic<int>& number() {
  const auto asked = [] {
    const char* const text = std::getenv("MONOFOLD_EMULATED_DEVICES");
    return in_range(text == nullptr ? 1 : std::atoi(text));
  };
  static std::atomic<int> value = asked();
  return value;
}

thread_local int current = 0;

}  // namespace

void set_device_count(int count) { number() = in_range(count); }
int device_count() { return number(); }

namespace detail {

int current_device() { return current < device_count() ? current : 0; }

bool set_current_device(int device) {
  if (device < 0 || device >= device_count()) return false;
  current = device;
  return true;
}

}  // namespace detail

}  // namespace monofold::emulation
