"""The standard's statistical functions: its special cases, types and shapes, on several libraries."""

import importlib
import importlib.util
import math
from fractions import Fraction

import monofold as mf
import monofold.array_api as xp
import numpy as np
import pytest
from arrays import FLOATS, INTEGERS, numbers, rounded, same
from producers import CudaArray, OnGpu

FLOATING = (xp.mean, xp.var, xp.std)


def libraries():
    yield np.asarray
    for name in ("array_api_strict", "jax.numpy"):
        if importlib.util.find_spec(name.partition(".")[0]):
            yield importlib.import_module(name).asarray


@pytest.mark.parametrize("asarray", list(libraries()))
def test_arrays_of_the_same_library(asarray):
    x = asarray(np.arange(6, dtype="float32").reshape(2, 3))
    for function in (getattr(xp, name) for name in xp.__all__ if not name.startswith("cumulative")):
        whole = function(x)
        assert isinstance(whole, type(x)) and whole.shape == (), function
        assert function(x, axis=0).shape == (3,) and function(x, keepdims=True).shape == (1, 1)
    assert xp.sum(x).dtype == x.dtype and float(xp.sum(x)) == 15.0
    assert float(xp.var(x, correction=1.0)) == 3.5


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_types(dtype):
    x = numbers(dtype, (4, 5))
    kind = np.dtype(dtype).kind
    assert xp.sum(x).dtype == {"f": x.dtype, "i": "int64", "u": "uint64"}[kind]
    assert xp.max(x).dtype == x.dtype and xp.argmax(x).dtype == np.int64 and xp.all(x).dtype == bool
    assert same(xp.sum(x, dtype="float64", axis=1), mf.sum(x, dtype="float64", axis=1))
    for function in FLOATING:
        if kind == "f":
            assert function(x).dtype == x.dtype
        else:
            with pytest.raises(TypeError, match="floats"):
                function(x)


@pytest.mark.parametrize("asarray", list(libraries()))
def test_cumulative(asarray):
    x = asarray(np.arange(1, 7, dtype="float32").reshape(2, 3))
    for function, first in ((xp.cumulative_sum, 0.0), (xp.cumulative_prod, 1.0)):
        along = function(x, axis=1)
        assert isinstance(along, type(x)) and along.shape == (2, 3) and along.dtype == x.dtype
        more = function(x, axis=0, include_initial=True)
        assert more.shape == (3, 3) and float(more[0, 1]) == first and float(more[1, 1]) == 2.0
    assert np.asarray(xp.cumulative_sum(x, axis=1)).tolist() == [[1, 3, 6], [4, 9, 15]]
    assert np.asarray(xp.cumulative_prod(x[0, :])).tolist() == [1, 2, 6]
    for axis, wrong in ((None, ValueError), (2, IndexError), (-3, IndexError), ((0, 1), TypeError)):
        with pytest.raises(wrong):
            xp.cumulative_sum(x, axis=axis)
    with pytest.raises(ValueError):
        xp.cumulative_sum(asarray(np.float32(3)))
    with pytest.raises(TypeError, match="bool"):
        xp.cumulative_sum(asarray(np.array([True])))


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_types_of_cumulative(dtype):
    x = numbers(dtype, 20)
    kind = np.dtype(dtype).kind
    for function in (xp.cumulative_sum, xp.cumulative_prod):
        assert function(x).dtype == {"f": x.dtype, "i": "int64", "u": "uint64"}[kind]
    assert xp.cumulative_sum(x, dtype="float64").dtype == float


def test_special_cases():
    for function in FLOATING:
        assert math.isnan(function(np.zeros(0))) and function(np.zeros((0, 3)), axis=0).shape == (3,)
    assert math.isnan(xp.var(np.ones(2), correction=2)) and xp.var(np.ones(3), correction=2) == 0.0
    empty = np.zeros(0)
    assert xp.sum(empty) == 0.0 and xp.prod(empty) == 1.0 and xp.all(empty) and not xp.any(empty)
    x = np.array([1.0, math.nan, math.inf])
    assert math.isnan(xp.sum(x)) and math.isnan(xp.max(x)) and math.isnan(xp.mean(x)) and math.isnan(xp.std(x))
    assert xp.any(np.array([math.nan])) and xp.sum(np.array([math.inf, 1.0])) == math.inf


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("correction", (0.5, 1.5, 0.015625, 2.75, 0.1, -1, 1 / 3, 2.9, 5e-324, -1e300))
def test_corrections_that_are_no_whole_numbers(dtype, correction):
    """The exact sum of squares over n - c, rounded once."""
    x = (numbers(dtype, (4, 5, 6)) / 64).astype(dtype)
    for view in (x, x[::-1, :, ::2], x.astype(x.dtype.newbyteorder())):
        columns = view.transpose(1, 2, 0).reshape(-1, 4)
        for axis, rows in ((2, view.reshape(20, -1)), (0, columns), (None, [view.ravel()])):
            found = xp.var(view, axis=axis, correction=correction)
            assert found.dtype == x.dtype
            for got, row in zip(found.ravel(), rows):
                items = [Fraction(float(item)) for item in row]
                squares = sum(item**2 for item in items) - sum(items)**2 / len(items)
                assert float(got) == float(rounded(squares / (len(items) - Fraction(correction)), dtype))
    assert xp.std(x, correction=correction, keepdims=True).shape == (1, 1, 1)
    assert float(xp.std(np.array([1.0, 3.0]), correction=1.5)) == 2.0
    for correction in (2.5, 2.1, 2.0000000000000004):
        few = xp.var(np.ones((2, 3)), axis=0, correction=correction)
        assert few.shape == (3,) and np.isnan(few).all()


def rounds_to(value):
    """The least and the largest number that may be rounded to one of at least 0: middles between it and others."""
    bits = np.array(value).view(f"u{value.itemsize}")
    below = (bits - np.array(bits > 0, bits.dtype)).view(value.dtype)
    above = (bits + np.array(1, bits.dtype)).view(value.dtype)
    value, below = Fraction(float(value)), Fraction(float(below))
    above = Fraction(float(above)) if np.isfinite(above) else 2 * value - below
    return (below + value) / 2, (value + above) / 2


@pytest.mark.parametrize("dtype", (*FLOATS, "bfloat16"))
@pytest.mark.parametrize("correction", (0.5, 0.1))
def test_corrections_at_the_ends_of_types(dtype, correction):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    least, largest = ml_dtypes.finfo(dtype).smallest_subnormal, ml_dtypes.finfo(dtype).max
    for items in ([1, 2, 4], [least, 0, 0], [least, -least], [7 * least, 0], [largest, *[0] * 9], [3] * 4000 + [5]):
        x = np.array(items).astype(dtype)
        exact = [Fraction(float(item)) for item in x]
        squares = sum(item**2 for item in exact) - sum(exact)**2 / len(exact)
        variance = squares / (len(exact) - Fraction(correction))
        found, root = xp.var(x, correction=correction), xp.std(x, correction=correction)
        assert found.dtype == root.dtype == dtype and found.shape == root.shape == ()
        low, high = rounds_to(root)
        assert low**2 <= variance <= high**2
        low, high = rounds_to(found) if np.isfinite(found) else (rounds_to(largest)[1], variance)
        assert low <= variance <= high


def test_corrections_of_items_that_are_not_finite():
    for item in (math.inf, -math.inf, math.nan):
        assert math.isnan(xp.var(np.array([1.0, item, 2.0]), correction=0.1))
    x = np.array([[1.0, 2.0, 4.0], [1.0, math.nan, 2.0]])
    assert np.isnan(xp.std(x, axis=1, correction=0.1)).tolist() == [False, True]
    assert xp.var(np.zeros((0, 3)), axis=1, correction=0.1).shape == (0,)
    assert np.isnan(xp.var(np.zeros((3, 0)), axis=1, correction=-0.1)).all()
    assert xp.var(np.ones(3), correction=np.float32(0.1)) == 0.0 == xp.var(np.ones(3), correction=0)


@pytest.mark.skipif(not mf.info()["gpu"].startswith("none"), reason="the pointers are not of a GPU")
def test_arrays_on_a_gpu_that_is_not_here():
    for function in (getattr(xp, name) for name in xp.__all__ if not name.startswith("cumulative")):
        for on_gpu in (CudaArray(), OnGpu(np.ones(4, "float32"), 2)):
            for options in ({}, {"axis": 0}, {"keepdims": True}):
                with pytest.raises(mf.DeviceUnavailable):
                    function(on_gpu, **options)


def test_refusals():
    truth = np.array([True])
    for function in (xp.sum, xp.prod, xp.min, xp.argmax):
        with pytest.raises(TypeError, match="bool"):
            function(truth)
    for bad in (np.zeros(2, complex), np.array(["a"])):
        with pytest.raises(TypeError):
            xp.sum(bad)
    for bad in (math.inf, -math.inf, math.nan):
        with pytest.raises(ValueError, match="no number of items"):
            xp.var(np.ones(3), correction=bad)
    with pytest.raises(TypeError):
        xp.argmax(np.ones((2, 2)), axis=(0, 1))
    with pytest.raises(TypeError):
        xp.sum(np.ones(2), 0)
