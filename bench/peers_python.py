#!/usr/bin/env python3
"""Calls from Python: this package beside others that are installed, in one run.

usage: peers_python.py [MOST_ITEMS]       (10 million)

Prints a line of JSON for each operation, type, number of items and library: the least time of a call on the
clock in microseconds, and whether the bits are those of the same items in another order ("order") and of two
halves joined by the library's own addition ("halves"), for sums: measured, not claimed.
"""

import importlib
import json
import math
import sys
import timeit

import monofold as mf
import numpy as np

SAMPLES = 9


def library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def columns(values):
    """The same items in each library's own array."""
    yield "monofold", values
    yield "numpy", values
    for name, make in (("torch", lambda torch: torch.from_numpy(values)), ("polars", lambda pl: pl.Series(values)),
                       ("pyarrow.compute", lambda _: library("pyarrow").array(values)),
                       ("pandas", lambda pd: pd.Series(values)), ("bottleneck", lambda _: values),
                       ("numbagg", lambda _: values), ("math", lambda _: values.tolist())):
        here = library(name)
        if here is not None:
            yield name, make(here)


def calls(name, operation, x):
    """The call of a library for an operation; None where it has none."""
    if name == "monofold":
        one = getattr(mf, operation)
        return lambda: one(x)
    if name == "math":
        return (lambda: math.fsum(x)) if operation == "sum" else None
    if name in ("torch", "polars", "pandas"):
        method = {"argmax": {"polars": "arg_max"}.get(name, "argmax")}.get(operation, operation)
        finish = (lambda value: value.item()) if name == "torch" else (lambda value: value)
        return lambda: finish(getattr(x, method)())
    if name == "pyarrow.compute":
        module, method = library(name), {"var": "variance"}.get(operation, operation)
        return (lambda: getattr(module, method)(x).as_py()) if hasattr(module, method) else None
    module = library(name)
    method = {"bottleneck": "nan", "numbagg": "nan"}.get(name, "") + operation
    return (lambda: getattr(module, method)(x)) if hasattr(module, method) else None


def least_us(call):
    once = timeit.timeit(call, number=1)
    number = max(1, min(20_000, int(2e-3 / max(once, 1e-7))))
    return min(timeit.repeat(call, number=number, repeat=SAMPLES)) / number * 1e6


def same_bits(name, values):
    """(in another order, in two halves): whether the sum has the bits of the whole."""
    whole, turned, *halves = (float(calls(name, "sum", dict(columns(part))[name])())
                              for part in (values, values[::-1].copy(), *np.split(values, [values.size // 3])))
    if name == "monofold":  # whose halves are states
        left, right = (mf.State(mf.sum, values.dtype).push(part) for part in np.split(values, [values.size // 3]))
        halves = [left.append(right).finish()]
    return whole == turned, whole == float(np.add.reduce(np.array(halves)))


def main():
    most = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
    draw = np.random.default_rng(1)
    for dtype in ("float64", "float32"):
        for exponent in range(1, int(math.log10(most)) + 1):
            values = (draw.standard_normal(10**exponent) * 1e3).astype(dtype)
            for name, x in columns(values):
                for operation in ("sum", "mean", "var", "max", "argmax"):
                    call = calls(name, operation, x)
                    if call is None:
                        continue
                    row = {"op": operation, "dtype": dtype, "items": values.size, "path": name,
                           "least_us": round(least_us(call), 3)}
                    if operation == "sum":
                        row["order"], row["halves"] = same_bits(name, values)
                    print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
