"""Runs of equal keys: each the bits of its items alone."""

import itertools

import monofold as mf
import numpy as np
import pytest
from arrays import numbers, same


def check(keys, x, operation):
    """The runs of Python's groupby, each with the answer of a call on its items."""
    runs = [[at for at, _ in run] for _, run in itertools.groupby(enumerate(keys.tolist()), lambda pair: pair[1])]
    found, answers = mf.reduce_by_key(keys, x, operation)
    assert found.dtype == keys.dtype and found.tolist() == keys[[places[0] for places in runs]].tolist()
    assert answers.tolist() == [operation(x[places]) for places in runs]


@pytest.mark.parametrize(
    "kind", ("bool", "int8", "int64", "uint64", "float32", "text", "bytes", "longdouble", "object"))
def test_keys(kind):
    x = numbers("float64", 3000)
    picks = np.random.default_rng(4).integers(0, 3, 3000)
    keys = {"text": np.array([f"key {pick} of many letters" for pick in picks]),
            "uint64": picks.astype("uint64") + 2**63, "bytes": np.array([b"a", b"b", b"c"])[picks]}.get(kind)
    keys = picks.astype(kind) if keys is None else keys
    for operation in (mf.sum, mf.plain.sum, mf.argmax, mf.count, mf.std, mf.logsumexp):
        check(keys, x, operation)


def test_long_runs_are_segments():
    x = np.random.default_rng(7).normal(size=100_000) * 10.0 ** np.arange(100_000).__mod__(30)
    keys = np.repeat([5, 7, 5, -1], [60_000, 1, 39_000, 999])
    offsets = [0, 60_000, 60_001, 99_001, 100_000]
    names, (total, means, best) = mf.reduce_by_key(keys, x, mf.all(mf.sum, mf.mean, mf.argmax))
    assert names.tolist() == [5, 7, 5, -1]
    assert same(total, mf.segmented_reduce(x, mf.sum, offsets))
    assert same(means, mf.segmented_reduce(x, mf.mean, offsets))
    assert same(best, mf.segmented_reduce(x, mf.argmax, offsets))
    assert mf.reduce_by_key(keys, x, mf.sum, dtype="float32")[1].dtype == np.float32
    top = mf.reduce_by_key(keys, x, mf.top_k(k=1))[1]
    assert same(top.values[:, 0], mf.reduce_by_key(keys, x, mf.max)[1]) and top.indices.shape == (4, 1)
    assert mf.reduce_by_key(keys, x, mf.stats)[1].count.tolist() == [60_000, 1, 39_000, 999]


@pytest.mark.parametrize("dtype", ("float16", "float32", "float64", "longdouble", "complex128", "object"))
def test_nan_and_zeros(dtype):
    odd_nan = np.array([0x7FF8000000000001], np.uint64).view(np.float64)[0]
    keys = np.array([np.nan, odd_nan, -np.nan, 1.0, -0.0, 0.0, np.nan, 0.0], dtype)
    names, counts = mf.reduce_by_key(keys, np.ones(8), mf.count)
    assert counts.tolist() == [3, 1, 2, 1, 1]
    assert np.isnan(names.astype(complex)).tolist() == [True, False, False, True, False]
    assert dtype == "object" or not np.signbit(names.real[[2, 4]]).any()


def test_dates_and_records():
    days = np.array(["2024-01-02", "2024-01-02", "NaT", "NaT", "2024-01-02"], "M8[D]")
    names, counts = mf.reduce_by_key(days, np.ones(5), mf.count)
    assert counts.tolist() == [2, 2, 1] and names.dtype == days.dtype and names[0] == days[0]
    rows = np.array([(1, np.nan), (1, np.nan), (1, -0.0), (1, 0.0), (2, 0.0)], [("i", "i4"), ("x", "f8")])
    names, counts = mf.reduce_by_key(rows, np.ones(5), mf.count)
    assert counts.tolist() == [2, 2, 1] and names["i"].tolist() == [1, 1, 2] and not np.signbit(names["x"][1])


def test_tuples_of_keys():
    city = np.array(["Oslo", "Oslo", "Bergen", "Bergen", "Bergen"])
    year = np.array([1, 2, 2, 2, 1])
    (cities, years), total = mf.reduce_by_key((city, year), np.arange(5.0), mf.sum)
    assert cities.tolist() == ["Oslo", "Oslo", "Bergen", "Bergen"] and years.tolist() == [1, 2, 2, 1]
    assert total.tolist() == [0, 1, 5, 4]


def test_absent_rows_part_no_run():
    arrow = pytest.importorskip("pyarrow")
    keys = arrow.array(["a", None, "a", "b", "b"])
    names, total = mf.reduce_by_key(keys, arrow.array([1.0, 2.0, 4.0, None, 8.0]), mf.sum)
    assert np.asarray(names).tolist() == ["a", "b"] and np.asarray(total).tolist() == [5.0, 8.0]


def test_bad_runs():
    x = np.arange(4.0)
    with pytest.raises(ValueError, match="3 keys for 4 items"):
        mf.reduce_by_key([1, 2, 3], x, mf.sum)
    with pytest.raises(TypeError, match="dot"):
        mf.reduce_by_key([1, 2, 3, 4], x, mf.dot)
    with pytest.raises(TypeError):
        mf.reduce_by_key((), x, mf.sum)
    with pytest.raises(mf.EmptyInput, match="key 'b'"):
        mf.reduce_by_key(["a", "a", "b", "a"], x, mf.var(correction=1))
    with pytest.raises(mf.NanFound, match=r"key \('a', 2\)"):
        mf.reduce_by_key((["a", "a", "b", "b"], [1, 2, 2, 2]), [1.0, np.nan, 2.0, 3.0], mf.max, nan="raise")
    nested = np.dtype([("b", [("c", "i4", 2)])])
    for dtype in (np.dtype([("i", "i4"), ("a", "f8", 3)]), nested):
        for call in (mf.reduce_by_key, mf.group_by):
            with pytest.raises(TypeError, match="^keys of records whose fields are arrays$"):
                call(np.zeros(2, dtype), np.ones(2), mf.sum)
    names, answers = mf.reduce_by_key([], [], mf.sum)
    assert names.size == 0 and answers.size == 0
