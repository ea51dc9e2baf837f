#pragma once
/// emulation/devices: how many emulated devices there are, and which one a thread means.

namespace monofold::emulation {

/// As many devices as CUDA's calls show from now on; at first MONOFOLD_EMULATED_DEVICES, or 1.
///
/// shape      1 to 64; other numbers are brought there. Devices share the host's time: one kernel runs at a time
/// sync       for the whole process; a thread whose current device goes has device 0
void set_device_count(int count);
int device_count();

namespace detail {

/// What cudaSetDevice said last on this thread.
int current_device();
/// False: no such device.
bool set_current_device(int device);

}  // namespace detail

}  // namespace monofold::emulation
