"""Groups: each the bits of its items alone."""

import monofold as mf
import numpy as np
import pytest
from arrays import numbers, same


def expected(keys, x, operation, order):
    first = {}
    for key, item in zip(keys.tolist(), x):
        first.setdefault(key, []).append(item)
    names = sorted(first) if order == "key" else list(first)
    return names, [operation(np.array(first[name], x.dtype)) for name in names]


@pytest.mark.parametrize("order", ("key", "first"))
@pytest.mark.parametrize("kind", ("int8", "int64", "uint64", "float64", "text", "bool"))
def test_keys(kind, order):
    x = numbers("float64", 3000)
    picks = np.random.default_rng(4).integers(0, 50, 3000)
    keys = {"text": np.array([f"key {pick}" for pick in picks]), "uint64": picks.astype("uint64") + 2**63,
            "bool": picks % 2 == 0}.get(kind, picks)
    if kind not in ("text", "uint64", "bool"):
        keys = (keys - 25).astype(kind)
    for operation in (mf.sum, mf.plain.sum, mf.argmax, mf.count, mf.std, mf.mean_square, mf.logsumexp):
        names, answers = mf.group_by(keys, x, operation, order=order)
        right_names, right = expected(keys, x, operation, order)
        assert names.tolist() == right_names and names.dtype == keys.dtype
        assert answers.tolist() == right


@pytest.mark.parametrize("operation", (mf.sum, mf.mean, mf.plain.sum))
def test_one_group_of_all_has_the_answer_of_all(operation):
    """Where a GROUP BY gives other sums than a SUM: pandas-dev/pandas#38778, prestodb/presto#5798."""
    x = np.random.default_rng(7).normal(size=100_000) * 10.0 ** np.arange(100_000).__mod__(30)
    for key in (np.zeros(x.size, int), np.full(x.size, "all"), np.full(x.size, np.nan)):
        assert same(mf.group_by(key, x, operation)[1], np.array([operation(x)]))
    keys = np.arange(x.size) % 3
    sums = mf.group_by(keys, x, operation)[1]
    assert same(sums, np.array([operation(x[keys == k]) for k in range(3)]))


def test_several_answers_and_types():
    x, keys = numbers("int32", 1000), np.arange(1000) % 7
    names, (total, (low, high), stats) = mf.group_by(
        keys, x, mf.all(mf.sum, mf.minmax, mf.mean))
    assert names.tolist() == list(range(7)) and total.dtype == np.int64 and low.dtype == np.int32
    assert same(total, np.array([x[keys == key].sum(dtype="int64") for key in range(7)]))
    assert same(high, np.array([x[keys == key].max() for key in range(7)])) and stats.dtype == np.float64
    assert mf.group_by(keys, x[::-1], mf.sum, dtype="float32")[1].dtype == np.float32
    assert mf.group_by(keys, x, mf.stats)[1].argmin.shape == (7,)


@pytest.mark.parametrize("order", ("key", "first"))
@pytest.mark.parametrize("dtype", ("bool", "int8", "uint16", "float16", "float32", "int64", "float64"))
@pytest.mark.parametrize("num_keys", (3, 40_000))
def test_several_operations_have_the_bits_of_each_alone(dtype, num_keys, order):
    x = numbers("float64", 60_000)
    x = x > 0 if dtype == "bool" else (x * 1000 / np.abs(x).max()).astype(dtype)
    keys = np.random.default_rng(2).integers(-num_keys, num_keys, x.size)
    operations = (mf.sum, mf.minmax, mf.argmax, mf.mean, mf.var, mf.count_nan)
    names, answers = mf.group_by(keys, x, mf.all(*operations), order=order)
    for operation, answer in zip(operations, answers):
        one_names, one = mf.group_by(keys, x, operation, order=order)
        assert same(names, one_names)
        if operation is mf.minmax:
            assert same(answer[0], one[0]) and same(answer[1], one[1])
        else:
            assert same(answer, one) and answer.dtype == one.dtype


def test_several_operations_of_views():
    x, keys = numbers("float32", (50, 40)), np.arange(2000) % 11
    turned = x.T[::-1]
    _, (total, most) = mf.group_by(keys, turned, mf.all(mf.sum, mf.max))
    assert same(total, mf.group_by(keys, turned.ravel(), mf.sum)[1])
    assert same(most, mf.group_by(keys, turned.ravel(), mf.max)[1])
    names, (total, most) = mf.group_by([], [], mf.all(mf.sum, mf.max))
    assert names.size == total.size == most.size == 0


@pytest.mark.parametrize("order", ("key", "first"))
def test_the_best_of_groups(order):
    x = numbers("float64", 3000)
    keys = np.random.default_rng(8).integers(0, 20, x.size)
    for operation in (mf.top_k(k=3), mf.bottom_k(k=5)):
        names, best = mf.group_by(keys, x, operation, order=order)
        assert best.values.shape == best.indices.shape == (20, operation.k)
        for name, values, indices in zip(names, best.values, best.indices):
            alone = operation(x[keys == name])
            assert same(values, alone.values) and same(indices, alone.indices)
    names, (total, best) = mf.group_by(keys, x, mf.all(mf.sum, mf.top_k(k=1)), order=order)
    assert same(best.values[:, 0], mf.group_by(keys, x, mf.max, order=order)[1])
    assert same(total, mf.group_by(keys, x, mf.sum, order=order)[1])
    with pytest.raises(mf.EmptyInput, match="key 'b'"):
        mf.group_by(["a", "b", "a"], [1.0, 2.0, 3.0], mf.top_k(k=2), order=order)
    nan = np.where(keys == 7, np.nan, x)
    with pytest.raises(mf.NanFound, match="key 7"):
        mf.group_by(keys, nan, mf.top_k(k=2), nan="raise", order=order)


def test_tuples_of_keys():
    x = numbers("float64", 500)
    city = np.array(["Oslo", "Bergen", "Bodo"])[np.arange(500) % 3]
    year = 2000 + np.arange(500) % 4
    (cities, years), total = mf.group_by((city, year), x, mf.sum)
    assert list(zip(cities, years))[:2] == [("Bergen", 2000), ("Bergen", 2001)] and cities.size == 12
    for one, two, value in zip(cities, years, total):
        assert value == mf.sum(x[(city == one) & (year == two)])


def test_bad_groups():
    x = np.arange(4.0)
    with pytest.raises(ValueError, match="3 keys for 4 items"):
        mf.group_by([1, 2, 3], x, mf.sum)
    with pytest.raises(ValueError, match="order"):
        mf.group_by([1, 2, 3, 4], x, mf.sum, order="last")
    with pytest.raises(TypeError, match="dot"):
        mf.group_by([1, 2, 3, 4], x, mf.dot)
    with pytest.raises(mf.NanFound):
        mf.group_by([1, 1], [1.0, np.nan], mf.sum, nan="raise")
    with pytest.raises(mf.EmptyInput):
        mf.group_by([1, 2], [1.0, 2.0], mf.var(correction=1))
    with pytest.raises(ValueError, match="different lengths"):
        mf.group_by(([1, 2], [1]), [1.0, 2.0], mf.sum)
    with pytest.raises(TypeError):
        mf.group_by((), [], mf.sum)
    names, answers = mf.group_by([], [], mf.max)
    assert names.size == 0 and answers.size == 0


@pytest.mark.parametrize("order", ("key", "first"))
def test_errors_name_the_key(order):
    cities = ["Oslo", "Bergen", "Oslo", "Bodo"]
    with pytest.raises(mf.NanFound, match="key 'Oslo'"):
        mf.group_by(cities, [1.0, 2.0, np.nan, 3.0], mf.sum, nan="raise", order=order)
    with pytest.raises(mf.EmptyInput, match="key 'Bergen'"):
        mf.group_by(cities, [1.0, 2.0, 3.0, 4.0], mf.var(correction=1), order=order)
    with pytest.raises(mf.IntegerOverflow, match="key -7"):
        mf.group_by(np.array([5, -7, -7, 5]), [1, 2**62, 2**62, 3], mf.sum, order=order)
    with pytest.raises(mf.EmptyInput, match=r"key \('Oslo', 2\)"):
        mf.group_by((cities, [1, 1, 2, 2]), [1.0, 2.0, np.nan, 3.0], mf.mean, nan="omit", order=order)
    with pytest.raises(mf.EmptyInput, match=r"max: .*key \('Oslo', 2\)"):
        mf.group_by((cities, [1, 1, 2, 2]), [1.0, 2.0, np.nan, 3.0], mf.all(mf.sum, mf.max), nan="omit", order=order)
