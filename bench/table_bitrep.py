#!/usr/bin/env python3
"""The part of docs/python.md that rows of peers_bitrep.py make (golden/*/peers_bitrep.jsonl): states beside bitrep.

usage: table_bitrep.py            prints it
       table_bitrep.py --write    puts it between the page's two marks
"""

import figures

PAGE = figures.TREE / "docs" / "python.md"


def short(micros):
    if micros >= 1000:
        return f"{micros / 1000:.0f} ms"
    return f"{micros:.2f} us" if micros < 10 else f"{micros:.0f} us"


def part_of(path):
    rows = figures.rows_in(path)
    about, machine = rows[0], path.parent.name
    out = [f"Least times ({machine}, {about['processor']}, bitrep {about['bitrep']}, Python {about['python']}, commit",
           f"{about['commit']}; [rows](../bench/golden/{machine}/peers_bitrep.jsonl)):", "",
           *figures.head("", ["monofold", "bitrep"])]
    for row in rows:
        if "bytes" in row:
            values = [f"{size} bytes" for size in row["bytes"]]
        else:
            values = [short(micros) for micros in row["least_us"]]
        out.append(figures.line(row["case"], values))
    return [*out, ""]


if __name__ == "__main__":
    figures.print_or_write(__doc__, PAGE, figures.golden_part("peers_bitrep", part_of))
