"""`NanFound.index` along axes: the index of the first NaN in the first row that has one."""

import itertools

import monofold as mf
import numpy as np
import pytest
from arrays import numbers

SHAPE = (4, 5, 6)
AXES = [axes for count in (1, 2, 3) for axes in itertools.combinations(range(3), count)]


def first(absent, axes):
    """By looking at rows one by one."""
    kept = [axis for axis in range(absent.ndim) if axis not in axes]
    for at in np.ndindex(*(absent.shape[axis] for axis in kept)):
        for place in np.ndindex(*(absent.shape[axis] for axis in axes)):
            index = [0] * absent.ndim
            for axis, i in zip((*kept, *axes), (*at, *place)):
                index[axis] = i
            if absent[tuple(index)]:
                return tuple(index)
    raise AssertionError


def place_of(call):
    with pytest.raises(mf.NanFound) as caught:
        call()
    place = caught.value.index
    assert type(place) is tuple and all(type(one) is int for one in place)
    assert f"at index {place}" in str(caught.value)
    return place


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("dtype", ("float16", "float32", "float64"))
def test_along_axes(axes, dtype):
    x = (numbers(dtype, SHAPE) / 16).astype(dtype)
    x[2, 1, 3] = x[1, 4, 2] = x[3, 0, 5] = x[3, 4, 0] = np.nan
    mask = np.ones(SHAPE, bool)
    mask[1, 4, 2] = mask[0, 0, 0] = False
    for items in (x, np.asfortranarray(x), x[:, ::-1], x.astype(x.dtype.newbyteorder()), x[::2], x[..., 1:]):
        absent = np.isnan(items)
        keepdims = len(axes) == 3
        for operation in (mf.sum, mf.plain.mean, mf.argmax, mf.top_k(k=1), mf.minmax):
            assert place_of(lambda: operation(items, axis=axes, nan="raise")) == first(absent, axes)
        assert place_of(lambda: mf.stats(items, axes, keepdims=True, nan="raise")) == first(absent, axes)
        assert place_of(lambda: mf.dot(items, items, axis=axes, nan="raise", keepdims=keepdims)) == first(absent, axes)
        where = mask[:items.shape[0], :items.shape[1], :items.shape[2]]
        assert place_of(lambda: mf.sum(items, axis=axes, nan="raise", where=where)) == first(absent & where, axes)
        some = np.arange(items.shape[2]) != 3
        if (absent & some).any():
            assert place_of(lambda: mf.sum(items, axis=axes, nan="raise", where=some)) == first(absent & some, axes)


def test_of_either_side():
    x, y = np.ones((3, 4)), np.ones((3, 4))
    x[1, 3] = y[1, 2] = np.nan
    assert place_of(lambda: mf.dot(x, y, axis=1, nan="raise")) == (1, 2)
    assert place_of(lambda: mf.dot(x, np.ones((3, 4)), axis=0, nan="raise")) == (1, 3)


def test_of_columns():
    pa = pytest.importorskip("pyarrow")
    column = pa.chunked_array([[1.0, None, 2.0], [None, float("nan")]])
    assert place_of(lambda: mf.sum(column, axis=0, nan="raise")) == (4,)


def test_of_dates():
    x = np.arange(120).reshape(SHAPE).astype("datetime64[D]")
    x[2, 1, 3] = x[1, 4, 2] = x[3, 0, 5] = "NaT"
    for axes in AXES:
        with pytest.raises(mf.NanFound) as caught:
            mf.max(x, axis=axes, nan="raise")
        assert caught.value.index == first(np.isnat(x), axes)
    with pytest.raises(mf.NanFound) as caught:
        mf.max(x, nan="raise")
    assert caught.value.index == 1 * 30 + 4 * 6 + 2


def test_of_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.ones((3, 4), ml_dtypes.bfloat16)
    x[2, 1] = np.nan
    assert place_of(lambda: mf.sum(x, axis=1, nan="raise")) == (2, 1)


@pytest.mark.parametrize("chunks", ((2, 4000), (2, 1000), (6, 500)))
def test_in_tasks_of_dask(chunks):
    """A task does not know where in the array its rows are: it names none."""
    da, monofold_dask = pytest.importorskip("dask.array"), pytest.importorskip("monofold.dask")
    x = np.ones((6, 4000))
    x[4, 2500] = np.nan
    with pytest.raises(mf.NanFound) as caught:
        monofold_dask.sum(da.from_array(x, chunks=chunks), axis=1, nan="raise").compute()
    assert caught.value.index is None and str(caught.value) == "sum: there is a NaN"
    whole = np.ones((6, 4000), np.int64)
    whole[4] = 2**62
    with pytest.raises(mf.IntegerOverflow) as caught:
        monofold_dask.sum(da.from_array(whole, chunks=chunks), axis=1).compute()
    assert str(caught.value) == "sum: the exact answer does not fit its integer type"


def test_of_runs_and_groups():
    for call in (mf.reduce_by_key, mf.group_by):
        with pytest.raises(mf.NanFound, match=r"\(key 3\)") as caught:
            call([2, 2, 3, 3], [1.0, 2.0, 3.0, np.nan], mf.sum, nan="raise")
        assert caught.value.index is None
