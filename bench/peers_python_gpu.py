#!/usr/bin/env python3
"""Calls from Python on arrays in memory of a GPU: this package beside others that are installed, taking turns.

usage: peers_python_gpu.py [MOST_ITEMS [MACHINE [OPERATION;...]]]       (1e9, "", all)

Prints a line of JSON for each operation, type, number of items and library: the median time of a call on the host's
clock, in microseconds, until its answer is a number on the host; along an axis and of the best items, until the arrays
of answers are there. A row with "is_right": false is an answer that is off by more than the type's own rounding
explains. Then a line for each library's sums, means and variances of a million items, whose bits are compared:
"host", with the library's own answer on the host, for CuPy with NumPy's (null: it has none); "order", of the items in 5
other orders. What a library refuses is said on the error output. `bench/table_python_gpu.py` makes the page's tables of
rows.

Needs PyTorch, whose tensor all libraries read without a copy, and MONOFOLD_LIBRARY_PATH, the folder of
libmonofold_gpu.
"""

import json
import math
import statistics
import sys
import time

import figures
import numpy as np
from gpu_libraries import AXES, K, here

OPERATIONS = ("sum", "mean", "var", "max", "argmax", "stats", "top_k", *AXES)
EXPONENTS = (1, 3, 4, 5, 6, 7, 8, 9)
SAMPLES, SAMPLE_SECONDS = 9, 1.5e-3
FEW_SAMPLES, LONG_SECONDS = 3, 0.05  # of calls that are so long, so that they do not take most of the run
BITS_OF, BITS_ITEMS, BITS_SPREAD = ("sum", "mean", "var"), 10**6, 20
PART = 10**8  # items of an array that are looked at together


def say(text):
    print(text.splitlines()[0][:200], file=sys.stderr, flush=True)


def seconds_of(call, number):
    begin = time.perf_counter()
    for _ in range(number):
        call()
    return (time.perf_counter() - begin) / number


def in_turns(calls):
    """The median time of each call, of samples of some milliseconds that take turns."""
    numbers, samples, wanted = {}, {}, {}
    for name, call in calls.items():
        call()
        once = seconds_of(call, 1)
        wanted[name] = SAMPLES if once < LONG_SECONDS else FEW_SAMPLES
        if once < LONG_SECONDS:
            once = min(once, seconds_of(call, 1))
        numbers[name], samples[name] = max(1, min(2000, int(SAMPLE_SECONDS / max(once, 1e-7)))), []
    for sample in range(SAMPLES):
        for name, call in calls.items():
            if sample < wanted[name]:
                samples[name].append(seconds_of(call, numbers[name]))
    return {name: statistics.median(found) for name, found in samples.items()}


def on_host(array):
    """A NumPy array of any library's, from the device."""
    return np.asarray(array.get() if hasattr(array, "get") else array.cpu() if hasattr(array, "cpu") else array)


class Right:
    """What answers for a tensor should be, in float64 on the device, and how far rounding may take them from it."""

    def __init__(self, torch, x):
        parts = [x.reshape(-1)[at : at + PART] for at in range(0, x.numel(), PART)]
        self.sum = self.magnitude = squares = 0.0
        for part in (part.double() for part in parts):
            self.sum += part.sum().item()
            self.magnitude += part.abs().sum().item()
            squares += part.square().sum().item()
        self.count = x.numel()
        self.mean = self.sum / self.count
        self.var = squares / self.count - self.mean**2
        best = [part.topk(min(K, part.numel())).values for part in parts]
        self.best = torch.cat(best).sort(descending=True).values[:K].tolist()
        self.low = min(part.min().item() for part in parts)
        self.x, self.error = x, 64 * torch.finfo(x.dtype).eps

    def is_near(self, got, right, scale):
        return abs(float(got) - right) <= self.error * scale

    def accepts(self, operation, got):
        if operation in AXES:
            # What is added up once more may not be far off, and what is far off in one row shows.
            rows = self.x.double().sum(AXES[operation]) if self.count <= PART else None
            mine = on_host(got)
            if rows is not None:
                scale = self.magnitude / len(rows) * 4
                return bool((np.abs(mine - rows.cpu().numpy()) <= self.error * scale).all())
            return self.is_near(math.fsum(mine), self.sum, self.magnitude)
        if operation == "stats":
            total, mean, var, _, low, first, high, last = got
            return (all(self.accepts(*one) for one in (("sum", total), ("mean", mean), ("var", var), ("max", high),
                                                       ("argmax", last)))
                    and low == self.low and self.at(first) == low)
        if operation == "top_k":
            values, places = map(on_host, got)
            order = np.argsort(-values.astype(float), kind="stable")
            return ([float(values[i]) for i in order] == self.best
                    and [self.at(places[i]) for i in order] == self.best)
        if operation == "argmax":
            return self.at(got) == self.best[0]
        if operation == "max":
            return got == self.best[0]
        right = {"sum": self.sum, "mean": self.mean, "var": self.var}[operation]
        scale = {"sum": self.magnitude, "mean": self.magnitude / self.count, "var": 16 * self.var}[operation]
        return self.is_near(got, right, scale)

    def at(self, place):
        return self.x.reshape(-1)[int(place)].item()


def rows_of(torch, libraries, operations, dtype, count, shared):
    torch.manual_seed(count)
    x = torch.empty(count, dtype=getattr(torch, dtype), device="cuda")
    for at in range(0, count, PART):
        x[at : at + PART].normal_(100, 1000)
    matrix = x.reshape(-1, 10 ** (int(math.log10(count)) // 2))
    arrays = {name: (library.array(x), library.array(matrix)) for name, library in libraries.items()}
    flat, square = Right(torch, x), Right(torch, matrix)
    for operation in operations:
        calls, right = {}, {}
        for name, library in libraries.items():
            try:
                call = library.call(operation, arrays[name][operation in AXES])
                if call is None:
                    continue
                right[name] = (square if operation in AXES else flat).accepts(operation, call())
                calls[name] = call
            except Exception as error:  # what a library does not do is no row
                say(f"{name} {operation} {dtype} {count}: {type(error).__name__}: {error}")
        for name, seconds in in_turns(calls).items():
            yield {**shared, "dtype": dtype, "op": operation, "items": count, "path": name,
                   "version": libraries[name].version, "median_us": round(seconds * 1e6, 2), "is_right": right[name]}


def bits_of(torch, libraries, dtype, shared):
    """Whether answers of each library keep their bits, measured."""
    draw = np.random.default_rng(2)
    spread = 2.0 ** draw.integers(-BITS_SPREAD, BITS_SPREAD, BITS_ITEMS)
    values = (draw.standard_normal(BITS_ITEMS) * spread).astype(dtype)
    orders = [values[::-1].copy(), *(draw.permutation(values) for _ in range(4))]
    for operation in BITS_OF:
        for name, library in libraries.items():

            def answer(items):
                call = library.call(operation, library.array(torch.from_numpy(items).cuda()))
                return None if call is None else float(call())

            try:
                there = answer(values)
                if there is None:
                    continue
                here = library.on_host(operation, values)
                found = {"host": None if here is None else float(here) == there,
                         "order": all(answer(order) == there for order in orders)}
            except Exception as error:  # what a library does not do is no row
                say(f"{name} {operation} {dtype}, bits: {type(error).__name__}: {error}")
                continue
            yield {**shared, "dtype": dtype, "op": operation, "items": BITS_ITEMS, "path": name,
                   "version": library.version, **found}


def main():
    most = float(sys.argv[1]) if len(sys.argv) > 1 else 1e9
    operations = sys.argv[3].split(";") if len(sys.argv) > 3 else OPERATIONS
    libraries = here(say)
    import torch

    shared = {"suite": "peers_python_gpu", "machine": sys.argv[2] if len(sys.argv) > 2 else "",
              "commit": figures.commit(), "python": sys.version.split()[0], "device": torch.cuda.get_device_name()}
    num_wrong = 0
    for exponent in EXPONENTS:
        for dtype in ("float32", "float64"):
            if 10**exponent > most:
                continue
            for row in rows_of(torch, libraries, operations, dtype, 10**exponent, shared):
                num_wrong += not row["is_right"]
                print(json.dumps(row), flush=True)
            torch.cuda.empty_cache()
    for dtype in ("float32", "float64"):
        for row in bits_of(torch, libraries, dtype, shared):
            exact = row["path"].startswith("monofold") and row["path"] != "monofold.plain"
            num_wrong += exact and not (row["host"] and row["order"])
            print(json.dumps(row), flush=True)
    return 1 if num_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
