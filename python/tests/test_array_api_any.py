"""The standard's functions on any arrays of any library: types, shapes and errors by its text, values by slow ways."""

import importlib
import math
import warnings
from fractions import Fraction

import monofold as mf
import monofold.array_api as ours
import numpy as np
import pytest
from arrays import rounded
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.array_api import make_strategies_namespace

NUMBERS, FLOATS, ANY = ("sum", "prod", "min", "max", "argmin", "argmax"), ("mean", "var", "std"), (
    "any", "all", "count_nonzero")
CUMULATIVE = ("cumulative_sum", "cumulative_prod")
SIZES = (8, 16, 32, 64)
WIDEST = {"i": "int64", "u": "uint64"}


class Library:
    """A library of arrays, and what Hypothesis draws of it."""

    def __init__(self, name):
        self.xp = importlib.import_module(name)
        self.name = name
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.drawn = make_strategies_namespace(self.xp, api_version="2022.12")
        self.types = {kind: [f"{word}{size}" for size in SIZES if hasattr(self.xp, f"{word}{size}")]
                      for kind, word in (("i", "int"), ("u", "uint"))}
        self.types["f"] = ["float32", "float64"]
        self.types["b"] = ["bool"]

    def of(self, kinds):
        return st.sampled_from([name for kind in kinds for name in self.types[kind]])

    def arrays(self, draw, name, **sides):
        elements = None
        if name.startswith("float"):
            finite = self.drawn.from_dtype(getattr(self.xp, name), min_value=-100, max_value=100)
            elements = finite if draw(st.booleans()) else finite | st.sampled_from((math.nan, math.inf, -math.inf))
        shape = draw(self.drawn.array_shapes(**{"min_dims": 0, "max_dims": 3, "min_side": 0, "max_side": 4} | sides))
        x = draw(self.drawn.arrays(getattr(self.xp, name), shape, elements=elements))
        if x.ndim and draw(st.booleans()):
            x = self.xp.permute_dims(x, tuple(reversed(range(x.ndim))))[..., ::2]
        return x

    def numpy(self, array):
        """What an answer, which is to be an array of this library, holds."""
        kind = type(self.xp.asarray([1.0]))
        assert type(array) is kind, (type(array), kind)
        return np.from_dlpack(array) if kind is not np.ndarray else array


def libraries():
    for name in ("numpy", "array_api_strict", "array_api_compat.torch"):
        try:
            yield pytest.param(Library(name), id=name.rpartition(".")[2])
        except ImportError:
            yield pytest.param(None, id=name, marks=pytest.mark.skip(f"no {name}"))


on_each = pytest.mark.parametrize("library", list(libraries()))


def axes_of(x):
    one = st.integers(-x.ndim, x.ndim - 1) if x.ndim else st.nothing()
    some = st.lists(one, max_size=x.ndim, unique_by=lambda axis: axis % x.ndim).map(tuple) if x.ndim else st.just(())
    return st.none() | one | some, st.none() | one


def rows_along(array, axis):
    """(the reduced axes, rows of the items that each answer is of, the shape of the answers)."""
    axes = range(array.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = sorted(one % array.ndim for one in axes)
    kept = [one for one in range(array.ndim) if one not in axes]
    shape = tuple(array.shape[one] for one in kept)
    length = math.prod(array.shape[one] for one in axes)
    return axes, array.transpose(*kept, *axes).reshape(math.prod(shape), length), shape


def total(items, dtype):
    """Exact, rounded once; of infinities as the standard has it. Sums of Fractions have no -0."""
    special = [item for item in items if not math.isfinite(item)]
    if special:
        return float(np.dtype(dtype).type(sum(special)))
    return float(rounded(sum(map(Fraction, items), Fraction()), dtype))


def value_of(name, items, dtype):
    """What the answer is to be, of items as numbers of Python; None: not looked at here."""
    n, is_float = len(items), np.dtype(dtype).kind == "f"
    if name == "sum":
        return total(items, dtype) if is_float else sum(items)
    if name == "prod":
        return None if is_float else int(np.array(math.prod(items) % 2**64, "u8").astype(WIDEST[np.dtype(dtype).kind]))
    if name in FLOATS:
        if n == 0 or not all(map(math.isfinite, items)):
            return total(items, dtype) if n and name == "mean" else math.nan
        mean = sum(map(Fraction, items)) / n
        middle = sum((Fraction(item) - mean) ** 2 for item in items) / n
        return float(rounded({"mean": mean, "var": middle}[name], dtype)) if name != "std" else None
    if name in ("min", "max"):
        return math.nan if any(item != item for item in items) else {"min": min, "max": max}[name](items)
    if name in ("argmin", "argmax"):
        odd = [place for place, item in enumerate(items) if item != item]
        # The standard leaves the order of zeros to libraries: -0 comes first here.
        order = [(item, math.copysign(1, item)) for item in items]
        return odd[0] if odd else order.index({"argmin": min, "argmax": max}[name](order))
    return {"any": any, "all": all, "count_nonzero": lambda items: sum(map(bool, items))}[name](items)


def type_of(name, x):
    if name in ("sum", "prod", *CUMULATIVE):
        return np.dtype(WIDEST.get(x.dtype.kind, x.dtype))
    if name in ("min", "max", *FLOATS):
        return x.dtype
    return np.dtype(bool) if name in ("any", "all") else np.dtype("int64")


def check(found, right):
    for got, value in zip(found.ravel().tolist(), right, strict=True):
        assert value is None or got == value or got != got and value != value, (got, value)


def overflows(values, dtype):
    limits = np.iinfo(dtype) if dtype.kind in "iu" else None
    return limits and any(not limits.min <= value <= limits.max for value in values)


@on_each
@pytest.mark.parametrize("name", (*NUMBERS, *FLOATS, *ANY))
@given(data=st.data())
@settings(max_examples=60)
def test_any_arrays(library, name, data):
    x = library.arrays(data.draw, data.draw(library.of("f" if name in FLOATS else "iuf" + "b" * (name in ANY))))
    several, one = axes_of(x)
    axis, keepdims = data.draw(one if name.startswith("arg") else several), data.draw(st.booleans())
    array = library.numpy(x)
    axes, rows, shape = rows_along(array, axis)
    function = getattr(ours, name)
    if name in ("min", "max", "argmin", "argmax") and rows.shape[1] == 0 < rows.shape[0]:
        with pytest.raises(mf.EmptyInput):
            function(x, axis=axis, keepdims=keepdims)
        return
    dtype = type_of(name, array)
    right = [value_of(name, row.tolist(), array.dtype) for row in rows]
    if name == "sum" and overflows(right, dtype):
        with pytest.raises(mf.IntegerOverflow):
            function(x, axis=axis, keepdims=keepdims)
        return
    found = library.numpy(function(x, axis=axis, keepdims=keepdims))
    if keepdims:
        assert found.shape == tuple(1 if at in axes else extent for at, extent in enumerate(array.shape))
    else:
        assert found.shape == shape
    assert found.dtype == dtype
    check(found, right)


@on_each
@pytest.mark.parametrize("name", CUMULATIVE)
@given(data=st.data())
@settings(max_examples=60)
def test_any_cumulative(library, name, data):
    x = library.arrays(data.draw, data.draw(library.of("iuf")), min_dims=1)
    axis, initial = data.draw(st.integers(-x.ndim, x.ndim - 1)), data.draw(st.booleans())
    array = library.numpy(x)
    lines = np.moveaxis(array, axis, -1)
    whole = {"cumulative_sum": "sum", "cumulative_prod": "prod"}[name]
    right = [value_of(whole, line[:end].tolist(), array.dtype) for line in rows_along(array, axis)[1]
             for end in range(0 if initial else 1, len(line) + 1)]
    asked = dict(axis=None if x.ndim == 1 and data.draw(st.booleans()) else axis, include_initial=initial)
    if whole == "sum" and overflows(right, type_of(name, array)):
        with pytest.raises(mf.IntegerOverflow):
            getattr(ours, name)(x, **asked)
        return
    found = np.moveaxis(library.numpy(getattr(ours, name)(x, **asked)), axis, -1)
    assert found.dtype == type_of(name, array)
    assert found.shape == (*lines.shape[:-1], lines.shape[-1] + initial)
    check(found, right)


@on_each
@given(data=st.data())
@settings(max_examples=60)
def test_any_types(library, data):
    """`dtype` is one of the library's own."""
    kind = data.draw(st.sampled_from(("ii", "uu", "if", "uf", "ff")))
    x = library.arrays(data.draw, data.draw(library.of(kind[0])), min_dims=1)
    asked = data.draw(library.of(kind[1]))
    array, dtype = library.numpy(x), np.dtype(asked)
    sums = [sum(map(Fraction, map(int, row.tolist()))) if kind[0] != "f" else total(row.tolist(), "float64")
            for row in rows_along(array, -1)[1]]
    if overflows(sums, dtype):
        with pytest.raises(mf.IntegerOverflow):
            ours.sum(x, axis=-1, dtype=getattr(library.xp, asked))
        return
    found = ours.sum(x, axis=-1, dtype=getattr(library.xp, asked))
    assert found.dtype == getattr(library.xp, asked)
    if kind != "ff":
        check(library.numpy(found), [float(rounded(value, asked)) if kind[1] == "f" else value for value in sums])


@on_each
def test_errors(library):
    xp = library.xp
    x, truth = xp.ones((2, 3), dtype=xp.float32), xp.ones(3, dtype=xp.bool)
    for name in (*NUMBERS, *FLOATS, *ANY):
        for axis in (2, -3, *(() if name.startswith("arg") else ((0, 0), (0, -2), (0, 5)))):
            with pytest.raises((IndexError, ValueError)):
                getattr(ours, name)(x, axis=axis)
        for axis in (0.0, "0"):
            with pytest.raises(TypeError):
                getattr(ours, name)(x, axis=axis)
        with pytest.raises(TypeError):
            getattr(ours, name)(xp.ones(2, dtype=xp.complex64))
    for name in (*NUMBERS, *FLOATS, *CUMULATIVE):
        with pytest.raises(TypeError):
            getattr(ours, name)(truth)
    for name in FLOATS:
        with pytest.raises(TypeError):
            getattr(ours, name)(xp.ones(3, dtype=xp.int32))
