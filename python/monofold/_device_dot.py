"""Inner products along axes of two arrays on a device: sums of products, which their library makes there, exactly."""

from . import _arrays, _device_rows, _dtypes, _protocols, _rows
from ._kinds import KINDS

# What holds each product of two such items: 48 bits at most, within the exponents of doubles, or 62.
_PRODUCTS = {**dict.fromkeys(("float16", "bfloat16", "float32"), "float64"),
             **dict.fromkeys(("bool", "uint8", "int8", "uint16", "int16", "int32"), "int64")}
_SUMS = KINDS["dot"]._replace(code=KINDS["sum"].code)  # by the name that the caller knows


def rows(x, y, left, axis, keepdims, dtype, out, how, plain):
    """The inner products of the rows of `x` and `y`, whose sources agree in shape and type."""
    if _device_rows._library_of(x)[0] != _device_rows._library_of(y)[0]:
        raise TypeError("dot along axes of arrays on a device takes two of one library")
    item = _dtypes.NAMES[left.code]
    wide = _PRODUCTS.get(item)
    is_plain = plain and _dtypes.is_floating(left.code)
    if wide is None or is_plain or _protocols.code_in(x, _dtypes.CODES[wide]) != _dtypes.CODES[wide]:
        raise TypeError(f"dot of {item} along axes of arrays on a device: there are exact ones of floats of up to 32 "
                        "bits, and of integers whose products int64 holds, where the library has such types")
    axes = _rows.axes_of(axis, len(left.shape))
    if out is not None and dtype is None:
        dtype = _dtypes.NAMES[_device_rows.code_of_out(out)]
    code = (_rows.value_code if out is None else _rows.ruled_code)(KINDS["dot"], left, how, dtype)
    products = _widened(x, wide)
    products *= _widened(y, wide) if item == "bool" else y  # which is widened there, item by item
    return _device_rows.reduce(products, _arrays.as_source(products), _SUMS, how, axes, code, keepdims, out)


def _widened(x, name):
    """A copy of an array as wider numbers, by its library, in its stream."""
    own, library = _device_rows._library_of(x)
    if own == "torch":
        return x.to(getattr(library, name))
    if own == "cupy":
        return x.astype(name)
    library = x.__array_namespace__() if hasattr(x, "__array_namespace__") else None
    if not hasattr(library, "astype"):
        raise TypeError(f"dot along axes of arrays of {own} on a device: their library does not multiply")
    return library.astype(x, getattr(library, name))
