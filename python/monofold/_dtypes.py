"""Types of items: their numbers in the C interface, their names, and what NumPy calls them."""

import sys

import numpy as np

try:
    from numpy._core.multiarray import _ARRAY_API as ARRAY_FUNCTIONS  # those of NumPy's C interface
except ImportError:  # before 1.26
    from numpy.core.multiarray import _ARRAY_API as ARRAY_FUNCTIONS

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float16", "bfloat16", "float32", "float64")
CODES = {name: code for code, name in enumerate(NAMES)}
BOOL, INT64, UINT64, FLOAT64 = (CODES[name] for name in ("bool", "int64", "uint64", "float64"))
NARROWER = {CODES[name + "64"]: CODES[name + "32"] for name in ("int", "uint", "float")}
NUMPY_TYPES = [None if name == "bfloat16" else np.dtype(name) for name in NAMES]
_NUMPY = {np.dtype(name): code for name, code in CODES.items() if name != "bfloat16"}


def is_floating(code):
    return code >= CODES["float16"]


def name_of(dtype):
    """The name of a type of any library: torch.float32 is "float32"."""
    return dtype if isinstance(dtype, str) else str(getattr(dtype, "name", dtype)).rpartition(".")[2]


def code_of_numpy(dtype):
    """The code of a NumPy dtype of any byte order.

    Raises
    ------
    TypeError
        For a type that is not reduced: object, complex, text, dates, float128.
    """
    code = _NUMPY.get(dtype)
    if code is None and dtype.name == "bfloat16" and dtype.itemsize == 2:
        code = CODES["bfloat16"]
    if code is None and dtype.kind in "biuf":
        code = _NUMPY.get(dtype.newbyteorder("="))
    if code is None:
        raise TypeError(f"arrays of {dtype} are not reduced; the types are {', '.join(NAMES)}")
    return code


def code_of(dtype):
    """The code of what a user may say: a name, a NumPy dtype, the dtype of another library, a type."""
    if dtype is None:
        raise TypeError(f"None is no type of items; those are {', '.join(NAMES)}")
    code = CODES.get(name_of(dtype))
    return code_of_numpy(np.dtype(dtype)) if code is None else code


def numpy_of(code):
    """The NumPy dtype of a code; that of bfloat16 comes from ml_dtypes."""
    if NAMES[code] != "bfloat16":
        return np.dtype(NAMES[code])
    if "ml_dtypes" not in sys.modules:
        try:
            import ml_dtypes  # noqa: F401, PLC0415: only here is it needed
        except ImportError:
            raise TypeError("an array of bfloat16 needs the package ml_dtypes") from None
    return np.dtype(sys.modules["ml_dtypes"].bfloat16)
