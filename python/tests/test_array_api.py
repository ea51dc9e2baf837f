"""The standard's statistical functions: its special cases, types and shapes, on several libraries."""

import importlib
import importlib.util
import math

import monofold as mf
import monofold.array_api as xp
import numpy as np
import pytest
from arrays import FLOATS, INTEGERS, numbers, same

FLOATING = (xp.mean, xp.var, xp.std)


def libraries():
    yield np.asarray
    for name in ("array_api_strict", "jax.numpy"):
        if importlib.util.find_spec(name.partition(".")[0]):
            yield importlib.import_module(name).asarray


@pytest.mark.parametrize("asarray", list(libraries()))
def test_arrays_of_the_same_library(asarray):
    x = asarray(np.arange(6, dtype="float32").reshape(2, 3))
    for function in (getattr(xp, name) for name in xp.__all__):
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


def test_special_cases():
    for function in FLOATING:
        assert math.isnan(function(np.zeros(0))) and function(np.zeros((0, 3)), axis=0).shape == (3,)
    assert math.isnan(xp.var(np.ones(2), correction=2)) and xp.var(np.ones(3), correction=2) == 0.0
    empty = np.zeros(0)
    assert xp.sum(empty) == 0.0 and xp.prod(empty) == 1.0 and xp.all(empty) and not xp.any(empty)
    x = np.array([1.0, math.nan, math.inf])
    assert math.isnan(xp.sum(x)) and math.isnan(xp.max(x)) and math.isnan(xp.mean(x)) and math.isnan(xp.std(x))
    assert xp.any(np.array([math.nan])) and xp.sum(np.array([math.inf, 1.0])) == math.inf


def test_refusals():
    truth = np.array([True])
    for function in (xp.sum, xp.prod, xp.min, xp.argmax):
        with pytest.raises(TypeError, match="bool"):
            function(truth)
    for bad in (np.zeros(2, complex), np.array(["a"])):
        with pytest.raises(TypeError):
            xp.sum(bad)
    with pytest.raises(ValueError, match="whole number"):
        xp.var(np.ones(3), correction=0.5)
    with pytest.raises(TypeError):
        xp.argmax(np.ones((2, 2)), axis=(0, 1))
    with pytest.raises(TypeError):
        xp.sum(np.ones(2), 0)
