#!/usr/bin/env python3
"""The part of docs/axes_measured.md that rows of bench_segments_gpu make (golden/*/segments_gpu.jsonl).

usage: segments_gpu.py            prints it
       segments_gpu.py --write    puts it between the page's two marks
"""

import figures
from figures import line

PAGE = figures.TREE / "docs" / "axes_measured.md"
KINDS = {"fixed": "Rows of one length", "offsets": "The same, by offsets",
         "mixed": "By offsets, of 0 to twice the length"}
NAMES = {"plain_sum": "plain sum", "sum": "exact sum", "mean": "exact mean",
         "mean_square": "exact mean of squares"}
LENGTHS = {1, 2, 3, 8, 32, 100, 512, 1000, 4096, 65537, 1 << 20, 1 << 28}  # of the tables
THREE_LENGTH = 1 << 30  # three segments of so many
PEERS = {"max": "max", "argmax": "argmax"}  # of CUB; of other operations its sum


def power_name(number):
    return f"2^{number.bit_length() - 1}" if number > 1 << 16 and number & number - 1 == 0 else str(number)


def name_of(op, dtype):
    return f"{NAMES.get(op, op)} of {dtype}"


class Rows:
    """One machine's rows; cells are named by kind, operation, type and length."""

    def __init__(self, rows):
        self.ours, self.wholes, self.peers, self.lengths = {}, {}, {}, {}
        for row in rows:
            key = row["kind"], row["op"], row["dtype"], row["length"]
            if row["path"] == "gpu, whole array":
                self.wholes[key] = row
            elif row["path"] == "gpu":
                self.ours[key] = row
                if row["length"] in LENGTHS:
                    self.lengths.setdefault(row["kind"], []).append(row["length"])
            else:
                self.peers.setdefault(key, []).append(row)
        self.operations = list(dict.fromkeys((op, dtype) for _, op, dtype, _ in self.ours))
        self.about = rows[0]
        self.peer = " ".join(next(iter(self.peers.values()))[0]["path"].split()[:2]).upper()

    def share(self, key):
        """The share of the time that items, ends and answers take at the read kernel's speed."""
        row = self.ours.get(key)
        return row and row["moved_bytes"] / row["read_limit_gbps"] / row["median_ns"]

    def ratio(self, key):
        """Over the faster one of CUB's forms."""
        kind, op, dtype, length = key
        peers = self.peers.get((kind, PEERS.get(op, "plain_sum"), dtype, length))
        if key not in self.ours or not peers:
            return None
        return self.ours[key]["median_ns"] / min(peer["median_ns"] for peer in peers)

    def table(self, kind, title, value):
        lengths = sorted(set(self.lengths[kind]))
        out = figures.head(title, map(power_name, lengths))
        for op, dtype in self.operations:
            cells = [value((kind, op, dtype, length)) for length in lengths]
            if any(cells):
                out.append(line(name_of(op, dtype), [f"{c:.2f}" if c else "" for c in cells]))
        return out

    def few(self, title, is_one):
        out = figures.head(title, ["us", "share", f"over {self.peer}"])
        for key, row in self.ours.items():
            if is_one(key):
                ratio = self.ratio(key)
                out.append(line(name_of(*key[1:3]), [f"{row['median_ns'] / 1e3:.0f}", f"{self.share(key):.2f}",
                                                     f"{ratio:.4f}" if ratio else ""]))
        return out

    def single(self):
        """Lists of one segment: over the time of the whole array."""
        lengths = sorted({key[3] for key in self.wholes})
        out = figures.head("one segment, time over the whole array's", map(power_name, lengths))
        for kind in ("fixed", "offsets"):
            for op, dtype in self.operations:
                keys = [(kind, op, dtype, length) for length in lengths]
                if any(key in self.wholes for key in keys):
                    cells = [f"{self.ours[key]['median_ns'] / self.wholes[key]['median_ns']:.2f}"
                             if key in self.wholes else "" for key in keys]
                    out.append(line(f"{name_of(op, dtype)}, {'by offsets' if kind == 'offsets' else 'of one length'}",
                                    cells))
        return out

    def behind(self):
        """For each operation how many cells are behind CUB, and the worst."""
        out = []
        for op in dict.fromkeys(op for op, _ in self.operations):
            found = {key: self.ratio(key) for key in self.ours if key[1] == op and self.ratio(key)}
            # What the table shows as 1.00 is a draw.
            behind = {key: ratio for key, ratio in found.items() if round(ratio, 2) > 1}
            if behind:
                worst = max(behind, key=behind.get)
                kind, _, dtype, length = worst
                out.append(f"- {NAMES.get(op, op)}: {len(behind)} of {len(found)}, at worst {behind[worst]:.2f} "
                           f"({dtype}, {kind}, {power_name(length)})")
        head = f"Behind {self.peer}:"
        return [head, "", *out] if out else [f"{head} nowhere."]


def part_of(path):
    rows = Rows(figures.rows_in(path))
    about, machine = rows.about, path.parent.name
    out = [f"({machine}: {about['instruction_set']}; commit {about['commit']};",
           f"[rows](../bench/golden/{machine}/segments_gpu.jsonl))", ""]
    for kind, title in KINDS.items():
        if kind in rows.lengths:
            out += [f"{title}:", "", *rows.table(kind, "share of the read speed", rows.share), "",
                    *rows.table(kind, f"time over {rows.peer}", rows.ratio), ""]
    if "giant" in rows.lengths:
        out += ["Half of the range in one segment, amid segments of three:", "",
                *rows.few("a giant", lambda key: key[0] == "giant"), ""]
    if any(key[3] == THREE_LENGTH for key in rows.ours):
        out += ["Three segments of 2^30 items, by offsets:", "",
                *rows.few("2^30 items", lambda key: key[0] == "offsets" and key[3] == THREE_LENGTH), ""]
    if rows.wholes:
        out += ["One segment that is all:", "", *rows.single(), ""]
    return out + rows.behind() + [""]


if __name__ == "__main__":
    figures.print_or_write(__doc__, PAGE, figures.golden_part("segments_gpu", part_of))
