"""Control groups of memory, of version 1 or 2, for tests that may make one."""

import contextlib
import os
import subprocess
import time
from pathlib import Path

LIMITS = ["memory.max", "memory.limit_in_bytes"]
PEAKS = ["memory.peak", "memory.max_usage_in_bytes"]
NO_SWAP = ["memory.swap.max", "memory.swappiness"]  # both are 0 then


def mounts():
    """(version, folder) of each hierarchy that can limit memory."""
    for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines():
        _, folder, kind, options = line.split()[:4]
        if kind == "cgroup2":
            yield 2, Path(folder)
        elif kind == "cgroup" and "memory" in options.split(","):
            yield 1, Path(folder)


def own_group(version):
    """The group of this process, as a path below its hierarchy."""
    for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "" if version == 2 else "memory" in controllers.split(","):
            return path.lstrip("/")
    return ""


def parents():
    """Groups below which one may be possible: this process's own, then those that it is in.

    One of version 2 limits memory only if its parent says so; and a parent that does has no processes but in the root.
    """
    named = os.environ.get("MONOFOLD_MEMORY_GROUP")
    if named is not None:
        yield Path(named)
        return
    for version, root in mounts():
        group = root / own_group(version)
        for folder in [group, *group.parents]:
            yield folder
            if folder == root:
                break


def write(path, value):
    path.write_text(str(value), encoding="ascii")


def remove(group):
    for _ in range(100):  # the last process may still be on its way out
        try:
            group.rmdir()
            return
        except OSError:
            time.sleep(0.02)
    group.rmdir()


class Group:
    """A group that is there."""

    def __init__(self, path):
        self.path = path

    def enter(self):
        """What a child process calls."""
        write(self.path / "cgroup.procs", os.getpid())

    def peak_bytes(self):
        """The most that was taken, cached pages of files too, or None where nobody knows."""
        for name in PEAKS:
            if (self.path / name).exists():
                return int((self.path / name).read_text(encoding="ascii"))
        return None


def remove_stale(parent):
    """Groups of tests that were killed: empty ones whose process is gone."""
    with contextlib.suppress(OSError):
        for group in list(parent.glob("monofold_*")):
            pid = group.name.removeprefix("monofold_")
            if pid.isdecimal() and not Path("/proc", pid).exists():
                with contextlib.suppress(OSError):
                    group.rmdir()


def made(group, limit_bytes):
    """Whether there is such a group with a limit, which processes can enter."""
    try:
        group.mkdir()
    except OSError:
        return False
    try:
        write(next(group / name for name in LIMITS if (group / name).exists()), limit_bytes)
        for name in NO_SWAP:
            if (group / name).exists():
                write(group / name, 0)
        subprocess.run(["true"], preexec_fn=Group(group).enter, check=True)
        return True
    except (OSError, StopIteration, subprocess.SubprocessError):
        remove(group)
        return False


@contextlib.contextmanager
def limited(limit_bytes):
    """A `Group` with a limit, or None where there can be none."""
    folders = list(parents())
    for folder in folders:
        remove_stale(folder)
    paths = (folder / f"monofold_{os.getpid()}" for folder in folders)
    path = next((one for one in paths if made(one, limit_bytes)), None)
    try:
        yield path and Group(path)
    finally:
        if path:
            remove(path)
