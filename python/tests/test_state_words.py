"""Exact sums of floats are joined, taken out and saved as words: with the bytes that the specification gives."""

import hashlib
import math
import pathlib
import struct
import zlib

import monofold as mf
import numpy as np
import pytest

GOLDEN = pathlib.Path(__file__).parents[2] / "tests" / "golden_states"
TYPES = ("float16", "float32", "float64")
FOLDS = (mf.sum, mf.mean, mf.var, mf.std(correction=1), mf.norm(ord=1), mf.norm, mf.mean_square, mf.all(mf.sum, mf.mean))
HARD = (0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0)


def items_of(dtype, count, seed):
    """Numbers of all exponents that cancel, and now and then what is no finite number, or -0."""
    random, info = np.random.default_rng(seed), np.finfo(dtype)
    exponents = random.uniform(math.log2(float(info.smallest_subnormal)), math.log2(float(info.max)) - 1, count)
    x = (random.choice([-1.0, 1.0], count) * 2.0**exponents).astype(dtype)
    if seed % 2:
        x[random.integers(0, count, 3)] = random.choice(HARD, 3)
    if seed % 5 == 0:
        x = np.concatenate([x, -x])
    return x


def checked_bytes(state):
    """Saved bytes that end as the page of the format says: no nodes, no held items, the checksum."""
    data = bytes(state)
    assert zlib.crc32(data[:-4]) == struct.unpack("<I", data[-4:])[0] and data[-20:-4] == bytes(16)
    return data


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("fold", FOLDS, ids=repr)
def test_joined_and_taken_out(dtype, fold):
    for seed in range(1, 12):
        one, two = items_of(dtype, 40, seed), items_of(dtype, 7 * seed, seed + 1)
        both, whole = (mf.State(fold, dtype).push(x) for x in (one, np.concatenate([one, two])))
        part = mf.State(fold, dtype, one.size).push(two)
        before, taken = bytes(both), bytes(part)
        assert both.append(part) is both and both == whole
        assert checked_bytes(both) == checked_bytes(whole) and str(both.finish()) == str(whole.finish())
        assert both.digest() == whole.digest() == hashlib.sha256(bytes(whole)).digest()
        assert bytes(both.subtract(part)) == before and bytes(part) == taken
        assert bytes(both.merge(part)) == bytes(whole) and bytes(mf.State.load(bytes(both))) == bytes(whole)
        assert both.subtract(part.copy()).subtract(mf.State(fold, dtype).push(one)) == mf.State(fold, dtype)
        assert both.append(part).count == two.size and both.finish().__class__ is part.finish().__class__
        assert str(both.finish()) == str(part.finish())


def test_with_itself():
    for fold in (mf.sum, mf.var):
        x = items_of("float64", 50, 4)
        state = mf.State(fold, "float64").push(x)
        assert state.append(state) == mf.State(fold, "float64").push(np.tile(x, 2))
        assert state.subtract(state) == mf.State(fold, "float64") and state.count == 0


@pytest.mark.parametrize("fold", FOLDS, ids=repr)
def test_what_was_not_there(fold):
    state = mf.State(fold, "float64").push([1.0, 2.0, -0.0])
    before = bytes(state)
    for wrong in ([5.0, 6.0, 7.0], [math.nan], [math.inf], [-math.inf], [-0.0, -0.0], [1.0] * 4):
        part = mf.State(fold, "float64").push(wrong)
        if wrong == [-0.0, -0.0] and fold in FOLDS[4:7]:
            continue  # which have none
        with pytest.raises(ValueError, match="not seen"):
            state.subtract(part)
        assert bytes(state) == before
    with pytest.raises(ValueError, match="does not take"):
        state.append(mf.State(mf.max, "float64").push([1.0]))
    with pytest.raises(ValueError, match="begins at item 0"):
        state.merge(mf.State(fold, "float64").push([1.0]))
    assert bytes(state) == before


def test_states_that_lie_far_on():
    last = 2**63 - 3
    far = mf.State(mf.sum, "float64", last).push([1.0])
    assert far.append(mf.State(mf.sum, "float64").push([2.0])).finish() == 3.0
    before = bytes(far)
    with pytest.raises((ValueError, OverflowError)):
        far.append(mf.State(mf.sum, "float64").push([2.0]))
    assert bytes(far) == before and far.count == 2


@pytest.mark.skipif(not GOLDEN.exists(), reason="an installed package alone")
def test_files_come_back():
    files = sorted(GOLDEN.glob("*.state"))
    assert len(files) > 500
    for file in files:
        data = file.read_bytes()
        state = mf.State.load(data)
        assert bytes(state) == data, file.name
        try:
            again = state.copy().append(state).subtract(state)
        except TypeError:
            continue  # no sums or counts
        except ValueError:
            assert "raise" in repr(state), file.name
            continue
        assert bytes(again) == data or "omit" in repr(state), file.name
