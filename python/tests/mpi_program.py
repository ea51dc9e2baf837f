"""What test_mpi.py runs as several ranks: every answer is that of one array."""

import itertools
import sys

import monofold as mf
import monofold.mpi
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
x = np.random.default_rng(3).normal(size=4096 * 9 + 55) * 1e3
CUTS = {"tiles": [4096 * (9 * i // comm.size) for i in range(comm.size)] + [x.size],
        "anywhere": [x.size * i // comm.size for i in range(comm.size + 1)],
        "all on the last": [0] * comm.size + [x.size]}


def own_of(cut, array=x):
    begin, end = CUTS[cut][comm.rank:comm.rank + 2]
    return array[begin:end]


for cut, mf.mpi.MOST_GATHERED in itertools.product(CUTS, (256, 1)):
    for fold in (mf.sum, mf.var(correction=1), mf.norm, mf.minmax, mf.argmax, mf.count_nonzero, mf.all(mf.mean, mf.std),
                 mf.all(mf.sum, mf.argmin)):
        assert mf.mpi.reduce(comm, fold, own_of(cut)) == mf.State(fold, "float64").push(x).finish(), (cut, fold)
    top = mf.mpi.reduce(comm, mf.top_k(k=5), own_of(cut))
    assert top.indices.tolist() == mf.top_k(x, 5).indices.tolist()
    assert mf.mpi.reduce(comm, mf.dot, own_of(cut), own_of(cut, x[::-1])) == mf.dot(x, x[::-1])
    assert mf.mpi.reduce(comm, mf.sum, own_of(cut).astype("int32")) == int(x.astype("int32").sum())
    state = mf.State(mf.sum, "float64")
    for piece in np.array_split(own_of(cut), 4):
        state.push(piece)
    assert mf.mpi.join(comm, state) == mf.State(mf.sum, "float64").push(x)
    if cut != "anywhere":
        assert mf.mpi.reduce(comm, mf.plain.sum, own_of(cut)) == mf.plain.sum(x)

# What one rank raises, all raise.
for bad in range(comm.size):
    try:
        mf.mpi.reduce(comm, mf.sum, own_of("tiles").astype("U9") if comm.rank == bad else own_of("tiles"))
        sys.exit(f"rank {comm.rank}: no error")
    except RuntimeError as wrong:
        assert comm.rank != bad and str(wrong).startswith(f"rank {bad}: "), wrong
    except TypeError:
        assert comm.rank == bad
# A rank that cannot join what the next one has: its own trouble, on all.
states = [mf.State(mf.max, "float64" if rank < 2 else "float32").push(np.ones(3, "f8" if rank < 2 else "f4"))
          for rank in range(comm.size)]
if comm.size > 2:
    try:
        mf.mpi.join(comm, states[comm.rank])
        sys.exit("no error")
    except (RuntimeError, ValueError, TypeError):
        pass
try:
    mf.mpi.reduce(comm, mf.max, x[:0])
    sys.exit("no error")
except mf.EmptyInput:
    pass
if comm.rank == 0:
    print(f"{comm.size} ranks are one")
