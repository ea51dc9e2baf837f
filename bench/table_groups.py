#!/usr/bin/env python3
"""The part of docs/groups.md that rows of peers_groups.py make (golden/*/groups_cpu.jsonl): ours beside others.

usage: table_groups.py            prints it
       table_groups.py --write    puts it between the page's two marks
"""

import figures

PAGE = figures.TREE / "docs" / "groups.md"
# What a line shows, and the library that it is of.
PATHS = {"monofold sum": "exact sums, by key", "monofold sum, first": "exact sums, in order of first items",
         "monofold mean": "exact means, by key", "monofold plain_sum": "plain sums, by key",
         "pandas sum": "sums, by key", "pandas sum, first": "sums, in order of first items",
         "pandas mean": "means, by key", "polars sum": "sums, by key", "polars sum, any order": "sums, in any order",
         "duckdb sum": "sums, by key", "duckdb sum, any order": "sums, in any order",
         "duckdb fsum": "compensated sums, by key"}
NAMES = {"monofold": "**monofold**", "pandas": "pandas", "polars": "polars", "duckdb": "DuckDB"}


def part_of(path):
    rows = figures.rows_in(path)
    about, machine = rows[0], path.parent.name
    time = {(row["path"], row["keys"]): row for row in rows}
    keys = sorted({row["keys"] for row in rows})
    groups = {row["keys"]: row["groups"] for row in rows if "groups" in row}
    out = [f"({machine}, pandas {about['pandas']}, polars {about['polars']}, DuckDB {about['duckdb']}, commit "
           f"{about['commit']};", f"[rows](../bench/golden/{machine}/groups_cpu.jsonl))", "",
           *figures.head("", ["", *(f"{groups[most]:,} groups".replace(",", " ") for most in keys)])]
    for name, what in PATHS.items():
        cells = [f"{time[name, most]['processor_ms']:.0f} ({time[name, most]['wall_ms']:.0f})" for most in keys]
        out.append(figures.line(NAMES[name.split()[0]], [what, *cells]))
    return [*out, ""]


if __name__ == "__main__":
    figures.print_or_write(__doc__, PAGE, figures.golden_part("groups_cpu", part_of))
