"""Arrays on a GPU that is not the current one: on two emulated devices, in a process of its own; on two real ones."""

import os
import subprocess
import sys

import monofold as mf
import numpy as np
import pytest
from arrays import numbers, same
from test_device_rows import LIBRARIES

PROGRAM = """
import sys
import monofold as mf
import monofold.array_api as xp
import numpy as np
from arrays import numbers
from monofold import _core
from test_device_rows import Namespace, There
from test_device_rows import same as same_there

if not _core.emulates_devices(True):
    sys.exit(7)

class Elsewhere(Namespace):
    @staticmethod
    def empty(shape, dtype, device):
        return Other(np.zeros(shape, dtype))

    @staticmethod
    def asarray(array, copy=None, device=None):
        return Other(array if isinstance(array, np.ndarray) else array.array.copy(order="C"))

    @staticmethod
    def moveaxis(array, axis, to):
        return Other(np.ascontiguousarray(np.moveaxis(array.back(), axis, to)))

class Other(There):
    # A copy of a NumPy array in memory of the second device.
    number = 1

    def __init__(self, array):
        gpu = _core.gpu_in_use(1)
        gpu.enter()
        try:
            super().__init__(array)
        finally:
            gpu.exit()
        self.managed.tensor.number = self.number

    def __dlpack_device__(self):
        return 2, self.number

    def __array_namespace__(self):
        return Elsewhere()

def same(there, here):
    return type(there) is Other and same_there(there, here)

x = numbers("float32", (30, 40))
first, there = There(x), Other(x)
for _ in range(2):  # the core learns of a type by its first array
    for call in (mf.sum, mf.argmax, mf.stats, mf.plain.sum,
                 lambda x: mf.reduce(x, mf.all(mf.sum, mf.max)), lambda x: mf.sum(x, dtype="float64")):
        assert call(there) == call(x) == call(first)
    for call in (lambda x: mf.sum(x, axis=0), lambda x: mf.max(x, axis=1, keepdims=True), lambda x: mf.sum(x, 1),
                 lambda x: mf.mean(x, axis=(0, 1), dtype="float64", keepdims=True), lambda x: np.asarray(xp.std(x))
                 if type(x) is np.ndarray else xp.std(x)):
        assert same(call(there), call(x)) and same_there(call(first), call(x))
    for call in (lambda x: mf.top_k(x, 3), lambda x: mf.top_k(x, 3, axis=0), lambda x: mf.reduce(x, mf.top_k(k=2)),
                 lambda x: mf.reduce(x, mf.all(mf.sum, mf.argmax), axis=1), lambda x: mf.minmax(x, axis=0)):
        assert all(map(same, call(there), call(x))) and all(map(same_there, call(first), call(x)))
    flat, bounds, keys = x.ravel(), np.array([0, 7, 1200]), np.arange(1200) % 7
    for make in (Other, There):
        want = mf.segmented_reduce(flat, mf.sum, bounds)
        assert same_there(mf.segmented_reduce(make(flat), mf.sum, bounds), want)
        assert same_there(mf.segmented_reduce(make(flat), mf.sum, make(bounds)), want)
        assert all(map(same_there, mf.group_by(make(keys), make(flat), mf.max), mf.group_by(keys, flat, mf.max)))
        assert mf.State(mf.sum, "float32").push(make(x)) == mf.State(mf.sum, "float32").push(x)
        assert mf.dot(make(x), make(x)) == mf.dot(x, x)
        out = make(np.zeros(40, "float32"))
        assert mf.sum(make(x), axis=0, out=out) is out and same_there(out, mf.sum(x, axis=0))

def raises(error, text, call):
    try:
        call()
    except error as found:
        assert text in str(found), found
        return
    raise AssertionError(call)

raises(mf.DeviceUnavailable, "GPU 0", lambda: mf.sum(there, axis=0, out=There(np.zeros(40, "float32"))))
raises(mf.DeviceUnavailable, "GPU 0", lambda: mf.dot(there, first))
raises(ValueError, "axis", lambda: mf.sum(there, axis=2))
raises(mf.EmptyInput, "row", lambda: mf.max(Other(x[:, :0]), axis=1))
assert same_there(mf.sum(first, axis=0), mf.sum(x, axis=0))  # the first device is the current one after all of these
Other.number = 2
raises(mf.DeviceUnavailable, "GPU 2; the current one is 0", lambda: mf.sum(Other(x)))
"""


def test_two_emulated_devices():
    paths = os.pathsep.join(path for path in (os.path.dirname(__file__), *sys.path) if path)
    own = {"PYTHONPATH": paths, "MONOFOLD_EMULATED_DEVICES": "2"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True,
                          env={"MONOFOLD_LIBRARY_PATH": str(LIBRARIES)} | dict(os.environ) | own)
    if done.returncode == 7:
        pytest.skip("no emulated device")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ("torch", "cupy", "jax"))
def test_two_gpus(name):
    """The bits of the host's, on the array's own GPU; the current one stays."""
    if mf.info()["gpu"].startswith("none"):
        pytest.skip("no GPU")
    library = pytest.importorskip(name)
    if name == "jax":
        library.config.update("jax_enable_x64", True)
        gpus = library.devices("gpu")
        count = len(gpus)
    else:
        count = library.cuda.device_count() if name == "torch" else library.cuda.runtime.getDeviceCount()
    if count < 2:
        pytest.skip("one GPU")

    def there(array):
        if name == "torch":
            return library.from_numpy(array).to("cuda:1")
        if name == "jax":
            return library.device_put(array, gpus[1])
        with library.cuda.Device(1):
            return library.asarray(array)

    def here(array):
        return array.cpu().numpy() if name == "torch" else array.get() if name == "cupy" else np.asarray(array)

    def current():
        return {"torch": lambda: library.cuda.current_device(), "cupy": lambda: library.cuda.runtime.getDevice(),
                "jax": lambda: None}[name]()

    before = current()
    x = numbers("float32", (300, 400))
    device = there(x)
    for _ in range(3):
        assert mf.sum(device) == mf.sum(x) and mf.argmax(device) == mf.argmax(x) and mf.stats(device) == mf.stats(x)
        for call in (lambda x: mf.sum(x, axis=0), lambda x: mf.max(x, axis=1, keepdims=True),
                     lambda x: mf.top_k(x, 5).values, lambda x: mf.top_k(x, 5, axis=1).indices):
            answer = call(device)
            assert type(answer) is type(device) and answer.device == device.device and same(here(answer), call(x))
            assert current() == before
        keys, bounds = np.arange(400) % 7, np.array([0, 7, 400])
        assert same(here(mf.segmented_reduce(device[0], mf.sum, bounds)), mf.segmented_reduce(x[0], mf.sum, bounds))
        assert same(here(mf.group_by(there(keys), device[0], mf.sum)[1]), mf.group_by(keys, x[0], mf.sum)[1])
        assert mf.State(mf.sum, "float32").push(device) == mf.State(mf.sum, "float32").push(x)
        assert current() == before
