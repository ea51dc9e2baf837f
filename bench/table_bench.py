#!/usr/bin/env python3
"""The part of docs/benchmarks.md that rows of `monofold bench --json` make (golden/*/bench_cpu.jsonl): the share of the
read speed of every operation and type, and which of them miss what is asked for.

usage: table_bench.py            prints it
       table_bench.py --write    puts it between the page's two marks
"""

import figures
from figures import line

PAGE = figures.TREE / "docs" / "benchmarks.md"
TYPES = ["float64", "float32", "bfloat16", "float16", "int64", "int32", "int8", "uint8"]
# The least share of the read speed that is asked for. Only dot is asked for something with wider integers.
ASKED = {"float64": 0.93, "float32": 0.93, "bfloat16": 0.80, "float16": 0.80, "int8": 0.80, "uint8": 0.80}
ASKED_OF_DOT = {"int64": 0.80, "int32": 0.80}


def reads_items(op, dtype):
    """The count of NaN among integers is 0 without a look at them."""
    return op != "nan" or dtype not in ("int8", "uint8", "int32", "int64")


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


def part_of(path):
    rows = figures.rows_in(path)
    machine, about = path.parent.name, rows[0]
    reads = [row["gbps"] for row in rows if row["op"] == "read"]
    shares = {(row["op"], row["dtype"]): row["share_of_read"] for row in rows if row["op"] != "read"}
    bests = {(row["op"], row["dtype"]): row["best_share_of_read"] for row in rows}
    missed = [key for key, share in shares.items() if is_missed(*key, share)]
    out = [f"({machine}: {about['threads']} threads, {about['instruction_set']}; {about['bytes'] / 1e9:g} GB; commit "
           f"{about['commit']}; read: {min(reads):.0f} to {max(reads):.0f} GB/s;",
           f"[rows](../bench/golden/{machine}/bench_cpu.jsonl))", "", *figures.head("share of the read speed", TYPES)]
    for op in dict.fromkeys(op for op, _ in shares):
        out.append(line(op, [cell(op, dtype, shares.get((op, dtype))) for dtype in TYPES]))
    num_asked = sum(asked_share(*key) is not None for key in shares)
    still = sum(is_missed(*key, bests[key]) for key in missed)
    return [*out, "", f"{len(missed)} of {num_asked} cells of which something is asked miss it, {still} of them in "
            "every run.", ""]


if __name__ == "__main__":
    figures.print_or_write(__doc__, PAGE, figures.golden_part("bench_cpu", part_of))
