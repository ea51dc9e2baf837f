#!/usr/bin/env python3
"""Tables of calls from Python on arrays of a GPU beside other libraries, for docs/python.md.

usage: table_python_gpu.py [--write]

Reads bench/golden/*/peers_python_gpu.jsonl, rows of peers_python_gpu.py. With --write the page's part is made again.
"""

import figures
from table_python import STAY, short, size

OURS = ("monofold", "monofold.plain")
LETTERS = {"torch": "t", "cupy": "c", "jax": "j", "cuda.compute": "u"}


def beside_the_best(rows, sizes):
    """Our time over that of the quickest other library, and its letter."""
    out = figures.head("operation", map(size, sizes))
    for dtype, op in dict.fromkeys((row["dtype"], row["op"]) for row in rows):
        for ours in OURS:
            cells = []
            for count in sizes:
                found = {row["path"]: row["median_us"] for row in rows
                         if (row["dtype"], row["op"], row["items"]) == (dtype, op, count)}
                others = [name for name in LETTERS if name in found]
                best = min(others, key=found.get, default=None)
                cells.append(f"{found[ours] / found[best]:.2f} {LETTERS[best]}" if best and ours in found else "")
            if any(cells):
                out.append(figures.line(f"{op}, {dtype}" + (", plain" if ours != OURS[0] else ""), cells))
    return out


def microseconds(rows, sizes, op, dtype):
    out = figures.head(f"{op}, {dtype}: microseconds", map(size, sizes))
    rows = [row for row in rows if (row["op"], row["dtype"]) == (op, dtype)]
    for name in dict.fromkeys(row["path"] for row in rows):
        found = {row["items"]: row["median_us"] for row in rows if row["path"] == name}
        out.append(figures.line(name, [short(found[count]) if count in found else "" for count in sizes]))
    return out


def bits(rows):
    """Whether the bits of answers stay, of float32 and float64."""
    names = list(dict.fromkeys(f"{row['op']}, {row['dtype']}" for row in rows))
    out = figures.head("as on host; any order", names)
    for name in dict.fromkeys(row["path"] for row in rows):
        found = {f"{row['op']}, {row['dtype']}": row for row in rows if row["path"] == name}
        cells = [f"{STAY[found[one]['host']] or 'none there'}; {STAY[found[one]['order']]}" if one in found else ""
                 for one in names]
        out.append(figures.line(name, cells))
    return out


def part_of(file):
    rows = figures.rows_in(file)
    stays = [row for row in rows if "order" in row]
    rows = [row for row in rows if "median_us" in row]
    sizes = sorted({row["items"] for row in rows})
    first = rows[0]
    versions = {row["path"]: row["version"] for row in rows}
    named = [f"{letter} {name} {versions[name]}" for name, letter in LETTERS.items() if name in versions]
    yield f"""The median time of a call over that of the quickest other library, whose letter stands beside it:
{", ".join(named)}.
Below 1 is faster ({first["device"]}, Python {first["python"]}, commit {first["commit"]};
[rows](../{file.relative_to(figures.TREE)})).
"""
    yield from beside_the_best(rows, sizes)
    for op in ("sum", "stats"):
        yield ""
        yield from microseconds(rows, sizes, op, "float32")
    yield ""
    if stays:
        yield f"Are the bits of an answer about {size(stays[0]['items'])} items those of the same library on the host"
        yield "(for CuPy: of NumPy); those of the items in 5 other orders?"
        yield ""
        yield from bits(stays)
        yield ""


def main():
    text = figures.golden_part("peers_python_gpu", part_of)
    figures.print_or_write(__doc__, figures.TREE / "docs/python.md", text)


if __name__ == "__main__":
    main()
