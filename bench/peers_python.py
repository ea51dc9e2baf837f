#!/usr/bin/env python3
"""Calls from Python: this package beside others that are installed, taking turns in one run.

usage: peers_python.py [MOST_ITEMS [MACHINE [LEAST_ITEMS [OPERATION,...]]]]       (10 million, "", 10, all but max)

Prints a line of JSON for each operation, number of float64 and library: the least time of a call on the clock, in
microseconds. Then one for each library's sum of a million float64: how far it is off the exact one, rounded, in units
of the last place, and whether its bits stay, measured: "order", of the items in 5 other orders; "chunks", of the items
in 3, 7 and 50 pieces, as its user adds pieces; "threads", of 1 to 4 threads (null: it has one, or none can be set).
`bench/table_python.py` makes the page's tables of rows, `bench/plot_python.py` its figure.
"""

import json
import math
import sys
import time

import figures
import numpy as np
from python_libraries import here

OPERATIONS = ("sum", "mean", "var", "argmax", "stats", "top_k", "sum, axis 0", "sum, axis 1")
DRAWN = 10**8  # longer arrays repeat so many items
SAMPLES, SAMPLE_SECONDS = 9, 2e-3


def seconds_of(call, number):
    begin = time.perf_counter()
    for _ in range(number):
        call()
    return (time.perf_counter() - begin) / number


def in_turns(calls):
    """The least time of each call; nobody is measured for long while others wait."""
    numbers, least = {}, {}
    for name, call in calls.items():
        once = seconds_of(call, 1)
        if once < 1:  # else the first call is no longer than others
            once = seconds_of(call, 1)
        numbers[name] = max(1, min(20_000, int(SAMPLE_SECONDS / max(once, 1e-7))))
        least[name] = once
    longest = max(least.values())
    samples = SAMPLES if longest < 0.2 else 4 if longest < 1 else 2
    for _ in range(samples):
        for name, call in calls.items():
            if numbers[name] > 1:
                call()  # what another library put out of the caches comes back, and threads wake
            least[name] = min(least[name], seconds_of(call, numbers[name]))
    return least


def times(libraries, operations, values, shared):
    side = 10 ** (int(math.log10(values.size)) // 2)
    matrix = values.reshape(-1, side)
    for operation in operations:
        calls = {}
        for library in libraries:
            if values.size > library.most_items:
                continue
            x = (library.table if "axis" in operation else library.column)(matrix if "axis" in operation else values)
            call = library.call(operation, x) if x is not None else None
            if call is not None:
                calls[library.name] = call
        for name, seconds in in_turns(calls).items():
            yield {**shared, "op": operation, "items": values.size, "path": name, "least_us": round(seconds * 1e6, 3)}


def sum_of(library, values):
    return float(library.call("sum", library.column(values))())


def bits(libraries, shared, count=10**6):
    draw = np.random.default_rng(2)
    values = draw.standard_normal(count) * 2.0 ** draw.integers(-20, 20, count)
    exact = math.fsum(values)
    orders = [values[::-1].copy(), *(draw.permutation(values) for _ in range(4))]
    for library in libraries:
        if library.call("sum", library.column(values[:2])) is None:
            continue
        total = sum_of(library, values)
        chunks = [library.pieces(np.array_split(values, parts)) == total for parts in (3, 7, 50)]
        threads = None
        if library.threads is not None:
            found = []
            for number in (1, 3, 4, 2):
                library.threads(number)
                found.append(sum_of(library, values) == total)
            threads = all(found)
        yield {**shared, "op": "sum", "items": count, "path": library.name, "version": library.version,
               "ulp": abs(total - exact) / math.ulp(exact),
               "order": all(sum_of(library, order) == total for order in orders), "chunks": all(chunks),
               "threads": threads}


def main():
    most = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
    shared = {"suite": "peers_python", "machine": sys.argv[2] if len(sys.argv) > 2 else "", "commit": figures.commit(),
              "python": sys.version.split()[0], "dtype": "float64"}
    least = int(float(sys.argv[3])) if len(sys.argv) > 3 else 10
    operations = sys.argv[4].split(",") if len(sys.argv) > 4 else OPERATIONS
    libraries, draw = here(), np.random.default_rng(1)
    for exponent in range(round(math.log10(least)), round(math.log10(most)) + 1):
        values = draw.standard_normal(min(10**exponent, DRAWN)) * 1e3
        values = np.tile(values, 10**exponent // values.size)
        for row in times(libraries, operations, values, shared):
            print(json.dumps(row), flush=True)
    for row in bits(libraries, shared):  # last: it changes how many threads there are
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
