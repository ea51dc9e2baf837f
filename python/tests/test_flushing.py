"""Minima, maxima, norms and counts of subnormal numbers in a thread whose arithmetic takes those for 0."""

import ctypes
import mmap
import platform
import threading

import monofold as mf
import numpy as np
import pytest

# sub rsp, 8; stmxcsr [rsp]; or dword [rsp], 0x8040; ldmxcsr [rsp]; add rsp, 8; ret
FLUSH = bytes.fromhex("4883ec08 0fae1c24 810c2440800000 0fae1424 4883c408 c3")


def flushing():
    """A function that makes its thread flush results and operands."""
    if platform.machine() != "x86_64":
        pytest.skip("sets a register of x86-64")
    try:
        page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    except (OSError, PermissionError):
        pytest.skip("no page may be written and run here")
    page.write(FLUSH)
    function = ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    function.page = page
    return function


def answers(x):
    rows = x.reshape(50, 100)
    values = [
        *(call(x) for call in (mf.min, mf.max, mf.argmin, mf.argmax, mf.count_nonzero)),
        mf.norm(x, ord=np.inf),
        *(call(rows, axis=axis) for call in (mf.min, mf.argmax) for axis in (0, 1)),
    ]
    return [np.asarray(value).tobytes() for value in values]


@pytest.mark.parametrize("word, item", [("uint16", "float16"), ("uint32", "float32"), ("uint64", "float64")])
def test_subnormal_numbers_count(word, item):
    x = (np.arange(5000) % 97 + 1).astype(word).view(item)
    wanted = answers(x)
    flush = flushing()
    got = []

    def run():
        flush()
        got.append((np.count_nonzero(x * x.dtype.type(1)), answers(x)))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    [(nonzero, there)] = got
    if item != "float16":
        assert nonzero == 0, "the thread does not flush: nothing is tested"
    assert there == wanted
