#!/usr/bin/env python3
"""Groups of float64 by int64 keys: pandas, polars and DuckDB beside this library, in one run.

usage: peers_groups.py BENCH_GROUPS_CPU [ROWS]

Prints a line of JSON for each path and number of keys: the least time of 7 calls on the clock, and the
least processor time of all threads, which other load on a machine hardly moves. The first group's answer
is checked against math.fsum.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time

import duckdb
import numpy as np
import pandas as pd
import polars as pl

SAMPLES = 7


def least(call):
    wall = processor = math.inf
    for _ in range(SAMPLES):
        start, used = time.perf_counter(), time.process_time()
        call()
        processor = min(processor, time.process_time() - used)
        wall = min(wall, time.perf_counter() - start)
    return wall, processor


def peers(keys, values):
    frame = pd.DataFrame({"k": keys, "v": values})
    columns = pl.DataFrame({"k": keys, "v": values})
    base = duckdb.connect()
    base.register("frame", frame)
    base.execute("create table t as select * from frame")

    def ask(query):
        return lambda: base.execute(query).fetchnumpy()

    yield "pandas sum", lambda: frame.groupby("k").v.sum()
    yield "pandas sum, first", lambda: frame.groupby("k", sort=False).v.sum()
    yield "pandas mean", lambda: frame.groupby("k").v.mean()
    yield "polars sum, any order", lambda: columns.group_by("k").agg(pl.col("v").sum())
    yield "polars sum", lambda: columns.group_by("k").agg(pl.col("v").sum()).sort("k")
    yield "duckdb sum, any order", ask("select k, sum(v) from t group by k")
    yield "duckdb sum", ask("select k, sum(v) from t group by k order by k")
    yield "duckdb fsum", ask("select k, fsum(v) from t group by k order by k")


def main():
    program = sys.argv[1]
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000
    draw = np.random.default_rng(1)
    values = draw.standard_normal(rows)
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("k.npy", "v.npy")]
        np.save(paths[1], values)
        for most in (200, rows):
            keys = draw.integers(0, most, rows)
            np.save(paths[0], keys)
            for name, call in peers(keys, values):
                wall, processor = least(call)
                print(json.dumps({"keys": most, "path": name, "wall_ms": round(wall * 1e3, 1),
                                  "processor_ms": round(processor * 1e3, 1)}), flush=True)
            done = subprocess.run([program, *paths, str(rows)], capture_output=True, text=True, check=True)
            for row in map(json.loads, done.stdout.splitlines()):
                if row["path"] == "monofold sum":
                    assert row["groups"] == len(np.unique(keys))
                    assert row["first"] == math.fsum(values[keys == keys.min()])
                print(json.dumps({"keys": most, **row}), flush=True)


if __name__ == "__main__":
    main()
