#!/usr/bin/env python3
"""The part of docs/gpu_table.md that rows of bench_table_gpu make (golden/*/table_gpu.jsonl): every cell.

usage: table_gpu.py            prints it
       table_gpu.py --write    puts it between the page's two marks
"""

import figures
from figures import line

PAGE = figures.TREE / "docs" / "gpu_table.md"
OPERATIONS = ["plain_sum", "sum", "exact sum", "max", "argmax", "exact statistics",
              "plain statistics", "top10"]
TYPES = ["float32", "float64", "bfloat16", "float16", "int8", "int32", "int64"]
IN_US = [(op, dtype) for op in [op for op in OPERATIONS if op != "sum"] + ["variance"]
         for dtype in ("float32", "float64")]
WHOLE = "h200"
HOW = {"median_ns": "in a stream", "isolated_ns": "isolated"}


def size_name(size):
    shift = next(s for s in (30, 20, 10) if size >= 1 << s)
    return f"{size >> shift} {dict(zip((30, 20, 10), ('GiB', 'MiB', 'KiB')))[shift]}"


class Rows:
    """One machine's rows."""

    def __init__(self, rows):
        self.ours = {(r["op"], r["dtype"], r["bytes"]): r for r in rows if r["path"] == "gpu"}
        self.peers = {(r["op"], r["dtype"], r["bytes"]): r for r in rows if r["path"] != "gpu"}
        self.sizes = sorted({r["bytes"] for r in rows})
        self.about = rows[0]
        self.peer = next(iter(self.peers.values()))["path"].upper()

    def head(self, name):
        return figures.head(name, map(size_name, self.sizes))

    def ratios(self, time):
        return {key: row[time] / self.peers[key][time] for key, row in self.ours.items()
                if key in self.peers}

    def ratio_table(self, time):
        found = self.ratios(time)
        out = self.head(HOW[time])
        for op in OPERATIONS:
            for dtype in TYPES:
                cells = [found.get((op, dtype, size)) for size in self.sizes]
                if any(cells):
                    out.append(line(f"{op} of {dtype}", [f"{c:.2f}" if c else "" for c in cells]))
        return out

    def losses(self, time):
        """For each operation how many cells are behind CUB, and the worst."""
        found = self.ratios(time)
        parts = []
        for op in OPERATIONS:
            mine = {key: ratio for key, ratio in found.items() if key[0] == op}
            # What the table shows as 1.00 is a draw.
            behind = {key: ratio for key, ratio in mine.items() if round(ratio, 2) > 1}
            if behind:
                worst = max(behind, key=behind.get)
                parts.append(f"- {op}: {len(behind)} of {len(mine)}, at worst {behind[worst]:.2f} "
                             f"({worst[1]}, {size_name(worst[2])})")
        head = f"Behind CUB, {HOW[time]}:"
        return [head, "", *parts] if parts else [f"{head} nowhere."]

    def us_table(self, time):
        out = self.head(f"us, {HOW[time]}")

        def add(name, values):
            cells = ["" if ns is None else f"{ns / 1e3:.1f}" for ns in values]
            if any(cells):
                out.append(line(name, cells))

        for op, dtype in IN_US:
            add(f"{op} of {dtype}",
                [self.ours.get((op, dtype, size), {}).get(time) for size in self.sizes])
        add(f"{self.peer}: sum of float32",
            [self.peers.get(("plain_sum", "float32", size), {}).get(time) for size in self.sizes])
        reads = [self.ours.get(("plain_sum", "float32", size)) for size in self.sizes]
        add("read kernel", [r and (r["read_limit_isolated_ns"] if time == "isolated_ns" else
                                   r["bytes"] / r["read_limit_gbps"]) for r in reads])
        return out


def part_of(path):
    """All tables of the machine in WHOLE; of others where we are behind."""
    rows = Rows(figures.rows_in(path))
    about, machine = rows.about, path.parent.name
    out = [f"Our time over that of {rows.peer} ({machine}: {about['instruction_set']};",
           f"commit {about['commit']}; [rows](../bench/golden/{machine}/table_gpu.jsonl)). Below 1 is",
           "faster.", ""]
    for time in HOW:
        if machine == WHOLE:
            out += rows.ratio_table(time) + [""]
        out += rows.losses(time) + [""]
    if machine == WHOLE:
        for time in HOW:
            out += rows.us_table(time) + [""]
    return out


if __name__ == "__main__":
    figures.print_or_write(__doc__, PAGE, figures.golden_part("table_gpu", part_of))
