"""Inner products along axes in memory of a device: sums of products that the library of the arrays makes."""

import monofold as mf
import numpy as np
import pytest
from arrays import numbers
from test_device_rows import device, same  # noqa: F401: the device is what every test here needs, too
from test_device_where import Array, Namespace


class Widening(Namespace):
    """A library that makes wider copies, and products."""

    @staticmethod
    def astype(array, dtype):
        return Factor(array.back().astype(dtype))

    @staticmethod
    def empty(shape, dtype, device):
        return Factor(np.zeros(shape, dtype))


class Factor(Array):
    def __array_namespace__(self):
        return Widening()

    def __mul__(self, other):
        return Factor(self.back() * other.back())


TYPES = ("float32", "float16", "bool", "int8", "uint8", "int16", "uint16", "int32")


def pair(dtype, shape=(6, 70, 9)):
    x, y = numbers(dtype, shape), numbers(dtype, shape, seed=9)
    if dtype == "int32":
        return x >> 8, y >> 8  # so that sums of products fit
    return (x, y) if np.dtype(dtype).kind != "f" else (x.clip(-100, 100), y.clip(-100, 100))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("axis", (0, 1, 2, (0, 2), (1, 2), None, ()))
def test_rows(dtype, axis):
    x, y = pair(dtype)
    for options in ({"axis": axis, "keepdims": True}, {"axis": axis, "keepdims": True, "dtype": "float64"}):
        assert same(mf.dot(Factor(x), Factor(y), **options), mf.dot(x, y, **options))
    if axis is not None:
        assert same(mf.dot(Factor(x), Factor(y), axis=axis), mf.dot(x, y, axis=axis))


def test_whole_range():
    """Products far below and above the range of the items' type."""
    x, y = numbers("float32", (50, 400)), numbers("float32", (50, 400), seed=2)
    tiny = np.float32(2) ** -149
    x[0, :], y[0, :] = tiny, tiny
    x[1, :], y[1, :] = np.finfo("float32").max, np.finfo("float32").max
    x[2, :], y[2, :] = -0.0, 1
    for dtype in (None, "float64", "float16"):
        assert same(mf.dot(Factor(x), Factor(y), axis=1, dtype=dtype), mf.dot(x, y, axis=1, dtype=dtype))
    assert mf.dot(Factor(x), Factor(y), axis=1, dtype="float64").back()[0] == 400 * 2.0**-298


@pytest.mark.filterwarnings("ignore:invalid value")  # of the library that multiplies
def test_nan_and_arrays_for_answers():
    x, y = numbers("float32", (6, 7)), numbers("float32", (6, 7), seed=3)
    x[2, 3], y[2, 3], x[4, 1] = np.inf, 0, np.nan  # a product is NaN
    for nan in ("propagate", "omit"):
        assert same(mf.dot(Factor(x), Factor(y), axis=1, nan=nan), mf.dot(x, y, axis=1, nan=nan))
    with pytest.raises(mf.NanFound, match=r"dot: .*row \(2,\)"):
        mf.dot(Factor(x), Factor(y), axis=1, nan="raise")
    for dtype in ("float32", "float64"):
        out, here = Factor(np.zeros(6, dtype)), np.zeros(6, dtype)
        assert mf.dot(Factor(x), Factor(y), axis=1, out=out) is out
        mf.dot(x, y, axis=1, out=here)
        assert same(out, here)
    big = np.full((2, 3), -2**31, "int32")
    for x, y in ((Factor(big), Factor(big)), (big, big)):
        with pytest.raises(mf.IntegerOverflow, match=r"dot: .*row \(0,\)"):
            mf.dot(x, y, axis=1)


def test_what_is_refused():
    x, y = pair("float32")
    for dtype in ("float64", "int64", "uint64", "uint32"):
        with pytest.raises(TypeError, match=f"dot of {dtype} along axes"):
            mf.dot(Factor(x.astype(dtype)), Factor(y.astype(dtype)), axis=1)
    with pytest.raises(TypeError, match="dot of float32 along axes"):
        mf.plain.dot(Factor(x), Factor(y), axis=1)
    with pytest.raises(TypeError, match="where="):
        mf.dot(Factor(x), Factor(y), axis=1, where=x > 0)
    for one, other in ((Factor(x), y), (x, Factor(y))):
        with pytest.raises(TypeError, match="two arrays on the host, or two on a device"):
            mf.dot(one, other, axis=1)
