"""Streams of PyTorch and CuPy on a real GPU: calls that do not wait, streams that are captured. Skipped without one."""

import contextlib

import monofold as mf
import numpy as np
import pytest
from arrays import numbers, same
from test_gpu import Cupy, Torch  # which skips this file too where there is no GPU

CALLS = {
    "sum, axis 0": lambda x: mf.sum(x, axis=0),
    "sum, axis 1": lambda x: mf.sum(x, axis=1),
    "sum, all axes": lambda x: mf.sum(x, keepdims=True),
    "sum, kept": lambda x: mf.sum(x, axis=1, keepdims=True),
    "max": lambda x: mf.max(x, axis=1),
    "argmax": lambda x: mf.argmax(x, axis=0),
    "mean": lambda x: mf.mean(x, axis=0, dtype="float64"),
    "plain": lambda x: mf.plain.sum(x, axis=1),
    "best": lambda x: mf.top_k(x, 3, axis=1).values,
}


@pytest.fixture(params=(Torch, Cupy), ids=("torch", "cupy"))
def gpu(request):
    return request.param()


@pytest.mark.parametrize("stream", ("current", "side"))
def test_calls_along_axes_do_not_wait(gpu, stream):
    """They return while what lies before them in the stream, some 50 ms of work, is at work."""
    x = numbers("float32", (600, 500))
    device = gpu.there(x)
    gpu.wait()
    with gpu.side_stream() if stream == "side" else contextlib.nullcontext():
        for _ in range(2):  # which make what first calls make
            gpu.work_for_long(100_000_000)
            for call in CALLS.values():
                call(device)
            gpu.wait()
        for name, call in CALLS.items():
            gpu.work_for_long(100_000_000)
            is_done = gpu.mark()
            assert not is_done()  # else the work is too short to tell anything
            answer = call(device)
            assert not is_done(), name
            assert same(gpu.here(answer), call(x)), name
            gpu.wait()


@pytest.mark.parametrize("stream", ("current", "side"))
def test_many_calls_do_not_wait_for_each_other(gpu, stream):
    """Each has what it needs of the device although none before it is done; the bits of each are right."""
    arrays = [numbers("float32", (400, 300), seed) for seed in range(20)]
    devices = [gpu.there(x) for x in arrays]
    gpu.wait()
    with gpu.side_stream() if stream == "side" else contextlib.nullcontext():
        for _ in range(2):
            kept = [mf.sum(device, axis=i % 2) for i, device in enumerate(devices)]
            gpu.wait()
            del kept
        gpu.work_for_long()
        is_done = gpu.mark()
        answers = [mf.sum(device, axis=i % 2) for i, device in enumerate(devices)]
        assert not is_done()
        for i, (answer, x) in enumerate(zip(answers, arrays)):
            assert same(gpu.here(answer), mf.sum(x, axis=i % 2))


REFUSED = (mf.sum, mf.argmax, mf.stats, mf.top_k, *CALLS.values(),
           lambda x: mf.segmented_reduce(x[0], mf.sum, [0, 7, 20]), lambda x: mf.group_by(x[0], x[1], mf.max),
           lambda x: mf.State(mf.sum, "float32").push(x))


def test_a_graph_of_pytorch_goes_on():
    """Calls in a stream that is being captured are refused; the graph has what else was captured."""
    gpu = Torch()
    torch = gpu.library
    x = numbers("float32", (60, 50))
    device = gpu.there(x)
    for call in REFUSED:
        call(device)
    gpu.wait()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        twice = device * 2
        for call in REFUSED:
            with pytest.raises(ValueError, match="captured"):
                call(device)
        four_times = twice * 2
    for call in CALLS.values():  # all is as it was
        assert same(gpu.here(call(device)), call(x))
    device += 1
    graph.replay()
    assert same(gpu.here(four_times), (x + 1) * 4)
    assert mf.sum(device) == mf.sum(x + 1) and mf.sum(four_times) == mf.sum((x + 1) * 4)


def test_a_graph_of_cupy_goes_on():
    gpu = Cupy()
    cupy = gpu.library
    x = numbers("float32", (60, 50))
    device, twice = gpu.there(x), cupy.empty((60, 50), "float32")
    for call in REFUSED:
        call(device)
    gpu.wait()
    with cupy.cuda.Stream(non_blocking=True) as stream:
        cupy.multiply(device, 2, out=twice)  # its kernel is there
        stream.synchronize()
        stream.begin_capture()
        try:
            for call in (mf.sum, mf.argmax, *CALLS.values()):
                with pytest.raises(ValueError, match="captured"):
                    call(device)
            cupy.multiply(device, 2, out=twice)
        finally:
            graph = stream.end_capture()
        assert same(gpu.here(mf.sum(device, axis=0)), mf.sum(x, axis=0)) and mf.sum(device) == mf.sum(x)
        device += 1
        graph.launch(stream)
        assert same(gpu.here(twice), (x + 1) * 2)


class Shown:
    """The memory of an array by the CUDA array interface alone."""

    def __init__(self, array, stream):
        self.array = array
        self.__cuda_array_interface__ = dict(array.__cuda_array_interface__) | {"version": 3, "stream": stream}


def test_streams_of_the_cuda_array_interface(gpu):
    """What a stream will have written once a long kernel in front of it ends is not read before."""
    x, other = numbers("float64", (300, 400)), numbers("float64", (300, 400), seed=3)
    device, later, out = gpu.there(x), gpu.there(other), gpu.there(np.zeros(400))
    gpu.wait()
    for reset in (False, True):
        device[...] = gpu.there(x)
        gpu.wait()
        stream = gpu.library.cuda.Stream() if isinstance(gpu, Torch) else gpu.library.cuda.Stream(non_blocking=True)
        with gpu.library.cuda.stream(stream) if isinstance(gpu, Torch) else stream:
            gpu.work_for_long()
            device[...] = later
        number = stream.cuda_stream if isinstance(gpu, Torch) else stream.ptr
        if reset:
            mf.sum(Shown(device, number), axis=0, out=out)
            assert same(gpu.here(out), mf.sum(other, axis=0))
        else:
            assert mf.sum(Shown(device, number)) == mf.sum(other)
