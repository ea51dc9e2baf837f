"""Arrays of other libraries: without a copy, in the right stream, nulls as absent items."""

import gc
import math

import monofold as mf
import numpy as np
import pytest
from arrays import FLOATS, INTEGERS, numbers, same
from monofold import _core
from producers import Column, CudaArray, Lender, Tensor

FLOATING, BFLOAT, COMPLEX = 2, 4, 5


@pytest.mark.parametrize("versioned", (True, False))
@pytest.mark.parametrize("layout", ("packed", "strided", "no strides"))
def test_dlpack(versioned, layout):
    x = numbers("float32", (30, 40))
    shown = x[::3, ::-1] if layout == "strided" else x
    tensor = Tensor(shown, FLOATING, versioned=versioned, packed=layout == "no strides")
    assert mf.sum(tensor) == mf.sum(shown) and mf.argmax(tensor) == mf.argmax(shown)
    assert tensor.released == 2
    rows = mf.sum(tensor, axis=0)
    assert same(rows, mf.sum(shown, axis=0)) and tensor.released == 3
    assert tensor.asked[0] == {"max_version": (1, 1)}


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS + ("bool",))
def test_dlpack_types(dtype):
    x = numbers(dtype, 100)
    code = 6 if dtype == "bool" else "iuf".index(np.dtype(dtype).kind)
    assert mf.sum(Tensor(x, code)) == mf.sum(x)
    assert mf.State(mf.sum, dtype).push(Tensor(x, code)).finish() == mf.sum(x)


def test_dlpack_bfloat16():
    bits = numbers("float32", 100).view(np.uint32) >> 16
    wide = (bits << 16).view(np.float32)
    assert mf.sum(Tensor(bits.astype(np.uint16), BFLOAT)) == mf.sum(wide)


def test_dlpack_refusals():
    x = np.ones(4, "complex64")
    with pytest.raises(TypeError, match="complex64"):
        mf.sum(Tensor(x, COMPLEX))
    with pytest.raises(TypeError, match="float32"):
        mf.sum(Tensor(np.ones(4, "float32"), FLOATING, lanes=4))
    with pytest.raises(ValueError, match="version"):
        mf.sum(Tensor(np.ones(4, "float32"), FLOATING, major=2))
    with pytest.raises(mf.DeviceUnavailable, match="kind 7"):
        mf.sum(Tensor(np.ones(4, "float32"), FLOATING, kind=7))
    with pytest.raises(TypeError, match="type 10 of 8 bits"):
        mf.sum(Tensor(np.ones(4, "uint8"), 10))


@pytest.mark.parametrize("told, why", (
    ({"rank": -1}, "negative"),
    ({"rank": 65, "extents": (1,) * 65, "strides": (1,) * 65}, "64 axes"),
    ({"extents": (-4,)}, "negative"),
    ({"rank": 3, "extents": (2**40, 2**40, 2**40), "strides": (0, 0, 0)}, "counted"),
    ({"rank": 2, "extents": (2**32, 2**32), "strides": (0, 0)}, "counted"),
    ({"rank": 2, "extents": (2**61, 1), "strides": (0, 0)}, "counted"),
    ({"strides": (2**62,)}, "stride"),
    ({"data": None}, "memory"),
))
def test_dlpack_of_no_array(told, why):
    tensor = Tensor(np.ones(4), FLOATING, **told)
    with pytest.raises(ValueError, match=why):
        mf.sum(tensor)
    assert tensor.released == 1


def test_dlpack_of_no_items():
    for shape in ((0,), (2**20, 0, 3)):
        assert mf.sum(Tensor(np.ones(shape), FLOATING, packed=True, data=None)) == 0.0


def test_dlpack_of_another_gpu():
    tensor = Tensor(np.ones(4, "float32"), FLOATING, kind=2, number=123)
    with pytest.raises(mf.DeviceUnavailable, match="GPU 123; the current one is 0"):
        mf.sum(tensor)
    assert tensor.released == 1


def test_dlpack_fails_once():
    class Broken(Tensor):
        def __dlpack__(self, **asked):
            self.asked.append(asked)
            return len(None)

    tensor = Broken(np.ones(4), FLOATING)
    with pytest.raises(TypeError, match="NoneType"):
        mf.sum(tensor)
    assert len(tensor.asked) == 1


def test_dlpack_of_before_version_1():
    class Old(Tensor):
        def __dlpack__(self, stream=None):
            return super().__dlpack__()

    assert mf.sum(Old(np.ones(4), FLOATING, versioned=False)) == 4.0


@pytest.mark.skipif(not mf.info()["gpu"].startswith("none"), reason="the pointers are not of a GPU")
@pytest.mark.parametrize("kind", (2, 13))
def test_dlpack_of_a_gpu(kind):
    tensor = Tensor(np.ones(4, "float32"), FLOATING, kind=kind)
    with pytest.raises(mf.DeviceUnavailable):
        mf.sum(tensor)
    assert tensor.asked[-1] == {"max_version": (1, 1), "stream": 1} and tensor.released == 1
    old = Tensor(np.ones(4, "float32"), FLOATING, kind=kind, versioned=False)
    with pytest.raises(mf.DeviceUnavailable):
        mf.sum(old)
    assert old.asked[-1] == {"stream": 1}
    with pytest.raises(ValueError, match="packed"):
        mf.plain.sum(Tensor(np.ones((4, 4), "float32")[:, ::2], FLOATING, kind=kind))
    for call in (mf.sum, mf.top_k, mf.stats, lambda x, where: mf.dot(x, x, where=where),
                 lambda x, where: mf.sum(x, axis=0, out=x, where=where)):
        with pytest.raises(TypeError, match="where= (needs an array on the host|of an array of producers)"):
            call(tensor, where=[True, True, False, True])
    with pytest.raises(TypeError, match="no library"):
        mf.top_k(tensor, axis=0)
    with pytest.raises(TypeError, match="give out="):
        mf.sum(tensor, axis=0)


@pytest.mark.skipif(not mf.info()["gpu"].startswith("none"), reason="the pointers are not of a GPU")
def test_cuda_array_interface():
    with pytest.raises(mf.DeviceUnavailable, match="GPU|device"):
        mf.sum(CudaArray())
    with pytest.raises(mf.DeviceUnavailable, match="stream 7"):
        mf.sum(CudaArray(stream=7))
    with pytest.raises(TypeError, match="mask"):
        mf.sum(CudaArray(mask=object()))
    with pytest.raises(TypeError, match="complex64"):
        mf.sum(CudaArray(typestr="<c8"))


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS + ("bool",))
@pytest.mark.parametrize("offset", (0, 3, 8))
def test_arrow_chunks(dtype, offset):
    x = numbers(dtype, 5000)
    valid = np.random.default_rng(2).random(5000) < 0.7
    places = np.flatnonzero(valid)
    for cuts in ([], [1], [1000, 1000, 1003, 4999]):
        chunks = list(zip(np.split(x, cuts), np.split(valid, cuts)))
        column = Column(chunks, dtype, offset=offset)
        assert mf.sum(column) == mf.sum(x[valid]) and column.released == len(chunks) + 1
        assert mf.argmin(Column(chunks, dtype, offset=offset)) == places[np.argmin(x[valid])]
        assert same(mf.top_k(Column(chunks, dtype), 3).indices, places[mf.top_k(x[valid], 3).indices])
        assert mf.count(Column(chunks, dtype)) == valid.sum()
        state = mf.State(mf.stats, dtype).push(Column(chunks, dtype, offset=offset))
        assert state == mf.State(mf.stats, dtype).push(x[valid])


def test_chunks_change_no_bit():
    x = numbers("float64", 30_000)
    chunks = [(part, None) for part in np.split(x, [1, 77, 4096, 20_000])]
    for operation in (mf.sum, mf.plain.sum, mf.plain.var, mf.prod):
        assert same(operation(Column(chunks)), operation(x))


def test_arrow_nan_and_nothing():
    chunks = [(np.array([1.0, 2.0]), [True, False]), (np.array([3.0, math.nan]), [False, True])]
    with pytest.raises(mf.NanFound) as caught:
        mf.sum(Column(chunks), nan="raise")
    assert caught.value.index == 3
    assert mf.sum(Column([], "float64")) == 0.0
    with pytest.raises(mf.EmptyInput):
        mf.max(Column([(np.array([1.0]), [False])]))


def test_arrow_refusals():
    with pytest.raises(TypeError, match="dictionary"):
        mf.sum(Column([], "int32", dictionary=8))  # never read
    with pytest.raises(TypeError, match="'u'"):
        mf.sum(Column([], text=b"u"))
    with pytest.raises(ValueError, match="broken"):
        mf.sum(Column([], "float64", error=b"broken pipe"))


LENDERS = {"DLPack 1": (lambda: Tensor(np.ones(3), FLOATING), lambda one: _core.from_dlpack(one.__dlpack__())),
           "DLPack 0": (lambda: Tensor(np.ones(3), FLOATING, versioned=False),
                        lambda one: _core.from_dlpack(one.__dlpack__())),
           "Arrow": (lambda: Column([(np.ones(3), None), (np.ones(2), [True, False])]),
                     lambda one: _core.from_arrow_stream(one.__arrow_c_stream__()))}


@pytest.mark.parametrize("make, take", LENDERS.values(), ids=LENDERS)
def test_memory_is_given_back_to_who_lent_it(make, take):
    """The array may be garbage by then: libraries keep it themselves, and so do those of our tests."""
    lender = make()
    items, returned, count, name = take(lender), lender.returned, lender.num_lent(), id(lender)
    assert len(returned) < count and name not in Lender.outlived
    del lender
    gc.collect()
    assert name in Lender.outlived
    del items
    assert len(returned) == count and name not in Lender.outlived


@pytest.mark.parametrize("make, take", LENDERS.values(), ids=LENDERS)
def test_memory_is_given_back_while_an_exception_is_raised(make, take):
    """Who lent it runs lines of Python meanwhile, which find no exception set."""
    lender = make()
    with pytest.raises(ZeroDivisionError):
        _ = [take(lender), 1 / 0]
    assert lender.released == lender.num_lent() > 0


def test_pyarrow():
    pa = pytest.importorskip("pyarrow")
    column = pa.chunked_array([[1.5, None, 2.5], [], [None, -7.0]])
    assert mf.sum(column) == -3.0 and mf.argmin(column) == 4 and mf.mean(column) == -1.0
    assert mf.sum(pa.array([1, 2, None], pa.int8())) == 3 and mf.all(pa.array([True, None]))
    assert mf.sum(pa.array([1.5, 2.5])[1:]) == 2.5
    with pytest.raises(TypeError):
        mf.sum(pa.array(["a"]))
    with pytest.raises(TypeError, match=r"one column of \(\)"):
        mf.sum(pa.table({}))


def test_dlpack_that_tells_no_device():
    pa = pytest.importorskip("pyarrow")

    class Keys:
        """As pyarrow's own array: DLPack has no nulls."""

        def __arrow_c_stream__(self, schema=None):
            return pa.chunked_array([[1, None, 1]]).__arrow_c_stream__(schema)

        def __dlpack_device__(self):
            raise pa.ArrowTypeError("no nulls")

    names, found = mf.group_by(Keys(), np.ones(3), mf.count)
    assert list(names) == [1] and list(found) == [2]


def test_tables_of_one_column():
    pa = pytest.importorskip("pyarrow")
    x = numbers("float32", 1000)
    table = pa.table({"a": pa.chunked_array([x[:7], x[7:7], x[7:]])})
    assert mf.sum(table) == mf.sum(x) and mf.argmax(table) == mf.argmax(x)
    assert mf.sum(table.slice(5, 900)) == mf.sum(x[5:905])
    assert mf.sum(pa.record_batch({"a": x})) == mf.sum(x) == mf.sum(pa.record_batch({"a": x[:300]})) + mf.sum(x[300:])
    assert mf.State(mf.sum, "float32").push(table) == mf.State(mf.sum, "float32").push(x)
    absent = pa.table({"a": [1.5, None, 2.5, -1.0]})
    assert mf.sum(absent) == 3.0 and mf.count(absent) == 3 and mf.argmin(absent) == 3
    assert mf.sum(pa.table({"a": [True, None, False]}).slice(1)) == 0
    is_absent = pa.array([False, True, False, False, False])
    rows = pa.StructArray.from_arrays([pa.array([1, 2, None, 4, 8])], ["a"], mask=is_absent)
    assert mf.sum(rows) == 13 and mf.count(rows) == 3
    assert mf.sum(rows[1:4]) == 4 and mf.argmax(rows[1:4]) == 2
    with pytest.raises(TypeError, match=r"one column of \(a, b\), as table\['NAME'\]"):
        mf.sum(pa.table({"a": [1], "b": [2]}))
    with pytest.raises(TypeError, match="format 'u'"):
        mf.sum(pa.table({"a": ["text"]}))
    with pytest.raises(TypeError, match="not reduced"):
        mf.sum(pa.table({"a": [{"b": 1}]}))


def test_polars():
    pl = pytest.importorskip("polars")
    series = pl.concat([pl.Series([1.0, None]), pl.Series([0.1, 0.2])], rechunk=False)
    assert mf.sum(series) == 1.3 == mf.sum(series.rechunk()) and mf.count(series) == 3
    frame = pl.DataFrame({"a": series, "b": series})
    assert mf.sum(frame.select("a")) == 1.3
    with pytest.raises(TypeError, match="one column"):
        mf.sum(frame)


def test_duckdb():
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    relation = duckdb.sql("select i::double as a, -i as b from range(5000) t(i)")
    assert mf.sum(relation.select("a")) == 12_497_500.0 and mf.min(relation["b"]) == -4999
    with pytest.raises(TypeError, match="relation.select"):
        mf.sum(relation)
    found = duckdb.sql("select case when i % 3 > 0 then sin(i::double) end as a from range(300000) t(i)")
    column = found.to_arrow_table()["a"]
    absent = column.is_null().to_numpy()
    assert absent.sum() == 100_000 and mf.count(column) == 200_000
    assert mf.sum(column) == mf.sum(np.nan_to_num(column.to_numpy())) == mf.sum(column.combine_chunks())
    assert mf.sum(found) == mf.sum(column) and mf.count(found) == 200_000


def test_pandas():
    pd = pytest.importorskip("pandas")
    assert math.isnan(mf.sum(pd.Series([1.0, math.nan])))  # as NumPy sees it
    assert mf.sum(pd.Series([1, None], dtype="Int64")) == 1
    with pytest.raises(TypeError, match="one column"):
        mf.max(pd.DataFrame({"a": [1, 2], "b": [3, 4]}))
    with pytest.raises(TypeError, match="one column"):
        mf.sum(pd.DataFrame({"a": [1.0, math.nan]}))  # whose NaN Arrow would have as absent


def test_jax():
    jax = pytest.importorskip("jax")
    x = jax.device_put(np.arange(12, dtype="float32").reshape(3, 4), jax.devices("cpu")[0])
    assert mf.sum(x) == 66.0
    rows = mf.sum(x, axis=0)
    assert isinstance(rows, type(x)) and rows.tolist() == [12, 15, 18, 21] and rows.dtype == x.dtype
    ints = jax.device_put(np.full((2, 4), 2**30, "int32"), x.device)
    if not jax.config.jax_enable_x64:  # which has no types of 64 bits then
        assert mf.mean(ints, axis=1).dtype == np.float32 and mf.argmax(ints, axis=0).dtype == np.int32
        assert mf.sum(ints[:1], axis=0).dtype == np.int32 and mf.sum(ints, dtype="float64") == 2.0**33
        with pytest.raises(mf.IntegerOverflow, match="row"):
            mf.sum(ints, axis=1)
        assert mf.sum(np.asarray(ints), axis=1).tolist() == [2**32] * 2
    halves = x.astype("bfloat16")
    assert mf.max(halves, axis=1).dtype == halves.dtype and mf.mean(halves) == 5.5


def test_array_api_strict():
    xp = pytest.importorskip("array_api_strict")
    x = xp.reshape(xp.arange(6, dtype=xp.float64), (2, 3))
    assert mf.sum(x) == 15.0 and isinstance(mf.min(x, axis=1), type(x))


class Torch:
    """The part of torch that answers pass through."""

    bfloat16 = "bfloat16"

    @staticmethod
    def asarray(array, device):
        assert array.dtype.name != "bfloat16" and device == "here"
        return Answer(array)


class Answer:
    def __init__(self, array):
        self.array = array

    def view(self, dtype):
        return dtype, self.array


def test_torch_takes_bfloat16_by_its_bits(monkeypatch):
    pytest.importorskip("ml_dtypes")
    monkeypatch.setitem(__import__("sys").modules, "torch", Torch)
    tensor = type("Tensor", (Tensor,), {"__module__": "torch", "device": "here"})
    answer = mf.max(tensor(np.full((2, 2), 0x3F80, np.uint16), BFLOAT), axis=0)
    assert answer[0] == "bfloat16" and answer[1].tolist() == [0x3F80] * 2
    assert isinstance(mf.max(tensor(np.ones((2, 2)), FLOATING), axis=0), Answer)
