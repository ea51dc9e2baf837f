#!/usr/bin/env python3
"""Draws the ladder: GB/s of each rung as bars, the read limit and CUB as lines. Needs matplotlib.

usage: plot_ladder.py [RESULTS.jsonl [PICTURE.png]]     (the only golden file; docs/figures/ladder.png)

RESULTS is what `monofold ladder --json` prints. CUB is taken from the golden rows of bench_reduce_gpu,
of the size that is nearest to the ladder's.
"""

import math

import figures

COLOURS = {"warp": "#CC79A7", "block": "#56B4E9", "grid": figures.OURS, "selection": "#009E73"}


def cub_of(rows):
    """Name and GB/s of CUB's sum of int32, at the size nearest to that of the rungs."""
    golden = figures.golden_of("reduce_gpu")
    size = max(row["n"] for row in rows) * 4
    peers = [] if golden is None else [
        row for row in figures.rows_in(golden)
        if (row["op"], row["dtype"]) == ("sum", "int32") and row["path"].startswith("cub")]
    if not peers:
        return None
    best = min(peers, key=lambda row: abs(math.log(row["bytes"] / size)))
    return f"{best['path'].upper()}, {best['bytes'] >> 20} MiB", best["gbps"]


def main():
    pyplot = figures.pyplot_of("plot_ladder.py")
    source, picture = figures.asked("ladder", "ladder.png", __doc__)
    rows = [row for row in figures.rows_in(source) if "gbps" in row]
    names = [row["name"] if row["n"] > 32 else f"{row['name']} (n = {row['n']})" for row in rows]
    speeds = [row["gbps"] for row in rows]

    figure, axes = pyplot.subplots(figsize=(9, 0.27 * len(rows) + 1.6))
    axes.barh(range(len(rows)), speeds, color=[COLOURS[row["level"]] for row in rows])
    for place, speed in enumerate(speeds):
        inside = speed > 0.8 * max(speeds)  # behind the bar there are the lines
        axes.text(speed, place, f" {speed:.0f} " if speed >= 100 else f" {speed:.3g} ", va="center",
                  fontsize=7, ha="right" if inside else "left", color="white" if inside else "black")
    limit = max(row["read_limit_gbps"] for row in rows)
    axes.axvline(limit, color=figures.LIMIT, linewidth=1, label=f"read limit, {limit:.0f} GB/s")
    if cub := cub_of(rows):
        axes.axvline(cub[1], color=figures.PEER, linewidth=1, linestyle="--",
                     label=f"{cub[0]}, {cub[1]:.0f} GB/s")
    axes.set_yticks(range(len(rows)), names, fontsize=8)
    axes.margins(y=0.01)
    axes.invert_yaxis()
    axes.set_xlabel("GB/s of items", fontsize=8)
    axes.tick_params(axis="x", labelsize=7)
    figures.open_axes(axes)
    axes.legend(fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncol=2)
    largest = max(row["n"] for row in rows)
    figure.suptitle(f"The ladder: {largest:,} {rows[0]['dtype']} on {rows[0]['device']}".replace(",", " "),
                    fontsize=10)
    figure.tight_layout()
    figures.save(figure, picture)


if __name__ == "__main__":
    main()
