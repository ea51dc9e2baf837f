#!/usr/bin/env python3
"""The part of docs/groups.md that rows of bench_groups_gpu make (golden/*/groups_gpu.jsonl): ours beside CUB.

usage: table_groups_gpu.py            prints it
       table_groups_gpu.py --write    puts it between the page's two marks, if there are rows
"""

import sys
import textwrap

import figures
from figures import line

PAGE = figures.TREE / "docs" / "groups.md"
NAMES = {"plain_sum": "plain sums", "sum": "exact sums", "mean": "exact means", "max": "max"}
PEERS = {"max": "max"}  # of CUB; of other operations its plain sum
ORDERS = {"sorted": "by key", "first": "in order of first items"}
FORMS = {"all bits": "all 64 bits sorted", "known bits": "only the bits sorted that these keys have"}
SIZES = {"int32": 4, "int64": 8, "float32": 4, "float64": 8}
TO_THE_HOST = "gpu, to the host"
CALLED = " called"  # ends the path of a peer that waits for the number of runs


def count_name(number):
    """10000000 as "10 000 000"; a large power of two as that."""
    if number > 1 << 20 and number & number - 1 == 0:
        return f"2^{number.bit_length() - 1}"
    return f"{number:,}".replace(",", " ")


def num_items(row):
    return row["bytes"] // (SIZES[row["keys"]] + SIZES[row["dtype"]])


def text(paragraph):
    """Lines of a page."""
    return [*textwrap.wrap(paragraph, 118, break_on_hyphens=False), ""]


def ms(row):
    return row["median_ns"] / 1e6


class Rows:
    """One machine's rows."""

    def __init__(self, rows):
        self.runs = [row for row in rows if row["kind"] == "runs" and not row["path"].endswith(CALLED)]
        self.called_runs = [row for row in rows if row["kind"] == "runs" and not row["path"].startswith("cub")]
        self.called_runs += [row for row in rows if row["path"].endswith(CALLED)]
        self.groups = [row for row in rows if row["kind"] != "runs"]
        self.about = rows[0]
        peer = next(row["path"] for row in rows if row["path"].startswith("cub"))
        self.peer = " ".join(peer.split()[:2]).upper()

    @staticmethod
    def ratios_of(runs):
        """Our time over CUB's, by items, keys, operation and length; then CUB's times of plain sums."""
        time = {(num_items(row), row["keys"], row["op"], row["length"], row["path"] == "gpu"): row["median_ns"]
                for row in runs}
        return ({(*key, op, length): own / time[*key, PEERS.get(op, "plain_sum"), length, False]
                 for (*key, op, length, is_ours), own in time.items() if is_ours},
                {(*key, length): own / 1e6
                 for (*key, op, length, is_ours), own in time.items() if not is_ours and op == "plain_sum"})

    def of_runs(self):
        ratios, peers = self.ratios_of(self.runs)
        lengths = sorted({row["length"] for row in self.runs})
        out = text("Runs of float32, our time over that of `ReduceByKey` (a plain sum, or max):")
        for count, keys in dict.fromkeys((count, keys) for count, keys, *_ in ratios):
            out += figures.head(f"{count_name(count)} by {keys}, items in a run", map(count_name, lengths))
            for op, name in NAMES.items():
                out.append(line(name, [f"{ratios[count, keys, op, length]:.2f}" for length in lengths]))
            out.append(line(f"{self.peer}'s plain sums, ms",
                            [f"{peers[count, keys, length]:.2f}" for length in lengths]))
            out.append("")
        return out

    def of_groups(self):
        found = {(row["kind"], row["op"], row["path"], row["num_segments"]): ms(row) for row in self.groups}
        counts = sorted({row["num_segments"] for row in self.groups})
        any_row = self.groups[0]

        def over(op, count):
            return min(time for (_, own, path, groups), time in found.items()
                       if own == PEERS.get(op, "plain_sum") and groups == count and path.startswith("cub"))

        out = [*text(f"Groups, milliseconds; in brackets our time over that of {self.peer}'s faster form, which sorts "
                     "pairs and then calls `ReduceByKey` (a plain sum, or max):"),
               *figures.head(f"{count_name(num_items(any_row))} {any_row['dtype']} by {any_row['keys']}",
                             [f"{count_name(count)} groups" for count in counts])]
        for kind, order in ORDERS.items():
            for op, name in NAMES.items():
                cells = [(found[kind, op, "gpu", count], over(op, count)) for count in counts]
                out.append(line(f"{name}, {order}", [f"{own:.2f}" + (f" ({own / peer:.2f})" if kind == "sorted" else "")
                                                    for own, peer in cells]))
        out.append(line("exact sums, by key, in vectors of the host",
                        [f"{found['sorted', 'sum', TO_THE_HOST, count]:.2f}" for count in counts]))
        for path in dict.fromkeys(row["path"] for row in self.groups if row["path"].startswith("cub")):
            for op in ("plain_sum", "max"):
                out.append(line(f"{self.peer}: {NAMES[op]}, {FORMS[' '.join(path.split()[2:])]}",
                                [f"{found['sorted', op, path, count]:.2f}" for count in counts]))
        return [*out, ""]

    @classmethod
    def behind(cls, runs, peer):
        """For each operation how many cells of runs are behind CUB, and the worst."""
        ratios, _ = cls.ratios_of(runs)
        out = []
        for op, name in NAMES.items():
            found = {key: ratio for key, ratio in ratios.items() if key[2] == op}
            # What the table shows as 1.00 is a draw.
            behind = {key: ratio for key, ratio in found.items() if round(ratio, 2) > 1}
            if behind:
                count, keys, _, length = worst = max(behind, key=behind.get)
                out.append(f"- {name}: {len(behind)} of {len(found)}, at worst {behind[worst]:.2f} "
                           f"({count_name(count)} by {keys}, runs of {count_name(length)})")
        head = f"Runs behind {peer}:"
        return [head, "", *out, ""] if out else [f"{head} nowhere.", ""]


def part_of(path):
    rows = Rows(figures.rows_in(path))
    about, machine = rows.about, path.parent.name
    return [f"({machine}: {about['instruction_set']}; commit {about['commit']};",
            f"[rows](../bench/golden/{machine}/groups_gpu.jsonl))", "",
            *text("`bench_groups_gpu` takes device times: ours by events around each call, because the calls wait for "
                  "the number of runs and take memory from a pool, which keeps it; those of "
                  f"{rows.peer}, which does neither, of replayed graphs. They are medians, and calls take turns. Keys "
                  "and answers stay on the device, but for one row. Before, on fewer keys, all keys and answers had "
                  "the processor's bytes."),
            *rows.of_runs(), *rows.of_groups(), *rows.behind(rows.runs, rows.peer),
            *rows.behind(rows.called_runs, f"calls of {rows.peer} after which the host has the number of runs, too")]


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"] and not figures.golden_files("groups_gpu"):
        sys.exit("no rows in bench/golden/*/groups_gpu.jsonl: the page stays as it is")
    figures.print_or_write(__doc__, PAGE, figures.golden_part("groups_gpu", part_of))
