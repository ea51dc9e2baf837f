"""`where=` of arrays in memory of a device: on the emulated one, by arrays of a library of its own."""

import monofold as mf
import numpy as np
import pytest
from arrays import numbers
from monofold import _core
from test_device_rows import There, device  # noqa: F401: the device is what every test here needs, too
from test_device_rows import same as same_there


class Namespace:
    """What the library has of the standard's functions, on the host."""

    def __getattr__(self, name):
        if name in ("permute_dims", "reshape", "broadcast_to", "moveaxis"):
            function = np.transpose if name == "permute_dims" else getattr(np, name)
            return lambda x, *options: Array(np.array(function(x.back(), *options), order="C"))
        return np.dtype(name)

    @staticmethod
    def empty(shape, dtype, device):
        return Array(np.zeros(shape, dtype))

    @staticmethod
    def asarray(array, device=None, copy=None):
        return Array(array.array.copy() if isinstance(array, Array) else np.asarray(array))

    @staticmethod
    def astype(array, dtype):
        return Array(array.array.astype(dtype))

    @staticmethod
    def arange(count, device):
        assert device == "device 0"
        return Array(np.arange(count))

    @staticmethod
    def nonzero(mask):
        return tuple(Array(places.copy()) for places in np.nonzero(mask.back()))


class Array(There):
    shape = property(lambda self: self.array.shape)
    def __array_namespace__(self):
        return Namespace()

    def __getitem__(self, index):
        at = tuple(one.back() if isinstance(one, Array) else one for one in (index if isinstance(index, tuple) else (index,)))
        return Array(np.array(self.back()[at], order="C"))

    def __setitem__(self, index, value):
        assert index is Ellipsis and value.shape == self.shape
        here = np.array(value.back(), order="C")
        _core.copy_by_device(self.told["data"], here.ctypes.data, here.nbytes)

    def reshape(self, shape, *rest):
        return Array(self.back().reshape(shape, *rest))

    def __add__(self, other):
        return Array(self.back() + other.back())

    def __mul__(self, number):
        return Array(self.back() * number)

    def __mod__(self, number):
        return Array(self.back() % number)

    def __floordiv__(self, number):
        return Array(self.back() // number)


def same(there, here):
    return isinstance(there, Array) and same_there(there, here)


WHOLE = (mf.sum, mf.mean, mf.var, mf.min, mf.argmin, mf.argmax, mf.minmax, mf.count, mf.any, mf.norm, mf.plain.sum,
         mf.stats, mf.sum(nan="omit"), mf.argmax(nan="omit"))


@pytest.mark.parametrize("dtype", ("float32", "float64", "int16", "bool"))
def test_whole_arrays(dtype):
    x = numbers(dtype, (6, 7, 9))
    mask = numbers("bool", x.shape, seed=3)
    row = mask[0, 0]
    for operation in WHOLE:
        if dtype == "bool" and operation in (mf.norm, mf.stats):
            continue
        for where, here in ((Array(mask), mask), (mask, mask), (row, row), (Array(row), row), (mask.tolist(), mask)):
            assert operation(Array(x), where=where) == operation(x, where=here), operation
        assert operation(Array(x), where=True) == operation(x)
    for operation in (mf.top_k(k=4), mf.bottom_k(k=3)):
        assert all(map(same, operation(Array(x), where=Array(mask)), operation(x, where=mask)))
    for fold in (mf.all(mf.sum, mf.argmax, mf.count),
                 mf.all(mf.argmin, mf.plain.sum, mf.sum, mf.argmax(nan="omit"), mf.var(correction=1), mf.var)):
        assert mf.reduce(Array(x), fold, where=Array(mask)) == mf.reduce(x, fold, where=mask)
        assert mf.reduce(Array(x), fold) == mf.reduce(x, fold)
    assert mf.sum(Array(x), where=mask, dtype="float32") == mf.sum(x, where=mask, dtype="float32")
    assert mf.sum(Array(x), where=np.zeros(9, bool)) == 0


@pytest.mark.parametrize("dtype", ("float32", "float64", "int16", "bool"))
@pytest.mark.parametrize("axis", (0, 1, -1, (0, 2), (1, 2), (2, 0, 1), None))
def test_rows(dtype, axis):
    x = numbers(dtype, (6, 7, 9))
    mask = numbers("bool", x.shape, seed=4)
    mask[0, 0, :] = mask[:, 0, 0] = mask[0, :, 0] = True  # so that each row has an item
    for keepdims in (False, True):
        if axis is None and not keepdims:
            continue
        for operation in (mf.sum, mf.mean, mf.max, mf.argmin, mf.argmax, mf.count, mf.count_nonzero, mf.plain.sum, mf.var):
            if dtype == "bool" and operation is mf.plain.sum:
                continue
            got = operation(Array(x), axis=axis, where=Array(mask), keepdims=keepdims)
            assert same(got, operation(x, axis=axis, where=mask, keepdims=keepdims)), operation
        low, high = mf.minmax(Array(x), axis=axis, where=mask, keepdims=keepdims)
        for got, want in zip((low, high), mf.minmax(x, axis=axis, where=mask, keepdims=keepdims)):
            assert same(got, want)
    if axis is not None:
        for got, want in zip(mf.top_k(Array(x), 1, axis, where=mask), mf.top_k(x, 1, axis, where=mask)):
            assert same(got, want)
        fold = mf.all(mf.sum, mf.argmax)
        for got, want in zip(mf.reduce(Array(x), fold, axis=axis, where=mask), mf.reduce(x, fold, axis=axis, where=mask)):
            assert same(got, want)


@pytest.mark.parametrize("axis", (0, 1, -1, (0, 2), (1, 2), (2, 0, 1), ()))
@pytest.mark.parametrize("marked", (False, True))
def test_places_in_the_whole_array(axis, marked):
    x, mask = numbers("float32", (6, 7, 9)), None
    if marked:
        mask = numbers("bool", x.shape, seed=4)
        mask[0, 0, :] = mask[:, 0, 0] = mask[0, :, 0] = True
        if axis == ():
            mask[:] = True
    there = None if mask is None else Array(mask)
    for keepdims in (False, True):
        options = {"axis": axis, "keepdims": keepdims, "global_index": True}
        for operation in (mf.argmin, mf.argmax):
            want = operation(x, where=mask, **options)
            assert same(operation(Array(x), where=there, **options), want)
            out = Array(np.zeros(want.shape, np.int64))
            assert operation(Array(x), where=there, out=out, **options) is out and same(out, want)
        for operation in (mf.top_k(k=1), mf.bottom_k(k=1)):
            assert all(map(same, operation(Array(x), where=there, **options), operation(x, where=mask, **options)))
    fold = mf.all(mf.sum, mf.argmax, mf.top_k(k=1))
    found, want = (mf.reduce(one, fold, axis, where=marks, global_index=True) for one, marks in ((Array(x), there), (x, mask)))
    assert same(found[0], want[0]) and same(found[1], want[1]) and all(map(same, found[2], want[2]))


def test_places_of_segments_in_the_whole_array():
    x, offsets = numbers("float32", 40), np.array([0, 9, 12, 40])
    for bounds in ({"offsets": offsets}, {"starts": offsets[:-1], "stops": offsets[1:]}):
        for operation in (mf.argmax, mf.top_k(k=2)):
            want = mf.segmented_reduce(x, operation, **bounds, global_index=True)
            for brought in (lambda numbers: numbers, Array, lambda numbers: Array(numbers.astype(np.int32))):
                given = {name: brought(np.array(numbers)) for name, numbers in bounds.items()}
                found = mf.segmented_reduce(Array(x), operation, **given, global_index=True)
                pairs = zip(found, want) if isinstance(want, tuple) else [(found, want)]
                assert all(same(*pair) for pair in pairs)


def test_rows_into_an_array():
    x, mask = numbers("float32", (6, 7)), numbers("bool", (6, 7), seed=4)
    mask[:, 2] = True
    for operation, dtype in ((mf.sum, "float32"), (mf.var, "float32"), (mf.argmax, "int64"), (mf.count, "int64")):
        for keepdims in (False, True):
            out = Array(np.zeros((6, 1) if keepdims else 6, dtype))
            assert operation(Array(x), axis=1, where=Array(mask), keepdims=keepdims, out=out) is out
            assert same(out, operation(x, axis=1, where=mask, keepdims=keepdims)), operation
    pair = Array(np.zeros(7, "float32")), Array(np.zeros(7, "float32"))
    mask[3] = True
    found = mf.minmax(Array(x), axis=0, where=mask, out=pair)
    assert all(one is given for one, given in zip(found, pair))
    assert all(map(same, pair, mf.minmax(x, axis=0, where=mask)))
    for out, error, why in ((Array(np.ones(5, "float32")), ValueError, "shape"), (np.ones(6), mf.DeviceUnavailable, "host"),
                            (Array(np.ones(6, "int32")), TypeError, "int32")):
        with pytest.raises(error, match=why):
            mf.sum(Array(x), axis=1, where=mask, dtype="float32", out=out)
    out, mask[1] = Array(np.ones(6, "float32")), False
    with pytest.raises(mf.EmptyInput):
        mf.max(Array(x), axis=1, where=mask, out=out)
    assert same(out, np.ones(6, "float32"))


def test_rows_of_nothing():
    x, none = np.ones((3, 4)), np.zeros((3, 4), bool)
    assert same(mf.sum(Array(x), axis=1, where=none), np.zeros(3))
    some = none.copy()
    some[0] = some[2, 1] = True
    with pytest.raises(mf.EmptyInput, match=r"row \(1,\)"):
        mf.max(Array(x), axis=1, where=some)
    with pytest.raises(mf.EmptyInput):
        mf.argmax(Array(x), where=none)
    assert same(mf.sum(Array(x[:0]), axis=1, where=none[:0]), np.zeros(0))
    assert same(mf.sum(Array(x[:, :0]), axis=1, where=none[:, :0]), np.zeros(3))


def test_where_a_nan_lies():
    x = np.ones((3, 4), "float32")
    x[0, 1] = x[1, 2] = np.nan
    mask = np.ones((3, 4), bool)
    mask[0] = False
    for options in ({}, {"dtype": "float64"}):
        with pytest.raises(mf.NanFound) as found:
            mf.sum(Array(x), where=Array(mask), nan="raise", **options)
        assert found.value.index == 6
    with pytest.raises(mf.NanFound, match=r"row \(1,\)"):
        mf.sum(Array(x), axis=1, where=Array(mask), nan="raise")
    assert same(mf.sum(Array(x), axis=1, where=mask, nan="omit"), np.array([0, 3, 4], "float32"))


def test_wrong_masks():
    x = Array(np.ones((3, 4)))
    for where, error, why in ((np.ones((3, 4)), TypeError, "of bool"), (Array(np.ones((3, 4))), TypeError, "of bool"),
                              (np.ones(3, bool), ValueError, "shape"), (Array(np.ones(3, bool)), ValueError, "shape"),
                              (Array(np.ones((2, 3, 4), bool)), ValueError, "shape")):
        for axis in (None, 1):
            with pytest.raises(error, match=why):
                mf.sum(x, axis=axis, where=where)
    mask = np.ones((3, 4), bool)
    with pytest.raises(TypeError, match="where= needs"):
        mf.dot(x, x, where=mask)
    Other = type("Other", (There,), {"__module__": "another"})
    with pytest.raises(TypeError, match="same library"):
        mf.sum(x, where=Other(mask))
    with pytest.raises(TypeError, match="no library"):
        told = type("Told", (), {"__cuda_array_interface__": {
            "shape": (12,), "typestr": "<f8", "data": (x.told["data"], False), "version": 3}})()
        mf.sum(told, where=mask.ravel())
    assert _core.gpu()
