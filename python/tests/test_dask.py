"""Dask arrays: the same bytes, whatever the chunks, the scheduler and the tree."""

import monofold as mf
import numpy as np
import pytest
from arrays import numbers, same

da = pytest.importorskip("dask.array")
from dask import compute  # noqa: E402

import monofold.dask as mfd  # noqa: E402

CHUNKS = (-1, 1000, (7, 50), (60, 9), 13)


@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("split_every", (None, 2))
def test_whole(chunks, split_every):
    x = numbers("float64", (60, 200))
    d = da.from_array(x, chunks=chunks)
    for name in ("sum", "mean", "var", "std", "min", "max", "argmin", "argmax", "any", "all", "count", "prod", "norm",
                 "count_nonzero", "mean_square", "logsumexp"):
        out = getattr(mfd, name)(d, split_every=split_every)
        assert out.shape == () and same(out.compute(scheduler="threads").item(), getattr(mf, name)(x)), name
    fold = mf.all(mf.sum, mf.minmax, mf.top_k(k=3), mf.argmax)
    assert mfd.state(d, fold, split_every=split_every).compute() == mf.State(fold, "float64").push(x)
    assert mfd.reduce(d, mf.stats).compute() == mf.stats(x)
    assert same(mfd.reduce(d, mf.plain.sum).compute(), mf.plain.sum(x))


@pytest.mark.parametrize("chunks", (4096, 5000, 100_000, 77))
def test_plain_sums_in_order(chunks):
    x = numbers("float32", 100_000)
    d = da.from_array(x, chunks=chunks)
    fold = mf.all(mf.plain.sum, mf.plain.var, mf.plain.prod)
    assert mfd.state(d, fold).compute() == mf.State(fold, "float32").push(x)


@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("axis", (0, 1, (0, 1)))
def test_axes(chunks, axis):
    x = numbers("float32", (60, 200))
    d = da.from_array(x, chunks=chunks)
    for name in ("sum", "mean", "std", "min", "argmax", "count"):
        if name == "argmax" and axis == (0, 1):
            continue
        out = getattr(mfd, name)(d, axis=axis)
        expected = getattr(mf, name)(x, axis=axis)
        assert out.dtype == expected.dtype and out.shape == expected.shape
        assert same(out.compute(), expected)
    assert mfd.sum(d, axis=axis, keepdims=True).compute().shape == np.sum(x, axis=axis, keepdims=True).shape
    assert same(mfd.sum(d, axis=axis, dtype="float64").compute(), mf.sum(x, axis=axis, dtype="float64"))


@pytest.mark.parametrize("options", ({}, {"dtype": "float32"}, {"axis": (0, 1)}, {"axis": (1, 0), "dtype": "float64"},
                                     {"axis": (0, -1), "keepdims": True}), ids=str)
def test_whole_arrays_are_not_gathered(options, monkeypatch):
    """Each task has a chunk or some states, whose answer has the bits of one call."""
    pushed = []
    push = mf.State.push
    monkeypatch.setattr(mf.State, "push", lambda self, block: pushed.append(block.size) or push(self, block))
    x = numbers("float32", (60, 200))
    d = da.from_array(x, chunks=(7, 50))
    for name in ("sum", "mean", "var", "std", "max", "any", "count", "norm", "mean_square"):
        if "dtype" in options and name == "any":
            continue
        out, expected = getattr(mfd, name)(d, **options), np.asarray(getattr(mf, name)(x, **options))
        assert not any("rechunk" in layer for layer in out.__dask_graph__().layers)
        pushed.clear()
        found = out.compute(scheduler="synchronous")
        assert sum(pushed) == x.size and max(pushed) == 7 * 50
        assert found.shape == expected.shape and found.tobytes() == expected.astype(found.dtype).tobytes(), name
        assert out.dtype == found.dtype == options.get("dtype", expected.dtype if options else found.dtype)
    line = da.from_array(x.ravel(), chunks=1000)
    assert same(mfd.sum(line, axis=0).compute(), mf.sum(x.ravel(), axis=0))
    assert not any("rechunk" in layer for layer in mfd.sum(line, axis=0).__dask_graph__().layers)
    assert mfd.argmax(d, axis=(0, 1)).compute() == mf.argmax(x)
    with pytest.raises(TypeError, match="places"):
        mfd.argmax(d, dtype="int8")


@pytest.mark.parametrize("split_every, why", (
    (1, "split_every: 1 is not from 2"), (-1, "split_every: -1 is not from 2"), ({0: 1}, "split_every: 1 is not from 2"),
    ({0: 4, 1: -1}, "split_every: -1 is not"), (True, "split_every: 1 is not"), (2.5, "split_every: an integer, not float"),
))
def test_trees_that_join_nothing(split_every, why):
    d = da.ones((6, 8), chunks=(2, 2))
    for call in (mfd.sum, mfd.stats, mfd.minmax, mfd.top_k, lambda d, **options: mfd.state(d, mf.mean, **options),
                 lambda d, **options: mfd.sum(d, axis=0, **options), lambda d, **options: mfd.top_k(d, axis=1, **options),
                 lambda d, **options: mfd.dot(d, d, axis=0, **options)):
        with pytest.raises((ValueError, TypeError), match=why):
            call(d, split_every=split_every)
    assert mfd.sum(d, split_every=False).compute() == 48.0


def test_more_of_the_best_than_rows_have():
    d = da.ones((6, 8), chunks=(2, 2))
    for call in (lambda: mfd.top_k(d, 2**40, axis=0), lambda: mfd.top_k(d, 2**40, axis=(0, 1))):
        with pytest.raises(mf.EmptyInput, match=r"^top_k: too few items for an answer$"):
            call().values.compute()


def test_split_every():
    d = da.from_array(numbers("float64", (60, 200)), chunks=(6, 50))
    assert same(mfd.sum(d, axis=(0, 1), split_every=2).compute(), mfd.sum(d, axis=(0, 1)).compute())
    few, many = (len(mfd.sum(d, axis=(0, 1), split_every=every).__dask_graph__()) for every in (100, 2))
    assert few < many
    for name in ("prod", "logsumexp"):
        with pytest.raises(TypeError, match=f"{name} of float64 along some axes has no split_every"):
            getattr(mfd, name)(d, axis=0, split_every=2)
        assert same(getattr(mfd, name)(d.rechunk((-1, 50)), axis=0, split_every=2).compute().sum(),
                    getattr(mfd, name)(d, axis=0).compute().sum())


def test_options_and_errors():
    x = np.array([1.0, np.nan, 3.0, 5.0])
    d = da.from_array(x, chunks=2)
    assert mfd.sum(d, nan="omit").compute() == 9.0 and mfd.var(d, nan="omit", correction=1).compute() == 4.0
    with pytest.raises(mf.NanFound) as caught:
        mfd.sum(d, nan="raise").compute()
    assert caught.value.index == 1
    with pytest.raises(mf.EmptyInput):
        mfd.max(da.from_array(np.zeros(0))).compute()
    assert mfd.sum(da.from_array(np.array([2, 3], "uint8"), chunks=1)).dtype == np.uint64
    assert mfd.sum(da.from_array(np.array(3.5))).compute() == 3.5
    with pytest.raises(np.exceptions.AxisError):
        mfd.sum(d, axis=1)
    assert "keepdims" in mfd.sum.__doc__ and mfd.sum.__name__ == "sum"


def test_processes():
    x = numbers("float64", 20_000)
    out = mfd.state(da.from_array(x, chunks=3000), mf.all(mf.sum, mf.argmax))
    assert out.compute(scheduler="processes", num_workers=2) == mf.State(mf.all(mf.sum, mf.argmax), "float64").push(x)


def test_a_cluster_of_processes():
    distributed = pytest.importorskip("distributed")
    x = numbers("float64", (300, 70))
    d = da.from_array(x, chunks=(77, 50))
    fold = mf.all(mf.sum, mf.argmax, mf.top_k(k=3))
    with (distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
          distributed.Client(cluster)):
        for split_every in (None, 2, 5):
            assert mfd.state(d, fold, split_every=split_every).compute() == mf.State(fold, "float64").push(x)
        assert same(mfd.mean(d, axis=0).compute(), mf.mean(x, axis=0))
        assert same(mfd.reduce(d, mf.plain.sum).compute(), mf.plain.sum(x))
        with pytest.raises(mf.NanFound) as caught:  # which travels with its place
            mfd.sum(da.where(d == x[299, 69], np.nan, d), nan="raise").compute()
        assert caught.value.index == x.size - 1


@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("options", ({}, {"axis": 0}, {"axis": 1}, {"axis": -1, "keepdims": True}, {"axis": (1, 0)},
                                     {"axis": (0, 1), "keepdims": True}, {"keepdims": True}), ids=str)
def test_several_answers(chunks, options):
    x = numbers("float32", (60, 200))
    d = da.from_array(x, chunks=chunks)
    calls = [(mfd.minmax(d, **options), mf.minmax(x, **options)),
             (mfd.top_k(d, 3, **options), mf.top_k(x, 3, **options))]
    if len(np.atleast_1d(options.get("axis", 0))) == 1 and options != {"keepdims": True}:  # places
        calls.append((mfd.stats(d, correction=1, **options), mf.stats(x, correction=1, **options)))
    for told, expected in calls:
        assert type(told) is type(expected)
        found = compute(*told)
        assert len(found) == len(expected)
        for one, array, wanted in zip(found, told, expected):
            assert array.shape == one.shape == np.shape(wanted) and array.dtype == one.dtype
            assert one.tobytes() == np.asarray(wanted).astype(one.dtype).tobytes()
            assert not options or one.dtype == wanted.dtype


def test_several_answers_of_cubes():
    x = numbers("int16", (5, 6, 7))
    d = da.from_array(x, chunks=(2, 6, 3))
    for options in ({"axis": (0, 2)}, {"axis": (0, 2), "keepdims": True}, {"axis": (1, 2)}, {"axis": 1}):
        for told, expected in ((mfd.top_k(d, 4, **options), mf.top_k(x, 4, **options)),
                               (mfd.minmax(d, **options), mf.minmax(x, **options))):
            for one, array, wanted in zip(compute(*told), told, expected):
                assert array.shape == one.shape == wanted.shape and (one == wanted).all() and one.dtype == wanted.dtype
    assert compute(*mfd.stats(da.from_array(x, chunks=3))) == mf.stats(x)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_several_answers_of_single_items(dtype):
    x = np.arange(6).reshape(2, 3).astype(dtype)
    for one in (x, x[0, 1:2].reshape(())):
        d = da.from_array(one, chunks=1)
        axes = () if one.ndim else None
        for told, expected in ((mfd.minmax(d, axis=axes), mf.minmax(one, axis=axes)),
                               (mfd.stats(d, axis=axes), mf.stats(one, axis=axes)),
                               (mfd.top_k(d, 1, axis=axes), mf.top_k(one, 1, axis=axes))):
            for found, wanted in zip(compute(*told), expected):
                assert found.shape == np.shape(wanted) and found.tolist() == np.asarray(wanted).tolist()


def test_types_where_axes_are_kept():
    x = np.array([1, 2, 3.5], "f2")
    d = da.from_array(x, chunks=2)
    assert mfd.mean(d, keepdims=True).dtype == mf.mean(x, keepdims=True).dtype == "f2"
    assert [one.dtype for one in mfd.stats(d, keepdims=True)] == [one.dtype for one in mf.stats(x, keepdims=True)]


def test_several_answers_from_one_pass(monkeypatch):
    pushed = []
    push = mf.State.push
    monkeypatch.setattr(mf.State, "push", lambda self, block: pushed.append(block.size) or push(self, block))
    x = numbers("float64", 10_000)
    x[17] = np.nan
    d = da.from_array(x, chunks=700)
    for nan in ("propagate", "omit"):
        pushed.clear()
        found = mf.Stats(*compute(*mfd.stats(d, nan=nan), scheduler="synchronous"))
        assert sum(pushed) == x.size and same(np.array(found), np.array(mf.stats(x, nan=nan)))
    with pytest.raises(mf.NanFound) as caught:
        compute(*mfd.minmax(d, nan="raise"))
    assert caught.value.index == 17


def test_several_answers_that_are_none():
    nothing = da.zeros(0)
    for call in (mfd.minmax, mfd.top_k, mfd.stats):
        with pytest.raises(mf.EmptyInput):
            compute(*call(nothing))
    assert mfd.reduce(nothing, mf.stats).compute().mean is None
    with pytest.raises(mf.EmptyInput):
        compute(*mfd.minmax(da.zeros((0, 3)), axis=0))
    with pytest.raises(TypeError, match="Dask arrays"):
        mfd.top_k([1, 2])
    with pytest.raises(ValueError, match="k"):
        mfd.top_k(da.zeros(3), 0)


def test_a_whole_array_is_not_gathered_by_mistake():
    with pytest.raises(TypeError, match="monofold.dask"):
        mf.sum(da.zeros(3))
    xarray = pytest.importorskip("xarray")
    with pytest.raises(TypeError, match="monofold.dask"):
        mf.sum(xarray.DataArray(da.zeros(3)))
    assert mf.sum(xarray.DataArray(np.ones(3))) == 3.0


def test_no_items_in_several_chunks():
    d = da.concatenate([da.zeros(0), da.zeros(0), da.zeros(0)])
    assert mfd.sum(d, axis=0).compute() == mfd.sum(d, dtype="f4").compute() == mfd.sum(d).compute() == 0.0
    with pytest.raises(mf.EmptyInput):
        mfd.max(d, axis=0).compute()


def test_chunks_of_unknown_sizes():
    x = numbers("float64", 1000)
    d = da.from_array(x, chunks=70)
    some = d[d > 1]
    for name in ("sum", "mean", "std", "max", "count"):
        assert same(getattr(mfd, name)(some).compute().item(), getattr(mf, name)(x[x > 1]))
    with pytest.raises(ValueError, match="unknown"):
        mfd.argmax(some)


def test_what_is_not_taken():
    for x in (np.ones(3), [1.0]):
        for call in (mfd.sum, lambda x: mfd.sum(x, axis=0), lambda x: mfd.state(x, mf.sum)):
            with pytest.raises(TypeError, match="takes Dask arrays"):
                call(x)
    with pytest.raises(TypeError, match="takes no out"):
        mfd.sum(da.ones(3), out=np.zeros(()))
