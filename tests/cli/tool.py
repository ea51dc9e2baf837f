"""Runs the tool whose path is in MONOFOLD_TOOL, for the tests beside this file."""

import json
import math
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
from fractions import Fraction

import numpy as np

TOOL = os.environ.get("MONOFOLD_TOOL", "monofold")
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]


def is_sanitized():
    """Whether the tool has sanitizers, whose shadow memory does not go below a limit of addresses."""
    if not os.path.exists(TOOL):
        return False
    with open(TOOL, "rb") as file:
        text = file.read()
    return b"__asan_init" in text or b"__tsan_init" in text


def run(*words, stdin=b"", **more):
    """Exit code, standard output, standard error."""
    done = subprocess.run([TOOL, *map(str, words)], input=stdin, capture_output=True, timeout=120,
                          **more)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def number(value):
    """What a JSON value of the tool means."""
    return float(value) if isinstance(value, str) else value


def bfloat16_bits(values):
    """float32 values as bfloat16 patterns, rounded to nearest, ties to even."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def bfloat16_values(bits):
    return (np.asarray(bits, np.uint16).astype(np.uint32) << 16).view(np.float32)


def nearest_root(square):
    """The double nearest to the square root of a fraction."""
    if square == 0:
        return 0.0
    # The root of square * 4^shift as an integer of some 120 bits, with a bit for what is left over.
    shift = 120 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    whole = square * Fraction(4)**shift
    root = math.isqrt(whole.numerator // whole.denominator)
    left_over = Fraction(root * root) != whole
    return float(Fraction(2 * root + left_over) / (2 * Fraction(2)**shift))


class ToolTest(unittest.TestCase):
    """A test in a folder of its own, which is the working directory of the tool."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="monofold_")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        mode = "wb" if isinstance(content, bytes) else "w"
        with open(self.path(name), mode) as file:
            file.write(content)
        return name

    def save(self, name, array):
        """A .npy file; arrays of float16 patterns for bfloat16 are raw."""
        np.save(self.path(name), array)
        return name

    def run_tool(self, *words, stdin=b""):
        return run(*words, stdin=stdin, cwd=self.folder)

    def output(self, *words, stdin=b""):
        """Standard output of a run in which all is well."""
        code, out, err = self.run_tool(*words, stdin=stdin)
        self.assertEqual((code, err), (0, ""), words)
        return out

    def json(self, *words, stdin=b""):
        """The objects that --json prints."""
        out = self.output(*words, "--json", stdin=stdin)
        return [json.loads(line) for line in out.splitlines()]

    def value(self, *words, stdin=b""):
        return number(self.json(*words, stdin=stdin)[0]["value"])

    def check_error(self, code, message, *words, stdin=b"", out=""):
        """Nothing but one line on standard error, and the exit code."""
        found = self.run_tool(*words, stdin=stdin)
        self.assertEqual(found, (code, out, f"monofold: {message}\n"), words)

    def assertSameFloat(self, found, wanted):
        """The same bits; any NaN is like any other."""
        if math.isnan(wanted):
            self.assertTrue(math.isnan(found))
        else:
            self.assertEqual(struct.pack("d", found), struct.pack("d", wanted))
