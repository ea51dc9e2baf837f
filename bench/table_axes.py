#!/usr/bin/env python3
"""The part of docs/axes_cpu.md that rows of peers_axes.py make (golden/*/axes_cpu.jsonl): ours beside NumPy.

usage: table_axes.py            prints it
       table_axes.py --write    puts it between the page's two marks
"""

import figures

PAGE = figures.TREE / "docs" / "axes_cpu.md"
# What a line shows: our operation, and NumPy's.
OPERATIONS = {"plain sum": ("plain sum", "sum"), "exact sum": ("sum", "sum"), "exact mean": ("mean", "mean"),
              "exact deviation": ("std", "std"), "max": ("max", "max"), "argmax": ("argmax", "argmax")}
TYPES = {"float64": "Of float64:",
         "float32": "Of float32, whose exact answers are doubles here: where rows are short these are most of the "
                    "memory traffic.",
         "uint8": "The same for 16 MiB of uint8, which the third-level cache holds:"}


def part_of(path):
    rows = figures.rows_in(path)
    about, machine = rows[0], path.parent.name
    time = {(row["path"], row["type"], row.get("op"), row.get("axis"), row["length"]): row["processor_ms"]
            for row in rows}
    lengths = sorted({row["length"] for row in rows})
    out = [f"({machine}, NumPy {about['numpy']}, commit {about['commit']};",
           f"[rows](../bench/golden/{machine}/axes_cpu.jsonl))", ""]
    for dtype, title in TYPES.items():
        out += [title, "", *figures.head("", ["axis", *map(str, lengths)])]
        for name, (ours, numpys) in OPERATIONS.items():
            if name == "plain sum" and dtype == "uint8":
                continue  # integers have no other sum
            for axis in (1, 0):
                ratios = [time["library", dtype, ours, axis, length] / time["numpy", dtype, numpys, axis, length]
                          for length in lengths]
                out.append(figures.line(name, [str(axis), *(f"{ratio:.2f}" for ratio in ratios)]))
        out.append("")
    return [*out, *shares(rows, lengths)]


def shares(rows, lengths):
    """How much of what a loop reads in the same run, rows and columns read."""
    out = ["A loop that only reads all items, in the same run, takes so much of our time (1: as fast as memory):", "",
           *figures.head("", ["of", "axis", *map(str, lengths)])]
    time = {(row["path"], row["type"], row.get("op"), row.get("axis"), row["length"]): row["processor_ms"]
            for row in rows}
    for name in ("plain sum", "sum", "max"):
        for dtype in ("float64", "float32"):
            for axis in (1, 0):
                ratios = [time["read limit", dtype, None, None, length] / time["library", dtype, name, axis, length]
                          for length in lengths]
                out.append(figures.line("exact sum" if name == "sum" else name,
                                        [dtype, str(axis), *(f"{ratio:.2f}" for ratio in ratios)]))
    return [*out, ""]


if __name__ == "__main__":
    figures.print_or_write(__doc__, PAGE, figures.golden_part("axes_cpu", part_of))
