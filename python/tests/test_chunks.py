"""Columns in chunks, with and without absent items, in every call: the bits of one array, whatever the chunks."""

import monofold as mf
import monofold.array_api as xp
import numpy as np
import pytest
from arrays import numbers, same
from producers import Column

COUNT = 10_000
LAYOUTS = ((), (0, 0), (1, 77, 4096, 4096, 9000), tuple(range(500, COUNT, 500)))  # where chunks end
EVERY = pytest.mark.parametrize("cuts", LAYOUTS, ids=lambda cuts: f"{len(cuts) + 1} chunks")
OPERATIONS = (mf.sum, mf.plain.sum, mf.prod, mf.var(correction=1), mf.argmax, mf.minmax, mf.count, mf.top_k(k=3),
              mf.bottom_k(k=1), mf.any)


def column_of(x, cuts, valid=None, offset=0):
    marks = [None] * (len(cuts) + 1) if valid is None else np.split(valid, cuts)
    return Column(list(zip(np.split(x, cuts), marks)), offset=offset)


def equal(found, expected):
    if isinstance(found, tuple):
        return type(found) is type(expected) and len(found) == len(expected) and all(map(equal, found, expected))
    return same(found, expected)


@EVERY
@pytest.mark.parametrize("dtype", ("float32", "int16", "bool"))
def test_without_absent_items(cuts, dtype):
    x = numbers(dtype, COUNT)
    column, odd = column_of(x, cuts, offset=3), column_of(x, cuts, np.ones(COUNT, bool))
    offsets, mask = [0, 3, 3000, COUNT], numbers("bool", COUNT, 3)
    for each in (column, odd):  # absent ones could be, but are not
        for one in OPERATIONS[1 if dtype == "bool" else 0:]:
            if one is mf.argmax and dtype == "bool":
                continue
            assert equal(mf.segmented_reduce(each, one, offsets), mf.segmented_reduce(x, one, offsets))
            assert equal(one(each, where=mask), one(x, where=mask)), one
            assert equal(one(each, axis=0), one(x, axis=0)) and equal(one(each, keepdims=True), one(x, keepdims=True))
            assert equal(one(each, axis=0, where=mask), one(x, axis=0, where=mask)), one
            assert equal(mf.rolling(each, 999, one), mf.rolling(x, 999, one))
        assert same(mf.scan(each, mf.max), mf.scan(x, mf.max))
        assert same(mf.cumulative_sum(each, include_initial=True), mf.cumulative_sum(x, include_initial=True))
        assert same(mf.cumulative_prod(each), mf.cumulative_prod(x))


@EVERY
def test_inner_products(cuts):
    x, y = numbers("float64", COUNT), numbers("float64", COUNT, 3)
    column, mask = column_of(x, cuts), numbers("bool", COUNT)
    for left, right in ((column, y), (column, column_of(y, (5, 6000)))):
        assert mf.dot(left, right) == mf.dot(x, y) and mf.plain.dot(left, right) == mf.plain.dot(x, y)
        assert mf.dot(left, right, where=mask) == mf.dot(x, y, where=mask)
        assert same(mf.dot(left, right, axis=0, dtype="float32"), mf.dot(x, y, axis=0, dtype="float32"))
        assert mf.State(mf.dot, "float64").push(left, right) == mf.State(mf.dot, "float64").push(x, y)
    with pytest.raises(ValueError, match="one shape"):
        mf.dot(column, y[1:])


@EVERY
@pytest.mark.parametrize("dtype", ("float64", "int8"))
def test_absent_items_are_left_out(cuts, dtype):
    x, valid = numbers(dtype, COUNT), numbers("bool", COUNT, 4)
    column, mask = column_of(x, cuts, valid, offset=2), numbers("bool", COUNT, 5)
    offsets = [0, 3, 40, 40, 3000, COUNT]
    for one in OPERATIONS:
        for options in ({}, {"axis": 0}, {"keepdims": True}, {"axis": 0, "nan": "omit"}):
            assert equal(one(column, **options), one(x, where=valid, **options)), one
            assert equal(one(column, where=mask, **options), one(x, where=mask & valid, **options)), one
            assert equal(one(column, where=[True], **options), one(x, where=valid, **options)), one
    for one in (mf.sum, mf.plain.sum, mf.count, mf.any):
        found = mf.segmented_reduce(column, one, offsets)
        alone = [one(x[a:b][valid[a:b]]) for a, b in zip(offsets, offsets[1:])]
        assert found.tolist() == np.array(alone, found.dtype).tolist()
    starts, stops = np.array([0, 9000, 41, 5]), np.array([50, COUNT, 7000, 800])
    fold = mf.all(mf.argmin, mf.top_k(k=2), mf.minmax)
    found = mf.segmented_reduce(column, fold, starts=starts, stops=stops)
    for row, (a, b) in enumerate(zip(starts, stops)):
        assert found[0][row] == mf.argmin(x[a:b], where=valid[a:b])
        best = mf.top_k(x[a:b], 2, where=valid[a:b])
        assert same(found[1].values[row], best.values) and same(found[1].indices[row], best.indices)
        assert (found[2][0][row], found[2][1][row]) == mf.minmax(x[a:b], where=valid[a:b])


def test_masks_of_any_bytes():
    x, odd = np.arange(1.0, 9.0), np.array([2, 0, 4, 1, 0, 255, 2, 0], np.uint8).view(bool)
    valid = np.array([1, 1, 1, 0, 1, 1, 1, 1], bool)
    for cuts in ((), (3, 5)):
        assert mf.sum(column_of(x, cuts), where=odd) == 1 + 3 + 4 + 6 + 7
        assert mf.sum(column_of(x, cuts, valid), where=odd) == mf.sum(column_of(x, cuts, valid), 0, where=odd) == 17


def test_what_has_no_meaning_for_absent_items_says_so():
    x = np.arange(6.0)
    column = column_of(x, (2,), np.arange(6) != 3)
    for call in (lambda: mf.rolling(column, 2, mf.sum), lambda: mf.scan(column, mf.max), lambda: mf.dot(column, x),
                 lambda: mf.cumulative_sum(column), lambda: mf.cumulative_prod(column),
                 lambda: mf.dot(x, column, axis=0), lambda: mf.State(mf.dot, "float64").push(x, column)):
        with pytest.raises(TypeError, match="here some are absent: fill the nulls, or drop them"):
            call()


def test_segments_among_absent_items_are_checked():
    column = column_of(np.arange(6.0), (2,), np.arange(6) != 3)
    for bad in ([0, 2, 7], [0, 3, 2], [-1, 2]):
        with pytest.raises(ValueError, match=f"segment {len(bad) - 2} ends before"):
            mf.segmented_reduce(column, mf.sum, bad)
    with pytest.raises(mf.EmptyInput, match="row 1"):
        mf.segmented_reduce(column, mf.max, [0, 3, 4, 6])
    assert mf.segmented_reduce(column, mf.sum, [0]).shape == (0,)
    assert mf.segmented_reduce(column, mf.sum, starts=[2, 4]).tolist() == [2.0, 9.0]


@EVERY
def test_corrections_that_are_no_whole_numbers(cuts):
    x, valid = numbers("float32", COUNT), numbers("bool", COUNT)
    for correction in (0.5, 0.1):
        expected = xp.var(x, correction=correction)
        assert same(xp.var(column_of(x, cuts), correction=correction), expected)
        small, marks = x[:600], valid[:600]
        column = column_of(small, (5, 77), marks)
        assert same(xp.std(column, correction=correction), xp.std(small[marks], correction=correction))
        assert mf.std(column, correction=correction) == mf.std(small[marks], correction=correction)
        where = small > 0
        assert (mf.var(column, correction=correction, where=where)
                == mf.var(small, correction=correction, where=where & marks))
    with pytest.raises(mf.EmptyInput):
        mf.var(column_of(small, (5, 77), np.arange(600) == 78), correction=1.5)
    few = column_of(small, (5, 77), np.arange(600) == 78)
    nothing = column_of(small, (9,), np.zeros(600, bool))
    for found in (xp.var(few, correction=1), xp.std(few, axis=0, correction=1.5), xp.mean(nothing)):
        assert found.shape == () and np.isnan(found)
    assert xp.var(few) == 0.0 and xp.mean(few) == small[78]


@pytest.mark.parametrize("library", ("pyarrow", "polars", "pandas"))
def test_columns_of_libraries(library):
    module = pytest.importorskip(library)
    x, y, ends = numbers("float64", 300), numbers("float64", 300, 3), [0, 150, 300]
    if library == "pyarrow":
        column, gaps = module.chunked_array([x[:100], x[100:]]), module.chunked_array([[1.0, None], [3.0, 4.0]])
    elif library == "polars":
        column = module.concat([module.Series(x[:100]), module.Series(x[100:])], rechunk=False)
        gaps = module.concat([module.Series([1.0, None]), module.Series([3.0, 4.0])], rechunk=False)
    else:
        column = module.Series(x, dtype="Float64")
        gaps = module.Series([1.0, None, 3.0, 4.0], dtype="Float64")
    for found, expected in ((mf.rolling(column, 7, mf.mean), mf.rolling(x, 7, mf.mean)),
                            (mf.cumulative_sum(column), mf.cumulative_sum(x)),
                            (mf.segmented_reduce(column, mf.sum, ends), mf.segmented_reduce(x, mf.sum, ends)),
                            (mf.dot(column, y), mf.dot(x, y)), (mf.sum(column, where=x > 0), mf.sum(x, where=x > 0))):
        assert same(found, expected)
    assert type(mf.sum(column, axis=0)) is type(mf.top_k(column, 2).values) is np.ndarray
    assert mf.sum(gaps, where=[True, True, False, True]) == 5.0 and mf.argmax(gaps, axis=0) == 3
    assert mf.segmented_reduce(gaps, mf.argmax, [0, 2, 4]).tolist() == [0, 1]
    with pytest.raises(TypeError, match="absent"):
        mf.rolling(gaps, 2, mf.sum)
