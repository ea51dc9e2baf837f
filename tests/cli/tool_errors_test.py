#!/usr/bin/env python3
"""Bad input and bad words: one line on standard error, nothing on standard output, the exit code."""

import json
import os
import subprocess
import time
import unittest

import numpy as np

from tool import TOOL, ToolTest


def npy(header, data=b"", version=b"\x01\x00"):
    """A .npy file whose header is this text."""
    text = header.encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY" + version + len(text).to_bytes(2, "little") + text + data


def header(descr="'<f8'", order="False", shape="(3,)"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


class BadFiles(ToolTest):

    def bad(self, content, message, *words, name="a.npy"):
        self.write(name, content)
        self.check_error(3, f"{name}: {message}", "sum", name, *words)

    def test_missing_directory_empty(self):
        self.check_error(3, "nope.npy: cannot open: No such file or directory", "sum", "nope.npy")
        os.mkdir(self.path("folder"))
        self.check_error(3, "folder: cannot read: Is a directory", "sum", "folder")
        self.bad(b"", "the file is empty")
        self.bad(b"", "the file is empty", name="a.txt")
        self.check_error(3, "standard input: the file is empty", "sum")

    def test_npy_headers(self):
        whole = npy(header(), bytes(24))
        self.bad(whole[:4], "bad .npy header: at byte 0: expected '\\x93NUMPY', found '\\x93NUM'")
        self.bad(whole[:7], "bad .npy header: at byte 7: expected the version and the header length, "
                            "found the end of the file")
        self.bad(whole[:60], "bad .npy header: at byte 60: expected a header up to byte 128, found the "
                             "end of the file")
        self.bad(b"\x93NUMPY\x01\x00\xff\xff{}", "bad .npy header: at byte 12: expected a header up to "
                                                 "byte 65545, found the end of the file")
        self.bad(npy(header(), version=b"\x07\x00"),
                 "bad .npy header: at byte 6: expected version 1.0, 2.0 or 3.0, found 7.0")
        self.bad(npy(header(shape="(-3,)")),
                 "bad .npy header: at byte 61: expected an extent of at least 0, found '-3'")
        self.bad(npy(header(shape="(4611686018427387904, 4)")),
                 "bad .npy header: at byte 60: expected a shape of fewer than 2^63 bytes, found a larger "
                 "one")
        self.bad(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}",
                 "bad .npy header: at byte 8: expected a header of at most 1048576 bytes, found a length "
                 "of 4294967295")
        # The items alone would fit 2^63 bytes.
        self.bad(npy(header(shape="(1152921504606846975,)")),
                 "bad .npy header: at byte 60: expected a shape of fewer than 2^63 bytes, found a larger "
                 "one")

    def test_npy_types(self):
        for array, text in [
                (np.array([1j]), "dtype '<c16' (complex)"),
                (np.array(["a"]), "dtype '<U1' (string)"),
                (np.array([b"a"]), "dtype '|S1' (byte string)"),
                (np.array([0], "M8[s]"), "dtype '<M8[s]' (datetime64)"),
                (np.array([None]), "dtype '|O' (Python object)"),
                (np.array([(1, 2)], "i4,f8"),
                 "structured dtype '[('f0', '<i4'), ('f1', '<f8')]'")]:
            self.check_error(3, f"c.npy: bad .npy header: at byte 20: {text} is not supported",
                             "sum", self.save("c.npy", array))

    def test_standard_input(self):
        whole = npy(header(), bytes(24))
        for content, message, words in [
                (whole[:7], "bad .npy header: at byte 7: expected the version and the header length, "
                            "found the end of the file", ["--format", "npy"]),
                (whole[:60], "bad .npy header: at byte 60: expected a header up to byte 128, found the "
                             "end of the file", []),
                (npy(header(shape="(-3,)")),
                 "bad .npy header: at byte 61: expected an extent of at least 0, found '-3'", []),
                (npy(header(order="True", shape="(2, 2)"), bytes(32)),
                 "an array in Fortran order cannot be read from a pipe, only from a regular file", []),
                (bytes(30), "found 30 bytes, expected a multiple of 8 (float64)", ["--dtype", "f64"]),
                (bytes(30), "not text and not .npy; if it is raw binary, say --dtype TYPE", []),
                (b"a,b\n1,2\n3\n", "line 3: found 1 column, expected 2", ["--column", "b"]),
                (b"1\n2 x\n", "line 2, character 3: expected a number, found 'x'", [])]:
            self.check_error(3, f"standard input: {message}", "argmax", *words, stdin=content)
        for stdin in (self.folder, "/dev/null"):  # a directory, and nothing
            folder = os.open(stdin, os.O_RDONLY)
            done = subprocess.run([TOOL, "sum"], stdin=folder, capture_output=True, check=False)
            os.close(folder)
            self.assertEqual((done.returncode, done.stdout), (3, b""))
            self.assertRegex(done.stderr, rb"^monofold: standard input: (cannot read: Is a directory|the "
                                          rb"file is empty)\n$")

    def test_nothing_is_printed_in_any_form(self):
        for form in ("--json", "--csv", "--hex", "--quiet"):
            self.bad(npy(header(), bytes(17)),
                     "found 17 bytes of items after the header, expected 24 (3 items of float64)", form)
            self.bad(npy(header(), bytes(24)), "the header says float64, --dtype says float32", form,
                     "--dtype", "f32")

    def test_npy_data(self):
        self.bad(npy(header(), bytes(17)), "found 17 bytes of items after the header, expected 24 (3 "
                                           "items of float64)")
        self.bad(npy(header(), bytes(30)), "found 30 bytes of items after the header, expected 24 (3 "
                                           "items of float64)")
        self.check_error(3, "standard input: found 17 bytes of items after the header, expected 24 (3 "
                            "items of float64)", "sum", stdin=npy(header(), bytes(17)))
        self.check_error(3, "standard input: found 30 bytes of items after the header, expected 24 (3 "
                            "items of float64)", "sum", stdin=npy(header(), bytes(30)))

    def test_raw(self):
        self.bad(bytes(30), "found 30 bytes, expected a multiple of 8 (float64)", "--dtype", "f64",
                 name="a.bin")
        self.bad(bytes(30), "not text and not .npy; if it is raw binary, say --dtype TYPE", name="a.bin")

    def test_csv(self):
        self.bad("a,b\n1,2\n3\n", "line 3: found 1 column, expected 2", "--column", "b", name="a.csv")
        self.bad("a,b\n1,2\n3,x4\n", "line 3, column 2 ('b'): expected a number, found 'x4'",
                 "--column", "b", name="a.csv")
        for column in ("c", "3", "0"):
            self.bad("a,b\n1,2\n", f"column '{column}' not found; the columns are 1 'a', 2 'b'",
                     "--column", column, name="a.csv")
        self.bad("a,b\n1,2\n", "found 2 columns, expected --column to name one; the columns are 1 'a', 2 "
                               "'b'", name="a.csv")
        self.bad('a,b\n1,"2\n3,4\n', "line 2: a quoted field has no closing quote", "--column", "b",
                 name="a.csv")
        # A number goes on behind this delimiter, a field does not.
        self.bad("1-2-3\n-5-6-7\n", "line 2: found 4 columns, expected 3", "--column", "1",
                 "--delimiter", "-", name="a.txt")
        self.bad("1\n2\nthree\n", "line 3, character 1: expected a number, found 'three'", name="a.txt")
        self.bad("1\n300\n", "line 2, character 1: '300' is out of range for uint8", "--dtype", "u8",
                 name="a.txt")

    def test_a_file_that_shrinks_while_it_is_read(self):
        for io in ("auto", "map", "read", "direct"):
            with self.subTest(io):
                self.shrink_while_it_is_read("--io", io)

    def shrink_while_it_is_read(self, *words):
        num_items = 2**30  # 8 GiB, which takes a tool seconds: this test may have to wait for the processor
        with open(self.path("big.npy"), "wb") as file:
            file.write(npy(header(shape=f"({num_items},)")))
            start = file.tell()
            file.truncate(start + 8 * num_items)
        process = subprocess.Popen([TOOL, "norm2,var,prod", "big.npy", "--threads", "1",
                                    *words],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        folder = f"/proc/{process.pid}/fd"
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not self.is_open("big.npy", folder):
            time.sleep(0.001)
        time.sleep(0.05)  # past the header and the comparison of sizes
        os.truncate(self.path("big.npy"), 4096)
        out, err = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out), (3, b""), err)
        self.assertRegex(err.decode(), r"^monofold: big\.npy: (the file shrank while it was read|part of "
                                       r"the file was lost|cannot be read directly: Invalid argument)[^\n]*\n$")

    def is_open(self, name, folder):
        try:
            targets = [os.readlink(os.path.join(folder, fd)) for fd in os.listdir(folder)]
        except OSError:
            return False
        return any(target.endswith(name) for target in targets)


class BadWords(ToolTest):

    def setUp(self):
        super().setUp()
        self.a = self.save("a.npy", np.arange(3.0))

    def test_usage(self):
        for words, message in [
                ([], "no operation; see monofold --help"),
                (["smu", self.a], "unknown operation 'smu' (did you mean 'sum'?)"),
                (["sum", self.a, "--jsno"], "unknown option '--jsno' (did you mean '--json'?)"),
                (["sum", self.a, "--threads"], "option '--threads' needs a value"),
                (["sum", self.a, "--threads", "0"],
                 "--threads: expected a whole number of at least 1, found '0'"),
                (["sum", self.a, "--threads", "-2"],
                 "--threads: expected a whole number of at least 1, found '-2'"),
                (["top", self.a, "-k", "0"],
                 "-k: expected a whole number of at least 1 (K, M, G may follow), found '0'"),
                (["bottom", self.a, "-k", "-1"],
                 "-k: expected a whole number of at least 1 (K, M, G may follow), found '-1'"),
                (["sum", self.a, "--threads", "99999999999"],
                 "--threads: at most 4096, found 99999999999"),
                (["sum", self.a, "--json=0"], "option '--json' takes no value, found '0'"),
                (["sum", "--threads=", self.a],
                 "--threads: expected a whole number of at least 1, found ''"),
                (["sum", self.a, "--delimiter", '"'],
                 "--delimiter: a quote or the end of a line cannot separate columns"),
                (["sum", self.a, "--dtype", "f99"], "--dtype: unknown element type 'f99'"),
                (["dot", self.a], "dot takes two files, found 1"),
                ([self.a], "expected an operation first, found 'a.npy'; for example: monofold sum a.npy"),
        ]:
            self.check_error(2, message, *words)

    def test_no_such_result(self):
        for op in ("top", "bottom"):
            self.check_error(4, f"a.npy: {op}: no result: 3 items, -k asks for 4", op, self.a, "-k", 4)
            self.check_error(4, f"a.npy: {op}: no result: 3 items, -k asks for 1000000000000", op, self.a,
                             "-k", "1000G")
        self.check_error(4, "a.npy: var: no result: 3 items, --ddof is 3", "var", self.a, "--ddof", 3)
        one = self.save("one.npy", np.ones(1))
        self.check_error(4, "one.npy: var: no result: 1 item, --ddof is 1", "var", one, "--ddof", 1)
        self.check_error(4, "one.npy: top: no result: 1 item, -k asks for 10", "top", one)
        self.check_error(4, "a.npy: xor: no result: not defined for float64", "xor", self.a)

    def test_no_such_device(self):
        facts = json.loads(self.output("info", "--json"))
        engines = {engine["name"]: engine for engine in facts["engines"]}
        for device in ("gpu", "gpus"):
            if engines[device]["available"]:
                self.assertEqual(self.output("sum", self.a, "--device", device), "3\n")
            else:
                self.check_error(5, f"--device {device}: {engines['gpu']['why']}", "sum", self.a,
                                 "--device", device)
        for device in ("auto", "cpu"):
            self.assertEqual(self.output("sum", self.a, "--device", device), "3\n")

    def test_dot_of_files_that_do_not_fit(self):
        b = self.save("b.npy", np.arange(4.0))
        c = self.save("c.npy", np.arange(3, dtype="f4"))
        self.check_error(3, "a.npy: dot needs as many items in both files: 3 and 4", "dot", self.a, b)
        self.check_error(3, "a.npy: dot needs one element type: float64, and float32 in c.npy", "dot",
                         self.a, c)
        self.check_error(3, "nope.npy: cannot open: No such file or directory", "dot", self.a, "nope.npy")
        self.check_error(3, "nope.npy: cannot open: No such file or directory", "dot", "nope.npy", self.a)

    def test_more_threads_than_cores(self):
        cores = len(os.sched_getaffinity(0))
        code, out, err = self.run_tool("sum", self.a, "--threads", 5 * cores)
        self.assertEqual((code, out), (0, "3\n"))
        self.assertEqual(err, f"monofold: note: --threads {5 * cores}, and there " +
                         ("is 1 core\n" if cores == 1 else f"are {cores} cores\n"))
        self.assertEqual(self.output("sum", self.a, "--threads", 5 * cores, "--quiet"), "3\n")
        text = "1\n" * 3_000_000  # enough for every thread, and not from a map
        code, out, err = self.run_tool("sum", "--threads", 5 * cores, "--quiet", stdin=text.encode())
        self.assertEqual((code, out, err), (0, "3000000\n", ""))


class BadOutput(ToolTest):

    def test_full_disk(self):
        a = self.save("a.npy", np.arange(3.0))
        for words in (["sum", a], ["sum", a, a, "--json"], ["--help"], ["info"], ["generate", "-"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([TOOL, *words], stdout=full, stderr=subprocess.PIPE, check=False,
                                      cwd=self.folder)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr.decode(), r"^monofold: [^\n]*No space left on device\n$")
        self.assertIn(b"write error", subprocess.run(
            f"{TOOL} --version > /dev/full", shell=True, stderr=subprocess.PIPE, check=False).stderr)

    def test_closed_pipe(self):
        a = self.save("a.npy", np.arange(100_000))
        for ignored in (False, True):  # SIGPIPE kills, or write says EPIPE
            read, write = os.pipe()
            os.close(read)
            done = subprocess.run([TOOL, "top", "-k", "100K", a], stdout=write, check=False,
                                  stderr=subprocess.PIPE, cwd=self.folder,
                                  restore_signals=not ignored)
            os.close(write)
            self.assertEqual(done.stderr, b"")
            self.assertEqual(done.returncode, 141 if ignored else -13)


if __name__ == "__main__":
    unittest.main()
