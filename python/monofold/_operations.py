"""Operations: what `monofold.sum` and its like are. Calls that are not quick arrive here."""

import functools
import math
import operator

from . import (_arrays, _calls, _core, _dates, _device_rows, _device_where, _dtypes, _gpus, _places, _protocols, _rows,
               _whole)
from ._calls import NOTHING
from ._kinds import KINDS

NAN_POLICIES = {"propagate": 0, "omit": 1, "raise": 2}
_threads = 0


def set_threads(count):
    """Sets how many threads a call uses; 0: as many as there are cores. No answer depends on it.

    Parameters
    ----------
    count : int
        From 0 on.
    """
    global _threads
    _threads = count = whole("threads", count, 0, 2**31)
    _core.set_threads(count)


def policy(nan):
    if nan not in NAN_POLICIES:
        raise ValueError(f"nan: {nan!r} is none of {', '.join(NAN_POLICIES)}")
    return NAN_POLICIES[nan]


def whole(name, number, low=0, end=2**63):
    """A number that must be an integer from `low` to before `end`."""
    try:
        number = int(operator.index(number))
    except TypeError:
        raise TypeError(f"{name}: an integer, not {type(number).__name__}") from None
    if not low <= number < end:
        raise ValueError(f"{name}: {number} is not from {low} to {end - 1}")
    return number


def number_of(correction):
    """A correction as the number that it is, an int or a Fraction.

    Raises
    ------
    TypeError
        For what is no number.
    ValueError
        For an infinite one and NaN.
    """
    try:
        return operator.index(correction)
    except TypeError:
        pass
    if not hasattr(correction, "__float__") or getattr(correction, "ndim", 0):
        raise TypeError(f"correction: a number, not {type(correction).__name__}")
    if not hasattr(correction, "as_integer_ratio"):  # as those of ml_dtypes
        correction = float(correction)
    try:
        above, below = correction.as_integer_ratio()
    except (ValueError, OverflowError):
        raise ValueError(f"correction: {correction} is no number of items") from None
    if below == 1:
        return int(above)
    from fractions import Fraction  # noqa: PLC0415: who asks has it

    return Fraction(int(above), int(below))


def whole_correction(number):
    """A correction as operations keep it, an integer; a float may be one too."""
    number = number_of(number)
    if number.denominator > 1:
        raise TypeError(f"correction: {float(number)} goes with an array, as in mf.var(x, correction={float(number)}); "
                        "operations by themselves, states and stats have whole numbers")
    return whole("correction", number.numerator)


def make_how(nan="propagate", plain=False, correction=0, k=10):
    return _how(policy(nan), bool(plain), correction, k, _threads)


@functools.lru_cache(64)
def _how(nan, plain, correction, k, threads):
    return _core.how(nan, plain, correction, k, threads)


class Operation(_core.operation):
    """A reduction: called with an array it gives the answer, without one it takes options and is a value.

    ``monofold.var(x)`` reduces; ``monofold.var(correction=1)`` is the operation with that option, to be given
    to `monofold.all`, `monofold.reduce`, `monofold.State` and the like.
    """

    options = ()
    parameters = ("x", "axis", "keepdims", "dtype", "out", "where", "nan")
    returns = "number or array\n    A Python number; along axes, and with `keepdims`, an array of the library of `x`."

    def __new__(cls, kind, *, plain=False, nan="propagate", correction=0, k=10):
        self = super().__new__(cls, kind.code, plain, policy(nan), correction, k)
        self.__dict__.update(kind=kind, plain=plain, nan=nan, correction=correction, k=k, __name__=kind.name,
                             __qualname__=kind.name, __module__="monofold.plain" if plain else "monofold",
                             __doc__=_calls.doc_of(cls, kind))
        self.__dict__["_hash"] = hash((kind.name, *self.stated().items()))
        return self

    def __setattr__(self, name, value):
        raise AttributeError(f"{name}: an operation stays as it is; call it with options for another one")

    __delattr__ = functools.partialmethod(__setattr__, value=None)

    @property
    def __signature__(self):
        return _calls.signature_of(type(self))

    def __reduce__(self):
        return _again, (type(self), self.kind.name, self.stated())

    def __eq__(self, other):
        return type(self) is type(other) and self.kind is other.kind and self.stated() == other.stated()

    def __hash__(self):
        return self._hash

    def __repr__(self):
        stated = {name: value for name, value in self.stated().items() if value != Operation.defaults[name]}
        stated.pop("plain", None)
        text = f"{self.__module__}.{self.__name__}"
        return f"{text}({', '.join(f'{name}={value!r}' for name, value in stated.items())})" if stated else text

    defaults = {"plain": False, "nan": "propagate", "correction": 0, "k": 10}

    def stated(self):
        return {name: getattr(self, name) for name in Operation.defaults}

    def with_options(self, nan=None, correction=None, k=None):
        """The same operation with other options; those left out stay.

        Parameters
        ----------
        nan : {"propagate", "omit", "raise"}, optional
        correction : int or float, optional
            A whole number.
        k : int, optional

        Returns
        -------
        Operation
        """
        correction = self.correction if correction is None else whole_correction(correction)
        k = self.k if k is None else whole("k", k, 1)
        return _made(type(self), self.kind, self.plain, self.nan if nan is None else nan, correction, k)

    def _told(self, **options):
        """The same; the core is told of it where one option is given, so that the next such call may be quick."""
        given = [(name, value) for name, value in options.items() if value is not None]
        other = self.with_options(**options)
        if len(given) == 1 and type(given[0][1]) in (int, str):
            self._set_other(*given[0], other)
        return other

    def value_code(self, source, how, dtype, named=None):
        """The type of arrays of answers; the core is told of it too. `named`: what says the type, if not `dtype`."""
        return _protocols.code_in(source.owner, self.told_code(source, how, dtype, named))

    def told_code(self, source, how, dtype, named=None):
        """The same of numbers."""
        code = _rows.ruled_code(self.kind, source, how, dtype)
        named = dtype if named is None else named
        self._set_row_type(source.code, code, *(() if named is None else (named,)))
        return code

    def make_how(self, nan=None):
        return make_how(self.nan if nan is None else nan, self.plain, self.correction, self.k)

    @_gpus.on_its_gpu
    def _call(self, *args, **named):
        if len(args) > 1 or not named.keys() <= _calls.names_of(type(self)):
            _calls.check_call(self, args, named)
        return self._answer(*args, **named)

    def _answer(self, x=NOTHING, axis=None, *, keepdims=False, dtype=None, out=None, where=None, nan=None, **options):
        if nan is not None or options:
            self = self._told(nan=nan, **options)
            if x is not NOTHING and axis is None and not keepdims and dtype is out is where is None:
                return self(x)  # which may be quick
        if x is NOTHING:
            return self._alone(axis=axis, keepdims=keepdims or None, dtype=dtype, out=out, where=where)
        return self._reduce(x, axis, keepdims, dtype, out, where, self.nan)

    def _alone(self, **given):
        """The operation, called without an array, and so without what goes with one."""
        for name, value in given.items():
            if value is not None:
                raise TypeError(f"{self.__name__}: {name}= goes with an array")
        return self

    def _reduce(self, x, axis, keepdims, dtype, out, where, nan, global_index=False):
        try:
            source = _arrays.as_source(x)
        except TypeError:
            if (dates := _dates.of_any(x)) is None:
                raise
            return self._reduce_dates(dates, where, nan, axis, keepdims, dtype, out, global_index)
        mask = _device_where.mask_for(where, source)
        how = self.make_how(nan)
        if axis is None and not keepdims and out is None:
            source = _device_where.marked(source, mask)
            order = {"plain": self.plain, "raises": nan == "raise"}
            if dtype is not None:
                code = self.told_code(source, how, dtype)
                return _whole.rounded(source, self.kind, how, code, **order)
            [answer] = _whole.answers(source, [self.kind], how, **order)
            return _whole.scalar(self.kind, answer)
        axes = _rows.axes_of(axis, len(source.shape))
        is_far = _device_rows.is_on_device(source)
        named = None
        if out is not None and dtype is None and self.kind.answer == "value":
            code = _device_rows.code_of_out(out) if is_far else _rows.code_of_out(_rows.outs_of(out, 1)[0])
            dtype, named = _dtypes.NAMES[code], getattr(out, "dtype", None)
        code = (self.value_code if out is None else self.told_code)(source, how, dtype, named)
        placed = _places.along(source, self.kind, axes, keepdims) if global_index else None
        if is_far:
            return _device_where.reduce(x, source, mask, self.kind, how, axes, code, keepdims, out, placed)
        arrays = _rows.reduce(source, mask, self.kind, how, axes, code, keepdims, placed)
        if out is not None:
            return _rows.into(out, arrays)
        arrays = [source.like(array) for array in arrays]
        return arrays[0] if len(arrays) == 1 else tuple(arrays)

    def _reduce_dates(self, dates, *options):
        plainly = _made(type(self), self.kind, self.plain, "propagate", self.correction, self.k)
        return _dates.reduce(plainly, dates, *options)


class Spread(Operation):
    """A variance or a standard deviation, which divides by the number of items less `correction`."""

    options = ("correction",)
    parameters = (*Operation.parameters, "correction")

    def _answer(self, x=NOTHING, axis=None, *, correction=None, **options):
        if correction is None:
            return super()._answer(x, axis, **options)
        number = number_of(correction)
        if number.denominator == 1 or x is NOTHING:
            if x is not NOTHING and number >= 2**63:  # more than there are items
                number = 2**63 - 1
            return super()._answer(x, axis, correction=number, **options)
        if self.plain:
            raise TypeError(f"correction: {float(number)}: plain variances divide by whole numbers")
        return self._by_fraction(x, axis, number, **options)

    def _by_fraction(self, x, axis, number, *, keepdims=False, dtype=None, out=None, where=None, nan=None):
        nan = self.nan if nan is None else nan
        policy(nan)
        if nan == "raise":  # one that has an answer has no NaN
            self.with_options(nan, 0)(x, axis, where=where)
        from . import _spread  # noqa: PLC0415: few ask

        return _spread.answer(self.with_options("omit" if nan == "omit" else "propagate", 0), x, axis, number,
                              keepdims, dtype, out, where)


class Norm(Operation):
    """A norm of all items: the Euclidean one, or by `ord`."""

    parameters = (*Operation.parameters, "ord")

    def _answer(self, x=NOTHING, axis=None, *, ord=2, **options):
        names = {2: "norm", 1: "norm1", math.inf: "norminf"}
        if ord not in names:
            raise ValueError(f"ord: {ord!r} is none of 1, 2 and inf")
        if ord != 2:
            other = _made(Operation, KINDS[names[ord]], self.plain, self.nan, 0, self.k)
            if type(ord) is int:
                self._set_other("ord", ord, other)
            self = other
        return Operation._answer(self, x, axis, **options)


class Dot(Operation):
    """The inner product of two arrays of one shape and type, whole or along axes."""

    parameters = ("x", "y", "axis", "keepdims", "dtype", "out", "where", "nan")
    returns = "number or array\n    Exact, rounded once; along axes, and with `keepdims`, an array of the library of `x`."

    def _answer(self, x=NOTHING, y=NOTHING, axis=None, *, keepdims=False, dtype=None, out=None, where=None, nan=None):
        nan = self.nan if nan is None else nan
        if x is NOTHING:
            return self.with_options(nan)._alone(y=None if y is NOTHING else y, axis=axis, keepdims=keepdims or None,
                                                 dtype=dtype, out=out, where=where)
        if y is NOTHING:
            raise TypeError("dot takes two arrays")
        left, right = _arrays.as_source(x), _arrays.as_source(y)
        left, right = pair_of(left, right)
        if axis is not None or keepdims or not (dtype is out is None):
            if left.items.place and right.items.place and where is None:
                from . import _device_dot  # noqa: PLC0415: who has no such arrays need not wait for it

                return _device_dot.rows(x, y, left, axis, keepdims, dtype, out, self.make_how(nan), self.plain)
            return _rows.dot(self.kind, left, right, axis, keepdims, dtype, out, where, self.make_how(nan))
        mask = _arrays.as_mask(where, left.shape)
        if mask is not None:
            _arrays.check_masked(left.items)
        left, right = _arrays.side_by_side(left), _arrays.side_by_side(right)
        state = _core.state(left.code, [self.kind.code], 0, self.make_how(nan))
        state.push_pairs(left.items, right.items, mask)
        pieces = [(left.items, mask)]  # a NaN's place counts the items that are not there
        return _whole.scalar(self.kind, _whole.answer_of(state, 0, self.kind, 1, pieces))


@functools.lru_cache(256)
def _made(cls, kind, plain, nan, correction, k):
    return cls(kind, plain=plain, nan=nan, correction=correction, k=k)


def pair_of(left, right):
    """Two sources as dot takes them: each one array, of one shape and type."""
    if left.shape != right.shape or left.code != right.code:
        raise ValueError(f"dot takes two arrays of one shape and type, not {left.shape} of "
                         f"{_dtypes.NAMES[left.code]} and {right.shape} of {_dtypes.NAMES[right.code]}")
    return _arrays.full(left, "inner products"), _arrays.full(right, "inner products")


_CLASSES = {"var": Spread, "std": Spread, "norm": Norm, "dot": Dot}


def of_kind(kind, plain, nan, **options):
    """The operation of a kind; options that are not its own are left out."""
    cls = _CLASSES.get(kind.name, Operation)
    own = {name: value for name, value in options.items() if name in cls.options}
    return cls(kind, plain=plain, nan=nan, **own)


@functools.cache  # of equal operations one is told what makes calls quick
def make(name, plain=False):
    return _CLASSES.get(name, Operation)(KINDS[name], plain=plain)


def _again(cls, name, options):
    return cls(KINDS[name], **options)
