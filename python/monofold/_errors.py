"""What goes wrong, as exceptions."""

import functools

from . import _core

EMPTY_INPUT, INTEGER_OVERFLOW, NAN_FOUND, INVALID, UNSUPPORTED, NO_DEVICE = range(1, 7)
MALFORMED_STATE = 9


class EmptyInput(ValueError):
    """There are too few items for the operation to have an answer."""


class IntegerOverflow(OverflowError):
    """The exact answer does not fit its integer type."""


class NanFound(ValueError):
    """There is a NaN, under ``nan="raise"``.

    Attributes
    ----------
    index : int, tuple of ints or None
        Its place, in row-major order. Where rows along axes were reduced, its index, a tuple: of the first NaN in the
        first row that has one. None on a GPU, along axes of Dask arrays, and in segments, windows, scans, groups and
        runs.
    """

    def __init__(self, message, index=None):
        super().__init__(message)
        self.index = index

    def __reduce__(self):
        return type(self), (*self.args, self.index)


class DeviceUnavailable(RuntimeError):
    """The items lie on a device that this process cannot reduce on."""


class OtherGpu(DeviceUnavailable):
    """The items lie on a GPU that is not the current one; nothing was asked of it."""

    def __init__(self, number, current):
        super().__init__(f"the items lie on GPU {number}; the current one is {current}")
        self.number, self.current = number, current

    def __reduce__(self):
        return type(self), (self.number, self.current)


class MalformedState(ValueError):
    """The bytes are no saved state, or a damaged one."""


def raise_status(status, name=None, index=None, row=None, part="row"):
    """Raises what a status of the C interface stands for; `row` is an index of the kept axes, or another part."""
    subject = f"{name}: " if name else ""
    where = f" ({part} {row!r})" if row is not None else ""
    text = subject + _core.status_text(status) + where
    if status == EMPTY_INPUT:
        raise _placed(EmptyInput, f"{subject}too few items for an answer", where)
    if status == INTEGER_OVERFLOW:
        raise _placed(IntegerOverflow, f"{subject}the exact answer does not fit its integer type", where)
    if status == NAN_FOUND:
        place = f" at index {index}" if isinstance(index, tuple) or index is not None and index >= 0 else ""
        raise _placed(NanFound, f"{subject}there is a NaN", place + where, index)
    if status == UNSUPPORTED:
        raise TypeError(text)
    if status == NO_DEVICE:
        gpu = _core.gpu()
        raise DeviceUnavailable(text + gpu.removeprefix("none") if gpu.startswith("none") else text)
    if status == MALFORMED_STATE:
        raise MalformedState(text)
    raise (ValueError if status == INVALID else RuntimeError)(text)


def _placed(kind, text, place, *more):
    """An exception that keeps its text without the place too."""
    error = kind(text + place, *more)
    error.placeless = text
    return error


def without_places(call):
    """The same function, whose errors name no row and no index: of a block, which does not know where it lies."""
    @functools.wraps(call)
    def of_a_block(*args, **named):
        try:
            return call(*args, **named)
        except (EmptyInput, IntegerOverflow, NanFound) as error:
            raise type(error)(getattr(error, "placeless", str(error))) from None
    return of_a_block
