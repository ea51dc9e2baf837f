"""Answers in memory of a GPU as arrays of JAX, which nobody else writes: JAX copies them from memory of ours.

What fills that memory is started in the stream that JAX puts its copy behind. The copy takes the arrays along that are
read, so that JAX keeps their memory until then. So no call waits that need not, but for answers of very many bytes.
"""

import atexit
import collections
import functools
import math
import sys

from . import _core, _protocols

_MOST_BYTES = 16 << 20  # of memory for one answer that later calls use again
_MOST_FREE = 8  # pieces of memory of one size
_used = collections.deque()  # (a copy that JAX makes, the memory it is made from)
_free = collections.defaultdict(list)  # memory, by device and size


class Room:
    """Packed memory for an array beside `x`, as the core's array `items`."""

    def __init__(self, x, shape, code):
        self.device = tuple(map(int, x.__dlpack_device__()))
        step = _core.bytes_of(code)
        self.size = max(256, 1 << (max(math.prod(shape) * step, 1) - 1).bit_length())
        strides = _protocols.packed_strides(shape, step)
        self.memory = _memory_of(self.device, self.size)
        self.items = _core.array(self.memory.address, code, False, 1, shape, strides, self.memory)


class _Lent:
    """A room as JAX takes it: `before(stream)` has put it in order when JAX has its address."""

    def __init__(self, room, before):
        self.room, self.before = room, before

    def __dlpack_device__(self):
        return self.room.device

    def __dlpack__(self, *, stream=None, max_version=None, **_):
        self.before(stream)
        items = self.room.items
        return self.room.memory.capsule(items.dtype, items.extents, self.room.device,
                                        max_version is not None and max_version[0] >= 1)


def filled(x, rooms, start):
    """Arrays of JAX with what start(stream, whether it is to wait) leaves in rooms, of items of `x` too."""
    jax = sys.modules["jax"]

    def begin(stream):
        x.__dlpack__(stream=stream)  # JAX has written it before what comes there next
        start(0 if stream is None else stream, stream is None)

    lent = []
    for room in rooms:
        before = begin if not lent else lambda stream: lent[0].__dlpack__(stream=stream)
        lent.append(jax.dlpack.from_dlpack(_Lent(room, before)))
    copies = _copying(jax)(x, tuple(lent))
    _used.append((copies[0], rooms))
    if any(room.size > _MOST_BYTES for room in rooms):
        copies[0].block_until_ready()
        _collect()
    return list(copies)


@functools.cache
def _copying(jax):
    return jax.jit(lambda x, lent: tuple(jax.numpy.array(one, copy=True) for one in lent), keep_unused=True)


def _collect():
    """Takes back the memory of copies that are done."""
    while _used:
        try:
            copy, rooms = _used.popleft()
        except IndexError:  # another thread was here
            return
        try:
            is_done = copy.is_ready()
        except RuntimeError:  # the caller has deleted it: to free the memory waits for the device
            continue
        if not is_done:
            _used.appendleft((copy, rooms))
            return
        for room in rooms:
            free = _free[room.device, room.size]
            if room.size <= _MOST_BYTES and len(free) < _MOST_FREE:
                free.append(room.memory)


def _memory_of(device, size):
    _collect()
    try:
        return _free[device, size].pop()
    except IndexError:
        return _core.device_memory(size)


@atexit.register
def _give_back():
    _used.clear()
    _free.clear()
