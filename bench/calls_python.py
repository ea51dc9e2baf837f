#!/usr/bin/env python3
"""What a call of the Python package takes on few items, beside NumPy's own call: lines of a table, in microseconds.

    build/python-venv/bin/python bench/calls_python.py

The least times of many short rounds. NumPy's cumulative sums and partitions are the nearest it has to windows and to the
best k; its answers are rounded at every step, ours once.
"""

import timeit

import monofold as mf
import numpy as np

ROUNDS, CALLS = 4000, 40


def cases_of(count):
    """(what is called, our call, NumPy's)."""
    x = np.random.default_rng(1).random(count)
    y, mask, table = x[::-1].copy(), x > 0.3, x.reshape(2, -1)
    marks = mask.reshape(2, -1)
    tens = x.reshape(-1, 10)
    offsets = np.array([0, count // 2, count])
    window = count // 2
    return (
        ("`sum(x)`", lambda: mf.sum(x), lambda: np.sum(x)),
        ("`sum(x, nan=\"omit\")`", lambda: mf.sum(x, nan="omit"), lambda: np.nansum(x)),
        ("`sum(x, where=m)`", lambda: mf.sum(x, where=mask), lambda: np.sum(x, where=mask)),
        ("`sum(x, dtype=\"float32\")`", lambda: mf.sum(x, dtype="float32"), lambda: np.sum(x, dtype="float32")),
        ("`var(x, correction=1)`", lambda: mf.var(x, correction=1), lambda: np.var(x, ddof=1)),
        ("`norm(x, ord=1)`", lambda: mf.norm(x, ord=1), lambda: np.linalg.norm(x, ord=1)),
        ("`dot(x, y)`", lambda: mf.dot(x, y), lambda: np.dot(x, y)),
        ("`sum` of 2 rows", lambda: mf.sum(table, axis=1), lambda: np.sum(table, axis=1)),
        ("`sum` of 2 rows, `where=m`", lambda: mf.sum(table, axis=1, where=marks),
         lambda: np.sum(table, axis=1, where=marks)),
        ("`sum` of 10 columns", lambda: mf.sum(tens, axis=0), lambda: np.sum(tens, axis=0)),
        ("`sum` of rows of 10", lambda: mf.sum(tens, axis=1), lambda: np.sum(tens, axis=1)),
        ("`segmented_reduce`, 2 segments", lambda: mf.segmented_reduce(x, mf.sum, offsets),
         lambda: np.add.reduceat(x, offsets[:-1])),
        ("`rolling` sum", lambda: mf.rolling(x, window, mf.sum), lambda: np.cumsum(x)),
        ("`cumulative_sum(x)`", lambda: mf.cumulative_sum(x), lambda: np.cumsum(x)),
        ("`top_k(x, 5)`", lambda: mf.top_k(x, 5), lambda: np.partition(x, -5)[-5:]),
        ("`stats(x)`, in four calls", lambda: mf.stats(x),
         lambda: (np.sum(x), np.var(x), np.argmin(x), np.argmax(x))),
    )


def least_times(calls):
    """The least times: rounds, in which all take turns, meet the moments when the machine does nothing else."""
    least = [float("inf")] * len(calls)
    for call in calls:
        call(), call()  # from the second call on it is quick
    for _ in range(ROUNDS):
        for i, call in enumerate(calls):
            least[i] = min(least[i], timeit.timeit(call, number=CALLS) / CALLS * 1e6)
    return least


def main():
    rows = [(name, *few, *many) for (name, *few), (_, *many) in zip(cases_of(10), cases_of(1000))]
    numbers = iter(least_times([call for _, *calls in rows for call in calls]))
    print("| microseconds | 10 items | NumPy | 1000 items | NumPy |\n|---|---|---|---|---|")
    for name, *calls in rows:
        print(f"| {name} | " + " | ".join(f"{next(numbers):.2g}" for _ in calls) + " |")


if __name__ == "__main__":
    main()
