"""Groups by keys in memory of a device: what they are of NumPy arrays. On a GPU, or else the emulated device."""

import os
import sys
from types import SimpleNamespace

import monofold as mf
import numpy as np
import pytest
from arrays import numbers
from monofold import _core
from producers import CudaArray
from test_device_rows import LIBRARIES, There, same


@pytest.fixture(autouse=True, scope="module")
def device():
    os.environ.setdefault("MONOFOLD_LIBRARY_PATH", str(LIBRARIES))
    is_here = not mf.info()["gpu"].startswith("none")
    if not is_here and not _core.emulates_devices(True):
        _core.emulates_devices(False)
        pytest.skip("no device, and no emulated one")
    yield
    if not is_here:
        _core.emulates_devices(False)


def some_keys(dtype, size=600):
    random = np.random.default_rng(5)
    if np.dtype(dtype).kind == "f":
        keys = random.integers(-20, 20, size).astype(dtype) / 2
        keys[::7], keys[1::9], keys[2::11], keys[3::50] = np.nan, -0.0, 0.0, np.inf
        return keys
    if dtype == "bool":
        return random.integers(0, 2, size).astype(bool)
    ends = np.iinfo(dtype)
    return random.choice(np.array([ends.min, 0, 1, 7, ends.max - 1, ends.max], dtype), size)


@pytest.mark.parametrize("dtype", ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                                   "float16", "float32", "float64"))
@pytest.mark.parametrize("order", ("key", "first"))
def test_keys_of_all_types(dtype, order):
    keys, x = some_keys(dtype), numbers("float64", 600)
    found, sums = mf.group_by(There(keys), There(x), mf.sum, order=order)
    names, answers = mf.group_by(keys, x, mf.sum, order=order)
    assert same(found, names) and same(sums, answers)


@pytest.mark.parametrize("dtype", ("float32", "float64", "float16", "int32", "uint8", "int64", "bool"))
def test_items_of_all_types(dtype):
    keys, x = np.arange(600) * 7 % 13 - 6, numbers(dtype, 600)
    for operation in (mf.sum, mf.mean, mf.var, mf.std, mf.min, mf.max, mf.argmin, mf.argmax, mf.any, mf.all, mf.count,
                      mf.count_nonzero, mf.norm, mf.mean_square):
        for order in ("key", "first"):
            found, answers = mf.group_by(There(keys), There(x), operation, order=order)
            names, wanted = mf.group_by(keys, x, operation, order=order)
            assert same(found, names) and same(answers, wanted), (operation, order)
    _, (low, high) = mf.group_by(There(keys), There(x), mf.minmax)
    _, (least, most) = mf.group_by(keys, x, mf.minmax)
    assert same(low, least) and same(high, most)


def test_several_folds_and_options():
    keys, x = np.arange(600) % 7, numbers("float32", (20, 30))
    x[3, 4] = np.nan
    there, by = There(x), There(keys)
    _, (total, place) = mf.group_by(by, there, mf.all(mf.sum, mf.argmax), nan="omit")
    _, (sums, places) = mf.group_by(keys, x, mf.all(mf.sum, mf.argmax), nan="omit")
    assert same(total, sums) and same(place, places)
    for got, want in zip(mf.group_by(by, there, mf.stats)[1], mf.group_by(keys, x, mf.stats)[1]):
        assert same(got, want)
    assert same(mf.group_by(by, there, mf.mean, dtype="float64")[1], mf.group_by(keys, x, mf.mean, dtype="float64")[1])
    assert same(mf.group_by(by, there, mf.plain.sum)[1], mf.group_by(keys, x, mf.plain.sum)[1])
    several = mf.all(mf.plain.sum, mf.sum, mf.var(correction=1), mf.std)
    for found, wanted in zip(mf.group_by(by, there, several)[1], mf.group_by(keys, x, several)[1], strict=True):
        assert same(found, wanted)
    found, answers = mf.group_by(There(keys[:0].copy()), There(x.ravel()[:0].copy()), mf.max)
    assert same(found, keys[:0]) and same(answers, x.ravel()[:0])
    one, most = mf.group_by(There(np.full(600, -3, "int16")), there, mf.argmax)
    assert one.back().tolist() == [-3] and most.back().tolist() == [mf.argmax(x)]


def test_groups_without_an_answer():
    keys = np.array([5.5, -7, -7, 5.5, np.nan])
    x = np.array([1, 2**62, 2**62, 3, 1])
    with pytest.raises(mf.IntegerOverflow, match=r"sum: .* \(key -7.0\)"):
        mf.group_by(There(keys), There(x), mf.sum)
    with pytest.raises(mf.EmptyInput, match="key nan"):
        mf.group_by(There(keys), There(x.astype(float)), mf.var(correction=1))
    with pytest.raises(mf.NanFound, match="key True"):
        mf.group_by(There(np.array([False, True])), There(np.array([1.0, np.nan])), mf.max, nan="raise")


def test_keys_and_items_that_lie_apart():
    keys, x = np.arange(24) % 5, numbers("float32", (12, 3))
    there = mf.group_by(There(keys[::2]), There(x[:, 1]), mf.sum)
    here = mf.group_by(keys[::2], x[:, 1], mf.sum)
    assert same(there[0], here[0]) and same(there[1], here[1])


def test_what_is_refused():
    keys, x = There(np.arange(6)), There(np.ones(6, "float32"))
    for wrong, error, why in (
            ((There(np.arange(5)), x), ValueError, "5 keys for 6 items"),
            ((np.arange(6), x), TypeError, "needs keys on the device"),
            (([1, 2, 3, 4, 5, 6], x), TypeError, "needs keys on the device"),
            ((keys, np.ones(6)), TypeError, "needs keys on the host"),
            (((keys, keys), x), TypeError, "not a tuple")):
        with pytest.raises(error, match=why):
            mf.group_by(*wrong, mf.sum)
    for fold, why in ((mf.top_k(k=2), "no top_k"), (mf.plain.var, "no kernel"), (mf.dot, "no dot")):
        with pytest.raises(TypeError, match=why):
            mf.group_by(keys, x, fold)
    with pytest.raises(TypeError, match="no kernel"):
        mf.group_by(keys, There(np.ones(6, "float16")), mf.prod)
    told = CudaArray(shape=(6,), typestr="<i8", data=(keys.told["data"], False))
    with pytest.raises(TypeError, match="no library to make answers by: group_by of arrays on the host"):
        mf.group_by(told, x, mf.sum)


def test_streams(monkeypatch):
    """A library's stream is taken where keys and items are of it; else the default one, which is waited for."""
    asked = []
    Groups = _core.device_groups

    class Recorded:
        def __init__(self, keys, order, stream):
            self.groups = Groups(keys, order, stream)
            asked.append(stream)

        count = property(lambda self: self.groups.count)

        def copy_keys(self, to, waits):
            asked.append(waits)
            self.groups.copy_keys(to, waits)

        def reduce(self, *given):
            asked.append(given[-1])
            return self.groups.reduce(*given)

    monkeypatch.setattr(_core, "device_groups", Recorded)
    stream = SimpleNamespace(ptr=1, is_capturing=lambda: False)
    library = SimpleNamespace(cuda=SimpleNamespace(get_current_stream=lambda: stream),
                              empty=lambda shape, dtype: Mine(np.zeros(shape, dtype)))
    monkeypatch.setitem(sys.modules, "cupy", library)
    Mine = type("Mine", (There,), {"__module__": "cupy"})
    keys, x = np.arange(30) % 4, numbers("float32", 30)
    for one, other, want in ((Mine, Mine, [1, False, False]), (There, Mine, [0, True, True]),
                             (Mine, There, [0, True, True])):
        found, sums = mf.group_by(one(keys), other(x), mf.sum)
        assert type(found) is one and type(sums) is other and asked == want
        assert same(sums, mf.group_by(keys, x, mf.sum)[1])
        asked.clear()


@pytest.mark.parametrize("name", ("torch", "cupy"))
def test_libraries_on_a_gpu(name):
    library = pytest.importorskip(name)
    if name == "torch" and not library.cuda.is_available() or mf.info()["gpu"].startswith("none"):
        pytest.skip("no GPU")

    def there(array):
        return library.asarray(array, **({"device": "cuda"} if name == "torch" else {}))

    def here(array):
        return array.cpu().numpy() if name == "torch" else array.get()

    random = np.random.default_rng(1)
    x = random.standard_normal(100_000)
    for keys in (random.integers(-100, 100, x.size), random.integers(0, 2**31, x.size).astype("int32"),
                 random.integers(0, 9, x.size).astype("float32")):
        stream = library.cuda.Stream() if name == "torch" else library.cuda.Stream(non_blocking=True)
        with library.cuda.stream(stream) if name == "torch" else stream:
            for order in ("key", "first"):
                found, (sums, places) = mf.group_by(there(keys), there(x), mf.all(mf.sum, mf.argmax), order=order)
                names, (wanted, at) = mf.group_by(keys, x, mf.all(mf.sum, mf.argmax), order=order)
                assert isinstance(sums, type(there(x)))
                for got, want in ((found, names), (sums, wanted), (places, at)):
                    assert here(got).tobytes() == want.tobytes() and here(got).dtype == want.dtype
