#!/usr/bin/env python3
"""What libraries say the sum of the same numbers is, in rows that plot_disagreement.py draws.

usage: disagreement.py TOOL [RESULTS.jsonl]     TOOL: the path of monofold

Needs NumPy; Polars and pandas are asked where they are installed. Two questions: how far the sum of n
uniform float32 is off (against exact integers: the numbers are multiples of 2^-24), and what 200
orders of one million numbers with heavy tails add up to in float64. No times are taken.
"""

import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

SIZES = [10**power for power in range(3, 9)]
ORDERS = 200


def tool_sum(tool, x, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.npy")
        np.save(path, x)
        return float(subprocess.run([tool, "sum", path, *options], check=True, text=True,
                                    capture_output=True).stdout)


def libraries():
    """Name and sum of each library that is here."""
    found = [(f"NumPy {np.__version__}, sum", lambda x: float(np.sum(x))),
             (f"NumPy {np.__version__}, cumsum", lambda x: float(np.cumsum(x)[-1]))]
    try:
        import polars
        found.append((f"Polars {polars.__version__}", lambda x: float(polars.Series(x).sum())))
    except ImportError:
        pass
    try:
        import pandas
        found.append((f"pandas {pandas.__version__}", lambda x: float(pandas.Series(x).sum())))
    except ImportError:
        pass
    return found


def errors(tool):
    random = np.random.default_rng(1)
    for n in SIZES:
        x = random.integers(0, 1 << 24, n, dtype=np.int64).astype(np.float32) * np.float32(2.0**-24)
        exact = int((x.astype(np.float64) * 2.0**24).astype(np.int64).sum())
        for name, add in libraries() + [
                ("monofold --plain", lambda x: tool_sum(tool, x, "--plain")),
                ("monofold", lambda x: tool_sum(tool, x))]:
            value = add(x)
            off = abs(int(math.ldexp(value, 60)) - (exact << 36)) / (exact << 36)
            yield {"suite": "disagreement", "question": "error", "n": n, "dtype": "float32",
                   "library": name, "value": value, "relative_error": off}


def orders(tool):
    random = np.random.default_rng(2)
    x = np.exp(random.normal(0, 3, 10**6)) * random.choice([-1.0, 1.0], 10**6)
    x -= np.mean(x)  # so that the sum is small, and what is lost on the way shows
    exact = math.fsum(x)
    for order in range(ORDERS):
        y = random.permutation(x)
        for name, add in [(f"NumPy {np.__version__}, sum", np.sum),
                          ("monofold", lambda y: tool_sum(tool, y))]:
            yield {"suite": "disagreement", "question": "orders", "n": len(x), "dtype": "float64",
                   "library": name, "order": order, "value": float(add(y)), "fsum": exact}


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    out = open(sys.argv[2], "w", encoding="utf-8") if len(sys.argv) == 3 else sys.stdout
    with out:
        for row in [*errors(sys.argv[1]), *orders(sys.argv[1])]:
            print(json.dumps(row), file=out)


if __name__ == "__main__":
    main()
