#!/usr/bin/env python3
"""Draws the shares of the read bandwidth as bars. Needs matplotlib.

usage: plot.py [RESULTS.jsonl [PICTURE.png]]     (the only golden file; docs/figures/cpu_reduce.png)
"""

import figures

# Ours dark and hatched differently, so that the picture survives grey printing.
PATHS = {
    "runtime": ("monofold, compiled library", "#0072B2", ""),
    "header": ("monofold, headers", "#56B4E9", "///"),
    "std_unseq": ("std::reduce (par_unseq)", "#E69F00", ""),
    "tbb": ("oneTBB, loop by hand", "#009E73", "..."),
    "numpy": ("NumPy", "#CC79A7", ""),
    "serial": ("one thread", "#999999", ""),
}
OPERATIONS = ["sum", "plain_sum", "min", "max", "argmax", "var", "stats", "top10"]
TYPES = ["float32", "float64", "int32", "int8"]
ORDERED = [("hash", "bytes"), ("hash_by_runs", "bytes"), ("product", "matrix"),
           ("first_last", "int32"), ("longest_run", "int32"), ("run_by_runs", "int32")]


def rows_of(path):
    found = {}
    for row in figures.rows_in(path):
        if row["pages"] == "huge":  # the first: the library runs once more beside the tool
            found.setdefault((row["op"], row["dtype"], row["path"]), row)
    return found


def share_of(row):
    """The smaller of the shares by medians and undisturbed (5th percentiles): the bandwidth of a
    shared machine changes in mid-run, and either alone may favour one side."""
    return min(row["share"], row["undisturbed_share"], 1.2)


def draw(axes, rows, groups, labels, title):
    width = 0.8 / len(PATHS)
    for number, (path, (name, colour, hatch)) in enumerate(PATHS.items()):
        places, shares = [], []
        for place, group in enumerate(groups):
            if row := rows.get((*group, path)):
                places.append(place + (number - (len(PATHS) - 1) / 2) * width)
                shares.append(share_of(row))
        axes.bar(places, shares, width, label=name, color=colour, hatch=hatch, edgecolor="white",
                 linewidth=0.3)
        for place, share in zip(places, shares):
            if share < 0.05:  # a bar too low to be seen
                axes.text(place, share + 0.01, f"{share:.2f}", rotation=90, fontsize=5,
                          ha="center", va="bottom", color="#444444")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xticks(range(len(groups)), labels, fontsize=8)
    axes.set_ylim(0, 1.25)
    axes.set_xlim(-0.6, len(groups) - 0.4)
    axes.set_ylabel("share of the\nread bandwidth", fontsize=8)
    axes.tick_params(axis="y", labelsize=7)
    axes.set_title(title, fontsize=9, loc="left")
    figures.open_axes(axes)


def main():
    pyplot = figures.pyplot_of("plot.py")
    from matplotlib.patches import Patch

    source, picture = figures.asked("reduce_cpu", "cpu_reduce.png", __doc__)
    rows = rows_of(source)
    parts = []
    for dtype in TYPES:
        groups = [(op, dtype) for op in OPERATIONS if (op, dtype, "header") in rows]
        parts.append((groups, [op for op, _ in groups], dtype))
    groups = [group for group in ORDERED if (*group, "header") in rows]
    parts.append((groups, [f"{op}\n({dtype})" for op, dtype in groups], "ordered folds"))
    parts = [part for part in parts if part[0]]

    figure, all_axes = pyplot.subplots(len(parts), 1, figsize=(9, 2.1 * len(parts)), squeeze=False)
    for axes, part in zip(all_axes[:, 0], parts):
        draw(axes, rows, *part)
    handles = [Patch(facecolor=colour, hatch=hatch, edgecolor="white", linewidth=0.3, label=name)
               for name, colour, hatch in PATHS.values()]
    figure.legend(handles=handles, ncol=3, fontsize=8, frameon=False, loc="upper center",
                  bbox_to_anchor=(0.5, 0.985))
    any_row = next(iter(rows.values()))
    figure.suptitle(f"Reductions of {any_row['bytes'] >> 20} MiB in memory, {any_row['num_cores']} "
                    f"cores ({any_row['processor']}), 1 = a tuned read loop", fontsize=10, y=0.998)
    figure.tight_layout(rect=(0, 0, 1, 0.955))
    figures.save(figure, picture)


if __name__ == "__main__":
    main()
