#!/usr/bin/env python3
"""Draws time over the number of GPUs: measured, and by the model of docs/scaling.md. Needs matplotlib.

usage: plot_scaling.py [RESULTS.jsonl [PICTURE.png]]     (the first golden file; docs/figures/scaling.png)
"""

import figures
from figures import LIMIT, OURS, PEER

MOST = 8  # devices that the model is drawn for
PANELS = ((4 << 30, "4 GiB of float32 on each GPU"), (1 << 20, "1 MiB of float32 on each GPU"))


def points(rows, path, bytes_each):
    found = [row for row in rows if row["op"] == "plain_sum" and row["pages"] == "device"
             and row["path"].startswith(path) and not row["path"].endswith("one array")
             and row["bytes"] == bytes_each * row["num_devices"]]
    return sorted((row["num_devices"], row["median_ns"] / 1e3) for row in found)


def main():
    pyplot = figures.pyplot_of("plot_scaling.py")
    source, picture = figures.asked("scaling", "scaling.png", __doc__)
    rows = figures.rows_in(source)
    small = dict(points(rows, "gpus", PANELS[1][0]))
    more = small[2] - small[1]  # what another device costs the host
    figure, panels = pyplot.subplots(1, 2, figsize=(9, 3.4))
    for axes, (bytes_each, title) in zip(panels, PANELS):
        ours = points(rows, "gpus", bytes_each)
        model = [(k, ours[0][1] + (k - 1) * more) for k in range(1, MOST + 1)]
        axes.plot(*zip(*model), color=LIMIT, linewidth=1, label="model")
        axes.plot(*zip(*points(rows, "nccl", bytes_each)), color=PEER, marker="s", linestyle="", label="CUB, NCCL, copy")
        axes.plot(*zip(*ours), color=OURS, marker="o", linestyle="", label="monofold")
        axes.set_ylim(0, axes.get_ylim()[1] * 1.05)
        axes.set_title(title, fontsize=9, loc="left")
        axes.set_xlabel("GPUs", fontsize=8)
        axes.tick_params(labelsize=7)
        figures.open_axes(axes)
    panels[0].set_ylabel("us of the host until the sum is there", fontsize=8)
    panels[0].legend(fontsize=8, frameon=False, loc="lower right")
    figure.suptitle(f"{rows[0]['instruction_set'].split(',')[0]}: a plain sum over all GPUs, medians", fontsize=10)
    figure.tight_layout()
    figures.save(figure, picture)


if __name__ == "__main__":
    main()
