"""Reductions of what the ranks of an MPI communicator hold together: the bits of one array, for any number of ranks.

Communicators are mpi4py's. Messages are buffers of bytes and int64, never pickled objects, but for the text of what a
rank in trouble raises.
"""

import math

import numpy as np

from ._state import State
from ._words import fields_of, from_words, words

__all__ = ["from_words", "join", "reduce", "words"]

MOST_GATHERED = 256  # ranks; the states of more are joined by a tree of neighbours


def reduce(comm, fold, x, other=None, *, nan=None):
    """The answer to a fold for the items of all ranks, in the order of the ranks, on each of them.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        Each of its ranks makes this call.
    fold : operation or fold
        The same on all ranks, as are the type of items and the options.
    x, other : array
        This rank's items; `other`: the right side of dot. There may be none.
    nan : {"propagate", "omit", "raise"}, optional

    Returns
    -------
    number, TopK, Stats, or a tuple of them
        The same on all ranks.

    Raises
    ------
    Exception
        On all ranks, where one raises: that one its own, the others a RuntimeError that names it. What the data has no
        answer for, all raise alike.

    Notes
    -----
    Sums, means, variances, norms, dot products and counts are an ``Allreduce`` of int64 words. Others are gathered as
    states, of more than 256 ranks joined by neighbours; those of `monofold.plain` have the bits of one array where
    ranks begin at multiples of 4096 items, else totals are joined.

    Examples
    --------
    >>> from mpi4py import MPI
    >>> monofold.mpi.reduce(MPI.COMM_SELF, monofold.mean, np.arange(4.0))
    1.5
    """
    count = trouble = None
    try:
        count = math.prod(x.shape)
    except Exception as wrong:
        trouble = wrong
    first = _first_of(comm, count or 0)

    def seen():
        if trouble is not None:
            raise trouble
        return State(fold, x.dtype, first, nan=nan).push(x, *(() if other is None else (other,)))

    return _joined(comm, seen, State.merge).finish()


def join(comm, state):
    """A state that has seen what those of all ranks have, in their order, on each of them; for what comes in pieces.

    Places are counted on from rank to rank; plain operations join the totals of ranks.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        Each of its ranks makes this call.
    state : State
        This rank's; it stays as it is.

    Returns
    -------
    State
    """
    return _joined(comm, lambda: state, State.append)


def _first_of(comm, count):
    """Where this rank's items begin."""
    first, own = np.zeros(1, np.int64), np.array([count], np.int64)
    comm.Exscan(own, first)
    return int(first[0]) if comm.rank else 0


def _joined(comm, make, add):
    trouble = own = None
    try:
        own = make()
    except Exception as wrong:
        trouble = wrong
    # Two messages: a rank in trouble takes part in the first, with a length that is none.
    exact = own is not None and fields_of(own) is not None
    message = b"" if own is None or exact else bytes(own)
    sizes = np.empty(comm.size, np.int64)
    comm.Allgather(np.array([-1 if own is None else len(message)], np.int64), sizes)
    if sizes.min() < 0:
        _raise_on_all(comm, trouble)
    if exact:
        total = words(own)
        comm.Allreduce(total.copy(), total)
        return from_words(own, total)
    if comm.size > MOST_GATHERED:
        return _joined_by_neighbours(comm, own, message, add)
    everything = np.empty(int(sizes.sum()), np.uint8)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    comm.Allgatherv(np.frombuffer(message, np.uint8), [everything, sizes, starts, _byte()])
    total, *following = (State.load(everything[at:at + size].tobytes()) for at, size in zip(starts, sizes))
    for state in following:
        add(total, state)
    total._fold = own._fold
    return total


def _joined_by_neighbours(comm, own, message, add):
    """In round k rank (2 j + 1) 2^k hands what it has to rank 2 j 2^k: in the end rank 0 has all, and tells all."""
    comm = comm.Dup()  # whose messages no receive of the caller's takes
    try:
        total, trouble, step = State.load(message), None, 1
        while step < comm.size and not comm.rank & step:
            if comm.rank + step < comm.size:
                got = _received(comm, comm.rank + step)
                try:
                    # No bytes: a rank before it in trouble.
                    total = total if got and total is not None else None
                    if total is not None:
                        add(total, State.load(got))
                except Exception as wrong:
                    trouble, total = wrong, None
            step *= 2
        message = b"" if total is None else bytes(total)
        if comm.rank:
            comm.Send([message, _byte()], comm.rank - step)
        size = np.array([len(message)], np.int64)
        comm.Bcast(size)
        if not size[0]:
            _raise_on_all(comm, trouble)
        everything = np.frombuffer(message, np.uint8) if comm.rank == 0 else np.empty(size[0], np.uint8)
        comm.Bcast([everything, _byte()])
    finally:
        comm.Free()
    total = State.load(everything.tobytes())
    total._fold = own._fold
    return total


def _received(comm, source):
    from mpi4py import MPI
    status = MPI.Status()
    comm.Probe(source, 0, status)
    got = np.empty(status.Get_count(_byte()), np.uint8)
    comm.Recv([got, _byte()], source, 0)
    return got.tobytes()


def _byte():
    from mpi4py import MPI
    return MPI.BYTE


def _raise_on_all(comm, trouble):
    said = comm.allgather(None if trouble is None else f"{type(trouble).__name__}: {trouble}")
    if trouble is not None:
        raise trouble
    rank = next(i for i, text in enumerate(said) if text is not None)
    raise RuntimeError(f"rank {rank}: {said[rank]}")
