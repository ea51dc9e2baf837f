"""Rows of Dask arrays: parts that lie in several chunks, of the bytes of one call on all items."""

import math

import monofold as mf
import numpy as np
import pytest
from arrays import numbers

da = pytest.importorskip("dask.array")
from dask import compute  # noqa: E402

import monofold.dask as mfd  # noqa: E402
from monofold import _core, _dask_rows, _folds  # noqa: E402

EXACT = ("sum", "mean", "mean_square", "var", "std", "min", "max", "argmin", "argmax", "any", "all", "count",
         "count_nan", "count_nonzero", "norm")
CHUNKS = ((7, 50), (1, 200), (60, 9), ((3, 0, 40, 17), (199, 1)), (13, 13))


@pytest.fixture(params=("few", "many"))
def few_items(request, monkeypatch):
    """Both ways of joining: items as they are, and states of whatever rows there are."""
    monkeypatch.setattr(_dask_rows, "FEW_ITEMS", 512 if request.param == "few" else 2)
    return request.param


def equal(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


def has_rechunk(array):
    return any("rechunk" in layer for layer in array.__dask_graph__().layers)


@pytest.mark.parametrize("chunks", CHUNKS, ids=str)
@pytest.mark.parametrize("axis", (0, 1, -2, (1,)), ids=str)
def test_any_chunks(chunks, axis, few_items):
    x = numbers("float32", (60, 200))
    d = da.from_array(x, chunks=chunks)
    arrays = {name: getattr(mfd, name)(d, axis=axis) for name in EXACT}
    assert not any(map(has_rechunk, arrays.values()))
    for name, found in zip(arrays, compute(*arrays.values())):
        expected = getattr(mf, name)(x, axis=axis)
        assert arrays[name].dtype == expected.dtype and arrays[name].shape == expected.shape
        equal(found, expected)


@pytest.mark.parametrize("split_every", (2, 3, {0: 2, 2: 3}), ids=str)
@pytest.mark.parametrize("axis", (0, 1, 2, (0, 1), (0, 2), (2, 1), ()), ids=str)
@pytest.mark.parametrize("keepdims", (False, True))
def test_cubes(axis, keepdims, split_every, few_items):
    x = numbers("float64", (9, 14, 11))
    d = da.from_array(x, chunks=(2, 5, 4))
    for name in ("sum", "var", "max", "argmin", "prod", "count"):
        if isinstance(split_every, dict) and axis != (0, 2):
            continue
        if name == "prod":  # whose bits are those of whole rows
            found = mfd.prod(d, axis=axis, keepdims=keepdims)
        else:
            found = getattr(mfd, name)(d, axis=axis, keepdims=keepdims, split_every=split_every)
            several = isinstance(axis, tuple) and len(axis) > 1
            assert not has_rechunk(found) or name == "argmin" and several
        equal(found.compute(), getattr(mf, name)(x, axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("scheduler, split_every", (("synchronous", 2), ("threads", None), ("threads", 2),
                                                    ("threads", 3), ("processes", 3)))
def test_schedulers(scheduler, split_every):
    x = numbers("float64", (3000, 7))
    d = da.from_array(x, chunks=(700, 3))
    found = compute(*(getattr(mfd, name)(d, axis=0, split_every=split_every) for name in ("sum", "std", "argmax")),
                    scheduler=scheduler, num_workers=2)
    for one, name in zip(found, ("sum", "std", "argmax")):
        equal(one, getattr(mf, name)(x, axis=0))


def test_a_cluster_of_processes():
    distributed = pytest.importorskip("distributed")
    x = numbers("float64", (3000, 7))
    d = da.from_array(x, chunks=(700, 3))
    with (distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
          distributed.Client(cluster)):
        for split_every in (None, 2, 3):
            equal(mfd.mean(d, axis=0, split_every=split_every).compute(), mf.mean(x, axis=0))
            for found, expected in zip(compute(*mfd.top_k(d, 5, axis=0, split_every=split_every)),
                                       mf.top_k(x, 5, axis=0)):
                equal(found, expected)
        with pytest.raises(mf.NanFound):
            mfd.sum(da.where(d == x[2999, 6], np.nan, d), axis=0, nan="raise").compute()


@pytest.mark.parametrize("dtype", ("bool", "int8", "uint16", "int64", "float16", "float32", ">f8"))
def test_types(dtype, few_items):
    x = (numbers("float64", (50, 30)) * 20).clip(0, 100).astype(dtype)
    d = da.from_array(x, chunks=(9, 7))
    names = EXACT + ("prod",) * (x.dtype.kind != "f")
    names += ("bit_and", "bit_or", "bit_xor") * (x.dtype.kind in "iu")
    for axis in (0, 1):
        for name in names[axis::2]:
            out = getattr(mfd, name)(d, axis=axis)
            assert not has_rechunk(out)
            equal(out.compute(), getattr(mf, name)(x, axis=axis))
    for asked in ("float32", "float64"):
        equal(mfd.mean(d, axis=0, dtype=asked).compute(), mf.mean(x, axis=0, dtype=asked))
    with pytest.raises(TypeError, match="places"):
        mfd.argmax(d, axis=0, dtype="int8")


def test_exactly_rounded_once(few_items):
    x = np.array([[1e300, 1.0, 2.0**-60], [1.0, 1e16, 1.0], [-1e300, -1e16, 2.0**-60], [1e-300, 1.0, -1.0]] * 300)
    d = da.from_array(x, chunks=(37, 1))
    for asked in (None, "float32", "float16"):
        equal(mfd.sum(d, axis=0, dtype=asked).compute(), mf.sum(x, axis=0, dtype=asked))
    equal(mfd.norm(d[:, 1:], axis=0, ord=1).compute(), mf.norm(x[:, 1:], axis=0, ord=1))
    assert mfd.sum(d, axis=0).compute().tolist() == [math.fsum(column) for column in x.T.tolist()]


@pytest.mark.parametrize("nan", ("propagate", "omit", "raise"))
def test_nan_rules(nan, few_items):
    x = numbers("float64", (40, 30))
    x[3, 5], x[17, 8], x[18, 8], x[:, 9] = np.nan, np.nan, np.inf, -0.0
    d = da.from_array(x, chunks=(6, 8))
    for name in ("sum", "mean", "var", "min", "argmax", "count"):
        if nan == "raise" and name != "count":
            with pytest.raises(mf.NanFound):
                getattr(mfd, name)(d, axis=0, nan=nan).compute()
            x_, d_ = x[:, 9:], d[:, 9:]
        else:
            x_, d_ = x, d
        equal(getattr(mfd, name)(d_, axis=0, nan=nan).compute(), getattr(mf, name)(x_, axis=0, nan=nan))
    for found, expected in zip(compute(*mfd.minmax(d[19:], axis=1, nan=nan)), mf.minmax(x[19:], axis=1, nan=nan)):
        equal(found, expected)


@pytest.mark.parametrize("axis", (0, 1, (0, 2), (1, 2)), ids=str)
def test_several_answers(axis, few_items):
    x = numbers("int16", (12, 13, 14))
    d = da.from_array(x, chunks=(5, 3, 4))
    calls = [(mfd.minmax, mf.minmax, ()), (mfd.top_k, mf.top_k, (4,)), (mfd.bottom_k, mf.bottom_k, (4,))]
    calls += [(mfd.stats, mf.stats, ())]
    for keepdims in (False, True):
        for ours, whole, args in calls:
            told = ours(d, *args, axis=axis, keepdims=keepdims, split_every=2)
            for found, array, expected in zip(compute(*told), told, whole(x, *args, axis=axis, keepdims=keepdims)):
                assert array.dtype == expected.dtype and array.shape == expected.shape
                equal(found, expected)


def test_folds_along_axes(few_items):
    x = numbers("float64", (40, 30))
    d = da.from_array(x, chunks=(7, 8))
    fold = mf.all(mf.sum, mf.minmax, mf.bottom_k(k=3), mf.argmax)
    told, expected = mfd.reduce(d, fold, axis=0, split_every=3), mf.reduce(x, fold, axis=0)
    assert type(told[2]) is type(expected[2])
    flat = [told[0], *told[1], *told[2], told[3]]
    assert not any(map(has_rechunk, flat))
    for found, wanted in zip(compute(*flat), [expected[0], *expected[1], *expected[2], expected[3]]):
        equal(found, wanted)
    equal(mfd.reduce(d, mf.var(correction=1), axis=1, keepdims=True).compute(),
          mf.var(x, 1, correction=1, keepdims=True))
    equal(mfd.reduce(d, mf.plain.sum, axis=0).compute(), mf.plain.sum(x, axis=0))
    stats = mfd.reduce(d, mf.stats, axis=1)
    assert type(stats) is mf.Stats
    for found, wanted in zip(compute(*stats), mf.stats(x, axis=1)):
        equal(found, wanted)
    with pytest.raises(TypeError, match="split_every"):
        mfd.reduce(d, mf.plain.sum, axis=0, split_every=2)
    with pytest.raises(TypeError, match="dask.dot"):
        mfd.reduce(d, mf.dot, axis=0)


@pytest.mark.parametrize("chunks", ((7, 50), (60, 9), (13, 13)), ids=str)
def test_where(chunks, few_items):
    x = numbers("float64", (60, 200))
    mask = x > 0
    mask[:, 0] = mask[0] = True
    d, where = da.from_array(x, chunks=chunks), da.from_array(mask, chunks=(11, 70))
    for name in ("sum", "var", "max", "count", "any"):
        for axis in (0, 1):
            equal(getattr(mfd, name)(d, axis=axis, where=where).compute(), getattr(mf, name)(x, axis=axis, where=mask))
        assert getattr(mfd, name)(d, where=d > 0).compute() == getattr(mf, name)(x, where=x > 0)
    equal(mfd.argmax(d, axis=0, where=where).compute(), mf.argmax(x, axis=0, where=mask))
    column = mask[:, :1]
    equal(mfd.sum(d, axis=0, where=column).compute(), mf.sum(x, axis=0, where=column))
    equal(mfd.sum(d, axis=0, where=True).compute(), mf.sum(x, axis=0))
    for found, expected in zip(compute(*mfd.minmax(d, axis=1, where=where)), mf.minmax(x, axis=1, where=mask)):
        equal(found, expected)
    for found, expected in zip(compute(*mfd.top_k(d, 3, axis=1, where=where)), mf.top_k(x, 3, axis=1, where=mask)):
        equal(found, expected)
    fold = mf.all(mf.sum, mf.max)
    assert mfd.reduce(d, fold, where=where).compute() == mf.reduce(x, fold, where=mask)


def test_where_that_is_not_taken():
    d = da.ones((4, 3), chunks=2)
    for name in ("argmax", "prod"):
        with pytest.raises(TypeError, match="places"):
            getattr(mfd, name)(d, where=d > 0)
    with pytest.raises(TypeError, match="places"):
        mfd.sum(d, where=d > 0, nan="raise")
    with pytest.raises(TypeError, match="bool"):
        mfd.sum(d, axis=0, where=d)
    with pytest.raises(ValueError, match="shape"):
        mfd.sum(d, axis=0, where=da.ones((2, 4), dtype=bool))
    with pytest.raises(mf.EmptyInput):
        mfd.max(d, axis=0, where=d > 2).compute()


@pytest.mark.parametrize("axis", (None, 0, 1, (0, 1), ()), ids=str)
@pytest.mark.parametrize("dtype", ("float64", "int16"))
def test_dot(axis, dtype, few_items):
    x, y = numbers(dtype, (40, 30)), numbers(dtype, (40, 30))[::-1].copy()
    left, right = da.from_array(x, chunks=(7, 8)), da.from_array(y, chunks=(11, 30))
    for keepdims in (False, True):
        expected = np.asarray(mf.dot(x, y, axis=axis, keepdims=keepdims))
        found = mfd.dot(left, right, axis=axis, keepdims=keepdims, split_every=2)
        assert found.shape == expected.shape
        equal(found.compute(), expected)
    if dtype == "float64":
        equal(mfd.dot(left, right, axis=0, dtype="float32").compute(), mf.dot(x, y, axis=0, dtype="float32"))


def test_dot_of_two_shapes():
    for other in (da.ones((3, 2)), da.ones((2, 3), dtype="f4")):
        with pytest.raises(ValueError, match="one shape and type"):
            mfd.dot(da.ones((2, 3)), other)
    x = np.array([[1.0, np.nan], [2.0, 3.0]])
    d = da.from_array(x, chunks=1)
    assert mfd.dot(d, d, nan="omit").compute() == 14.0
    with pytest.raises(mf.NanFound) as caught:
        mfd.dot(d, d, nan="raise").compute()
    assert caught.value.index == 1


def test_empty_chunks(few_items):
    d = da.concatenate([da.zeros((0, 4)), da.ones((3, 4)), da.zeros((0, 4)), da.ones((2, 4))])
    x = d.compute()
    for name in ("sum", "max", "argmax", "count"):
        equal(getattr(mfd, name)(d, axis=0).compute(), getattr(mf, name)(x, axis=0))
    nothing = da.concatenate([da.zeros((0, 4)), da.zeros((0, 4))])
    equal(mfd.sum(nothing, axis=0).compute(), np.zeros(4))
    with pytest.raises(mf.EmptyInput):
        mfd.max(nothing, axis=0).compute()
    no_rows = da.concatenate([da.zeros((3, 0)), da.zeros((2, 0))])
    equal(mfd.sum(no_rows, axis=0).compute(), np.zeros(0))
    with pytest.raises(mf.EmptyInput):
        mfd.mean(d, axis=0, where=da.zeros((5, 4), dtype=bool)).compute()


def test_chunks_of_unknown_sizes(few_items):
    x = numbers("float64", (90, 7))
    d = da.from_array(x, chunks=(20, 3))
    some = d[d[:, 0] > 0.5]
    kept = x[x[:, 0] > 0.5]
    for name in ("sum", "std", "max", "count"):
        equal(getattr(mfd, name)(some, axis=0).compute(), getattr(mf, name)(kept, axis=0))
        equal(getattr(mfd, name)(some, axis=1).compute(), getattr(mf, name)(kept, axis=1))
    equal(mfd.argmax(some, axis=1).compute(), mf.argmax(kept, axis=1))
    with pytest.raises(ValueError, match="unknown"):
        mfd.argmax(some, axis=0)


def test_bad_axes():
    d = da.ones((4, 3), chunks=2)
    for axis in (2, -3, (0, 5)):
        with pytest.raises(np.exceptions.AxisError):
            mfd.sum(d, axis=axis)
    with pytest.raises(ValueError, match="twice"):
        mfd.sum(d, axis=(0, -2))
    with pytest.raises(TypeError, match="integer"):
        mfd.sum(d, axis="0")


def test_a_task_has_a_chunk_or_states(monkeypatch):
    """No array of more than a chunk's items goes into any call: states do, of a few bytes a row."""
    seen, sizes = [], []
    states, merge = _core.row_states, _core.merge_row_states
    monkeypatch.setattr(_core, "row_states", lambda items, *rest: seen.append(items.count) or states(items, *rest))
    monkeypatch.setattr(_core, "merge_row_states", lambda parts: sizes.extend(map(len, parts)) or merge(parts))
    x = numbers("float64", (6000, 40))
    d = da.from_array(x, chunks=(1000, 10))
    out = mfd.sum(d, axis=0, split_every=2)
    assert not has_rechunk(out)
    equal(out.compute(scheduler="synchronous"), mf.sum(x, axis=0))
    assert sum(seen) == x.size and max(seen) == 1000 * 10
    assert max(sizes) < 100 + 10 * 312  # the states of float64 as they are in memory
    few, many = (len(mfd.sum(d, axis=0, split_every=every).__dask_graph__()) for every in (100, 2))
    assert few < many


def test_few_items_are_joined_as_they_are(monkeypatch):
    x = numbers("float64", (40, 30))
    d = da.from_array(x, chunks=(3, 30))
    with monkeypatch.context() as patched:
        patched.setattr(_core, "row_states", None)
        equal(mfd.sum(d, axis=0, split_every=2).compute(scheduler="synchronous"), mf.sum(x, axis=0))
    monkeypatch.setattr(_dask_rows, "MOST_BYTES", 8 * 8 * 30)
    held = []
    merge = _core.merge_row_states
    monkeypatch.setattr(_core, "merge_row_states", lambda parts: held.append(len(parts)) or merge(parts))
    equal(mfd.sum(d, axis=0, split_every=2).compute(scheduler="synchronous"), mf.sum(x, axis=0))
    assert held


def packed(x, fold, axes=(0,), first=0):
    fold = _folds.as_fold(fold)
    items = mf._arrays.as_source(x).items
    return _core.row_states(items, None, None, list(axes), list(fold.codes), fold.make_how(), first)


def test_packed_states_that_are_none():
    x = numbers("float64", (30, 5))
    good = packed(x, mf.sum)
    for at in range(len(good)):
        damaged = bytearray(good)
        damaged[at] ^= 0x41
        with pytest.raises(mf.MalformedState):
            _core.merge_row_states([bytes(damaged)])
        with pytest.raises(mf.MalformedState):
            _core.merge_row_states([good[:at]])
    with pytest.raises(mf.MalformedState):
        _core.merge_row_states([bytes(mf.State(mf.sum, "float64"))])
    for others in ([], [good, packed(x, mf.mean)], [good, packed(x[:, :4], mf.sum)]):
        with pytest.raises(ValueError):
            _core.merge_row_states(others)
    with pytest.raises(ValueError):
        _core.answer_rows(good, 4, [(mf._dtypes.FLOAT64, 1, 0, 0, 0)])
    with pytest.raises(ValueError):
        _core.answer_rows(good, 5, [])


def test_packed_states_have_the_same_bytes_in_any_layout():
    x = numbers("float32", (6, 700, 5))
    for axes in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2), ()):
        expected = packed(x, mf.all(mf.sum, mf.argmax), axes)
        strided = np.zeros((12, 700, 10), "f4")[::2, :, ::-2]
        strided[...] = x
        for same in (np.asfortranarray(x), strided, x.astype(">f4"), x.transpose(1, 0, 2).copy().transpose(1, 0, 2)):
            assert packed(same, mf.all(mf.sum, mf.argmax), axes) == expected
    parts = [packed(x[:, at:at + 100], mf.argmin, (1,), at) for at in range(0, 700, 100)]
    assert _core.merge_row_states(parts) == packed(x, mf.argmin, (1,))


def test_plain_folds_have_no_states_of_parts():
    x = numbers("float64", (30, 5))
    for fold in (mf.plain.sum, mf.prod, mf.logsumexp, mf.softmax_denominator):
        with pytest.raises(TypeError):
            packed(x, fold)


def test_marks_and_pairs_of_unknown_sizes_and_odd_chunks():
    x = np.random.default_rng(1).normal(size=(40, 1300))
    d, here = da.from_array(x, chunks=(7, 400)), x[x[:, 0] > -1]
    some = d[d[:, 0] > -1]
    assert np.array_equal(mfd.sum(some, axis=0, where=some > 0).compute(), mf.sum(here, axis=0, where=here > 0))
    assert mfd.sum(some, where=some > 0).compute() == mf.sum(here, where=here > 0)
    assert np.array_equal(mfd.dot(some, some * 1, axis=0).compute(), mf.dot(here, here, axis=0))
    with pytest.raises(ValueError, match="shape"):
        mfd.dot(some, d, axis=0)
    marks = np.arange(40)[:, None] % 2 == 0
    for where in (marks, da.from_array(marks, chunks=((0, 20, 20), (0, 1)))):
        assert np.array_equal(mfd.sum(d, axis=1, where=where).compute(), mf.sum(x, axis=1, where=marks))
    nothing = np.zeros((3, 0, 1300), bool)
    assert mfd.sum(da.zeros(nothing.shape, chunks=-1), axis=2, where=nothing).compute().shape == (3, 0)
