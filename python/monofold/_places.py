"""Places in the whole array, in row-major order, of items that are known by their places in rows."""

import math

import numpy as np

from . import _device_rows, _dtypes, _protocols

_PLACED = ("index", "ranked")


def has_places(kind):
    return kind.answer in _PLACED


def check(kinds, global_index):
    """Raises where places in the whole array are asked of operations that give none."""
    if global_index and not any(map(has_places, kinds)):
        raise TypeError("global_index: for operations that give places: argmin, argmax, top_k, bottom_k")


def along(source, kind, axes, keepdims=False):
    """What turns places in rows along `axes` into such in the whole array; None where the operation gives none.

    It takes answers in the shape of `_rows.answer_shape`, those of ranks with one axis more behind.
    """
    if not has_places(kind):
        return None
    shape = source.shape
    check_fits(source)
    numbers = _device_rows.numbers_beside(source.owner) if _device_rows.is_on_device(source) else np.arange
    steps = [math.prod(shape[axis + 1:]) for axis in range(len(shape))]
    walked = _joined([(shape[axis], steps[axis]) for axis in axes])
    kept = [axis for axis in range(len(shape)) if axis not in axes]

    def placed(places):
        found = _walk(places, walked)
        rank = len(places.shape)
        for place, axis in enumerate(kept):
            extents = [1] * rank
            extents[axis if keepdims else place] = shape[axis]
            found = found + (numbers(shape[axis]) * steps[axis]).reshape(extents)
        return found

    return placed


def _joined(axes):
    """Pairs of extents and steps, of which neighbours that are walked as one are one."""
    joined = []
    for extent, step in axes:
        if joined and joined[-1][1] == extent * step:
            joined[-1] = joined[-1][0] * extent, step
        else:
            joined.append((extent, step))
    return joined


def _walk(places, axes):
    """How far the items at places of a walk over some axes, in row-major order, lie behind the first one."""
    if not axes:
        return places  # which are 0
    *slower, (extent, step) = axes
    if not slower:
        return places if step == 1 else places * step
    return places % extent * step + _walk(places // extent, slower)


def check_fits(source):
    """Raises where the library of the array has no integers for places in it: JAX has none of 64 bits unless told to."""
    if math.prod(source.shape) > 2**31 and _protocols.code_in(source.owner, _dtypes.INT64) != _dtypes.INT64:
        raise TypeError("global_index: JAX has no integers of 64 bits here: set jax_enable_x64")


def behind(first):
    """What adds the place of each row's first item, by row, to places in rows; those of ranks lie side by side."""
    return lambda found: found + first.reshape(-1, *(1,) * (len(found.shape) - 1))
