#!/usr/bin/env python3
"""The NumPy side of the benchmark: loads a .npy file, then answers names of operations.

usage: numpy_peer.py FILE.npy      prints NumPy's version; then, for each line `operation` read,
                                   one line `nanoseconds value...`
"""

import sys
import time

import numpy


def stats(a):
    return [a.size, a.sum(), a.min(), a.max(), a.mean(), a.var(), a.argmin(), a.argmax()]


def top10(a):
    return numpy.sort(numpy.partition(a, a.size - 10)[-10:])[::-1]


OPERATIONS = {
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
    items = numpy.load(sys.argv[1])
    print(numpy.__version__, flush=True)
    for line in sys.stdin:
        operation = OPERATIONS[line.strip()]
        start = time.perf_counter_ns()
        values = operation(items)
        ns = time.perf_counter_ns() - start
        print(ns, *(repr(float(v)) for v in values), flush=True)


if __name__ == "__main__":
    main()
