#!/usr/bin/env python3
"""The NumPy side of the benchmark: loads a .npy file, then answers names of operations.

usage: numpy_peer.py FILE.npy      prints NumPy's version; then, for each line `operation` read,
                                   one line `nanoseconds value...`
"""

import functools
import math
import sys
import time

import numpy


def stats(a):
    return [a.size, a.sum(), a.min(), a.max(), a.mean(), a.var(), a.argmin(), a.argmax()]


def top10(a):
    return numpy.sort(numpy.partition(a, a.size - 10)[-10:])[::-1]


FSUM_ITEMS = 100_000


@functools.lru_cache(maxsize=1)
def some_as_list():
    return items[:FSUM_ITEMS].tolist()


def fsum(_):
    """math.fsum of a list of the first items, and how many they are; NaN where it overflows."""
    try:
        return [math.fsum(some_as_list()), len(some_as_list())]
    except OverflowError:
        return [math.nan, len(some_as_list())]


OPERATIONS = {
    "fsum": fsum,
    "sum": lambda a: [a.sum()],
    "plain_sum": lambda a: [a.sum()],
    "min": lambda a: [a.min()],
    "max": lambda a: [a.max()],
    "argmax": lambda a: [a.argmax()],
    "var": lambda a: [a.var()],
    "stats": stats,
    "top10": top10,
}


def main():
    global items
    items = numpy.load(sys.argv[1])
    print(numpy.__version__, flush=True)
    for line in sys.stdin:
        operation = OPERATIONS[line.strip()]
        if operation is fsum:
            some_as_list()  # made once, before the clock starts
        start = time.perf_counter_ns()
        values = operation(items)
        ns = time.perf_counter_ns() - start
        print(ns, *(repr(float(v)) for v in values), flush=True)


if __name__ == "__main__":
    main()
