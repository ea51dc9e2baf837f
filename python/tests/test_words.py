"""Words of states: sums of them are the states of all items. What torch.distributed and MPI add up."""

import monofold as mf
import numpy as np
import pytest
from monofold.mpi import from_words, words

FOLDS = [mf.sum, mf.mean, mf.var, mf.std, mf.norm, mf.norm(ord=1), mf.mean_square, mf.count_nonzero, mf.any, mf.count,
         mf.var(correction=1), mf.all(mf.sum, mf.norm, mf.norm(ord=1), mf.all, mf.count)]
DTYPES = ["float64", "float32", "float16", "bool", "int8", "int64", "uint64"]


def items(dtype):
    numbers = np.random.default_rng(4).normal(size=501) * 10.0 ** np.arange(-3, 3).repeat(84)[:501]
    return numbers.astype(dtype) if dtype != "uint64" else np.abs(numbers).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("fold", FOLDS, ids=repr)
def test_words_add_up(fold, dtype):
    x = items(dtype)
    whole = mf.State(fold, dtype).push(x)
    parts = [mf.State(fold, dtype).push(part) for part in (x[:7], x[7:7], x[7:400], x[400:])]
    total = sum(words(part) for part in parts)
    assert total.dtype == np.int64
    assert from_words(parts[1], total) == whole and bytes(from_words(parts[0], total)) == bytes(whole)
    assert from_words(parts[1], total).finish() == whole.finish()


def test_dot_and_hard_items():
    x = np.array([1e308, -1e308, 5e-324, np.inf, np.nan, -0.0, 1e308] * 3)
    parts = [mf.State(mf.dot, "float64").push(x[at:at + 5], x[at:at + 5][::-1]) for at in (0, 5, 10)]
    whole = mf.State(mf.dot, "float64")
    for at in (0, 5, 10):
        whole.push(x[at:at + 5], x[at:at + 5][::-1])
    assert from_words(parts[0], sum(map(words, parts))) == whole
    big = np.full(9, 2**63 - 1)
    parts = [mf.State(mf.all(mf.sum, mf.norm), "int64").push(sign * big) for sign in (1, -1, 1)]
    total = from_words(parts[0], sum(map(words, parts)))
    assert bytes(total) == bytes(mf.State(mf.all(mf.sum, mf.norm), "int64").push(np.concatenate([big, -big, big])))
    none = mf.State(mf.sum, "float32")
    assert from_words(none, words(none) + words(none)) == none


@pytest.mark.parametrize("fold", [mf.max, mf.plain.sum, mf.prod, mf.logsumexp, mf.top_k(k=2), mf.sum(nan="omit"),
                                  mf.count_nan, mf.all(mf.sum, mf.argmin)], ids=repr)
def test_others_do_not(fold):
    with pytest.raises(TypeError, match="do not add up"):
        words(mf.State(fold, "float64"))


def test_wrong_words():
    state = mf.State(mf.sum, "float64").push([1.0])
    with pytest.raises(ValueError, match="for a state of 74"):
        from_words(state, words(state)[:-1])
