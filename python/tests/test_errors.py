"""Wrong calls: one clear exception each, by names that a caller knows."""

import datetime

import monofold as mf
import monofold.array_api as xp
import numpy as np
import pytest
from producers import CudaArray, OnGpu

X = np.arange(6.0)
ONE_CALL = {"sum": mf.sum, "stats": mf.stats, "top_k": lambda x: mf.top_k(x, 3),
            "reduce": lambda x: mf.reduce(x, mf.sum),
            "several": lambda x: mf.reduce(x, mf.all(mf.sum, mf.max)), "axis": lambda x: mf.sum(x, axis=0),
            "best": lambda x: mf.reduce(x, mf.top_k), "segments": lambda x: mf.segmented_reduce(x, mf.sum, [0, 1]),
            "rolling": lambda x: mf.rolling(x, 1, mf.sum), "groups": lambda x: mf.group_by([1], x, mf.sum),
            "keys": lambda x: mf.group_by(x, [1.0], mf.sum), "xp": lambda x: xp.sum(x), "dot": lambda x: mf.dot(x, X),
            "state": lambda x: mf.State(mf.sum, "f8").push(x)}


@pytest.mark.parametrize("call", ONE_CALL.values(), ids=ONE_CALL)
def test_none_is_no_array(call):
    with pytest.raises(TypeError, match="^NoneType is no array$"):
        call(None)


@pytest.mark.parametrize("call, why", (
    (lambda: mf.dot(X, X, ord=1), r"^dot\(\) takes no ord$"),
    (lambda: mf.stats(X, out=X), r"^stats\(\) takes no out$"),
    (lambda: mf.top_k(X, 2, keepdims_=True), r"^top_k\(\) takes no keepdims_$"),
    (lambda: mf.stats(X, dtype="f4"), r"^stats\(\) takes no dtype$"),
    (lambda: mf.sum(X, correction=1, ord=1), r"^sum\(\) takes no correction, ord$"),
    (lambda: mf.norm(X, correction=1), r"^norm\(\) takes no correction$"),
    (lambda: mf.all(X, k=3), r"^all\(\) takes no k$"),
    (lambda: mf.sum(X, k=None), r"^sum\(\) takes no k$"),
    (lambda: mf.var(k=3), r"^var\(\) takes no k$"),
    (lambda: mf.sum(X, 0, "f4"), r"^sum\(\) takes x, axis by place, not 3 arguments; name others$"),
    (lambda: mf.all(X, 0, X), r"^all\(\) takes x, axis by place"),
    (lambda: mf.dot(X, X, 0, X), r"^dot\(\) takes x, y, axis by place"),
    (lambda: mf.top_k(X, 1, 0, 0), r"^top_k\(\) takes x, k, axis by place"),
    (lambda: mf.stats(X, 0, 0), r"^stats\(\) takes x, axis by place"),
    (lambda: mf.sum(X, 0, axis=0), r"^sum\(\) got axis twice$"),
    (lambda: mf.sum(X, x=X), r"^sum\(\) got x twice$"),
))
def test_parameters_are_those_of_the_call(call, why):
    with pytest.raises(TypeError, match=why):
        call()


@pytest.mark.parametrize("call, why", (
    (lambda: mf.stats(X, correction="1"), "^correction: a number, not str$"),
    (lambda: mf.var(X, correction=[1]), "^correction: a number, not list$"),
    (lambda: mf.std(X, correction=1j), "^correction: a number, not complex$"),
    (lambda: mf.top_k(X, 2.0), "^k: an integer, not float$"),
    (lambda: mf.bottom_k(k=[1]), "^k: an integer, not list$"),
    (lambda: mf.State(mf.sum, "f8", 1.0), "^first_index: an integer, not float$"),
    (lambda: mf.set_threads(1.5), "^threads: an integer, not float$"),
))
def test_numbers_are_named(call, why):
    with pytest.raises(TypeError, match=why):
        call()


@pytest.mark.parametrize("call", (
    lambda where: mf.sum(X, where=where), lambda where: mf.sum(X.reshape(1, 6), axis=0, where=where),
    lambda where: mf.reduce(X, mf.stats, where=where), lambda where: mf.top_k(X, 2, where=where),
    lambda where: mf.dot(X, X, where=where), lambda where: mf.max(X.astype("M8[D]"), where=where)))
def test_shapes_of_where(call):
    with pytest.raises(ValueError, match=r"^where has the shape \(5,\); the items have \((1, )?6,?\)$"):
        call([True] * 5)


def test_dates_take_any_mask():
    days = np.array(["2024-01-01", "2023-01-01"], "M8[D]")
    assert mf.max(days, where=[False, True]) == np.datetime64(datetime.date(2023, 1, 1))
    assert mf.max(np.stack([days, days]), where=[False, True]) == days[1]
    with pytest.raises(TypeError, match="where must be of bool"):
        mf.max(days, where=[0, 1])


def test_arrays_on_a_gpu_are_refused_by_name():
    for on_gpu in (CudaArray(), OnGpu(np.ones(4, "float32"), 2)):
        with pytest.raises(TypeError, match="rolling needs arrays on the host"):
            mf.rolling(on_gpu, 2, mf.sum)
        with pytest.raises(TypeError, match="group_by of an array on a device needs keys on the device"):
            mf.group_by(np.arange(4), on_gpu, mf.sum)
        with pytest.raises(TypeError, match="top_k: out= is for arrays on the host"):
            mf.top_k(on_gpu, 1, out=(np.zeros(1, "float32"), np.zeros(1, int)))
        with pytest.raises(TypeError, match="dot along axes of arrays of producers on a device"):
            mf.dot(on_gpu, on_gpu, out=np.zeros(()))


@pytest.mark.skipif(not mf.info()["gpu"].startswith("none"), reason="the pointers are not of a GPU")
def test_segments_on_a_gpu_that_is_not_here():
    for on_gpu in (CudaArray(), OnGpu(np.ones(4, "float32"), 2)):
        for bounds in ({"offsets": [0, 2, 4]}, {"starts": [0, 2]}, {"starts": [0], "stops": [3]}):
            with pytest.raises(mf.DeviceUnavailable, match="libmonofold_gpu|GPU|device"):
                mf.segmented_reduce(on_gpu, mf.sum, **bounds)


@pytest.mark.parametrize("data", ("x", 5, [1, 2], None, mf.sum), ids=repr)
def test_states_are_loaded_from_bytes(data):
    with pytest.raises(TypeError, match=f"^a saved state is bytes, not {type(data).__name__}$"):
        mf.State.load(data)


def test_any_bytes_will_do():
    state = mf.State(mf.sum, "f8").push([1.0, 2.0])
    for kind in (bytes, bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8)):
        assert mf.State.load(kind(bytes(state))) == state
