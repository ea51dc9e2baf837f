#!/usr/bin/env python3
"""States of the Python package beside bitrep (Python registry), which has exact sums and moments too: lines of a table.

    build/python-venv/bin/pip install bitrep
    build/python-venv/bin/python bench/peers_bitrep.py

Least times of 9 samples in which both took turns. bitrep takes lists of Python's numbers for sums, else an item a call;
each library has its own quickest way. What is joined, and taken out again, is the state of 1000 items. Moments of bitrep
that take items out, `PnMomentsF64`, do so one by one.
"""

import importlib.metadata
import sys

import bitrep
import monofold as mf
import numpy as np
from peers_python import in_turns

MANY, FEW = 10**6, 1000


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
        ("one item more", lambda: more.push(one), lambda: theirs[1].add(few[0])),
        ("a sum's state joined and taken out", undone(*sums, mf.State.append, mf.State.subtract),
         undone(*theirs, bitrep.SumF64.merge, bitrep.SumF64.try_unmerge)),
        ("a variance's state joined", lambda: means[0].append(means[1]), lambda: moments[0].merge(moments[1])),
        ("receipt of a sum", sums[1].digest, theirs[1].state_hash),
        ("bytes of a sum", lambda: bytes(sums[1]), theirs[1].to_bytes),
        ("the answer of a sum", sums[1].finish, theirs[1].value),
    )


def short(seconds):
    micros = seconds * 1e6
    return f"{micros:.2f}" if micros < 10 else f"{micros:,.0f}".replace(",", " ")


def main():
    print(f"| microseconds | monofold {mf.__version__} | bitrep {importlib.metadata.version('bitrep')} |")
    print("|---|---|---|")
    for name, ours, theirs in cases():
        least = in_turns({"ours": ours, "theirs": theirs})
        print(f"| {name} | {short(least['ours'])} | {short(least['theirs'])} |")
    x = [1.5, 2.5]
    sizes = [len(bytes(mf.State(fold, "float64").push(x))) for fold in (mf.sum, mf.var)]
    others = [len(filled(made(), x).to_bytes()) for made in (bitrep.SumF64, bitrep.MomentsF64)]
    print(f"| bytes of a saved sum, and variance | {sizes[0]}, {sizes[1]} | {others[0]}, {others[1]} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
