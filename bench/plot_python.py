#!/usr/bin/env python3
"""Draws calls from Python beside other libraries: time an item over the number of items. Needs matplotlib.

usage: plot_python.py [RESULTS.jsonl [PICTURE.png]]
       (the only golden file; docs/figures/python.png)
"""

import collections

import figures

PANELS = ("sum", "var", "stats", "sum, axis 0")
COLOURS = {"numpy": "#E69F00", "torch": "#D55E00", "polars": "#009E73", "pyarrow": "#CC79A7", "bottleneck": "#56B4E9",
           "duckdb sum": "#999999", "pandas": "#F0E442", "xsum": "#000000"}


def draw(axes, rows, operation):
    lines = collections.defaultdict(list)
    for row in rows:
        if row["op"] == operation:
            lines[row["path"]].append((row["items"], row["least_us"] * 1e3 / row["items"]))
    for name, points in lines.items():
        if name in COLOURS:
            axes.plot(*zip(*points), color=COLOURS[name], linewidth=1, marker=".", markersize=4, label=name)
    axes.plot(*zip(*lines["monofold"]), color=figures.OURS, linewidth=2, label="monofold (exact)")
    axes.set(xscale="log", yscale="log")
    axes.set_xlabel("float64", fontsize=8)
    axes.set_title(operation, fontsize=9, loc="left")
    axes.tick_params(labelsize=7)
    figures.open_axes(axes)


def main():
    pyplot = figures.pyplot_of("plot_python.py")
    source, picture = figures.asked("peers_python", "python.png", __doc__)
    rows = [row for row in figures.rows_in(source) if "least_us" in row]
    figure, panels = pyplot.subplots(1, len(PANELS), figsize=(12, 3.2), sharey=True)
    for axes, operation in zip(panels, PANELS):
        draw(axes, rows, operation)
    panels[0].set_ylabel("ns an item", fontsize=8)
    panels[0].legend(fontsize=6.5, frameon=False)
    figure.tight_layout()
    figures.save(figure, picture)


if __name__ == "__main__":
    main()
