"""Bounds of segments in memory of a device that are not packed int64: on the emulated device, where it is."""

import sys
from types import SimpleNamespace

import monofold as mf
import numpy as np
import pytest
from arrays import numbers
from test_device_rows import There, device, same  # noqa: F401: which every test here needs, too


@pytest.mark.parametrize("dtype", ("int16", "int32", "uint16", "uint32", "uint64"))
def test_bounds_of_other_types_are_copied_there(dtype):
    x = numbers("float64", 1000)
    offsets = np.array([0, 3, 3, 500, 999, 1000])
    there, short = There(x), offsets.astype(dtype)
    want = mf.segmented_reduce(x, mf.sum, offsets)
    assert same(mf.segmented_reduce(there, mf.sum, There(short)), want)
    assert same(mf.segmented_reduce(there, mf.sum, There(np.repeat(short, 2)[::2])), want)
    assert same(mf.segmented_reduce(there, mf.sum, There(np.repeat(offsets, 3)[::3])), want)
    starts, stops = There(short[:-1].copy()), There(short[1:].copy())
    assert same(mf.segmented_reduce(there, mf.sum, starts=starts, stops=stops), want)
    assert same(mf.segmented_reduce(there, mf.sum, starts=starts, stops=offsets[1:]), want)
    with pytest.raises(ValueError, match="segment 1 ends"):
        mf.segmented_reduce(there, mf.sum, There(np.array([0, 3, 2, 5], dtype)))


def test_bounds_that_are_none(monkeypatch):
    there = There(numbers("float64", 6))
    for bad in (There(np.array([0.0, 6.0])), There(np.array([False, True])), There(np.array([[0, 6]]))):
        with pytest.raises(TypeError, match="integers along one axis"):
            mf.segmented_reduce(there, mf.sum, bad)

    monkeypatch.delattr(There, "__array_namespace__")
    with pytest.raises(TypeError, match="are int64 where"):
        mf.segmented_reduce(there, mf.sum, There(np.array([0, 6], "int32")))


@pytest.mark.parametrize("name, method, int64", (("cupy", "astype", "int64"), ("torch", "to", np.dtype("int64"))))
def test_bounds_are_copied_by_their_own_library(monkeypatch, name, method, int64):
    """In its stream, which the answers are made in too."""
    x, offsets = numbers("float64", 100), np.array([0, 7, 100])
    want = mf.segmented_reduce(x, mf.sum, offsets)
    there, short = There(x), There(offsets.astype("int32"))
    assert same(mf.segmented_reduce(there, mf.sum, short), want)  # by the array API; this type is known from now on

    def converted(self, dtype):
        calls.append(dtype)
        return There(self.array.astype(dtype))

    def empty(shape, dtype, **_):
        return There(np.zeros(shape, dtype))

    calls, stream = [], SimpleNamespace(ptr=0, cuda_stream=0)
    cuda = SimpleNamespace(get_current_stream=lambda: stream, current_stream=lambda _: stream,
                           is_current_stream_capturing=lambda: False)
    monkeypatch.setitem(sys.modules, name, SimpleNamespace(
        cuda=cuda, empty=empty, int64=np.dtype("int64"), float64=np.dtype("float64"), Tensor=There))
    monkeypatch.setattr(There, "__module__", name)
    monkeypatch.setattr(There, method, converted, raising=False)
    assert same(mf.segmented_reduce(there, mf.sum, short), want) and calls == [int64]
