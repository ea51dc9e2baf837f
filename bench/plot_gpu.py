#!/usr/bin/env python3
"""Draws bandwidth over size on a GPU: ours, CUB, the fastest read kernel. Needs matplotlib.

usage: plot_gpu.py [RESULTS.jsonl [PICTURE.png]]     (the only golden file; docs/figures/gpu_reduce.png)
"""

import figures
from figures import LIMIT, OURS, PEER

PANELS = [("plain_sum", "float32"), ("plain_sum", "float64"), ("plain_sum", "bfloat16"),
          ("sum", "int8"), ("sum", "int32"), ("sum", "int64")]


def main():
    pyplot = figures.pyplot_of("plot_gpu.py")
    source, picture = figures.asked("reduce_gpu", "gpu_reduce.png", __doc__)
    rows = figures.rows_in(source)

    figure, axes = pyplot.subplots(2, 3, figsize=(11, 6), sharex=True, sharey=True)
    for place, (op, dtype) in zip(axes.flat, PANELS):
        found = [row for row in rows if row["op"] == op and row["dtype"] == dtype]
        ours = sorted((r["bytes"], r["gbps"]) for r in found if r["path"] == "gpu")
        peers = sorted((r["bytes"], r["gbps"]) for r in found if r["path"].startswith("cub"))
        limit = sorted((r["bytes"], r["read_limit_gbps"]) for r in found if r["path"] == "gpu")
        if not ours:
            continue
        peer = next(r["path"] for r in found if r["path"].startswith("cub"))
        place.plot(*zip(*limit), color=LIMIT, linewidth=1, label="fastest read kernel")
        place.plot(*zip(*peers), color=PEER, marker="s", markersize=4, linewidth=1.2,
                   label=peer.upper())
        place.plot(*zip(*ours), color=OURS, marker="o", markersize=4, linewidth=1.6,
                   label="monofold")
        place.set_xscale("log", base=2)
        place.set_yscale("log")
        place.set_title(f"{op}, {dtype}", fontsize=9, loc="left")
        ticks = [2**e for e in range(10, 35, 4)]
        place.set_xticks(ticks, ["1K", "16K", "256K", "4M", "64M", "1G", "16G"], fontsize=7)
        place.tick_params(axis="y", labelsize=7)
        place.grid(True, which="major", color="#eeeeee")
        figures.open_axes(place)
    for place in axes[:, 0]:
        place.set_ylabel("GB/s of items", fontsize=8)
    for place in axes[-1, :]:
        place.set_xlabel("bytes (up to 32 MiB from the second-level cache)", fontsize=8)
    axes.flat[0].legend(fontsize=8, frameon=False)
    row = rows[0]
    figure.suptitle(f"{row['instruction_set']}: device time of replayed graphs, medians", fontsize=10)
    figure.tight_layout()
    figures.save(figure, picture)


if __name__ == "__main__":
    main()
