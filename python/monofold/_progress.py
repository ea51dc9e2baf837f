"""How far long calls are, where somebody watches: a line in a terminal, a bar in a notebook."""

import os
import sys
import time
from _thread import RLock  # as threading has it, which takes longer to import than most of what is here

from . import _core

_shown = []  # from the outermost `with` block to the innermost
_turn = RLock()  # a signal's handler may come back here in the midst of it


def _turn_anew():
    global _turn
    _turn = RLock()


os.register_at_fork(after_in_child=_turn_anew)  # another thread of the parent may have had it


def passed(count):
    """The core's word that `count` more bytes were worked on; any thread's."""
    with _turn:
        for one in _shown[-1:]:
            one._add(count)


class progress:
    """Shows how far long calls are while a ``with`` block runs: nothing before the first second, nothing afterwards.

    Counted are calls on more than 256 MiB in memory of the host, of all threads, 256 MiB at a time.

    Parameters
    ----------
    total : array or int, optional
        What is read, or its bytes: for a share and the time left.
    file : text file, optional
        Where lines go; None: standard error where it is a terminal, the cell of a notebook, else nowhere.

    Examples
    --------
    >>> column = numpy.load("large.npy", mmap_mode="r")
    >>> with monofold.progress(column):
    ...     stats = monofold.stats(column)
    """

    _first, _again = 1.0, 0.1  # seconds

    def __init__(self, total=None, *, file=None):
        self._total = total if total is None or isinstance(total, int) else getattr(total, "nbytes", None)
        if self._total is None and total is not None:
            raise TypeError(f"total: an array or a number of bytes, not {type(total).__name__}")
        self._file, self._cell, self._width, self._done = file, None, 0, 0

    def __enter__(self):
        self._done, self._start = 0, time.monotonic()
        self._next = self._start + self._first
        self._is_notebook = self._file is None and _is_notebook()
        with _turn:
            _shown.append(self)
            _core.watch_progress(True)
        return self

    def __exit__(self, *failure):
        with _turn:
            _shown.remove(self)
            _core.watch_progress(bool(_shown))
            self._show("")

    def _add(self, count):
        self._done += count
        now = time.monotonic()
        if now >= self._next:
            self._next = now + self._again
            self._show(line_of(self._done, self._total, now - self._start))

    def _show(self, line):
        if self._is_notebook:
            self._show_in_cell(line)
            return
        file = self._file or sys.stderr
        if self._file is None and not (file and file.isatty()) or not line and not self._width:
            return
        try:
            file.write(f"\r{line:<{self._width}}" + ("" if line else "\r"))
            file.flush()
        except OSError:  # nobody watches any more; the reduction goes on
            return
        self._width = len(line)

    def _show_in_cell(self, line):
        from IPython.display import HTML, display  # noqa: PLC0415: it is there, for this is its notebook

        share = f' value="{self._done}" max="{self._total}"' if self._total else ""
        page = HTML(f"<progress{share}></progress> {line}" if line else "")
        if self._cell is not None:
            self._cell.update(page)
        elif line:
            self._cell = display(page, display_id=True)


def line_of(done, total, seconds):
    """Bytes so far, their rate, and with a total their share and the time left."""
    rate = done / seconds
    if not total:
        return f"{done / 1e9:.1f} GB  {rate / 1e9:.2f} GB/s"
    share, left = 100 * done / total, max(total - done, 0) / rate
    return f"{done / 1e9:.1f} of {total / 1e9:.1f} GB  {share:.0f} %  {rate / 1e9:.2f} GB/s  {left:.0f} s left"


def _is_notebook():
    interactive = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(interactive, "kernel")
