"""Streams of arrays in memory of a device: those that are waited for, and those that are being captured."""

import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import monofold as mf
import numpy as np
import pytest
from arrays import numbers
from monofold import _core
from producers import CudaArray
from test_device_rows import LikeCuPy, There, cupy, device, same  # noqa: F401: which every test here needs, too


def shown(there, **told):
    """The same memory by the CUDA array interface."""
    return CudaArray(shape=there.array.shape, typestr=there.array.dtype.str, data=(there.told["data"], False), **told)


def test_streams_of_the_cuda_array_interface(monkeypatch):
    """The stream is waited for before anything is read; the default one needs no wait."""
    x = numbers("float32", (30, 40))
    there, later = There(np.zeros_like(x)), There(x)
    waited = []

    def wait(stream):
        waited.append(stream)
        _core.copy_by_device(there.told["data"], later.told["data"], x.nbytes)

    monkeypatch.setattr(_core, "wait_for_stream", wait)
    assert mf.sum(shown(there, stream=None)) == mf.sum(shown(there, stream=1)) == 0 and not waited
    assert mf.sum(shown(there, stream=7)) == mf.sum(x) and waited == [7]
    out = There(np.zeros(40, "float32"))
    mf.sum(shown(there, stream=2), axis=0, out=out)
    assert same(out, mf.sum(x, axis=0)) and waited == [7, 2]
    with pytest.raises(ValueError, match="no stream 0"):
        mf.sum(shown(there, stream=0))


DRIVER = """
#include <string.h>
static float* to;
static float from[4];
static void* waited;
static int answer, first;
void set(float* items, const float* later, int first_answer, int next) {
  to = items, memcpy(from, later, sizeof from), first = first_answer, answer = next;
}
void* stream_waited_for(void) { return waited; }
int cuStreamSynchronize(void* stream) {
  if (first != 0) { int now = first; first = 0; return now; }
  if (answer == 0) waited = stream, memcpy(to, from, sizeof from);
  return answer;
}
"""
PROGRAM = """
import ctypes, sys
import monofold as mf
import numpy as np
from monofold import _core
from producers import CudaArray

assert _core.emulates_devices(True)
memory = _core.device_memory(16)
shown = CudaArray(data=(memory.address, False), stream=7)
try:
    mf.sum(shown)
    raise AssertionError
except mf.DeviceUnavailable as error:
    assert "stream 7" in str(error) and "no driver" in str(error)
driver = ctypes.CDLL(sys.argv[1])
driver.stream_waited_for.restype = ctypes.c_void_p
later = (ctypes.c_float * 4)(1, 2, 3, 4)
for first in (0, 201):  # 201: the thread has no context yet
    _core.copy_by_device(memory.address, ctypes.addressof((ctypes.c_float * 4)()), 16)
    driver.set(ctypes.c_void_p(memory.address), later, first, 0)
    assert mf.sum(shown) == 10 and driver.stream_waited_for() == 7
driver.set(ctypes.c_void_p(memory.address), later, 0, 400)
try:
    mf.sum(shown)
    raise AssertionError
except mf.DeviceUnavailable as error:
    assert "stream 7" in str(error) and "400" in str(error)
"""


def test_the_driver_is_asked_to_wait(tmp_path):
    """By a library that stands for the driver, in a process of its own: who loads it keeps it."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("no C compiler")
    (tmp_path / "driver.c").write_text(DRIVER)
    library = tmp_path / "libcuda.so.1"
    subprocess.run([compiler, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", library, tmp_path / "driver.c"],
                   check=True)
    paths = os.pathsep.join(path for path in (os.path.dirname(__file__), *sys.path) if path)
    done = subprocess.run([sys.executable, "-c", PROGRAM, library], env=os.environ | {"PYTHONPATH": paths},
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_stream_that_is_captured_is_refused(monkeypatch):
    """Before its library is asked for anything that would end the capture."""
    stream = SimpleNamespace(ptr=0, is_capturing=lambda: stream.is_captured, is_captured=False)
    library = SimpleNamespace(empty=lambda shape, dtype: Mine(np.zeros(shape, dtype)), asarray=lambda one: Mine(one),
                              cuda=SimpleNamespace(get_current_stream=lambda: stream))
    Mine = type("Mine", (There,), {"__module__": "cupy", "data": property(
        lambda self: SimpleNamespace(ptr=self.told["data"]))})
    monkeypatch.setitem(sys.modules, "cupy", library)
    x = numbers("float32", (30, 40))
    there = Mine(x)
    calls = (mf.sum, mf.top_k, lambda x: mf.sum(x, axis=0), lambda x: mf.max(x, axis=1, keepdims=True),
             lambda x: mf.reduce(x, mf.all(mf.sum, mf.argmax)))
    for call in calls * 2:  # the core learns of the type
        call(there)
    stream.ptr, asked = 7, len(there.asked)
    assert mf.sum(there) == mf.sum(x) and len(there.asked) == asked + 1
    stream.is_captured = True
    for call in calls:
        with pytest.raises(ValueError, match="captured"):
            call(there)
    assert len(there.asked) == asked + 1
    stream.is_captured, stream.ptr = False, 0
    assert mf.sum(there) == mf.sum(x) and same(mf.top_k(there).values, mf.top_k(x).values)


class ByTheHost(Exception):
    pass


def test_the_best_of_few_items_stay_on_the_device(cupy, monkeypatch):
    """Those of a whole array go as one row; of more items, by other rules for NaN, or more of them, by way of the host."""
    x = numbers("float32", (30, 40))
    x[3, 4] = np.nan

    def by_the_host(*given, **named):
        raise ByTheHost

    folds = (mf.top_k(k=7), mf.bottom_k(k=1024), mf.top_k)
    known = [(fold, items, fold(items)) for fold in folds for items in (x, x.ravel(), x[:, ::2], x.T) if items.size >= fold.k]
    monkeypatch.setattr(mf._whole, "answers", by_the_host)
    for fold, items, here in known:
        there = fold(LikeCuPy(items))
        assert type(there) is mf.TopK and all(map(same, there, here)), fold
    for fold in folds:
        for options in ({"nan": "omit"}, {"nan": "raise"}):
            with pytest.raises(ByTheHost):
                fold(LikeCuPy(x), **options)
    for fold, items in ((mf.top_k, np.zeros((1 << 20) + 1, np.int8)), (mf.top_k(k=1025), x), (mf.top_k(k=1201), x),
                        (mf.bottom_k, x[:0])):
        with pytest.raises(ByTheHost):
            fold(LikeCuPy(items))
