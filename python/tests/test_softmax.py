"""The denominator of softmax: the largest item and the sum of exp(x - largest), a pair from one pass."""

import math

import monofold as mf
import numpy as np
import pytest
from arrays import FLOATS, same

FOLD = mf.softmax_denominator


def logits(dtype, shape):
    return (np.random.default_rng(3).standard_normal(shape) * 9).astype(dtype)


def of_rows(x, axis):
    """By calls on each row alone, in the type of the items."""
    found = np.apply_along_axis(lambda row: np.array(FOLD(np.ascontiguousarray(row))), axis, x).astype(x.dtype)
    return tuple(np.moveaxis(found, axis, 0))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", (1, 2, 513, 70000))
def test_whole(dtype, size):
    x = logits(dtype, size)
    top, total = FOLD(x)
    wide = np.float64(x)
    want = math.fsum(np.exp(wide - wide.max()))
    bound = 7 * (math.ceil(math.log2(size)) + 4) * 2.0**(-53 if dtype == "float64" else -24)
    assert top == wide.max() and abs(total - want) <= (bound + 2.0**-50) * want
    assert mf.logsumexp(x) == pytest.approx(top + math.log(total), abs=1e-13)
    assert mf.State(FOLD, dtype).push(x[:1]).push(x[1:]).finish() == (top, total)
    assert mf.reduce(x, mf.all(mf.max, FOLD, mf.logsumexp)) == (x.max(), (top, total), mf.logsumexp(x))
    state = mf.State(mf.all(FOLD, mf.logsumexp), dtype).push(x)
    assert mf.State.load(bytes(state)).finish() == ((top, total), mf.logsumexp(x))


def test_hard_items():
    inf = math.inf
    for items, want in (([], (-inf, 0.0)), ([3.0], (3.0, 1.0)), ([1e308, 1e308], (1e308, 2.0)), ([-inf, 2.0], (2.0, 1.0)),
                        ([inf, -inf, inf], (inf, 2.0)), ([-0.0, -0.0], (0.0, 2.0)), ([-1000.0, 1000.0], (1000.0, 1.0))):
        found = FOLD(items)
        assert all(map(same, found, want)), items
    assert math.isnan(FOLD([1.0, math.nan])[0]) and FOLD([1.0, math.nan], nan="omit") == (1.0, 1.0)
    with pytest.raises(mf.NanFound, match="index 1"):
        FOLD([1.0, math.nan], nan="raise")
    for integers in ([1, 2], np.ones(3, "uint8"), [True]):
        with pytest.raises(TypeError):
            FOLD(integers)
    with pytest.raises(TypeError, match="no digest"):
        mf.State(FOLD, "float32").push(np.ones(3, "float32")).digest()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("axis", (0, 1, 2))
def test_rows(dtype, axis):
    x = logits(dtype, (6, 70, 9))
    found = FOLD(x, axis=axis)
    assert all(map(same, found, of_rows(x, axis)))
    top, total = FOLD(x, axis=axis, keepdims=True, dtype="float64")
    softmax = np.exp(np.float64(x) - top) / total
    assert np.allclose(softmax.sum(axis), 1, atol=1e-5)
    outs = tuple(np.zeros(one.shape, dtype) for one in found)
    assert all(one is out for one, out in zip(FOLD(x, axis=axis, out=outs), outs)) and all(map(same, outs, found))
    mask = np.arange(x.shape[axis]) % 3 > 0
    shape = [1] * 3
    shape[axis] = -1
    assert all(map(same, FOLD(x, axis=axis, where=mask.reshape(shape)), FOLD(x.compress(mask, axis), axis=axis)))
    assert same(FOLD(x, axis=(0, 2))[1], np.array([FOLD(x[:, i])[1] for i in range(70)], dtype))


def test_segments_groups_runs_windows_and_scans():
    x, keys = logits("float32", 300), np.arange(300) // 4 % 7
    want = [FOLD(x[a:a + 30]) for a in range(0, 300, 30)]
    found = mf.segmented_reduce(x, FOLD, np.arange(0, 301, 30))
    assert list(zip(*map(np.ndarray.tolist, found))) == want
    names, found = mf.group_by(keys, x, FOLD)
    assert list(zip(*map(np.ndarray.tolist, found))) == [FOLD(x[keys == name]) for name in names]
    names, found = mf.reduce_by_key(keys, x, FOLD)
    assert list(zip(*map(np.ndarray.tolist, found))) == [FOLD(x[a:a + 4]) for a in range(0, 300, 4)]
    found = mf.rolling(x, 40, FOLD)
    assert list(zip(*map(np.ndarray.tolist, found))) == [FOLD(x[a:a + 40]) for a in range(261)]
    for dtype in FLOATS:
        x = logits(dtype, 3000)
        found = mf.scan(x, FOLD)
        want = np.array([FOLD(x[:end]) for end in range(1, 3001)]).astype(dtype)
        assert same(found[0], want[:, 0].copy()) and same(found[1], want[:, 1].copy())
