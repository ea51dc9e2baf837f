"""Rolling: one answer for each window of neighbouring items."""

import numpy as np

from . import _arrays, _core, _device_rows, _folds, _places, _rows
from ._errors import raise_status
from ._results import TopK


def rolling(x, window, fold, axis=-1, *, dtype=None, nan=None, global_index=False):
    """Reduces each window of neighbouring items, to the bits that it has alone.

    Parameters
    ----------
    x : array
        One whose `axis` is not in row-major order is copied, and so are chunks. No item is absent.
    window : int
        How many items, from 1 to as many as the axis has.
    fold : operation or fold
    axis : int, optional
    dtype : str or dtype, optional
        The type of the answers, rounded once.
    nan : {"propagate", "omit", "raise"}, optional
    global_index : bool, optional
        Places count in the whole array, in row-major order, not from the window's start.

    Returns
    -------
    array, or a tuple of arrays
        Along `axis` there are `window - 1` answers fewer than items; places count from the window's start.

    Notes
    -----
    Sums, means, variances, extrema, counts, bits and products of integers cost the same for any window, and nearly so
    the best k. Each window of plain operations and products of floats is reduced on its own.
    """
    quick = None if global_index else _core.roll_quickly(x, window, fold, axis, dtype, nan)
    return _roll(x, window, fold, axis, dtype, nan, global_index) if quick is None else quick


def _roll(x, window, fold, axis, dtype, nan, global_index):
    fold = _folds.as_fold(fold).with_nan(nan)
    _places.check(fold.kinds, global_index)
    if fold.kinds[0].name == "dot":
        raise TypeError("windows have no dot")
    if isinstance(window, bool) or not hasattr(window, "__index__"):
        raise TypeError(f"a window is a number of items, not {type(window).__name__}")
    window = window.__index__()
    source = _arrays.full(_arrays.as_source(x), "windows")
    _device_rows.refuse(source, "rolling")
    if axis is None or isinstance(axis, tuple) or not source.shape:
        raise TypeError("windows lie along one axis of an array")
    axis, = _rows.axes_of(axis, len(source.shape))
    if not 1 <= window <= source.shape[axis]:
        raise ValueError(f"a window of {window}, not 1 to {source.shape[axis]} items")
    return fold.pack(_one(source, one, axis, window, dtype, global_index) for one in fold.operations)


def _one(source, operation, axis, window, dtype, global_index):
    kind, how = operation.kind, operation.make_how()
    code = operation.value_code(source, how, dtype)
    shape = source.shape[:axis] + source.shape[axis + 1:] + (source.shape[axis] - window + 1,)
    new = _rows.Answers(kind, shape, code, how.k, window)
    status, failed = _core.rolling(source.items, axis, window, kind.code, how, code, new.width, *new.addresses)
    if global_index and not status and _places.has_places(kind):
        new.arrays[-1] = _in_array(new.arrays[-1], source, kind, axis)
    return given(source, kind, axis, shape, new, status, failed)


def _in_array(found, source, kind, axis):
    """Places in the whole array, of those in windows, whose number along `axis` comes behind the other indices."""
    is_ranked = kind.answer == "ranked"
    windows = np.arange(found.shape[-1 - is_ranked]).reshape(-1, *(1,) * is_ranked)
    return _places.along(source, kind, [axis])(found + windows)


def given(source, kind, axis, shape, new, status, failed):
    """What the caller gets of answers along `axis`, which lie along the last axis of `shape`."""
    if status:
        index = list(map(int, np.unravel_index(failed, shape)))
        index.insert(axis, index.pop())
        raise_status(status, kind.name, row=tuple(index) if len(index) > 1 else failed)
    if kind.answer == "ranked":
        return TopK(*(source.like(np.moveaxis(array, -2, axis)) for array in new.arrays))
    arrays = [source.like(_arrays.moved(array, axis)) for array in new.arrays]
    return arrays[0] if len(arrays) == 1 else tuple(arrays)
