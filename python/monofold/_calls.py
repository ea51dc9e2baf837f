"""What calls of operations may name: their parameters, docstrings and signatures."""

import functools

NOTHING = ...  # no array was given
_DOC = """{about}

Parameters
----------
{parameters}

Returns
-------
{returns}

Raises
------
EmptyInput, IntegerOverflow, NanFound
    For a whole array with the index, along axes with the row.
"""
_PARAMETER_DOCS = {
    "x": "array, optional\n    An array of any library; left out: the operation itself with the options given.",
    "y": "array, optional\n    The right side, of the shape and type of `x`.",
    "k": "int, optional\n    How many; 10 by itself.",
    "axis": "int or tuple of ints, optional\n    The axes to reduce; None: all of them.",
    "keepdims": "bool, optional\n    Reduced axes stay, with one index.",
    "dtype": "str or dtype, optional\n    The type of the answer, rounded once.",
    "out": "array, optional\n    Takes the answer; a tuple where there are two. Of NumPy or PyTorch; on a device any array.",
    "where": "array of bool, optional\n    Which items there are.",
    "nan": '{"propagate", "omit", "raise"}, optional\n    NaN make the answer NaN, are left out, or raise `NanFound`.',
    "correction": "int or float, optional\n    Divides by the number of items less this; a fraction needs `x`, on the host.",
    "ord": "{1, 2, inf}, optional\n    Which norm; 2 by itself.",
    "global_index": "bool, optional\n    Places count in the whole array, in row-major order, not along the axis.",
}
_POSITIONAL = ("x", "y", "k", "axis")
_DEFAULTS = {"x": NOTHING, "y": NOTHING, "keepdims": False, "global_index": False}  # None: of the others


@functools.cache
def names_of(cls):
    """The parameters that may be named beside an array."""
    return frozenset(cls.parameters) - {"x"}


def check_call(self, args, named):
    """Refuses arguments that `self` has no parameter for, by the name that its users know."""
    name, places = self.__name__, [one for one in self.parameters if one in _POSITIONAL]
    if unknown := named.keys() - set(self.parameters):
        raise TypeError(f"{name}() takes no {', '.join(sorted(unknown))}")
    if len(args) > len(places):
        raise TypeError(f"{name}() takes {', '.join(places)} by place, not {len(args)} arguments; name others")
    if twice := named.keys() & set(places[:len(args)]):
        raise TypeError(f"{name}() got {', '.join(sorted(twice))} twice")


@functools.cache
def doc_of(cls, kind):
    """The docstring of one operation."""
    parameters = "\n".join(f"{name} : {_PARAMETER_DOCS[name]}" for name in cls.parameters)
    return _DOC.format(about=kind.about, parameters=parameters, returns=cls.returns)


@functools.cache
def signature_of(cls):
    """The signature that help() shows, of the operation itself."""
    from inspect import Parameter, Signature  # noqa: PLC0415: who asks has it

    def parameter(name):
        kind = Parameter.POSITIONAL_OR_KEYWORD if name in _POSITIONAL else Parameter.KEYWORD_ONLY
        return Parameter(name, kind, default=_DEFAULTS.get(name))

    return Signature(map(parameter, cls.parameters))
