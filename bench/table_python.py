#!/usr/bin/env python3
"""Tables of calls from Python beside other libraries, for docs/python.md.

usage: table_python.py [--write]

Reads bench/golden/*/peers_python.jsonl, rows of peers_python.py. With --write the page's part is made again.
"""

import figures

OURS = ("monofold", "monofold.plain")
LETTERS = {"numpy": "n", "torch": "t", "bottleneck": "b", "numbagg": "g", "numexpr": "x", "polars": "p", "pyarrow": "a",
           "pandas": "s", "duckdb sum": "d", "duckdb fsum": "f", "math.fsum": "m", "xsum": "u", "bitrep": "r"}
STAY = {True: "yes", False: "no", None: ""}


def size(count):
    return f"{count:,}".replace(",", " ")


def short(number):
    return f"{number:.2g}" if number < 10 else f"{number:,.0f}".replace(",", " ")


def beside_the_best(times, sizes):
    """Our time over that of the quickest other library, and its letter."""
    out = figures.head("operation", map(size, sizes))
    for op in dict.fromkeys(row["op"] for row in times):
        for ours in OURS:
            cells = [ratio({row["path"]: row["least_us"] for row in times if row["op"] == op and row["items"] == count},
                           ours) for count in sizes]
            if any(cells):
                out.append(figures.line(op + (", plain" if ours != OURS[0] else ""), cells))
    return out


def ratio(found, ours):
    others = {name: us for name, us in found.items() if name not in OURS}
    if ours not in found or not others:
        return ""
    best = min(others, key=others.get)
    return f"{found[ours] / others[best]:.2f} {LETTERS[best]}"


def microseconds(times, sizes, op):
    out = figures.head(f"{op}: microseconds", map(size, sizes))
    for name in dict.fromkeys(row["path"] for row in times if row["op"] == op):
        found = {row["items"]: row["least_us"] for row in times if row["op"] == op and row["path"] == name}
        out.append(figures.line(name, [short(found[count]) if count in found else "" for count in sizes]))
    return out


def bits(rows):
    out = figures.head("sum of 10^6 float64", ("off by, ulp", "other orders", "other chunks", "other threads"))
    for row in rows:
        name = f"{row['path']} {row['version']}".strip()
        stays = [STAY[row[what]] for what in ("order", "chunks", "threads")]
        out.append(figures.line(name, [f"{row['ulp']:g}", *stays]))
    return out


def part_of(file):
    rows = figures.rows_in(file)
    times = [row for row in rows if "least_us" in row]
    sizes = sorted({row["items"] for row in times})
    first = rows[0]
    table = beside_the_best(times, sizes)
    named = [f"{letter} {name}" for name, letter in LETTERS.items() if f" {letter} |" in "".join(table)]
    yield f"""The least time of a call over that of the quickest other library, whose letter stands beside it:
{", ".join(named)}.
Below 1 is faster ({first["machine"]}, Python {first["python"]}, float64, commit {first["commit"]};
[rows](../{file.relative_to(figures.TREE)})).
"""
    yield from table
    for op in ("sum", "sum, axis 0"):
        yield ""
        yield from microseconds(times, sizes, op)
    yield ""
    yield "Do the bits stay?"
    yield ""
    yield from bits([row for row in rows if "ulp" in row])
    yield ""


def main():
    text = figures.golden_part("peers_python", part_of)
    figures.print_or_write(__doc__, figures.TREE / "docs/python.md", text)


if __name__ == "__main__":
    main()
