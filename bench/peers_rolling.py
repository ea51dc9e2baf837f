#!/usr/bin/env python3
"""Windows of the Python package beside bottleneck, polars and pandas, those that are installed: processor time.

usage: POLARS_MAX_THREADS=1 peers_rolling.py [MACHINE]

Prints a line of JSON for each operation, type, number of items and library: the least nanoseconds an item of a call on
one thread, which makes the array of answers too. "one pass" is our reduce of the operation over the same items, which
only reads. `bench/table_rolling.py` makes the page's table of them.
"""

import importlib.metadata
import json
import os
import sys
import time

import figures
import monofold as mf
import numpy as np

WINDOW = 100
SIZES = {50_000: (9, 20), 2**22: (7, 1)}  # items: samples, and calls of each
OPERATIONS = ("sum", "mean", "var", "min", "max")


def bottleneck_calls(x):
    import bottleneck
    return {op: lambda call=getattr(bottleneck, f"move_{op}"): call(x, WINDOW) for op in OPERATIONS}


def polars_calls(x):
    import polars
    column = polars.Series(x)
    return {op: lambda call=getattr(column, f"rolling_{op}"): call(WINDOW) for op in OPERATIONS}


def pandas_calls(x):
    import pandas
    windows = pandas.Series(x).rolling(WINDOW)
    return {op: getattr(windows, op) for op in OPERATIONS}


def our_calls(x):
    return {op: lambda fold=getattr(mf, op): mf.rolling(x, WINDOW, fold) for op in OPERATIONS}


def passes(x):
    return {op: lambda fold=getattr(mf, op): fold(x) for op in OPERATIONS}


def versions_of(names):
    found = {}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            print(f"{name} is not installed", file=sys.stderr)
    return found


def least_times(calls, samples, number):
    """The least processor time of each call, in turns."""
    least = {}
    for name, call in calls.items():
        call()
        least[name] = float("inf")
    for _ in range(samples):
        for name, call in calls.items():
            begin = time.process_time()
            for _ in range(number):
                call()
            least[name] = min(least[name], (time.process_time() - begin) / number)
    return least


def main():
    if os.environ.get("POLARS_MAX_THREADS") != "1":
        sys.exit(__doc__)
    mf.set_threads(1)
    peers = {"bottleneck": bottleneck_calls, "polars": polars_calls, "pandas": pandas_calls}
    versions = versions_of(peers)
    libraries = {"monofold": our_calls, "one pass": passes, **{name: peers[name] for name in versions}}
    about = {"suite": "peers_rolling", "machine": sys.argv[1] if sys.argv[1:] else "",
             "processor": figures.processor(), "commit": figures.commit(), "versions": versions, "window": WINDOW}
    drawn = np.random.default_rng(1).standard_normal(max(SIZES))
    for dtype in ("float64", "float32"):
        for items, (samples, number) in SIZES.items():
            made = {name: calls(drawn[:items].astype(dtype)) for name, calls in libraries.items()}
            for op in OPERATIONS:
                least = least_times({name: calls[op] for name, calls in made.items()}, samples, number)
                for name, seconds in least.items():
                    print(json.dumps({**about, "op": op, "dtype": dtype, "items": items, "library": name,
                                      "ns_an_item": float(f"{seconds / items * 1e9:.3g}")}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
