"""Ranks of MPI: mpi_program.py on several of them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def mpirun():
    """How programs of mpi4py's MPI are started; skips where there is none."""
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as why:
        pytest.skip(f"no mpi4py, or no MPI: {why}")
    name = "openmpi" if "Open MPI" in MPI.Get_library_version() else "mpich"
    found = shutil.which(f"mpirun.{name}") or shutil.which("mpirun")
    if found is None:
        pytest.skip("no mpirun")
    return [found, *(["--oversubscribe", "--allow-run-as-root"] if name == "openmpi" else [])]


@pytest.mark.parametrize("ranks", (1, 3))
def test_program(ranks):
    program = Path(__file__).with_name("mpi_program.py")
    done = subprocess.run([*mpirun(), "-n", str(ranks), sys.executable, program], capture_output=True, text=True,
                          timeout=120, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{ranks} ranks are one\n"
