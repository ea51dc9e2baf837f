#!/usr/bin/env python3
"""The table of docs/benchmarks.md that says at which sizes a GPU's reductions are ahead of CUB's, of the rows of
table_gpu.py.

usage: summary_gpu.py            prints it
       summary_gpu.py --write    puts it between the page's two marks
"""

import figures
from table_gpu import OPERATIONS, WHOLE, Rows

# Neighbouring sizes that behave alike, by the largest of each part.
PARTS = [(1 << 14, "up to 16 KiB"), (1 << 20, "to 1 MiB"), (16 << 20, "to 16 MiB"), (64 << 20, "64 MiB"),
         (4 << 30, "256 MiB and more")]


def cell(ratios):
    """The least and the greatest of the ratios."""
    if not ratios:
        return ""
    ends = f"{min(ratios):.2f}", f"{max(ratios):.2f}"
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def part_of(path):
    if path.parent.name != WHOLE:
        return []
    rows = Rows(figures.rows_in(path))
    ratios = rows.ratios("median_ns")
    out = [f"({WHOLE}, beside {rows.peer}; commit {rows.about['commit']}; "
           f"[rows](../bench/golden/{WHOLE}/table_gpu.jsonl))", "",
           *figures.head("in a stream", [name for _, name in PARTS] + ["cells behind"])]
    for op in OPERATIONS:
        mine = {key: ratio for key, ratio in ratios.items() if key[0] == op}
        cells, least = [], 0
        for most, _ in PARTS:
            cells.append(cell([ratio for (_, _, size), ratio in mine.items() if least < size <= most]))
            least = most
        behind = sum(round(ratio, 2) > 1 for ratio in mine.values())
        out.append(figures.line(op, [*cells, f"{behind} of {len(mine)}"]))
    return out + [""]


if __name__ == "__main__":
    figures.print_or_write(__doc__, figures.TREE / "docs" / "benchmarks.md",
                           figures.golden_part("table_gpu", part_of))
