#!/usr/bin/env python3
"""Answers along axes of arrays on a GPU, as Python calls them, beside PyTorch's.

usage: peers_axes_gpu.py            prints microseconds of both, and their ratio
       peers_axes_gpu.py rows       the same for 2^28 items in rows of one length, from 1 to all

Medians of device times, by events around calls that follow each other. A call takes the host 8 to 10 us, so shorter
ones show that.
"""

import statistics
import sys

import monofold as mf
import torch

F32, BF16 = torch.float32, torch.bfloat16
SHAPES = [((64, 64, 56, 56), (0, 2, 3)), ((256, 512, 28, 28), (0, 2, 3)), ((256, 2048, 7, 7), (0, 2, 3)),
          ((8, 1024, 4096), (0, 1)), ((4096, 4096), 1), ((65536, 1000), 1), ((1000000, 100), 1), ((4, 1000000), 0),
          ((100, 100000), 0), ((10, 1000000), 0), ((32, 262144), 0), ((128, 128, 256, 64), (1, 3)),
          ((64, 1024, 1024), 1), ((4000000, 16), 1), ((10000000, 4), 1), ((200000, 257), 1), ((200, 65536), 0),
          ((100, 1000000), 0)]
LENGTHS = [1, 2, 3, 8, 32, 100, 512, 1000, 4096, 65537, 1 << 20, 1 << 28]
CALLS = {"plain sum": (mf.plain.sum, torch.sum), "sum": (mf.sum, torch.sum), "mean": (mf.mean, torch.mean),
         "var": (mf.var, torch.var), "max": (mf.max, torch.amax)}


def microseconds(call, calls=30, samples=9):
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(samples):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(calls):
            call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1000 / calls)
    return statistics.median(times)


def main():
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    shapes = [(((1 << 28) // n, n), 1) for n in LENGTHS] if sys.argv[1:] == ["rows"] else SHAPES
    for dtype in (F32, BF16):
        for shape, axis in shapes:
            x = torch.empty(shape, device="cuda").uniform_(-1, 1).to(dtype)
            told = []
            for name, (ours, theirs) in CALLS.items():
                own = microseconds(lambda: ours(x, axis=axis))
                other = microseconds(lambda: theirs(x, axis))
                told.append(f"{name} {own:.1f}/{other:.1f} {own / other:.2f}")
            print(str(dtype)[6:], shape, axis, *told, sep="  ", flush=True)


if __name__ == "__main__":
    main()
