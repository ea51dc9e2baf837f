#!/usr/bin/env python3
"""The part of docs/rolling.md that rows of peers_rolling.py make (golden/*/peers_rolling.jsonl): ours beside others.

usage: table_rolling.py            prints it
       table_rolling.py --write    puts it between the page's two marks
"""

import figures

PAGE = figures.TREE / "docs" / "rolling.md"
NAMES = {"sum": "sum", "mean": "mean", "var": "variance", "min": "minimum", "max": "maximum"}


def part_of(path):
    rows = figures.rows_in(path)
    about, machine = rows[0], path.parent.name
    time = {(row["op"], row["dtype"], row["items"], row["library"]): row["ns_an_item"] for row in rows}
    others = list(about["versions"])
    said = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    out = [f"({machine}, {about['processor']}, {said}, commit {about['commit']};",
           f"[rows](../bench/golden/{machine}/peers_rolling.jsonl))", ""]
    for items, where in ((50_000, "in cache"), (2**22, "from memory")):
        out += figures.head(f"{items:_} items, {where}".replace("_", " "), ["monofold", "passes", *others])
        for dtype in ("float64", "float32"):
            for op, name in NAMES.items():
                ours = time[op, dtype, items, "monofold"]
                values = [ours, ours / time[op, dtype, items, "one pass"],
                          *(time[op, dtype, items, other] for other in others)]
                out.append(figures.line(f"{name} of {dtype}", [f"{value:.2g}" for value in values]))
        out.append("")
    return out


if __name__ == "__main__":
    figures.print_or_write(__doc__, PAGE, figures.golden_part("peers_rolling", part_of))
