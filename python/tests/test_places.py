"""Places in the whole array: `global_index=True` of extrema in rows, segments, groups, runs and windows."""

import itertools

import monofold as mf
import numpy as np
import pytest
from arrays import numbers, same

SHAPE = (3, 4, 2, 5)
AXES = [axes for size in range(5) for axes in itertools.combinations(range(4), size)]


def in_row_major_order(x):
    """Each item's place in the whole array."""
    return np.arange(x.size).reshape(x.shape)


def rows_of(x, axes):
    """The index of each row, and its items in row-major order."""
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    for index in np.ndindex(*(x.shape[axis] for axis in kept)):
        at = dict(zip(kept, index))
        yield index, x[tuple(at.get(axis, slice(None)) for axis in range(x.ndim))].ravel()


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("layout", ("C", "F", "reversed"))
def test_rows(axes, layout):
    x = numbers("float32", SHAPE)
    x[0, 1] = x[2, 3] = x.max()  # of equal ones the first in its row
    x = x[::-1, :, :, ::-2] if layout == "reversed" else np.asarray(x, order=layout)
    places = in_row_major_order(x)
    for operation, best in ((mf.argmax, np.argmax), (mf.argmin, np.argmin)):
        found = operation(x, axis=axes, global_index=True)
        assert found.shape == tuple(n for axis, n in enumerate(x.shape) if axis not in axes) and found.dtype == np.int64
        for index, row in rows_of(x, axes):
            assert found[index] == dict(rows_of(places, axes))[index][best(row)]
        kept = operation(x, axis=axes, keepdims=True, global_index=True)
        assert same(kept, found.reshape([1 if axis in axes else n for axis, n in enumerate(x.shape)]))
        assert (x.ravel()[kept] == operation_of(operation)(x, axis=axes, keepdims=True)).all()


def operation_of(place):
    return mf.max if place is mf.argmax else mf.min


@pytest.mark.parametrize("axes", [axes for axes in AXES if axes and axes != (2,)])
@pytest.mark.parametrize("keepdims", (False, True))
def test_ranks(axes, keepdims):
    x = numbers("int16", SHAPE)
    axis = axes[0] if len(axes) == 1 else axes
    for operation in (mf.top_k(k=2), mf.bottom_k(k=3)):
        local = operation(x, axis=axis, keepdims=keepdims)
        found = operation(x, axis=axis, keepdims=keepdims, global_index=True)
        assert same(found.values, local.values) and found.indices.shape == local.indices.shape
        assert (x.ravel()[found.indices] == found.values).all()
        at, ranks = (axes[-1], len(axes) > 1 and keepdims or len(axes) == 1)
        last = np.moveaxis(found.indices, at, -1) if ranks else found.indices
        first = np.moveaxis(local.indices, at, -1) if ranks else local.indices
        last, first = last.reshape(-1, last.shape[-1]), first.reshape(-1, last.shape[-1])
        for row, (_, places) in enumerate(rows_of(in_row_major_order(x), axes)):
            assert (places[first[row]] == last[row]).all()


def test_whole_arrays_have_them_anyway():
    x = numbers("float64", (6, 7))
    for operation in (mf.argmax, mf.argmin):
        assert operation(x, global_index=True) == operation(x) and isinstance(operation(x, global_index=True), int)
        assert operation(x, keepdims=True, global_index=True).tolist() == [[operation(x)]]
    assert mf.top_k(x, 3, global_index=True).indices.tolist() == mf.top_k(x, 3).indices.tolist()
    assert mf.stats(x, global_index=True) == mf.stats(x)


def test_of_several_operations():
    x = numbers("float32", (6, 7, 9))
    fold = mf.all(mf.sum, mf.argmax, mf.top_k(k=2), mf.argmin(nan="omit"))
    total, most, best, least = mf.reduce(x, fold, axis=(0, 2), global_index=True)
    assert same(total, mf.sum(x, axis=(0, 2)))
    assert same(most, mf.argmax(x, axis=(0, 2), global_index=True))
    assert same(best.indices, mf.top_k(x, 2, axis=(0, 2), global_index=True).indices)
    assert same(least, mf.argmin(x, axis=(0, 2), global_index=True))
    stats = mf.stats(x, axis=1, global_index=True)
    assert same(stats.argmax, mf.argmax(x, axis=1, global_index=True)) and same(stats.max, x.max(axis=1))


def test_into_an_array_and_of_marked_items():
    x, mask = numbers("float64", (6, 7)), numbers("bool", (6, 7), seed=3)
    mask[:, 2] = True
    out = np.zeros(6, np.int64)
    assert mf.argmax(x, axis=1, where=mask, out=out, global_index=True) is out
    assert out.tolist() == np.ma.argmax(np.ma.array(x, mask=~mask), axis=1).__add__(np.arange(6) * 7).tolist()
    outs = np.zeros(6), np.zeros(6, np.int64)
    mf.reduce(x, mf.all(mf.max, mf.argmax), axis=1, where=mask, out=outs, global_index=True)
    assert same(outs[1], out)


def test_dates():
    dates = np.array([["2024-05-01", "2024-01-03"], ["NaT", "2025-01-01"]], "M8[D]")
    assert mf.argmin(dates, axis=1, nan="omit", global_index=True).tolist() == [1, 3]
    assert mf.argmax(dates, axis=0, global_index=True).tolist() == [2, 3]  # the NaT
    assert mf.reduce(dates, mf.all(mf.min, mf.argmin), axis=1, nan="omit", global_index=True)[1].tolist() == [1, 3]


def test_segments():
    x = numbers("float32", 40)
    starts, stops = [0, 7, 3, 30], [9, 8, 40, 33]
    for operation in (mf.argmax, mf.argmin):
        want = [start + operation(x[start:stop]) for start, stop in zip(starts, stops)]
        assert mf.segmented_reduce(x, operation, starts=starts, stops=stops, global_index=True).tolist() == want
    offsets = [0, 9, 12, 40]
    best = mf.segmented_reduce(x.reshape(4, 10), mf.top_k(k=3), offsets, global_index=True)
    assert same(x[best.indices], best.values)
    assert best.indices.tolist() == [[a + i for i in mf.top_k(x[a:b], 3).indices] for a, b in itertools.pairwise(offsets)]


def test_absent_items_are_counted():
    pa = pytest.importorskip("pyarrow")
    x = pa.chunked_array([pa.array([5, None, 7]), pa.array([None, 1, 9, 2])])
    assert list(mf.segmented_reduce(x, mf.argmax, [0, 3, 7])) == [2, 2]
    assert list(mf.segmented_reduce(x, mf.argmax, [0, 3, 7], global_index=True)) == [2, 5]
    keys = pa.array(["a", "b", "b", "a", None, "a", "b"])
    names, found = mf.group_by(keys, x, mf.argmin, global_index=True)
    assert list(names) == ["a", "b"] and list(found) == [0, 6]
    runs, found = mf.reduce_by_key(keys, x, mf.argmax, global_index=True)
    assert list(runs) == ["a", "b", "a", "b"] and list(found) == [0, 2, 5, 6]


@pytest.mark.parametrize("order", ("key", "first"))
@pytest.mark.parametrize("dtype", ("float64", "uint8", "bool"))
@pytest.mark.parametrize("num_keys", (5, 4000))
def test_groups(order, dtype, num_keys):
    x, keys = numbers(dtype, 9000), np.random.default_rng(2).integers(0, num_keys, 9000)
    names, local = mf.group_by(keys, x, mf.all(mf.argmax, mf.top_k(k=1), mf.max), order=order)
    again, (most, best, highest) = mf.group_by(keys, x, mf.all(mf.argmax, mf.top_k(k=1), mf.max), order=order,
                                               global_index=True)
    assert same(again, names) and same(highest, local[2]) and same(x[most], highest)
    for name, place, mine in zip(names[:200], most, local[0]):
        assert place == np.flatnonzero(keys == name)[mine]
    assert same(best.indices[:, 0], most)
    assert same(mf.group_by(keys, x, mf.argmax, order=order, global_index=True)[1], most)


def test_runs():
    keys, x = np.array([1, 1, 2, 2, 2, 1]), np.array([3.0, 4, 9, 9, 1, 0])
    assert mf.reduce_by_key(keys, x, mf.argmax, global_index=True)[1].tolist() == [1, 2, 5]
    assert mf.reduce_by_key((keys, keys), x, mf.top_k(k=1), global_index=True)[1].indices.tolist() == [[1], [2], [5]]


@pytest.mark.parametrize("axis", (0, 1, 2))
def test_windows(axis):
    x = numbers("int32", (6, 7, 8))
    places = np.lib.stride_tricks.sliding_window_view(in_row_major_order(x), 3, axis)
    found = mf.rolling(x, 3, mf.argmax, axis, global_index=True)
    assert same(found, np.take_along_axis(places, mf.rolling(x, 3, mf.argmax, axis)[..., None], -1)[..., 0])
    best, local = (mf.rolling(x, 3, mf.bottom_k(k=2), axis, global_index=some) for some in (True, False))
    assert same(x.ravel()[best.indices], best.values) and same(best.values, local.values)


def test_what_is_refused():
    x = numbers("float64", (3, 4))
    for call in (lambda: mf.sum(x, axis=1, global_index=True), lambda: mf.reduce(x, mf.sum, axis=1, global_index=True),
                 lambda: mf.segmented_reduce(x, mf.sum, [0, 3], global_index=True),
                 lambda: mf.group_by(np.arange(12), x, mf.mean, global_index=True),
                 lambda: mf.reduce_by_key(np.arange(12), x, mf.mean, global_index=True),
                 lambda: mf.rolling(x, 2, mf.minmax, global_index=True), lambda: mf.minmax(x, axis=0, global_index=True)):
        with pytest.raises(TypeError, match="global_index"):
            call()
    for operation in (mf.argmax, mf.top_k, mf.stats):
        with pytest.raises(TypeError, match="global_index= goes with an array"):
            operation(global_index=True)
