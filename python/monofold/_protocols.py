"""Arrays of other libraries: DLPack, the CUDA array interface, the Arrow C data interface."""

import sys
import weakref

import numpy as np

from . import _core, _dtypes

CPU = 0
LEGACY_STREAM = 1  # where the engine's kernels run; the producer puts itself before it
_GPU = 2  # DLPack's kinds of devices: memory of a GPU,
_ON_GPU = {_GPU, 13}  # and managed memory
_DLPACK = (1, 1)
_asked = weakref.WeakSet()  # types whose exchange API was looked for
_with_exchange = weakref.WeakSet()  # those that have one
_on_gpus = weakref.WeakSet()  # those whose capsules the core asks for itself


def lies_on_gpu(x):
    """Whether an array says so, of which nothing else is asked."""
    if isinstance(x, np.ndarray):
        return False
    if hasattr(x, "__dlpack_device__"):
        try:
            return int(x.__dlpack_device__()[0]) in _ON_GPU
        except (TypeError, ValueError, BufferError):  # as pyarrow's arrays with nulls, which DLPack has not
            return False
    return hasattr(x, "__cuda_array_interface__")


def source_of(x):
    """(pieces, shape, code, like) of an array of another library; None where it follows no protocol."""
    if (items := _core.from_exchange(x)) is not None:
        return _shown(x, items)
    module = type(x).__module__
    if module.startswith("dask.") or module.startswith("xarray.") and getattr(x, "chunks", None):
        raise TypeError("a Dask array is not gathered by itself: reduce it by monofold.dask")
    if _is_nullable(x):
        return _from_pandas(x)
    if hasattr(x, "__arrow_c_stream__") or hasattr(x, "__arrow_c_array__"):
        # What has NumPy's items has NumPy's meaning: pandas would give NaN as nulls.
        if module.partition(".")[0] == "pandas" and getattr(x, "ndim", 1) != 1:
            raise TypeError("a data frame is not reduced: give one column, as frame['NAME'], or frame.to_numpy()")
        return None if isinstance(getattr(x, "dtype", None), np.dtype) else _from_arrow(x)
    if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        return _from_dlpack(x)
    if hasattr(x, "__cuda_array_interface__"):
        return _from_cuda(x)
    return None


def contiguous(x):
    """A copy of an array on a device, made there by its own library in its stream. Its items lie side by side
    with PyTorch and CuPy; another library decides itself how they lie."""
    if (torch := sys.modules.get("torch")) is not None and isinstance(x, torch.Tensor):
        return x.contiguous()
    if (cupy := sys.modules.get("cupy")) is not None and isinstance(x, cupy.ndarray):
        return cupy.ascontiguousarray(x)
    return x.__array_namespace__().asarray(x, copy=True) if hasattr(x, "__array_namespace__") else x


def _is_nullable(x):
    """Whether `x` is numbers of pandas of a type that knows absent items."""
    held = getattr(getattr(x, "dtype", None), "numpy_dtype", None)
    return held is not None and held.kind in "biuf" and type(x).__module__.partition(".")[0] == "pandas"


def _from_pandas(x):
    """A column, an index or an array of a type that knows absent items."""
    absent = np.asarray(x.isna())
    values = x.to_numpy(dtype=x.dtype.numpy_dtype, na_value=x.dtype.numpy_dtype.type(0))
    code = _dtypes.code_of_numpy(values.dtype)
    return [(_core.of_buffer(values), _core.of_buffer(~absent) if absent.any() else None)], values.shape, code


def _from_arrow(x):
    if hasattr(x, "__arrow_c_array__"):
        code, pieces = _core.from_arrow_array(*x.__arrow_c_array__())
    else:
        code, pieces = _core.from_arrow_stream(x.__arrow_c_stream__())
    if not pieces:
        pieces = [(_core.array(0, code, False, CPU, (0,), (_core.bytes_of(code),), None), None)]
    return pieces, (sum(items.count for items, _ in pieces),), code


def check_not_captured(x):
    """Raises where the library of `x` works in a stream that is being captured: its own way to put the stream before
    others would end the capture."""
    name = type(x).__module__.partition(".")[0]
    is_captured = False
    if name == "torch" and "torch" in sys.modules:
        is_captured = sys.modules["torch"].cuda.is_current_stream_capturing()
    elif name == "cupy" and "cupy" in sys.modules:
        stream = sys.modules["cupy"].cuda.get_current_stream()
        is_captured = stream.ptr != 0 and stream.is_capturing()
    if is_captured:
        raise ValueError("the stream is being captured, which a call on an array on a GPU cannot be")


def capsule_of(x):
    """The DLPack capsule of an array, ordered before our work where it lies on a GPU."""
    kind, number = x.__dlpack_device__()
    stream = {}
    if int(kind) == _GPU:
        _core.check_current_gpu(int(number))  # which libraries expect it to be
    if int(kind) in _ON_GPU:
        check_not_captured(x)
        stream["stream"] = LEGACY_STREAM
    try:
        capsule = x.__dlpack__(max_version=_DLPACK, **stream)
        if int(kind) == _GPU and type(x) not in _on_gpus and type(x) not in _with_exchange and not hasattr(x, "is_neg"):
            _on_gpus.add(type(x))
            cupy = sys.modules.get("cupy") if type(x).__module__.partition(".")[0] == "cupy" else None
            # The next one is asked without a line of Python.
            _core.add_capsule_type(type(x), cupy and cupy.empty, cupy and cupy.cuda.get_current_stream)
        return capsule
    except TypeError as error:
        # Libraries of before DLPack 1 refuse the argument, by the words of Python or of a binding.
        if not any(words in str(error) for words in ("max_version", "keyword", "function arguments")):
            raise
    return x.__dlpack__(**stream)


def _from_dlpack(x):
    if type(x) not in _asked:
        _ask_for_exchange(type(x))  # which the next array of the type is read by
    if hasattr(x, "is_neg") and x.is_neg():  # which torch's capsules do not tell
        raise BufferError("the tensor's negation is still to be done: give x.resolve_neg()")
    return _shown(x, _core.from_dlpack(capsule_of(x)))


def _shown(x, items):
    return [(items, None)], tuple(items.extents), items.dtype, maker_like(x)


def _ask_for_exchange(cls):
    """Gives the core the C functions that a type offers itself: what subclasses are, those may not know."""
    _asked.add(cls)
    if (api := vars(cls).get("__dlpack_c_exchange_api__")) is not None:
        _with_exchange.add(cls)
        _core.add_exchange_type(cls, api)


def is_of_jax(x):
    return type(x).__module__.partition(".")[0] in ("jax", "jaxlib")


def code_in(x, code):
    """The type that numbers of a type are of in the library of `x`: JAX has none of 64 bits unless it is told to."""
    if x is not None and is_of_jax(x) and not sys.modules["jax"].config.jax_enable_x64:
        return _dtypes.NARROWER.get(code, code)
    return code


def maker_like(x):
    """What makes an array of the library of `x` from one of NumPy: beside `x`, where that lies on a GPU."""
    name = type(x).__module__.partition(".")[0]
    library = sys.modules.get("jax.numpy" if is_of_jax(x) else name)

    def like(array):
        maker, beside = library, {}
        if not hasattr(library, "asarray"):
            if not (hasattr(x, "__array_namespace__") and lies_on_gpu(x)):
                return array
            maker = x.__array_namespace__()
        if name == "torch" or name != "cupy" and lies_on_gpu(x):
            beside["device"] = x.device
        if array.dtype.kind == "V" and name == "torch":  # bfloat16, which it does not take from NumPy
            return maker.asarray(array.view(np.int16), **beside).view(maker.bfloat16)
        return maker.asarray(array, **beside)

    return like


def _from_cuda(x):
    told = x.__cuda_array_interface__
    if told.get("mask") is not None:
        raise TypeError("an array with a mask of its own is not reduced")
    stream = told.get("stream")
    if stream == 0:
        raise ValueError("the CUDA array interface has no stream 0: 1 is the default one, 2 that of the thread")
    if stream not in (None, LEGACY_STREAM):
        _core.wait_for_stream(stream)  # whatever it still writes
    dtype = np.dtype(told["typestr"])
    shape = tuple(told["shape"])
    strides = told.get("strides") or packed_strides(shape, dtype.itemsize)
    code = _dtypes.code_of_numpy(dtype)
    address, read_only = told["data"]
    items = _core.array(address, code, not dtype.isnative, 1, shape, strides, x)
    items.read_only = bool(read_only)
    return [(items, None)], shape, code, maker_like(x)


def packed_strides(shape, step):
    strides = []
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= max(extent, 1)
    return strides
