#!/usr/bin/env python3
"""The part of docs/benchmarks.md that rows of `monofold bench --json` make (golden/*/bench_cpu.jsonl): the share of the
read speed of every operation and type, and which of them miss what is asked for.

usage: table_bench.py            prints it
       table_bench.py --write    puts it between the page's two marks
       table_bench.py --merge COMMIT LOAD FILE...
                                 prints the rows of a golden file: medians of all runs in what rows_cpu.sh wrote
"""

import json
import statistics
import sys

import figures
from figures import line

PAGE = figures.TREE / "docs" / "benchmarks.md"
TYPES = ["float64", "float32", "bfloat16", "float16", "int64", "int32", "int16", "uint16", "int8", "uint8"]
# The least share of the read speed that is asked for. Only dot is asked for something with wider integers.
ASKED = {"float64": 0.93, "float32": 0.93, "bfloat16": 0.80, "float16": 0.80, "int16": 0.80, "uint16": 0.80,
         "int8": 0.80, "uint8": 0.80}
ASKED_OF_DOT = {"int64": 0.80, "int32": 0.80}


def reads_items(op, dtype):
    """The count of NaN among integers is 0 without a look at them."""
    return op != "nan" or "float" in dtype


def asked_share(op, dtype):
    """The least share asked for, or None."""
    if not reads_items(op, dtype) or op == "logsumexp":  # an exponential for each item
        return None
    return ASKED.get(dtype) or (ASKED_OF_DOT.get(dtype) if op == "dot" else None)


def is_missed(op, dtype, share):
    """Whether a share is below what is asked, by the digits that the table shows; None if nothing is asked."""
    least = asked_share(op, dtype)
    return None if least is None else round(share, 2) < least


def cell(op, dtype, share):
    if share is None:
        return ""
    if not reads_items(op, dtype):
        return "–"
    return f"{share:.2f}" + ("*" if is_missed(op, dtype, share) else "")


def shares_of(rows, machine):
    """The table of rows of one instruction set."""
    about = rows[0]
    dtypes = [dtype for dtype in TYPES if any(row["dtype"] == dtype for row in rows)]
    reads = [row["gbps"] for row in rows if row["op"] == "read"]
    shares, bests = ({(row["op"], row["dtype"]): row[which] for row in rows if row["op"] != "read"}
                     for which in ("share_of_read", "best_share_of_read"))
    missed = [key for key, share in shares.items() if is_missed(*key, share)]
    out = [f"({machine}: {about['threads']} threads, {about['instruction_set']}; {about['bytes'] / 1e9:g} GB; commit "
           f"{about['commit']}; read: {min(reads):.0f} to {max(reads):.0f} GB/s;",
           f"[rows](../bench/golden/{machine}/bench_cpu.jsonl))", "", *figures.head("share of the read speed", dtypes)]
    for op in dict.fromkeys(op for op, _ in shares):
        out.append(line(op, [cell(op, dtype, shares.get((op, dtype))) for dtype in dtypes]))
    num_asked = sum(asked_share(*key) is not None for key in shares)
    still = sum(is_missed(*key, bests[key]) for key in missed)
    in_every = f", {still} of them in every run" if about["rounds"] > 1 else ""
    return [*out, "", f"{len(missed)} of {num_asked} cells of which something is asked miss it{in_every}.", ""], missed


def reasons_of(rows, alone, missed):
    """What one core does with items in its cache, beside what all of them share."""
    gbps = {(row["op"], row["dtype"]): row["gbps"] for row in alone}
    reads = {row["dtype"]: row["gbps"] for row in rows if row["op"] == "read"}
    missed = [key for key in missed if key in gbps]
    if not missed:
        return []
    threads = rows[0]["threads"]
    ratios = [(threads * gbps[op, dtype] / reads[dtype], asked_share(op, dtype)) for op, dtype in missed]
    by_loop = sum(ratio < asked for ratio, asked in ratios)
    apart = sum(ratio / (1 + ratio) < asked for ratio, asked in ratios) - by_loop
    dtypes = [dtype for dtype in TYPES if any(key[1] == dtype for key in missed)]
    out = [f"Why: GB/s of one core from {alone[0]['bytes'] / 1000:g} KB in its second-level cache; in brackets what "
           f"{threads} of them make, over the read speed.", "",
           *figures.head(f"{rows[0]['instruction_set']}, cells with a star", dtypes)]
    for op in dict.fromkeys(op for op, _ in missed):
        out.append(line(op, [f"{gbps[op, dtype]:.2g} ({threads * gbps[op, dtype] / reads[dtype]:.2g})"
                             if (op, dtype) in missed else "" for dtype in dtypes]))
    return [*out, "", f"In {by_loop} of these {len(missed)} cells the loop limits: all cores together are below what "
            "is asked.", f"In {apart} it would do if cores folded all the while that they wait for memory: if they "
            "never did, a ratio r would make", f"a share of r / (1 + r). In {len(missed) - by_loop - apart} the memory "
            "alone does.", ""]


def part_of(path):
    rows, out = figures.rows_in(path), []
    for name in dict.fromkeys(row["instruction_set"] for row in rows):
        own = [row for row in rows if row["instruction_set"] == name]
        together = [row for row in own if row["bytes"] >= 1 << 27]
        table, missed = shares_of(together, path.parent.name)
        out += [*table, *reasons_of(together, [row for row in own if row not in together], missed)]
    return out


def merge(commit, load, files):
    """Medians of the runs of each cell: of shares as well, since the read speed differs from run to run."""
    runs = {}
    for row in (row for file in files for row in figures.rows_in(file)):
        runs.setdefault(tuple((key, value) for key, value in row.items() if not isinstance(value, float)), []).append(row)
    for rows in runs.values():
        out = {key: statistics.median(row[key] for row in rows) if isinstance(value, float) else value
               for key, value in rows[0].items()}
        out |= {"rounds": len(rows), "commit": commit, "load": float(load)}
        if "share_of_read" in out:
            out["best_share_of_read"] = max(row["share_of_read"] for row in rows)
        if out["op"] == "read":
            out["gbps_of_rounds"] = [row["gbps"] for row in rows]
        print(json.dumps(out, separators=(",", ":")))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--merge"] and len(sys.argv) > 4:
        merge(sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        figures.print_or_write(__doc__, PAGE, figures.golden_part("bench_cpu", part_of))
