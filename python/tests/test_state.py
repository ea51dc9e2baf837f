"""States: the bits of one call, whatever the pieces; values that travel as bytes."""

import copy
import hashlib
import json
import math
import multiprocessing
import pickle
import subprocess
import sys
import threading
import zlib

import monofold as mf
import monofold.__main__
import numpy as np
import pytest
from arrays import numbers, same
from producers import Column

FOLD = mf.all(mf.sum, mf.var(correction=1), mf.minmax, mf.argmax, mf.top_k(k=3))


def test_pieces_change_nothing():
    x = numbers("float64", 50_000)
    whole = mf.State(FOLD, "float64").push(x)
    rng = np.random.default_rng(1)
    for _ in range(5):
        cuts = np.sort(rng.integers(0, x.size, 7))
        pieces = mf.State(FOLD, "float64")
        for piece in np.split(x, cuts):
            pieces.push(piece)
        assert bytes(pieces) == bytes(whole) and pieces == whole
    assert str(whole.finish()) == str(mf.reduce(x, FOLD))
    assert whole.count == 50_000


@pytest.mark.parametrize("dtype", ("float16", "bfloat16", "float32", "float64", "int8", "uint64", "bool"))
def test_types(dtype):
    if dtype == "bfloat16":
        ml_dtypes = pytest.importorskip("ml_dtypes")
        x = numbers("float32", 3000).astype(ml_dtypes.bfloat16)
    else:
        x = numbers(dtype, 3000)
    state = mf.State(mf.sum, dtype).push(x[:1000]).push(x[1000:])
    assert state.finish() == mf.sum(x) and state.dtype == dtype
    with pytest.raises(TypeError, match="items of"):
        state.push(np.zeros(2, "int16"))


def test_merge_and_append():
    x = numbers("float64", 3 * 4096)
    parts = [mf.State(FOLD, "float64", first_index=at).push(x[at:at + 4096]) for at in range(0, x.size, 4096)]
    whole = mf.State(FOLD, "float64").push(x)
    assert parts[0].copy().merge(parts[1]).merge(parts[2]) == whole
    with pytest.raises(ValueError, match="before item 4096 .* at item 8192"):
        parts[0].merge(parts[2])
    again = mf.State(FOLD, "float64").append(parts[0]).append(parts[1]).append(parts[2])
    assert again.finish()[0] == mf.sum(x) and again.finish()[3] == mf.argmax(x)
    doubled = parts[0].copy()
    doubled.append(doubled)
    assert doubled.count == 8192
    with pytest.raises(ValueError, match="does not take one of"):
        mf.State(mf.sum, "float64").merge(mf.State(mf.mean, "float64"))
    with pytest.raises(ValueError, match="float32"):
        mf.State(mf.sum, "float64").merge(mf.State(mf.sum, "float32"))
    with pytest.raises(TypeError):
        mf.State(mf.sum, "float64").merge(b"bytes")


@pytest.mark.parametrize("fold", (mf.sum, mf.stats, FOLD, mf.plain.mean, mf.dot, mf.bottom_k(k=2), mf.sum(nan="omit"),
                                  mf.norm(ord=1), mf.mean_square, mf.plain.mean_square, mf.logsumexp), ids=repr)
def test_travels(fold):
    state = mf.State(fold, "float32")
    x = numbers("float32", 777)
    state.push(*([x, x] if fold == mf.dot else [x]))
    for other in (pickle.loads(pickle.dumps(state)), mf.State.load(bytes(state)), copy.deepcopy(state)):
        assert other == state and str(other.finish()) == str(state.finish()) and repr(other) == repr(state)
    before = bytes(state)
    other.push(*([x, x] if fold == mf.dot else [x]))
    assert bytes(state) == before != bytes(other)


def test_damaged_bytes():
    data = bytes(mf.State(mf.sum, "float64").push([1.0]))
    for bad in (b"", b"no state", data[:-1], data[:20] + bytes([data[20] ^ 1]) + data[21:]):
        with pytest.raises(mf.MalformedState):
            mf.State.load(bad)
    later = bytearray(data[:-4])
    later[8:12] = (3).to_bytes(4, "little")
    with pytest.raises(mf.MalformedState, match="format 3"):
        mf.State.load(bytes(later) + zlib.crc32(later).to_bytes(4, "little"))


def test_bad_items_change_nothing():
    state = mf.State(mf.sum, "float64").push([1.0, 2.0])
    before = bytes(state)
    for bad in (np.zeros(3, "float32"), ["a"], np.array([None])):
        with pytest.raises((TypeError, ValueError)):
            state.push(bad)
    assert bytes(state) == before
    with pytest.raises(TypeError):
        state.push([1.0], [2.0])
    with pytest.raises(TypeError):
        hash(state)
    assert state != 3


def test_strides_and_lists():
    x = numbers("float64", (30, 40))
    one = mf.State(mf.stats, "float64").push(x[:, ::-2]).push(x.astype(">f8")).push([0.5, 1])
    two = mf.State(mf.stats, "float64").push(np.concatenate([x[:, ::-2].ravel(), x.ravel(), [0.5, 1.0]]))
    assert one == two


def test_nan_policy():
    state = mf.State(mf.sum, "float64", nan="raise").push([1.0, math.nan])
    with pytest.raises(mf.NanFound) as caught:
        state.finish()
    assert caught.value.index == 1
    assert mf.State(mf.mean, "float64", nan="omit").push([1.0, math.nan, 3.0]).finish() == 2.0
    for fold in (mf.mean, mf.stats, mf.all(mf.sum, mf.max)):
        state = mf.State(fold, "float64", nan="omit").push([math.nan, 2.0])
        assert mf.State.load(bytes(state)).append(state).count == 4 and "omit" in repr(state)
    with pytest.raises(mf.EmptyInput):
        mf.State(mf.max, "float64").finish()


def test_threads_share_a_state():
    x = numbers("float64", 40_000)
    state = mf.State(mf.sum, "float64")
    workers = [threading.Thread(target=lambda: [state.push(x[i::8]) for i in range(8)]) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert state.count == 8 * x.size and state.finish() == mf.sum(np.tile(x, 8))


def test_threads_push_chunks():
    x = numbers("float64", 4000)
    chunks = [(part, None) for part in np.split(x, 4)]
    state = mf.State(mf.sum, "float64")
    start = threading.Barrier(4)

    def push():
        start.wait()
        for _ in range(100):
            state.push(Column(chunks))

    workers = [threading.Thread(target=push) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert state.count == 400 * x.size and state.finish() == mf.sum(np.tile(x, 400))


def test_chunks_are_pushed_all_or_none():
    state = mf.State(mf.argmax, "float64", first_index=2**63 - 5).push([1.0])
    before = bytes(state)
    with pytest.raises(OverflowError):
        state.push(Column([(np.ones(3), None), (np.ones(3), None)]))
    assert bytes(state) == before


def test_places_stay_below_2_to_63():
    state = mf.State(mf.argmax, "float64", 2**63 - 3).push([1.0])
    for same in (state, mf.State.load(bytes(state)), state.copy()):
        with pytest.raises(OverflowError, match="places"):
            same.push([1.0, 2.0])
        assert same.push([2.0]).finish() == 2**63 - 2 and same.count == 2
    with pytest.raises(OverflowError):
        mf.State(mf.dot, "float64", 2**63 - 2).push([1.0, 2.0], [1.0, 2.0])
    for fold in (mf.argmax, mf.sum):
        state, two = mf.State(fold, "float64", 2**63 - 2).push([1.0]), mf.State(fold, "float64").push([1.0, 2.0])
        before = bytes(state)
        for _ in range(3):
            with pytest.raises(OverflowError, match=r"places of these items pass 2\^63 - 1"):
                state.append(two)
        assert bytes(state) == before and state.append(mf.State(fold, "float64")).count == 1


def shard(bounds):
    x = numbers("float64", 60_000)
    return mf.State(mf.all(mf.sum, mf.argmax), "float64", first_index=bounds[0]).push(x[slice(*bounds)])


@pytest.mark.parametrize("method", ("fork", "spawn"))
def test_processes(method):
    x = numbers("float64", 60_000)
    mf.sum(numbers("float64", 2_000_000))  # threads are there before the fork
    with multiprocessing.get_context(method).Pool(2) as pool:
        first, second = pool.map(shard, [(0, 40_960), (40_960, 60_000)])
    assert first.merge(second) == mf.State(mf.all(mf.sum, mf.argmax), "float64").push(x)


TOOL = monofold.__main__.tool()


@pytest.mark.skipif(TOOL is None, reason="the tool is not here")
def test_states_are_files_of_the_tool(tmp_path):
    x = numbers("float64", 10_000)
    np.save(tmp_path / "x.npy", x)
    run = [TOOL, "stats", str(tmp_path / "x.npy"), "--save-state", str(tmp_path / "tool.state")]
    subprocess.run(run, check=True, capture_output=True)
    state = mf.State(mf.stats, "float64").push(x)
    saved = (tmp_path / "tool.state").read_bytes()
    assert mf.State.load(saved) == state and mf.State.load(saved).finish() == mf.stats(x)
    (tmp_path / "python.state").write_bytes(bytes(state))
    run = [TOOL, "merge", str(tmp_path / "tool.state"), str(tmp_path / "python.state"), "--json"]
    merged = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
    assert str(mf.sum(np.tile(x, 2))) in json.dumps(merged)


def test_folds_of_one_operation():
    truth = mf.State(mf.all, "bool").push([True])
    again = pickle.loads(pickle.dumps(truth))
    assert type(again.fold) is type(mf.all) and again.append(truth).count == 2
    one = mf.State(mf.all(mf.sum), "float64").push([1.0])
    assert one.finish() == pickle.loads(pickle.dumps(one)).finish() == (1.0,)
    loaded = mf.State.load(bytes(one))
    assert loaded.finish() == 1.0 and loaded.append(one).finish() == 2.0 and one.append(loaded).count == 3


ALL_OF_THEM = mf.all(*(getattr(mf, name) for name in (
    "count sum mean mean_square var std min max minmax argmin argmax any all count_nonzero count_nan norm").split()),
    mf.norm(ord=1), mf.norm(ord=float("inf")), mf.top_k(k=5), mf.bottom_k(k=5))


@pytest.mark.parametrize("dtype", ("float64", "float16", "int32", "uint64"))
def test_digest(dtype):
    x = numbers(dtype, 30_000)
    fold = ALL_OF_THEM if "float" in dtype else mf.all(ALL_OF_THEM, mf.prod, mf.bit_xor)
    whole = mf.State(fold, dtype).push(x)
    receipt = whole.digest()
    assert len(receipt) == 32 and receipt == hashlib.sha256(bytes(whole)).digest()
    rng = np.random.default_rng(3)
    for _ in range(4):
        cuts = [0, *np.sort(rng.integers(0, x.size, 6)).tolist(), x.size]
        chunks, shards = mf.State(fold, dtype), []
        for begin, end in zip(cuts, cuts[1:]):
            chunks.push(x[begin:end])
            shards.append(pickle.loads(pickle.dumps(mf.State(fold, dtype, begin).push(x[begin:end]))))
        while len(shards) > 1:  # neighbours in any order
            at = int(rng.integers(0, len(shards) - 1))
            shards[at].merge(shards.pop(at + 1))
        assert chunks.digest() == shards[0].digest() == mf.State.load(bytes(chunks)).digest() == receipt
    assert whole.push(x[:1]).digest() != receipt


@pytest.mark.parametrize("fold, dtype", ((mf.plain.sum, "float64"), (mf.prod, "float32"),
                                         (mf.all(mf.sum, mf.prod), "float64"), (mf.all(mf.plain.var), "int8"),
                                         (mf.logsumexp, "float32")))
def test_no_digest(fold, dtype):
    with pytest.raises(TypeError, match=r"(prod|logsumexp|plain\.\w+) of \w+ has no digest"):
        mf.State(fold, dtype).digest()


def test_digests_of_all_lengths():
    for k in range(1, 71):  # an entry of the best has 9 bytes: lengths of every remainder by a block's 64
        state = mf.State(mf.top_k(k=k), "int8").push(np.arange(70, dtype=np.int8))
        assert state.digest() == hashlib.sha256(bytes(state)).digest()


def test_digest_of_pairs():
    x = numbers("float64", 5000)
    pieces = mf.State(mf.dot, "float64").push(x[:7], x[:7]).push(x[7:], x[7:])
    assert pieces.digest() == mf.State(mf.dot, "float64").push(x, x).digest()


def test_a_receipt_is_what_sha256sum_says_of_the_tools_file(tmp_path):
    x = np.random.default_rng(5).normal(size=1000)
    np.save(tmp_path / "x.npy", x)
    subprocess.run([sys.executable, "-m", "monofold", "sum,mean", "x.npy", "--save-state", "x.state"], cwd=tmp_path,
                   check=True, capture_output=True)
    said = subprocess.run(["sha256sum", "x.state"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    state = mf.State(mf.all(mf.sum, mf.mean), "float64").push(x)
    assert state.digest().hex() == said.split()[0]
    assert mf.State.load((tmp_path / "x.state").read_bytes()) == state
