"""Threads of Python that share arrays, operations and states; without the interpreter's lock they run at once."""

import gc
import os
import subprocess
import sys
import sysconfig
import threading

import monofold as mf
import numpy as np
import pytest
from arrays import numbers
from producers import Column, Tensor, exchange_type

THREADS = 8


@pytest.fixture(autouse=True)
def quick_turns():
    """Where there is a lock, it changes hands every few microseconds."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(*works):
    """Runs functions of a thread's number in threads that begin together; raises what one of them raised."""
    start, failures = threading.Barrier(len(works)), []

    def run(number, work):
        try:
            start.wait()
            work(number)
        except BaseException as failure:  # shown below
            failures.append(failure)

    threads = [threading.Thread(target=run, args=each) for each in enumerate(works)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    if failures:
        raise failures[0]


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="the interpreter has a lock")
def test_the_lock_stays_off():
    """Asked of an interpreter that imports nothing else: other modules may switch it on."""
    say = ("import monofold, monofold.array_api, monofold.plain, numpy, sys\n"
           "monofold.sum(numpy.ones(10_000)), monofold.info()\n"
           "print(sys._is_gil_enabled())")
    clean = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    asked = subprocess.run([sys.executable, "-c", say], env=clean, capture_output=True, text=True, check=True)
    assert asked.stdout == "False\n" and asked.stderr == ""  # where one warns of a module that switched it on


@pytest.mark.parametrize("count", (100, 5000, 50_000))
def test_shared_arrays_and_operations(count):
    x = numbers("float32", (count // 10, 10))
    flat = x.ravel()
    asks = [lambda: mf.sum(x), lambda: mf.var(x, correction=1), lambda: mf.argmax(flat), lambda: mf.stats(x),
            lambda: mf.sum(x, axis=0).tobytes(), lambda: mf.max(x, axis=1).tobytes(), lambda: mf.plain.mean(x),
            lambda: mf.reduce(x[::-1, ::2], mf.all(mf.sum, mf.minmax)), lambda: mf.norm(x, nan="omit"),
            lambda: mf.top_k(flat, 5).indices.tolist(), lambda: mf.rolling(flat, 7, mf.mean).tobytes(),
            lambda: mf.segmented_reduce(flat, mf.sum, offsets=[0, 3, count]).tobytes(),
            lambda: mf.sum(x, where=x > 0), lambda: mf.sum(x.astype(">f4"))]
    right = [ask() for ask in asks]

    def work(number):
        for turn in range(3):
            for i in range(len(asks)):
                at = (i + number + turn) % len(asks)
                assert asks[at]() == right[at]

    def change(number):
        for threads in (1, 2, 3, 0) * 5:
            mf.set_threads(threads)

    try:
        at_once(*[work] * THREADS, change)
    finally:
        mf.set_threads(0)


def test_first_calls():
    """What is made when an operation first meets a type, and a type of arrays first comes, is made once."""
    x = {dtype: numbers(dtype, 50) for dtype in ("float64", "float32", "int16", "uint8", "float16")}
    right = {dtype: mf.sum(items) for dtype, items in x.items()}
    tensors = exchange_type()  # the core has room for a few
    for _ in range(20):
        fresh = type(mf.sum)(mf.sum.kind)

        def work(number):
            for dtype, items in x.items():
                assert fresh(items) == right[dtype]
                assert mf.var(correction=number % 3)(items) == mf.var(items, correction=number % 3)
            assert mf.sum(tensors(x["float64"], 2)) == right["float64"]

        at_once(*[work] * THREADS)


def test_a_shared_state():
    """Answers of one moment, whatever other threads push; all that was pushed is there."""
    fold = mf.all(mf.count, mf.sum, mf.max, mf.argmin)
    state, ones, turns = mf.State(fold, "float64"), np.ones(2000), 2000

    def push(number):
        for turn in range(turns):
            state.push(ones[: 1 + turn])

    def look(number):
        for _ in range(100):
            count, total, *_ = state.finish() if state.count else (0, 0)
            assert count == total
            twin = mf.State.load(bytes(state)) if number % 2 else state.copy()
            assert twin.digest() == twin.copy().digest()
            assert twin.count == 0 or twin.finish()[0] == twin.finish()[1]
            assert len(state.digest()) == 32 and "items" in repr(state)

    at_once(*[push] * (THREADS // 2), *[look] * (THREADS // 2))
    assert state.finish() == (THREADS // 2 * turns * (turns + 1) // 2,) + (
        THREADS // 2 * turns * (turns + 1) / 2, 1.0, 0)


def test_states_that_take_each_other():
    """Two states that append one another, and one that a third takes out of itself, wait for nobody in a ring."""
    left, right = (mf.State(mf.sum, "float64").push([value]) for value in (1.0, 2.0))

    def work(number):
        one, other = (left, right) if number % 2 else (right, left)
        for _ in range(6):
            one.append(other)
            part = mf.State(mf.sum, "float64").push([3.0])
            one.append(part).subtract(part)
            assert one.copy() != part

    at_once(*[work] * 4)
    assert left.finish() > 1.0 and right.count > 1


def test_garbage_is_collected_meanwhile():
    """Rings of exceptions too, whose frames keep arrays of another library and what has taken their memory."""
    x, turns, returned, done = numbers("float64", 3000), 15, [], []
    right, shared = mf.sum(x), Tensor(x, 2)

    def fail():
        tensor = Tensor(x[:0], 2)
        returned.append(tensor.returned)
        try:
            mf.max(tensor)
        except mf.EmptyInput as raised:
            raised.ring = raised

    def work(number):
        state = mf.State(mf.all(mf.plain.sum, mf.count), "float64")
        try:
            for _ in range(turns):
                assert mf.sum(shared) == mf.sum(Column([(x, None)])) == right
                assert mf.sum(x.reshape(30, 100), axis=1).shape == (30,)
                state.push(shared).push(Tensor(x, 2))
                fail()
        finally:
            done.append(number)
        assert state.finish() == mf.State(state.fold, "float64").push(np.tile(x, 2 * turns)).finish()

    def collect(number):
        while len(done) < THREADS:
            gc.collect()

    gc.collect()
    gc.freeze()  # what other tests have left would take long
    try:
        at_once(*[work] * THREADS, collect)
        gc.collect()
    finally:
        gc.unfreeze()
    assert [len(times) for times in returned] == [1] * (THREADS * turns)
    assert shared.released == shared.num_lent() == THREADS * turns * 2


def test_progress(monkeypatch):
    monkeypatch.setattr(mf.progress, "_first", 0.0)
    from monofold import _progress  # noqa: PLC0415: what the core calls

    lines = __import__("io").StringIO()

    def work(number):
        if number % 2:
            for _ in range(100):
                _progress.passed(1)
        else:
            for _ in range(20):
                with mf.progress(10, file=__import__("io").StringIO()):
                    pass

    with mf.progress(THREADS * 100, file=lines) as shown:
        at_once(*[work] * THREADS)
        assert 0 < shown._done <= THREADS * 50
    assert not _progress._shown


def test_a_state_takes_itself():
    state = mf.State(mf.all(mf.sum, mf.count), "float64").push([1.5, 2.0])
    assert state.append(state).finish() == (7.0, 4)
    assert state.subtract(state).count == 0 and state == mf.State(mf.all(mf.sum, mf.count), "float64")
