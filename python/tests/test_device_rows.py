"""Rows and segments in memory of a device, by arrays of a library of its own: on the emulated device, where it is."""

import os
import pathlib
import sys
from types import SimpleNamespace

import monofold as mf
import monofold.array_api as xp
import numpy as np
import pytest
from arrays import numbers
from monofold import _arrays, _core
from producers import CudaArray, Tensor, exchange_type

LIBRARIES = pathlib.Path(__file__).parents[2] / "build" / "lib"
CODES = {"f": 2, "i": 0, "u": 1, "b": 6}


@pytest.fixture(autouse=True, scope="module")
def device():
    os.environ.setdefault("MONOFOLD_LIBRARY_PATH", str(LIBRARIES))
    if not mf.info()["gpu"].startswith("none"):
        pytest.skip("the other device is here")
    if not _core.emulates_devices(True):
        _core.emulates_devices(False)
        pytest.skip("no emulated device")
    yield
    _core.emulates_devices(False)


class Namespace:
    """A library of arrays in memory of the device."""

    def __getattr__(self, name):
        return np.dtype(name)

    @staticmethod
    def empty(shape, dtype, device):
        assert device == "device 0"
        return There(np.zeros(shape, dtype))

    @staticmethod
    def full(shape, fill, dtype, device):
        assert device == "device 0"
        return There(np.full(shape, fill, dtype))

    @staticmethod
    def asarray(array, copy=None, device=None):
        if isinstance(array, np.ndarray):
            assert device == "device 0"
            return There(array)
        assert copy
        return There(array.array.copy(order="C"))

    @staticmethod
    def astype(array, dtype):
        return There(array.array.astype(dtype))

    @staticmethod
    def moveaxis(array, axis, to):
        return There(np.ascontiguousarray(np.moveaxis(array.back(), axis, to)))


class There(Tensor):
    """A copy of a NumPy array in memory of the device, of the same strides."""

    device = "device 0"

    def __init__(self, array):
        base = array if array.base is None else array.base
        self.memory = _core.device_memory(max(base.nbytes, 8))
        if base.nbytes:
            _core.copy_by_device(self.memory.address, base.ctypes.data, base.nbytes)
        at = self.memory.address + array.ctypes.data - base.ctypes.data
        super().__init__(array, CODES[array.dtype.kind], kind=2, data=at)

    def __array_namespace__(self):
        return Namespace()

    def back(self):
        out = np.empty(self.array.shape, self.array.dtype)
        if out.nbytes:
            _core.copy_by_device(out.ctypes.data, self.told["data"], out.nbytes)
        return out


def same(there, here):
    assert isinstance(there, There)
    back, here = there.back(), np.asarray(here)
    return back.dtype == here.dtype and back.shape == here.shape and back.tobytes() == here.tobytes()


OPERATIONS = (mf.sum, mf.mean, mf.var, mf.std, mf.min, mf.max, mf.argmin, mf.argmax, mf.any, mf.all, mf.count_nonzero,
              mf.norm, mf.norm(ord=1), mf.norm(ord=np.inf), mf.mean_square)


@pytest.mark.parametrize("dtype", ("float32", "float64", "float16", "int32", "uint8", "bool"))
@pytest.mark.parametrize("axis", (0, 1, 2, (1, 2), (2, 0), None))
def test_rows(dtype, axis):
    x = numbers(dtype, (6, 7, 9))
    there = There(x)
    for operation in (*OPERATIONS, *(() if dtype == "float16" else (mf.prod,))):
        assert same(operation(there, axis=axis, keepdims=True), operation(x, axis=axis, keepdims=True)), operation
    low, high = mf.minmax(there, axis=axis, keepdims=True)
    assert same(low, x.min(axis, keepdims=True)) and same(high, x.max(axis, keepdims=True))
    assert there.asked[-1]["stream"] == 1
    assert mf.sum(there) == mf.sum(x)


def test_strides():
    x = numbers("float32", (30, 40))
    for view in (x.T, x[::2, ::-3], x[3:, 5:]):
        for axis in (0, 1):
            assert same(mf.sum(There(view), axis=axis), mf.sum(view, axis=axis))


def test_items_that_lie_apart():
    x = numbers("float32", (30, 40))
    for view in (x.T, x[::2, ::-3], x[3:, 5:], x[:, 7], x[::-1, 0]):
        there = There(view)
        for operation in (mf.sum, mf.argmax, mf.plain.sum, mf.stats, mf.minmax):
            assert operation(there) == operation(view), operation
        assert mf.sum(there, dtype="float16") == mf.sum(view, dtype="float16")
        assert mf.dot(there, there) == mf.dot(view, view)
        assert all(map(same, mf.top_k(there, 3), mf.top_k(view, 3)))
        assert mf.State(mf.plain.sum, "float32").push(there) == mf.State(mf.plain.sum, "float32").push(view)
        assert mf.State(mf.dot, "float32").push(there, there) == mf.State(mf.dot, "float32").push(view, view)
        bounds = [0, view.size // 3, view.size]
        assert same(mf.segmented_reduce(there, mf.sum, bounds), mf.segmented_reduce(view, mf.sum, bounds))
    none = There(x[:0, ::2])
    assert mf.plain.sum(none) == mf.dot(none, none) == 0
    with pytest.raises(mf.EmptyInput):
        mf.argmax(none)


@pytest.mark.parametrize("dtype", ("float32", "float64", "float16", "int32", "uint8", "bool"))
def test_best_of_rows(dtype):
    x = numbers(dtype, (6, 7, 40))
    there = There(x)
    for operation in (mf.top_k, mf.bottom_k):
        for axis in (0, 1, 2, (1, 2)):
            for got, want in zip(operation(there, 3, axis), operation(x, 3, axis)):
                assert same(got, want), (operation, axis)
    best = mf.segmented_reduce(There(x.ravel()), mf.top_k(k=2), [0, 700, 1680])
    for got, want in zip(best, mf.segmented_reduce(x.ravel(), mf.top_k(k=2), [0, 700, 1680])):
        assert same(got, want)
    [low, most] = mf.reduce(There(x[0]), mf.all(mf.min, mf.top_k(k=4)), axis=1)
    assert same(low, x[0].min(1)) and same(most.indices, mf.top_k(x[0], 4, axis=1).indices)


def test_best_of_rows_and_nan():
    x = numbers("float32", (4, 50))
    x[1, 3] = x[1, 9] = np.nan
    there = There(x)
    assert same(mf.top_k(there, 50, axis=1).values, mf.top_k(x, 50, axis=1).values)
    assert same(mf.top_k(there, 3, axis=1, nan="omit").indices, mf.top_k(x, 3, axis=1, nan="omit").indices)
    with pytest.raises(mf.EmptyInput, match=r"row \(1,\)"):
        mf.top_k(there, 49, axis=1, nan="omit")
    with pytest.raises(mf.NanFound, match=r"row \(1,\)"):
        mf.top_k(there, 3, axis=1, nan="raise")


def test_options():
    x = numbers("float64", (5, 50))
    x[1, 3] = np.nan
    there = There(x)
    assert same(mf.sum(there, axis=1, nan="omit"), mf.sum(x, axis=1, nan="omit"))
    assert same(mf.mean(there, axis=1, dtype="float32"), mf.mean(x, axis=1, dtype="float32"))
    assert same(mf.var(there, axis=0, correction=1), mf.var(x, axis=0, correction=1))
    assert same(mf.plain.sum(there, axis=1), mf.plain.sum(x, axis=1))
    with pytest.raises(mf.NanFound, match=r"row \(1,\)"):
        mf.max(there, axis=1, nan="raise")
    total, most = mf.reduce(there, mf.all(mf.sum, mf.argmax), axis=1)
    assert same(total, mf.sum(x, axis=1)) and same(most, mf.argmax(x, axis=1))


@pytest.mark.parametrize("shape", ((6, 7, 9), (1, 5), (40,), ()))
def test_array_api(shape):
    """Answers of the standard's functions lie where the array does, whole ones too."""
    x = np.asarray(numbers("float32", shape), "float32")
    for name in xp.__all__:
        if name.startswith("cumulative"):
            continue
        function = getattr(xp, name)
        for options in ({}, {"keepdims": True}, *({"axis": axis} for axis in (0, -1)[:len(shape)])):
            assert same(function(There(x), **options), function(x, **options)), (name, options)
    assert same(xp.sum(There(x), dtype="float64"), xp.sum(x, dtype="float64"))
    assert same(xp.var(There(np.ones((3, 2))), axis=1, correction=2), np.full(3, np.nan))
    assert same(xp.mean(There(np.ones((2, 0), "float32")), axis=1), np.full(2, np.nan, "float32"))
    for var in (xp.var, mf.var):
        with pytest.raises(TypeError, match="1.5 of an array on a device"):
            var(There(np.ones((3, 2))), correction=1.5)
    with pytest.raises(TypeError, match="bool"):
        xp.max(There(np.ones(3, bool)))
    with pytest.raises(TypeError, match="no library"):
        xp.sum(CudaArray(shape=(40,), data=(There(np.ones(40, "float32")).told["data"], False)))


def test_the_host_s_loops_do_not_read_a_device():
    source = _arrays.as_source(There(np.ones((3, 4))))
    how = mf.sum.make_how("propagate")
    with pytest.raises(TypeError, match="lies on a device"):
        _core.rows(source.items, None, [0], 1, how, 12, 1, 0, 0, 0)
    here = _arrays.as_source(np.ones((3, 4)))
    with pytest.raises(TypeError, match="lies on a device"):
        _core.rows(here.items, source.items, [0], 1, how, 12, 1, 0, 0, 0)
    with pytest.raises(TypeError, match="lies on a device"):
        _core.rolling(source.items, 0, 1, 1, how, 12, 1, 0, 0, 0)
    with pytest.raises(TypeError, match="lies on a device"):
        _core.count_marked(source.items)


def test_failures():
    there = There(np.full((3, 4), 2**62))
    with pytest.raises(mf.IntegerOverflow, match=r"row \(0,\)"):
        mf.sum(there, axis=1)
    with pytest.raises(mf.EmptyInput):
        mf.min(There(np.ones((3, 0))), axis=1)
    with pytest.raises(np.exceptions.AxisError):
        mf.sum(there, axis=2)
    with pytest.raises(TypeError, match="prod of float16.* no kernel"):
        mf.prod(There(np.ones((3, 4), "float16")), axis=0)
    with pytest.raises(TypeError, match="var of float32.* no kernel"):
        mf.plain.var(There(np.ones((3, 4), "float32")), axis=0)
    with pytest.raises(mf.EmptyInput, match=r"row \(0,\)"):
        mf.top_k(there, 5, axis=1)
    with pytest.raises(TypeError, match="top_k of float64.* no kernel"):
        mf.top_k(There(np.ones((1, 1025))), 1025, axis=1)
    with pytest.raises(TypeError, match="top_k of float64 has no kernel for k = 1099511627776 on a device"):
        mf.top_k(There(np.ones((1, 1025))), 2**40, axis=1)


def test_out():
    x = numbers("float32", (30, 40))
    there, out = There(x), There(np.zeros(40, "float64"))
    assert mf.sum(there, axis=0, out=out) is out and same(out, mf.sum(x, axis=0, dtype="float64"))
    for wrong, error, why in (
            (np.zeros(40, "float32"), mf.DeviceUnavailable, "host"),
            (There(np.zeros(30, "float32")), ValueError, "shape"),
            (There(np.zeros(40, "int32")), TypeError, "integers"),
            (There(np.zeros((40, 2), "float32")[:, 0]), ValueError, "packed"),
            (there, ValueError, "shape")):
        with pytest.raises(error, match=why):
            mf.sum(there, axis=0, out=wrong)
    frozen = There(np.zeros(40, "float32"))
    frozen.managed.flags = 1  # read only
    told = CudaArray(shape=(40,), data=(frozen.told["data"], True))
    for wrong in (frozen, told):
        with pytest.raises(ValueError, match="written"):
            mf.sum(there, axis=0, dtype="float32", out=wrong)
    pair = There(np.zeros(40, "float32"))
    with pytest.raises(ValueError, match="written"):
        mf.minmax(there, axis=0, out=(pair, frozen))
    assert not pair.back().any() and not frozen.back().any()
    row = CudaArray(shape=(40,), data=(there.told["data"] + 160, False))
    with pytest.raises(ValueError, match="shares memory"):
        mf.sum(there, axis=0, out=row)
    told = CudaArray(shape=(30, 40), data=(there.told["data"], False))
    with pytest.raises(TypeError, match="give out="):
        mf.sum(told, axis=0)
    assert mf.argmax(told, axis=0, out=(place := There(np.zeros(40, "int64")))) is place
    assert same(place, mf.argmax(x, axis=0))


def test_segments():
    x = numbers("float64", 1000)
    offsets = np.array([0, 3, 3, 500, 999, 1000])
    there = There(x)
    want = mf.segmented_reduce(x, mf.sum, offsets)
    assert same(mf.segmented_reduce(there, mf.sum, offsets), want)
    assert same(mf.segmented_reduce(there, mf.sum, offsets.tolist()), want)
    assert same(mf.segmented_reduce(there, mf.sum, There(offsets)), want)
    assert same(mf.segmented_reduce(there, mf.sum, starts=There(offsets[:-1].copy()), stops=offsets[1:]), want)
    assert same(mf.segmented_reduce(there, mf.sum, starts=offsets[:-1]), want)
    with pytest.raises(mf.EmptyInput, match="1"):
        mf.segmented_reduce(there, mf.max, offsets)
    with pytest.raises(ValueError, match="segment 1 ends"):
        mf.segmented_reduce(there, mf.max, There(np.array([0, 3, 2, 5])))


def test_streams(monkeypatch):
    """A library's stream is taken where all arrays are of the library; else the default one, which is waited for."""
    legacy = SimpleNamespace(ptr=1, is_capturing=lambda: False)
    library = SimpleNamespace(cuda=SimpleNamespace(get_current_stream=lambda: legacy),
                              empty=lambda shape, dtype: Mine(np.zeros(shape, dtype)))
    monkeypatch.setitem(sys.modules, "cupy", library)
    Mine = type("Mine", (There,), {"__module__": "cupy"})
    asked = []
    for name in ("device_rows", "device_segments"):
        call = getattr(_core, name)
        first = {"device_rows": 8, "device_segments": 9}[name]
        monkeypatch.setattr(_core, name, lambda *given, call=call, first=first:
                            asked.append(given[first:]) or call(*given))
    x, offsets = numbers("float32", (30, 40)), np.array([0, 7, 1200])
    for out, want in ((None, (1, False)), (Mine(np.zeros(40, "float32")), (1, False)),
                      (There(np.zeros(40, "float32")), (0, True))):
        assert same(mf.sum(Mine(x), axis=0, out=out), mf.sum(x, axis=0)) and asked.pop() == want
    for bounds, want in ((Mine(offsets), (1,)), (There(offsets), (0,))):
        assert same(mf.segmented_reduce(Mine(x), mf.sum, bounds), mf.segmented_reduce(x, mf.sum, offsets))
        assert asked.pop() == want


def test_whole_arrays_take_the_short_way():
    """The second array of a type is asked by the core itself: the same bits, one question a call."""
    values = numbers("float64", 5000)
    there = There(values)
    for name in ("sum", "mean", "var", "max", "argmax", "minmax", "norm", "logsumexp"):
        operation = getattr(mf, name)
        here = operation(values)
        assert operation(there) == here
        before = len(there.asked)
        assert operation(there) == here and operation(There(values.reshape(50, 100))) == here
        assert len(there.asked) == before + 1 and there.asked[-1] == {"max_version": (1, 1), "stream": 1}
    assert mf.sum(There(values[::2])) == mf.sum(values[::2])  # by the long way, of a copy


def test_best_of_whole_arrays():
    """In arrays of the library, on the device; beside numbers too."""
    x = numbers("float32", (50, 100))
    there = There(x)
    for fold in (mf.top_k(k=7), mf.bottom_k(k=3)):
        for best in (fold(there), mf.reduce(there, fold), fold(there, nan="omit")):
            assert type(best) is mf.TopK and all(map(same, best, fold(x)))
    total, best = mf.reduce(there, mf.all(mf.sum, mf.top_k(k=2)))
    assert total == mf.sum(x) and all(map(same, best, mf.top_k(x, 2)))


def dtype_of(code, bits):
    return np.dtype(f"{'iuf?'[code] if code < 3 else 'b'}{bits // 8}" if code != 6 else bool)


streams = [0]
Exchanged = exchange_type(base=There, stream=lambda: streams[-1],
                          make=lambda shape, code, bits: Exchanged(np.zeros(shape, dtype_of(code, bits))))


class LikeCuPy(There):
    """An array of a library without the exchange API, but with CuPy's two functions."""


@pytest.fixture
def cupy(monkeypatch):
    stream = SimpleNamespace(ptr=0, is_capturing=lambda: False)
    library = SimpleNamespace(empty=lambda shape, dtype: LikeCuPy(np.zeros(shape, dtype)),
                              cuda=SimpleNamespace(get_current_stream=lambda: stream))
    monkeypatch.setattr(LikeCuPy, "__module__", "cupy")
    monkeypatch.setattr(LikeCuPy, "data", property(lambda self: SimpleNamespace(ptr=self.told["data"])), raising=False)
    monkeypatch.setitem(sys.modules, "cupy", library)
    return stream


@pytest.mark.parametrize("dtype", ("float32", "float64", "int16", "bool"))
def test_rows_take_the_short_way(dtype, cupy, monkeypatch):
    """From the second call on: the same bits and types, into an array that the core has made itself."""
    x = numbers(dtype, (6, 7, 9))
    for cls in (Exchanged, LikeCuPy):
        long_ways = []
        for operation in (mf.sum, mf.max, mf.argmin, mf.count_nonzero, mf.plain.sum):
            for axis in (0, 1, -1, (2, 1), (0, -1), (0, 1, 2)):
                here = operation(x, axis=axis)
                assert same(operation(cls(x), axis=axis), here)
                with monkeypatch.context() as patched:
                    patched.setattr(type(operation), "_call", lambda self, *args, **named: long_ways.append(args))
                    there = operation(cls(x), axis)
                    assert type(there) is cls and same(there, here)
                    assert same(operation(cls(x[::-1, :, 2:7]), axis=axis), operation(x[::-1, :, 2:7], axis=axis))
        assert not long_ways


def test_what_the_short_way_leaves(cupy):
    """Other streams than CuPy's default one, rows without an answer, what has no kernel: the long way says."""
    x = numbers("float64", (4, 5))
    for cls in (Exchanged, LikeCuPy):
        mf.max(cls(x), axis=0)
        with pytest.raises(mf.EmptyInput, match="row"):
            mf.max(cls(x[:, :0]), axis=1)
        with pytest.raises(ValueError, match="axis"):
            mf.sum(cls(x), axis=2)
        with pytest.raises(TypeError):
            mf.sum(cls(x), axis=True)
        with pytest.raises(ValueError, match="axis"):
            mf.sum(cls(x), axis=(0, -2))
        assert same(mf.sum(cls(x), axis=()), mf.sum(x, axis=()))
    cupy.ptr = 7
    there = LikeCuPy(x)
    assert same(mf.sum(there, axis=0), mf.sum(x, axis=0)) and len(there.asked) == 1
