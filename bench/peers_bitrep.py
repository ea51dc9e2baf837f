#!/usr/bin/env python3
"""States of the Python package beside bitrep (Python registry), which has exact sums and moments too.

    build/python-venv/bin/pip install bitrep
    build/python-venv/bin/python bench/peers_bitrep.py [MACHINE]

Prints a line of JSON for each thing that is done: the least times of monofold and of bitrep, in microseconds; then how
many bytes states are saved in. `bench/table_bitrep.py` makes the page's table of them.

Least times of nine rounds of 9 samples, in which both took turns. bitrep takes lists of Python's numbers for sums, else an item a call;
each library has its own quickest way. What is joined, and taken out again, is the state of 1000 items. Moments of bitrep
that take items out, `PnMomentsF64`, do so one by one. Calls that have arguments are made by a line of Python, for both.
"""

import importlib.metadata
import json
import platform
import sys

import bitrep
import figures
import monofold as mf
import numpy as np
from peers_python import in_turns

MANY, FEW, ROUNDS = 10**6, 1000, 9


def filled(made, items):
    add = made.add
    for item in items:
        add(item)
    return made


def sum_of(items):
    made = bitrep.FastSumF64()
    made.extend(items)
    return made.finish()


def undone(own, other, forth, back):
    """A call that leaves things as they were: both ways."""

    def call():
        forth(own, other)
        back(own, other)

    return call


def cases():
    """(what is done, our call, bitrep's)."""
    x = np.random.default_rng(1).standard_normal(MANY)
    items, few = x.tolist(), x[:FEW].tolist()
    sums = [mf.State(mf.sum, "float64").push(x[at:at + FEW]) for at in (0, FEW)]
    means = [mf.State(mf.var, "float64").push(x[at:at + FEW]) for at in (0, FEW)]
    theirs = [sum_of(items[at:at + FEW]) for at in (0, FEW)]
    moments = [filled(bitrep.MomentsF64(), items[at:at + FEW]) for at in (0, FEW)]
    assert sums[0].finish() == theirs[0].value() and means[0].finish() == moments[0].variance()
    one, more = x[:1], mf.State(mf.sum, "float64").push(x[:FEW])
    return (
        ("sum of 10^6 items", lambda: mf.sum(x), lambda: sum_of(items).value()),
        ("mean of 10^6 items", lambda: mf.mean(x), lambda: filled(bitrep.MomentsF64(), items).mean()),
        ("variance of 10^6 items", lambda: mf.var(x), lambda: filled(bitrep.MomentsF64(), items).variance()),
        ("a state of 1000 items, made", lambda: mf.State(mf.sum, "float64").push(x[:FEW]),
         lambda: sum_of(few)),
        ("one item more, an array's", lambda: more.push(one), lambda: theirs[1].add(few[0])),
        ("one item more, a Python float", lambda: more.push(few[0]), lambda: theirs[1].add(few[0])),
        ("a sum's state joined and taken out", undone(*sums, mf.State.append, mf.State.subtract),
         undone(*theirs, bitrep.SumF64.merge, bitrep.SumF64.try_unmerge)),
        ("a variance's state joined", lambda: means[0].append(means[1]), lambda: moments[0].merge(moments[1])),
        ("receipt of a sum", sums[1].digest, theirs[1].state_hash),
        ("bytes of a sum", sums[1].__bytes__, theirs[1].to_bytes),
        ("bytes of a sum, in a line of Python", lambda: bytes(sums[1]), lambda: theirs[1].to_bytes()),
        ("the answer of a sum", sums[1].finish, theirs[1].value),
    )


def main():
    machine = sys.argv[1] if sys.argv[1:] else ""
    about = {"suite": "peers_bitrep", "machine": machine, "processor": figures.processor(), "commit": figures.commit(),
             "python": platform.python_version(), "bitrep": importlib.metadata.version("bitrep")}
    for name, ours, theirs in cases():
        rounds = [in_turns({"ours": ours, "theirs": theirs}) for _ in range(ROUNDS)]
        times = [float(f"{min(one[who] for one in rounds) * 1e6:.3g}") for who in ("ours", "theirs")]
        print(json.dumps({**about, "case": name, "least_us": times}), flush=True)
    x = [1.5, 2.5]
    for name, fold, made in (("a saved sum", mf.sum, bitrep.SumF64), ("a saved variance", mf.var, bitrep.MomentsF64)):
        sizes = [len(bytes(mf.State(fold, "float64").push(x))), len(filled(made(), x).to_bytes())]
        print(json.dumps({**about, "case": name, "bytes": sizes}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
