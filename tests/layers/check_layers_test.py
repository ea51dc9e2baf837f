"""tools/check_layers.py finds each planted violation, and nothing in a clean tree."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKER = Path(__file__).parents[2] / "tools" / "check_layers.py"


def header(name, *includes):
    return f"#pragma once\n/// {name}: says what it answers.\n\n" + "".join(
        f"#include {include}\n" for include in includes)


ROOT = "include/monofold/"
CLEAN = {
    ROOT + "platform/status.hpp": header("platform/status", "<string>", "<vector>"),
    ROOT + "fold/sum.hpp": header("fold/sum", '"monofold/platform/status.hpp"', "<cstdint>"),
    ROOT + "plan/tiles.hpp": header("plan/tiles", '"monofold/fold/sum.hpp"'),
    ROOT + "level/shuffle.cuh": header("level/shuffle"),
    ROOT + "level/warp.cuh": header("level/warp", '"monofold/level/shuffle.cuh"'),
    ROOT + "level/block_scan.cuh": header("level/block_scan", '"monofold/level/warp.cuh"'),
    ROOT + "engine/gpu/tree/fold.cuh": header("engine/gpu/tree/fold", '"monofold/level/warp.cuh"'),
    ROOT + "engine/gpu/dispatch.cuh": header(
        "engine/gpu/dispatch", '"monofold/engine/gpu/tree/fold.cuh"'),
    ROOT + "engine/detail/pool.hpp": header("engine/detail/pool"),
    ROOT + "engine/cpu.hpp": header("engine/cpu", '"monofold/engine/detail/pool.hpp"', "<thread>"),
    ROOT + "engine/mpi.hpp": header("engine/mpi", '"monofold/engine/cpu.hpp"', "<mpi.h>"),
    ROOT + "engine/choose.hpp": header("engine/choose", '"monofold/engine/cpu.hpp"'),
    ROOT + "reduce.hpp": header("reduce", '"monofold/engine/cpu.hpp"'),
    ROOT + "monofold.h": "#ifndef MONOFOLD_H\n#define MONOFOLD_H\n#endif\n",
    "emulation/launch.hpp": header("emulation/launch", '"monofold/platform/status.hpp"'),
    ROOT + "engine/gpu/launch.cuh": header("engine/gpu/launch", '"emulation/launch.hpp"'),
    "runtime/table.hpp": header("runtime/table", '"monofold/reduce.hpp"'),
    "runtime/table.cpp": '#include "runtime/table.hpp"\n#include <hwy/highway.h>\n',
    "cli/report.hpp": header("cli/report", "<iostream>"),
    "cli/main.cpp": '#include "report.hpp"\n#include "monofold/platform/status.hpp"\n',
    "tests/engine/pool_test.cpp": '#include "monofold/engine/detail/pool.hpp"\n',
    "tools/count.py": "pass\n",
    "build/generated_utils.cpp": '#include "nowhere.hpp"\n',
}


def check(changes):
    """The checker's exit code and output for the clean tree with `changes` made to it."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**CLEAN, **changes}.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        run = subprocess.run([sys.executable, CHECKER, folder], capture_output=True, text=True,
                             check=False)
        return run.returncode, run.stdout + run.stderr


class CheckLayers(unittest.TestCase):
    def finds(self, name, text, *wanted):
        """Adding this one file makes exactly one violation, which says all of `wanted`."""
        code, output = check({name: text})
        self.assertEqual(code, 1, output)
        self.assertIn(" 1 violations", output)
        for piece in wanted:
            self.assertIn(piece, output)

    def test_clean_tree(self):
        code, output = check({})
        self.assertEqual((code, output), (0, f"{len(CLEAN) - 1} files, 0 violations\n"))

    def test_empty_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, CHECKER, folder], capture_output=True, check=False)
            self.assertEqual(run.returncode, 1)

    def test_emulation_by_another_door(self):
        self.finds(ROOT + "engine/gpu/wait.cuh",
                   header("engine/gpu/wait", '"emulation/launch.hpp"'),
                   "engine/gpu/wait.cuh:4: engine/ may not include emulation/")
        self.finds("emulation/bad.hpp", header("emulation/bad", '"monofold/fold/sum.hpp"'),
                   "emulation/bad.hpp:4: emulation/ may not include fold/")

    def test_upward_include(self):
        self.finds(ROOT + "fold/bad.hpp", header("fold/bad", '"monofold/plan/tiles.hpp"'),
                   "fold/bad.hpp:4: fold/ may not include plan/")
        self.finds(ROOT + "engine/bad.hpp", header("engine/bad", '"monofold/reduce.hpp"'),
                   "engine/ may not include api/")

    def test_include_in_angle_brackets_or_relative(self):
        self.finds(ROOT + "fold/bad.hpp", header("fold/bad", "<monofold/plan/tiles.hpp>"),
                   "fold/ may not include plan/")
        self.finds(ROOT + "fold/bad.hpp", header("fold/bad", '"../plan/tiles.hpp"'),
                   "fold/ may not include plan/")

    def test_program_below_public(self):
        self.finds("cli/bad.cpp", '#include "monofold/engine/cpu.hpp"\n',
                   "cli/ may not include engine/")
        self.finds("bench/bad.cpp", '#include "monofold/engine/cpu.hpp"\n',
                   "bench/ may not include engine/")

    def test_level_scopes(self):
        self.finds(ROOT + "level/thread.cuh", header("level/thread", '"monofold/level/warp.cuh"'),
                   "scope thread may only include narrower scopes, not warp")
        self.finds(ROOT + "level/mailbox.cuh", header("level/mailbox"), "named for its scope")

    def test_engines_sideways(self):
        self.finds(ROOT + "engine/gpu/grid.cuh",
                   header("engine/gpu/grid", '"monofold/engine/cpu.hpp"'),
                   "engine gpu may not include engine cpu")
        self.finds(ROOT + "engine/cpu_grid.cuh",
                   header("engine/cpu_grid", '"monofold/engine/gpu/launch.cuh"'),
                   "engine cpu may not include engine gpu")
        code, output = check({ROOT + "engine/gpus/devices.cuh": header(
            "engine/gpus/devices", '"monofold/engine/gpu/dispatch.cuh"')})
        self.assertEqual(code, 0, output)

    def test_families_sideways(self):
        tree = '"monofold/engine/gpu/tree/fold.cuh"'
        self.finds(ROOT + "engine/gpu/top/pick.cuh", header("engine/gpu/top/pick", tree),
                   "engine/gpu/tree/ is seen by the dispatch alone")
        self.finds(ROOT + "reduce.cuh", header("reduce", tree), "seen by the dispatch alone")
        code, output = check({
            ROOT + "engine/gpu/tree/tile.cuh": header("engine/gpu/tree/tile", tree),
            "tests/gpu/tree_test.cu": f"#include {tree}\n"})
        self.assertEqual(code, 0, output)

    def test_hpp_includes_cuh(self):
        self.finds(ROOT + "level/core.hpp", header("level/core", '"monofold/level/warp.cuh"'),
                   "a .hpp never includes a .cuh")

    def test_detail_of_another_room(self):
        pool = '"monofold/engine/detail/pool.hpp"'
        self.finds(ROOT + "axis.hpp", header("axis", pool), "detail/ is private to engine/")
        self.finds("runtime/bad.cpp", f"#include {pool}\n", "detail/ is private to engine/")
        self.finds("tests/fold/bad_test.cpp", f"#include {pool}\n", "detail/ is private to engine/")

    def test_cycle(self):
        self.finds(ROOT + "platform/a.hpp", header("platform/a", '"monofold/platform/a.hpp"'),
                   "include cycle: include/monofold/platform/a.hpp -> ")
        code, output = check({
            ROOT + "fold/a.hpp": header("fold/a", '"monofold/fold/b.hpp"'),
            ROOT + "fold/b.hpp": header("fold/b", '"monofold/fold/a.hpp"')})
        self.assertEqual(code, 1)
        self.assertIn("fold/a.hpp -> include/monofold/fold/b.hpp -> include/monofold/fold/a.hpp",
                      output)

    def test_forbidden_headers(self):
        self.finds(ROOT + "fold/bad.hpp", header("fold/bad", "<mpi.h>"), "not include <mpi.h>")
        self.finds(ROOT + "plan/bad.hpp", header("plan/bad", "<vector>"), "not include <vector>")
        self.finds(ROOT + "shape/bad.hpp", header("shape/bad", "<cuda_runtime.h>"), "<cuda_runtime.h>")
        self.finds(ROOT + "engine/bad.hpp", header("engine/bad", "<cstdio>"), "<cstdio>")
        self.finds(ROOT + "engine/bad.cuh", header("engine/bad", "<cub/cub.cuh>"), "<cub/cub.cuh>")
        self.finds(ROOT + "bad.hpp", header("bad", "<iostream>"), "<iostream>")
        self.finds("runtime/bad.cpp", "#include <fmt/core.h>\n", "<fmt/core.h>")

    def test_missing_include(self):
        self.finds("cli/bad.cpp", '#include "monofold/nowhere.hpp"\n', "is not in the tree")
        self.finds("cli/bad.cpp", '#include "CLI/CLI.hpp"\n', "third-party headers take <>")

    def test_names_without_a_room(self):
        self.finds("cli/utils.cpp", "\n", "'utils'")
        self.finds("cli/string_helpers.cpp", "\n", "'string_helpers'")
        self.finds("cli/common/text.cpp", "\n", "'common'")

    def test_unknown_room(self):
        self.finds("extras/a.cpp", "\n", "'extras/' is not in the table of rooms")
        self.finds(ROOT + "extras/a.hpp", header("extras/a"), "'include/monofold/extras/'")

    def test_length(self):
        self.finds("cli/long.cpp", "\n" * 401, "401 lines; at most 400")
        self.finds("tools/long.py", "\n" * 401, "401 lines; at most 400")
        code, output = check({"cli/long.cpp": "\n" * 400})
        self.assertEqual(code, 0, output)

    def test_length_of_a_kernel(self):
        def kernel(num_lines, space=""):
            body = f"{space}  f();\n" * (num_lines - 3)
            return (f"{space}__global__ void __launch_bounds__(64)\n{space}    k(int* x) {{\n{body}"
                    f"{space}}}\n\nvoid f() {{\n" + "  f();\n" * 60 + "}\n")

        self.finds("bench/long.cu", "__global__ void k(int* x);\n" + kernel(51),
                   "long.cu:2: a kernel of 51 lines; at most 50")
        self.finds("bench/long.cu", kernel(51, "  "), "a kernel of 51 lines")
        one_line = "__global__ void k(int* x) { *x = 1; }\n"
        code, output = check({"bench/short.cu": one_line + kernel(50) + one_line})
        self.assertEqual(code, 0, output)

    def test_first_lines_of_a_header(self):
        self.finds(ROOT + "fold/bad.hpp", "/// fold/bad: no guard.\n", "starts with #pragma once")
        self.finds(ROOT + "fold/bad.hpp", header("fold/good"), "must be '/// fold/bad: ")
        self.finds(ROOT + "bad.hpp", "#pragma once\n", "must be '/// bad: ")


if __name__ == "__main__":
    unittest.main()
