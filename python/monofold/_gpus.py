"""Which GPU a call works on: that of its array, whichever is the current one."""

import functools

from . import _core
from ._errors import DeviceUnavailable, OtherGpu


def on_its_gpu(call):
    """`call`, which looks at its array before it does anything; where that lies on another GPU than the current one,
    it is called once more while that one is."""

    @functools.wraps(call)
    def guarded(*args, **named):
        try:
            return call(*args, **named)
        except OtherGpu as other:
            number, text = other.number, str(other)
        gpu = _core.gpu_in_use(number)
        try:
            gpu.enter()
        except DeviceUnavailable as none:
            raise DeviceUnavailable(f"{text}: {none}") from None
        try:
            return call(*args, **named)
        finally:
            gpu.exit()

    return guarded
