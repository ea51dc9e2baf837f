#!/usr/bin/env python3
"""Rows and columns on one thread: NumPy beside this library, in one run.

usage: taskset -c 0 peers_axes.py BENCH_AXES_CPU [TYPE...]
       peers_axes.py --threads COUNT BENCH_AXES_CPU [TYPE...]   ours and a loop that reads on so many threads

Prints a line of JSON for each call: the least time of 3 calls on the clock, and the least processor time,
which other load on a machine hardly moves. First answers of exact sums are checked against math.fsum.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

SAMPLES = 3
COUNT = 1 << 24
LENGTHS = (1, 2, 3, 8, 32, 100, 512, 1000, 4096, 65537)


def least(call):
    wall = processor = math.inf
    for i in range(SAMPLES + 1):
        start, used = time.perf_counter(), time.process_time()
        call()
        if i > 0:
            processor = min(processor, time.process_time() - used)
            wall = min(wall, time.perf_counter() - start)
    return {"wall_ms": round(wall * 1e3, 2), "processor_ms": round(processor * 1e3, 2)}


def shaped(items, length, axis):
    rows = COUNT // length
    shape = (rows, length) if axis == 1 else (length, rows)
    return items[:rows * length].reshape(shape)


def peers(array, axis):
    """NumPy's sum is a plain one, of float32 in float32: our plain sum is what does the same work."""
    shape = array.shape[1 - axis]
    item = np.empty(shape, array.dtype)
    total = np.empty(shape, np.add.reduce(array[:1, 0]).dtype)  # of integers int64 or uint64
    real = item if array.dtype.kind == "f" else np.empty(shape)
    index = np.empty(shape, np.int64)
    yield "sum", lambda: np.add.reduce(array, axis=axis, out=total)
    yield "max", lambda: np.maximum.reduce(array, axis=axis, out=item)
    yield "mean", lambda: np.mean(array, axis=axis, out=real)
    yield "argmax", lambda: np.argmax(array, axis=axis, out=index)
    yield "std", lambda: np.std(array, axis=axis, out=real)


def main():
    words = sys.argv[1:]
    threads = int(words[1]) if words[0] == "--threads" else 1
    program, *kinds = words[2:] if words[0] == "--threads" else words
    draw = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "items.npy")
        for kind in kinds or ("float32", "float64"):
            if np.dtype(kind).kind == "f":
                items = draw.uniform(-1, 3, COUNT).astype(kind)
            else:
                items = draw.integers(np.iinfo(kind).min, np.iinfo(kind).max, COUNT, kind, True)
            np.save(path, items)
            for length in LENGTHS:  # NumPy and ours take turns: load on a machine changes
                for axis in (1, 0) if threads == 1 else ():
                    for op, call in peers(shaped(items, length, axis), axis):
                        print(json.dumps({"path": "numpy", "type": kind, "op": op, "axis": axis, "length": length,
                                          **least(call)}), flush=True)
                done = subprocess.run([program, path, kind, str(COUNT), str(threads), str(length)], capture_output=True,
                                      text=True, check=True)
                for line in done.stdout.splitlines():
                    row = json.loads(line)
                    if row["path"] == "library" and row["op"] == "sum" and kind in ("float32", "float64"):
                        array = shaped(items, length, row["axis"])
                        own = array[0] if row["axis"] == 1 else array[:, 0]
                        assert row["first"] == math.fsum(own.astype(np.float64)), row
                    print(json.dumps({**row, "length": length, "num_threads": threads}), flush=True)


if __name__ == "__main__":
    main()
