"""Operations of several answers for Dask arrays: a Dask array for each, all from one pass."""

import functools

import dask.array as da
import numpy as np

from . import _arrays, _dask, _dtypes, _folds, _operations, _rows, _whole
from ._results import Stats, TopK


class _Part:
    """One of the arrays that operations give: of the operation at a place in the fold, its first or second."""

    def __init__(self, position, operation, which, code, room):
        self.position, self.kind, self.which, self.k = position, operation.kind, which, operation.k
        self.dtype, self.code = _dtypes.numpy_of(code), code
        self.room = room  # how many numbers there are for each row

    def of_state(self, states):
        """The answer of an array of one state, in as many axes."""
        core = _dask.only(states)._core
        shape = (1,) * (states.ndim - 1) + (self.room,)
        if self.kind.answer == "ranked":
            found = _whole.ranked(self.kind, _whole.answer_of(core, self.position, self.kind, self.k))
            return _arrays.numbers(found[self.which], self.code).reshape(shape)
        if self.kind.answer == "index":
            value = _whole.scalar(self.kind, _whole.answer_of(core, self.position, self.kind, self.k))
        else:
            value = _whole.rounded_of(core, self.kind, self.code, position=self.position)
        return np.full(shape, value[self.which] if self.kind.answer == "pair" else value, self.dtype)


def _parts_of(fold, d, widest):
    for position, operation in enumerate(fold.operations):
        answer = operation.kind.answer
        code = _dask.code_of_answers(operation, d, None, widest)
        yield _Part(position, operation, 0, code, operation.k if answer == "ranked" else 1)
        if answer == "pair":
            yield _Part(position, operation, 1, code, 1)
        if answer == "ranked":
            yield _Part(position, operation, 1, _dtypes.INT64, operation.k)


def _several(d, fold, axis, keepdims, split_every, in_order=tuple):
    """The arrays of a fold; `in_order` puts them into the order of what is returned."""
    _dask.check(d)
    axes = _rows.axes_of(axis, d.ndim)
    parts = in_order(tuple(_parts_of(fold, d, axis is None and not keepdims)))
    if not axes:  # each item is a row, along an axis of its own
        return _along(d[..., np.newaxis], fold, (d.ndim,), parts, False, split_every)
    return _along(d, fold, axes, parts, keepdims, split_every)


def _along(d, fold, axes, parts, keepdims, split_every):
    """The same along axes, of which there are some."""
    if len(axes) == d.ndim:
        states = _dask.joined(d, fold, fold.nan, split_every)
        found = [states.map_blocks(part.of_state, dtype=part.dtype, chunks=(1,) * (states.ndim - 1) + (part.room,),
                                   meta=np.empty((0,) * states.ndim, part.dtype)) for part in parts]
        return [_shown(one.reshape(_kept(part, axes)), part, axes, keepdims) for one, part in zip(found, parts)]
    if split_every is not None:
        raise TypeError("along some axes there is no split_every: chunks are joined there, not states")
    if d.size == 0:  # whose chunks Dask does not join
        d = da.empty(d.shape, dtype=d.dtype, chunks=-1)
    d = d.rechunk({one: -1 for one in axes})
    rows = d.map_blocks(functools.partial(_rows_of, fold=fold, axes=tuple(axes)), dtype=object,
                        chunks=tuple((1,) * count for count in d.numblocks), meta=np.empty((0,) * d.ndim, object))
    arrays = []
    for number, part in enumerate(parts):
        chunks = [(1,) if one in axes else sizes for one, sizes in enumerate(d.chunks)]
        chunks[axes[-1]] = (part.room,)
        array = rows.map_blocks(functools.partial(_number_of, number=number), dtype=part.dtype, chunks=tuple(chunks),
                                meta=np.empty((0,) * d.ndim, part.dtype))
        arrays.append(_shown(array, part, axes, keepdims))
    return arrays


def _kept(part, axes):
    return (1,) * (len(axes) - 1) + (part.room,)


def _shown(array, part, axes, keepdims):
    """An answer, whose reduced axes are all there, as the call without Dask has it."""
    if keepdims or part.kind.answer == "ranked" and len(axes) == 1:
        return array
    if part.kind.answer != "ranked":
        return array.squeeze(axis=tuple(axes))
    return da.moveaxis(array, axes[-1], -1).squeeze(axis=tuple(axes[:-1]))


def _rows_of(block, fold, axes):
    """An array of one tuple: all answers about the rows of a block."""
    out = np.empty((1,) * block.ndim, object)
    out.flat[0] = tuple(_folds.reduce(block, fold, axes, keepdims=True))
    return out


def _number_of(block, number):
    return block.flat[0][number]


def minmax(d, axis=None, *, keepdims=False, nan=None, split_every=None):
    """The smallest and the largest item, in one pass.

    Parameters
    ----------
    d : dask.array.Array
    axis : int or tuple of ints, optional
        The axes to reduce; None: all of them.
    keepdims : bool, optional
        Reduced axes stay, with one index.
    nan : {"propagate", "omit", "raise"}, optional
        NaN make the answers NaN, are left out, or raise `NanFound`.
    split_every : int, optional
        How many states are joined at once, where all axes are reduced.

    Returns
    -------
    tuple of two dask.array.Array
        To be computed together: ``dask.compute(*monofold.dask.minmax(d))``.
    """
    fold = _folds.as_fold(_operations.make("minmax").with_options(nan))
    return tuple(_several(d, fold, axis, keepdims, split_every))


def top_k(d, k=10, axis=None, *, keepdims=False, nan=None, split_every=None):
    """The k largest items and their places, best first, in one pass.

    Parameters
    ----------
    d : dask.array.Array
    k : int, optional
        How many.
    axis : int or tuple of ints, optional
        The axes to reduce; None: all of them.
    keepdims : bool, optional
        Reduced axes stay; the last one of them has the items.
    nan : {"propagate", "omit", "raise"}, optional
        NaN come last, are left out, or raise `NanFound`.
    split_every : int, optional
        How many states are joined at once, where all axes are reduced.

    Returns
    -------
    TopK
        Dask arrays, to be computed together: ``dask.compute(*monofold.dask.top_k(d, 3))``.
    """
    fold = _folds.as_fold(_operations.make("top_k").with_options(nan, k=k))
    return TopK(*_several(d, fold, axis, keepdims, split_every))


def stats(d, axis=None, *, keepdims=False, nan=None, correction=0, split_every=None):
    """Eight statistics and two places, in one pass.

    Parameters
    ----------
    d : dask.array.Array
    axis : int or tuple of ints, optional
        The axes to reduce; None: all of them.
    keepdims : bool, optional
        Reduced axes stay, with one index.
    nan : {"propagate", "omit", "raise"}, optional
        NaN make answers NaN, are left out, or raise `NanFound`.
    correction : int, optional
        The variance divides by the number of items less this.
    split_every : int, optional
        How many states are joined at once, where all axes are reduced.

    Returns
    -------
    Stats
        Dask arrays, to be computed together: ``dask.compute(*monofold.dask.stats(d))``. A statistic that too few
        items have raises `EmptyInput`; ``monofold.dask.reduce(d, monofold.stats)`` gives None for it.
    """
    fold = _folds.StatsFold(_operations.whole("correction", correction), "propagate" if nan is None else nan)
    return Stats(*_several(d, fold, axis, keepdims, split_every, _folds.in_stats_order))
