"""Answers of more than one number, as a reader wants to see them."""

from typing import NamedTuple


def _escaped(text):
    from html import escape  # noqa: PLC0415: a notebook has it, others need not wait for it

    return escape(str(text))


def table(rows):
    cells = "".join(f"<tr><th>{_escaped(name)}</th>" + "".join(f"<td>{_escaped(cell)}</td>" for cell in cells)
                    + "</tr>" for name, *cells in rows)
    return f"<table>{cells}</table>"


class TopK(NamedTuple):
    """The k best items, best first.

    Attributes
    ----------
    values : array
        The items.
    indices : array of int64
        Where they stand; of equal items the first.
    """

    values: object
    indices: object

    def __repr__(self):
        return f"TopK(values={self.values}, indices={self.indices})"

    def _repr_html_(self):
        if getattr(self.values, "ndim", 1) != 1:
            return f"<pre>{_escaped(repr(self))}</pre>"
        return table([("index", "value"), *zip(self.indices, self.values)])


class Stats(NamedTuple):
    """Statistics of one pass; None where there are too few items for one."""

    count: object
    nan: object
    sum: object
    mean: object
    var: object
    std: object
    min: object
    argmin: object
    max: object
    argmax: object

    def __repr__(self):
        width = max(map(len, self._fields))
        return "\n".join(f"{name:<{width}}  {value}" for name, value in zip(self._fields, self))

    def _repr_html_(self):
        return table(zip(self._fields, self))
