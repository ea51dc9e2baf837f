"""Answers about rows in memory of a GPU: made there, in arrays like the caller's, in the caller's stream."""

import functools
import math
import sys

import numpy as np

from . import _arrays, _core, _device_jax, _dtypes, _protocols, _rows
from ._errors import UNSUPPORTED, DeviceUnavailable, raise_status
from ._results import TopK

DEFAULT_STREAM = 0
MOST_RANKED = 1024  # best items of a row, by kernels


def is_on_device(source):
    return source.pieces[0][0].place != 0


def is_short_row(x, source, mask, nan, k):
    """Whether the best items of a whole array on a device are found as those of one row, and never leave it.

    Of more items they are found sooner by way of the host. PyTorch and CuPy make arrays for their answers.
    """
    count = math.prod(source.shape)
    return (is_on_device(source) and mask is None and nan == "propagate" and source.shape != ()
            and k <= min(count, MOST_RANKED) and count <= 1 << 20
            and type(x).__module__.partition(".")[0] in ("torch", "cupy"))


def check_device():
    """Raises where there is no device that answers could be made on."""
    found = _core.gpu()
    if found.startswith("none"):
        raise DeviceUnavailable(f"the array lies on a device, and of those there is {found}")


def refuse(source, what):
    """Raises where the items lie on a device, which `what` does not read."""
    if is_on_device(source):
        raise TypeError(f"{what} needs arrays on the host: copy the one on a device there")


def _library_of(x):
    name = type(x).__module__.partition(".")[0]
    return name, sys.modules.get(name)


def stream_of(x, others):
    """(the stream that the library of `x` works in now, whether it is known: it is that of the others too)."""
    name, library = _library_of(x)
    if all(_library_of(other)[0] == name for other in others):
        if name == "torch":
            return library.cuda.current_stream(x.device).cuda_stream, True
        if name == "cupy":
            return library.cuda.get_current_stream().ptr, True
    return DEFAULT_STREAM, False  # which __dlpack__ has put the stream of each array before


_GIVE_OUT = "give out= an array of another library"


def new_like(x, shape, code, fill=None, instead=_GIVE_OUT):
    """A new array of the library of `x`, beside it, whose items are `fill`, or not set."""
    name, library = _library_of(x)
    dtype = _dtypes.NAMES[code]
    function, given = ("empty", (shape,)) if fill is None else ("full", (shape, fill))
    if name == "cupy":
        return getattr(library, function)(*given, dtype=dtype)
    if name != "torch":
        if not hasattr(x, "__array_namespace__"):
            raise TypeError(f"arrays of {name} have no library to make answers by: {instead}")
        library = x.__array_namespace__()
    return getattr(library, function)(*given, dtype=getattr(library, dtype), device=x.device)


def numbers_beside(x):
    """What makes the numbers from 0 to before another one, beside `x`, by its library."""
    name, library = _library_of(x)
    if name == "cupy":
        return library.arange
    if name != "torch":
        if not hasattr(x, "__array_namespace__"):
            raise TypeError(f"arrays of {name} on a device have no library to count places in the whole array by")
        library = x.__array_namespace__()
    return functools.partial(library.arange, device=x.device)


_CODES = {"index": lambda _: [_dtypes.INT64], "pair": lambda code: [code, code],
          "ranked": lambda code: [code, _dtypes.INT64], "value": lambda code: [code]}


class Answers:
    """Arrays for the answers of an operation, the caller's or new ones: values, second values and places.

    Ranks have an axis of length k behind those of `shape`.
    """

    def __init__(self, x, kind, shape, how, code, out, instead=_GIVE_OUT):
        codes = _CODES[kind.answer](code)
        self.is_ranked = kind.answer == "ranked"
        if self.is_ranked and how.k > MOST_RANKED:  # for which there may be no memory
            raise TypeError(f"{kind.name} of {_dtypes.NAMES[code]} has no kernel for k = {how.k} on a device, but up to "
                            f"{MOST_RANKED}: copy the array to the host")
        shape = (*shape, how.k) if self.is_ranked else shape
        self.last = len(shape) - 1
        self.rooms, self.arrays = [], []
        if out is not None:
            self.arrays = list(_rows.outs_of(out, len(codes)))
        elif _protocols.is_of_jax(x):
            self.rooms = [_device_jax.Room(x, shape, one) for one in codes]
        else:
            self.arrays = [new_like(x, shape, one, instead=instead) for one in codes]
        shown = [room.items for room in self.rooms] or [
            _shown(array, shape, one) for array, one in zip(self.arrays, codes)]
        if kind.answer == "index":
            self.places = [None, None, *shown]
        else:
            self.places = [shown[0], None, shown[1]] if self.is_ranked else [*shown, None, None][:3]

    def fill(self, x, others, start):
        """Calls start(stream, whether it is to wait); `others`: the arrays it reads or writes beside `x`."""
        if self.rooms:
            self.arrays = _device_jax.filled(x, self.rooms, start)
            return
        stream, is_known = stream_of(x, others)
        start(stream, not is_known)

    def place(self, placed, is_callers=False):
        """Places as the caller wants them, by its library, in the stream of the answers."""
        if placed is not None:
            found = placed(self.arrays[-1])
            if is_callers:
                self.arrays[-1][...] = found
            else:
                self.arrays[-1] = found

    def given(self, to=-1):
        """What the caller gets; `to`: where the axis of ranks goes."""
        if self.is_ranked:
            return TopK(*(array if to in (-1, self.last) else moved(array, to) for array in self.arrays))
        return self.arrays[0] if len(self.arrays) == 1 else tuple(self.arrays)


def moved(array, axis):
    """The last axis at another place."""
    library = _library_of(array)[1] if not hasattr(array, "__array_namespace__") else array.__array_namespace__()
    return library.moveaxis(array, -1, axis)


def _shown(array, shape, code):
    source = _arrays.as_source(array)
    if not is_on_device(source):
        raise DeviceUnavailable("out lies on the host: answers on a device stay there")
    if tuple(source.shape) != tuple(shape):
        raise ValueError(f"out has the shape {tuple(source.shape)}; the answer has {tuple(shape)}")
    if source.code != code:
        raise TypeError(f"out is of {_dtypes.NAMES[source.code]}; the answer is of {_dtypes.NAMES[code]}")
    if source.items.read_only or _protocols.is_of_jax(array):
        raise ValueError("out cannot be written")
    return source.items


def code_of_out(out):
    """The code of the type of the caller's array for one answer."""
    return _arrays.as_source(_rows.outs_of(out, 1)[0]).code


def reduce(x, source, kind, how, axes, code, keepdims=False, out=None, placed=None):
    """The answers of one operation along axes: an array, or two for pairs; placed(places): what places in rows are."""
    shape = _rows.answer_shape(source.shape, axes, keepdims)
    new = Answers(x, kind, shape, how, code, out)

    def start(stream, waits):
        status, row = _core.device_rows(source.items, axes, kind.code, how, code, *new.places, stream, waits)
        if status:
            refuse_kernel(status, kind, source, code)
        _rows.check_rows(kind, source, axes, status, row)

    new.fill(x, new.arrays, start)
    new.place(placed, is_callers=out is not None)
    return new.given(axes[0] if len(axes) == 1 else -1)


def segments(x, source, kind, how, starts, stops, code, bounds, name=lambda row: row, placed=None):
    """The answers of one operation for each segment; `starts` and `stops` are the core's arrays of the caller's
    `bounds`, name(row) is what errors call one, and placed(places) what places in segments are for the caller."""
    new = Answers(x, kind, (starts.count,), how, code, None)

    def start(stream, _):
        if new.rooms:  # the call waits, as there may be segments without an answer, and bounds may be anybody's
            stream = DEFAULT_STREAM
        status, failed = _core.device_segments(source.items, starts, stops, kind.code, how, code, *new.places, stream)
        if status:
            refuse_kernel(status, kind, source, code)
            raise_status(status, kind.name, row=name(failed))

    new.fill(x, bounds, start)
    new.place(placed)
    return new.given()


def refuse_kernel(status, kind, source, code):
    if status == UNSUPPORTED:
        raise TypeError(f"{kind.name} of {_dtypes.NAMES[source.code]} as {_dtypes.NAMES[code]} has no kernel for these "
                        "rows on a device, or not with these options: copy the array to the host")


def lying_there(numbers):
    """Integers along one axis as the core's packed array of int64, where they lie on a device; else None.

    Those of other types, or apart, are copied there by their own library in its stream.
    """
    if isinstance(numbers, np.ndarray) or not any(
            hasattr(numbers, name) for name in ("__dlpack__", "__cuda_array_interface__")):
        return None
    source = _arrays.as_source(numbers)
    if not is_on_device(source):
        return None
    if not _dtypes.NAMES[source.code].startswith(("int", "uint")) or len(source.shape) != 1:
        raise TypeError("bounds of segments on a device are integers along one axis")
    if source.code != _dtypes.INT64:
        if _protocols.code_in(numbers, _dtypes.INT64) != _dtypes.INT64:  # JAX has no int64: by way of the host
            return brought_there(np.asarray(numbers).astype(np.int64))
        source = _arrays.as_source(_as_int64(numbers))
    return _arrays.side_by_side(source).items


def _as_int64(x):
    """A copy of integers on a device, made there by their library."""
    name, library = _library_of(x)
    if name == "torch":
        return x.to(library.int64)
    if name == "cupy":
        return x.astype("int64")
    library = x.__array_namespace__() if hasattr(x, "__array_namespace__") else None
    if not hasattr(library, "astype"):
        raise TypeError(f"bounds of segments on a device are int64 where {name} does not make them so")
    return library.astype(x, library.int64)


def brought_there(numbers):
    """The same of a NumPy array of int64, copied."""
    memory = _core.device_memory(max(numbers.nbytes, 8))
    if numbers.size:
        _core.copy_by_device(memory.address, _core.address_of(numbers), numbers.nbytes)
        back = np.empty(1, np.int64)  # which comes behind it: a copy from pageable memory may still be on its way
        _core.copy_by_device(_core.address_of(back), memory.address, 8)
    return part_of(memory.address, numbers.size, memory)


def part_of(address, count, owner):
    """So many int64 numbers on the device."""
    return _core.array(address, _dtypes.INT64, False, 1, (count,), (8,), owner)
