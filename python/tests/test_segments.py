"""Segments: each the bits that it has alone."""

import monofold as mf
import numpy as np
import pytest
from arrays import numbers, same

STARTS = [0, 5, 5, 90, 3, 1000]
STOPS = [5, 5, 90, 4000, 700, 1001]


@pytest.mark.parametrize("operation", (mf.sum, mf.plain.sum, mf.prod, mf.count, mf.any, mf.norm), ids=repr)
@pytest.mark.parametrize("dtype", ("float64", "int32"))
def test_segments_are_slices(operation, dtype):
    x = numbers(dtype, 4000)
    out = mf.segmented_reduce(x, operation, starts=STARTS, stops=STOPS)
    assert out.tolist() == [operation(x[a:b]) for a, b in zip(STARTS, STOPS)]


@pytest.mark.parametrize("operation", (mf.mean, mf.mean_square, mf.plain.mean_square), ids=repr)
@pytest.mark.parametrize("dtype", ("float64", "int32"))
def test_means_of_segments(operation, dtype):
    x = numbers(dtype, 4000)
    starts, stops = [STARTS[0], *STARTS[2:]], [STOPS[0], *STOPS[2:]]  # none is empty
    out = mf.segmented_reduce(x, operation, starts=starts, stops=stops)
    assert out.tolist() == [operation(x[a:b]) for a, b in zip(starts, stops)]
    with pytest.raises(mf.EmptyInput, match="row 1"):
        mf.segmented_reduce(x, operation, starts=STARTS, stops=STOPS)


def test_offsets_and_starts():
    x = numbers("float32", 100)
    offsets = [0, 10, 10, 60, 100]
    expected = [mf.sum(part, dtype="float32") for part in np.split(x, offsets[1:-1])]
    assert mf.segmented_reduce(x, mf.sum, offsets).tolist() == expected
    assert mf.segmented_reduce(x, mf.sum, starts=offsets[:-1]).tolist() == expected
    assert mf.segmented_reduce(x, mf.sum, np.array(offsets, "uint8")).dtype == np.float32
    assert mf.segmented_reduce(x, mf.sum, offsets, dtype="float64").dtype == np.float64
    assert mf.segmented_reduce(x, mf.sum, [0]).shape == (0,)


def test_several_and_places():
    x = numbers("float64", (40, 50))
    low, (least, most), place = mf.segmented_reduce(
        x[:, ::-1], mf.all(mf.min, mf.minmax, mf.argmax), [0, 700, 2000])
    flat = x[:, ::-1].ravel()
    assert same(low, np.array([flat[:700].min(), flat[700:].min()])) and same(low, least)
    assert place.tolist() == [flat[:700].argmax(), flat[700:].argmax()] and most[0] == flat[:700].max()
    best = mf.segmented_reduce(flat, mf.top_k(k=2), [0, 700, 2000])
    assert same(best.values[1], mf.top_k(flat[700:], 2).values) and best.indices.shape == (2, 2)
    stats = mf.segmented_reduce(flat, mf.stats, [0, 700, 2000])
    assert stats.mean[0] == mf.mean(flat[:700])


def test_bad_segments():
    x = np.arange(5.0)
    for bad in ([0, 6], [3, 2], [-1, 2]):
        with pytest.raises(ValueError, match="segment 0"):
            mf.segmented_reduce(x, mf.sum, bad)
    with pytest.raises(ValueError):
        mf.segmented_reduce(x, mf.sum, [])
    with pytest.raises(ValueError, match="2 starts and 1 stops"):
        mf.segmented_reduce(x, mf.sum, starts=[0, 1], stops=[1])
    with pytest.raises(ValueError, match="one axis"):
        mf.segmented_reduce(x, mf.sum, [[0, 5]])
    for bounds in ({}, {"stops": [1]}, {"offsets": [0, 1], "starts": [0]}, {"offsets": [0.0, 1.0]}):
        with pytest.raises(TypeError):
            mf.segmented_reduce(x, mf.sum, **bounds)
    with pytest.raises(mf.EmptyInput, match="row 1"):
        mf.segmented_reduce(x, mf.max, [0, 1, 1, 5])
    with pytest.raises(mf.NanFound, match="row 0"):
        mf.segmented_reduce([np.nan, 1.0], mf.max, [0, 1, 2], nan="raise")
