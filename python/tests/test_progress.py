"""Progress: shown in long work, in a terminal or a notebook, and nowhere else."""

import io
import re
import sys
import types

import monofold as mf
import numpy as np
import pytest
from monofold._progress import line_of

LONG = np.broadcast_to(1.0, 2**27)  # a gigabyte, of eight bytes of memory


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(mf.progress, "_first", 0.0)
    monkeypatch.setattr(mf.progress, "_again", 0.0)


BYTES = np.zeros(2**29 + 1, "int8")  # of memory that nobody wrote
CALLS = {
    "strided": lambda: mf.sum(LONG),
    "stats": lambda: mf.stats(LONG),
    "pushed": lambda: mf.State(mf.max, "float64").push(LONG),
    "rows": lambda: mf.sum(LONG.reshape(2, -1), axis=1),
    "dot": lambda: mf.dot(LONG, LONG),
    "windows": lambda: mf.rolling(BYTES, 2, mf.max),
    "segments": lambda: mf.segmented_reduce(LONG, mf.max, np.arange(0, LONG.size + 1, 2**25)),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_long_calls_say_how_far_they_are(call, at_once):
    file = io.StringIO()
    with mf.progress(LONG, file=file):
        call()
    shares = [int(share) for share in re.findall(r"(\d+) %", file.getvalue())]
    assert len(shares) >= 2 and shares == sorted(shares) and 20 <= shares[0] and shares[-1] <= 100
    assert file.getvalue().endswith(" \r")  # wiped out
    told = file.getvalue()
    call()
    assert file.getvalue() == told


def test_scans_say_how_far_they_are(at_once):
    x = np.ones(2**17)  # of which deviations take some tenths of a second
    file = io.StringIO()
    with mf.progress(x, file=file):
        mf.scan(x, mf.std)
    shares = [int(share) for share in re.findall(r"(\d+) %", file.getvalue())]
    assert shares and shares == sorted(shares) and shares[-1] <= 100


def test_groups_tell_of_themselves_at_their_end(at_once):
    x = np.zeros(2**24)
    file = io.StringIO()
    with mf.progress(x.nbytes + 8 * x.size, file=file):
        mf.group_by(np.zeros(x.size, int), x, mf.sum)
    assert re.findall(r"(\d+) %", file.getvalue()) == ["100"]


def test_short_work_shows_nothing(monkeypatch):
    assert mf.progress._first == 1.0
    monkeypatch.setattr(mf.progress, "_first", 3600.0)  # seconds, which no machine needs for this
    file = io.StringIO()
    with mf.progress(file=file):
        mf.sum(np.ones(1000))
        mf.sum(LONG)
    assert file.getvalue() == ""


def test_only_where_somebody_looks(at_once, monkeypatch, capsys):
    with mf.progress():
        mf.sum(LONG)
    assert capsys.readouterr() == ("", "")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with mf.progress():
        mf.sum(LONG)
    assert "GB/s" in terminal.getvalue()


def test_notebook(at_once, monkeypatch):
    pages = []
    cell = types.SimpleNamespace(update=pages.append)
    shown = types.SimpleNamespace(HTML=str, display=lambda page, display_id: pages.append(page) or cell)
    shell = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=True), display=shown)
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", shown)
    with mf.progress(LONG):
        mf.sum(LONG)
    assert len(pages) >= 3 and f'max="{LONG.nbytes}"' in pages[0] and pages[-1] == ""


def test_blocks_in_blocks_and_failures(at_once):
    outer, inner = io.StringIO(), io.StringIO()
    with mf.progress(file=outer):
        with pytest.raises(mf.NanFound), mf.progress(10**12, file=inner):
            mf.sum(np.broadcast_to(np.nan, 2**27), nan="raise")
        assert "1000.0 GB" in inner.getvalue() and outer.getvalue() == ""
        mf.sum(LONG)
    assert "%" not in outer.getvalue() and "GB/s" in outer.getvalue()


def test_line():
    with pytest.raises(TypeError, match="bytes"):
        mf.progress("large.npy")
    assert line_of(5 * 10**9, 20 * 10**9, 2.0) == "5.0 of 20.0 GB  25 %  2.50 GB/s  6 s left"
    assert line_of(5 * 10**8, None, 1.0) == "0.5 GB  0.50 GB/s"
