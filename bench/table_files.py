#!/usr/bin/env python3
"""The part of docs/benchmarks.md that rows of `monofold bench FILE --json` make (golden/*/files.jsonl): how fast a file
comes by each way of reading, beside loops that only read it.

usage: table_files.py            prints it
       table_files.py --write    puts it between the page's two marks
"""

import figures
from figures import line

PAGE = figures.TREE / "docs" / "benchmarks.md"
ASKED = 0.95  # of the best loop: of auto where the file is in the page cache, of direct where it is on its drive


def name_of(key):
    file, is_cold = key
    return file.removesuffix(".npy").replace("_", " ") + (", on its drive" if is_cold else "")


def cell(row):
    if row is None:
        return ""
    asks = row["op"] != "loop" and row["io"] == ("direct" if row["cold"] else "auto")
    star = "*" if asks and round(row["share_of_best_loop"], 2) < ASKED else ""
    return f"{row['gbps']:.2f} ({row['share_of_best_loop']:.2f}{star})"


def part_of(path):
    rows = figures.rows_in(path)
    about = next(row for row in rows if row["io"] == "auto")
    machine = path.parent.name
    files = dict.fromkeys((row["file"], row["cold"]) for row in rows)
    ways = dict.fromkeys((row["op"], row["io"]) for row in sorted(rows, key=lambda row: row["op"] != "loop"))
    out = [f"({machine}: {about['threads']} threads, {about['instruction_set']}; {about['bytes'] / 1e9:.1f} GB of "
           f"{about['dtype']}; commit {about['commit']}; mean load {about['load']:.0f};",
           f"[rows](../bench/golden/{machine}/files.jsonl))", "",
           *figures.head("GB/s (over the best loop)", map(name_of, files))]
    for op, io in ways:
        found = [next((row for row in rows if (row["file"], row["cold"], row["op"], row["io"]) == (*file, op, io)), None)
                 for file in files]
        out.append(line(f"{op}: {io}" if op == "loop" else f"{op}, `--io {io}`", map(cell, found)))
    return [*out, ""]


if __name__ == "__main__":
    figures.print_or_write(__doc__, PAGE, figures.golden_part("files", part_of))
