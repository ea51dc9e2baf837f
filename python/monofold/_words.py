"""States as numbers of 64 bits that add up: the words of all parts of an array are the sum of the words of each."""

import struct
import zlib

import numpy as np

from ._state import State

_HEAD = struct.Struct("<8sIIQ")
_EXACT = {12: (34, 67), 11: (6, 11), 10: (6, 10), 9: (3, 4)}  # limbs of a value sum, of a product sum: docs/format.md
_COUNTS = ("i8",) * 5


def _bytes_of(code, value, product):
    """What each state consists of: integers of so many bytes, with a sign ("i") or without ("u")."""
    if code in _EXACT:
        return {"sum": (f"i{8 * value}", *_COUNTS), "moments": (f"i{8 * value}", *_COUNTS, f"i{8 * product}"),
                "norm1": (f"i{8 * value}", *_COUNTS), "norm2": (f"i{8 * product}", *_COUNTS),
                "dot": (f"i{8 * product}", *_COUNTS), "logical": ("i8", "i8")}
    return {"sum": ("i16",), "moments": ("i8", "i16", "u32"), "norm1": ("i16",), "norm2": ("u32",), "dot": ("i32",),
            "logical": ("i8", "i8")}


_STATES = {"sum": "sum", "mean": "sum", "var": "moments", "std": "moments", "norm1": "norm1", "norm": "norm2",
           "mean_square": "norm2", "dot": "dot", "any": "logical", "all": "logical", "count_nonzero": "logical",
           "count": None}
_ORDER = ("sum", "moments", "norm1", "norm2", "dot", "logical")


def fields_of(state):
    """The integers that a state consists of; None where its states do not add up."""
    fold = state._fold
    found = set()
    for one in fold.operations:
        if one.kind.name not in _STATES or one.plain and state._code in _EXACT:
            return None
        found.add(_STATES[one.kind.name])
    if fold.nan not in (None, "propagate") and state._code in _EXACT:
        return None  # who counts NaN knows where the first one is
    if "moments" in found:
        found.discard("sum")
    widths = _bytes_of(state._code, *_EXACT.get(state._code, (0, 0)))
    return [field for name in _ORDER if name in found for field in widths[name]]


def _signed(field):
    return field[0] == "i"


def words(state):
    """The words of a state whose operations are exact sums and counts, as an int64 array.

    Those of up to 2^31 - 1 states of one kind may be added up in any order, by any library: `from_words` makes of the
    sums a state that has seen what they have. Sums, means, variances, norms, dot products, `any`, `all` and counts
    have words, under ``nan="propagate"``; a sum of float64 has 74.

    Parameters
    ----------
    state : State

    Returns
    -------
    array of int64

    Raises
    ------
    TypeError
        The fold has states that do not add up.
    """
    fields = fields_of(state)
    if fields is None:
        raise TypeError(f"states of {state._what()} do not add up")
    _, rest, count = _taken_apart(bytes(state))
    out = [count]
    at = 0
    for field in fields:
        size = int(field[1:])
        value = int.from_bytes(rest[at:at + size], "little", signed=_signed(field)) if count else 0
        at += size
        if size == 8:
            out.append(value)
            continue
        # Digits of 32 bits, of which the last has the sign: sums of them do not wrap.
        for digit in range(size // 4):
            last = digit == size // 4 - 1
            out.append(value >> 32 * digit if last else value >> 32 * digit & 0xffffffff)
    return np.array(out, dtype=np.int64)


def from_words(like, total):
    """The state of added words.

    Parameters
    ----------
    like : State
        A state of the same fold, type and options, of which only these are taken. Positions count from its first item.
    total : iterable of int

    Returns
    -------
    State
    """
    fields = fields_of(like)
    if fields is None:
        raise TypeError(f"states of {like._what()} do not add up")
    numbers = [int(word) for word in total]
    saved = bytes(like)
    version = _HEAD.unpack_from(saved)[1]
    request, _, _ = _taken_apart(saved)
    count, at = numbers[0], 1
    state = b""
    for field in fields:
        size = int(field[1:])
        digits = 1 if size == 8 else size // 4
        value = sum(number << 32 * i for i, number in enumerate(numbers[at:at + digits]))
        at += digits
        state += (value % (1 << 8 * size)).to_bytes(size, "little")
    if at != len(numbers):
        raise ValueError(f"{len(numbers)} words for a state of {at}")
    run = struct.pack("<qqq?", 0, count, count, count != 0) + (state if count else b"") + struct.pack("<QQ", 0, 0)
    payload = request + run
    sealed = _HEAD.pack(saved[:8], version, 7, len(payload)) + b"reducer" + payload
    out = State.load(sealed + struct.pack("<I", zlib.crc32(sealed)))
    out._fold = like._fold
    return out


def _taken_apart(saved):
    """(request, states, count) of the bytes of an exact run."""
    length = _HEAD.unpack_from(saved)[2]
    payload = saved[_HEAD.size + length:-4]
    end = 29 + 4 * struct.unpack_from("<I", payload, 25)[0]
    count = struct.unpack_from("<q", payload, end + 8)[0]
    return payload[:end], payload[end + 25:], count
