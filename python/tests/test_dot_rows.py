"""Inner products along axes: each has the bits of the two rows alone."""

from fractions import Fraction

import monofold as mf
import numpy as np
import pytest
from arrays import FLOATS, INTEGERS, numbers, rounded, same


def rows_of(x, axes):
    kept = [one for one in range(x.ndim) if one not in axes]
    turned = x.transpose(kept + list(axes))
    shape = turned.shape[:len(kept)]
    return shape, turned.reshape(int(np.prod(shape)), -1)


def sets_of_axes(rank):
    return [tuple(one for one in range(rank) if chosen >> one & 1) for chosen in range(1 << rank)]


LAYOUTS = (lambda x: x, np.asfortranarray, lambda x: np.repeat(x, 3, axis=-1)[..., ::3], lambda x: x[::-1].copy()[::-1],
           lambda x: x.astype(x.dtype.newbyteorder()))


@pytest.mark.parametrize("operation", (mf.dot, mf.plain.dot, mf.dot(nan="omit")), ids=repr)
@pytest.mark.parametrize("shape", ((7,), (5, 40), (40, 5), (3, 4, 130), (2, 700, 3)))
def test_rows_are_whole_arrays(operation, shape):
    x, y = numbers("float64", shape), numbers("float64", shape)[::-1].copy()
    for left in LAYOUTS:
        for right in LAYOUTS:
            for axes in sets_of_axes(len(shape)):
                kept, lefts = rows_of(x, axes)
                alone = [operation(*pair) for pair in zip(lefts, rows_of(y, axes)[1])]
                out = operation(left(x), right(y), axis=axes)
                assert same(out, np.array(alone).reshape(kept)), axes
    assert operation(x, y, axis=-1, keepdims=True).shape == (*shape[:-1], 1)
    assert operation(x, y, keepdims=True).shape == (1,) * len(shape)


@pytest.mark.parametrize("shape", ((2, 3, 2, 1, 2, 3, 2), (2, 2, 3, 1, 2, 2, 2, 2)))
def test_seven_and_eight_axes(shape):
    x, y = numbers("float64", shape), np.asfortranarray(numbers("float64", shape)[..., ::-1])
    for axes in sets_of_axes(len(shape))[::3]:
        kept, lefts = rows_of(x, axes)
        exact = [float(sum(Fraction(l) * Fraction(r) for l, r in zip(*pair)))
                 for pair in zip(lefts.tolist(), rows_of(y, axes)[1].tolist())]
        assert same(mf.dot(x, y, axis=axes), np.array(exact).reshape(kept))


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_are_rounded_once(dtype):
    x, y = numbers(dtype, (20, 64)), numbers(dtype, (20, 64))[::-1].copy()
    exact = [sum(Fraction(l) * Fraction(r) for l, r in zip(*pair)) for pair in zip(x.tolist(), y.tolist())]
    assert same(mf.dot(x, y, axis=1), np.array([rounded(one, dtype) for one in exact], dtype))
    assert same(mf.dot(x, y, axis=1, dtype="float64"), np.array([float(one) for one in exact]))
    assert same(mf.dot(x.T, y.T, 0, dtype="float64"), np.array([float(one) for one in exact]))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_widen(dtype):
    x, y = numbers(dtype, (30, 40)) // 4, numbers(dtype, (30, 40))[::-1] // 64
    if np.dtype(dtype).itemsize >= 4:  # so that sums fit
        x, y = x >> 8 * np.dtype(dtype).itemsize - 24, y >> 8 * np.dtype(dtype).itemsize - 24
    wide = np.uint64 if dtype.startswith("uint") else np.int64
    for axis in (0, 1, None):
        expected = np.sum(x.astype(wide) * y.astype(wide), axis=axis)
        assert same(mf.dot(x, y, axis=axis, keepdims=False, dtype=wide), np.asarray(expected))
    assert mf.dot(x, y, axis=0).dtype == wide


@pytest.mark.parametrize("shape", ((200_000, 2), (2, 200_000), (3, 100_001), (1, 300_000), (300_000, 1)))
def test_long_rows_and_columns(shape):
    x, y = numbers("float32", shape), numbers("float32", shape)[::-1].copy()
    for left in (x, np.asfortranarray(x)):
        for axis in (0, 1):
            lefts, rights = (x, y) if axis else (x.T, y.T)
            if len(lefts) > 3:
                continue
            for operation in (mf.dot, mf.plain.dot):
                alone = [operation(np.ascontiguousarray(l), np.ascontiguousarray(r)) for l, r in zip(lefts, rights)]
                assert operation(left, y, axis=axis, dtype="float64").tolist() == alone
    assert same(mf.dot(x, y, axis=()), x * y)


def test_of_no_items():
    x = np.empty((0, 3))
    assert mf.dot(x, x, axis=0).tolist() == [0.0] * 3 and mf.dot(x, x, axis=1).shape == (0,)


def test_what_is_wrong():
    x = np.ones((2, 3))
    for call, error, why in (
            (lambda: mf.dot(x, x, axis=2), np.exceptions.AxisError, "axis 2"),
            (lambda: mf.dot(x, x, axis=(0, -2)), ValueError, "twice"),
            (lambda: mf.dot(x, x.T, axis=0), ValueError, "one shape and type"),
            (lambda: mf.dot(x, x[0], axis=0), ValueError, "one shape and type"),
            (lambda: mf.dot(x, x.astype("float32"), axis=0), ValueError, "one shape and type"),
            (lambda: mf.dot(x, x, axis=0, where=x > 0), TypeError, "where= is for whole arrays"),
            (lambda: mf.dot(x, x, axis=0, dtype="int64"), TypeError, "no dtype of integers"),
            (lambda: mf.dot(axis=0), TypeError, "axis= goes with an array"),
            (lambda: mf.dot(*[np.ones((1,) * 9)] * 2, axis=0), ValueError, "up to 8 axes"),
            (lambda: mf.dot(*[np.array([[1, 2], [2**62, 2**62]])] * 2, axis=1), mf.IntegerOverflow, r"row \(?1"),
            (lambda: mf.dot(np.array([[1.0], [np.nan]]), x[:, :1], axis=1, nan="raise"), mf.NanFound, r"row \(?1")):
        with pytest.raises(error, match=why):
            call()
