"""Rolling: each window has the bits that it has alone."""

import fractions

import monofold as mf
import numpy as np
import pytest
from arrays import numbers, same

FOLDS = (mf.sum, mf.mean, mf.std, mf.min, mf.argmax, mf.norm, mf.mean_square, mf.prod, mf.count, mf.plain.sum,
         mf.plain.mean, mf.plain.mean_square, mf.logsumexp)


def slices(x, window, fold, **options):
    return [fold(x[i:i + window], **options) for i in range(len(x) - window + 1)]


@pytest.mark.parametrize("fold", FOLDS, ids=repr)
@pytest.mark.parametrize("dtype", ("float64", "float32", "int32"))
def test_windows_are_slices(fold, dtype):
    if fold == mf.logsumexp and dtype == "int32":
        pytest.skip("floats only")
    x = numbers(dtype, 300)
    for window in (1, 7, 300):
        out = mf.rolling(x, window, fold)
        with np.errstate(over="ignore"):
            assert same(out, np.array(slices(x, window, fold), out.dtype))


def test_nan_and_infinities():
    x = numbers("float64", 200)
    x[[20, 21, 90]] = np.nan, np.inf, -np.inf
    x[120:150] = -0.0
    for fold in (mf.sum, mf.mean, mf.max):
        assert same(mf.rolling(x, 9, fold), np.array(slices(x, 9, fold)))
        assert same(mf.rolling(x, 9, fold, nan="omit"), np.array(slices(x, 9, fold, nan="omit")))
    assert np.signbit(mf.rolling(x, 9, mf.sum)[120:142]).all()
    with pytest.raises(mf.NanFound, match="row 12"):
        mf.rolling(x, 9, mf.mean, nan="raise")
    with pytest.raises(mf.EmptyInput, match="row 0"):
        mf.rolling(np.full(5, np.nan), 2, mf.max, nan="omit")


# A mean of 100 windows on is as good as the first one: what was large before leaves nothing behind (polars issue
# 21358: cubes of 10 000 numbers, of which early ones are large, gave 0.807 in place of 0.598).
def test_what_has_left_is_gone():
    x = numbers("float64", 10_000)
    x[:2000] *= 1e5
    cubes = x ** 3
    means = mf.rolling(cubes, 100, mf.mean)
    assert means[-1] == mf.mean(cubes[-100:]) == mf.rolling(cubes[-1000:], 100, mf.mean)[-1]
    exact = sum(map(fractions.Fraction, cubes[-100:].tolist())) / 100
    assert means[-1] == float(exact)


# Zeros after numbers sum to zero, where a running sum keeps what it lost (polars issue 24738: 0.888889 and 2.06 left
# -2.2e-16), and no mean lies below the least item (issue 22936: of items near 5e-5 of float32, one of them 9e4).
def test_nothing_is_left_of_what_has_left():
    x = [2.06, 0.888889, 0.0, 0.0, 0.0, 0.0]
    assert mf.rolling(x, 2, mf.sum).tolist() == [2.06 + 0.888889, 0.888889, 0.0, 0.0, 0.0]
    near = np.linspace(4e-5, 6e-5, 51, dtype="float32")
    near[9] = 9e4
    means = mf.rolling(near, 5, mf.mean)
    assert (means >= near.min()).all() and same(means[10:], mf.rolling(near[10:], 5, mf.mean))


@pytest.mark.parametrize("axis", (0, 1, 2, -1, -2))
def test_axes(axis):
    x = numbers("float32", (6, 5, 7))
    for view in (x, x[::-1, :, ::2], x.transpose(2, 0, 1)):
        windows = np.lib.stride_tricks.sliding_window_view(view, 3, axis)
        assert same(mf.rolling(view, 3, mf.mean, axis), mf.mean(windows, axis=-1))
        assert same(mf.rolling(view, 3, mf.argmin, axis), mf.argmin(windows, axis=-1))
        least, most = mf.rolling(view, 3, mf.minmax, axis)
        assert same(least, windows.min(-1)) and same(most, windows.max(-1))
    best = mf.rolling(x, 3, mf.top_k(k=2), axis)
    windows = np.sort(np.lib.stride_tricks.sliding_window_view(x, 3, axis), axis=-1)[..., :0:-1]
    assert same(best.values, windows)


def test_types_and_several():
    x = numbers("float32", 50)
    assert mf.rolling(x, 4, mf.sum).dtype == mf.rolling(x, 4, mf.mean).dtype == np.float32
    assert same(mf.rolling(x, 4, mf.sum, dtype="float64"), np.array(slices(x, 4, mf.sum, dtype="float64")))
    mean, place = mf.rolling(x, 4, mf.all(mf.mean, mf.argmax))
    assert same(mean, mf.rolling(x, 4, mf.mean)) and place.max() <= 3
    assert mf.rolling([1, 2, 4], 2, mf.sum).tolist() == [3, 6]
    assert mf.rolling(np.zeros((0, 4)), 2, mf.sum).shape == (0, 3)


def test_bad_windows():
    x = np.arange(5.0)
    for window in (0, -1, 6):
        with pytest.raises(ValueError, match=f"a window of {window}, not 1 to 5 items"):
            mf.rolling(x, window, mf.sum)
    for bad in (2.0, True, None):
        with pytest.raises(TypeError, match="a window is a number of items"):
            mf.rolling(x, bad, mf.sum)
    for call in (lambda: mf.rolling(x, 2, mf.dot), lambda: mf.rolling(x, 2, mf.sum, None),
                 lambda: mf.rolling(np.float64(3), 1, mf.sum)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(np.exceptions.AxisError):
        mf.rolling(x, 2, mf.sum, 1)
