#!/usr/bin/env python3
"""The part of docs/gpu_table.md that rows of bench_table_gpu make (golden/*/table_gpu.jsonl): every cell, and which of
them miss what is asked for.

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
HOW = {"median_ns": "in a stream", "isolated_ns": "isolated", "launched_ns": "isolated, launched"}
JUDGED = ["median_ns", "isolated_ns"]  # by what is asked
KIB, MIB = 1 << 10, 1 << 20
ANY = 1 << 62
# What is asked of our time over CUB's: at most so much, for arrays of at most so many bytes. None: nothing is asked.
SUMS = [(MIB, 0.75), (64 * MIB, 0.85), (ANY, 0.95)]
EXTREMA = [(64 * MIB, 0.9), (ANY, 1.0)]
ASKED = {"plain_sum": SUMS, "sum": SUMS, "sum of int64": [(16 * MIB, 0.9), (ANY, 0.95)],
         "exact sum": [(KIB, 1.5), (16 * KIB, None), (ANY, 1.0)], "max": EXTREMA, "argmax": EXTREMA,
         "exact statistics": [(ANY, 0.9)], "plain statistics": [(ANY, 0.8)]}
# Isolated sums of so few bytes are asked for this instead.
ISOLATED_SUMS = (16 * KIB, 1.0)
# What is asked of our time in us, by size; and of variances, from a size on, of the read kernel's speed.
ASKED_US = {"variance": {64 * KIB: 4, MIB: 4.5, 16 * MIB: 7},
            "top10": {64 * KIB: 5, MIB: 7, 16 * MIB: 9, 64 * MIB: 24, 256 * MIB: 66}}
READ_SPEED = {"variance": (256 * MIB, 0.93)}


def size_name(size):
    shift = next(s for s in (30, 20, 10) if size >= 1 << s)
    return f"{size >> shift} {dict(zip((30, 20, 10), ('GiB', 'MiB', 'KiB')))[shift]}"


def name_of_asked(op, dtype):
    """The operation as it stands in ASKED."""
    own = f"{op} of {dtype}"
    return own if own in ASKED else op


def asked_ratio(op, dtype, size, time):
    name = name_of_asked(op, dtype)
    if time == "isolated_ns" and ASKED.get(name) is SUMS and size <= ISOLATED_SUMS[0]:
        return ISOLATED_SUMS[1]
    return next((most for end, most in ASKED.get(name, []) if size <= end), None)


def asked_text(name):
    """What is asked of an operation, in words."""
    if name in ASKED_US:
        parts = [f"{us} at {size_name(size)}" for size, us in ASKED_US[name].items()]
        if name in READ_SPEED:
            size, share = READ_SPEED[name]
            parts.append(f"{share} of the read speed from {size_name(size)}")
        return "us: " + ", ".join(parts)
    parts, is_first = [], True
    for end, most in ASKED[name]:
        where = f" up to {size_name(end)}" if end != ANY else "" if is_first else " above"
        parts.append(("nothing" if most is None else f"{most}") + where)
        is_first = False
    if ASKED[name] is SUMS:
        size, most = ISOLATED_SUMS
        parts.append(f"isolated {most} up to {size_name(size)}")
    return ", ".join(parts)


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
                if key in self.peers and time in row}

    def read_ns(self, row, time):
        """What the fastest read kernel takes for the same bytes."""
        return row["read_limit_isolated_ns"] if time == "isolated_ns" else row["bytes"] / row["read_limit_gbps"]

    def is_missed(self, key, time):
        """Whether a call takes longer than asked, by the digits that the tables show; None if nothing is asked."""
        op, dtype, size = key
        row = self.ours[key]
        most = asked_ratio(op, dtype, size, time)
        if most is not None and key in self.peers:
            return round(row[time] / self.peers[key][time], 2) > most
        if size in ASKED_US.get(op, {}):
            return round(row[time] / 1e3, 1) > ASKED_US[op][size]
        if op in READ_SPEED and size >= READ_SPEED[op][0]:
            return round(self.read_ns(row, time) / row[time], 2) < READ_SPEED[op][1]
        return None

    def cell(self, key, time, text):
        """A cell of a table, with a star if it misses what is asked for."""
        return text + "*" if self.is_missed(key, time) else text

    def ratio_table(self, time):
        found = self.ratios(time)
        out = self.head(HOW[time])
        for op in OPERATIONS:
            for dtype in TYPES:
                keys = [(op, dtype, size) for size in self.sizes]
                if any(key in found for key in keys):
                    in_us = op in ASKED_US  # whose stars are in the other table
                    out.append(line(f"{op} of {dtype}", [
                        "" if key not in found else f"{found[key]:.2f}" if in_us else
                        self.cell(key, time, f"{found[key]:.2f}") for key in keys]))
        return out

    def missed(self):
        """For each operation what is asked, and how many cells miss it."""
        out = figures.head("", ["asked", *[f"missed {HOW[time]}" for time in JUDGED], "reading alone"])
        for name in [*ASKED, *ASKED_US]:
            keys = [key for key in self.ours if name_of_asked(key[0], key[1]) == name]
            counts, below = [], 0
            for time in JUDGED:
                judged = [key for key in keys if self.is_missed(key, time) is not None]
                missed = [key for key in judged if self.is_missed(key, time)]
                counts.append(f"{len(missed)} of {len(judged)}")
                below += sum(self.is_below_reading(key, time) for key in missed)
            out.append(line(name, [asked_text(name), *counts, str(below or "")]))
        return out

    def is_below_reading(self, key, time):
        """Whether even the read kernel takes longer than asked."""
        most = asked_ratio(*key, time)
        return most is not None and self.read_ns(self.ours[key], time) / self.peers[key][time] > most

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
            keys = [(op, dtype, size) for size in self.sizes]
            texts = [f"{self.ours[key][time] / 1e3:.1f}" if key in self.ours else "" for key in keys]
            out.append(line(f"{op} of {dtype}", [
                self.cell(key, time, text) if op in ASKED_US and text else text for key, text in zip(keys, texts)]))
        add(f"{self.peer}: sum of float32",
            [self.peers.get(("plain_sum", "float32", size), {}).get(time) for size in self.sizes])
        reads = [self.ours.get(("plain_sum", "float32", size)) for size in self.sizes]
        add("read kernel", [r and self.read_ns(r, time) for r in reads])
        return out


def part_of(path):
    """All tables of the machine in WHOLE; of others where we are behind."""
    rows = Rows(figures.rows_in(path))
    about, machine = rows.about, path.parent.name
    out = [f"Our time over that of {rows.peer} ({machine}: {about['instruction_set']};",
           f"commit {about['commit']}; [rows](../bench/golden/{machine}/table_gpu.jsonl)). Below 1 is",
           "faster.", ""]
    if machine == WHOLE:
        out += [*rows.missed(), "",
                "The last column counts missed cells of both kinds for which even the read kernel takes longer than",
                "asked. In the tables below, a star marks a missed cell.", ""]
    for time in filter(rows.ratios, HOW):
        if machine == WHOLE:
            out += rows.ratio_table(time) + [""]
        out += rows.losses(time) + [""]
    if machine == WHOLE:
        for time in JUDGED:
            out += rows.us_table(time) + [""]
    return out


if __name__ == "__main__":
    figures.print_or_write(__doc__, PAGE, figures.golden_part("table_gpu", part_of))
