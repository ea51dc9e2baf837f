"""Producers of other protocols, made of ctypes: they say what they were asked and when they were released."""

import ctypes

import numpy as np

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p

_is_unused = ctypes.pythonapi.PyCapsule_IsValid
_is_unused.argtypes = ctypes.py_object, ctypes.c_char_p

API_NAME = ctypes.create_string_buffer(b"dlpack_exchange_api").raw[:-1]  # kept: capsules hold its address
INT64S = ctypes.POINTER(ctypes.c_int64)
RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("kind", ctypes.c_int32), ("number", ctypes.c_int32),
                ("rank", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("extents", INT64S), ("strides", INT64S), ("offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("release", RELEASE)]


class ManagedVersioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("release", RELEASE), ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


class Lender:
    """Who lends memory, by structures that hold its `id`. It lives until they are given back, held by nobody else, too.

    A ring of garbage may have both it and who has taken the memory, and what is in a ring goes in any order.
    """

    outlived = {}  # by `id`, those that only memory they have lent keeps
    returned = ()  # of one that was not made

    def __init__(self):
        self.returned = []  # threads append at once

    @property
    def released(self):
        return len(self.returned)

    def num_lent(self):
        raise NotImplementedError

    def __del__(self, outlived=outlived):
        if self.returned != ():
            outlived[id(self)] = self
            self.forget(outlived)

    def take_back(self, address):
        self.returned.append(address)
        self.forget(self.outlived)

    def forget(self, outlived):
        if self.released == self.num_lent():
            outlived.pop(id(self), None)


def releaser(structure, field):
    """The function that gives structures of a type back to the lender in a field. It stays, as a library's does."""

    def release(address):
        lender = getattr(structure.from_address(address), field)
        ctypes.cast(lender, ctypes.py_object).value.take_back(address)

    function = RELEASE(release)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(function))
    return function


RELEASE_OLD, RELEASE_VERSIONED = releaser(Managed, "context"), releaser(ManagedVersioned, "context")


def integers(values):
    return (ctypes.c_int64 * len(values))(*values)


class Tensor(Lender):
    """A NumPy array as another library would give it."""

    def __init__(self, array, code, *, kind=1, number=0, versioned=True, packed=False, major=1, lanes=1, **told):
        super().__init__()
        self.array, self.kind, self.versioned = array, kind, versioned
        self.asked, self.capsules = [], []
        self.name = b"dltensor_versioned" if versioned else b"dltensor"
        self.extents = integers(array.shape)
        self.strides = None if packed else integers([step // array.itemsize for step in array.strides])
        tensor = DLTensor(array.ctypes.data, kind, number, array.ndim, code, array.itemsize * 8, lanes,
                          ctypes.cast(self.extents, INT64S),
                          ctypes.cast(self.strides, INT64S) if self.strides else None, 0)
        self.told = {name: integers(value) if isinstance(value, tuple) else value for name, value in told.items()}
        for name, value in self.told.items():  # not what the array is
            setattr(tensor, name, ctypes.cast(value, INT64S) if isinstance(value, ctypes.Array) else value)
        self.managed = (ManagedVersioned(major, 0, id(self), RELEASE_VERSIONED, 0, tensor) if versioned
                        else Managed(tensor, id(self), RELEASE_OLD))

    def num_lent(self):
        return sum(not _is_unused(capsule, self.name) for capsule in self.capsules)

    def __dlpack_device__(self):
        return self.kind, 0

    def __dlpack__(self, **asked):
        self.asked.append(asked)
        if not self.versioned and "max_version" in asked:
            raise TypeError("no such argument: max_version")
        self.capsules.append(capsule := _new_capsule(ctypes.addressof(self.managed), self.name, None))
        return capsule


class OnGpu(Tensor):
    """One that says it lies on a GPU, of a type of its own: the core remembers which types do."""

    def __init__(self, array, code, **told):
        super().__init__(array, code, kind=2, **told)


SHOW = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))
STREAM = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))
ALLOCATE = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.POINTER(DLTensor), ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p,
                             ctypes.c_void_p)
TAKE = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.py_object))


class ExchangeApi(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("older", ctypes.c_void_p),
                ("allocate", ALLOCATE), ("give", ctypes.c_void_p), ("take", TAKE), ("show", SHOW),
                ("current_stream", STREAM)]


def exchange_type(show=True, major=1, base=Tensor, stream=None, make=None):
    """A type of tensors that offers the C exchange API itself; `shown` counts the calls of it.

    `stream()`: that of the library; `make(shape, code, bits)`: one of its arrays.
    """
    made = {}

    def allocate(like, out, *_):
        like = like[0]
        one = make(tuple(like.extents[: like.rank]), like.code, like.bits)
        out[0] = ctypes.addressof(one.managed)
        made[out[0]] = one
        return 0

    def take(managed, out):
        one = made.pop(managed)
        ctypes.cast(out, ctypes.POINTER(ctypes.c_void_p))[0] = id(one)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(one))
        return 0

    def tell_stream(kind, number, out):
        out[0] = stream()
        return 0

    def show_tensor(tensor, out):
        cls.shown += 1
        if tensor.fails:
            return -1  # without an exception even
        out[0] = tensor.managed.tensor
        return 0

    function = SHOW(show_tensor) if show else SHOW()
    rest = [ALLOCATE(allocate), TAKE(take)] if make else [ALLOCATE(), TAKE()]
    tell = STREAM(tell_stream) if stream else STREAM()
    api = ExchangeApi(major, 3, None, rest[0], None, rest[1], function, tell)
    cls = type("Exchanged", (base,), {
        "shown": 0, "fails": False, "requires_grad": False, "is_neg": lambda self: self.negated, "negated": False,
        "kept": (function, api, rest, tell), "__dlpack_c_exchange_api__": _new_capsule(ctypes.addressof(api), API_NAME, None)})
    return cls


class CudaArray:
    """What numba's arrays say."""

    def __init__(self, **told):
        self.__cuda_array_interface__ = {"shape": (4,), "typestr": "<f4", "data": (256, False), "version": 3} | told


class ArrowSchema(ctypes.Structure):
    _fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
                ("flags", ctypes.c_int64), ("num_children", ctypes.c_int64), ("children", ctypes.c_void_p),
                ("dictionary", ctypes.c_void_p), ("release", RELEASE), ("own", ctypes.c_void_p)]


class ArrowArray(ctypes.Structure):
    _fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
                ("num_buffers", ctypes.c_int64), ("num_children", ctypes.c_int64),
                ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.c_void_p),
                ("dictionary", ctypes.c_void_p), ("release", RELEASE), ("own", ctypes.c_void_p)]


GET = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
GET_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)


class ArrowStream(ctypes.Structure):
    _fields_ = [("get_schema", GET), ("get_next", GET), ("get_last_error", GET_ERROR), ("release", RELEASE),
                ("own", ctypes.c_void_p)]


FORMATS = {"bool": b"b", "int8": b"c", "int16": b"s", "int32": b"i", "int64": b"l", "uint8": b"C", "uint16": b"S",
           "uint32": b"I", "uint64": b"L", "float16": b"e", "float32": b"f", "float64": b"g"}


RELEASE_SCHEMA, RELEASE_ARRAY = releaser(ArrowSchema, "own"), releaser(ArrowArray, "own")


class Column(Lender):
    """A column in chunks of (items, valid or None), each at an offset of some items into its buffers."""

    def __init__(self, chunks, dtype=None, *, offset=0, error=None, text=None, dictionary=None):
        super().__init__()
        self.lent, self.kept = [], []
        self.chunks = [(np.asarray(items), valid) for items, valid in chunks]
        self.format = text or FORMATS[dtype or self.chunks[0][0].dtype.name]
        self.offset, self.error, self.next = offset, error, 0
        self.dictionary = dictionary
        why = ctypes.create_string_buffer(error) if error else None
        say_why = GET_ERROR(lambda _: ctypes.addressof(why))
        self.calls = GET(self._schema), GET(self._next), say_why, RELEASE(lambda _: None)
        self.stream = ArrowStream(*self.calls, None)

    def num_lent(self):
        return len(self.lent)

    def _schema(self, _, out):
        if self.error:
            return 5
        ctypes.cast(out, ctypes.POINTER(ArrowSchema))[0] = ArrowSchema(
            self.format, None, None, 0, 0, None, self.dictionary, RELEASE_SCHEMA, id(self))
        self.lent.append(out)
        return 0

    def _next(self, _, out):
        to = ctypes.cast(out, ctypes.POINTER(ArrowArray))
        if self.next == len(self.chunks):
            to[0] = ArrowArray()
            return 0
        to[0] = self._chunk(*self.chunks[self.next])
        self.lent.append(out)
        self.next += 1
        return 0

    def _chunk(self, items, valid):
        def bits(values):
            return np.packbits(np.concatenate([np.ones(self.offset, bool), values]), bitorder="little")

        body = bits(items) if items.dtype == bool else np.concatenate([np.ones(self.offset, items.dtype), items])
        marks = None if valid is None else bits(np.asarray(valid))
        buffers = (ctypes.c_void_p * 2)(None if marks is None else marks.ctypes.data, body.ctypes.data)
        self.kept += [body, marks, buffers]
        nulls = 0 if valid is None else -1
        return ArrowArray(items.size, nulls, self.offset, 2, 0, buffers, None, None, RELEASE_ARRAY, id(self))

    def __arrow_c_stream__(self, requested_schema=None):
        self.next = 0
        return _new_capsule(ctypes.addressof(self.stream), b"arrow_array_stream", None)
