#!/usr/bin/env python3
"""The tables of docs/benchmarks.md of calls that wait, of items of any exponent and of views on a GPU, beside what is
asked of them (golden/h200/waiting_gpu.jsonl, exact_gpu.jsonl, views_gpu.jsonl).

usage: asked_gpu.py            prints them
       asked_gpu.py --write    puts them between the page's two marks
"""

import statistics

import figures
from table_gpu import MIB, WHOLE, size_name

MOST_WAITING, MOST_WAITING_BYTES = 0.40, 4 * MIB  # of CUB's time
MOST_OF_PLAIN = {"sum": 2.0}
LEAST_SHARE = {"variance": 0.3, "dot": 0.3}
WIDE = ", any_exponent"


class Table:
    """Rows of a suite, in groups: an operation on one type, by size and path."""

    def __init__(self, suite, rows):
        self.rows, self.suite = rows, suite
        self.sizes = sorted({row["bytes"] for row in rows})
        self.groups = {}
        for row in rows:
            self.groups.setdefault((row["op"], row["dtype"]), {}).setdefault(row["bytes"], {})[row["path"]] = row

    def source(self):
        about = self.rows[0]
        return [f"({WHOLE}: {about['instruction_set']}; commit {about['commit']};",
                f"[rows](../bench/golden/{WHOLE}/{self.suite}.jsonl))", ""]

    def lines(self, corner, name, cell):
        """A table of cell(operation, group), with a line for name(operation, type)."""
        return figures.head(corner, map(size_name, self.sizes)) + [
            figures.line(name(*key), [cell(key[0], groups[size]) if size in groups else "" for size in self.sizes])
            for key, groups in self.groups.items()]


def times(row, other):
    return round(row["median_ns"] / other["median_ns"], 2)


def starred(text, is_missed):
    return text + "*" if is_missed else text


def waiting(rows):
    table = Table("waiting_gpu", rows)
    [cub] = {row["path"] for row in rows if row["path"].startswith("cub")}
    [least] = {row["path"] for row in rows if row["path"].startswith("empty")}

    def name(op, dtype):
        return f"{op.removesuffix(' and wait')} of {dtype}"

    def over_cub(_, group):
        over = times(group["gpu"], group[cub])
        return starred(f"{over:.2f}", group["gpu"]["bytes"] <= MOST_WAITING_BYTES and over > MOST_WAITING)

    floors = [statistics.median(row["median_ns"] for row in rows if row["path"] == least and row["bytes"] == size)
              for size in table.sizes]
    return ["**Calls that wait:** our time over that of CUB with a copy and a wait, and over that of an empty kernel",
            "that writes the word for which the host waits. A star marks more than "
            f"{MOST_WAITING:.2f}, asked up to {size_name(MOST_WAITING_BYTES)}", *table.source(),
            *table.lines(f"over {cub.split(',')[0].upper()}", name, over_cub), "",
            *table.lines("over an empty kernel", name,
                         lambda _, group: f"{times(group['gpu'], group[least]):.2f}"),
            figures.line("us of the empty kernel", [f"{ns / 1e3:.1f}" for ns in floors])]


def wide(rows):
    table = Table("exact_gpu", [row for row in rows if row["op"].endswith(WIDE)])

    def cell(op, group):
        op, share = op.removesuffix(WIDE).removeprefix("exact "), round(group["gpu"]["share"], 2)
        # Beside sums, the plain counterpart is the plain sum.
        plain = group.get("plain" if op == "sum" else "plain sum")
        over = times(group["gpu"], plain) if plain else 0
        return (starred(f"{over:.2f}", over > MOST_OF_PLAIN.get(op, over)) if plain else "–") + \
            starred(f" ({share:.2f})", share < LEAST_SHARE.get(op, 0))

    return ["**Items of any exponent**, exactly folded: our time over the plain sum's and, in brackets, the share of",
            "the read speed. A star marks a sum of more than 2.0 times, and a variance or dot product below 0.3",
            *table.source(),
            *table.lines("", lambda op, dtype: f"{op.removesuffix(WIDE)} of {dtype}", cell)]


def views(rows):
    table = Table("views_gpu", rows)
    return ["**Views and adapters:** our time over that of the exact sum of the same memory, taken as float32, and, in",
            "brackets, the share of the read speed", *table.source(),
            *table.lines("float32", lambda op, _: op, lambda _, group:
                         f"{times(group['gpu'], group['exact sum']):.2f} ({group['gpu']['share']:.3f})")]


def text():
    out = [""]
    for suite, lines in (("waiting_gpu", waiting), ("exact_gpu", wide), ("views_gpu", views)):
        path = figures.TREE / "bench" / "golden" / WHOLE / f"{suite}.jsonl"
        if path.exists():
            out += [*lines(figures.rows_in(path)), ""]
    return "\n".join(out)


if __name__ == "__main__":
    figures.print_or_write(__doc__, figures.TREE / "docs" / "benchmarks.md", text())
