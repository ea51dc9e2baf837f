"""Keys of groups: the order and the bits of what NumPy's unique gives, -0 as +0, rows without a key left out."""

import monofold as mf
import numpy as np
import pytest
from arrays import numbers, same
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from producers import Column, CudaArray, OnGpu, Tensor

TYPES = ("bool", "int8", "int64", "uint32", "uint64", "float16", "float32", "float64", ">f8", ">i4", "U1", "U8", "U9",
         "S3", "S12", "M8[D]", "m8[us]")


def by_unique(keys, x, order):
    """The slow and obvious way: what NumPy sorts, and its places."""
    if keys.dtype.kind == "f":
        keys = keys + keys.dtype.type(0)  # -0 is +0
    names, codes = np.unique(keys, return_inverse=True)
    firsts = [int(np.argmax(codes == code)) for code in range(names.size)]
    ranks = np.argsort(firsts, kind="stable") if order == "first" else np.arange(names.size)
    return names[ranks], np.array([mf.sum(x[codes == code]) for code in ranks], x.dtype)


def check(keys):
    x = numbers("float64", keys.size)
    for order in ("key", "first"):
        names, answers = mf.group_by(keys, x, mf.sum, order=order)
        right, sums = by_unique(keys, x, order)
        assert names.dtype == keys.dtype and same(answers, sums)
        if keys.dtype.kind == "f":
            assert np.array_equal(names, right, equal_nan=True) and not np.signbit(names[names == 0]).any()
        else:
            assert names.tolist() == right.tolist()


def repeated(data, dtype):
    some = data.draw(hnp.arrays(dtype, st.integers(1, 12)))
    return some[data.draw(hnp.arrays("int64", st.integers(0, 40), elements=st.integers(0, some.size - 1)))]


@pytest.mark.parametrize("dtype", TYPES)
@given(data=st.data())
def test_keys_are_those_of_unique(dtype, data):
    check(repeated(data, dtype))


@given(data=st.data())
def test_tuples_are_those_of_one_key_after_the_other(data):
    some = st.sampled_from(("int8", "uint64", "float64", "U3", "U11", "M8[D]"))
    kinds = data.draw(st.lists(some, min_size=1, max_size=3))
    columns = [repeated(data, kind) for kind in kinds]
    size = min(column.size for column in columns)
    columns = tuple(column[:size] for column in columns)
    names, counts = mf.group_by(columns, np.ones(size), mf.count)
    ranks = np.zeros((size, len(columns)), int)
    for i, column in enumerate(columns):
        ranks[:, i] = np.unique(column, return_inverse=True)[1]
    rows, right = np.unique(ranks, axis=0, return_counts=True)
    assert counts.tolist() == right.tolist()
    for name, column, place in zip(names, columns, rows.T):
        assert np.array_equal(name, np.unique(column)[place], equal_nan=column.dtype.kind in "fM")


def test_zeros_and_nan_are_one_key_each():
    for dtype in ("float16", "float32", "float64"):
        keys = np.array([-0.0, np.nan, 0.0, -np.inf, -np.nan, np.inf, -0.0], dtype)
        names, sums = mf.group_by(keys, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0], mf.sum)
        assert sums.tolist() == [8.0, 69.0, 32.0, 18.0] and np.isnan(names[3]) and names.dtype == dtype
        assert names[:3].tolist() == [-np.inf, 0.0, np.inf] and not np.signbit(names[1:]).any()
    (names, _), _ = mf.group_by(([-0.0, 0.0], [1, 1]), [1.0, 2.0], mf.sum)
    assert names.tolist() == [0.0] and not np.signbit(names[0])


def test_keys_of_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    keys = np.array([2.5, -1.0, np.nan, 2.5, -0.0], ml_dtypes.bfloat16)
    names, sums = mf.group_by(keys, [1.0, 2.0, 4.0, 8.0, 16.0], mf.sum)
    assert names.dtype == keys.dtype and sums.tolist() == [2.0, 16.0, 9.0, 4.0]


def test_many_rows_of_long_texts():
    for letter in "ab\u0416\U0001f600":
        texts = np.array([f"{letter} of a long name {i}" for i in (3, 1, 4, 15, 9)])
        check(texts[np.random.default_rng(1).integers(0, 5, 3000)])
    check(np.array([f"key number {i % 2500}" for i in range(3000)]))


def test_texts_of_one_hash(monkeypatch):
    monkeypatch.setattr("monofold._keys.ODD", np.uint64(0))
    check(np.array(["one of the long texts", "another one of them"] * 30))


def test_combinations():
    far = np.array([-(2**63), 2**63 - 1, 0, 0])
    (low, high), counts = mf.group_by((far, far[::-1].copy()), np.ones(4), mf.count)
    assert low.tolist() == [-(2**63), 0, 0, 2**63 - 1] and high.tolist() == [0, -(2**63), 2**63 - 1, 0]
    many = np.arange(2**16)
    with pytest.raises(ValueError, match="too many combinations"):
        mf.group_by((many,) * 4, many, mf.sum)
    names, counts = mf.group_by((np.zeros(0), np.zeros(0, int)), [], mf.count)
    assert [name.dtype for name in names] == [np.float64, np.int64] and counts.size == 0


def test_chunks_and_absent_items():
    x = numbers("float64", 100)
    valid = np.arange(100) % 7 > 0
    keys = np.arange(100) % 5
    chunks = [(x[a:b], valid[a:b]) for a, b in ((0, 30), (30, 31), (31, 100))]
    for offset in (0, 3):
        names, (sums, places) = mf.group_by(keys, Column(chunks, offset=offset), mf.all(mf.sum, mf.argmax))
        assert names.tolist() == [0, 1, 2, 3, 4]
        kept = [x[(keys == key) & valid] for key in range(5)]
        assert sums.tolist() == [mf.sum(part) for part in kept] and places.tolist() == [part.argmax() for part in kept]
    packed = [(part, None) for part in (x[:50], x[50:])]
    assert same(mf.group_by(keys, Column(packed), mf.sum)[1], mf.group_by(keys, x, mf.sum)[1])
    truth = [(x[:50] > 0, None), (x[50:] > 0, valid[50:])]
    assert mf.group_by(keys * 0, Column(truth), mf.count)[1].tolist() == [50 + valid[50:].sum()]
    with pytest.raises(mf.EmptyInput, match="key 3"):
        mf.group_by([3, 3, 4], Column([(np.ones(2), [True, False]), (np.ones(1), None)]), mf.var(correction=1))


def test_keys_that_only_follow_a_protocol():
    names, sums = mf.group_by(Tensor(np.array([2, 1, 2]), 0), [1.0, 2.0, 4.0], mf.sum)
    assert names.tolist() == [1, 2] and sums.tolist() == [2.0, 5.0]
    keys = Column([(np.array([2, 1]), [True, False]), (np.array([2]), None)])
    assert mf.group_by(keys, [1.0, 2.0, 4.0], mf.sum)[1].tolist() == [5.0]


def test_pyarrow():
    pa = pytest.importorskip("pyarrow")
    x = pa.chunked_array([[1.5, None, 2.5], [4.0, 8.0]])
    city = pa.chunked_array([["Oslo", "Oslo"], ["Bergen", None, "Oslo"]])
    names, sums = mf.group_by(city, x, mf.sum)
    assert list(names) == ["Bergen", "Oslo"] and sums.tolist() == [2.5, 9.5]
    large = pa.array([2**62 + 1, None, 2**62 + 1, 2**62, 2**62])  # which no float has
    names, sums = mf.group_by(large, x, mf.sum)
    assert [int(name) for name in names] == [2**62, 2**62 + 1] and sums.tolist() == [12.0, 4.0]
    (names, numbers_), sums = mf.group_by((city, large), np.arange(5), mf.sum)
    assert list(names) == ["Bergen", "Oslo", "Oslo"] and sums.tolist() == [2, 4, 0]
    backwards = np.arange(5.0, dtype=">f8")
    assert mf.group_by(large, backwards, mf.sum)[1].tolist() == [7.0, 2.0]


def test_polars():
    pl = pytest.importorskip("polars")
    table = pl.DataFrame({"city": ["Oslo", None, "Oslo", "Bergen"], "rain": [1.5, 2.0, None, 4.0],
                          "year": [1, 1, 2, None]})
    names, sums = mf.group_by(table["city"], table["rain"], mf.sum)
    assert list(names) == ["Bergen", "Oslo"] and sums.tolist() == [4.0, 1.5]
    (names, years), counts = mf.group_by((table["city"], table["year"]), table["rain"], mf.count)
    assert list(names) == ["Oslo"] and years.tolist() == [1] and years.dtype == np.int64 and counts.tolist() == [1]
    both = pl.concat([table["rain"], table["rain"]], rechunk=False)
    assert mf.group_by([1, 1, 1, 1, 2, 2, 2, 2], both, mf.sum)[1].tolist() == [7.5, 7.5]


def test_pandas():
    pd = pytest.importorskip("pandas")
    keys, x = pd.Series([1, None, 1, 2], dtype="Int64"), pd.Series([1.0, 2.0, None, 4.0], dtype="Float64")
    names, sums = mf.group_by(keys, x, mf.sum)
    assert names.tolist() == [1, 2] and sums.tolist() == [1.0, 4.0]


def test_what_is_no_key():
    with pytest.raises(TypeError, match="keys of object that have no order"):
        mf.group_by(np.array([1, "a"], object), [1.0, 2.0], mf.sum)
    on_gpu = OnGpu(np.ones(4, "int64"), 0)
    for keys in (CudaArray(typestr="<i8"), on_gpu, (np.arange(4), on_gpu)):
        with pytest.raises(TypeError, match="needs keys on the host"):
            mf.group_by(keys, np.ones(4), mf.sum)
