#pragma once
/// runtime/gpu/load_device_library: which library of kernels this process asks for devices.

#include <string>

#include "runtime/gpu/devices.hpp"

namespace monofold::runtime {

/// gpu       libmonofold_gpu: the GPUs of this machine
/// emulated  libmonofold_emulated: the emulated device, as if it were a GPU (docs/emulated.md)
enum class device_kind { gpu, emulated };

/// What is here of a kind, or why there is none.
const gpu_devices& find_devices(device_kind which);

/// Which of the two find_gpus() and every other call of devices.hpp mean from now on; `gpu` unless
/// said otherwise.
///
/// sync       for the whole process, before the first thread that asks for devices
void use_devices(device_kind which);

/// Opens a library of this project by its file's name: where MONOFOLD_LIBRARY_PATH says, beside libmonofold, or
/// where the system looks. Null: there is none, and `why` is what the loader says of a file that is there.
void* open_library(const std::string& file, std::string& why);

/// What the library with a device's rungs of the ladder has under a C name: libmonofold_gpu, or
/// libmonofold_emulated_ladder. Null, and why, where it is not here, or of another version than the function
/// `version_name` of it says.
void* ladder_symbol(device_kind which, const char* name, const char* version_name,
                    std::string& why);

}  // namespace monofold::runtime
