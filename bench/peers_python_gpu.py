#!/usr/bin/env python3
"""Calls from Python on arrays in memory of a GPU: this package beside others that are installed, taking turns.

usage: peers_python_gpu.py [MOST_ITEMS [MACHINE [OPERATION;...]]]       (1e9, "", all)

Prints a line of JSON for each operation, type, number of items and library: the median time of a call on the host's
clock, in microseconds, until its answer is a number on the host; along an axis, until the array of answers is there. A
row with "is_right": false is an answer that is off by more than the type's own rounding explains. What a library
refuses is said on the error output. `bench/table_python.py` makes the page's tables of rows.

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
    numbers, samples = {}, {}
    for name, call in calls.items():
        call()
        once = min(seconds_of(call, 1), seconds_of(call, 1))
        numbers[name], samples[name] = max(1, min(2000, int(SAMPLE_SECONDS / max(once, 1e-7)))), []
    for _ in range(SAMPLES):
        for name, call in calls.items():
            samples[name].append(seconds_of(call, numbers[name]))
    return {name: statistics.median(found) for name, found in samples.items()}


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
            mine = np.asarray(got.get() if hasattr(got, "get") else got.cpu() if hasattr(got, "cpu") else got)
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
            values, places = (part.get() if hasattr(part, "get") else part for part in got)
            order = np.argsort(-np.asarray(values, float), kind="stable")
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
    return 1 if num_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
