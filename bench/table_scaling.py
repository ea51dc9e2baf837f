#!/usr/bin/env python3
"""Tables of several GPUs for docs/scaling.md.

usage: table_scaling.py [--write]

Reads bench/golden/*/scaling.jsonl, rows of bench_scaling --json. With --write the page's part is made again.
"""

import figures

NAMES = {"plain_sum": "plain sum of float32", "sum": "exact sum of float32", "product": "ordered product of 2 x 2 matrices",
         "stats": "eight exact statistics of float32"}
MIB, GIB = 1 << 20, 1 << 30


def number(us):
    return f"{us:.1f}" if us < 100 else f"{us:,.0f}".replace(",", " ")


def size(count):
    return f"{count // GIB} GiB" if count >= GIB else f"{count // MIB} MiB"


def kinds(rows):
    """Rows that differ by the number of devices alone, under one name."""
    found = {}
    for row in rows:
        devices = row["num_devices"]
        if row["pages"] != "device":
            name = f"plain sum of {row['pages']} host memory, {size(row['bytes'])}"
        elif row["path"].endswith("one array"):
            name = f"{NAMES[row['op']]}, one array of {size(row['bytes'])}"
        else:
            name = f"{NAMES[row['op']]}, {size(row['bytes'] // devices)} each"
            if row["path"] != "gpus":
                name += f", by {row['path'].replace('nccl', 'NCCL').replace('cub', 'CUB')}"
        found.setdefault(name, {})[devices] = row
    return found


def table(rows):
    most = max(row["num_devices"] for row in rows)
    counts = range(1, most + 1)
    out = figures.head("host time of a call that waits", [f"us, {n} GPU{'s' * (n > 1)}" for n in counts] +
                       [f"{n} over 1" for n in counts[1:]])
    for name, found in kinds(rows).items():
        gbps = {n: row["bytes"] / row["median_ns"] for n, row in found.items()}
        out.append(figures.line(name, [number(found[n]["median_ns"] / 1e3) for n in counts] +
                                [f"{gbps[n] / gbps[1]:.2f}" for n in counts[1:]]))
    return out


def part_of(file):
    rows = figures.rows_in(file)
    row = rows[0]
    return [f"({file.parent.name}: {row['instruction_set'].split(',')[0]}s; commit {row['commit']};",
            f"[rows](../bench/golden/{file.parent.name}/scaling.jsonl))", "", *table(rows), ""]


if __name__ == "__main__":
    figures.print_or_write(__doc__, figures.TREE / "docs" / "scaling.md", figures.golden_part("scaling", part_of))
