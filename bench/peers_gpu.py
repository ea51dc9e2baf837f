#!/usr/bin/env python3
"""PyTorch and CuPy on the reductions of bench_reduce_gpu, in rows of the same form.

usage: peers_gpu.py [RESULTS.jsonl]      rows of what is installed; adds them to a file of rows
                                         that bench_reduce_gpu --json has just written

Times are device times, by events around calls that follow each other, medians of 15. Items are
uniform random; every result that is timed is checked against a sum in float64, in pieces, or
against the item at the place that it names.
"""

import json
import math
import statistics
import sys

import figures

SIZES = [1 << 20, 256 << 20, 4 << 30]
SAMPLES = 15
PIECE = 1 << 26  # items


class TorchPeer:
    """PyTorch's reductions of one array."""

    DTYPES = ["float32", "float64", "float16", "bfloat16", "int8", "int32", "int64"]

    def __init__(self):
        import torch

        torch.cuda.init()
        self.torch = torch
        self.name = "torch " + ".".join(torch.__version__.split(".")[:2])
        self.device = torch.cuda.get_device_name()

    def items(self, dtype, count):
        kind = getattr(self.torch, dtype)
        self.torch.manual_seed(1)
        if dtype.startswith("int"):
            limits = self.torch.iinfo(kind)
            return self.torch.randint(limits.min // 2, limits.max // 2, (count,), dtype=kind,
                                      device="cuda")
        made = self.torch.empty(count, dtype=kind, device="cuda")
        return made.uniform_(-1, 1)

    def pieces(self, x):
        return (x[at : at + PIECE] for at in range(0, len(x), PIECE))

    def calls(self, dtype):
        torch = self.torch
        calls = {"sum" if dtype.startswith("int") else "plain_sum": torch.sum}
        if dtype in ("float32", "float64", "bfloat16", "int32"):
            calls["argmax"] = torch.argmax
        if dtype in ("float32", "bfloat16"):
            calls["top10"] = lambda x: torch.topk(x, 10).values
        return calls

    def halves(self, x):
        """Sums of the high and of the low 32 bits of integers."""
        x = x.to(self.torch.int64)
        return int((x >> 32).sum()), int((x & 0xFFFFFFFF).sum())

    def is_right(self, op, x, got):
        if op == "sum":
            return is_integer_sum(got, [self.halves(p) for p in self.pieces(x)])
        if op == "argmax":
            best = max(float(p.max()) for p in self.pieces(x))
            return float(x[int(got)]) == best
        if op == "top10":
            held = self.torch.cat([self.torch.sort(p, descending=True).values[:10]
                                   for p in self.pieces(x)])
            return self.torch.equal(self.torch.sort(held, descending=True).values[:10], got)
        return is_near(got, self.pieces(x), lambda p: p.double().sum(), len(x))

    def time(self, call, x, repeats):
        start = self.torch.cuda.Event(enable_timing=True)
        end = self.torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(repeats):
            call(x)
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e6 / repeats


class CupyPeer:
    """CuPy's reductions of one array."""

    DTYPES = ["float32", "float64", "float16", "int8", "int32", "int64"]

    def __init__(self):
        import cupy

        self.cupy = cupy
        self.name = "cupy " + ".".join(cupy.__version__.split(".")[:2])
        self.device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()

    def items(self, dtype, count):
        cupy = self.cupy
        cupy.random.seed(1)
        made = cupy.empty(count, dtype=dtype)
        for at in range(0, count, PIECE):
            part = cupy.random.random(min(PIECE, count - at), dtype="float32") * 2 - 1
            if dtype.startswith("int"):
                part = part * (cupy.iinfo(dtype).max // 2)
            made[at : at + PIECE] = part.astype(dtype)
        return made

    def pieces(self, x):
        return (x[at : at + PIECE] for at in range(0, len(x), PIECE))

    def calls(self, dtype):
        calls = {"sum" if dtype.startswith("int") else "plain_sum": lambda x: x.sum()}
        if dtype in ("float32", "float64", "int32"):
            calls["argmax"] = lambda x: x.argmax()
        return calls

    def halves(self, x):
        """Sums of the high and of the low 32 bits of integers."""
        x = x.astype("int64")
        return int((x >> 32).sum()), int((x & 0xFFFFFFFF).sum())

    def is_right(self, op, x, got):
        if op == "sum":
            return is_integer_sum(got, [self.halves(p) for p in self.pieces(x)])
        if op == "argmax":
            return float(x[int(got)]) == max(float(p.max()) for p in self.pieces(x))
        return is_near(got, self.pieces(x), lambda p: p.astype("float64").sum(), len(x))

    def time(self, call, x, repeats):
        start, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        start.record()
        for _ in range(repeats):
            call(x)
        end.record()
        end.synchronize()
        return self.cupy.cuda.get_elapsed_time(start, end) * 1e6 / repeats


def is_integer_sum(got, halves):
    """Peers sum integers in 64 bits, which wrap."""
    return (int(got) - sum(high * 2**32 + low for high, low in halves)) % 2**64 == 0


def is_near(got, pieces, add, count):
    """A sum within the last place of bfloat16, or of what a running sum of float32 loses."""
    right = sum(float(add(p)) for p in pieces)
    if math.isinf(float(got)) and str(got.dtype).endswith(".float16"):
        return abs(right) > 65000  # more than a float16 holds
    return abs(float(got) - right) <= 2**-8 * abs(right) + 1e-3 * count**0.5


def rows_of(peer, limits):
    commit = figures.commit()
    for dtype in peer.DTYPES:
        for size in SIZES:
            x = None
            for op, call in peer.calls(dtype).items():
                width = 2 if dtype.endswith("16") else 1 if dtype == "int8" else int(dtype[-2:]) // 8
                try:
                    x = peer.items(dtype, size // width) if x is None else x
                    is_right = peer.is_right(op, x, call(x))
                except Exception as error:  # what a peer cannot do is no result of ours
                    print(f"{peer.name} {op} {dtype} {size}: {str(error)[:100]}", file=sys.stderr)
                    continue
                if not is_right:
                    print(f"{peer.name} {op} {dtype} {size}: wrong result", file=sys.stderr)
                repeats = 40 if size <= 16 << 20 else 4
                samples = sorted(peer.time(call, x, repeats) for _ in range(SAMPLES))
                median = statistics.median(samples)
                row = {"suite": "reduce_gpu", "op": op, "dtype": dtype, "path": peer.name,
                       "bytes": size, "pages": "device", "num_samples": SAMPLES,
                       "median_ns": round(median), "p05_ns": round(samples[0]),
                       "p95_ns": round(samples[-1]), "gbps": round(size / median, 3),
                       "is_right": is_right, "instruction_set": peer.device, "commit": commit}
                if (op, dtype, size) in limits:
                    limit = limits[op, dtype, size]
                    row.update(read_limit_gbps=limit, share=round(size / median / limit, 4))
                yield row


def main():
    limits = {}
    out = None
    if len(sys.argv) > 1:
        with open(sys.argv[1], encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                if row["path"] == "gpu":
                    limits[row["op"], row["dtype"], row["bytes"]] = row["read_limit_gbps"]
        out = open(sys.argv[1], "a", encoding="utf-8")
    num_wrong = 0
    for kind in (TorchPeer, CupyPeer):
        try:
            peer = kind()
        except Exception as error:  # not installed, or without a GPU
            print(f"{kind.__name__}: {error}", file=sys.stderr)
            continue
        for row in rows_of(peer, limits):
            num_wrong += not row["is_right"]
            print(f"{row['op']:10} {row['dtype']:9} {row['bytes'] >> 20:6}M {row['path']:12} "
                  f"{row['median_ns'] / 1000:11.2f} us {row['gbps']:8.1f} GB/s"
                  f"{'' if row['is_right'] else '  WRONG'}", flush=True)
            if out is not None:
                out.write(json.dumps(row) + "\n")
    return 1 if num_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
