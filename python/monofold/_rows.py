"""Answers along axes, in arrays like the caller's."""

import functools
import math
import sys

import numpy as np

from . import _arrays, _core, _dtypes, _kinds, _protocols, _whole
from ._errors import NAN_FOUND, DeviceUnavailable, raise_status


def axes_of(axis, rank):
    """The axes to reduce, from 0, in rising order."""
    if axis is None:
        return list(range(rank))
    axes = []
    for one in axis if isinstance(axis, (tuple, list)) else (axis,):
        if isinstance(one, bool) or not hasattr(one, "__index__"):
            raise TypeError(f"an axis is an integer, not {type(one).__name__}")
        number = one.__index__()
        if not -rank <= number < rank:
            raise np.exceptions.AxisError(number, rank)
        axes.append(number % rank)
    if len(set(axes)) != len(axes):
        raise ValueError(f"an axis is named twice: {axis}")
    return sorted(axes)


def answer_shape(shape, axes, keepdims):
    """The shape of the answers along some axes of an array."""
    return tuple(1 if axis in axes else extent for axis, extent in enumerate(shape) if keepdims or axis not in axes)


def value_code(kind, source, how, dtype):
    """The type of answers that the library of the array has for the one asked for, or else that of the rules."""
    return _protocols.code_in(source.owner, ruled_code(kind, source, how, dtype))


def ruled_code(kind, source, how, dtype):
    """The same in libraries that have all types."""
    if dtype is not None:
        if kind.answer == "index":
            raise TypeError(f"{kind.name} gives places; they have no dtype")
        code = _dtypes.code_of(dtype)
        if kind.name == "prod" and _dtypes.is_floating(code) > _dtypes.is_floating(source.code):
            raise TypeError(f"prod of {_dtypes.NAMES[source.code]} is modulo 2^64 and has no dtype of floats; "
                            "give an array of floats")
        if not _dtypes.is_floating(code) and _dtypes.is_floating(_native_code(kind.code, source.code, how)):
            raise TypeError(f"{kind.name} of {_dtypes.NAMES[source.code]} has no dtype of integers")
        return code
    if kind.answer == "index":
        return source.code
    return _kinds.answer_code(kind, _native_code(kind.code, source.code, how), source.code)


@functools.lru_cache(256)
def _native_code(operation, code, how):
    return _core.answer_dtype(operation, code, how)


def reduce(source, mask, kind, how, axes, code, keepdims=False, placed=None):
    """Arrays of answers: one, or two for pairs (lowest, highest) and ranks (values, places).

    placed(places): what places in rows are for the caller.
    """
    [(items, present)] = _arrays.in_one_piece(source).pieces
    mask = _arrays.both(mask, present)
    shape = answer_shape(source.shape, axes, keepdims)
    new = Answers(kind, shape, code, how.k, math.prod(source.shape[axis] for axis in axes))
    outcome = _core.rows(items, mask, axes, kind.code, how, code, new.width, *new.addresses)
    check_rows(kind, source, axes, *outcome, how, [(items, mask)])
    if placed is not None:
        new.arrays[-1] = placed(new.arrays[-1])
    return new.arrays


def check_rows(kind, source, axes, status, row, how=None, looked_at=()):
    """Raises where a row has no answer; `looked_at`: (items, mask) where a NaN is looked for."""
    if not status:
        return
    kept, index = [extent for axis, extent in enumerate(source.shape) if axis not in axes], None
    if status == NAN_FOUND:
        at = _index_of(row, kept)
        found = [place for one in looked_at if (place := _first_nan(*one, axes, at, how)) >= 0]
        index = _whole_index(source.shape, axes, at, min(found)) if found else None
    check_kept(kind, kept, status, row, index)


def check_kept(kind, kept, status, row, index=None):
    """The same of rows of this shape, by the index of the NaN where it is known."""
    if status:
        raise_status(status, kind.name, index, row=_index_of(row, kept) or None)


def _index_of(row, kept):
    return tuple(map(int, np.unravel_index(row, kept))) if kept else ()


def _first_nan(items, mask, axes, at, how):
    """Where in a row the first NaN stands that `how` refuses; below 0: there is none."""
    def row_of(array):
        own = iter(at)
        address = array.address + sum(
            next(own) * step for axis, step in enumerate(array.strides) if axis not in axes)
        extents, strides = ([each[axis] for axis in axes] for each in (array.extents, array.strides))
        return _core.array(address, array.dtype, array.swapped, array.place, extents, strides, array)

    row, marks = row_of(items), None if mask is None else row_of(mask)
    kind = _kinds.KINDS["count_nan"]
    state = _core.state(items.dtype, [kind.code], 0, how)
    state.fill(row, marks)
    return _whole.answer_of(state, 0, kind, 1, [(row, marks)])[-1]


def _whole_index(shape, axes, at, place):
    """The index of an item, by that of its row and its place in it."""
    own, kept = iter(np.unravel_index(place, [shape[axis] for axis in axes])), iter(at)
    return tuple(int(next(own if axis in axes else kept)) for axis in range(len(shape)))


def dot(kind, left, right, axis, keepdims, dtype, out, where, how):
    """The inner products of the rows of two arrays of one shape and type."""
    if where is not None:
        raise TypeError("dot: where= is for whole arrays, without axis=, keepdims=, dtype= and out=")
    if left.items.place or right.items.place:
        raise TypeError("dot along axes takes two arrays on the host, or two on a device")
    axes = axes_of(axis, len(left.shape))
    shape = answer_shape(left.shape, axes, keepdims)
    if out is not None and dtype is None:
        dtype = _dtypes.NAMES[code_of_out(outs_of(out, 1)[0])]
    code = (value_code if out is None else ruled_code)(kind, left, how, dtype)
    new = Answers(kind, shape, code, 1, 1)
    outcome = _core.pair_rows(left.items, right.items, axes, how, code, new.addresses[0])
    check_rows(kind, left, axes, *outcome, how, [(left.items, None), (right.items, None)])
    return left.like(new.arrays[0]) if out is None else into(out, new.arrays)


class Answers:
    """New arrays for the answers of an operation: values, second values and places, as it has them.

    `most`: the items of the longest row. Where k are not there no row has an answer, and a huge k needs no room.
    """

    def __init__(self, kind, shape, code, k, most):
        ranked = kind.answer == "ranked"
        k = k if k <= most or 0 in shape else 1
        self.width = k if ranked else 1
        shape += (k,) * ranked
        made = [_arrays.make(shape, code) if kind.answer != "index" else None,
                _arrays.make(shape, code) if kind.answer == "pair" else None,
                _arrays.make(shape, _dtypes.INT64) if ranked or kind.answer == "index" else None]
        self.arrays = [one[0] for one in made if one]
        self.addresses = [one[1] if one else 0 for one in made]


def written(out):
    """The memory of the caller's array for answers, as a NumPy array that can be written."""
    if type(out).__module__.partition(".")[0] == "torch":
        torch = sys.modules["torch"]
        if out.device.type != "cpu":
            raise DeviceUnavailable(f"out lies on {out.device}: answers along axes are made on the host")
        if out.dtype == torch.bfloat16:  # which NumPy has no name for
            out = out.view(torch.int16).numpy().view(_dtypes.numpy_of(_dtypes.CODES["bfloat16"]))
        else:
            out = out.numpy()
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be a NumPy array or a tensor of PyTorch, not {type(out).__name__}")
    if isinstance(out, np.ma.MaskedArray):
        raise TypeError("out: masked arrays are not written: give out.data")
    if not out.flags.writeable:
        raise ValueError("out cannot be written")
    if _overlaps_itself(out):
        raise ValueError("out has one place for several answers")
    return out


def _overlaps_itself(array):
    """Whether items may share bytes: an axis steps over less than those that step over less have together."""
    reach = array.itemsize
    for step, extent in sorted((abs(step), extent) for step, extent in zip(array.strides, array.shape) if extent > 1):
        if step < reach:
            return array.size > 0
        reach += step * (extent - 1)
    return False


class Later:
    """Arrays in place of the caller's for answers of several operations: these are written when all answers are there."""

    def __init__(self, outs):
        flat = [one for out in outs for one in (out if isinstance(out, tuple) else (out,))]
        self.outs = self.places = outs
        self.pairs = ()
        if any(map(_protocols.lies_on_gpu, flat)):  # there each is written by its own kernel
            return
        memory = [written(one) for one in flat]
        _check_apart(memory)
        made = [np.empty(one.shape, one.dtype) for one in memory]
        self.pairs = tuple(zip(memory, made))
        left = iter(made)
        self.places = tuple(tuple(next(left) for _ in out) if isinstance(out, tuple) else next(left) for out in outs)

    def write(self):
        """The caller's arrays, with what was left in `places`."""
        for memory, answers in self.pairs:
            memory[...] = answers
        return self.outs


def _check_apart(arrays):
    for i, one in enumerate(arrays):
        if any(np.shares_memory(one, other) for other in arrays[:i]):
            raise ValueError("out: two answers need two arrays that share no memory")


def code_of_out(out):
    """The code of the type of the caller's array for answers, which must be one that can be written."""
    return _dtypes.code_of_numpy(written(out).dtype)


def outs_of(out, count):
    """The arrays that so many answers go into; one may stand without a tuple."""
    outs = out if isinstance(out, tuple) else (out,)
    if len(outs) != count:
        raise ValueError(f"out: {len(outs)} arrays for {count} answers")
    return outs


def into(out, arrays):
    """Puts answers into the caller's arrays, whose shape and type are theirs; nothing is written before."""
    given = outs_of(out, len(arrays))
    outs = [written(one) for one in given]
    for one, array in zip(outs, arrays):
        _dtypes.code_of_numpy(one.dtype)
        if one.shape != array.shape:
            raise ValueError(f"out has the shape {one.shape}; the answer has {array.shape}")
        if one.dtype.newbyteorder("=") != array.dtype:
            raise TypeError(f"out is of {one.dtype}; the answer is of {array.dtype}")
    _check_apart(outs)
    for one, array in zip(outs, arrays):
        one[...] = array
    return given if len(given) > 1 else given[0]
