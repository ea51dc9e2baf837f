"""The package as a process sees it: import, interrupts, the tool, types."""

import gc
import mmap
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import monofold as mf
import monofold.__main__
import numpy as np
import pytest


def output_of(*command, **options):
    return subprocess.run([sys.executable, *command], check=True, capture_output=True, text=True, **options).stdout


def test_import_brings_little():
    # What an import takes is measured in docs/python.md; a busy machine would not pass a bound of time.
    code = ("import sys, numpy; before = set(sys.modules); import monofold; "
            "print(*sorted(set(sys.modules) - before))")
    brought = output_of("-c", code).split()
    others = {name for name in brought if name.partition(".")[0] not in ("monofold", "nanobind_backend")}
    assert others <= {"array", "atexit", "weakref"}  # small ones of Python's own; no library, no machinery of threads
    assert len(brought) - len(others) <= 40


class Stopped(Exception):
    pass


@contextmanager
def alarm(action, seconds=0.2):
    """Calls `action` after some time, from a signal's handler.

    Nothing is collected meanwhile: what a handler raises in a hook of the collector, which Hypothesis has, is lost.
    """
    gc.disable()
    before = signal.signal(signal.SIGALRM, lambda number, frame: action())
    signal.setitimer(signal.ITIMER_REAL, seconds)
    start = time.monotonic()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()
    assert time.monotonic() - start < 30


def stop():
    raise Stopped


def endless(*shape):
    return np.broadcast_to(1.0, shape)


def again(x, times):
    return np.broadcast_to(x, (times, *x.shape))


def mapped(num_bytes):
    """Zeros side by side, of addresses alone."""
    return np.frombuffer(mmap.mmap(-1, num_bytes, prot=mmap.PROT_READ, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))


LONG_CALLS = {
    "sum": lambda: mf.sum(endless(2**40)),
    "plain": lambda: mf.plain.mean(endless(2**40)),
    "long rows": lambda: mf.sum(endless(2**13, 2**27), axis=1),
    "short rows": lambda: mf.sum(np.broadcast_to(np.ones(2**10), (2**27, 2**10)), axis=1),
    "columns": lambda: mf.max(endless(2**10, 2**30), axis=0),
    "masked rows": lambda: mf.sum(endless(2**30, 2**8), axis=1, where=np.arange(2**8) < 3),
    "long masked rows": lambda: mf.sum(endless(2**18, 2**20), axis=1, where=np.arange(2**20) < 3),
    "dot": lambda: mf.dot(endless(2**40), endless(2**40)),
    "narrow columns": lambda: mf.sum(again(np.ones((2**10, 16)), 2**32), axis=(0, 1)),
    "three columns": lambda: mf.max(again(np.ones((2**10, 3)), 2**32), axis=(0, 1)),
    "products of columns": lambda: mf.dot(*[again(np.ones((2**10, 9)), 2**32)] * 2, axis=(0, 1)),
    "best of a row": lambda: mf.top_k(again(np.ones((2**10, 2)), 2**32), 3, axis=(0, 1)),
    "items that lie apart": lambda: mf.sum(np.broadcast_to(np.ones((2**10, 8))[:, 3], (1, 2**32, 2**10)), axis=(1, 2)),
    "one segment": lambda: mf.segmented_reduce(mapped(2**42), mf.argmax, offsets=[0, 2**39]),
}


@pytest.mark.parametrize("call", LONG_CALLS.values(), ids=LONG_CALLS)
def test_interrupts(call):
    with alarm(stop), pytest.raises(Stopped):
        call()


def test_ctrl_c():
    """The signal that a terminal sends, in a process whose handlers are Python's own."""
    code = """if True:
        import signal, monofold as mf, numpy as np
        signal.alarm(60)
        state = mf.State(mf.sum, "float64").push([1.0])
        for call in (lambda: mf.sum(np.broadcast_to(1.0, 2**40)), lambda: state.push(np.broadcast_to(1.0, 2**40)),
                     lambda: mf.reduce(np.broadcast_to(1.0, 2**40), mf.all(mf.sum, mf.plain.sum))):
            try:
                print("begun", flush=True)
                call()
            except KeyboardInterrupt:
                print("stopped", state.count, mf.sum([1.0, 2.0]), flush=True)
        mf.sum(np.broadcast_to(1.0, 2**40))
        """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], text=True, **pipes) as child:
        try:
            for _ in range(3):
                assert child.stdout.readline() == "begun\n"
                time.sleep(0.2)
                child.send_signal(signal.SIGINT)
                assert child.stdout.readline() == "stopped 1 3.0\n"
            time.sleep(0.2)
            child.send_signal(signal.SIGINT)
            _, errors = child.communicate(timeout=30)
        finally:
            child.kill()
    assert child.returncode == -signal.SIGINT and errors.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.parametrize("shape", ((4, 2**27), (2**29,)))
def test_interrupted_windows(shape):
    x = np.zeros(shape, "int8")
    with alarm(stop, 0.01), pytest.raises(Stopped):
        mf.rolling(x, 2, mf.max)


def test_interrupted_segments():
    x = np.zeros(2**29, "int8")
    starts = np.zeros(2**12, int)  # 2 TB to read
    with alarm(stop, 0.1), pytest.raises(Stopped):
        mf.segmented_reduce(x, mf.argmax, starts=starts, stops=starts + x.size)


def test_interrupted_groups():
    keys, x = np.arange(2**24 + 1) % 5, np.ones(2**24 + 1)  # more than 256 MiB together
    before = mf.group_by(keys, x, mf.sum)
    with alarm(stop, 0.01), pytest.raises(Stopped):
        mf.group_by(keys, x, mf.all(*[mf.sum] * 99))
    assert all(map(np.array_equal, before, mf.group_by(keys, x, mf.sum)))


def test_other_handlers_run_in_long_calls():
    """Those that raise nothing end no call."""
    seen = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
    try:
        assert mf.sum(again(np.ones((2**10, 16)), 2**15), axis=(0, 1)).tolist() == [2.0**25] * 16
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(seen) > 1


def test_segments_in_parts():
    """The answers of segments of more than 256 MiB of items together, which are reduced in parts."""
    x = np.zeros(2**25)
    x[[5, 2**24, 2**25 - 1]] = 1, 2, 3
    starts, stops = np.array([0, 7, 0, 9, 2**24, 2**25]), np.array([2**25, 2**25, 2**24, 9, 2**25, 2**25])
    assert mf.segmented_reduce(x, mf.sum, starts=starts, stops=stops).tolist() == [6, 5, 1, 0, 5, 0]
    best = mf.segmented_reduce(x, mf.top_k(k=2), starts=starts[[0, 1, 2, 4]], stops=stops[[0, 1, 2, 4]])
    assert best.values.tolist() == [[3, 2], [3, 2], [1, 0], [3, 2]]
    assert best.indices.tolist() == [[2**25 - 1, 2**24], [2**25 - 8, 2**24 - 7], [5, 0], [2**24 - 1, 0]]
    with pytest.raises(mf.EmptyInput, match="row 3"):
        mf.segmented_reduce(x, mf.argmax, starts=starts, stops=stops)
    stops[5] += 1
    with pytest.raises(ValueError, match="segment 5"):
        mf.segmented_reduce(x, mf.argmax, starts=starts, stops=stops)


@pytest.mark.parametrize("options", ({}, {"nan": "raise"}), ids=("quick", "other"))
@pytest.mark.parametrize("shape", ((2**25,), (3, 2**23), (2**12, 2**12)))
def test_interrupted_scans(shape, options):
    x = np.ones(shape)  # of which deviations take a minute and more
    with alarm(stop), pytest.raises(Stopped):
        mf.scan(x, mf.std, -1, **options)


def test_windows_in_parts():
    """The bits of windows of more than 256 MiB of items, which are reduced in parts."""
    x = np.zeros(2**25 + 1000)
    x[2**25 - 3:2**25 + 3] = 1, 2, 3, 4, 5, 6
    most, place = mf.rolling(x, 3, mf.all(mf.max, mf.argmax))
    near = slice(2**25 - 10, 2**25 + 10)
    expected = np.lib.stride_tricks.sliding_window_view(x[near.start:near.stop + 2], 3)
    assert most.size == x.size - 2
    assert np.array_equal(most[near], expected.max(1)) and np.array_equal(place[near], expected.argmax(1))


@pytest.mark.parametrize("shape, axis", (((70_000, 520), 1), ((520, 70_000), 0), ((2, 70, 2**18), (2,)),
                                         ((1, 2**25 + 3), 1), ((3, 4, 2**22), (0, 2)), ((2**25 + 3,), 0)))
def test_long_work_is_done_in_parts(shape, axis):
    """The bits of answers of an array of more than 256 MiB, which is reduced in parts."""
    x = np.ones(shape)
    x.flat[::7919] = 1e-20
    x.flat[-1] = 5.0
    kept = [i for i in range(x.ndim) if i not in np.atleast_1d(axis)]
    rows = np.moveaxis(x, kept, range(len(kept))).reshape(int(np.prod([shape[i] for i in kept], dtype=int)), -1)
    some = [0, len(rows) // 2, len(rows) - 1]
    for operation in (mf.sum, mf.argmax, mf.plain.sum):
        found = np.ravel(operation(x, axis=axis))
        assert found.size == len(rows) and all(found[row] == operation(rows[row]) for row in some)
    x.flat[-1] = np.nan
    with pytest.raises(mf.NanFound, match=f"row .*{x.shape[kept[0]] - 1}" if kept else "NaN"):
        mf.sum(x, axis=axis, nan="raise")


def test_interrupted_state_stays():
    state = mf.State(mf.sum, "float64").push([1.0])
    pair = mf.State(mf.dot, "float64").push([1.0], [2.0])
    before, pair_before = bytes(state), bytes(pair)
    test_interrupts(lambda: state.push(endless(2**40)))
    test_interrupts(lambda: pair.push(endless(2**40), endless(2**40)))
    assert bytes(state) == before and state.push([2.0]).finish() == 3.0
    assert bytes(pair) == pair_before and pair.finish() == 2.0


def test_interrupted_push_of_chunks():
    pa = pytest.importorskip("pyarrow")
    chunks = pa.chunked_array([pa.array(np.ones(2**21))] * 2**15)  # of 16 MiB
    state = mf.State(mf.sum, "float64").push([1.0])
    test_interrupts(lambda: state.push(chunks))
    assert state.count == 1


def test_a_handler_cannot_use_a_state_at_work():
    code = """if True:
        import signal, monofold as mf, numpy as np
        state, other, seen = mf.State(mf.sum, "float64").push([1.0]), mf.State(mf.sum, "float64"), []
        def look(*_):
            seen.append(other.push([2.0]).count)
            state.count
        signal.signal(signal.SIGALRM, look)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            state.push(np.broadcast_to(1.0, 2**40))
        except RuntimeError as error:
            print(error, seen, state.count)
        """
    assert output_of("-c", code, timeout=60).strip() == \
        "the state is at work: a push of this thread is not done [1] 1"


def test_a_fork_leaves_a_state_at_work_behind():
    code = """if True:
        import os, threading, time, warnings, monofold as mf, numpy as np
        warnings.simplefilter("ignore")
        state, other = mf.State(mf.sum, "float64").push([1.0]), mf.State(mf.sum, "float64").push([1.0])
        threading.Thread(target=lambda: state.push(np.broadcast_to(1.0, 2**40)), daemon=True).start()
        time.sleep(0.3)
        child = os.fork()
        if child == 0:
            try:
                state.count
            except RuntimeError as error:
                print(error, other.push([2.0]).finish(), flush=True)
        else:
            os.waitpid(child, 0)
        os._exit(0)
        """
    assert output_of("-c", code, timeout=60).strip() == \
        "the state was at work in another thread when the process forked 3.0"


@pytest.mark.skipif(monofold.__main__.tool() is None, reason="the tool is not here")
def test_tool():
    assert output_of("-m", "monofold", "sum", input="1\n2\n").strip() == "3"


def test_no_tool(monkeypatch, tmp_path):
    monkeypatch.setattr(monofold.__main__, "__file__", str(tmp_path / "__main__.py"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit) as caught:
        monofold.__main__.main()
    assert "./dev build" in str(caught.value.code)


def test_info():
    info = mf.info()
    assert info["version"] == mf.__version__ and info["cores"] == len(os.sched_getaffinity(0))
    assert info["gpu"].removeprefix("none: ")


@pytest.mark.skipif((Path(mf.__file__).parent / "libmonofold_gpu.so").exists(), reason="the library is here")
def test_info_says_why_there_is_no_gpu(tmp_path):
    """With a driver, which is made up, it is the library that is missing, of another version or none at all."""
    compiler = shutil.which("cc") or pytest.skip("no compiler")
    empty = tmp_path / "empty.c"
    empty.write_text("")
    make = [compiler, "-shared", "-fPIC", "-o"]
    subprocess.run([*make, tmp_path / "libcuda.so.1", empty], check=True)
    library = tmp_path / "libmonofold_gpu.so"
    found = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path), "MONOFOLD_LIBRARY_PATH": str(tmp_path)}
    say = "import monofold; print(monofold.info()['gpu'])"
    assert output_of("-c", say, env=found) == "none: libmonofold_gpu is not installed\n"
    library.write_bytes(b"no library")
    assert re.fullmatch(f"none: {library}: .*\n", output_of("-c", say, env=found))
    subprocess.run([*make, library, empty], check=True)
    assert output_of("-c", say, env=found) == "none: libmonofold_gpu is of another version\n"
    raised = ("import monofold, numpy\n"
              "class OnGpu:\n"
              "    __cuda_array_interface__ = {'shape': (4,), 'typestr': '<f4', 'data': (4096, False), 'version': 3}\n"
              "try: monofold.sum(OnGpu())\n"
              "except monofold.DeviceUnavailable as why: print(why)\n")
    assert "libmonofold_gpu is of another version" in output_of("-c", raised, env=found)


def test_core_is_small():
    # Unpacked; tools/check_wheel.py weighs the wheel, of which this is 2.1 MB of at most 6.
    core = sys.modules["monofold._core"].__file__
    nanobind = 0 if core.endswith(".abi3.so") else 0.15e6  # linked in where there is no stable ABI
    assert os.path.getsize(core) < 6.45e6 + nanobind  # 0.03 MB are sums of float64 by halves


def test_other_threads_run_meanwhile():
    x = np.broadcast_to(1.0, (2**28,))  # some tenths of a second
    steps, done = [0], threading.Event()

    def count():
        while not done.is_set():
            steps[0] += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    time.sleep(0.05)
    before = steps[0]
    assert mf.sum(x) == 2.0**28
    during = steps[0] - before
    done.set()
    other.join()
    assert during > 5


def test_threads_call_at_once():
    x = np.random.default_rng(1).standard_normal((600, 1024))
    views = x[:, ::2], x[:40, ::-1], x[:, :700].T, x
    mask = x[:, ::2] > 0
    expected = [mf.sum(view) for view in views]
    owners = sys.getrefcount(x)
    wrong = []

    def call():
        for _ in range(20):
            if [mf.sum(view) for view in views] != expected or mf.count(views[0], where=mask) != mask.sum():
                wrong.append(1)
            mf.min(views[0], axis=1, where=True)

    threads = [threading.Thread(target=call) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and sys.getrefcount(x) == owners
