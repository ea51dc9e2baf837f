"""Arrays in the memory of a real GPU, as PyTorch, CuPy and JAX make them: the bits of the host's. Skipped without one."""

import monofold as mf
import numpy as np
import pytest
from arrays import numbers, same

if mf.info()["gpu"].startswith("none"):
    pytest.skip("no GPU", allow_module_level=True)

DTYPES = ("float16", "float32", "float64", "int8", "int32", "int64", "uint8", "bool")
WHOLE = ("sum", "mean", "var", "std", "min", "max", "minmax", "argmin", "argmax", "count_nonzero", "norm",
         "mean_square")
ALONG = ("sum", "mean", "var", "max", "argmin", "count_nonzero")


class Torch:
    def __init__(self):
        self.library = pytest.importorskip("torch")

    def there(self, array):
        return self.library.from_numpy(np.ascontiguousarray(array)).cuda()

    def here(self, array):
        return array.cpu().numpy() if isinstance(array, self.library.Tensor) else array

    def side_stream(self):
        return self.library.cuda.stream(self.library.cuda.Stream())

    def work_for_long(self, cycles=400_000_000):
        """Kernels of some tenths of a second, in the current stream; none is waited for."""
        self.library.cuda._sleep(cycles)

    def mark(self):
        """A function that tells whether what lies before this in the current stream is done."""
        event = self.library.cuda.Event()
        event.record()
        return event.query

    def wait(self):
        self.library.cuda.synchronize()


class Cupy:
    def __init__(self):
        self.library = pytest.importorskip("cupy")
        self.sleep = self.library.RawKernel(
            """extern "C" __global__ void wait(long long cycles) {
              long long from = clock64();
              while (clock64() - from < cycles) ;
            }""", "wait")

    def there(self, array):
        return self.library.asarray(array)

    def here(self, array):
        return array.get() if isinstance(array, self.library.ndarray) else array

    def side_stream(self):
        return self.library.cuda.Stream(non_blocking=True)

    def work_for_long(self, cycles=400_000_000):
        self.sleep((1,), (1,), (np.int64(cycles),))

    def mark(self):
        event = self.library.cuda.Event(disable_timing=True)
        event.record(self.library.cuda.get_current_stream())
        return lambda: event.done

    def wait(self):
        self.library.cuda.Device().synchronize()


class Jax:
    def __init__(self):
        self.library = pytest.importorskip("jax")
        self.library.config.update("jax_enable_x64", True)

    def there(self, array):
        return self.library.device_put(array, self.library.devices("gpu")[0])

    def here(self, array):
        return np.asarray(array) if isinstance(array, self.library.Array) else array


@pytest.fixture(params=(Torch, Cupy, Jax), ids=("torch", "cupy", "jax"))
def gpu(request):
    return request.param()


def lies_beside(answers, device):
    """Whether arrays of answers are of the library of an array, on its device."""
    return all(type(one) is type(device) and one.device == device.device for one in answers)


def supports(name, dtype):
    return not (dtype == "bool" and name in ("sum", "mean", "var", "std", "norm", "mean_square"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_whole_arrays(gpu, dtype):
    for count in (1, 100, 4097, 300_001):
        x = numbers(dtype, count)
        device = gpu.there(x)
        for name in WHOLE:
            if not supports(name, dtype):
                continue
            operation = getattr(mf, name)
            assert same(operation(device), operation(x)), (name, count)
        if dtype != "bool":
            assert mf.stats(device) == mf.stats(x)
            assert mf.State(mf.sum, dtype).push(device).digest() == mf.State(mf.sum, dtype).push(x).digest()
    if dtype.startswith("float"):
        assert mf.plain.sum(device) == mf.plain.sum(x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape, axis", (((300, 500), 0), ((300, 500), 1), ((7, 40, 50), (1, 2)), ((20_000, 3), 1),
                                         ((8, 5, 30, 41), (0, 2, 3)), ((30, 40, 50), (0, 2)), ((9, 20, 11, 32), (0, 2))))
def test_along_axes(gpu, dtype, shape, axis):
    x = numbers(dtype, shape)
    device = gpu.there(x)
    for name in ALONG:
        if not supports(name, dtype) or (name == "argmin" and isinstance(axis, tuple)):
            continue
        got = getattr(mf, name)(device, axis=axis)
        assert type(got) is type(device) and got.device == device.device
        assert same(gpu.here(got), getattr(mf, name)(x, axis=axis)), name
    if dtype.startswith("float"):
        got = mf.mean(device, axis=axis, keepdims=True, dtype="float32")
        assert same(gpu.here(got), mf.mean(x, axis=axis, keepdims=True, dtype="float32"))


@pytest.mark.parametrize("dtype", ("float16", "float32", "int64"))
def test_best_of_whole_arrays(gpu, dtype):
    """In arrays of the library on the device, whatever way the call takes."""
    x = numbers(dtype, (300, 500))
    device = gpu.there(x)
    for fold in (mf.top_k(k=7), mf.bottom_k(k=3)):
        for view, right in ((device, x), (device, x), (device[::2, 1:], x[::2, 1:]), (device[:1, :7], x[:1, :7])):
            for best in (fold(view), mf.reduce(view, fold)):
                assert type(best) is mf.TopK and lies_beside(best, device)
                assert all(same(gpu.here(got), want) for got, want in zip(best, fold(right)))
    total, best = mf.reduce(device, mf.all(mf.sum, mf.top_k(k=2)))
    assert total == mf.sum(x) and lies_beside(best, device) and same(gpu.here(best.indices), mf.top_k(x, 2).indices)


def test_items_that_lie_apart(gpu):
    x = numbers("float32", (300, 400))
    there = gpu.there(x)
    for device, view in ((there.T, x.T), (there[::2, ::3], x[::2, ::3]), (there[:, 7], x[:, 7])):
        for operation in (mf.sum, mf.argmax, mf.plain.sum, mf.stats):
            assert same(operation(device), operation(view))
        bounds = np.array([0, view.size // 3, view.size])
        got = mf.segmented_reduce(device, mf.sum, offsets=gpu.there(bounds))
        assert same(gpu.here(got), mf.segmented_reduce(view, mf.sum, offsets=bounds))
    keys = gpu.there(np.arange(600) % 7)
    assert same(gpu.here(mf.group_by(keys[::2], there[:, 7], mf.sum)[1]),
                mf.group_by(np.arange(600)[::2] % 7, x[:, 7], mf.sum)[1])


@pytest.mark.parametrize("dtype", ("float32", "float64", "int32", "bool"))
def test_where(gpu, dtype):
    x = numbers(dtype, (30, 40, 50))
    mask = numbers("bool", x.shape, seed=4)
    device, marks = gpu.there(x), gpu.there(mask)
    for operation in (mf.count, mf.argmax, mf.min, mf.count_nonzero, *((mf.sum, mf.mean) if dtype != "bool" else ())):
        for there in (marks, mask):
            assert operation(device, where=there) == operation(x, where=mask), operation
        for axis in (0, 1, 2, (0, 2), (1, 2)):
            got = operation(device, axis=axis, where=marks)
            assert type(got) is type(device) and got.device == device.device
            assert same(gpu.here(got), operation(x, axis=axis, where=mask)), (operation, axis)
    row = mask[0, 0]
    assert mf.max(device, where=gpu.there(row)) == mf.max(x, where=row)
    for axis in (0, 1, 2):
        for got, want in zip(mf.top_k(device, 2, axis, where=marks), mf.top_k(x, 2, axis, where=mask)):
            assert same(gpu.here(got), want)
    best, want = mf.top_k(device, 5, where=marks), mf.top_k(x, 5, where=mask)
    assert lies_beside(best, device) and all(same(gpu.here(got), right) for got, right in zip(best, want))
    none = np.zeros(x.shape, bool)
    with pytest.raises(mf.EmptyInput, match=r"row \(0, 0\)"):
        mf.max(device, axis=1, where=none)
    if dtype.startswith("float"):
        x[3, 4, 5], none[3, 4, 5], none[1, 2, 3] = np.nan, True, True
        with pytest.raises(mf.NanFound) as found:
            mf.sum(gpu.there(x), where=gpu.there(none), nan="raise")
        assert found.value.index == (3 * 40 + 4) * 50 + 5


def test_segments(gpu):
    x = numbers("float32", 100_000)
    offsets = np.unique(np.random.default_rng(3).integers(0, x.size, 999)).astype("int64")
    for operation in (mf.sum, mf.max, mf.plain.sum):
        got = mf.segmented_reduce(gpu.there(x), operation, offsets=gpu.there(offsets))
        assert same(gpu.here(got), mf.segmented_reduce(x, operation, offsets=offsets))


def test_a_side_stream_is_waited_for(gpu):
    """Items that a stream will have written once a long kernel in front of it ends are not read before."""
    if isinstance(gpu, Jax):
        pytest.skip("JAX has streams of its own")
    x = numbers("float64", 100_000)
    other = x[::-1] * 2
    device, later = gpu.there(x), gpu.there(other)
    rows, rows_later = gpu.there(x.reshape(100, 1000)), gpu.there(other.reshape(100, 1000))
    with gpu.side_stream():
        gpu.work_for_long()
        device[...] = later
        rows[...] = rows_later
        places = mf.argmax(rows, axis=1)
        total, place = mf.sum(device), mf.argmax(device)
        assert same(gpu.here(places), mf.argmax(other.reshape(100, 1000), axis=1))
    assert total == mf.sum(other) and place == mf.argmax(other)


def test_errors(gpu):
    device = gpu.there(numbers("float32", (4, 5)))
    with pytest.raises(ValueError, match="axis"):
        mf.sum(device, axis=2)
    with pytest.raises(mf.EmptyInput):
        mf.max(device[:0])
    with pytest.raises((TypeError, ValueError)):
        mf.segmented_reduce(device[0], mf.sum, offsets=gpu.there(np.array([0.0, 2.0])))
    nan = gpu.there(np.array([1, np.nan, 3], "float32"))
    with pytest.raises(mf.NanFound) as found:
        mf.sum(nan, nan="raise")
    assert found.value.index == 1
    assert mf.sum(nan, nan="omit") == 4


def test_answers_about_what_jax_still_makes():
    """They are no sooner ready than the array, nobody waits for either, and memory that JAX takes back stays meanwhile."""
    gpu = Jax()
    jax = gpu.library

    @jax.jit
    def make(x, i):  # some hundredths of a second on the device, far more than a call takes
        return jax.lax.fori_loop(0, 1500, lambda _, y: y * 1.0000001 + i, x)

    x = gpu.there(numbers("float64", (4000, 2000)))
    fold = mf.all(mf.sum, mf.max, mf.top_k(k=2))
    for i in range(8):  # makes what the first calls make, for each of the streams that JAX has
        jax.block_until_ready(mf.reduce(make(x, 0), fold, i % 2))
        jax.block_until_ready(mf.sum(make(x, 0), axis=0))
    made = make(x, 0)
    answer = mf.sum(made, axis=0)
    assert not made.is_ready() and not answer.is_ready()
    found = []
    for i in range(12):
        made = make(x, i)
        found.append(mf.reduce(made, fold, axis=i % 2))
        del made
        jax.device_put(np.full(x.shape, float(i)), x.device)  # which may take the memory of what is gone
    for i, (total, most, best) in enumerate(found):
        here = np.asarray(make(x, i))
        assert same(gpu.here(total), mf.sum(here, axis=i % 2)) and same(gpu.here(most), mf.max(here, axis=i % 2))
        for got, want in zip(best, mf.top_k(here, 2, axis=i % 2)):
            assert same(gpu.here(got), want)


@pytest.mark.parametrize("has_64_bits", (True, False))
def test_types_of_jax(has_64_bits):
    gpu = Jax()
    with gpu.library.enable_x64(has_64_bits) if hasattr(gpu.library, "enable_x64") else \
            gpu.library.experimental.enable_x64(has_64_bits):
        for dtype in ("bool", "int8", "uint32", "float16", "float32", "bfloat16"):
            x = gpu.there(np.arange(3000).reshape(3, 1000) % 3 == 1).astype(dtype)
            bits = 64 if has_64_bits else 32
            places = mf.argmax(x, axis=1)
            assert places.dtype == f"int{bits}" and places.tolist() == [1, 0, 2]
            if dtype == "bool":
                assert mf.any(x, axis=1).tolist() == [True] * 3 and mf.count_nonzero(x, axis=1).dtype == f"int{bits}"
                continue
            total = mf.sum(x, axis=1)
            wide = {"int8": f"int{bits}", "uint32": f"uint{bits}"}.get(dtype, dtype)
            odd = 332 if dtype == "bfloat16" else 333  # which has 8 bits
            assert total.dtype == wide and total.tolist() == [odd, 334, odd] and total.device == x.device
        ints = gpu.there(np.full((2, 4), 2**30, "int32"))
        if has_64_bits:
            assert mf.sum(ints, axis=1).tolist() == [2**32] * 2
        else:
            with pytest.raises(mf.IntegerOverflow, match="row"):
                mf.sum(ints, axis=1)


def test_calls_for_jax_beside_others():
    """Segments and groups, where bounds lie here or there; arrays of other libraries that take answers."""
    gpu, torch = Jax(), pytest.importorskip("torch")
    x = numbers("float32", 1200)
    there, offsets = gpu.there(x), np.array([0, 3, 500, 1200])
    want = mf.segmented_reduce(x, mf.sum, offsets)
    for bounds in (offsets, gpu.there(offsets), torch.from_numpy(offsets).cuda()):
        got = mf.segmented_reduce(there, mf.sum, bounds)
        assert isinstance(got, gpu.library.Array) and same(gpu.here(got), want)
    keys = np.arange(1200) % 7
    for order in ("key", "first"):
        got = mf.group_by(gpu.there(keys), there, mf.all(mf.sum, mf.minmax), order=order)
        want = mf.group_by(keys, x, mf.all(mf.sum, mf.minmax), order=order)
        assert same(gpu.here(got[0]), want[0]) and same(gpu.here(got[1][0]), want[1][0])
        assert all(same(gpu.here(one), other) for one, other in zip(got[1][1], want[1][1]))
    out = torch.empty(30, dtype=torch.float32, device="cuda")
    assert mf.sum(there.reshape(30, 40), axis=1, out=out) is out
    assert same(out.cpu().numpy(), mf.sum(x.reshape(30, 40), axis=1))
    with pytest.raises(ValueError, match="written"):
        mf.sum(there.reshape(30, 40), axis=1, out=there[:30])
    with pytest.raises(mf.EmptyInput):
        mf.max(there.reshape(30, 40)[:, :0], axis=1)
