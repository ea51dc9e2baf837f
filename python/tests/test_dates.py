"""Dates and times: their order, with NaT as NumPy has it; other operations are refused by name."""

import monofold as mf
import numpy as np
import pytest
from arrays import same

DAYS = np.array(["2024-02-29", "1969-07-20", "2001-01-01", "1969-07-20"], "M8[D]")


@pytest.mark.parametrize("x", (DAYS, DAYS.astype("M8[ns]"), DAYS - DAYS[2], DAYS.astype(">M8[s]")),
                         ids=lambda x: str(x.dtype))
def test_order(x):
    assert mf.min(x) == x.min() and mf.max(x) == x.max() and mf.minmax(x) == (x.min(), x.max())
    assert mf.max(x).dtype == x.dtype.newbyteorder("=")
    assert (mf.argmin(x), mf.argmax(x), mf.count(x)) == (1, 0, 4)
    table = x.reshape(2, 2)
    assert np.array_equal(mf.max(table, axis=1), table.max(axis=1))
    assert mf.min(table, axis=0, keepdims=True).shape == (1, 2)
    assert mf.max(x, where=x < x[0]) == x[2]


def test_nat():
    x = np.array([DAYS[0], "NaT", DAYS[1], DAYS[2]], "M8[D]")
    assert np.isnat(mf.min(x)) and np.isnat(mf.max(x)) and np.isnat(mf.minmax(x)).all()
    assert mf.argmin(x) == mf.argmax(x) == 1
    assert mf.max(x, nan="omit") == DAYS[0] and mf.count(x, nan="omit") == 3 and mf.argmax(x, nan="omit") == 0
    assert mf.max(x, where=[True, False, True, True]) == DAYS[0]
    with pytest.raises(mf.NanFound) as caught:
        mf.min(x, nan="raise")
    assert caught.value.index == 1
    table = x.reshape(2, 2)
    assert np.array_equal(mf.max(table, axis=1), table.max(axis=1), equal_nan=True)
    assert same(mf.argmax(table, axis=1), table.argmax(axis=1))


@pytest.mark.parametrize("operation", (mf.sum, mf.mean, mf.any, mf.norm, mf.top_k), ids=repr)
def test_refusals(operation):
    with pytest.raises(TypeError, match=r"datetime64\[D\]"):
        operation(DAYS)
    with pytest.raises(TypeError, match="datetime64"):
        mf.max(DAYS, dtype="int64")
    with pytest.raises(TypeError, match="datetime64"):
        mf.State(mf.max, "int64").push(DAYS)


def test_wherever_they_lie():
    low, high = DAYS.min(), DAYS.max()
    assert mf.reduce(DAYS, mf.min) == low and mf.reduce(DAYS, mf.all(mf.min, mf.argmax)) == (low, 0)
    assert same(mf.reduce(DAYS.reshape(2, 2), mf.argmin, 1), DAYS.reshape(2, 2).argmin(axis=1))
    assert mf.min(list(DAYS)) == low and mf.argmax(tuple(DAYS)) == 0 and mf.max(DAYS[0]) == high
    assert mf.reduce(DAYS - low, mf.max(nan="omit")) == high - low
    for call in (lambda: mf.max(DAYS, out=np.zeros((), "M8[D]")), lambda: mf.reduce(DAYS, mf.stats),
                 lambda: mf.reduce(DAYS, mf.top_k), lambda: mf.top_k(list(DAYS)),
                 lambda: mf.segmented_reduce(DAYS, mf.max, [0, 4]), lambda: mf.group_by([1] * 4, DAYS, mf.max)):
        with pytest.raises(TypeError, match="datetime64"):
            call()


def test_columns_of_pandas():
    pandas = pytest.importorskip("pandas")
    for holder in (pandas.Series, pandas.Index):
        x = holder(DAYS.astype("M8[ns]"))
        assert mf.min(x) == DAYS.min() and mf.max(x, nan="omit") == DAYS.max() and mf.argmax(x) == 0


@pytest.mark.parametrize("library", ("pyarrow", "polars"))
@pytest.mark.parametrize("dtype", ("M8[D]", "M8[us]", "m8[ms]"))
def test_columns_whose_nulls_are_absent(library, dtype):
    other = pytest.importorskip(library)
    dates = DAYS.astype("M8[D]") if dtype == "M8[D]" else (DAYS - DAYS[2] if dtype[0] == "m" else DAYS).astype(dtype)
    values = [None, *dates.tolist(), None]
    column = other.array(values) if library == "pyarrow" else other.Series(values)
    low, high = mf.minmax(column)
    assert low == dates.min() and high == dates.max() and mf.count(column) == 4
    assert (mf.argmin(column), mf.argmax(column)) == (2, 1)  # places count the absent ones
    assert mf.max(column, nan="raise") == high and mf.reduce(column, mf.all(mf.min, mf.argmax)) == (low, 1)
    assert mf.min(column, where=[True, True, False, False, False, False]) == dates[0]
    if library == "pyarrow":
        chunks = other.chunked_array([column, column.slice(0, 2)])
        assert mf.max(chunks) == high and mf.count(chunks) == 5
    with pytest.raises(mf.EmptyInput):
        mf.max(column[:1])
    with pytest.raises(TypeError, match="sum of"):
        mf.sum(column)
    with pytest.raises(TypeError):
        mf.max(other.array(["a"]) if library == "pyarrow" else other.Series(["a"]))
