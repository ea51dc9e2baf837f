#!/usr/bin/env python3
"""Builds a wheel of the Python package and tries it as a stranger would, in an environment of its own.

usage: check_wheel.py TREE [PIP_ARGUMENT...]

TREE is a clone or an export of the repository; the arguments are for `pip wheel`. Checked are the wheel's size and
what is in it, that its module and tool need no library that neither it nor a bare system has, and right answers about
a file of NumPy, by the package and by its tool; about a tensor too where the Python that runs this has PyTorch, which
is lent to that environment (it has 5 GB).
"""

import importlib.util
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import venv
import zipfile
from pathlib import Path

MOST_BYTES = 6_000_000
CORE = r"monofold/_core\.cpython-\d+t-[\w-]+\.so" if sysconfig.get_config_var("Py_GIL_DISABLED") else (
    r"monofold/_core\.abi3\.so")
# What every system has on which NumPy's own wheels run. Kernels for GPUs are loaded by those who have a driver.
OF_SYSTEMS = re.compile(r"lib(c|m|stdc\+\+|gcc_s|dl|rt|pthread)\.so\.\d+|ld-linux[\w-]*\.so\.\d+")
NEEDED = {"monofold/__init__.py", "monofold/__init__.pyi", "monofold/py.typed", "monofold/bin/monofold"}

# By a file alone, in an empty folder: nothing of the tree is on the path.
PROGRAM = """
import sys
import numpy as np
import monofold as mf
assert sys.prefix in mf.__file__, mf.__file__
x = np.array([1e100, 1.0, -1e100] * 1000)
np.save("x.npy", x)
assert mf.sum(np.load("x.npy", mmap_mode="r")) == 1000.0 != np.sum(x)
assert mf.mean(x.reshape(1000, 3), axis=1).tolist() == [1 / 3] * 1000
print("NumPy", np.__version__)
"""
TENSOR = """
sys.path.append({lent!r})
import torch
t = torch.from_numpy(x)
assert mf.sum(t) == 1000.0
rows = mf.mean(t.reshape(1000, 3), axis=1)
assert isinstance(rows, torch.Tensor) and rows.tolist() == [1 / 3] * 1000
print("PyTorch", torch.__version__)
"""


def run(*command, **options):
    print("+", *(str(part).partition("\n")[0] or "PROGRAM" for part in command), file=sys.stderr)
    return subprocess.run(command, check=True, **options)


def check_wheel(wheel):
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size} bytes of at most {MOST_BYTES}")
    assert size <= MOST_BYTES, "the wheel is too large"
    with zipfile.ZipFile(wheel) as held:
        names = set(held.namelist())
        about = held.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
    assert NEEDED <= names, f"the wheel has no {NEEDED - names}"
    assert any(re.fullmatch(CORE, name) for name in names), f"the wheel has no {CORE}"
    links = [link for link in re.findall(r"\]\(([^)]*)\)", about) if not link.startswith("https://")]
    assert not links, f"links that lead nowhere on a package index: {links}"


def check_libraries(package):
    """What is linked must be there: beside the module and the tool, where they look first, or on any system."""
    own = {file.name for file in Path(package, "lib").glob("*")}
    for file in filter(Path.is_file, Path(package).rglob("*")):
        if file.read_bytes()[:4] != b"\x7fELF" or file.name.startswith("libmonofold_gpu"):
            continue
        told = subprocess.run(["readelf", "-d", file], check=True, capture_output=True, text=True).stdout
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", told))
        missing = {name for name in needed - own if not OF_SYSTEMS.fullmatch(name)}
        assert not missing, f"{file.name} needs {missing}, which the wheel lacks"
        folder = os.path.relpath(Path(package, "lib"), file.parent)
        assert not needed & own or f"[$ORIGIN/{folder}" in told, f"{file.name} looks elsewhere for {needed & own}"


def main():
    tree, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
        run(*pip, "wheel", "--no-deps", "-w", folder, *arguments, f"{tree}/python")
        wheel, = Path(folder).glob("*.whl")
        check_wheel(wheel)
        venv.create(Path(folder, "own"))  # without a pip: this one serves
        python = Path(folder, "own", "bin", "python")
        run(*pip, "--python", python, "install", "--prefer-binary", wheel)
        package, = Path(folder, "own").glob("lib/python*/site-packages/monofold")
        check_libraries(package)
        program = PROGRAM
        if torch := importlib.util.find_spec("torch"):
            program += TENSOR.format(lent=str(Path(torch.origin).parent.parent))
        empty = Path(folder, "empty")
        empty.mkdir()
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        run(python, "-c", program, cwd=empty, env=clean)
        answer = run(python, "-m", "monofold", "sum", "x.npy", cwd=empty, env=clean, capture_output=True, text=True)
        assert answer.stdout.split() == ["1000"], answer.stdout


if __name__ == "__main__":
    main()
