#!/usr/bin/env python3
"""Compares two result files of the same suite.

usage: compare.py OLD.jsonl NEW.jsonl      one line a row that both have: how many times as fast as
                                           OLD, and a verdict: FASTER or SLOWER where the intervals
                                           from p05 to p95 do not overlap and the medians differ by
                                           2 % or more, SAME where they differ by less, else UNCLEAR
"""

import json
import sys

LEAST_EFFECT = 0.02


def rows_of(path):
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    # Sizes differ between runs for a reason: rows of other sizes are other rows.
    return {(r["op"], r["dtype"], r["path"], r["pages"], r["bytes"]): r for r in rows}


def verdict(old, new):
    ratio = old["median_ns"] / new["median_ns"]
    if abs(ratio - 1) < LEAST_EFFECT:
        return ratio, "SAME"
    if ratio > 1 and new["p95_ns"] < old["p05_ns"]:
        return ratio, "FASTER"
    if ratio < 1 and new["p05_ns"] > old["p95_ns"]:
        return ratio, "SLOWER"
    return ratio, "UNCLEAR"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    old, new = rows_of(sys.argv[1]), rows_of(sys.argv[2])
    shared = [key for key in new if key in old]
    if not shared:
        sys.exit("no row is in both files")
    for name, rows in (("old", old), ("new", new)):
        row = next(iter(rows.values()))
        print(f"{name}: {row['machine']}, {row['commit']}, {row['compiler']}, {row['flags']}")
    print(f"{'operation':12} {'items':8} {'path':15} {'pages':5} {'old ms':>9} {'new ms':>9} "
          f"{'times as fast':>13} {'share old':>9} {'new':>5}  verdict")
    for key in shared:
        a, b = old[key], new[key]
        ratio, word = verdict(a, b)
        print(f"{key[0]:12} {key[1]:8} {key[2]:15} {key[3]:5} {a['median_ns'] / 1e6:9.2f} "
              f"{b['median_ns'] / 1e6:9.2f} {ratio:13.3f} {a['share']:9.2f} {b['share']:5.2f}  {word}")
    missing = len(old.keys() ^ new.keys())
    if missing:
        print(f"{missing} rows are in one file only")


if __name__ == "__main__":
    main()
