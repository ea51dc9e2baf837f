"""Answers along axes in memory of a device as arrays of JAX: on the emulated device, by a library that is as strict."""

import itertools
import sys
import types

import monofold as mf
import monofold.array_api as xp
import numpy as np
import pytest
from arrays import numbers
from monofold import _core, _device_jax
from producers import Tensor
from test_device_rows import CODES, OPERATIONS, There, device  # noqa: F401: which every test here needs, too


class Array(There):
    """An array of the library. Other memory than its own is copied by `jit` alone."""

    __module__ = "jaxlib._jax"
    is_done = True

    def is_ready(self):
        return self.is_done

    def block_until_ready(self):
        self.is_done = True

    def __array__(self, dtype=None, copy=None):
        return self.back()


class Imported(Tensor):
    """Memory that somebody else has lent, and the stream that it is ready in."""

    __module__ = "jaxlib._jax"

    def __init__(self, items, stream):
        self.items, self.stream = items, stream
        shown = np.empty(tuple(items.extents), mf._dtypes.numpy_of(items.dtype))
        super().__init__(shown, CODES[shown.dtype.kind], kind=2, data=items.address)

    def copied(self):
        there = Array(np.empty_like(self.array))
        _core.copy_by_device(there.memory.address, self.items.address, self.array.nbytes)
        return there


def started(monkeypatch):
    """(stream, whether it waits) of each call that starts kernels, which have one stream on the emulated device."""
    seen = []

    def patch(name, place):
        call = getattr(_core, name)
        monkeypatch.setattr(_core, name, lambda *given: seen.append(given[place:]) or call(
            *given[:place], 0, *given[place + 1:]))

    patch("device_rows", 8)
    patch("device_segments", 9)
    return seen


@pytest.fixture
def jax(monkeypatch):
    library = types.ModuleType("jax")
    library.streams = itertools.cycle((7, 9))  # it has several, and takes another one each time
    library.imported, library.copied = [], []
    library.started = started(monkeypatch)
    library.config = types.SimpleNamespace(jax_enable_x64=True)

    def from_dlpack(lent):
        assert lent.__dlpack_device__() == (2, 0)
        stream = next(library.streams)
        library.imported.append(Imported(_core.from_dlpack(lent.__dlpack__(stream=stream)), stream))
        return library.imported[-1]

    def jit(function, keep_unused):
        assert keep_unused
        library.numpy.array = lambda one, copy: one.copied()

        def call(x, lent):
            library.copied.append((x, lent, function(x, lent)))
            return library.copied[-1][-1]

        return call

    library.jit = jit
    library.dlpack = types.SimpleNamespace(from_dlpack=from_dlpack)
    library.numpy = types.SimpleNamespace(asarray=lambda array, device: Array(array))
    library.numpy.full = lambda shape, fill, dtype, device: Array(np.full(shape, fill, dtype))
    monkeypatch.setitem(sys.modules, "jax", library)
    monkeypatch.setitem(sys.modules, "jax.numpy", library.numpy)
    monkeypatch.setattr(Array, "__array_namespace__", lambda self: types.SimpleNamespace(
        moveaxis=lambda array, axis, to: Array(np.ascontiguousarray(np.moveaxis(array.back(), axis, to))),
        astype=lambda array, dtype: Array(array.array.astype(dtype)), int64=np.int64, **vars(library.numpy), float32=np.float32, float64=np.float64))
    monkeypatch.setattr(_device_jax, "_used", type(_device_jax._used)())
    monkeypatch.setattr(_device_jax, "_free", type(_device_jax._free)(list))
    return library


def same(there, here):
    assert type(there) is Array
    back, here = there.back(), np.asarray(here)
    return back.dtype == here.dtype and back.shape == here.shape and back.tobytes() == here.tobytes()


@pytest.mark.parametrize("dtype", ("float32", "float64", "int32", "uint8", "bool"))
@pytest.mark.parametrize("axis", (0, 1, (1, 2), None))
def test_rows(jax, dtype, axis):
    x = numbers(dtype, (6, 7, 9))
    there = Array(x)
    for operation in OPERATIONS:
        assert same(operation(there, axis=axis, keepdims=True), operation(x, axis=axis, keepdims=True)), operation
    for got, want in zip(mf.minmax(there, axis=axis, keepdims=True), (x.min, x.max)):
        assert same(got, want(axis, keepdims=True))
    assert mf.sum(there) == mf.sum(x)
    assert same(mf.sum(there, axis=0, dtype="float64"), mf.sum(x, axis=0, dtype="float64"))


def test_other_calls(jax):
    x = numbers("float64", (30, 40))
    there = Array(x)
    for got, want in zip(mf.top_k(there, 3, axis=0), mf.top_k(x, 3, axis=0)):
        assert same(got, want)
    assert all(map(same, mf.top_k(there, 3), mf.top_k(x, 3)))
    for got, want in zip(mf.reduce(there, mf.all(mf.sum, mf.argmax), axis=1), (mf.sum(x, axis=1), mf.argmax(x, axis=1))):
        assert same(got, want)
    flat, offsets = Array(x.ravel()), np.array([0, 7, 8, 1200])
    for bounds in (offsets, offsets.tolist(), Array(offsets), Array(offsets.astype("int32"))):
        assert same(mf.segmented_reduce(flat, mf.sum, bounds), mf.segmented_reduce(x.ravel(), mf.sum, offsets))
    keys = np.arange(1200) % 7
    for got, want in zip(mf.group_by(Array(keys), flat, mf.max), mf.group_by(keys, x.ravel(), mf.max)):
        assert same(got, want)
    assert same(xp.mean(there), np.asarray(mf.mean(x)))
    assert same(xp.mean(Array(np.ones((2, 0))), axis=1), np.full(2, np.nan))


def test_order(jax):
    """The array is ready, the kernel starts and the answer is ready in the stream that JAX names, and nobody waits."""
    there = Array(numbers("float32", (30, 40)))
    mf.sum(there, axis=0)
    assert jax.started == [(7, False)] and there.asked[-1] == {"stream": 7} and jax.imported[0].stream == 7
    mf.minmax(there, axis=0)  # answers in two arrays by one kernel: the second one is ready when the first is
    _, low, high = jax.imported
    assert jax.started[1:] == [(9, False)] and there.asked[-1] == {"stream": 9} and (low.stream, high.stream) == (9, 7)
    assert low.asked == [{"stream": 7}] and not high.asked
    jax.streams = itertools.repeat(None)  # JAX has none to tell: all is there before it has the address
    mf.sum(there, axis=0)
    assert jax.started[2:] == [(0, True)]
    assert [taken for taken, *_ in jax.copied] == [there] * 3
    jax.streams = itertools.repeat(5)
    offsets = Array(np.array([0, 7, 1200]))
    mf.segmented_reduce(there, mf.sum, offsets)  # which waits
    assert jax.started[3:] == [(0,)] and offsets.asked[-1]["stream"] == 1


def test_failures(jax):
    there = Array(np.full((3, 4), 2**62))
    with pytest.raises(mf.IntegerOverflow, match=r"row \(0,\)"):
        mf.sum(there, axis=1)
    with pytest.raises(mf.EmptyInput):
        mf.min(Array(np.ones((3, 0))), axis=1)
    with pytest.raises(TypeError, match="prod of float16.* no kernel"):
        mf.prod(Array(np.ones((3, 4), "float16")), axis=0)
    with pytest.raises(ValueError, match="segment 1 ends"):
        mf.segmented_reduce(Array(np.ones(9)), mf.max, Array(np.array([0, 3, 2, 5])))
    with pytest.raises(ValueError, match="written"):
        mf.sum(Array(np.ones((3, 4))), axis=1, out=Array(np.ones(3)))
    assert not jax.copied


def test_a_failure_of_the_library_is_its_own(jax):
    def refuse(_):
        raise RuntimeError("not today")

    jax.dlpack.from_dlpack = refuse
    with pytest.raises(RuntimeError, match="not today"):
        mf.sum(Array(np.ones((3, 4))), axis=1)


def test_memory_is_used_again_when_it_is_copied(jax):
    x = numbers("float64", (30, 40))
    there = Array(x)

    def place():
        mf.sum(there, axis=0)
        return jax.imported[-1].items.address

    first = place()
    [copy] = jax.copied[-1][-1]
    copy.is_done = False  # JAX is still at it
    second = place()
    assert second != first
    copy.is_done = True
    assert {place(), place()} <= {first, second}
    for one in jax.copied:
        assert same(one[-1][0], mf.sum(x, axis=0))

    def deleted():
        raise RuntimeError("Array has been deleted.")

    before = jax.imported[-1].items.address
    jax.copied[-1][-1][0].is_ready = deleted
    assert place() != before and place() != before


def test_long_answers_are_waited_for(jax, monkeypatch):
    monkeypatch.setattr(_device_jax, "_MOST_BYTES", 256)
    monkeypatch.setattr(Array, "is_done", False)
    x = numbers("float64", (3, 40))
    assert same(mf.sum(Array(x), axis=0), mf.sum(x, axis=0))
    assert jax.copied[-1][-1][0].is_done and not _device_jax._used and not any(_device_jax._free.values())


def test_types_without_64_bits(jax):
    """Where JAX has none, answers are of 32 bits: rounded once, or an error."""
    jax.config.jax_enable_x64 = False
    x = numbers("int16", (30, 40))
    assert same(mf.sum(Array(x), axis=0), mf.sum(x, axis=0).astype("int32"))
    assert same(mf.mean(Array(x), axis=0), mf.mean(x, axis=0, dtype="float32"))
    assert mf.sum(x, axis=0).dtype == np.int64  # elsewhere it stays
    with pytest.raises(mf.IntegerOverflow):
        mf.sum(Array(np.full((3, 4), 2**30, "int32")), axis=0)
    assert mf.sum(Array(x), dtype="float64") == mf.sum(x, dtype="float64")
    offsets = np.array([0, 7, 8, 1200], "int32")
    sums = mf.segmented_reduce(Array(x.ravel()), mf.sum, Array(offsets))  # of which it makes no int64 either
    assert same(sums, mf.segmented_reduce(x.ravel(), mf.sum, offsets).astype("int32"))


@pytest.mark.parametrize("dtype", ("bool", "int8", "int32", "float16", "bfloat16", "float32", "float64", "int64"))
def test_jax_itself_takes_our_memory(dtype):
    """On its host, where it has no streams, memory of the emulated device being memory of the host."""
    jax = pytest.importorskip("jax")
    code = mf._dtypes.CODES[dtype]
    numbers = [np.arange(6).reshape(2, 3).astype(mf._dtypes.numpy_of(code)), np.zeros((0, 3), "float32"), np.float32(7)]
    x = jax.device_put(np.ones(5, "float32"), jax.devices("cpu")[0])
    for _ in range(3):
        rooms = [_device_jax.Room(x, one.shape, mf._dtypes.code_of_numpy(one.dtype)) for one in numbers]
        asked = []

        def start(*how):
            asked.append(how)
            for room, one in zip(rooms, numbers):
                if one.nbytes:
                    _core.copy_by_device(room.items.address, _core.address_of(one), one.nbytes)

        found = _device_jax.filled(x, rooms, start)
        assert asked == [(0, True)]
        for room, one, array in zip(rooms, numbers, found):
            assert isinstance(array, jax.Array) and array.shape == one.shape
            wide = jax.config.jax_enable_x64 or one.itemsize < 8
            assert array.dtype == (one.dtype if wide else one.dtype.name.replace("64", "32"))
            assert np.array_equal(np.asarray(array), one)
            assert one.size == 0 or array.unsafe_buffer_pointer() != room.items.address
