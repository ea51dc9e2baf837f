#!/usr/bin/env python3
"""What the product weighs, so that weight cannot come back unseen. Bounds of sizes and of lines leave
room; those of kernels, functions and files are what was measured, or hardly more, when they were last set.
Whoever needs more says why in the commit that raises a bound."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.environ["MONOFOLD_TOOL"]
BUILD = os.path.dirname(os.path.dirname(TOOL))
COMPILER = os.environ.get("CXX", "g++")

MOST_TOOL_MB = 12
MOST_LIBRARY_MB = 14       # libmonofold.a, 12.4 when this was set
MOST_EMULATED_MB = 9.7     # libmonofold_emulated.so, its kernels for the emulated device; 0.3 for variances of rows, 0.1
                           # for rows in stretches, 0.1 for rows of few items without calls, 0.1 for columns by doubles
MOST_GPU_MB = {"monofold_gpu": 41, "monofold_gpu_rows": 46}  # kernels for one architecture; 39.0 and 43.8 on Hopper
MOST_KERNELS = 188         # of libmonofold's folds, in the library of kernels; the ladder's are its own
MOST_ROW_KERNELS = 225     # of rows, in a library of their own for GPUs; 18 are of logsumexp, 8 find the k best, 24 are of
                           # extrema without their places, 14 are for rows of whole chunks, 12 add rows or columns by
                           # doubles
MOST_KEY_KERNELS = 19      # that group keys and move items, in that library; CUB's, which sort, are its own
MOST_FUNCTIONS = 9_705     # of libmonofold, what it takes to compile it; 200 for scans and windows, 105 for dot, 25 for
                           # states that are settled, joined in place and sealed by the processor's products, 20 for
                           # those of exact sums as words, 13 for items of each key side by side
MOST_LOOPS = 1_855         # of those, compiled once for each instruction set: loops and what they call
MOST_HOST_LINES = 54_000   # after preprocessing: what each source that includes it reads
MOST_DEVICE_LINES = 68_000
# What the tool may load at its start: each library costs that, and some far more.
LIBRARIES = {"libtbb", "libfmt", "libz", "libstdc++", "libm", "libgcc_s", "libc"}
MOST_FILES_OF_A_CALL = 25  # that a reader of the call below goes through: see CONTRIBUTING.md, which says how many run

A_CALL = """
#include "monofold/emulated.cuh"
#include <span>
// More items than few; a few bins hold them, then not.
int main() {
  constexpr int n = (1 << 20) + 4;
  float* x = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&x), n * sizeof(float)) != cudaSuccess) return 1;
  const std::span<const float> range(x, n);
  for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i % 1000);
  static_cast<void>(monofold::reduce(monofold::gpu, range, monofold::sum));
  for (int i = 0; i < n; i += 3) x[i] = i % 2 == 0 ? 1e30f : 1e-30f;
  static_cast<void>(monofold::reduce(monofold::gpu, range, monofold::sum));
}
"""


def symbols(path):
    listed = subprocess.run(["nm", "-C", "--defined-only", path], capture_output=True, text=True,
                            check=True)
    return [line.split(" ", 2)[2] for line in listed.stdout.splitlines()
            if len(line.split(" ", 2)) == 3 and line.split(" ", 2)[1] in "tTwW"]


def preprocessed_lines(header, *flags):
    done = subprocess.run([COMPILER, "-std=c++20", "-E", "-P", "-x", "c++", *flags,
                           f"-I{TREE}/include", "-"], input=f'#include "{header}"\n',
                          capture_output=True, text=True, check=True)
    return done.stdout.count("\n")


def files_of_a_call(folder):
    """The headers of which lines run in A_CALL, on the host and on the emulated device."""
    with open(os.path.join(folder, "call.cpp"), "w", encoding="utf-8") as source:
        source.write(A_CALL)
    subprocess.run(
        [COMPILER, "-std=c++20", "-O0", "-w", "--coverage", "-c", "-DMONOFOLD_EMULATED=1",
         f"-I{TREE}", f"-I{TREE}/emulation/cuda", f"-I{TREE}/include",
         # Blocks that wait for others let them run where the device sees their accesses.
         "-fsanitize=thread", "-U__SANITIZE_THREAD__", "--param", "tsan-distinguish-volatile=1",
         "--param", "tsan-instrument-func-entry-exit=0", "-include", "emulation/builtins.hpp",
         "-include", "emulation/copies.hpp", "call.cpp"], cwd=folder, check=True)
    subprocess.run([COMPILER, "--coverage", "call.o", f"{BUILD}/libmonofold_emulation.a",
                    "-lboost_context", "-lpthread", "-o", "call"], cwd=folder, check=True)
    subprocess.run(["./call"], cwd=folder, check=True, timeout=300)
    notes = next(name for name in os.listdir(folder) if name.endswith(".gcda"))
    found = subprocess.run(["gcov", "--json-format", "--stdout", notes], cwd=folder, check=True,
                           capture_output=True, text=True)
    files = json.loads(found.stdout)["files"]
    root = f"{TREE}/include/monofold/"
    return {file["file"][len(root):] for file in files if file["file"].startswith(root)
            and any(line["count"] > 0 for line in file["lines"])}


class Weight(unittest.TestCase):

    def at_most(self, found, most, what):
        print(f"{what}: {found} of {most}")
        self.assertGreater(found, 0, what)
        self.assertLessEqual(found, most, what)

    def test_the_tool_is_small(self):
        self.at_most(os.path.getsize(TOOL) / 1e6, MOST_TOOL_MB, "MB of the tool")

    def test_the_libraries_are_small(self):
        sizes = {}
        for name in ("libmonofold.a", "libmonofold_emulated.so"):
            library = os.path.join(BUILD, "lib", name)
            sizes[name] = os.path.getsize(library) / 1e6 if os.path.exists(library) else None
        if sizes["libmonofold.a"] is not None:  # not a shared library here
            self.at_most(sizes["libmonofold.a"], MOST_LIBRARY_MB, "MB of libmonofold.a")
        if os.environ.get("MONOFOLD_HAS_EMULATED") == "1":
            self.at_most(sizes["libmonofold_emulated.so"], MOST_EMULATED_MB, "MB of libmonofold_emulated.so")

    def test_the_tool_starts_with_few_libraries(self):
        listed = subprocess.run(["objdump", "-p", TOOL], capture_output=True, text=True, check=True)
        needed = set(re.findall(r"NEEDED +(lib.+?)\.so", listed.stdout))
        self.assertIn("libc", needed)
        self.assertEqual(needed - LIBRARIES, set())

    def test_kernels_are_few(self):
        library = os.path.join(BUILD, "lib", "libmonofold_emulated.so")
        if os.environ.get("MONOFOLD_HAS_EMULATED") != "1":
            self.skipTest("no emulated device in this build")
        kernels = {name for name in symbols(library)
                   if re.match(r"(void )?monofold::detail::\w+_kernel<", name)
                   and "monofold::ladder::" not in name}
        of_rows = {name for name in kernels
                   if re.search(r"_job<monofold::runtime::(row|halves)_|::top_job<", name)}
        of_keys = {name for name in kernels - of_rows
                   if re.search(r"::(at_each|\w+_starts|add_counts)_kernel<|::word_range_fold<|::last_value\b",
                                name)}
        self.at_most(len(kernels - of_rows - of_keys), MOST_KERNELS, "kernels")
        self.at_most(len(of_keys), MOST_KEY_KERNELS, "kernels that group keys")
        self.at_most(len(of_rows), MOST_ROW_KERNELS, "kernels of rows")

    def test_libraries_of_kernels_are_small(self):
        found = {name: path for name in MOST_GPU_MB
                 if os.path.exists(path := os.path.join(BUILD, "lib", f"lib{name}.so"))}
        if not found:
            self.skipTest("no libraries of a GPU's kernels here")
        with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as cache:
            if re.search(r"^MONOFOLD_CUDA_ARCHITECTURES:\w+=.*;", cache.read(), re.MULTILINE):
                self.skipTest("kernels for several architectures")
        for name, path in found.items():
            self.at_most(os.path.getsize(path) / 1e6, MOST_GPU_MB[name], f"MB of lib{name}.so")

    def test_only_loops_are_compiled_for_instruction_sets(self):
        library = os.path.join(BUILD, "lib", "libmonofold.a")
        if not os.path.exists(library):
            self.skipTest("libmonofold is a shared library here")
        functions = symbols(library)
        self.at_most(len(functions), MOST_FUNCTIONS, "functions of libmonofold")
        loops = [name for name in functions if re.search(r"::N_(AVX\w+|EMU128|SSE\w+|SCALAR)::", name)]
        self.at_most(len(loops), MOST_LOOPS, "functions for one instruction set")

    def test_headers_are_short_to_read(self):
        self.at_most(preprocessed_lines("monofold/monofold.hpp"), MOST_HOST_LINES,
                     "lines of monofold.hpp")
        emulated = ["-DMONOFOLD_EMULATED=1", f"-I{TREE}", f"-I{TREE}/emulation/cuda",
                    "-include", "emulation/builtins.hpp"]
        self.at_most(preprocessed_lines("monofold/monofold.cuh", *emulated), MOST_DEVICE_LINES,
                     "lines of monofold.cuh")

    def test_a_call_goes_through_few_files(self):
        if os.environ.get("MONOFOLD_HAS_EMULATED") != "1" or not shutil.which("gcov"):
            self.skipTest("no emulated device in this build, or no gcov")
        with open(os.path.join(TREE, "CONTRIBUTING.md"), encoding="utf-8") as page:
            section = page.read().split("## Two calls")[1].split("`monofold mean,max file`")[0]
        text, table = section.split("|---|---|")
        listed = set(re.findall(r"`([\w/]+\.(?:hpp|cuh))`", table))
        with tempfile.TemporaryDirectory() as folder:
            run = files_of_a_call(folder)
        # What the text above the table does not count.
        met = {file for file in run if not file.startswith(("platform/", "level/"))
               and os.path.basename(file) not in text}
        self.assertEqual(met, listed)
        self.assertIn(f"code of {len(run)} files of `I/` runs. A reader goes through {len(listed)} of them", text)
        self.at_most(len(listed), MOST_FILES_OF_A_CALL, "files of a call")

    def test_sources_without_kernels_are_not_for_nvcc(self):
        for folder in ("runtime/gpu", "runtime/gpu/rows", "ladder"):
            for name in sorted(os.listdir(os.path.join(TREE, folder))):
                if not name.endswith(".cu"):
                    continue
                with open(os.path.join(TREE, folder, name), encoding="utf-8") as source:
                    self.assertRegex(source.read(), r"make_device_pass_for<|make_rung_runner<|make_row_pass_of<|"
                                     r"top_rows_path<|start_view\(|::key_sort<|::at_each\(", name)


if __name__ == "__main__":
    unittest.main()
