#!/usr/bin/env python3
"""The part of docs/benchmarks.md that rows of `monofold bench --json` make (golden/*/bench_cpu.jsonl): the share of the
read speed of every operation and type, which of them miss what is asked for, and what their loops take
(golden/*/instructions_cpu.jsonl).

usage: table_bench.py            prints it
       table_bench.py --write    puts it between the page's two marks
"""

import figures
from figures import line

PAGE = figures.TREE / "docs" / "benchmarks.md"
TYPES = ["float64", "float32", "bfloat16", "float16", "int64", "int32", "int8", "uint8"]
# The least share of the read speed that is asked for. Of wider integers only dot is asked for something.
ASKED = {"float64": 0.93, "float32": 0.93, "bfloat16": 0.80, "float16": 0.80, "int8": 0.80, "uint8": 0.80}
ASKED_OF_DOT = {"int64": 0.80, "int32": 0.80}
# Operations that run the loop of another one.
SAME_LOOP = {"mean": "sum", "std": "var", "argmin": "min", "argmax": "max", "all": "any"}
HALVES, WHOLES, BYTES = ["bfloat16", "float16"], ["float64", "float32"], ["int8", "uint8"]
# Cells that miss for one reason, if it is that they take more instructions than any operation that keeps up.
GROUPS = [
    (["var", "std", "norm2"], HALVES, "exact squares"),
    (["dot"], HALVES, "exact products"),
    (["stats"], HALVES, "exact squares, and both ends"),
    (["prod"], ["float16"], "conversions"),
    (["prod"], BYTES, "products of 64 bits"),
    (["dot"], ["int64"], "products of 128 bits"),
    (["top", "bottom"], HALVES, "blocks searched for candidates"),
    (["sum"], ["float16"], ""),
    (["min", "max", "minmax", "argmin", "any", "all", "nonzero", "norminf"], ["float16"], ""),
    (["nan"], HALVES, ""),
    (["top", "bottom"], WHOLES, ""),
    (["dot"], WHOLES, ""),
    (["nan"], ["float32"], ""),
    (["stats"], WHOLES, ""),
    (["var", "std", "norm2", "stats"], BYTES, ""),
    (["bottom"], ["uint8"], ""),
    (["dot"], ["int32", "uint8"], ""),
]


def reads_items(op, dtype):
    """The count of NaN among integers is 0 without a look at them."""
    return op != "nan" or dtype not in ("int8", "uint8", "int32", "int64")


def asked_share(op, dtype):
    """The least share asked for, or None."""
    if not reads_items(op, dtype):
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


def ends_text(values):
    ends = f"{min(values):.0f}", f"{max(values):.0f}"
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def reasons(shares, counts):
    """The table of groups of missed cells: how many, instructions a line, and why. Each missed cell is in one group."""
    def count_of(op, dtype):
        return counts[SAME_LOOP.get(op, op), dtype]

    missed = {key for key, share in shares.items() if is_missed(*key, share)}
    keeps_up = {key: count_of(*key) for key, share in shares.items() if is_missed(*key, share) is False}
    most = max(keeps_up, key=keeps_up.get)
    out = figures.head("missed", ["cells", "instructions a line", "why"])
    for ops, types, why in GROUPS:
        mine = [(op, dtype) for op in ops for dtype in types if (op, dtype) in missed]
        missed -= set(mine)
        found = [count_of(*key) for key in mine]
        named = [[name for name in names if any(name in key for key in mine)] for names in (ops, types)]
        out.append(line(" of ".join(", ".join(names) for names in named), [
            str(len(mine)), ends_text(found), why if min(found) > keeps_up[most] else "not known"]))
    if missed:
        raise ValueError(f"in no group: {missed}")
    return ["Instructions for a line of 64 bytes. Where operations with as many keep up, these are no reason: the most",
            f"of one that does are the {keeps_up[most]:.0f} of {most[0]} of {most[1]}. min of float32 takes "
            f"{count_of('min', 'float32'):.0f}, sum {count_of('sum', 'float32'):.0f}.", "", *out, ""]


def part_of(path):
    rows = figures.rows_in(path)
    machine, about = path.parent.name, rows[0]
    reads = [row["gbps"] for row in rows if row["op"] == "read"]
    shares = {(row["op"], row["dtype"]): row["share_of_read"] for row in rows if row["op"] != "read"}
    judged = [is_missed(op, dtype, share) for (op, dtype), share in shares.items()
              if asked_share(op, dtype) is not None]
    out = [f"({machine}: {about['threads']} threads, {about['instruction_set']}; {about['bytes'] / 1e9:g} GB, medians "
           f"of {about['runs']}; read: {min(reads):.0f} to {max(reads):.0f} GB/s;",
           f"[rows](../bench/golden/{machine}/bench_cpu.jsonl))", "", *figures.head("share of the read speed", TYPES)]
    for op in dict.fromkeys(op for op, _ in shares):
        out.append(line(op, [cell(op, dtype, shares.get((op, dtype))) for dtype in TYPES]))
    out += ["", f"{sum(judged)} of {len(judged)} cells of which something is asked miss it.", ""]
    counts = {(row["op"], row["dtype"]): row["instructions_per_line"]
              for row in figures.rows_in(path.with_name("instructions_cpu.jsonl"))}
    return out + reasons(shares, counts)


if __name__ == "__main__":
    figures.print_or_write(__doc__, PAGE, figures.golden_part("bench_cpu", part_of))
